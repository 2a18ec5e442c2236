//! Several columns as one two-dimensional array, as `df[columns].to_numpy()`.

use std::borrow::Cow;

use super::{Cell, Column, Dtype, Role, Values};
use crate::failure::Failure;

/// A two-dimensional array of one type, column after column (as pandas lays it out).
#[derive(Debug, Clone)]
pub struct Matrix {
    columns: Vec<Column>,
    dtype: Dtype,
}

impl Matrix {
    /// `df[columns].to_numpy()`: the values of all columns brought to the one type that holds them. Truth values among
    /// numbers make objects; int64 and uint64 make float64.
    ///
    /// # Panics
    /// Where the columns differ in length, or there are none.
    pub fn from_columns(columns: &[&Column]) -> Matrix {
        assert!(
            columns.windows(2).all(|pair| pair[0].len() == pair[1].len()),
            "the columns of a matrix have one length"
        );
        let dtype = columns.iter().map(|column| column.dtype()).reduce(common_dtype);
        let dtype = dtype.expect("a matrix has a column");
        let columns = columns.iter().map(|column| converted(column, dtype)).collect();
        Matrix { columns, dtype }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns[0].len()
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

    /// All columns, converted to the common type.
    pub fn columns(&self) -> &[Column] {
        &self.columns
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
    pub fn to_f64(&self) -> Result<Vec<Cow<'_, [f64]>>, Failure> {
        self.columns.iter().map(Column::to_f64).collect()
    }
}

/// The type that holds values of both, as pandas finds it.
fn common_dtype(left: Dtype, right: Dtype) -> Dtype {
    match (left, right) {
        (left, right) if left == right => left,
        (Dtype::Object | Dtype::Bool, _) | (_, Dtype::Object | Dtype::Bool) => Dtype::Object,
        _ => Dtype::Float64,
    }
}

fn converted(column: &Column, dtype: Dtype) -> Column {
    let values = match (column.values(), dtype) {
        (Values::Int64(values), Dtype::Float64) => {
            Values::Float64(values.iter().map(|value| *value as f64).collect())
        }
        (Values::UInt64(values), Dtype::Float64) => {
            Values::Float64(values.iter().map(|value| *value as f64).collect())
        }
        (_, Dtype::Object) if column.dtype() != Dtype::Object => column.to_objects(),
        _ => return column.clone(),
    };
    column.with_values(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_type_holds_all() {
        let integers = || Values::Int64(vec![1]);
        let cases = [
            (integers(), integers(), Dtype::Int64, "1"),
            (integers(), Values::UInt64(vec![2]), Dtype::Float64, "1.0"),
            (integers(), Values::Float64(vec![0.5]), Dtype::Float64, "1.0"),
            (integers(), Values::Bool(vec![true]), Dtype::Object, "1"),
            (Values::Bool(vec![true]), Values::Bool(vec![false]), Dtype::Bool, "True"),
            (
                integers(),
                Values::Object([Cell::Text("a")].into_iter().collect()),
                Dtype::Object,
                "1",
            ),
        ];
        for (first, second, dtype, text) in cases {
            let first = Column::new("a", Role::Submission, first);
            let second = Column::new("b", Role::Submission, second);
            let matrix = Matrix::from_columns(&[&first, &second]);
            assert_eq!((matrix.rows(), matrix.width(), matrix.dtype()), (1, 2, dtype));
            assert_eq!(matrix.cell(0, 0).to_string(), text);
            assert!(matrix.columns().iter().all(|column| column.dtype() == dtype));
        }
    }
}
