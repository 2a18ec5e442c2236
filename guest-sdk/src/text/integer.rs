//! Python's `int()` of text, with integers of any size.

use std::cmp::Ordering;
use std::fmt;

use super::decimal::{plain_number, without_underscores};

/// The most digits, leading zeros included, that Python converts.
const MOST_DIGITS: usize = 4300;

/// Python hashes numbers by their remainder by this prime.
const HASH_MODULUS: u64 = (1 << 61) - 1;

/// An integer of any size, as Python's `int`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Integer {
    /// One that fits int64.
    Small(i64),
    /// One that does not.
    Large {
        /// Whether it is below zero.
        negative: bool,
        /// The decimal digits of its size, without leading zeros.
        digits: Box<str>,
    },
}

/// Why a text is no integer to Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IntegerError {
    /// It is not written as one.
    #[error("it is not an integer")]
    NotAnInteger,
    /// It has more digits than Python converts.
    #[error("it has more than 4300 digits")]
    TooManyDigits,
}

impl Integer {
    /// Python's `int(value)` of a float: cut off toward zero. `None` where Python raises an error: NaN and infinities.
    pub fn from_float(value: f64) -> Option<Integer> {
        if !value.is_finite() {
            return None;
        }
        // Formatting without places would round; of a whole number it writes all digits.
        Some(Integer::from_digits(value < 0.0, &format!("{:.0}", value.trunc().abs())))
    }

    fn from_digits(negative: bool, digits: &str) -> Integer {
        let size = digits.trim_start_matches('0');
        // Every int64 has a size that fits i128 by far.
        let small = if size.is_empty() { Some(0) } else { size.parse::<i128>().ok() }
            .and_then(|size| i64::try_from(if negative { -size } else { size }).ok());
        match small {
            Some(value) => Integer::Small(value),
            None => Integer::Large { negative, digits: size.into() },
        }
    }

    /// It as int64, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Integer::Small(value) => Some(*value),
            Integer::Large { .. } => None,
        }
    }

    /// It as uint64, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match self {
            Integer::Small(value) => u64::try_from(*value).ok(),
            Integer::Large { negative: true, .. } => None,
            Integer::Large { negative: false, digits } => digits.parse().ok(),
        }
    }

    /// The nearest float, halves to even; infinite where Python raises an OverflowError.
    pub fn to_f64(&self) -> f64 {
        match self {
            Integer::Small(value) => *value as f64,
            Integer::Large { negative, digits } => {
                let size: f64 = digits.parse().expect("digits are a number");
                if *negative { -size } else { size }
            }
        }
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        match self {
            Integer::Small(value) => *value < 0,
            Integer::Large { negative, .. } => *negative,
        }
    }

    /// Python's `hash()` of it on a 64-bit machine: the remainder of its size by 2^61 - 1 with its sign, where -1 gives
    /// way to -2.
    pub fn python_hash(&self) -> i64 {
        let size = match self {
            Integer::Small(value) => value.unsigned_abs() % HASH_MODULUS,
            Integer::Large { digits, .. } => digits.bytes().fold(0, |remainder, digit| {
                let next = u128::from(remainder) * 10 + u128::from(digit - b'0');
                (next % u128::from(HASH_MODULUS)) as u64
            }),
        };
        let size = i64::try_from(size).expect("a remainder is below 2^61");
        match if self.is_negative() { -size } else { size } {
            -1 => -2,
            hash => hash,
        }
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        let size_order =
            |left: &str, right: &str| left.len().cmp(&right.len()).then_with(|| left.cmp(right));
        match (self, other) {
            (Integer::Small(left), Integer::Small(right)) => left.cmp(right),
            (Integer::Large { negative: true, .. }, Integer::Small(_))
            | (Integer::Small(_), Integer::Large { negative: false, .. }) => Ordering::Less,
            (Integer::Large { .. }, Integer::Small(_))
            | (Integer::Small(_), Integer::Large { .. }) => Ordering::Greater,
            (
                Integer::Large { negative: left_negative, digits: left },
                Integer::Large { negative: right_negative, digits: right },
            ) => match (left_negative, right_negative) {
                (false, false) => size_order(left, right),
                (true, true) => size_order(right, left),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            },
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Integer {
        Integer::Small(value)
    }
}

impl From<u64> for Integer {
    fn from(value: u64) -> Integer {
        Integer::from_digits(false, &value.to_string())
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Small(value) => write!(formatter, "{value}"),
            Integer::Large { negative, digits } => {
                write!(formatter, "{}{digits}", if *negative { "-" } else { "" })
            }
        }
    }
}

/// Python's `int(text)` in base ten.
///
/// Whitespace around the number, underscores between digits, a sign, leading zeros and the decimal digits of all
/// scripts are fine.
///
/// # Errors
/// Where Python raises a ValueError.
pub fn python_int(text: &str) -> Result<Integer, IntegerError> {
    let plain = plain_number(text).ok_or(IntegerError::NotAnInteger)?;
    let (negative, digits) = match plain.as_bytes().first() {
        Some(b'-') => (true, &plain[1..]),
        Some(b'+') => (false, &plain[1..]),
        _ => (false, &*plain),
    };
    let digits = without_underscores(digits).ok_or(IntegerError::NotAnInteger)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(IntegerError::NotAnInteger);
    }
    if digits.len() > MOST_DIGITS {
        return Err(IntegerError::TooManyDigits);
    }
    Ok(Integer::from_digits(negative, &digits))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn integer(text: &str) -> Integer {
        python_int(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn recorded_from_python() {
        // Text, str(int(text)), hash(int(text)).
        let cases = [
            ("0", "0", 0),
            ("-0", "0", 0),
            (" +007\n", "7", 7),
            ("-1", "-1", -2),
            ("1_000", "1000", 1000),
            ("１２\u{2028}", "12", 12),
            ("2305843009213693951", "2305843009213693951", 0),
            ("2305843009213693952", "2305843009213693952", 1),
            ("-2305843009213693952", "-2305843009213693952", -2),
            ("9223372036854775807", "9223372036854775807", 3),
            ("9223372036854775808", "9223372036854775808", 4),
            ("-9223372036854775808", "-9223372036854775808", -4),
            ("18446744073709551616", "18446744073709551616", 8),
            (
                "100000000000000000000000000000",
                "100000000000000000000000000000",
                968_863_072_241_352_051,
            ),
        ];
        for (text, written, hash) in cases {
            assert_eq!(integer(text).to_string(), written, "{text:?}");
            assert_eq!(integer(text).python_hash(), hash, "hash of {text:?}");
        }
        for text in [
            "",
            "-",
            "1.0",
            "1e5",
            "_1",
            "1_",
            "1__0",
            "0x1",
            "1 2",
            "- 5",
            "\x1c1",
            "²",
            "nan",
            "1\u{200b}",
        ] {
            assert_eq!(python_int(text), Err(IntegerError::NotAnInteger), "{text:?}");
        }
        assert!(python_int(&"9".repeat(4300)).is_ok());
        assert_eq!(python_int(&"0".repeat(4301)), Err(IntegerError::TooManyDigits));
    }

    #[test]
    fn conversions() {
        assert_eq!(integer("18446744073709551615").to_u64(), Some(u64::MAX));
        assert_eq!(integer("18446744073709551616").to_u64(), None);
        assert_eq!(integer("-9223372036854775808").to_i64(), Some(i64::MIN));
        assert_eq!(integer("-9223372036854775809").to_i64(), None);
        assert_eq!(integer("-9223372036854775809").to_f64(), -9_223_372_036_854_775_808.0);
        assert_eq!(integer(&"9".repeat(400)).to_f64(), f64::INFINITY);
        assert_eq!(Integer::from_float(-2.9), Some(Integer::Small(-2)));
        assert_eq!(Integer::from_float(1e20), Some(integer("100000000000000000000")));
        assert_eq!(Integer::from_float(f64::NAN), None);
        assert_eq!(Integer::from(u64::MAX), integer("18446744073709551615"));
    }

    proptest! {
        #[test]
        fn agrees_with_128_bits(left in any::<i128>(), right in any::<i128>()) {
            let (large_left, large_right) = (integer(&left.to_string()), integer(&right.to_string()));
            prop_assert_eq!(large_left.to_string(), left.to_string());
            prop_assert_eq!(large_left.cmp(&large_right), left.cmp(&right));
            prop_assert_eq!(large_left.to_i64(), i64::try_from(left).ok());
            prop_assert_eq!(large_left.to_u64(), u64::try_from(left).ok());
            prop_assert_eq!(large_left.to_f64(), left as f64);
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = python_int(&text);
        }
    }
}
