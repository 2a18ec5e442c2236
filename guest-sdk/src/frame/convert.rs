//! Conversions of columns: pandas' `astype`, `to_numeric`, `fillna`, `isnull`, and the `.str` accessor's rules.

use std::borrow::Cow;

use super::{Cell, Column};
use crate::failure::Failure;

impl Column {
    /// `astype(float)`: each text by Python's `float()`, truth values as 0 and 1.
    ///
    /// # Errors
    /// Where a text is no number.
    pub fn to_f64(&self) -> Result<Cow<'_, [f64]>, Failure> {
        todo!()
    }

    /// `astype(int)`: each text by Python's `int()`, floats cut off toward zero.
    ///
    /// # Errors
    /// Where a value is missing, infinite or beyond int64, or a text is no integer.
    pub fn to_i64(&self) -> Result<Cow<'_, [i64]>, Failure> {
        todo!()
    }

    /// `pandas.to_numeric(column)`.
    ///
    /// # Errors
    /// Where a text is no number by pandas' rules, which are stricter than Python's `float()`.
    pub fn to_numeric(&self) -> Result<Column, Failure> {
        todo!()
    }

    /// `astype(str)`: a column of texts, each Python's `str()` of the value; a missing one is `nan`.
    #[must_use]
    pub fn as_text(&self) -> Column {
        todo!()
    }

    /// `fillna(value)`.
    #[must_use]
    pub fn fill_missing(&self, _value: Cell<'_>) -> Column {
        todo!()
    }

    /// Whether the value of a row is missing.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn is_missing(&self, row: usize) -> bool {
        self.cell(row).is_missing()
    }

    /// The first row with a missing value.
    pub fn first_missing(&self) -> Option<usize> {
        todo!()
    }

    /// Whether any value is missing: `isnull().any()`.
    pub fn has_missing(&self) -> bool {
        self.first_missing().is_some()
    }

    /// Succeeds where the `.str` accessor works: an object column with text in it, or with nothing but missing values.
    /// Cells that are not text give a missing value there.
    ///
    /// # Errors
    /// Where pandas raises an AttributeError: columns of numbers or truth values, also as objects.
    pub fn require_text(&self) -> Result<(), Failure> {
        todo!()
    }
}
