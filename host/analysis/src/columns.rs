//! Tables for programs: named columns, written as CSV and as Parquet.
//!
//! Relies on polars for Parquet. Neither file holds a time, so that the same columns give the same bytes.

use polars::prelude::{Column as Series, DataFrame, IntoColumn, NamedFrom};
use polars_io::parquet::write::{ParquetCompression, ParquetWriter};

use crate::error::Error;

/// A table: columns of the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns(Vec<(&'static str, Values)>);

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Texts.
    Text(Vec<Option<String>>),
    /// Numbers.
    Number(Vec<Option<f64>>),
    /// Counts.
    Count(Vec<Option<u64>>),
    /// Yes or no.
    Truth(Vec<Option<bool>>),
}

impl Columns {
    /// The table with one more column.
    pub(crate) fn text(
        self,
        name: &'static str,
        values: impl Iterator<Item = Option<String>>,
    ) -> Columns {
        self.with(name, Values::Text(values.collect()))
    }

    /// The table with one more column.
    pub(crate) fn number(
        self,
        name: &'static str,
        values: impl Iterator<Item = Option<f64>>,
    ) -> Columns {
        self.with(name, Values::Number(values.collect()))
    }

    /// The table with one more column.
    pub(crate) fn count(self, name: &'static str, values: impl Iterator<Item = usize>) -> Columns {
        self.with(name, Values::Count(values.map(|count| Some(count as u64)).collect()))
    }

    /// The table with one more column.
    pub(crate) fn truth(self, name: &'static str, values: impl Iterator<Item = bool>) -> Columns {
        self.with(name, Values::Truth(values.map(Some).collect()))
    }

    fn with(mut self, name: &'static str, values: Values) -> Columns {
        self.0.push((name, values));
        self
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.0.first().map_or(0, |(_, values)| values.len())
    }

    /// The table as CSV, with a header; what is not known is an empty cell, and numbers are the shortest that read back.
    /// A text that a spreadsheet would take for a formula has an apostrophe in front.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory does not fail, and all records have the same length.
        let _ = writer.write_record(self.0.iter().map(|(name, _)| name));
        for row in 0..self.rows() {
            let _ = writer.write_record(self.0.iter().map(|(_, values)| values.cell(row)));
        }
        writer.into_inner().unwrap_or_default()
    }

    /// The table as Parquet, compressed with Zstandard.
    ///
    /// # Errors
    /// [`Error::Parquet`], if the library refuses the table.
    pub fn to_parquet(&self) -> Result<Vec<u8>, Error> {
        let failed = |error: polars::error::PolarsError| Error::Parquet(error.to_string());
        let columns = self.0.iter().map(|(name, values)| values.series(name)).collect();
        let mut frame = DataFrame::new(self.rows(), columns).map_err(failed)?;
        let mut bytes = Vec::new();
        ParquetWriter::new(&mut bytes)
            .with_compression(ParquetCompression::Zstd(None))
            .finish(&mut frame)
            .map_err(failed)?;
        Ok(bytes)
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Number(values) => values.len(),
            Values::Count(values) => values.len(),
            Values::Truth(values) => values.len(),
        }
    }

    fn cell(&self, row: usize) -> String {
        fn text(value: &Option<impl ToString>) -> String {
            value.as_ref().map(ToString::to_string).unwrap_or_default()
        }
        match self {
            Values::Text(values) => {
                let text = text(&values[row]);
                if is_formula(&text) { format!("'{text}") } else { text }
            }
            Values::Number(values) => text(&values[row]),
            Values::Count(values) => text(&values[row]),
            Values::Truth(values) => text(&values[row]),
        }
    }

    fn series(&self, name: &str) -> Series {
        use polars::prelude::Series as Named;
        let name = name.into();
        match self {
            Values::Text(values) => Named::new(name, values),
            Values::Number(values) => Named::new(name, values),
            Values::Count(values) => Named::new(name, values),
            Values::Truth(values) => Named::new(name, values),
        }
        .into_column()
    }
}

/// Whether a spreadsheet takes a text for a formula, which could send what stands beside it anywhere. A number with its sign
/// is none.
fn is_formula(text: &str) -> bool {
    // The last four are the wide forms of the first, which some spreadsheets take for them.
    const BEGINNINGS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    text.starts_with(BEGINNINGS) && !text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas_and_numbers_stay_numbers() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+cmd", "'+cmd"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\n=1", "\"'\n=1\""),
            ("＝1", "'＝1"),
            ("-inf", "'-inf"),
            ("-1", "-1"),
            ("+0.5", "+0.5"),
            ("a=1", "a=1"),
            ("'x", "'x"),
            ("", "\"\""),
        ] {
            let table = Columns::default().text("name", std::iter::once(Some(text.to_owned())));
            assert_eq!(String::from_utf8(table.to_csv()).unwrap(), format!("name\n{cell}\n"));
        }
        let numbers = Columns::default().number("x", std::iter::once(Some(-0.5)));
        assert_eq!(numbers.to_csv(), b"x\n-0.5\n");
    }
}
