//! Rows of a submission and of the answers, brought into the same order by an id.

use super::{Cell, Column, Frame};
use crate::failure::Failure;

/// Sorts both tables by the column `id`, as `DataFrame.sort_values` does, and checks that they then carry the same
/// ids, row by row, as numpy compares them: the check that most competitions begin with. The columns and the row count
/// are checked first.
///
/// # Errors
/// The submission is at fault where its ids are not those of the answers; the message names the first wrong id, what
/// is wrong with it, and where it stands in the file. The answers are at fault where they have no column `id`, or one
/// that cannot be sorted.
pub fn align_on(id: &str, submission: &Frame, answers: &Frame) -> Result<(Frame, Frame), Failure> {
    answers.require_columns(&[id])?;
    submission.require_columns(&[id])?;
    require_same_length(id, submission, answers)?;
    let submission = submission.sort_by(id)?;
    let answers = answers.sort_by(id)?;
    let (ids, expected) = (submission.column(id)?, answers.column(id)?);
    let Some(row) = ids.first_difference(expected) else {
        return Ok((submission, answers));
    };
    Err(Failure::submission(compare_ids(ids, expected).unwrap_or_else(|| {
        // The ids are the same set: one that is missing in both, or types that do not compare.
        format!(
            "column `{id}`: row {} has the id {}, which does not equal the id {} of the answers",
            ids.file_row(row),
            ids.cell(row).describe(),
            expected.cell(row).describe()
        )
    })))
}

/// Checks that the tables have equally many rows.
///
/// # Errors
/// The submission is at fault where it has more or fewer rows; the message says how many, and which ids are unknown,
/// missing or repeated where that can be told. Either is at fault that has no column `id`.
pub fn require_same_length(id: &str, submission: &Frame, answers: &Frame) -> Result<(), Failure> {
    if submission.len() != answers.len() {
        let mut message = format!(
            "{} has {} where {} are expected",
            submission.name(),
            count(submission.len(), "row"),
            answers.len()
        );
        if let Some(difference) = compare_ids(submission.column(id)?, answers.column(id)?) {
            message.push_str(&format!("; {difference}"));
        }
        return Err(Failure::submission(message));
    }
    Ok(())
}

/// Checks that the columns `id` of both tables hold the same values, whatever their order and however often each comes:
/// `set(submission[id]) == set(answers[id])`.
///
/// # Errors
/// The submission is at fault where it has no such column or its values are others; the message names the first that is
/// unknown or missing. The answers are at fault where they have no such column.
pub fn require_same_ids(id: &str, submission: &Frame, answers: &Frame) -> Result<(), Failure> {
    let expected = answers.column(id)?;
    let ids = submission.column(id)?;
    if ids.set() == expected.set() {
        return Ok(());
    }
    Err(Failure::submission(compare_ids(ids, expected).unwrap_or_else(|| {
        format!("column `{id}`: its values are not those of the answers")
    })))
}

/// What is wrong with ids, if it can be told from the sets that they are.
fn compare_ids(ids: &Column, expected: &Column) -> Option<String> {
    let (submitted, wanted) = (ids.set(), expected.set());
    let unknown = submitted.difference(&wanted);
    let missing = wanted.difference(&submitted);
    let name = ids.name();
    // Of the rows that are reordered, the first in the file is named.
    if let Some(first) = unknown.iter().copied().min_by_key(|row| ids.file_row(*row)) {
        let mut message = format!(
            "column `{name}`: row {} has {}, which is not among the answers; {} unknown and {} missing",
            ids.file_row(first),
            describe(ids.cell(first)),
            count_are(unknown.len(), "id"),
            count_are(missing.len(), ""),
        );
        if let Some(first) = missing.first() {
            message.push_str(&format!(" (first missing: {})", expected.cell(*first).describe()));
        }
        return Some(message);
    }
    if let Some(first) = missing.first() {
        return Some(format!(
            "column `{name}`: {} missing, the first is {}{}",
            count_are(missing.len(), "id"),
            expected.cell(*first).describe(),
            repeated(ids).map(|repeated| format!("; {repeated}")).unwrap_or_default(),
        ));
    }
    repeated(ids).map(|repeated| format!("column `{name}`: {repeated}"))
}

/// Which id is repeated, if one is.
fn repeated(ids: &Column) -> Option<String> {
    let row = (0..ids.len())
        .zip(ids.duplicated())
        .filter(|(_, duplicated)| *duplicated)
        .map(|(row, _)| row)
        .min_by_key(|row| ids.file_row(*row))?;
    Some(format!("row {} repeats {}", ids.file_row(row), describe(ids.cell(row))))
}

fn describe(id: Cell<'_>) -> String {
    if id.is_missing() { "no id".to_owned() } else { format!("the id {}", id.describe()) }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn count_are(number: usize, noun: &str) -> String {
    let noun = if noun.is_empty() || number == 1 { noun.to_owned() } else { format!("{noun}s") };
    let space = if noun.is_empty() { "" } else { " " };
    format!("{number}{space}{noun} {}", if number == 1 { "is" } else { "are" })
}
