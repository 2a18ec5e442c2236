//! What is checked of probabilities before anything is made of them.

use crate::failure::Failure;
use crate::frame::Column;

/// Checks that a column holds numbers between 0 and 1 and nothing else. Truth values count as numbers.
///
/// # Errors
/// A failure of the column's role that names a row that holds something else.
pub fn require_probabilities(column: &Column) -> Result<(), Failure> {
    match column.first_outside(0.0, 1.0)? {
        None => Ok(()),
        Some(row) => Err(column.unexpected(row, "a probability between 0 and 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Cell, Role, Values};

    #[test]
    fn truth_values_are_probabilities_also_among_numbers() {
        let check = |cells: &[Cell<'_>]| {
            let objects = Values::Object(cells.iter().copied().collect());
            let column = Column::new("p", Role::Submission, objects);
            require_probabilities(&column).map_err(|failure| failure.message().to_owned())
        };
        let refused = |message: &str| Err(format!("column `p`, {message}"));
        let expected = "expected a probability between 0 and 1, found";
        let yes = Cell::Bool(true);
        assert_eq!(check(&[yes, Cell::Float(0.5), Cell::Int(0)]), Ok(()));
        assert_eq!(
            check(&[yes, Cell::Missing]),
            refused(&format!(
                "row 2: {expected} an empty cell (or a word such as NaN or NA, which is read as one)"
            ))
        );
        assert_eq!(check(&[Cell::Int(2), yes]), refused(&format!("row 1: {expected} 2")));
        assert_eq!(
            check(&[Cell::Text("0"), Cell::Text("none")]),
            refused("row 2: expected a number, found `none`")
        );
    }
}
