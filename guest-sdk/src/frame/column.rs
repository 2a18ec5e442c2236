//! A column: one numpy array of one of pandas' types, with its name and whose file it came from.

use std::cell::OnceCell;
use std::rc::Rc;

use super::sort::Order;
use super::table::Table;
use super::{Cell, Objects, Role};
use crate::by_eights;
use crate::failure::Failure;

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

impl Dtype {
    /// Whether it is int64, uint64 or float64: what `numpy.issubdtype(dtype, numpy.number)` says. Bool is not.
    pub fn is_number(self) -> bool {
        matches!(self, Dtype::Int64 | Dtype::UInt64 | Dtype::Float64)
    }

    /// Whether it is a number or bool: what `pandas.api.types.is_numeric_dtype` says.
    pub fn is_numeric(self) -> bool {
        self != Dtype::Object
    }

    /// What the type is called in messages.
    pub fn describe(self) -> &'static str {
        match self {
            Dtype::Int64 | Dtype::UInt64 => "integers",
            Dtype::Float64 => "numbers",
            Dtype::Bool => "truth values",
            Dtype::Object => "text",
        }
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

impl Values {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::Int64(values) => values.len(),
            Values::UInt64(values) => values.len(),
            Values::Float64(values) => values.len(),
            Values::Bool(values) => values.len(),
            Values::Object(objects) => objects.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their type.
    pub fn dtype(&self) -> Dtype {
        match self {
            Values::Int64(_) => Dtype::Int64,
            Values::UInt64(_) => Dtype::UInt64,
            Values::Float64(_) => Dtype::Float64,
            Values::Bool(_) => Dtype::Bool,
            Values::Object(_) => Dtype::Object,
        }
    }

    /// The value at a place, as a Python object.
    ///
    /// # Panics
    /// Where there is no such place.
    pub fn cell(&self, place: usize) -> Cell<'_> {
        match self {
            Values::Int64(values) => Cell::Int(values[place]),
            Values::UInt64(values) => Cell::from(values[place]),
            Values::Float64(values) if values[place].is_nan() => Cell::Missing,
            Values::Float64(values) => Cell::Float(values[place]),
            Values::Bool(values) => Cell::Bool(values[place]),
            Values::Object(objects) => objects.get(place),
        }
    }

    /// The values at those places, in that order.
    fn take(&self, places: &[u32]) -> Values {
        fn pick<T: Copy>(values: &[T], places: &[u32]) -> Vec<T> {
            by_eights::map(places, |place| values[place as usize])
        }
        match self {
            Values::Int64(values) => Values::Int64(pick(values, places)),
            Values::UInt64(values) => Values::UInt64(pick(values, places)),
            Values::Float64(values) => Values::Float64(pick(values, places)),
            Values::Bool(values) => Values::Bool(pick(values, places)),
            Values::Object(objects) => Values::Object(objects.take(places)),
        }
    }
}

/// Which data rows of its file the rows of a table or column are, and perhaps which column of the file identifies them,
/// so that messages name the right one after rows were selected and reordered. Cheap to clone: columns of one table
/// share the list.
#[derive(Debug, Clone, Default)]
pub struct FileRows {
    places: Option<Rc<Vec<u32>>>,
    ids: Option<(Rc<Table>, usize)>,
}

impl FileRows {
    /// The data row of the file that a row is, counted from 1 (the header is not counted).
    pub fn number(&self, row: usize) -> usize {
        self.places.as_ref().map_or(row, |places| places[row] as usize) + 1
    }

    /// The places of the rows in their file, counted from 0; `None` where they are all rows in the file's order.
    pub(super) fn places(&self) -> Option<&[u32]> {
        self.places.as_ref().map(|places| places.as_slice())
    }

    /// The file rows of those rows, in that order.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> FileRows {
        let places = match &self.places {
            None => rows.to_vec(),
            Some(places) => rows.iter().map(|row| places[*row as usize]).collect(),
        };
        FileRows { places: Some(Rc::new(places)), ids: self.ids.clone() }
    }

    /// Those rows of the file.
    pub(super) fn of(places: Rc<Vec<u32>>) -> FileRows {
        FileRows { places: Some(places), ids: None }
    }

    /// The same rows, identified by a column of their file.
    #[must_use]
    pub(super) fn identified_by(&self, table: Rc<Table>, column: usize) -> FileRows {
        FileRows { places: self.places.clone(), ids: Some((table, column)) }
    }

    /// Whether that column of that table identifies the rows.
    pub(super) fn are_identified_by(&self, table: &Rc<Table>, column: usize) -> bool {
        self.ids.as_ref().is_some_and(|(other, id)| Rc::ptr_eq(other, table) && *id == column)
    }

    /// A row, for messages: "row 17", or "row 17 (id `x`)" where a column called `id` identifies the rows.
    pub(super) fn describe(&self, row: usize) -> String {
        let number = self.number(row);
        match &self.ids {
            None => format!("row {number}"),
            Some((table, column)) => {
                let (name, id) =
                    (table.column_name(*column), table.column(*column).cell(number - 1));
                if id.is_missing() {
                    format!("row {number} (no {name})")
                } else {
                    format!("row {number} ({name} {})", id.describe())
                }
            }
        }
    }

    /// What stands in the file in a row of the column of that name; `None` where the rows do not know their file, which
    /// those do that are identified.
    fn text_in_file(&self, column: &str, row: usize) -> Option<&str> {
        let (table, _) = self.ids.as_ref()?;
        table.cell_text(table.find(column)?, self.number(row) - 1)
    }
}

/// A column of a table: a name, its values, and whose file it came from.
#[derive(Debug, Clone)]
pub struct Column {
    name: Rc<str>,
    role: Role,
    data: Rc<Data>,
    file_rows: FileRows,
}

/// The values of a column, and their order once it was asked for: a grader often asks for it more than once.
#[derive(Debug)]
struct Data {
    values: Values,
    order: OnceCell<Order>,
}

impl Data {
    fn new(values: Values) -> Rc<Data> {
        Rc::new(Data { values, order: OnceCell::new() })
    }
}

impl Column {
    /// A column of those values, which are the rows of the file in the file's order.
    pub fn new(name: &str, role: Role, values: Values) -> Column {
        Column { name: name.into(), role, data: Data::new(values), file_rows: FileRows::default() }
    }

    /// The same column, its rows being those rows of the file.
    #[must_use]
    pub fn with_file_rows(mut self, file_rows: FileRows) -> Column {
        self.file_rows = file_rows;
        self
    }

    /// A column of other values in the place of this one: the same name, role and file rows.
    ///
    /// # Panics
    /// Where there are more or fewer values than rows.
    #[must_use]
    pub fn with_values(&self, values: Values) -> Column {
        assert_eq!(values.len(), self.len(), "a column keeps its number of rows");
        Column {
            name: Rc::clone(&self.name),
            role: self.role,
            data: Data::new(values),
            file_rows: self.file_rows.clone(),
        }
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
        &self.data.values
    }

    /// The order of its values, worked out by the first call.
    ///
    /// # Errors
    /// As [`Column::argsort`].
    pub(super) fn order(&self) -> Result<&Order, Failure> {
        if let Some(order) = self.data.order.get() {
            return Ok(order);
        }
        let order = self.find_order()?;
        Ok(self.data.order.get_or_init(|| order))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.data.values.len()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.data.values.is_empty()
    }

    /// Its type.
    pub fn dtype(&self) -> Dtype {
        self.data.values.dtype()
    }

    /// The value of a row, as a Python object.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        self.data.values.cell(row)
    }

    /// The values of all rows in order, as Python objects.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'_>> {
        (0..self.len()).map(|row| self.cell(row))
    }

    /// The data row of the file that a row is, counted from 1.
    pub fn file_row(&self, row: usize) -> usize {
        self.file_rows.number(row)
    }

    /// The rows of those numbers (from 0), in that order. Texts are shared, not copied.
    ///
    /// # Panics
    /// Where there is no such row.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Column {
        self.take_as(rows, self.file_rows.take(rows))
    }

    /// As [`Column::take`], with the file rows that the caller worked out once for all columns of a table.
    #[must_use]
    pub(super) fn take_as(&self, rows: &[u32], file_rows: FileRows) -> Column {
        Column {
            name: Rc::clone(&self.name),
            role: self.role,
            data: Data::new(self.data.values.take(rows)),
            file_rows,
        }
    }

    /// The rows for which `keep` is true, in order.
    ///
    /// # Panics
    /// Where `keep` has more or fewer entries than there are rows.
    #[must_use]
    pub fn filter(&self, keep: &[bool]) -> Column {
        assert_eq!(keep.len(), self.len(), "one entry a row");
        self.take(&kept_rows(keep))
    }

    /// A failure of whoever is behind the column's file: "column `name`: …".
    pub fn failure(&self, what: impl std::fmt::Display) -> Failure {
        self.role.failure(format!("column `{}`: {what}", self.name))
    }

    /// A failure that names a row as well: "column `name`, row 17: …"; with the row's id where its table is
    /// [identified by](super::Frame::identified_by) a column.
    pub fn failure_at(&self, row: usize, what: impl std::fmt::Display) -> Failure {
        self.role.failure(format!(
            "column `{}`, {}: {what}",
            self.name,
            self.file_rows.describe(row)
        ))
    }

    /// That a row does not hold what is expected: "column `name`, row 17: expected a number, found `x`".
    pub fn unexpected(&self, row: usize, expected: impl std::fmt::Display) -> Failure {
        self.failure_at(row, format_args!("expected {expected}, found {}", self.describe(row)))
    }

    /// A part of a cell, for messages: quoted, and cut where it is long. Of the answers it is not told.
    pub fn describe_part(&self, part: &str) -> String {
        match self.role {
            Role::Submission => Cell::Text(part).describe(),
            Role::Answers => Cell::Text(part).kind().to_owned(),
        }
    }

    /// What a row holds, for messages: quoted text, a number, `an empty cell`, the word that is read as one. Of the
    /// answers nothing but the kind of value is told.
    pub fn describe(&self, row: usize) -> String {
        let cell = self.cell(row);
        match self.role {
            Role::Answers => cell.kind().to_owned(),
            Role::Submission if cell.is_missing() => {
                match self.file_rows.text_in_file(&self.name, row) {
                    None => "an empty cell (or a word such as NaN or NA, which is read as one)"
                        .to_owned(),
                    Some("") => "an empty cell".to_owned(),
                    Some(word) => format!("`{word}`, which is read as an empty cell"),
                }
            }
            Role::Submission => cell.describe(),
        }
    }
}

/// The numbers of the rows that are to be kept.
pub(super) fn kept_rows(keep: &[bool]) -> Vec<u32> {
    (0..).zip(keep).filter_map(|(row, keep)| keep.then_some(row)).collect()
}
