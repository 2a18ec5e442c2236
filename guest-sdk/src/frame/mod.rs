//! A CSV file as pandas 2.2.3 reads it with `read_csv(float_precision="round_trip")`.

mod align;
mod cell;
mod column;
mod compare;
mod convert;
mod extremes;
mod matrix;
mod objects;
mod set;
mod sort;

use crate::failure::Failure;
use crate::source::Source;

pub use align::align_on;
pub use cell::Cell;
pub use column::{Column, Dtype, FileRows, Values};
pub use matrix::Matrix;
pub use objects::Objects;
pub use set::CellSet;

/// Whose file a table was read from; says whose fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The submission: its faults are the submitter's.
    Submission,
    /// The answers: their faults are the data's.
    Answers,
}

impl Role {
    /// A failure of whoever is behind a file of this role.
    pub fn failure(self, message: impl Into<String>) -> Failure {
        match self {
            Role::Submission => Failure::submission(message),
            Role::Answers => Failure::answers(message),
        }
    }
}

/// A table.
#[derive(Debug, Clone)]
pub struct Frame {}

impl Frame {
    /// Reads a whole CSV file. With `columns`, the text of all other columns is read past and not kept (their names
    /// and the shape of the table are).
    ///
    /// # Errors
    /// A [`Failure`] of the file's role where pandas could not read it: rows of unequal length, bytes that are not UTF-8.
    pub fn read<S: Source>(
        _source: &S,
        _role: Role,
        _columns: Option<&[&str]>,
    ) -> Result<Frame, Failure> {
        todo!()
    }

    /// Reads a CSV file that is given as text.
    ///
    /// # Errors
    /// As [`Frame::read`].
    pub fn from_text(_role: Role, _text: &str) -> Result<Frame, Failure> {
        todo!()
    }

    /// Whose file this is.
    pub fn role(&self) -> Role {
        todo!()
    }

    /// The name of the file, without any folder.
    pub fn name(&self) -> &str {
        todo!()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the columns, in the order of the file.
    pub fn column_names(&self) -> impl ExactSizeIterator<Item = &str> {
        std::iter::empty()
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.column_names().any(|column| column == name)
    }

    /// The column of that name, typed.
    ///
    /// # Errors
    /// A failure of the file's role where there is no such column.
    pub fn column(&self, _name: &str) -> Result<&Column, Failure> {
        todo!()
    }

    /// All columns, typed, in the order of the file.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &Column> {
        std::iter::empty()
    }

    /// The text of a cell as it stands in the file (without quotes); `None` where there is no such column or row, or
    /// the column's text was not kept.
    pub fn cell_text(&self, _name: &str, _row: usize) -> Option<&str> {
        todo!()
    }

    /// The labels of the rows, where the rows of the file are longer than its header by one: pandas then takes the
    /// first field of each row for its label. `None` where rows are numbered from 0.
    pub fn row_labels(&self) -> Option<&Column> {
        todo!()
    }

    /// The rows of those positions, in that order. No text is copied, and types stay those of the whole file.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn take(&self, _rows: &[u32]) -> Frame {
        todo!()
    }

    /// The rows where `keep` is true.
    ///
    /// # Panics
    /// Where `keep` is not as long as the table.
    pub fn filter(&self, _keep: &[bool]) -> Frame {
        todo!()
    }

    /// The rows in the order of a column, as `DataFrame.sort_values` gives them.
    ///
    /// # Errors
    /// A failure of the file's role where there is no such column, or it holds values that have no order.
    pub fn sort_by(&self, _name: &str) -> Result<Frame, Failure> {
        todo!()
    }

    /// Checks that these columns are there.
    ///
    /// # Errors
    /// A failure of the file's role that names the columns that are missing.
    pub fn require_columns(&self, _names: &[&str]) -> Result<(), Failure> {
        todo!()
    }

    /// Checks that these columns are there, in any order, and no others.
    ///
    /// # Errors
    /// A failure of the file's role that names the columns that are missing and those that are not expected.
    pub fn require_exact_columns(&self, _names: &[&str]) -> Result<(), Failure> {
        todo!()
    }
}
