//! Reads the text form of a mask: `start length start length …`, starts counted from 1.
//!
//! What is accepted is what MLE-bench's decoder accepts (its `rle_decode`, which leans on Python's `int` and on numpy's
//! arithmetic), the odd corners included:
//!
//! - text of whitespace alone is the empty mask; so is a single start without a length;
//! - starts must be positive and must not decrease, lengths must be positive;
//! - a run that goes past the image is cut there, silently; two runs may overlap beyond it;
//! - with two starts and one length, the length serves both runs (numpy broadcasts it); any other odd count is an error;
//! - `start + length` wraps at 64 bits, which leaves an empty run; an integer of 2⁶⁴ or more makes the arithmetic exact
//!   instead; integers from 2⁶³ to 2⁶⁴ - 1 beside smaller ones become floats, which numpy does not take as positions.
//!
//! Relies on [`crate::text`] for what Python takes for an integer.

use std::fmt;

use thiserror::Error;

use super::{Mask, Run};
use crate::text::{Integer, python_int, python_split};

/// Which half of a pair a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The first: where a run starts.
    Start,
    /// The second: how many pixels it has.
    Length,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Part::Start => "start",
            Part::Length => "length",
        })
    }
}

/// Why a text is no mask. Positions count the tokens from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// A token that Python's `int` refuses.
    #[error("token {position}, `{token}`, is not an integer")]
    NotAnInteger {
        /// Which token.
        position: usize,
        /// The token, cut where it is long.
        token: String,
    },
    /// A start or a length of zero or less.
    #[error("token {position}, `{token}`, is a {part} and has to be at least 1")]
    NotPositive {
        /// Which token.
        position: usize,
        /// The token, cut where it is long.
        token: String,
        /// What it stands for.
        part: Part,
    },
    /// A start below the one before it.
    #[error(
        "the start at token {position} lies before the start of the run ahead of it; runs have to be sorted"
    )]
    NotSorted {
        /// Which token.
        position: usize,
    },
    /// A run that covers a pixel of a run ahead of it.
    #[error("the run at token {position} overlaps a run ahead of it")]
    Overlap {
        /// Which token holds the run's start.
        position: usize,
    },
    /// Not every start has its length.
    #[error(
        "the encoding has {tokens} tokens; each start needs a length after it, so the number has to be even"
    )]
    Unpaired {
        /// How many tokens there are.
        tokens: usize,
    },
    /// Integers that 64-bit arithmetic cannot hold together.
    #[error("the encoding holds an integer of 9223372036854775808 or more, far beyond any image")]
    TooLarge,
}

/// A positive integer, by the numpy type that it would take. Sorted by value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Number {
    /// Below 2⁶³.
    Int64(u64),
    /// From 2⁶³ to 2⁶⁴ - 1.
    UInt64(u64),
    /// From 2⁶⁴ on.
    Huge(Digits),
}

/// A large integer: how many decimal digits it has, and the digits; no leading zeros. Sorted by value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Digits(usize, Box<str>);

/// The numpy type that an array of integers takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayType {
    Int64,
    UInt64,
    /// What numpy makes of int64 beside uint64.
    Float64,
    /// Python integers, of any size.
    Object,
}

fn array_type(numbers: &[Number]) -> ArrayType {
    let holds = |test: fn(&Number) -> bool| numbers.iter().any(test);
    if holds(|number| matches!(number, Number::Huge(_))) {
        ArrayType::Object
    } else if !holds(|number| matches!(number, Number::UInt64(_))) {
        ArrayType::Int64
    } else if holds(|number| matches!(number, Number::Int64(_))) {
        ArrayType::Float64
    } else {
        ArrayType::UInt64
    }
}

/// A token's integer, where it is positive.
fn positive(token: &str, position: usize) -> Result<Number, DecodeError> {
    let part = if position % 2 == 1 { Part::Start } else { Part::Length };
    let not_positive = || DecodeError::NotPositive { position, token: shortened(token), part };
    // Up to 18 digits fit without a look at overflow; nearly every token is one of these.
    if token.len() <= 18 && token.bytes().all(|byte| byte.is_ascii_digit()) {
        let value = token.bytes().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        return if value > 0 { Ok(Number::Int64(value)) } else { Err(not_positive()) };
    }
    match python_int(token) {
        Err(_) => Err(DecodeError::NotAnInteger { position, token: shortened(token) }),
        Ok(Integer::Small(value)) if value > 0 => Ok(Number::Int64(value as u64)),
        Ok(Integer::Large { negative: false, digits }) => Ok(match digits.parse() {
            Ok(value) => Number::UInt64(value),
            Err(_) => Number::Huge(Digits(digits.len(), digits)),
        }),
        Ok(_) => Err(not_positive()),
    }
}

/// A token as a message shows it.
fn shortened(token: &str) -> String {
    const SHOWN: usize = 40;
    match token.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &token[..cut]),
        None => token.to_owned(),
    }
}

/// Reads a mask of an image of that many pixels; see the module for what is accepted.
///
/// The time taken grows with the length of the text alone, not with the image.
///
/// ```
/// use podium_grader::masks::decode;
/// assert_eq!(decode("1 3 10 2", 12).unwrap().area(), 5);
/// assert_eq!(decode("10 5", 12).unwrap().encode(), "10 3");
/// assert!(decode("10 2 1 3", 12).is_err());
/// ```
///
/// # Errors
/// A [`DecodeError`] says which token is wrong, and how. It depends on the text and the image's size alone.
pub fn decode(text: &str, pixels: u64) -> Result<Mask, DecodeError> {
    let (mut starts, mut lengths) = (Vec::new(), Vec::new());
    for (position, token) in (1..).zip(python_split(text)) {
        let number = positive(token, position)?;
        if position % 2 == 0 {
            lengths.push(number);
            continue;
        }
        if starts.last().is_some_and(|last| *last > number) {
            return Err(DecodeError::NotSorted { position });
        }
        starts.push(number);
    }
    if starts.len() != lengths.len() && lengths.len() > 1 {
        return Err(DecodeError::Unpaired { tokens: starts.len() + lengths.len() });
    }
    if lengths.is_empty() {
        return Ok(Mask::empty());
    }
    let exact = match (array_type(&starts), array_type(&lengths)) {
        (ArrayType::Float64, _) | (_, ArrayType::Float64) => return Err(DecodeError::TooLarge),
        (ArrayType::Object, _) | (_, ArrayType::Object) => true,
        (starts, lengths) if starts == lengths => false,
        _ => return Err(DecodeError::TooLarge),
    };

    let mut mask = Mask::empty();
    for (index, start) in starts.iter().enumerate() {
        // One length serves all starts where it is alone.
        let length = if lengths.len() == 1 { &lengths[0] } else { &lengths[index] };
        let run = clipped(start, length, exact, pixels);
        if run.is_empty() {
            continue;
        }
        if mask.runs().last().is_some_and(|last| run.start < last.end) {
            return Err(DecodeError::Overlap { position: 2 * index + 1 });
        }
        mask.append(run);
    }
    Ok(mask)
}

/// The part of a run that lies within the image.
fn clipped(start: &Number, length: &Number, exact: bool, pixels: u64) -> Run {
    let outside = Run { start: pixels, end: pixels };
    let Number::Int64(start) = start else { return outside };
    let start = start - 1;
    if start >= pixels {
        return outside;
    }
    let end = match length {
        Number::Int64(length) => match i64::try_from(start + length) {
            Ok(end) => end as u64,
            Err(_) if exact => pixels,
            // The sum wraps to a large negative number, which is a position before the image.
            Err(_) => return outside,
        },
        Number::UInt64(_) | Number::Huge(_) => pixels,
    };
    Run { start, end: end.min(pixels) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the decoder of MLE-bench at commit 783b15a gave for each text on an image of 20 pixels (Python 3.11,
    /// numpy 1.26.4): the pixels counted from 1, or none where it raised.
    const RECORDED: &[(&str, Option<&str>)] = &[
        ("", Some("")),
        (" ", Some("")),
        ("\u{9}\u{a}", Some("")),
        ("\u{1c}\u{3000}\u{85}", Some("")),
        ("5", Some("")),
        ("0", None),
        ("-3", None),
        ("25", Some("")),
        ("1 3", Some("1 2 3")),
        ("1 3 10 2", Some("1 2 3 10 11")),
        ("1 3 4 2", Some("1 2 3 4 5")),
        ("1 3 3 1", None),
        ("10 2 1 1", None),
        ("1 1 1 1", None),
        ("19 5", Some("19 20")),
        ("19 5 20 3", None),
        ("19 5 21 3", Some("19 20")),
        ("21 4 22 9", Some("")),
        ("21 4 21 4", Some("")),
        ("20 1 21 1", Some("20")),
        ("1 3 10", Some("1 2 3 10 11 12")),
        ("1 10 10", None),
        ("1 9 10", Some("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18")),
        ("3 2 4", None),
        ("5 1 3", None),
        ("1 1 3 1 5", None),
        ("1 1 3 1 5 1 7", None),
        ("0 3", None),
        ("3 0", None),
        ("-1 3", None),
        ("3 -1", None),
        ("+3 +2", Some("3 4")),
        ("007 02", Some("7 8")),
        ("1_0 0_1", Some("10")),
        ("_1 1", None),
        ("1_ 1", None),
        ("1__0 1", None),
        ("1.0 2", None),
        ("a 1", None),
        ("1 a", None),
        ("1e1 1", None),
        ("0x5 1", None),
        ("\u{663} 2", Some("3 4")),
        ("\u{ff15} \u{ff11}", Some("5")),
        ("1\u{a0}3", Some("1 2 3")),
        ("1\u{200b}3", None),
        ("1,3", None),
        ("NaN", None),
        ("- 3", None),
        ("+ 3", None),
        ("1 9223372036854775807", Some("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")),
        ("2 9223372036854775807", Some("")),
        ("20 9223372036854775807", Some("")),
        ("3 9223372036854775808", None),
        ("3 9223372036854775808 5 1", None),
        ("9223372036854775807 9223372036854775807", Some("")),
        ("9223372036854775808 1", None),
        ("9223372036854775808 9223372036854775808", Some("")),
        ("9223372036854775808 18446744073709551615", Some("")),
        ("18446744073709551615 18446744073709551615", Some("")),
        ("1 1 9223372036854775808 1", None),
        ("1 1 9223372036854775808 9223372036854775808", None),
        ("9223372036854775808 9223372036854775808 9223372036854775808", Some("")),
        (
            "9223372036854775808 9223372036854775808 9223372036854775813 9223372036854775808",
            Some(""),
        ),
        ("1 18446744073709551616", Some("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")),
        ("18446744073709551616 1", Some("")),
        ("18446744073709551616 18446744073709551616", Some("")),
        ("5 18446744073709551616 7 1", None),
        ("5 2 9 18446744073709551616", Some("5 6 9 10 11 12 13 14 15 16 17 18 19 20")),
        ("5 2 18446744073709551616 1", Some("5 6")),
        ("5 2 18446744073709551616 9223372036854775808", None),
        ("5 2 9223372036854775808 18446744073709551616", None),
        ("5 9223372036854775808 18446744073709551616 7", None),
        (
            "5 9223372036854775808 18446744073709551616 9223372036854775808",
            Some("5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"),
        ),
        ("18446744073709551616 9223372036854775808 18446744073709551616 1", None),
        ("18446744073709551617 1 18446744073709551616 1", None),
        ("18446744073709551616 1 18446744073709551617 1", Some("")),
        ("184467440737095516160 1 166020696663385964544 1", None),
        ("1 1 9223372036854775807 9223372036854775808 18446744073709551616 3", None),
        (
            "2 9223372036854775807 18446744073709551616 1",
            Some("2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"),
        ),
        ("4 9223372036854775807 6 2", Some("6 7")),
        ("4 9223372036854775807 6 2 18446744073709551616 1", None),
        ("4 9223372036854775807 4 2", Some("4 5")),
        ("4 9223372036854775804 4 2", None),
        ("4 9223372036854775803 6 1", None),
        ("4 9223372036854775807  6", Some("")),
        ("2 18446744073709551615", None),
        ("-18446744073709551616 1", None),
        ("1 -18446744073709551616", None),
        ("00018446744073709551616 0018446744073709551616", Some("")),
        ("1 2 3 4 5 6 7 8 9 10", None),
        ("1 1 2 1 3 1 4 1", Some("1 2 3 4")),
        ("20 1", Some("20")),
        ("1 20", Some("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")),
        ("1 21", Some("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")),
        ("7 7 7 7", None),
        ("25 1 24 1", None),
        ("25 1 25 0", None),
        ("25 1 26 -1", None),
    ];

    #[test]
    fn texts_decode_as_recorded() {
        for (text, expected) in RECORDED {
            let decoded = decode(text, 20).ok().map(|mask| {
                let pixels = mask.runs().iter().flat_map(|run| run.start + 1..=run.end);
                pixels.map(|pixel| pixel.to_string()).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(decoded.as_deref(), *expected, "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_token() {
        let message = |text: &str| decode(text, 20).unwrap_err().to_string();
        assert_eq!(message("1 x"), "token 2, `x`, is not an integer");
        assert_eq!(message("1 -2"), "token 2, `-2`, is a length and has to be at least 1");
        assert_eq!(message("0 2"), "token 1, `0`, is a start and has to be at least 1");
        assert_eq!(message("1 4 3 1"), "the run at token 3 overlaps a run ahead of it");
        assert!(message("5 1 3 1").starts_with("the start at token 3 lies before"));
        assert!(message("1 1 3 1 5").starts_with("the encoding has 5 tokens"));
        assert!(message(&"9".repeat(5000)).contains("…"));
    }

    #[test]
    fn an_image_of_two_billion_pixels_costs_what_its_runs_cost() {
        let text: String = (0..200_000u64).map(|run| format!("{} 7 ", run * 10_000 + 1)).collect();
        let mask = decode(&text, 2_000_000_000).unwrap();
        assert_eq!(mask.area(), 1_400_000);
        assert_eq!(mask.iou(&mask), Some(1.0));
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(bits in proptest::collection::vec(any::<bool>(), 0..90)) {
            let pixels = bits.len() as u64;
            let mask = Mask::from_pixels(bits);
            prop_assert_eq!(decode(&mask.encode(), pixels), Ok(mask));
        }

        #[test]
        fn any_text_is_decoded_or_refused(text in "[-+_0-9 \\t\u{a0}x]{0,40}", pixels in 0u64..50) {
            if let Ok(mask) = decode(&text, pixels) {
                prop_assert!(mask.runs().last().is_none_or(|run| run.end <= pixels));
            }
        }
    }
}
