//! Competitions that count how many labels are right, rows matched by an id.

use crate::failure::Failure;
use crate::frame::{Frame, match_rows};
use crate::grader::Score;
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
    metrics::accuracy(answers.column(target)?, submission.column(target)?).map(Score::new)
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
    metrics::accuracy(&answers.column(target)?.as_text(), &submission.column(target)?.as_text())
        .map(Score::new)
}
