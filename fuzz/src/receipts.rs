//! Receipts out of any JSON.

use podium::Receipt;

/// Reads any bytes as a receipt.
///
/// - What is a receipt is one still when it is written and read again, with the same claim, byte for byte.
/// - Its id is that of its claim.
/// - The same claim with another id is no receipt.
pub fn receipts(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(receipt) = Receipt::parse(text) else { return };
    let written = podium::to_json(&receipt);
    let again = Receipt::parse(&written).expect("a receipt that was written");
    assert_eq!(again.claim.canonical(), receipt.claim.canonical(), "{written}");
    assert_eq!(podium::to_json(&again), written);
    assert_eq!(receipt.id, receipt.claim.id());
    let id = receipt.id.to_string();
    let other = if id.starts_with('0') { "1" } else { "0" };
    let forged = written.replacen(&id, &format!("{other}{}", &id[1..]), 1);
    assert!(Receipt::parse(&forged).is_err(), "{forged}");
}
