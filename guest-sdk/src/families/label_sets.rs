//! Competitions in which a row has any number of labels, written in one cell and separated by white space.

use super::classes::with_f1s_of;
use crate::failure::Failure;
use crate::frame::{Cell, Column, Frame, match_rows};
use crate::grader::Score;
use crate::metrics::{Average, ConfusionCounts, LabelSets, Vocabulary, label_sets};
use crate::text::python_split;

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
    let (submission, answers) = match_rows(id, &[target], submission, answers)?;
    let truth = texts(answers.column(target)?, expected)?;
    micro_f1_of_texts(&truth, &texts(submission.column(target)?, expected)?)
}

/// Micro-averaged F1 of the labels of rows that are matched; see [`micro_f1`].
///
/// # Errors
/// The answers are at fault where they have fewer than two different labels.
pub fn micro_f1_of_texts(truth: &[&str], predicted: &[&str]) -> Result<Score, Failure> {
    let vocabulary: Vocabulary<'_> = truth.iter().flat_map(|row| python_split(row)).collect();
    let is_unknown = |label: &&str| !vocabulary.contains(label);
    let unknown = predicted.iter().flat_map(|row| python_split(row)).filter(is_unknown).count();
    let (truth, predicted) = (sets(&vocabulary, truth), sets(&vocabulary, predicted));
    let score = label_sets::f_beta(&vocabulary, &truth, &predicted, 1.0, Average::Micro)?;

    let by_label = label_sets::confusion_by_label(&vocabulary, &truth, &predicted);
    let all = by_label.iter().copied().fold(ConfusionCounts::default(), ConfusionCounts::and);
    let score = Score::new(score)
        .with("true positives", all.true_positives as f64)
        .with("false positives", (all.predicted - all.true_positives) as f64)
        .with("false negatives", (all.actual - all.true_positives) as f64)
        .with("predicted labels that no answer has", unknown as f64);
    let mut classes: Vec<(&str, ConfusionCounts)> =
        vocabulary.labels().into_iter().zip(by_label).collect();
    classes.sort_unstable_by_key(|(label, _)| *label);
    Ok(with_f1s_of(score, classes))
}

/// The text of each row; an empty cell stands for no labels. `expected` says what is expected, in messages.
///
/// # Errors
/// Where a cell is a number or a truth value, which is how a column reads that holds nothing else.
pub fn texts<'a>(column: &'a Column, expected: &str) -> Result<Vec<&'a str>, Failure> {
    let cells = column.cells().enumerate();
    cells
        .map(|(row, cell)| match cell {
            Cell::Text(text) => Ok(text),
            cell if cell.is_missing() => Ok(""),
            _ => Err(not_text(column, row, expected)),
        })
        .collect()
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

fn sets(vocabulary: &Vocabulary<'_>, rows: &[&str]) -> LabelSets {
    let mut sets = LabelSets::new();
    rows.iter().for_each(|row| sets.push(vocabulary, python_split(row)));
    sets
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
