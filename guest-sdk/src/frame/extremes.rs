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
            let texts = (0..objects.len()).filter(|row| objects.is_text(*row)).count();
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

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    fn extremes(values: Values) -> Result<(String, String), Failure> {
        let column = Column::new("x", Role::Submission, values);
        Ok((column.minimum()?.to_string(), column.maximum()?.to_string()))
    }

    fn objects(cells: &[Cell<'_>]) -> Values {
        Values::Object(cells.iter().copied().collect())
    }

    #[test]
    fn missing_values_are_passed_over() {
        let cases = [
            (Values::Float64(vec![f64::NAN, 2.0, -1.0]), "-1.0", "2.0"),
            (Values::Float64(vec![f64::NAN]), "nan", "nan"),
            (Values::Bool(vec![true, false]), "False", "True"),
            (Values::UInt64(vec![u64::MAX, 0]), "0", "18446744073709551615"),
            (objects(&[]), "nan", "nan"),
            (objects(&[Cell::Text("b"), Cell::Text("a")]), "a", "b"),
            (objects(&[Cell::Missing, Cell::Int(2), Cell::Float(0.5)]), "0.5", "2"),
        ];
        for (values, minimum, maximum) in cases {
            assert_eq!(extremes(values), Ok((minimum.to_owned(), maximum.to_owned())));
        }
    }

    #[test]
    fn text_is_not_compared_with_anything_else() {
        let failure = extremes(objects(&[Cell::Text("a"), Cell::Missing])).unwrap_err();
        assert_eq!(failure.message(), "column `x`, row 2: the cell is empty, the others hold text");
        let failure = extremes(objects(&[Cell::Int(1), Cell::Text("a")])).unwrap_err();
        assert_eq!(
            failure.message(),
            "column `x`, row 2: text and numbers are mixed and cannot be sorted: here is a text, in row 1 a number"
        );
    }
}
