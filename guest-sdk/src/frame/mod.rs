//! A CSV file as pandas 2.2.3 reads it with `read_csv(float_precision="round_trip")`.

mod cell;
mod column;

use crate::failure::Failure;
use crate::source::Source;

pub use cell::Cell;
pub use column::{Column, Dtype, Objects, Values};

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
#[derive(Debug)]
pub struct Frame {}

impl Frame {
    /// Reads a whole CSV file. With `columns`, the text of all other columns is read past and not kept (their names
    /// and the shape of the table are).
    ///
    /// # Errors
    /// A [`Failure`] of the file's role where pandas could not read it: rows of unequal length, bytes that are not UTF-8.
    pub fn read<S: Source>(_source: &S, _role: Role, _columns: Option<&[&str]>) -> Result<Frame, Failure> {
        todo!()
    }
}
