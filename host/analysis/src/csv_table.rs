//! CSV files, read strictly: a row of another length, a column that is there twice and a quote that stays open are said, by
//! line, as the file may be cut off or be another than was meant.
//!
//! Relies on the csv library for the grammar, which takes a quote that stays open for one that ends with the file.

use csv::StringRecord;

use crate::shown::shown_name;

/// What is put behind a file. Where a quote is open it becomes part of the last cell, else it is a row of its own.
const SENTINEL: &str = "\u{0}";

/// A row that is no header.
pub(crate) struct Row {
    /// The line that it begins in.
    pub(crate) line: u64,
    /// Its cells.
    pub(crate) cells: StringRecord,
}

/// A file with a header.
pub(crate) struct CsvTable {
    header: StringRecord,
    /// The rows, each with a cell for every column.
    pub(crate) rows: Vec<Row>,
}

impl CsvTable {
    /// Reads a file.
    ///
    /// # Errors
    /// Says what is wrong with it, with the line.
    pub(crate) fn read(bytes: &[u8]) -> Result<CsvTable, String> {
        let mut rows = rows(bytes)?.into_iter();
        let header = rows.next().map_or_else(StringRecord::new, |row| row.cells);
        let rows: Vec<Row> = rows.collect();
        match rows.iter().find(|row| row.cells.len() != header.len()) {
            Some(row) => Err(format!("line {}: {}", row.line, uneven(row, header.len()))),
            None => Ok(CsvTable { header, rows }),
        }
    }

    /// The place of a column, by its name without blanks around it.
    ///
    /// # Errors
    /// The column is there more than once.
    pub(crate) fn column(&self, name: &str) -> Result<Option<usize>, String> {
        column(&self.header, name)
    }

    /// That there is no such column, with those that there are.
    pub(crate) fn lacks(&self, name: &str) -> String {
        lacks(&self.header, name)
    }
}

/// The place of a column in a header, by its name without blanks around it.
///
/// # Errors
/// The column is there more than once.
pub(crate) fn column(header: &StringRecord, name: &str) -> Result<Option<usize>, String> {
    let mut places = (0..header.len()).filter(|place| header[*place].trim() == name);
    match (places.next(), places.next()) {
        (_, Some(_)) => Err(format!("the column `{name}` is there more than once")),
        (place, None) => Ok(place),
    }
}

/// That there is no such column in a header, with those that there are.
pub(crate) fn lacks(header: &StringRecord, name: &str) -> String {
    const SHOWN: usize = 10;
    let mut names: Vec<String> =
        header.iter().take(SHOWN).map(|name| format!("`{}`", shown_name(name))).collect();
    if header.len() > SHOWN {
        names.push(format!("{} more", header.len() - SHOWN));
    }
    match names.as_slice() {
        [] => format!("it has no column `{name}`: it is empty"),
        names => format!("it has no column `{name}`, only {}", names.join(", ")),
    }
}

/// What is wrong with a row that has not as many cells as there are columns.
pub(crate) fn uneven(row: &Row, columns: usize) -> String {
    let counted =
        |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let what = format!(
        "it has {}, and there are {}",
        counted(row.cells.len(), "field"),
        counted(columns, "column")
    );
    if row.cells.len() < columns {
        format!("{what}: the file may be cut off")
    } else {
        format!("{what}: a text with a comma has to stand in double quotes")
    }
}

/// Whether the last line of a file has an end, as that of a file that was cut off rarely has.
pub(crate) fn ends_with_its_line(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.ends_with(b"\n") || bytes.ends_with(b"\r")
}

/// All rows of a file, of whatever lengths; empty lines are none.
///
/// # Errors
/// Says what is wrong, with the line.
pub(crate) fn rows(bytes: &[u8]) -> Result<Vec<Row>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Err(error) = std::str::from_utf8(bytes) {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        return Err(format!("line {line}: it is not UTF-8 text"));
    }
    let mut with_sentinel = bytes.to_vec();
    with_sentinel.extend(format!("\n{SENTINEL}\n").bytes());
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(with_sentinel.as_slice());
    let mut rows: Vec<Row> = Vec::new();
    for record in reader.records() {
        // Nothing is wrong with texts of any lengths.
        let cells = record.map_err(|error| format!("it is no CSV: {error}"))?;
        rows.push(Row { line: line_of(&with_sentinel, &cells), cells });
    }
    match rows.pop() {
        Some(last) if last.cells.iter().eq([SENTINEL]) => Ok(rows),
        Some(last) => Err(format!(
            "line {}: a double quote in this row is never closed: the file may be cut off",
            last.line
        )),
        None => Ok(rows),
    }
}

/// The line that a record begins in. The library says where it began to look for one, which may be some empty lines before.
fn line_of(bytes: &[u8], record: &StringRecord) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let from = usize::try_from(position.byte()).unwrap_or(usize::MAX).min(bytes.len());
    let is_empty = |byte: &&u8| matches!(**byte, b'\r' | b'\n');
    let empty = bytes[from..].iter().take_while(is_empty).filter(|byte| **byte == b'\n').count();
    position.line() + empty as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn empty_lines_are_counted() {
        let bytes = b"\xef\xbb\xbfa,b\n\n1,2\r\n\r\n\n3,4\n\"5\n\",6\n7,8";
        let lines: Vec<u64> = rows(bytes).unwrap().iter().map(|row| row.line).collect();
        assert_eq!(lines, [1, 3, 6, 7, 9]);
    }

    #[test]
    fn columns_are_found_by_name_and_what_is_wrong_is_said() {
        let table = CsvTable::read(b"\xef\xbb\xbf\"score\", x \n\"1,5\",2\n").unwrap();
        assert_eq!((table.column("score"), table.column("x")), (Ok(Some(0)), Ok(Some(1))));
        assert_eq!(&table.rows[0].cells[0], "1,5");
        assert_eq!(table.column("y"), Ok(None));
        assert_eq!(table.lacks("y"), "it has no column `y`, only `score`, ` x `");
        assert!(CsvTable::read(b"").unwrap().lacks("y").contains("is empty"));
        let twice = CsvTable::read(b"score,score \n1,2\n").unwrap().column("score").unwrap_err();
        assert_eq!(twice, "the column `score` is there more than once");
        for (text, part) in [
            (
                &b"a,b\n1,2\n3\n"[..],
                "line 3: it has 1 field, and there are 2 columns: the file may be",
            ),
            (
                b"a,b\n\n1,2,3\n",
                "line 3: it has 3 fields, and there are 2 columns: a text with a comma",
            ),
            (b"a,b\n1,\"2\n3,4\n", "line 2: a double quote in this row is never closed"),
            (b"a,b\n1,\"", "line 2: a double quote"),
            (b"a,b\n1,\xff\n", "line 2: it is not UTF-8"),
        ] {
            let message = CsvTable::read(text).map(|_| ()).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }

    proptest! {
        /// What is read is what the library reads, with a quote that stays open refused.
        #[test]
        fn rows_are_those_of_the_library(text in "[a\",\n\r é]{0,30}") {
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let expected: Vec<StringRecord> = reader.records().map(Result::unwrap).collect();
            if let Ok(found) = rows(text.as_bytes()) {
                let found: Vec<StringRecord> = found.into_iter().map(|row| row.cells).collect();
                prop_assert_eq!(found, expected);
            } else {
                prop_assert!(text.contains('"'));
            }
        }
    }
}
