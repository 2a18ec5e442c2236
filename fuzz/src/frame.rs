//! A table out of any bytes.

use podium_grader::source::{Bytes, Source};
use podium_grader::{Column, Failure, Frame, Role};

/// Reads any bytes as a CSV file.
///
/// - However few bytes a read serves, the table (or the message) is the same.
/// - Reading some columns gives what reading all of them gives.
/// - Sorting by a column gives each row once, and sorting again changes nothing.
/// - A table that is written, with every cell in quotes, is read as the same table.
pub fn frame(bytes: &[u8]) {
    // Lines that end with CR alone, before lines that begin with white space, make pandas read them again without end.
    // Here that ends at a bound, but not before half a minute with all that is watched in here.
    let has_lone_return = bytes.windows(2).any(|pair| pair[0] == b'\r' && pair[1] != b'\n');
    if has_lone_return && bytes.iter().any(|byte| matches!(byte, b' ' | b'\t')) {
        return;
    }
    let whole = read(&Bytes::new("submission.csv", bytes), None);
    for most in [1, 3, 7] {
        let dribbling = Dribbling { bytes: Bytes::new("submission.csv", bytes), most };
        assert_eq!(described(&whole), described(&read(&dribbling, None)), "reads of {most} bytes");
    }
    let Ok(whole) = whole else { return };
    some_columns_are_those_of_all(bytes, &whole);
    for column in whole.columns() {
        sorts(column);
    }
    survives_writing(&whole);
}

fn read(source: &impl Source, columns: Option<&[&str]>) -> Result<Frame, Failure> {
    Frame::read(source, Role::Submission, columns)
}

/// A file that serves at most so many bytes a read.
struct Dribbling {
    bytes: Bytes,
    most: u32,
}

impl Source for Dribbling {
    fn name(&self) -> String {
        self.bytes.name()
    }

    fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn read(&self, offset: u64, length: u32) -> Vec<u8> {
        self.bytes.read(offset, length.min(self.most))
    }
}

/// All that can be seen of a table.
fn described(frame: &Result<Frame, Failure>) -> String {
    match frame {
        Err(failure) => format!("{failure:?}"),
        Ok(frame) => {
            let columns: Vec<String> = frame.columns().map(described_column).collect();
            format!(
                "{} rows, labels {:?}: {columns:?} {:?}",
                frame.len(),
                frame.row_labels().map(described_column),
                texts(frame)
            )
        }
    }
}

fn described_column(column: &Column) -> String {
    let cells: Vec<String> = column.cells().map(|cell| format!("{cell:?}")).collect();
    format!("{} {:?} {cells:?}", column.name(), column.dtype())
}

/// The text of each cell, row by row.
fn texts(frame: &Frame) -> Vec<Vec<&str>> {
    let names: Vec<&str> = frame.column_names().collect();
    let cell = |name: &&str, row| frame.cell_text(name, row).expect("a cell of this table");
    (0..frame.len()).map(|row| names.iter().map(|name| cell(name, row)).collect()).collect()
}

fn some_columns_are_those_of_all(bytes: &[u8], whole: &Frame) {
    let names: Vec<&str> = whole.column_names().collect();
    let Some(last) = names.last() else { return };
    let some = read(&Bytes::new("submission.csv", bytes), Some(&[last]))
        .expect("a file that can be read, whatever columns are wanted");
    assert_eq!(some.column_names().collect::<Vec<_>>(), names);
    assert_eq!(some.len(), whole.len());
    let column = |frame: &Frame| described_column(frame.column(last).expect("it is there"));
    assert_eq!(column(&some), column(whole));
}

fn sorts(column: &Column) {
    let Ok(order) = column.argsort() else { return };
    let mut rows = order.clone();
    rows.sort_unstable();
    assert!(rows.iter().copied().eq((0..).take(column.len())), "each row once: {order:?}");
    let sorted = column.take(&order);
    let again = sorted.take(&sorted.argsort().expect("what was sorted can be sorted"));
    for (cell, same) in sorted.cells().zip(again.cells()) {
        let is_same = cell.equals(same) || (cell.is_missing() && same.is_missing());
        assert!(is_same, "{cell:?} and {same:?}");
    }
}

/// Writes the table and reads it again. Of a table with labels, columns are not what fields are; an empty name is not
/// kept, and neither is one that another column has: these are passed over.
fn survives_writing(frame: &Frame) {
    let names: Vec<&str> = frame.column_names().collect();
    let mut different = names.clone();
    different.sort_unstable();
    different.dedup();
    let is_kept = |name: &&str| !name.is_empty() && !name.starts_with('\u{feff}');
    if frame.row_labels().is_some()
        || names.is_empty()
        || different.len() < names.len()
        || !names.iter().all(is_kept)
    {
        return;
    }
    let quoted = |texts: &[&str]| {
        let cells: Vec<String> =
            texts.iter().map(|text| format!("\"{}\"", text.replace('"', "\"\""))).collect();
        cells.join(",") + "\n"
    };
    let mut written = quoted(&names);
    written.extend(texts(frame).iter().map(|row| quoted(row)));
    let again = Frame::from_text(Role::Submission, &written).expect("what was written");
    assert_eq!(again.column_names().collect::<Vec<_>>(), names, "{written:?}");
    assert_eq!(texts(&again), texts(frame), "{written:?}");
}
