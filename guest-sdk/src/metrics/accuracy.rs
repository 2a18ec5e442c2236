//! Accuracy: the share of rows with the right label.

use super::labels::{check_targets, equal_rows};
use crate::failure::Failure;
use crate::frame::Column;

/// The share of rows of which the predicted label is the true one: scikit-learn 1.5.2 `metrics.accuracy_score` of two
/// one-dimensional arrays.
///
/// Text never equals a number; with more than two labels that is no error, and such rows are wrong. NaN where there
/// are no rows.
///
/// # Errors
/// Where the columns differ in length, one of them holds no labels (fractions, missing values, objects that are not
/// all text), or two labels a column are text in one and numbers in the other.
pub fn accuracy(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    check_targets(truth, prediction)?;
    let right = equal_rows(truth, prediction).filter(|equal| *equal).count();
    Ok(right as f64 / truth.len() as f64)
}
