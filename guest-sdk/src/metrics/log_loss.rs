//! Logarithmic loss, as scikit-learn 1.5.2 `metrics.log_loss` computes it.
//!
//! Probabilities are clipped to the machine epsilon of float64 on either side and not made to add up to one. What a
//! label is worth is its share of the row: 1 for a class label, the entry itself for an indicator matrix.

use std::borrow::Cow;

use super::labels::{NumberedLabels, target_type};
use super::numbers::{Numbers, require_same_length};
use super::numeric;
use super::roc::require_indicator;
use crate::failure::Failure;
use crate::frame::{Column, Matrix};

/// How close to 0 and 1 a probability may come.
const CLIP: f64 = f64::EPSILON;

/// The log loss of the probabilities of the larger of two labels: `log_loss(truth, probability)` of two
/// one-dimensional arrays.
///
/// # Errors
/// Where the columns differ in length or are empty; where the truth holds no labels, one, or more than two; where a
/// probability is missing, infinite or no number. That it lies between 0 and 1 is not asked for.
pub fn log_loss(truth: &Column, probability: &Column) -> Result<f64, Failure> {
    let numbers = Numbers::finite(probability)?;
    let probabilities = numbers.to_f64();
    target_type(truth)?;
    require_same_length(truth, probability)?;
    let labels = class_numbers(truth, 2)?;
    Ok(numeric::mean_by(labels.len(), |row| {
        let probability = probabilities[row];
        -clipped(if labels[row] == 1 { probability } else { 1.0 - probability }).ln()
    }))
}

/// The log loss of the rows of either label, the smaller first, each with a row whose label it is. Weighted by how often
/// the labels come, they make up [`log_loss`].
///
/// # Errors
/// As [`log_loss`].
pub fn log_loss_of_both(
    truth: &Column,
    probability: &Column,
) -> Result<[(usize, f64); 2], Failure> {
    log_loss(truth, probability)?;
    let probabilities = probability.to_f64()?;
    let labels = class_numbers(truth, 2)?;
    Ok([0, 1].map(|label| {
        let rows: Vec<usize> = (0..labels.len()).filter(|row| labels[*row] == label).collect();
        let loss = numeric::mean_by(rows.len(), |place| {
            let probability = probabilities[rows[place]];
            -clipped(if label == 1 { probability } else { 1.0 - probability }).ln()
        });
        (rows[0], loss)
    }))
}

/// The log loss of a column of probabilities a label, in the order of the sorted labels: `log_loss` of a
/// one-dimensional array of labels and a matrix.
///
/// # Errors
/// As [`log_loss`]; where there are not as many labels as columns.
///
/// # Panics
/// Where `probabilities` has fewer than two columns.
pub fn log_loss_multiclass(truth: &Column, probabilities: &Matrix) -> Result<f64, Failure> {
    assert!(probabilities.width() > 1, "a matrix of probabilities has two columns or more");
    let values = finite_columns(probabilities)?;
    target_type(truth)?;
    require_same_length(truth, probabilities.column(0))?;
    let labels = class_numbers(truth, probabilities.width())?;
    Ok(numeric::mean_by(labels.len(), |row| -clipped(values[labels[row] as usize][row]).ln()))
}

/// The log loss of a matrix of probabilities against one of indicators, column by column: `log_loss` of two matrices.
///
/// A row may have any number of ones, none included. Entries other than 0 and 1 weigh as much as they say; all columns
/// together have at most two different ones.
///
/// # Errors
/// Where the matrices differ in shape or have no rows; where the truth is not such a matrix; where a probability is
/// missing, infinite or no number.
///
/// # Panics
/// Where `truth` has fewer than two columns.
pub fn log_loss_indicator(truth: &Matrix, probabilities: &Matrix) -> Result<f64, Failure> {
    let (weights, values) = indicators(truth, probabilities)?;
    Ok(numeric::mean_by(truth.rows(), |row| {
        -numeric::sum_by(values.len(), |column| share(weights[column][row], values[column][row]))
    }))
}

/// The log loss of the rows of each label, a value a column: what [`log_loss_indicator`] sums up, divided by the weight
/// of the label. The labels' losses, weighted by how often each comes, make up the whole loss. NaN for a label that no
/// row has.
///
/// # Errors
/// As [`log_loss_indicator`].
///
/// # Panics
/// As [`log_loss_indicator`].
pub fn log_loss_by_label(truth: &Matrix, probabilities: &Matrix) -> Result<Vec<f64>, Failure> {
    let (weights, values) = indicators(truth, probabilities)?;
    let by_label = weights.iter().zip(&values).map(|(weights, values)| {
        let loss = -numeric::sum_by(values.len(), |row| share(weights[row], values[row]));
        loss / numeric::sum(weights)
    });
    Ok(by_label.collect())
}

/// The columns of both matrices as floats, after the checks.
fn indicators<'a>(
    truth: &'a Matrix,
    probabilities: &'a Matrix,
) -> Result<(Columns<'a>, Columns<'a>), Failure> {
    assert!(truth.width() > 1, "an indicator matrix has two columns or more");
    let values = finite_columns(probabilities)?;
    require_indicator(truth)?;
    require_same_length(truth.column(0), probabilities.column(0))?;
    if truth.width() != probabilities.width() {
        return Err(probabilities.role().failure(format!(
            "expected {} columns of probabilities, found {}",
            truth.width(),
            probabilities.width()
        )));
    }
    Ok((finite_columns(truth)?, values))
}

/// What a label of that weight in a row takes away from the row's loss.
fn share(weight: f64, probability: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * clipped(probability).ln() }
}

/// The values of the columns of a matrix.
type Columns<'a> = Vec<Cow<'a, [f64]>>;

fn finite_columns(matrix: &Matrix) -> Result<Columns<'_>, Failure> {
    matrix.columns().iter().map(|column| Ok(Numbers::finite(column)?.into_f64())).collect()
}

fn clipped(probability: f64) -> f64 {
    probability.clamp(CLIP, 1.0 - CLIP)
}

/// The labels by number; there have to be `expected` different ones.
fn class_numbers(truth: &Column, expected: usize) -> Result<Vec<u32>, Failure> {
    let numbered = NumberedLabels::of_one(truth);
    if numbered.count != expected {
        return Err(truth.failure(format_args!("expected {expected} different labels")));
    }
    Ok(numbered.first)
}
