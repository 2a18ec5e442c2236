//! What stands for a cell in a hash table: equal exactly where Python and pandas call the cells equal.

use super::Cell;

/// A cell as the key of a hash table. Numbers and truth values of equal value are one key, whatever their types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key<'a> {
    /// Any NaN: pandas' hash tables hold them as one; whoever follows Python's sets keeps them apart.
    Missing,
    /// A whole number that fits int64.
    Int(i64),
    /// A whole number that fits uint64, but not int64.
    UInt(u64),
    /// The bits of any other float.
    Float(u64),
    /// Text.
    Text(&'a str),
}

impl<'a> Key<'a> {
    /// The key of a cell.
    pub(super) fn of(cell: Cell<'a>) -> Key<'a> {
        match cell {
            Cell::Missing => Key::Missing,
            Cell::Bool(value) => Key::Int(value.into()),
            Cell::Int(value) => Key::Int(value),
            Cell::UInt(value) => Key::of_unsigned(value),
            Cell::Float(value) => Key::of_float(value),
            Cell::Text(text) => Key::Text(text),
        }
    }

    /// The key of an integer without sign.
    pub(super) fn of_unsigned(value: u64) -> Key<'a> {
        i64::try_from(value).map_or(Key::UInt(value), Key::Int)
    }

    /// The key of a float.
    pub(super) fn of_float(value: f64) -> Key<'a> {
        const BEYOND_INT64: f64 = 9_223_372_036_854_775_808.0;
        const BEYOND_UINT64: f64 = 18_446_744_073_709_551_616.0;
        if value.is_nan() {
            Key::Missing
        } else if value.trunc() != value {
            Key::Float(value.to_bits())
        } else if (-BEYOND_INT64..BEYOND_INT64).contains(&value) {
            Key::Int(value as i64)
        } else if (BEYOND_INT64..BEYOND_UINT64).contains(&value) {
            Key::UInt(value as u64)
        } else {
            Key::Float(value.to_bits())
        }
    }
}
