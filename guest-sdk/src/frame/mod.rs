//! A CSV file as pandas 2.2.3 reads it with `read_csv(float_precision="round_trip")`.

mod align;
mod buffers;
mod cell;
mod cells;
mod column;
mod compare;
mod convert;
mod decimal;
mod extremes;
mod group;
mod header;
mod inference;
mod integer_table;
mod key;
mod kind;
mod marks;
mod matrix;
mod number;
mod objects;
#[cfg(test)]
mod printed;
mod requirements;
mod row_equality;
mod set;
mod sort;
mod space;
mod table;
mod text_keys;
mod to_numeric;
mod tokenizer;

use std::cell::OnceCell;
use std::rc::Rc;

use self::table::Table;
use crate::failure::Failure;
use crate::source::{Bytes, Source};

pub use align::{
    align_on, are_same_set, match_rows, match_rows_of_same_set, require_as_many_rows,
    require_same_ids, require_same_length,
};
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
        self.places().map_or(self.table.rows(), <[u32]>::len)
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
            None => Err(self.missing_columns(&[name], &[name])),
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
        let row = match self.places() {
            None => row,
            Some(places) => *places.get(row)? as usize,
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
        let length = self.len();
        assert!(rows.iter().all(|row| (*row as usize) < length), "a row is not there");
        self.select(match &self.selection {
            None => FileRows::default().take(rows),
            Some(selection) => selection.file_rows.take(rows),
        })
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
        let rows = &self.column(name)?.order()?.rows;
        // Rows that are in order already need no copy.
        if (0..).zip(rows.iter()).all(|(place, row)| place == *row) {
            return Ok(self.clone());
        }
        Ok(match &self.selection {
            None => self.select(FileRows::of(Rc::clone(rows))),
            Some(selection) => self.select(selection.file_rows.take(rows)),
        })
    }

    /// The same rows; messages about one name what it holds in the column `name`, too.
    ///
    /// # Errors
    /// A failure of the file's role where there is no such column.
    pub fn identified_by(&self, name: &str) -> Result<Frame, Failure> {
        let index = self.table.find(name).ok_or_else(|| self.missing_columns(&[name], &[name]))?;
        let file_rows = match &self.selection {
            None => FileRows::default(),
            Some(selection) if selection.file_rows.are_identified_by(&self.table, index) => {
                return Ok(self.clone());
            }
            Some(selection) => selection.file_rows.clone(),
        };
        Ok(self.select(file_rows.identified_by(Rc::clone(&self.table), index)))
    }

    /// A failure of the file's role that names a row: "row 17: …", with its id where the rows are
    /// [identified](Frame::identified_by).
    pub fn failure_at(&self, row: usize, what: impl std::fmt::Display) -> Failure {
        let row = match &self.selection {
            None => FileRows::default().describe(row),
            Some(selection) => selection.file_rows.describe(row),
        };
        self.role().failure(format!("{row}: {what}"))
    }

    /// A failure of this file, with what its shape has to do with it: rows that are longer than the header shift every
    /// column, which the failure itself does not tell. Failures of the other side stay as they are.
    #[must_use]
    pub fn explain(&self, failure: Failure) -> Failure {
        let (role, message) = match failure {
            Failure::InvalidSubmission(message) => (Role::Submission, message),
            Failure::InvalidAnswers(message) => (Role::Answers, message),
        };
        let labels = self.table.label_fields();
        if role != self.role() || labels == 0 {
            return role.failure(message);
        }
        let header = self.table.width();
        let first = self.column_names().next().unwrap_or_default();
        role.failure(format!(
            "{} has rows of {} fields where the header names {header}, so what stands first in a row is taken for its \
             label and not for `{first}`; give rows as many fields as the header. So read: {message}",
            self.name(),
            header + labels,
        ))
    }

    fn select(&self, file_rows: FileRows) -> Frame {
        let columns = (0..self.table.width()).map(|_| OnceCell::new()).collect();
        let selection = Selection { file_rows, columns, labels: OnceCell::new() };
        Frame { table: Rc::clone(&self.table), selection: Some(Rc::new(selection)) }
    }

    /// Which rows of the file these are, counted from 0; `None` where they are all in the file's order.
    fn places(&self) -> Option<&[u32]> {
        self.selection.as_ref()?.file_rows.places()
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
        taken.get_or_init(|| match self.file_rows.places() {
            None => whole.clone().with_file_rows(self.file_rows.clone()),
            Some(places) => whole.take_as(places, self.file_rows.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::printed::{printed, printed_values};
    use super::*;

    const TEXT: &str = "id,value\n3,x\n1,\n2,\"y,\"\n";

    fn frame() -> Frame {
        Frame::from_text(Role::Submission, TEXT).unwrap()
    }

    #[test]
    fn rows_are_selected_and_reordered() {
        let sorted = frame().sort_by("id").unwrap();
        assert_eq!(printed_values(sorted.column("id").unwrap()), "1, 2, 3");
        assert_eq!(printed_values(sorted.column("value").unwrap()), "nan, 'y,', 'x'");
        let kept = sorted.filter(&[false, true, true]).take(&[1, 0, 1]);
        assert_eq!(printed_values(kept.column("id").unwrap()), "3, 2, 3");
        assert_eq!(kept.cell_text("value", 1), Some("y,"));
        assert_eq!((kept.file_row(0), kept.file_row(1)), (1, 3));
        assert_eq!(kept.column("value").unwrap().file_row(1), 3);
        assert_eq!(kept.cell_text("value", 3), None);
    }

    #[test]
    fn messages_name_the_id_of_a_row() {
        let sorted = frame().sort_by("id").unwrap();
        let message = |frame: &Frame, row| {
            frame.column("value").unwrap().failure_at(row, "wrong").message().to_owned()
        };
        assert_eq!(message(&sorted, 2), "column `value`, row 1: wrong");
        let identified = sorted.identified_by("id").unwrap();
        assert_eq!(message(&identified, 2), "column `value`, row 1 (id 3): wrong");
        let failure = identified.failure_at(2, "wrong");
        assert_eq!(failure.message(), "row 1 (id 3): wrong");
        assert_eq!(sorted.failure_at(2, "wrong").message(), "row 1: wrong");
        assert_eq!(message(&identified.take(&[1]), 0), "column `value`, row 3 (id 2): wrong");
        let identified = frame().identified_by("id").unwrap();
        assert_eq!(message(&identified, 2), "column `value`, row 3 (id 2): wrong");
        assert_eq!(printed_values(identified.column("id").unwrap()), "3, 1, 2");
        let failure = frame().identified_by("name").unwrap_err();
        assert!(failure.message().contains("no column `name`"), "{failure}");
    }

    #[test]
    fn types_are_those_of_the_whole_file() {
        let frame = Frame::from_text(Role::Answers, "a\n1\n2.5\nx\n").unwrap();
        let column = frame.take(&[0, 1]);
        let column = column.column("a").unwrap();
        assert_eq!(printed_values(column), "'1', '2.5'");
        assert_eq!(column.role(), Role::Answers);
    }

    #[test]
    fn labels_follow_their_rows() {
        let frame = Frame::from_text(Role::Submission, "a,b\np,1,2\nq,3,4\n").unwrap();
        let taken = frame.take(&[1, 0]);
        assert_eq!(printed_values(taken.row_labels().unwrap()), "'q', 'p'");
        assert_eq!(printed_values(taken.column("a").unwrap()), "3, 1");
    }

    #[test]
    fn rows_longer_than_the_header_are_explained() {
        let frame = Frame::from_text(Role::Submission, "id,label\n7,1,0\n8,0\n").unwrap();
        let explained = frame.explain(Failure::submission("column `id`: wrong")).to_string();
        assert_eq!(
            explained,
            "invalid submission: submission.csv has rows of 3 fields where the header names 2, so what stands first in a \
             row is taken for its label and not for `id`; give rows as many fields as the header. So read: column `id`: \
             wrong"
        );
        let of_answers = Failure::answers("wrong");
        assert_eq!(frame.explain(of_answers.clone()), of_answers);
        let even = Frame::from_text(Role::Submission, "id,label\n7,1\n8\n").unwrap();
        assert_eq!(even.explain(Failure::submission("wrong")), Failure::submission("wrong"));
    }

    #[test]
    fn words_that_read_as_empty_cells_are_told_where_rows_are_identified() {
        let text = "id,value\na,NaN\nb,\nc,1\nd\n";
        let found = |frame: &Frame, row| frame.column("value").unwrap().describe(row);
        let frame = Frame::from_text(Role::Submission, text).unwrap();
        assert_eq!(
            found(&frame, 0),
            "an empty cell (or a word such as NaN or NA, which is read as one)"
        );
        let frame = frame.identified_by("id").unwrap().take(&[3, 2, 1, 0]);
        assert_eq!(found(&frame, 3), "`NaN`, which is read as an empty cell");
        assert_eq!(found(&frame, 2), "an empty cell");
        assert_eq!(found(&frame, 0), "an empty cell");
        assert_eq!(found(&frame, 1), "1.0");
    }

    #[test]
    fn raw_text_stays_beside_the_value() {
        let frame = Frame::from_text(Role::Submission, "a,b\n007,\" 1.50\"\n1\n").unwrap();
        assert_eq!(frame.cell_text("a", 0), Some("007"));
        assert_eq!(frame.cell_text("b", 0), Some(" 1.50"));
        assert_eq!(frame.cell_text("b", 1), Some(""));
        assert_eq!(frame.cell_text("c", 0), None);
        assert_eq!(frame.cell_text("b", 2), None);
    }

    #[test]
    fn only_the_wanted_columns_are_kept() {
        let source = Bytes::new("answers.csv", TEXT);
        let frame = Frame::read(&source, Role::Answers, Some(&["value"])).unwrap();
        assert_eq!(frame.column_names().collect::<Vec<_>>(), ["id", "value"]);
        assert_eq!(printed_values(frame.column("value").unwrap()), "'x', nan, 'y,'");
        assert_eq!(frame.cell_text("id", 0), None);
    }

    #[test]
    #[should_panic(expected = "did not name it")]
    fn a_column_that_was_not_kept_is_a_fault_of_the_grader() {
        let source = Bytes::new("answers.csv", TEXT);
        let frame = Frame::read(&source, Role::Answers, Some(&["value"])).unwrap();
        let _ = frame.column("id");
    }

    /// A file that gives a few bytes at a time.
    struct Trickle(Bytes, u32);

    impl Source for Trickle {
        fn name(&self) -> String {
            self.0.name()
        }

        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read(&self, offset: u64, length: u32) -> Vec<u8> {
            self.0.read(offset, length.min(self.1))
        }
    }

    /// Bytes that mean something to the reader, more often than others.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => prop::sample::select(vec![",", "\n", "\r", "\r\n", "\"", " ", "\t", "\0", "\u{feff}"])
                .prop_map(|text| text.as_bytes().to_vec()),
            4 => prop::sample::select(vec!["1", "-2.5", "a", "é", "true", "NA", "18446744073709551615"])
                .prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 1..3),
        ];
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in bytes(), most in 1u32..9) {
            let source = Bytes::new("submission.csv", bytes);
            let whole = Frame::read(&source, Role::Submission, None);
            let trickled = Frame::read(&Trickle(source, most), Role::Submission, None);
            prop_assert_eq!(printed(&whole), printed(&trickled));
        }

        #[test]
        fn columns_read_alone_are_the_same(bytes in bytes(), which in any::<u64>()) {
            let source = Bytes::new("submission.csv", bytes);
            let Ok(whole) = Frame::read(&source, Role::Submission, None) else { return Ok(()) };
            let wanted: Vec<&str> = whole
                .column_names()
                .enumerate()
                .filter(|(index, _)| which >> (index % 64) & 1 == 1)
                .map(|(_, name)| name)
                .collect();
            let some = match Frame::read(&source, Role::Submission, Some(&wanted)) {
                Ok(some) => some,
                // How long pandas reads rows again is known only roughly where texts are not kept.
                Err(failure) if failure.message().contains("CR alone") => return Ok(()),
                Err(failure) => panic!("{failure}"),
            };
            prop_assert_eq!(some.len(), whole.len());
            for name in wanted {
                prop_assert_eq!(
                    printed_values(some.column(name).unwrap()),
                    printed_values(whole.column(name).unwrap())
                );
            }
        }

        #[test]
        fn quotes_around_plain_text_do_not_matter(
            rows in prop::collection::vec(prop::collection::vec("[a-z0-9.é+!]{1,12}", 3), 1..12),
            end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        ) {
            let read = |quote: &str| {
                let lines = rows.iter().map(|row| {
                    let cells: Vec<String> =
                        row.iter().map(|cell| format!("{quote}{cell}{quote}")).collect();
                    format!("{}{end}", cells.join(","))
                });
                let text = lines.collect::<String>();
                printed(&Frame::from_text(Role::Submission, &text))
            };
            prop_assert_eq!(read(""), read("\""));
        }

        #[test]
        fn quoted_text_is_read_back(cells in prop::collection::vec("[^\\x00]{0,8}", 1..20)) {
            let rows: Vec<String> =
                cells.iter().map(|cell| format!("\"{}\",1\n", cell.replace('"', "\"\""))).collect();
            let frame =
                Frame::from_text(Role::Submission, &format!("a,b\n{}", rows.concat())).unwrap();
            for (row, cell) in cells.iter().enumerate() {
                prop_assert_eq!(frame.cell_text("a", row), Some(cell.as_str()));
            }
        }
    }
}
