//! A column: one numpy array of one of pandas' types.

use std::rc::Rc;

use super::{Cell, Role};

/// The types that pandas infers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// 64-bit integers.
    Int64,
    /// 64-bit integers without sign.
    UInt64,
    /// 64-bit floats; NaN is a missing value.
    Float64,
    /// Truth values, none missing.
    Bool,
    /// Python objects: text, possibly among missing values, numbers and truth values.
    Object,
}

/// The values of an `object` column. Texts lie in one arena that reorderings share.
#[derive(Debug, Clone)]
pub struct Objects {
    arena: Rc<str>,
    cells: Vec<StoredCell>,
}

/// A cell without its text.
#[derive(Debug, Clone, Copy)]
enum StoredCell {
    Missing,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text { start: u32, length: u32 },
}

impl Objects {
    /// The number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cell of a row.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn get(&self, row: usize) -> Cell<'_> {
        match self.cells[row] {
            StoredCell::Missing => Cell::Missing,
            StoredCell::Bool(value) => Cell::Bool(value),
            StoredCell::Int(value) => Cell::Int(value),
            StoredCell::UInt(value) => Cell::UInt(value),
            StoredCell::Float(value) => Cell::Float(value),
            StoredCell::Text { start, length } => {
                Cell::Text(&self.arena[start as usize..start as usize + length as usize])
            }
        }
    }

    /// All cells in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cell<'_>> {
        (0..self.len()).map(|row| self.get(row))
    }
}

impl<'a> FromIterator<Cell<'a>> for Objects {
    fn from_iter<I: IntoIterator<Item = Cell<'a>>>(cells: I) -> Objects {
        let mut arena = String::new();
        let cells = cells
            .into_iter()
            .map(|cell| match cell {
                Cell::Missing => StoredCell::Missing,
                Cell::Bool(value) => StoredCell::Bool(value),
                Cell::Int(value) => StoredCell::Int(value),
                Cell::UInt(value) => StoredCell::UInt(value),
                Cell::Float(value) => StoredCell::Float(value),
                Cell::Text(text) => {
                    let start = arena.len() as u32;
                    arena.push_str(text);
                    StoredCell::Text { start, length: text.len() as u32 }
                }
            })
            .collect();
        Objects { arena: arena.into(), cells }
    }
}

/// The values of a column, as the numpy array that pandas would hold.
#[derive(Debug, Clone)]
pub enum Values {
    /// 64-bit integers.
    Int64(Vec<i64>),
    /// 64-bit integers without sign.
    UInt64(Vec<u64>),
    /// 64-bit floats; NaN is a missing value.
    Float64(Vec<f64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Python objects.
    Object(Objects),
}

/// A column of a table: a name, its values, and whose file it came from.
#[derive(Debug, Clone)]
pub struct Column {
    name: Rc<str>,
    role: Role,
    values: Values,
}

impl Column {
    /// A column of those values.
    pub fn new(name: &str, role: Role, values: Values) -> Column {
        Column { name: name.into(), role, values }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whose file it came from.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Its values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Int64(values) => values.len(),
            Values::UInt64(values) => values.len(),
            Values::Float64(values) => values.len(),
            Values::Bool(values) => values.len(),
            Values::Object(objects) => objects.len(),
        }
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its type.
    pub fn dtype(&self) -> Dtype {
        match self.values {
            Values::Int64(_) => Dtype::Int64,
            Values::UInt64(_) => Dtype::UInt64,
            Values::Float64(_) => Dtype::Float64,
            Values::Bool(_) => Dtype::Bool,
            Values::Object(_) => Dtype::Object,
        }
    }

    /// The value of a row, as a Python object.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        match &self.values {
            Values::Int64(values) => Cell::Int(values[row]),
            Values::UInt64(values) => i64::try_from(values[row]).map_or(Cell::UInt(values[row]), Cell::Int),
            Values::Float64(values) if values[row].is_nan() => Cell::Missing,
            Values::Float64(values) => Cell::Float(values[row]),
            Values::Bool(values) => Cell::Bool(values[row]),
            Values::Object(objects) => objects.get(row),
        }
    }
}
