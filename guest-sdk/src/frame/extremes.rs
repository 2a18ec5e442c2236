//! The smallest and largest value of a column, as pandas' `min()` and `max()`.

use super::{Cell, Column};
use crate::failure::Failure;

impl Column {
    /// pandas' `min()`: missing values are passed over; [`Cell::Missing`] where there is nothing else.
    ///
    /// # Errors
    /// Where Python does not order the values: text among numbers, or among missing values.
    pub fn minimum(&self) -> Result<Cell<'_>, Failure> {
        todo!()
    }

    /// pandas' `max()`, as [`Column::minimum`].
    ///
    /// # Errors
    /// As [`Column::minimum`].
    pub fn maximum(&self) -> Result<Cell<'_>, Failure> {
        todo!()
    }
}
