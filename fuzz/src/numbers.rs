//! Numbers out of any text, and text out of any number.

use podium_grader::text::{
    Integer, numpy_round, python_float, python_float_repr, python_int, python_round,
};
use podium_grader::{Cell, Frame, Role};

/// Takes eight bytes as numbers and writes them, takes the rest as the text of one and reads it.
///
/// - What is written of a number is read as that number: by Python's rules, and as a cell of a table.
/// - Text that the standard library takes for a float is the same float to Python's rules (no text is a float to the
///   standard library alone).
/// - What is an integer is a float as well, and the nearest one.
pub fn numbers(bytes: &[u8]) {
    if let Some((bits, text)) = bytes.split_first_chunk() {
        written_numbers(u64::from_le_bytes(*bits));
        if let Ok(text) = std::str::from_utf8(text) {
            read_text(text);
        }
    }
}

fn written_numbers(bits: u64) {
    let float = f64::from_bits(bits);
    let written = python_float_repr(float);
    let read = python_float(&written).expect("a float that was written");
    assert!(read.to_bits() == bits || (read.is_nan() && float.is_nan()), "{written}");
    match cell(&written) {
        Some(Read::Float(read)) => assert_eq!(read.to_bits(), bits, "{written}"),
        Some(Read::Missing) => assert!(float.is_nan(), "{written}"),
        other => panic!("{written} was read as {other:?}"),
    }
    for places in [0, 2, 5] {
        let (python, numpy) = (python_round(float, places), numpy_round(float, places));
        assert!(python.is_nan() == float.is_nan(), "{float} to {places} places: {python}");
        if float.abs() < 1e9 {
            let unit = 10_f64.powi(-places.cast_signed());
            assert!((python - float).abs() <= unit, "{float} to {places} places: {python}");
            assert!((numpy - python).abs() <= unit * 1.001, "{float}: {numpy} and {python}");
        }
    }

    let (signed, unsigned) = (bits.cast_signed(), bits.to_string());
    assert_eq!(python_int(&signed.to_string()), Ok(Integer::Small(signed)));
    assert_eq!(cell(&signed.to_string()), Some(Read::Int(signed)));
    let whole = python_int(&unsigned).expect("digits");
    assert_eq!((whole.to_u64(), whole.to_string()), (Some(bits), unsigned.clone()));
    let expected = match i64::try_from(bits) {
        Ok(small) => Read::Int(small),
        Err(_) => Read::UInt(bits),
    };
    assert_eq!(cell(&unsigned), Some(expected));
}

fn read_text(text: &str) {
    let float = python_float(text);
    let looks_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if looks_plain(text) {
        assert_eq!(float.map(f64::to_bits), text.parse::<f64>().ok().map(f64::to_bits), "{text:?}");
    }
    if let Ok(whole) = python_int(text) {
        assert_eq!(python_int(&whole.to_string()).as_ref(), Ok(&whole), "{text:?}");
        assert_eq!(Some(whole.to_f64()), float, "{text:?}");
        assert_eq!(whole.is_negative(), whole.to_string().starts_with('-'), "{text:?}");
    }
    // As a cell: nothing panics, and whatever is a number there is the same number by Python's rules.
    if let Some(Read::Float(value)) = cell(text) {
        assert_eq!(Some(value), float, "{text:?}");
    }
}

/// A cell that was read, on its own.
#[derive(Debug, PartialEq)]
enum Read {
    Missing,
    Bool,
    Int(i64),
    UInt(u64),
    Float(f64),
    Text,
}

/// The only cell of a table; `None` where the text means more than itself in one.
fn cell(text: &str) -> Option<Read> {
    if text.contains(['\r', '\n', '"', '\0']) {
        return None;
    }
    let frame = Frame::from_text(Role::Submission, &format!("x,y\n{text},\n")).ok()?;
    if frame.len() != 1 || frame.row_labels().is_some() {
        return None;
    }
    Some(match frame.column("x").ok()?.cell(0) {
        Cell::Missing => Read::Missing,
        Cell::Bool(_) => Read::Bool,
        Cell::Int(value) => Read::Int(value),
        Cell::UInt(value) => Read::UInt(value),
        Cell::Float(value) => Read::Float(value),
        Cell::Text(_) => Read::Text,
    })
}
