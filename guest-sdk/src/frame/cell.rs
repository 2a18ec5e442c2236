//! One value of a column, as Python would hold it, with Python's equality, order and `str()`.

use std::cmp::Ordering;
use std::fmt;

use crate::text::python_float_repr;

/// One value of a column, as the Python object that pandas holds in an `object` column (or hands out of a typed one).
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    /// A missing value: `float('nan')`, the one object `numpy.nan` in object columns.
    Missing,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits int64.
    Int(i64),
    /// An integer that fits uint64, but not int64.
    UInt(u64),
    /// A float; in object columns a NaN is [`Cell::Missing`] unless it is another object than `numpy.nan`.
    Float(f64),
    /// Text.
    Text(&'a str),
}

/// A cell that is not text, as a number.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
}

impl<'a> Cell<'a> {
    /// Whether it is a NaN, which is what a missing value is.
    pub fn is_missing(self) -> bool {
        match self {
            Cell::Missing => true,
            Cell::Float(value) => value.is_nan(),
            _ => false,
        }
    }

    /// The text, if it is text.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Python's `==`: numbers and truth values by exact value across their types, text by its characters, text never
    /// equal to a number, NaN equal to nothing.
    pub fn equals(self, other: Cell<'_>) -> bool {
        match (self, other) {
            (Cell::Text(left), Cell::Text(right)) => same_bytes(left.as_bytes(), right.as_bytes()),
            (Cell::Text(_), _) | (_, Cell::Text(_)) => false,
            _ => match (self.number(), other.number()) {
                (Ok(left), Ok(right)) => compare_numbers(left, right) == Some(Ordering::Equal),
                _ => false,
            },
        }
    }

    /// Python's `is` or `==`, which is how lists, sets and `in` compare the cells of object columns: as
    /// [`Cell::equals`], and [`Cell::Missing`] equals itself.
    pub fn is_or_equals(self, other: Cell<'_>) -> bool {
        matches!((self, other), (Cell::Missing, Cell::Missing)) || self.equals(other)
    }

    /// Python's order of two values; `None` where Python raises a TypeError, which is between text and anything else.
    ///
    /// NaN is neither less nor greater than any number; like numpy's sort, which asks for no more, this calls it equal.
    pub fn python_cmp(self, other: Cell<'_>) -> Option<Ordering> {
        match (self.number(), other.number()) {
            (Ok(left), Ok(right)) => Some(compare_numbers(left, right).unwrap_or(Ordering::Equal)),
            // The order of UTF-8 bytes is the order of code points.
            (Err(left), Err(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
            _ => None,
        }
    }

    /// What it is, for messages: `` `text` ``, `12.5`, `an empty cell`.
    pub fn describe(self) -> String {
        const LONGEST: usize = 80;
        match self {
            Cell::Text(text) if text.chars().nth(LONGEST).is_some() => {
                let start: String = text.chars().take(LONGEST).collect();
                format!("`{start}…` ({} characters)", text.chars().count())
            }
            Cell::Text(text) => format!("`{text}`"),
            cell if cell.is_missing() => "an empty cell".to_owned(),
            cell => cell.to_string(),
        }
    }

    /// The kind of value, for messages that must not tell the value: `a text`, `a number`, `an empty cell`.
    pub fn kind(self) -> &'static str {
        match self {
            Cell::Text(_) => "a text",
            Cell::Bool(_) => "a truth value",
            cell if cell.is_missing() => "an empty cell",
            _ => "a number",
        }
    }

    fn number(self) -> Result<Number, &'a str> {
        Ok(match self {
            Cell::Missing => Number::Float(f64::NAN),
            Cell::Bool(value) => Number::Integer(value.into()),
            Cell::Int(value) => Number::Integer(value.into()),
            Cell::UInt(value) => Number::Integer(value.into()),
            Cell::Float(value) => Number::Float(value),
            Cell::Text(text) => return Err(text),
        })
    }
}

/// Compares by exact value: an integer is not rounded to a float first. `None` where one is NaN.
fn compare_numbers(left: Number, right: Number) -> Option<Ordering> {
    match (left, right) {
        (Number::Integer(left), Number::Integer(right)) => Some(left.cmp(&right)),
        (Number::Float(left), Number::Float(right)) => left.partial_cmp(&right),
        (Number::Integer(left), Number::Float(right)) => compare_integer_with_float(left, right),
        (Number::Float(left), Number::Integer(right)) => {
            compare_integer_with_float(right, left).map(Ordering::reverse)
        }
    }
}

/// The integer is one of int64 or uint64.
fn compare_integer_with_float(integer: i128, float: f64) -> Option<Ordering> {
    const BEYOND_UINT64: f64 = 18_446_744_073_709_551_616.0;
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND_UINT64 {
        return Some(Ordering::Less);
    }
    if float <= -BEYOND_UINT64 {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    // Truncated to whole, it is exact as i128; what was cut off decides among equals.
    Some(
        integer
            .cmp(&(whole as i128))
            .then_with(|| whole.partial_cmp(&float).unwrap_or(Ordering::Equal)),
    )
}

impl From<u64> for Cell<'_> {
    /// The integer in the variant that its size asks for.
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Cell::UInt(value), Cell::Int)
    }
}

/// Python's `str()`.
impl fmt::Display for Cell<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Cell::Missing => formatter.write_str("nan"),
            Cell::Bool(true) => formatter.write_str("True"),
            Cell::Bool(false) => formatter.write_str("False"),
            Cell::Int(value) => write!(formatter, "{value}"),
            Cell::UInt(value) => write!(formatter, "{value}"),
            Cell::Float(value) => formatter.write_str(&python_float_repr(value)),
            Cell::Text(text) => formatter.write_str(text),
        }
    }
}

/// Whether two texts are the same, eight bytes at a time: WebAssembly's own comparison goes byte by byte, and ids are
/// compared by the million.
#[inline]
pub(super) fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    match (left.last_chunk(), right.last_chunk()) {
        // The last eight bytes overlap with the chunks before.
        (Some(left_end), Some(right_end)) => {
            word(left_end) == word(right_end)
                && left
                    .as_chunks()
                    .0
                    .iter()
                    .zip(right.as_chunks().0)
                    .all(|(left, right)| word(left) == word(right))
        }
        _ => left.iter().zip(right).all(|(left, right)| left == right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: f64 = 9_007_199_254_740_992.0;

    #[test]
    fn equality_and_order_are_pythons() {
        use Cell::{Bool, Float, Int, Missing, Text, UInt};
        let (less, equal, greater) =
            (Some(Ordering::Less), Some(Ordering::Equal), Some(Ordering::Greater));
        // Left, right, left == right, the order (None is a TypeError).
        let cases = [
            (Int(1), Float(1.0), true, equal),
            (Int(1), Bool(true), true, equal),
            (Float(0.0), Bool(false), true, equal),
            (Float(0.0), Float(-0.0), true, equal),
            (Int(1), Text("1"), false, None),
            (Missing, Text("nan"), false, None),
            (Missing, Missing, false, equal),
            (Missing, Int(3), false, equal),
            (Int((1 << 53) + 1), Float(LARGE), false, greater),
            (Float(LARGE), Int((1 << 53) + 1), false, less),
            (Int(1 << 53), Float(LARGE), true, equal),
            (Int(-1), UInt(u64::MAX), false, less),
            (UInt(1 << 63), Float(9_223_372_036_854_775_808.0), true, equal),
            (UInt(u64::MAX), Float(18_446_744_073_709_551_616.0), false, less),
            (Int(i64::MIN), Float(-9_223_372_036_854_775_808.0), true, equal),
            (Int(i64::MIN), Float(f64::NEG_INFINITY), false, greater),
            (Int(2), Float(2.5), false, less),
            (Int(-2), Float(-2.5), false, greater),
            (Text("Z"), Text("a"), false, less),
            (Text("a"), Text("ab"), false, less),
            (Text("\u{ffff}"), Text("\u{10000}"), false, less),
        ];
        for (left, right, equals, order) in cases {
            assert_eq!(left.equals(right), equals, "{left:?} == {right:?}");
            assert_eq!(left.python_cmp(right), order, "{left:?} <=> {right:?}");
            assert_eq!(
                right.python_cmp(left),
                order.map(Ordering::reverse),
                "{right:?} <=> {left:?}"
            );
        }
        assert!(Missing.is_or_equals(Missing));
        assert!(!Float(f64::NAN).is_or_equals(Missing));
    }

    #[test]
    fn text_is_pythons() {
        let cases = [
            (Cell::Missing, "nan"),
            (Cell::Bool(true), "True"),
            (Cell::Bool(false), "False"),
            (Cell::Int(-7), "-7"),
            (Cell::UInt(u64::MAX), "18446744073709551615"),
            (Cell::Float(7.0), "7.0"),
            (Cell::Float(1e20), "1e+20"),
            (Cell::Text(" x"), " x"),
        ];
        for (cell, text) in cases {
            assert_eq!(cell.to_string(), text);
        }
    }

    #[test]
    fn messages_cut_long_text() {
        assert_eq!(Cell::Text("dog").describe(), "`dog`");
        assert_eq!(Cell::Missing.describe(), "an empty cell");
        let long = "é".repeat(90);
        assert_eq!(Cell::Text(&long).describe(), format!("`{}…` (90 characters)", "é".repeat(80)));
    }

    #[test]
    fn bytes_are_compared_to_the_last() {
        let text: Vec<u8> = (0..40).collect();
        for length in 0..text.len() {
            let left = &text[..length];
            let copied = left.to_vec();
            assert!(same_bytes(left, &copied));
            assert!(!same_bytes(left, &text[..length + 1]));
            for changed in 0..length {
                let mut right = left.to_vec();
                right[changed] ^= 0x80;
                assert!(!same_bytes(left, &right), "byte {changed} of {length}");
            }
        }
    }
}
