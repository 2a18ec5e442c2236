//! Masks in the cells of a column.

use super::{Mask, decode};
use crate::failure::Failure;
use crate::frame::{Cell, Column, Role};

/// What an empty cell stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyCell {
    /// The mask without pixels.
    EmptyMask,
    /// A mistake.
    Refused,
}

/// Reads the mask in a row of a column; see [`decode`] for what is accepted.
///
/// # Errors
/// A failure of the column's side where the cell holds a number instead of text (which is how a column reads that holds
/// nothing but single numbers), is empty where that is refused, or is no mask of an image of that many pixels.
///
/// # Panics
/// Where there is no such row.
pub fn decode_cell(
    column: &Column,
    row: usize,
    pixels: u64,
    empty: EmptyCell,
) -> Result<Mask, Failure> {
    match column.cell(row) {
        Cell::Text(text) => decode(text, pixels).map_err(|error| match column.role() {
            Role::Submission => column.failure_at(row, error),
            // Of the answers, not even a wrong token is told.
            Role::Answers => column.failure_at(row, "not a run-length encoded mask"),
        }),
        cell if cell.is_missing() && empty == EmptyCell::EmptyMask => Ok(Mask::empty()),
        _ => {
            Err(column.unexpected(row, "a mask, as text of the form `start length start length …`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Values;

    fn column(role: Role, cells: &[Cell<'_>]) -> Column {
        Column::new("rle", role, Values::Object(cells.iter().copied().collect()))
    }

    #[test]
    fn cells_are_masks_or_failures() {
        let cells = [Cell::Text("1 3"), Cell::Missing, Cell::Int(7), Cell::Text("3 x")];
        let column = column(Role::Submission, &cells);
        let decoded = |row, empty| decode_cell(&column, row, 9, empty).map(|mask| mask.area());
        assert_eq!(decoded(0, EmptyCell::Refused), Ok(3));
        assert_eq!(decoded(1, EmptyCell::EmptyMask), Ok(0));
        let message = |row| decoded(row, EmptyCell::Refused).unwrap_err().message().to_owned();
        assert!(
            message(1).starts_with("column `rle`, row 2: expected a mask, as text of the form")
        );
        assert!(message(2).ends_with("found 7"));
        assert_eq!(message(3), "column `rle`, row 4: token 2, `x`, is not an integer");
    }

    #[test]
    fn answers_are_not_told() {
        let column = column(Role::Answers, &[Cell::Text("3 secret")]);
        let failure = decode_cell(&column, 0, 9, EmptyCell::Refused).unwrap_err();
        assert!(!failure.message().contains("secret"), "{failure}");
    }
}
