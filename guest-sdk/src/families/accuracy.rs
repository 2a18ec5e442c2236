//! Competitions that count how many labels are right, rows matched by an id.

use super::classes::with_recalls;
use crate::failure::Failure;
use crate::frame::{Column, Dtype, Frame, match_rows};
use crate::grader::{Score, warn};
use crate::metrics;

/// Accuracy of the column `target`, rows matched by the column `id`.
///
/// # Errors
/// The submission is at fault where a column is missing, its ids are not those of the answers, or its labels do not
/// compare with those of the answers (see [`metrics::accuracy`]).
pub fn accuracy(
    submission: &Frame,
    answers: &Frame,
    id: &str,
    target: &str,
) -> Result<Score, Failure> {
    let (submission, answers) = match_rows(id, &[target], submission, answers)?;
    accuracy_of_labels(submission.column(target)?, answers.column(target)?)
}

/// Accuracy of the column `target` as Python's `str()` prints it, rows matched by the column `id`. A missing value is
/// the text `nan` on both sides, and a column that reads as numbers has lost how they were written.
///
/// # Errors
/// The submission is at fault where a column is missing or its ids are not those of the answers.
pub fn accuracy_of_texts(
    submission: &Frame,
    answers: &Frame,
    id: &str,
    target: &str,
) -> Result<Score, Failure> {
    let (submission, answers) = match_rows(id, &[target], submission, answers)?;
    let (predicted, truth) =
        (submission.column(target)?.as_text(), answers.column(target)?.as_text());
    let rows = truth.len();
    let right = metrics::right_rows(&truth, &predicted)?;
    Ok(Score::new(right as f64 / rows as f64)
        .with("rows", rows as f64)
        .with("wrong rows", (rows - right) as f64))
}

/// Accuracy of labels whose rows are matched, with the recall of each class. Says so where none can be right because one side is text and the other is
/// not: one word among numbers makes text of all of them.
///
/// # Errors
/// As [`metrics::accuracy`].
pub fn accuracy_of_labels(predicted: &Column, truth: &Column) -> Result<Score, Failure> {
    let accuracy = metrics::accuracy(truth, predicted)?;
    if let Some(mismatch) = mismatch(predicted, truth.dtype()) {
        warn(&mismatch);
    }
    with_recalls(Score::new(accuracy), truth, predicted)
}

/// What to say where no label can be right for its type.
fn mismatch(predicted: &Column, expected: Dtype) -> Option<String> {
    let name = predicted.name();
    match (predicted.dtype(), expected) {
        (Dtype::Object, expected) if expected.is_numeric() => {
            let row = predicted.cause_of_text()?;
            Some(format!(
                "column `{name}`: row {} has {}, which makes text of the whole column; no text equals the {} that are expected",
                predicted.file_row(row),
                predicted.describe(row),
                expected.describe()
            ))
        }
        (dtype, Dtype::Object) if dtype.is_numeric() && !predicted.is_empty() => Some(format!(
            "column `{name}`: its values are read as {}; none equals the texts that are expected",
            dtype.describe()
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Role;

    fn frame(role: Role, text: &str) -> Frame {
        Frame::from_text(role, text).unwrap()
    }

    #[test]
    fn rows_are_matched_by_id() {
        let answers = frame(Role::Answers, "id,label\n1,a\n2,b\n3,b\n4,c\n");
        let submission = frame(Role::Submission, "label,id\nb,3\na,1\na,2\nc,4\n");
        let expected = Score::new(0.75).with("recall of a", 1.0).with("recall of b", 0.5);
        assert_eq!(
            accuracy(&submission, &answers, "id", "label"),
            Ok(expected.with("recall of c", 1.0))
        );
    }

    #[test]
    fn texts_are_those_that_python_prints() {
        let answers = frame(Role::Answers, "id,label\n1,7\n2,\n3,null\n4,x\n");
        let submission = frame(Role::Submission, "id,label\n1,7\n2,nan\n3,NA\n4,y\n");
        let score = accuracy_of_texts(&submission, &answers, "id", "label");
        assert_eq!(score, Ok(Score::new(0.75).with("rows", 4.0).with("wrong rows", 1.0)));
        let submission = frame(Role::Submission, "id,label\n1,7.0\n2,\n3,\n4,\n");
        let score = accuracy_of_texts(&submission, &answers, "id", "label");
        assert_eq!(score, Ok(Score::new(0.5).with("rows", 4.0).with("wrong rows", 2.0)));
    }

    #[test]
    fn labels_that_cannot_be_right_are_remarked_upon() {
        let remark = |rows: &str, expected| {
            let submission = frame(Role::Submission, &format!("label\n{rows}"));
            mismatch(submission.column("label").unwrap(), expected)
        };
        let remarked = |remark: Option<String>, start: &str| {
            assert!(remark.as_ref().is_some_and(|remark| remark.starts_with(start)), "{remark:?}");
        };
        remarked(remark("1\n2\n- \n", Dtype::Int64), "column `label`: row 3 has `- `, which makes");
        remarked(remark("1\n0.5\n", Dtype::Object), "column `label`: its values are read as num");
        remarked(remark("True\n", Dtype::Object), "column `label`: its values are read as truth");
        assert_eq!(remark("1\n2.0\n", Dtype::Int64), None);
        assert_eq!(remark("1\nx\n", Dtype::Object), None);
    }
}
