//! One cell's text as a number, by the rules of pandas' C parser.
//!
//! pandas 2.2.3, `tokenizer.c`: `str_to_int64`, `str_to_uint64` and `round_trip`, which asks CPython for the nearest
//! float; the standard library gives the same one. What most numbers look like is read eight digits at a time, without a
//! loop where it can be: in WebAssembly, each turn of a loop looks at the fuel.

use super::decimal::{power_of_ten_apart, swar};

/// Why a text is no integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotInteger {
    /// It is not written as one.
    Malformed,
    /// It begins as one that does not fit. What follows the digits was not looked at.
    Overflow,
}

/// What pandas' unsigned parser makes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsigned {
    /// A number.
    Number(u64),
    /// A minus sign; what follows it was not looked at.
    Negative,
}

/// A signed integer: spaces around it are allowed, and a sign.
pub(super) fn parse_int64(text: &[u8]) -> Result<i64, NotInteger> {
    let text = skip_space(text);
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (magnitude, rest) = parse_digits(digits)?;
    let value = match (negative, magnitude) {
        (false, magnitude) => i64::try_from(magnitude).map_err(|_| NotInteger::Overflow)?,
        (true, magnitude) => 0i64.checked_sub_unsigned(magnitude).ok_or(NotInteger::Overflow)?,
    };
    only_space(rest).then_some(value).ok_or(NotInteger::Malformed)
}

/// What most integers are: up to sixteen digits and nothing else, at a place within other bytes. `None` for all other
/// texts, and where less than sixteen bytes come before their end.
#[inline(always)]
pub(super) fn parse_digits_alone(bytes: &[u8], start: usize, end: usize) -> Option<i64> {
    let length = end.wrapping_sub(start);
    let ending = bytes.get(end.checked_sub(16)?..end)?.first_chunk()?;
    if !(1..=16).contains(&length) {
        return None;
    }
    let [upper, lower] = last_digits(ending, length)?;
    // Either is at most eight digits.
    Some(u64::from(upper).wrapping_mul(100_000_000).wrapping_add(lower.into()) as i64)
}

/// The number that the last bytes write, so many as told, at least one, if all of these are digits: what stands before the
/// last eight digits, and those.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
fn last_digits(bytes: &[u8; 16], length: usize) -> Option<[u32; 2]> {
    use core::arch::wasm32::{
        i16x8, i16x8_narrow_i32x4, i32x4_dot_i16x8, u8x16, u8x16_ge, u8x16_gt, u8x16_splat,
        u16x8_extend_high_u8x16, u16x8_extend_low_u8x16, u32x4_extract_lane, u64x2, v128_and,
        v128_any_true, v128_xor,
    };
    let (words, _) = bytes.as_chunks();
    let bytes = u64x2(u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]));
    let places = u8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let is_looked_at = u8x16_ge(places, u8x16_splat(16_u8.wrapping_sub(length as u8)));
    let digits = v128_and(v128_xor(bytes, u8x16_splat(b'0')), is_looked_at);
    if v128_any_true(u8x16_gt(digits, u8x16_splat(9))) {
        return None;
    }
    // Neighbours are made into pairs, these into fours, and these into eight.
    let tens = i16x8(10, 1, 10, 1, 10, 1, 10, 1);
    let pairs = i16x8_narrow_i32x4(
        i32x4_dot_i16x8(u16x8_extend_low_u8x16(digits), tens),
        i32x4_dot_i16x8(u16x8_extend_high_u8x16(digits), tens),
    );
    let fours = i32x4_dot_i16x8(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
    let fours = i16x8_narrow_i32x4(fours, fours);
    let eights = i32x4_dot_i16x8(fours, i16x8(10_000, 1, 10_000, 1, 10_000, 1, 10_000, 1));
    Some([u32x4_extract_lane::<0>(eights), u32x4_extract_lane::<1>(eights)])
}

/// The number that the last bytes write, so many as told, at least one, if all of these are digits: what stands before the
/// last eight digits, and those.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn last_digits(bytes: &[u8; 16], length: usize) -> Option<[u32; 2]> {
    let (words, _) = bytes.as_chunks();
    let [upper, lower] =
        [(0, length.saturating_sub(8)), (1, length.min(8))].map(|(word, count)| {
            swar::digits(u64::from_le_bytes(words[word])) & swar::LAST_BYTES[count]
        });
    (swar::are_digits(upper) && swar::are_digits(lower))
        .then(|| [swar::number(upper) as u32, swar::number(lower) as u32])
}

/// An integer without sign (a plus is allowed); anything after a minus is taken for a negative number.
pub(super) fn parse_uint64(text: &[u8]) -> Result<Unsigned, NotInteger> {
    let digits = match skip_space(text) {
        [b'-', ..] => return Ok(Unsigned::Negative),
        [b'+', rest @ ..] => rest,
        text => text,
    };
    let (value, rest) = parse_digits(digits)?;
    only_space(rest).then_some(Unsigned::Number(value)).ok_or(NotInteger::Malformed)
}

/// A float: spaces around it are allowed, a sign, digits with a point among them, an exponent. No underscores, no
/// hexadecimal. The words for infinity in any case, without spaces. What rounds to plus infinity is no float, what
/// rounds to minus infinity is (pandas looks for plus infinity alone to see that a number was too large).
pub(super) fn parse_float64(text: &[u8]) -> Option<f64> {
    parse_decimal(text).or_else(|| parse_infinity(text))
}

/// What most floats are: a sign, up to nineteen digits with a point among them, perhaps an exponent, at a place within
/// other bytes. `None` for all other texts, and for numbers that take longer.
#[inline(always)]
pub(super) fn parse_plain_float(bytes: &[u8], start: usize, end: usize) -> Option<f64> {
    let negative = bytes.get(start) == Some(&b'-');
    let at = start + usize::from(negative);
    let magnitude = match digits_around_point(bytes, at, end) {
        Some((digits, fraction)) => power_of_ten_apart(digits, -(fraction as i32))?,
        None => plain_magnitude(bytes, at, end)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// As [`parse_plain_float`], wherever the point is, without a sign.
#[inline(never)]
fn plain_magnitude(bytes: &[u8], mut at: usize, end: usize) -> Option<f64> {
    let mut digits = 0;
    let whole = take_eights(bytes, at, end, &mut digits);
    at += whole;
    let mut fraction = 0;
    if at < end && bytes[at] == b'.' {
        at += 1;
        fraction = take_eights(bytes, at, end, &mut digits);
        at += fraction;
    }
    let count = whole + fraction;
    if count == 0 || count > 19 {
        return None;
    }
    let mut exponent = -(fraction as i32);
    if at < end {
        exponent += parse_exponent(&bytes[at..end])?;
    }
    power_of_ten_apart(digits, exponent)
}

/// The digits of a number that has a point behind at most seven of them, and how many follow the point; nineteen together at
/// most. `None` of all other texts, and where less than three words come before the end.
///
/// Numbers differ in their lengths by a digit or two, and nothing is decided by that: three words before the end are looked
/// at, of which digits are taken that stand behind the point.
#[inline(always)]
fn digits_around_point(bytes: &[u8], start: usize, end: usize) -> Option<(u64, usize)> {
    let first = swar::digits(swar::word_or_less(bytes, start));
    let whole = swar::leading_digits(first);
    let fraction = end.wrapping_sub(start + whole + 1);
    if bytes.get(start + whole) != Some(&b'.')
        || whole == 8
        || whole + fraction.min(20) > 19
        || whole + fraction == 0
    {
        return None;
    }
    let last_digits = |end: usize, count: usize| {
        let word = swar::word_before(bytes, end)?;
        Some(swar::digits(word) & swar::LAST_BYTES[count.min(8)])
    };
    let last = last_digits(end, fraction)?;
    let middle = last_digits(end - 8, fraction.saturating_sub(8))?;
    let before = last_digits(end - 16, fraction.saturating_sub(16))?;
    if !swar::are_digits(last) || !swar::are_digits(middle) || !swar::are_digits(before) {
        return None;
    }
    // Nineteen digits fit.
    let behind_point = swar::number(before)
        .wrapping_mul(100_000_000)
        .wrapping_add(swar::number(middle))
        .wrapping_mul(100_000_000)
        .wrapping_add(swar::number(last));
    let before_point = swar::number(first.checked_shl(64 - 8 * whole as u32).unwrap_or(0));
    Some((before_point.wrapping_mul(WHOLE_POWERS[fraction]).wrapping_add(behind_point), fraction))
}

/// The powers of ten up to as many zeros as digits are looked at.
const WHOLE_POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut zeros = 1;
    while zeros < powers.len() {
        powers[zeros] = powers[zeros - 1] * 10;
        zeros += 1;
    }
    powers
};

/// An exponent of one or two digits, `e` and sign included; `None` of all other texts.
fn parse_exponent(text: &[u8]) -> Option<i32> {
    let [b'e' | b'E', rest @ ..] = text else { return None };
    let (negative, digits) = match rest {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let exponent = match digits {
        [ones] if ones.is_ascii_digit() => i32::from(ones - b'0'),
        [tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit() => {
            i32::from(tens - b'0') * 10 + i32::from(ones - b'0')
        }
        _ => return None,
    };
    Some(if negative { -exponent } else { exponent })
}

/// Counts the digits from `at` on, before `end`, and appends them to a number, of which only the last digits may be left.
#[inline(always)]
fn take_eights(bytes: &[u8], mut at: usize, end: usize, number: &mut u64) -> usize {
    let start = at;
    while at < end {
        let digits = swar::digits(swar::word_or_less(bytes, at));
        let count = swar::leading_digits(digits).min(end - at);
        if count < 8 {
            if count > 0 {
                let digits = swar::number(digits << (64 - 8 * count));
                *number = number.wrapping_mul(swar::POWERS[count]).wrapping_add(digits);
            }
            return at + count - start;
        }
        *number = number.wrapping_mul(100_000_000).wrapping_add(swar::number(digits));
        at += 8;
    }
    at - start
}

fn parse_decimal(text: &[u8]) -> Option<f64> {
    let text = skip_space(text);
    let mut end = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let mut digits = 0;
    let whole = take_digits(&text[end..], &mut digits);
    end += whole;
    let mut fraction = 0;
    if text.get(end) == Some(&b'.') {
        fraction = take_digits(&text[end + 1..], &mut digits);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    let plain_end = end;
    if matches!(text.get(end), Some(b'e' | b'E')) {
        end += 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = count_digits(&text[end..]);
        if exponent == 0 {
            return None;
        }
        end += exponent;
    }
    if !only_space(&text[end..]) {
        return None;
    }
    if end == plain_end && whole + fraction <= EXACT_DIGITS {
        let magnitude = digits as f64 / POWERS_OF_TEN[fraction];
        return Some(if text.first() == Some(&b'-') { -magnitude } else { magnitude });
    }
    let value: f64 = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    (value != f64::INFINITY).then_some(value)
}

/// A number of so many digits is a float, and so is the power of ten that it is divided by to put the point into its
/// place: the quotient is the nearest float (Clinger 1990, "How to read floating point numbers accurately").
const EXACT_DIGITS: usize = 15;

const POWERS_OF_TEN: [f64; EXACT_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

fn parse_infinity(text: &[u8]) -> Option<f64> {
    let (sign, word) = match text {
        [b'-', word @ ..] => (-1.0, word),
        [b'+', word @ ..] => (1.0, word),
        word => (1.0, word),
    };
    let infinite = word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity");
    infinite.then_some(sign * f64::INFINITY)
}

/// The digits at the beginning as a number, and what follows them.
fn parse_digits(text: &[u8]) -> Result<(u64, &[u8]), NotInteger> {
    let mut value: u64 = 0;
    let count = count_digits(text);
    if count == 0 {
        return Err(NotInteger::Malformed);
    }
    // Nineteen digits fit, whatever they are, so nothing wraps.
    let (safe, others) = text[..count].split_at(count.min(19));
    for digit in safe {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
    }
    for digit in others {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit - b'0')))
            .ok_or(NotInteger::Overflow)?;
    }
    Ok((value, &text[count..]))
}

/// Counts the digits at the beginning, and appends them to a number, of which only the last digits may be left.
fn take_digits(text: &[u8], number: &mut u64) -> usize {
    let mut count = 0;
    for byte in text {
        if !byte.is_ascii_digit() {
            break;
        }
        *number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        count += 1;
    }
    count
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len())
}

/// C's `isspace` over ASCII.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn skip_space(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len());
    &text[start..]
}

fn only_space(text: &[u8]) -> bool {
    text.iter().all(|byte| is_space(*byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_follows_an_overflow_is_not_looked_at() {
        assert_eq!(parse_int64(b"9223372036854775807"), Ok(i64::MAX));
        assert_eq!(parse_int64(b"-9223372036854775808 "), Ok(i64::MIN));
        assert_eq!(parse_int64(b"9223372036854775808x"), Err(NotInteger::Overflow));
        assert_eq!(parse_int64(b"92233720368547758070x"), Err(NotInteger::Overflow));
        assert_eq!(parse_int64(b"1x"), Err(NotInteger::Malformed));
        assert_eq!(parse_int64(b""), Err(NotInteger::Malformed));
        assert_eq!(parse_uint64(b"-x"), Ok(Unsigned::Negative));
        assert_eq!(parse_uint64(b"+18446744073709551615"), Ok(Unsigned::Number(u64::MAX)));
        assert_eq!(parse_uint64(b"18446744073709551616x"), Err(NotInteger::Overflow));
        assert_eq!(parse_uint64(b"000000000000000000000000001"), Ok(Unsigned::Number(1)));
    }

    #[test]
    fn floats_are_the_nearest() {
        assert_eq!(parse_float64(" -1.5e3\t".as_bytes()), Some(-1500.0));
        assert_eq!(parse_float64("-0.0".as_bytes()).map(f64::to_bits), Some((-0.0_f64).to_bits()));
        assert_eq!(parse_float64("1e400".as_bytes()), None);
        assert_eq!(parse_float64("-1e400".as_bytes()), Some(f64::NEG_INFINITY));
        assert_eq!(parse_float64("9007199254740993".as_bytes()), Some(9_007_199_254_740_992.0));
        for text in ["", " ", "+", "e1", "1e", "1e+", "1 e1", "nan", "0x1p3", "1_0", "inf ", "1,5"]
        {
            assert_eq!(parse_float64(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn digits_alone_are_read_wherever_they_stand() {
        for text in
            ["0", "7", "12345678", "123456789", "0000000000000001", "9999999999999999", "42"]
        {
            let around = format!("9999999999999999,{text},8");
            let end = around.len() - 2;
            let found = parse_digits_alone(around.as_bytes(), end - text.len(), end);
            assert_eq!(found, text.parse().ok(), "{text}");
            assert_eq!(
                parse_digits_alone(text.as_bytes(), 0, text.len()).is_some(),
                text.len() == 16
            );
        }
        for text in [
            "",
            "-1",
            "+1",
            "1 ",
            "1.0",
            "1:",
            "/",
            "12345678a",
            "1234567\u{e9}",
            "12345678901234567",
        ] {
            let around = format!("9999999999999999,{text}");
            let end = around.len();
            assert_eq!(
                parse_digits_alone(around.as_bytes(), end - text.len(), end),
                None,
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn plain_floats_are_the_standard_librarys(
            text in "-?[0-9]{0,10}\\.?[0-9]{0,18}([eE][+-]?[0-9]{1,2})?",
            around in "[0-9.,e-]{0,30}",
        ) {
            let bytes = format!("{around}{text},{around}");
            let (start, end) = (around.len(), around.len() + text.len());
            if let Some(found) = parse_plain_float(bytes.as_bytes(), start, end) {
                prop_assert_eq!(Some(found.to_bits()), text.parse().ok().map(f64::to_bits));
            }
        }

        #[test]
        fn printed_floats_are_read_back(bits in any::<u64>(), small in -20_i32..20) {
            for value in [f64::from_bits(bits), (bits as f64 / 1e19) * 10_f64.powi(small)] {
                let text = format!("{value}");
                if let Some(found) = parse_plain_float(text.as_bytes(), 0, text.len()) {
                    prop_assert_eq!(found.to_bits(), value.to_bits());
                }
            }
        }

        #[test]
        fn decimals_are_the_standard_librarys(text in "[+-]?[0-9]{0,12}\\.?[0-9]{0,12}") {
            let expected: Option<f64> = text.parse().ok();
            prop_assert_eq!(parse_float64(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits));
        }
    }
}
