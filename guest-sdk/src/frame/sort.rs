//! Sorting rows by a column as pandas' `sort_values` does, the order among equal keys included.

use super::Column;
use crate::failure::Failure;

impl Column {
    /// The rows in the order of `DataFrame.sort_values(column)`: ascending, missing values last in their order, equal
    /// values in the order that numpy's introsort leaves them in (without AVX-512).
    ///
    /// # Errors
    /// Where text and numbers are mixed, which Python does not order.
    pub fn argsort(&self) -> Result<Vec<u32>, Failure> {
        todo!()
    }

    /// The rows in ascending order, equal values in their order, missing values last:
    /// `sort_values(column, kind="stable")`.
    ///
    /// # Errors
    /// Where text and numbers are mixed, which Python does not order.
    pub fn argsort_stable(&self) -> Result<Vec<u32>, Failure> {
        todo!()
    }

    /// The column with its own values in the order of [`Column::argsort`].
    ///
    /// # Errors
    /// As [`Column::argsort`].
    pub fn sorted(&self) -> Result<Column, Failure> {
        Ok(self.take(&self.argsort()?))
    }
}
