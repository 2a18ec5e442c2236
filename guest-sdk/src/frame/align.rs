//! Rows of a submission and of the answers, brought into the same order by an id.

use super::{Cell, Column, Frame, Values};
use crate::failure::Failure;

/// Sorts both tables by the column `id`, as `DataFrame.sort_values` does, and checks that they then carry the same
/// ids, row by row, as numpy compares them: the check that most competitions begin with. The columns and the row count
/// are checked first. Messages about a row of the submission name its id from then on.
///
/// # Errors
/// The submission is at fault where its ids are not those of the answers; the message names the first wrong id, what
/// is wrong with it, and where it stands in the file. The answers are at fault where they have no column `id`, or one
/// that cannot be sorted.
pub fn align_on(id: &str, submission: &Frame, answers: &Frame) -> Result<(Frame, Frame), Failure> {
    answers.require_columns(&[id])?;
    submission.require_columns(&[id])?;
    require_same_length(id, submission, answers)?;
    let (sorted, sorted_answers) =
        (submission.sort_by(id)?.identified_by(id)?, answers.sort_by(id)?);
    let (ids, expected) = (submission.column(id)?, answers.column(id)?);
    if are_same_texts(ids, expected)? || are_same_integers(ids, expected)? {
        return Ok((sorted, sorted_answers));
    }
    let (submission, answers) = (sorted, sorted_answers);
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

/// Checks that both tables have the columns `id` and `columns`, and brings their rows into the same order by `id`, as
/// [`align_on`] does.
///
/// # Errors
/// As [`align_on`]; also where a column is missing.
pub fn match_rows(
    id: &str,
    columns: &[&str],
    submission: &Frame,
    answers: &Frame,
) -> Result<(Frame, Frame), Failure> {
    let required: Vec<&str> = [id].into_iter().chain(columns.iter().copied()).collect();
    answers.require_columns(&required)?;
    submission.require_columns(&required)?;
    align_on(id, submission, answers)
}

/// As [`match_rows`], but the ids are compared as sets: where one is repeated and another is missing as often, rows are
/// paired by their place in the order of the ids all the same.
///
/// # Errors
/// As [`require_same_length`] and [`require_same_ids`]; also where a column is missing, or the ids cannot be sorted.
pub fn match_rows_of_same_set(
    id: &str,
    columns: &[&str],
    submission: &Frame,
    answers: &Frame,
) -> Result<(Frame, Frame), Failure> {
    let required: Vec<&str> = [id].into_iter().chain(columns.iter().copied()).collect();
    answers.require_columns(&required)?;
    submission.require_columns(&required)?;
    require_same_length(id, submission, answers)?;
    require_same_ids(id, submission, answers)?;
    Ok((submission.sort_by(id)?.identified_by(id)?, answers.sort_by(id)?))
}

/// Checks that the tables have equally many rows.
///
/// # Errors
/// The submission is at fault where it has more or fewer rows; the message says how many.
pub fn require_as_many_rows(submission: &Frame, answers: &Frame) -> Result<(), Failure> {
    match other_length(submission, answers) {
        None => Ok(()),
        Some(message) => Err(Failure::submission(message)),
    }
}

/// Checks that the tables have equally many rows.
///
/// # Errors
/// The submission is at fault where it has more or fewer rows; the message says how many, and which ids are unknown,
/// missing or repeated where that can be told. Either is at fault that has no column `id`.
pub fn require_same_length(id: &str, submission: &Frame, answers: &Frame) -> Result<(), Failure> {
    let Some(mut message) = other_length(submission, answers) else { return Ok(()) };
    if let Some(difference) = compare_ids(submission.column(id)?, answers.column(id)?) {
        message.push_str(&format!("; {difference}"));
    }
    Err(Failure::submission(message))
}

/// What is wrong with the number of rows, if it is not that of the answers.
fn other_length(submission: &Frame, answers: &Frame) -> Option<String> {
    (submission.len() != answers.len()).then(|| {
        format!(
            "{} has {} where {} are expected",
            submission.name(),
            count(submission.len(), "row"),
            answers.len()
        )
    })
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
    if are_same_set(ids, expected) {
        return Ok(());
    }
    Err(Failure::submission(
        compare_ids(ids, expected)
            .unwrap_or_else(|| format!("column `{id}`: its values are not those of the answers")),
    ))
}

/// Python's `set(left) == set(right)`. Where both hold the same values equally often, that is mostly found by sorting, which
/// graders do anyway.
pub fn are_same_set(left: &Column, right: &Column) -> bool {
    are_same_texts(left, right).unwrap_or(false)
        || left.rows_of_ascending(right).is_some()
        || left.set() == right.set()
}

/// Whether both columns hold text, the same texts equally often. Where that is so, it is found by sorting, which graders
/// mostly do anyway; where it is not, this may give `false` all the same.
fn are_same_texts(ids: &Column, expected: &Column) -> Result<bool, Failure> {
    let (Values::Object(texts), Values::Object(expected_texts)) = (ids.values(), expected.values())
    else {
        return Ok(false);
    };
    if texts.len() != expected_texts.len() || !texts.are_texts() || !expected_texts.are_texts() {
        return Ok(false);
    }
    let (order, expected_order) = (ids.order()?, expected.order()?);
    Ok(match (&order.texts, &expected_order.texts) {
        (Some(sorted), Some(expected)) => sorted.are_same(expected),
        _ => order.rows.iter().zip(expected_order.rows.iter()).all(|(row, expected_row)| {
            texts.bytes(*row as usize) == expected_texts.bytes(*expected_row as usize)
        }),
    })
}

/// Whether both columns hold integers, the same ones equally often; as [`are_same_texts`].
fn are_same_integers(ids: &Column, expected: &Column) -> Result<bool, Failure> {
    let (Values::Int64(values), Values::Int64(expected_values)) = (ids.values(), expected.values())
    else {
        return Ok(false);
    };
    let (order, expected_order) = (ids.order()?, expected.order()?);
    let rows = order.rows.len();
    let by_row = |place: usize| values[order.rows[place] as usize];
    let expected_by_row = |place: usize| expected_values[expected_order.rows[place] as usize];
    Ok(rows == expected_order.rows.len()
        && match (&order.integers, &expected_order.integers) {
            (Some(sorted), Some(expected)) => sorted.is_same(expected, rows),
            (Some(sorted), None) => sorted.are(rows, expected_by_row),
            (None, Some(expected)) => expected.are(rows, by_row),
            (None, None) => (0..rows).all(|place| by_row(place) == expected_by_row(place)),
        })
}

/// What is wrong with ids, if it can be told from the sets that they are.
fn compare_ids(ids: &Column, expected: &Column) -> Option<String> {
    let (submitted, wanted) = (ids.set(), expected.set());
    let unknown = submitted.difference(&wanted);
    let missing = wanted.difference(&submitted);
    let name = ids.name();
    // One id of text makes text of all, so that none equals a number.
    if expected.dtype().is_number()
        && let Some(row) = ids.cause_of_text()
    {
        return Some(format!(
            "column `{name}`: row {} has {}, which makes text of all ids; those of the answers are numbers",
            ids.file_row(row),
            describe(ids.cell(row))
        ));
    }
    // Of the rows that are reordered, the first in the file is named.
    if let Some(first) = unknown.iter().copied().min_by_key(|row| ids.file_row(*row)) {
        let mut message = format!(
            "column `{name}`: row {} has {}, which is not among the answers; {} unknown",
            ids.file_row(first),
            describe(ids.cell(first)),
            count_are(unknown.len(), "id"),
        );
        if let Some(first) = missing.first() {
            message.push_str(&format!(
                " and {} missing (first missing: {})",
                count_are(missing.len(), ""),
                expected.cell(*first).describe()
            ));
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

#[cfg(test)]
mod tests {
    use super::super::printed::printed_values;
    use super::super::{Frame, Role};
    use super::align_on;
    use crate::failure::Failure;

    fn aligned(submission: &str, answers: &str) -> Result<(String, String), Failure> {
        let submission = Frame::from_text(Role::Submission, submission)?;
        let answers = Frame::from_text(Role::Answers, answers)?;
        let (submission, answers) = align_on("id", &submission, &answers)?;
        Ok((printed_values(submission.column("v")?), printed_values(answers.column("v")?)))
    }

    #[test]
    fn rows_are_brought_into_the_same_order() {
        let aligned = aligned("v,id\n1,b\n2,a\n", "id,v\na,3\nb,4\n");
        assert_eq!(aligned.unwrap(), ("2, 1".to_owned(), "3, 4".to_owned()));
    }

    #[test]
    fn numbers_equal_across_types() {
        assert!(aligned("id,v\n2.0,1\n1,2\n", "id,v\n1,3\n2,4\n").is_ok());
        assert!(aligned("id,v\n02,1\n+1,2\n", "id,v\n1,3\n2,4\n").is_ok());
        assert!(aligned("id,v\n2x,1\n1,2\n", "id,v\n1,3\n2,4\n").is_err());
    }

    #[test]
    fn messages_say_which_id_is_wrong() {
        let answers = "id,v\na,1\nb,1\nc,1\n";
        let cases = [
            (
                "id,v\na,1\nx,1\ny,1\n",
                "row 2 has the id `x`, which is not among the answers; 2 ids are unknown and 2 are missing (first missing: `b`)",
            ),
            (
                "id,v\nb,1\na,1\na,1\n",
                "1 id is missing, the first is `c`; row 3 repeats the id `a`",
            ),
            ("id,v\nb,1\n,1\na,1\n", "row 2 has no id, which is not among the answers"),
            (
                "id,v\nb,1\na,1\n",
                "has 2 rows where 3 are expected; column `id`: 1 id is missing, the first is `c`",
            ),
            (
                "id,v\nb,1\na,1\nc,1\nc,1\n",
                "has 4 rows where 3 are expected; column `id`: row 4 repeats the id `c`",
            ),
            (
                "id,v\nb,1\na,1\nc,1\nd,1\n",
                "has 4 rows where 3 are expected; column `id`: row 4 has the id `d`, which is not among the answers; 1 id is unknown",
            ),
            ("v\n1\n", "has no column `id`"),
        ];
        for (submission, expected) in cases {
            let failure = aligned(submission, answers).unwrap_err();
            assert!(matches!(failure, Failure::InvalidSubmission(_)), "{failure}");
            assert!(failure.message().contains(expected), "{submission:?}: {failure}");
        }
        let failure = aligned("id,v\n1,1\nx,1\n", "id,v\n1,1\n2,1\n").unwrap_err();
        assert_eq!(
            failure.message(),
            "column `id`: row 2 has the id `x`, which makes text of all ids; those of the answers are numbers"
        );
    }

    #[test]
    fn answers_without_ids_are_their_own_fault() {
        let failure = aligned("id,v\n1,1\n", "v\n1\n").unwrap_err();
        assert!(matches!(failure, Failure::InvalidAnswers(_)), "{failure}");
    }
}
