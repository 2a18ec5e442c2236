//! Comparing two columns element by element, as numpy, Python lists and pandas' `equals` do.

use super::Column;

impl Column {
    /// The first row where `(a.values != b.values)` holds: numbers after numpy's promotion, object cells by Python's
    /// `!=` (a missing value differs from everything).
    ///
    /// # Panics
    /// Where the columns differ in length (in numpy: an error, unless one has a single row).
    pub fn first_difference(&self, _other: &Column) -> Option<usize> {
        todo!()
    }

    /// Whether `a.tolist() == b.tolist()`: the same length, and values equal as in Python lists, where the one object
    /// `numpy.nan` of object columns equals itself, but a NaN of a float column does not.
    pub fn same_list(&self, _other: &Column) -> bool {
        todo!()
    }

    /// Whether `a.equals(b)` as pandas says: the same type, the same length, equal values or both missing.
    pub fn equals(&self, _other: &Column) -> bool {
        todo!()
    }
}
