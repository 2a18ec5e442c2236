//! One value of a column, as Python would hold it.

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
    /// A float; in object columns a NaN is [`Cell::Missing`].
    Float(f64),
    /// Text.
    Text(&'a str),
}
