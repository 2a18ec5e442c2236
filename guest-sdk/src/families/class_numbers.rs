//! Classes that are whole numbers, read as Python reads them.

use crate::failure::Failure;
use crate::frame::{Cell, Column};
use crate::metrics;
use crate::text::Integer;

/// The classes of a column as one array of integers, each read by `read`.
///
/// # Errors
/// Names the first row that `read` finds no integer in, or one of more than 64 bits.
pub fn class_numbers(
    column: &Column,
    read: impl Fn(Cell<'_>) -> Option<Integer>,
) -> Result<Column, Failure> {
    let mut classes = Vec::with_capacity(column.len());
    for (row, cell) in column.cells().enumerate() {
        let class = read(cell).and_then(|class| {
            class.to_i64().map(i128::from).or_else(|| class.to_u64().map(i128::from))
        });
        classes.push(
            class.ok_or_else(|| {
                column.unexpected(row, "the number of a class, of at most 64 bits")
            })?,
        );
    }
    metrics::integer_labels(column.name(), column.role(), &classes)
}
