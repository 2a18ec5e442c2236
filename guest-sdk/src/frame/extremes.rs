//! The smallest and largest value of a column, as pandas' `min()` and `max()`.

use std::cmp::Ordering;

use super::{Cell, Column, Values};
use crate::failure::Failure;

impl Column {
    /// pandas' `min()`: missing values are passed over; [`Cell::Missing`] where there is nothing else.
    ///
    /// # Errors
    /// Where Python does not order the values: text among numbers, or among missing values.
    pub fn minimum(&self) -> Result<Cell<'_>, Failure> {
        self.extreme(Ordering::Less)
    }

    /// pandas' `max()`, as [`Column::minimum`].
    ///
    /// # Errors
    /// As [`Column::minimum`].
    pub fn maximum(&self) -> Result<Cell<'_>, Failure> {
        self.extreme(Ordering::Greater)
    }

    /// The first of the values that come foremost in that direction.
    fn extreme(&self, foremost: Ordering) -> Result<Cell<'_>, Failure> {
        if let Values::Object(objects) = self.values() {
            // pandas puts an infinity in the place of a missing value, which no text is compared with.
            let texts = objects.iter().filter(|cell| cell.text().is_some()).count();
            if texts > 0 && texts < objects.len() {
                return Err(self.text_among_others());
            }
        }
        let mut found: Option<Cell<'_>> = None;
        for cell in self.cells().filter(|cell| !cell.is_missing()) {
            let better = match found {
                None => true,
                Some(found) => cell.python_cmp(found) == Some(foremost),
            };
            if better {
                found = Some(cell);
            }
        }
        Ok(found.unwrap_or(Cell::Missing))
    }

    fn text_among_others(&self) -> Failure {
        match self.first_missing() {
            Some(row) => self.failure_at(row, "the cell is empty, the others hold text"),
            None => self.unorderable(),
        }
    }
}
