//! Several columns as one two-dimensional array, as `df[columns].to_numpy()`.

use super::{Cell, Column, Dtype, Role, Values};
use crate::failure::Failure;

/// A two-dimensional array of one type, column after column (as pandas lays it out).
#[derive(Debug, Clone)]
pub struct Matrix {
    columns: Vec<Column>,
    rows: usize,
    dtype: Dtype,
}

impl Matrix {
    /// `df[columns].to_numpy()`: the values of all columns brought to the one type that holds them. Truth values among
    /// numbers make objects; int64 and uint64 make float64.
    ///
    /// # Panics
    /// Where the columns differ in length, or there are none.
    pub fn from_columns(_columns: &[&Column]) -> Matrix {
        todo!()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The type of all values.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Whose file the columns came from.
    pub fn role(&self) -> Role {
        self.columns[0].role()
    }

    /// A column, converted to the common type; for names, messages and row numbers.
    ///
    /// # Panics
    /// Where there is no such column.
    pub fn column(&self, column: usize) -> &Column {
        &self.columns[column]
    }

    /// The values of a column.
    ///
    /// # Panics
    /// Where there is no such column.
    pub fn values(&self, column: usize) -> &Values {
        self.columns[column].values()
    }

    /// A value.
    ///
    /// # Panics
    /// Where there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        self.columns[column].cell(row)
    }

    /// `astype(float)` of the whole array: a vector a column.
    ///
    /// # Errors
    /// As [`Column::to_f64`].
    pub fn to_f64(&self) -> Result<Vec<std::borrow::Cow<'_, [f64]>>, Failure> {
        self.columns.iter().map(Column::to_f64).collect()
    }
}
