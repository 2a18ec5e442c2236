//! Competitions that rank rows of two classes by a probability, rows matched by an id.

use crate::failure::Failure;
use crate::frame::{Cell, Column, Dtype, Frame, align_on};
use crate::grader::Score;
use crate::metrics;

/// Area under the ROC curve of the probabilities in the column `target`, rows matched by the column `id`.
///
/// # Errors
/// The submission is at fault where a column is missing, its ids are not those of the answers, or the column `target`
/// holds anything but numbers between 0 and 1. The answers are at fault where they hold one class only.
pub fn roc_auc(submission: &Frame, answers: &Frame, id: &str, target: &str) -> Result<Score, Failure> {
    answers.require_columns(&[id, target])?;
    submission.require_columns(&[id, target])?;
    require_probabilities(submission.column(target)?)?;
    let (submission, answers) = align_on(id, submission, answers)?;
    metrics::roc_auc(answers.column(target)?, submission.column(target)?).map(Score::new)
}

/// Checks that a column holds numbers between 0 and 1 and nothing else. Truth values count as numbers.
///
/// # Errors
/// A failure of the column's role that names the first row that holds something else.
pub fn require_probabilities(column: &Column) -> Result<(), Failure> {
    let wrong = |cell: Cell<'_>| match cell {
        Cell::Bool(_) => false,
        Cell::Int(value) => !(0..=1).contains(&value),
        Cell::Float(value) => !(0.0..=1.0).contains(&value),
        Cell::UInt(_) | Cell::Text(_) | Cell::Missing => true,
    };
    if let Some(row) = (0..column.len()).find(|row| wrong(column.cell(*row))) {
        return Err(column.failure_at(
            row,
            format_args!("{} where a probability between 0 and 1 is expected", column.cell(row).describe()),
        ));
    }
    if column.dtype() == Dtype::Object && !column.is_empty() {
        return Err(column.failure("holds truth values among numbers where probabilities are expected"));
    }
    Ok(())
}
