//! Python's `int()` of text, with integers of any size.

use std::cmp::Ordering;

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
    /// It as int64, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        todo!()
    }

    /// It as uint64, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        todo!()
    }

    /// The nearest float, halves to even; infinite where Python raises an OverflowError.
    pub fn to_f64(&self) -> f64 {
        todo!()
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        todo!()
    }

    /// Python's `hash()` of it on a 64-bit machine.
    pub fn python_hash(&self) -> i64 {
        todo!()
    }
}

impl Ord for Integer {
    fn cmp(&self, _other: &Integer) -> Ordering {
        todo!()
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Python's `int(text)` in base ten.
///
/// Whitespace around the number, underscores between digits, a sign, leading zeros and the decimal digits of all
/// scripts are fine.
///
/// # Errors
/// Where Python raises a ValueError.
pub fn python_int(_text: &str) -> Result<Integer, IntegerError> {
    todo!()
}
