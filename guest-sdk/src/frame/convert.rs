//! Conversions of columns: pandas' `astype`, `fillna`, `isnull`, and the `.str` accessor's rules.

use std::borrow::Cow;

use super::kind::{Kind, Missing};
use super::number::{NotInteger, parse_float64, parse_uint64};
use super::{Cell, Column, Dtype, Objects, Values};
use crate::failure::Failure;
use crate::text::{Integer, python_float, python_int};

impl Cell<'_> {
    /// Python's `float(value)`; `None` where it raises an error.
    pub fn to_float(self) -> Option<f64> {
        Some(match self {
            Cell::Missing => f64::NAN,
            Cell::Bool(value) => value.into(),
            Cell::Int(value) => value as f64,
            Cell::UInt(value) => value as f64,
            Cell::Float(value) => value,
            Cell::Text(text) => return python_float(text),
        })
    }

    /// Python's `int(value)`, which cuts floats off toward zero; `None` where it raises an error: NaN, infinities, text
    /// that is no integer (`1.0` is none).
    pub fn to_integer(self) -> Option<Integer> {
        match self {
            Cell::Missing => None,
            Cell::Bool(value) => Some(Integer::Small(value.into())),
            Cell::Int(value) => Some(Integer::Small(value)),
            Cell::UInt(value) => Some(Integer::from(value)),
            Cell::Float(value) => Integer::from_float(value),
            Cell::Text(text) => python_int(text).ok(),
        }
    }
}

impl Column {
    /// `astype(float)`: each text by Python's `float()`, truth values as 0 and 1.
    ///
    /// # Errors
    /// Where a text is no number.
    pub fn to_f64(&self) -> Result<Cow<'_, [f64]>, Failure> {
        Ok(Cow::Owned(match self.values() {
            Values::Float64(values) => return Ok(Cow::Borrowed(values)),
            Values::Int64(values) => values.iter().map(|value| *value as f64).collect(),
            Values::UInt64(values) => values.iter().map(|value| *value as f64).collect(),
            Values::Bool(values) => values.iter().map(|value| (*value).into()).collect(),
            Values::Object(objects) => self.convert(objects, "a number", |cell| cell.to_float())?,
        }))
    }

    /// `astype(int)`: each text by Python's `int()`, floats cut off toward zero. As in numpy on x86-64, an unsigned
    /// integer beyond int64 wraps, and a float beyond it becomes the smallest int64.
    ///
    /// # Errors
    /// Where a value is missing or infinite, a text is no integer, or an object is beyond int64.
    pub fn to_i64(&self) -> Result<Cow<'_, [i64]>, Failure> {
        const WHOLE: &str = "a whole number";
        const BEYOND_INT64: f64 = 9_223_372_036_854_775_808.0;
        Ok(Cow::Owned(match self.values() {
            Values::Int64(values) => return Ok(Cow::Borrowed(values)),
            Values::UInt64(values) => values.iter().map(|value| value.cast_signed()).collect(),
            Values::Bool(values) => values.iter().map(|value| (*value).into()).collect(),
            Values::Float64(values) => {
                if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                    return Err(self.unexpected(row, WHOLE));
                }
                let within = |value: &f64| value.abs() < BEYOND_INT64;
                values
                    .iter()
                    .map(|value| if within(value) { *value as i64 } else { i64::MIN })
                    .collect()
            }
            Values::Object(objects) => self.convert(objects, WHOLE, |cell| {
                cell.to_integer().and_then(|integer| integer.to_i64())
            })?,
        }))
    }

    fn convert<T>(
        &self,
        objects: &Objects,
        expected: &str,
        convert: impl Fn(Cell<'_>) -> Option<T>,
    ) -> Result<Vec<T>, Failure> {
        let converted = objects.iter().enumerate();
        converted
            .map(|(row, cell)| convert(cell).ok_or_else(|| self.unexpected(row, expected)))
            .collect()
    }

    /// The row to name where numbers or truth values are expected and the column holds text: the first text that is
    /// neither; else the first that is not what the column begins with; else the first integer that is too large, else
    /// the first text. `None` where there is no text.
    pub fn cause_of_text(&self) -> Option<usize> {
        let Values::Object(_) = self.values() else { return None };
        let is_truth_value =
            |text: &str| ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word));
        let first = |causes: &dyn Fn(&str) -> bool| {
            self.cells().position(|cell| cell.text().is_some_and(causes))
        };
        let is_number = |text: &str| parse_float64(text.as_bytes()).is_some();
        let begins_with_number =
            self.cells().find_map(|cell| cell.text()).is_some_and(|text| !is_truth_value(text));
        first(&|text| !is_number(text) && !is_truth_value(text))
            .or_else(|| first(&|text| is_truth_value(text) == begins_with_number))
            .or_else(|| first(&|text| parse_uint64(text.as_bytes()) == Err(NotInteger::Overflow)))
            .or_else(|| first(&|_| true))
    }

    /// `astype(str)`: a column of texts, each Python's `str()` of the value; a missing one is `nan`.
    #[must_use]
    pub fn as_text(&self) -> Column {
        if let Values::Object(objects) = self.values()
            && objects.are_texts()
        {
            return self.clone();
        }
        let mut texts = Objects::builder(self.len());
        for cell in self.cells() {
            match cell {
                Cell::Text(text) => texts.push(Cell::Text(text)),
                cell => texts.push_displayed(&cell),
            }
        }
        self.with_values(Values::Object(texts.finish()))
    }

    /// `fillna(value)`: where a value is missing, this one instead. A float column keeps its type if the value is a
    /// number and becomes objects otherwise. Objects become numbers or truth values where all are, missing or not, as
    /// pandas 2.2 makes them.
    #[must_use]
    pub fn fill_missing(&self, value: Cell<'_>) -> Column {
        let number = !matches!(value, Cell::Bool(_) | Cell::Text(_));
        match self.values() {
            Values::Float64(values) if number && self.has_missing() => {
                let filling = value.to_float().unwrap_or(f64::NAN);
                let fill = |value: &f64| if value.is_nan() { filling } else { *value };
                self.with_values(Values::Float64(values.iter().map(fill).collect()))
            }
            Values::Object(_) => {
                let column = if self.has_missing() { self.filled(value) } else { self.clone() };
                column
                    .narrowest()
                    .map_or_else(|| column.clone(), |values| column.with_values(values))
            }
            Values::Float64(_) if self.has_missing() => self.filled(value),
            _ => self.clone(),
        }
    }

    /// The values as objects, another one where one is missing.
    fn filled(&self, value: Cell<'_>) -> Column {
        let filled = self.cells().map(|cell| if cell.is_missing() { value } else { cell });
        self.with_values(Values::Object(filled.collect()))
    }

    /// The values as the type that pandas converts objects to; `None` where they stay objects.
    fn narrowest(&self) -> Option<Values> {
        match self.kind(Missing::Counted) {
            Kind::Boolean => Some(Values::Bool(
                self.cells().map(|cell| matches!(cell, Cell::Bool(true))).collect(),
            )),
            Kind::Integer => {
                let signed: Option<Vec<i64>> =
                    self.cells().map(|cell| cell.to_integer()?.to_i64()).collect();
                let unsigned = || {
                    self.cells()
                        .map(|cell| cell.to_integer()?.to_u64())
                        .collect::<Option<Vec<u64>>>()
                };
                signed.map(Values::Int64).or_else(|| unsigned().map(Values::UInt64))
            }
            Kind::Floating | Kind::IntegerAndFloat | Kind::IntegerWithMissing => {
                let unsigned = self.cells().any(|cell| matches!(cell, Cell::UInt(_)));
                let negative =
                    self.cells().any(|cell| matches!(cell, Cell::Int(value) if value < 0));
                let floats =
                    || self.cells().map(|cell| cell.to_float().unwrap_or(f64::NAN)).collect();
                (!(unsigned && negative)).then(|| Values::Float64(floats()))
            }
            Kind::Empty | Kind::String | Kind::MixedWithInteger | Kind::Mixed => None,
        }
    }

    /// The values as objects: `astype(object)`.
    pub(super) fn to_objects(&self) -> Values {
        match self.values() {
            Values::Object(objects) => Values::Object(objects.clone()),
            _ => Values::Object(self.cells().collect()),
        }
    }

    /// Whether the value of a row is missing.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn is_missing(&self, row: usize) -> bool {
        match self.values() {
            Values::Object(objects) => objects.is_missing(row),
            values => values.cell(row).is_missing(),
        }
    }

    /// Whether a row holds text.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn is_text(&self, row: usize) -> bool {
        matches!(self.values(), Values::Object(objects) if objects.is_text(row))
    }

    /// The first row with a missing value.
    pub fn first_missing(&self) -> Option<usize> {
        match self.values() {
            Values::Float64(values) => values.iter().position(|value| value.is_nan()),
            Values::Object(objects) => objects.first_missing(),
            Values::Int64(_) | Values::UInt64(_) | Values::Bool(_) => None,
        }
    }

    /// Whether any value is missing: `isnull().any()`.
    pub fn has_missing(&self) -> bool {
        self.first_missing().is_some()
    }

    /// Succeeds where no value is missing.
    ///
    /// # Errors
    /// Names the first row that holds none.
    pub fn require_complete(&self) -> Result<(), Failure> {
        match self.first_missing() {
            None => Ok(()),
            Some(row) => Err(self.unexpected(row, "a value")),
        }
    }

    /// Succeeds where the `.str` accessor works: an object column with text in it, or with nothing but missing values.
    /// Cells that are not text give a missing value there.
    ///
    /// # Errors
    /// Where pandas raises an AttributeError: columns of numbers or truth values, also as objects.
    pub fn require_text(&self) -> Result<(), Failure> {
        let of_text = self.dtype() == Dtype::Object
            && matches!(
                self.kind(Missing::Skipped),
                Kind::String | Kind::Empty | Kind::Mixed | Kind::MixedWithInteger
            );
        if of_text {
            return Ok(());
        }
        let found = match self.dtype() {
            Dtype::Object => "truth values, numbers or empty cells",
            dtype => dtype.describe(),
        };
        Err(self.failure(format_args!("expected text, but the whole column is read as {found}")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    fn objects(cells: &[Cell<'_>]) -> Column {
        Column::new("x", Role::Submission, Values::Object(cells.iter().copied().collect()))
    }

    fn typed(values: Values) -> Column {
        Column::new("x", Role::Submission, values)
    }

    fn texts(column: &Column) -> Vec<String> {
        column.cells().map(|cell| cell.to_string()).collect()
    }

    #[test]
    fn numbers_are_converted_cell_by_cell() {
        let column = objects(&[Cell::Text(" 1_0"), Cell::Bool(true), Cell::Int(3), Cell::Missing]);
        let floats = column.to_f64().unwrap();
        assert_eq!(floats[..3], [10.0, 1.0, 3.0]);
        assert!(floats[3].is_nan());
        let failure = objects(&[Cell::Text("1"), Cell::Text("one")]).to_f64().unwrap_err();
        assert_eq!(failure.message(), "column `x`, row 2: expected a number, found `one`");
        // Rows keep the numbers that they have in the file.
        let failure =
            objects(&[Cell::Text("one"), Cell::Text("1")]).take(&[1, 0]).to_f64().unwrap_err();
        assert_eq!(failure.message(), "column `x`, row 1: expected a number, found `one`");

        assert_eq!(*typed(Values::Float64(vec![-2.7, 1e300])).to_i64().unwrap(), [-2, i64::MIN]);
        assert_eq!(*typed(Values::UInt64(vec![u64::MAX])).to_i64().unwrap(), [-1]);
        assert!(typed(Values::Float64(vec![f64::NAN])).to_i64().is_err());
        assert!(objects(&[Cell::Text("1.0")]).to_i64().is_err());
    }

    #[test]
    fn the_cell_that_makes_a_column_text_is_named() {
        let cases: [(&[&str], Option<usize>); 8] = [
            (&["1", "2.5", "1_0", "x"], Some(2)),
            (&["True", "false", "maybe", "1"], Some(2)),
            (&["True", "FALSE", "1"], Some(2)),
            (&["0.5", "TRUE", "1"], Some(1)),
            (&["1", "18446744073709551616", "-1"], Some(1)),
            (&["1", "1e400", "18446744073709551616"], Some(1)),
            (&["18446744073709551615", "-1"], Some(0)),
            (&[], None),
        ];
        for (texts, expected) in cases {
            let cells: Vec<Cell<'_>> = texts.iter().map(|text| Cell::Text(text)).collect();
            assert_eq!(objects(&cells).cause_of_text(), expected, "{texts:?}");
        }
        assert_eq!(typed(Values::Int64(vec![1])).cause_of_text(), None);
    }

    #[test]
    fn the_answers_are_not_told() {
        let answers = Column::new(
            "x",
            Role::Answers,
            Values::Object([Cell::Text("secret")].into_iter().collect()),
        );
        let failure = answers.to_f64().unwrap_err();
        assert_eq!(
            failure.to_string(),
            "invalid answers: column `x`, row 1: expected a number, found a text"
        );
    }

    #[test]
    fn text_is_pythons_str() {
        let floats = typed(Values::Float64(vec![7.0, f64::NAN, 1e20]));
        assert_eq!(texts(&floats.as_text()), ["7.0", "nan", "1e+20"]);
        let mixed = objects(&[Cell::Bool(true), Cell::Missing, Cell::Text("a")]);
        assert_eq!(texts(&mixed.as_text()), ["True", "nan", "a"]);
        assert!(mixed.as_text().cells().all(|cell| cell.text().is_some()));
    }

    #[test]
    fn filling_changes_types_as_in_pandas() {
        let floats = typed(Values::Float64(vec![1.0, f64::NAN]));
        assert_eq!(floats.fill_missing(Cell::Int(0)).dtype(), Dtype::Float64);
        let filled = floats.fill_missing(Cell::Text(""));
        assert_eq!(
            (filled.dtype(), texts(&filled)),
            (Dtype::Object, vec!["1.0".to_owned(), String::new()])
        );
        let complete = typed(Values::Float64(vec![1.0]));
        assert_eq!(complete.fill_missing(Cell::Text("")).dtype(), Dtype::Float64);
        let truths = objects(&[Cell::Bool(true), Cell::Missing]);
        assert_eq!(truths.fill_missing(Cell::Bool(false)).dtype(), Dtype::Bool);
        assert_eq!(truths.fill_missing(Cell::Text("")).dtype(), Dtype::Object);
        assert_eq!(objects(&[Cell::Missing]).fill_missing(Cell::Int(0)).dtype(), Dtype::Int64);
    }

    #[test]
    fn the_str_accessor_wants_text_somewhere() {
        let cases: [(&[Cell<'_>], bool); 7] = [
            (&[], true),
            (&[Cell::Missing], true),
            (&[Cell::Text("a"), Cell::Missing], true),
            (&[Cell::Int(1), Cell::Text("a")], true),
            (&[Cell::Bool(true), Cell::Missing], false),
            (&[Cell::Int(1), Cell::Float(0.5)], false),
            (&[Cell::Int(1), Cell::Bool(true)], true),
        ];
        for (cells, allowed) in cases {
            assert_eq!(objects(cells).require_text().is_ok(), allowed, "{cells:?}");
        }
        let failure = typed(Values::Int64(vec![1])).require_text().unwrap_err();
        assert_eq!(
            failure.message(),
            "column `x`: expected text, but the whole column is read as integers"
        );
    }
}
