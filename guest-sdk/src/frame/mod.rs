//! A CSV file as pandas 2.2.3 reads it with `read_csv(float_precision="round_trip")`.

mod align;
mod buffers;
mod cell;
mod cells;
mod column;
mod compare;
mod convert;
mod extremes;
mod group;
mod key;
mod kind;
mod header;
mod inference;
mod matrix;
mod to_numeric;
mod number;
mod objects;
mod requirements;
mod set;
mod sort;
mod space;
mod table;
mod tokenizer;

use std::cell::OnceCell;
use std::rc::Rc;

use self::table::Table;
use crate::failure::Failure;
use crate::source::{Bytes, Source};

pub use align::{align_on, require_same_ids, require_same_length};
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

/// A table: the columns of a CSV file, all its rows or some of them.
///
/// A column is typed when it is asked for, always over all rows of the file; selections and reorderings share the texts
/// and the types. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Frame {
    table: Rc<Table>,
    selection: Option<Rc<Selection>>,
}

/// Rows of a table in some order, and the columns of these as far as they were asked for.
#[derive(Debug)]
struct Selection {
    rows: Vec<u32>,
    file_rows: FileRows,
    columns: Vec<OnceCell<Column>>,
    labels: OnceCell<Column>,
}

impl Frame {
    /// Reads a whole CSV file. With `columns`, the text of all other columns is read past and not kept (their names
    /// and the shape of the table are).
    ///
    /// An empty file is a table without columns and rows.
    ///
    /// # Errors
    /// A [`Failure`] of the file's role where pandas could not read it: a row longer than those before it, a quote that
    /// is never closed, bytes that are not UTF-8.
    pub fn read<S: Source>(
        source: &S,
        role: Role,
        columns: Option<&[&str]>,
    ) -> Result<Frame, Failure> {
        Ok(Frame { table: Rc::new(Table::read(source, role, columns)?), selection: None })
    }

    /// Reads a CSV file that is given as text; its name is `submission.csv` or `answers.csv`.
    ///
    /// # Errors
    /// As [`Frame::read`].
    pub fn from_text(role: Role, text: &str) -> Result<Frame, Failure> {
        let name = match role {
            Role::Submission => "submission.csv",
            Role::Answers => "answers.csv",
        };
        Frame::read(&Bytes::new(name, text), role, None)
    }

    /// Whose file this is.
    pub fn role(&self) -> Role {
        self.table.role()
    }

    /// The name of the file, without any folder.
    pub fn name(&self) -> &str {
        self.table.name()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.selection.as_ref().map_or(self.table.rows(), |selection| selection.rows.len())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the columns, in the order of the file.
    pub fn column_names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.table.width()).map(|index| self.table.column_name(index))
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.table.find(name).is_some()
    }

    /// The column of that name, typed.
    ///
    /// # Errors
    /// A failure of the file's role where there is no such column; it lists those there are.
    ///
    /// # Panics
    /// Where the text of the column was not kept by [`Frame::read`].
    pub fn column(&self, name: &str) -> Result<&Column, Failure> {
        match self.table.find(name) {
            Some(index) => Ok(self.column_at(index)),
            None => Err(self.missing_columns(&[name])),
        }
    }

    /// All columns, typed, in the order of the file.
    ///
    /// # Panics
    /// As [`Frame::column`], when the iterator comes to such a column.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &Column> {
        (0..self.table.width()).map(|index| self.column_at(index))
    }

    /// The text of a cell as it stands in the file (without quotes); empty for a cell that a short row does not have.
    /// `None` where there is no such column or row, or the column's text was not kept.
    pub fn cell_text(&self, name: &str, row: usize) -> Option<&str> {
        let index = self.table.find(name)?;
        let row = match &self.selection {
            None => row,
            Some(selection) => *selection.rows.get(row)? as usize,
        };
        self.table.cell_text(index, row)
    }

    /// The data row of the file that a row is, counted from 1.
    pub fn file_row(&self, row: usize) -> usize {
        self.selection.as_ref().map_or(row + 1, |selection| selection.file_rows.number(row))
    }

    /// The labels of the rows, where the rows of the file are longer than its header: pandas then takes the fields
    /// that come before the columns for labels (this is the first of them). `None` where rows are numbered from 0.
    pub fn row_labels(&self) -> Option<&Column> {
        let labels = self.table.labels()?;
        Some(match &self.selection {
            None => labels,
            Some(selection) => selection.column(&selection.labels, labels),
        })
    }

    /// The rows of those positions, in that order. No text is copied, and types stay those of the whole file.
    ///
    /// # Panics
    /// Where there is no such row.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Frame {
        let (rows, file_rows) = match &self.selection {
            None => {
                let length = self.len();
                assert!(rows.iter().all(|row| (*row as usize) < length), "a row is not there");
                (rows.to_vec(), FileRows::default().take(rows))
            }
            Some(selection) => (
                rows.iter().map(|row| selection.rows[*row as usize]).collect(),
                selection.file_rows.take(rows),
            ),
        };
        let columns = (0..self.table.width()).map(|_| OnceCell::new()).collect();
        let selection = Selection { rows, file_rows, columns, labels: OnceCell::new() };
        Frame { table: Rc::clone(&self.table), selection: Some(Rc::new(selection)) }
    }

    /// The rows where `keep` is true.
    ///
    /// # Panics
    /// Where `keep` is not as long as the table.
    #[must_use]
    pub fn filter(&self, keep: &[bool]) -> Frame {
        assert_eq!(keep.len(), self.len(), "one entry a row");
        self.take(&column::kept_rows(keep))
    }

    /// The rows in the order of a column, as `DataFrame.sort_values` gives them.
    ///
    /// # Errors
    /// A failure of the file's role where there is no such column, or it holds values that have no order.
    pub fn sort_by(&self, name: &str) -> Result<Frame, Failure> {
        Ok(self.take(&self.column(name)?.argsort()?))
    }

    fn column_at(&self, index: usize) -> &Column {
        let column = self.table.column(index);
        match &self.selection {
            None => column,
            Some(selection) => selection.column(&selection.columns[index], column),
        }
    }
}

impl Selection {
    fn column<'a>(&'a self, taken: &'a OnceCell<Column>, whole: &Column) -> &'a Column {
        taken.get_or_init(|| whole.take_as(&self.rows, self.file_rows.clone()))
    }
}
