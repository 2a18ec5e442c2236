//! A table as one line of text, for tests that are tables of cases.

use super::{Cell, Column, Frame};
use crate::failure::Failure;

/// `2 rows; labels …; name type value, value; …`, values as Python's `repr` prints them, or `unreadable`.
pub(super) fn printed(frame: &Result<Frame, Failure>) -> String {
    let Ok(frame) = frame else { return "unreadable".to_owned() };
    let mut parts = vec![format!("{} rows", frame.len())];
    if let Some(labels) = frame.row_labels() {
        parts.push(format!("labels {}", printed_values(labels)));
    }
    for column in frame.columns() {
        let dtype = printed_type(column);
        let space = if column.is_empty() { "" } else { " " };
        parts.push(format!("{} {dtype}{space}{}", column.name(), printed_values(column)));
    }
    parts.join("; ")
}

/// numpy's name of a column's type.
pub(super) fn printed_type(column: &Column) -> String {
    format!("{:?}", column.dtype()).to_lowercase()
}

/// The values as Python's `repr` prints them, text in plain quotes.
pub(super) fn printed_values(column: &Column) -> String {
    let values: Vec<String> = (0..column.len())
        .map(|row| match column.cell(row) {
            Cell::Text(text) => format!("'{text}'"),
            cell => cell.to_string(),
        })
        .collect();
    values.join(", ")
}
