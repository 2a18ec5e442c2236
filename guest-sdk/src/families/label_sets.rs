//! Competitions in which a row has any number of labels, written in one cell and separated by white space.

use super::classes::{MOST_LISTED, with_f1s_of};
use crate::failure::Failure;
use crate::frame::{Cell, Column, Frame, Values, match_rows};
use crate::grader::Score;
use crate::metrics::label_sets::{self, Tally};
use crate::metrics::{ConfusionCounts, LabelSets, Vocabulary};

/// Micro-averaged F1 of the labels in the column `target`, rows matched by the column `id`; `expected` says what the
/// labels are, in messages.
///
/// Labels that no answer has are not counted, and one that is repeated in a row counts once.
///
/// # Errors
/// The submission is at fault where a column is missing, its ids are not those of the answers, or its labels do not read
/// as text.
pub fn micro_f1(
    submission: &Frame,
    answers: &Frame,
    id: &str,
    target: &str,
    expected: &str,
) -> Result<Score, Failure> {
    let (matched, matched_answers) = match_rows(id, &[target], submission, answers)?;
    let truth = Texts::of(answers, &matched_answers, target)?;
    let predicted = Texts::of(submission, &matched, target)?;
    let mut vocabulary = Vocabulary::new();
    let mut true_sets = LabelSets::with_room(matched.len());
    truth.for_each(expected, |text| true_sets.push_words(&mut vocabulary, text))?;
    let pairs = (0..matched.len()).map(|row| (truth.place(row), predicted.place(row)));
    let mut tally = Tally::new(&vocabulary, &true_sets, pairs);
    predicted.for_each(expected, |text| tally.add_words(text))?;
    micro_f1_of_tally(&vocabulary, tally)
}

/// Micro-averaged F1 of the labels of rows that are matched; see [`micro_f1`].
///
/// # Errors
/// The answers are at fault where they have fewer than two different labels.
///
/// # Panics
/// Where there are not as many predicted rows as true ones.
pub fn micro_f1_of_texts(truth: &[&str], predicted: &[&str]) -> Result<Score, Failure> {
    let mut vocabulary = Vocabulary::new();
    let mut true_sets = LabelSets::with_room(truth.len());
    truth.iter().for_each(|text| true_sets.push_words(&mut vocabulary, text));
    let mut tally = Tally::new(&vocabulary, &true_sets, (0..truth.len()).map(|row| (row, row)));
    predicted.iter().for_each(|text| tally.add_words(text));
    micro_f1_of_tally(&vocabulary, tally)
}

fn micro_f1_of_tally(vocabulary: &Vocabulary<'_>, tally: Tally<'_>) -> Result<Score, Failure> {
    label_sets::require_two(vocabulary)?;
    let (by_label, unknown) = tally.finish();
    let all = by_label.iter().copied().fold(ConfusionCounts::default(), ConfusionCounts::and);
    let score = Score::new(all.f_beta(1.0))
        .with("true positives", all.true_positives as f64)
        .with("false positives", (all.predicted - all.true_positives) as f64)
        .with("false negatives", (all.actual - all.true_positives) as f64)
        .with("predicted labels that no answer has", unknown as f64);
    let mut classes: Vec<(&str, ConfusionCounts)> =
        vocabulary.labels().iter().copied().zip(by_label).collect();
    // More are counted, in any order.
    if classes.len() <= MOST_LISTED {
        classes.sort_unstable_by_key(|(label, _)| *label);
    }
    Ok(with_f1s_of(score, classes))
}

/// The texts of a column, read in the order of the file where that is possible: matched rows lie anywhere in memory, and
/// waiting for them takes longer than the work on them.
struct Texts<'a> {
    matched: &'a Frame,
    target: &'a str,
    /// The column in the order of the file.
    in_file_order: Option<&'a Column>,
}

impl<'a> Texts<'a> {
    /// The texts of the column `target` of a table whose rows were matched then.
    fn of(table: &'a Frame, matched: &'a Frame, target: &'a str) -> Result<Texts<'a>, Failure> {
        let is_whole = (0..table.len()).all(|row| table.file_row(row) == row + 1);
        let in_file_order = if is_whole { Some(table.column(target)?) } else { None };
        Ok(Texts { matched, target, in_file_order })
    }

    /// The number that the text of a matched row has among those that are read.
    fn place(&self, row: usize) -> usize {
        if self.in_file_order.is_some() { self.matched.file_row(row) - 1 } else { row }
    }

    /// Calls `each` with each text; an empty cell stands for no labels.
    ///
    /// # Errors
    /// As [`texts`], of the matched rows.
    fn for_each(&self, expected: &str, mut each: impl FnMut(&'a str)) -> Result<(), Failure> {
        let Some(column) = self.in_file_order else {
            texts(self.matched.column(self.target)?, expected)?.into_iter().for_each(each);
            return Ok(());
        };
        let read = |cell: Cell<'a>| text(cell).map(&mut each).is_some();
        let are_texts = match column.values() {
            Values::Object(objects) => objects.iter().all(read),
            _ => column.cells().all(read),
        };
        if !are_texts {
            texts(self.matched.column(self.target)?, expected)?;
            unreachable!("matched rows are the same in another order");
        }
        Ok(())
    }
}

/// The text of each row; an empty cell stands for no labels. `expected` says what is expected, in messages.
///
/// # Errors
/// Where a cell is a number or a truth value, which is how a column reads that holds nothing else.
pub fn texts<'a>(column: &'a Column, expected: &str) -> Result<Vec<&'a str>, Failure> {
    let cells = column.cells().enumerate();
    cells.map(|(row, cell)| text(cell).ok_or_else(|| not_text(column, row, expected))).collect()
}

/// The text of a cell, of which an empty one has none; `None` where it is anything else.
fn text(cell: Cell<'_>) -> Option<&str> {
    match cell {
        Cell::Text(text) => Some(text),
        cell if cell.is_missing() => Some(""),
        _ => None,
    }
}

/// That a cell is no text because the whole column is none.
fn not_text(column: &Column, row: usize, expected: &str) -> Failure {
    column.failure_at(
        row,
        format_args!(
            "expected {expected}, found {}; a column of nothing but numbers or truth values does not read as text",
            column.describe(row)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Role;

    fn grade(submission: &str) -> Result<Score, String> {
        let submission = Frame::from_text(Role::Submission, submission).unwrap();
        let answers = Frame::from_text(Role::Answers, "id,tags\n1,x y\n2,y\n3,\n").unwrap();
        micro_f1(&submission, &answers, "id", "tags", "tags, separated by spaces")
            .map_err(|failure| failure.message().to_owned())
    }

    #[test]
    fn labels_that_no_answer_has_are_not_counted() {
        let score = grade("id,tags\n3,x z\n2,y  y q\n1,\n").unwrap();
        let measures: Vec<(&str, f64)> =
            score.measures.iter().map(|measure| (measure.name.as_str(), measure.value)).collect();
        assert_eq!(score.value, 2.0 / 5.0);
        assert_eq!(
            measures,
            [
                ("true positives", 1.0),
                ("false positives", 1.0),
                ("false negatives", 2.0),
                ("predicted labels that no answer has", 2.0),
                ("F1 of x", 0.0),
                ("F1 of y", 2.0 / 3.0)
            ]
        );
    }

    #[test]
    fn a_column_of_numbers_is_no_text() {
        assert_eq!(
            grade("id,tags\n3,7\n2,7\n1,8\n").unwrap_err(),
            "column `tags`, row 3 (id 1): expected tags, separated by spaces, found 8; a column of nothing but numbers \
             or truth values does not read as text"
        );
    }
}
