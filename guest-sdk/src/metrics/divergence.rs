//! The Kullback–Leibler divergence as Kaggle computes it (notebook `metric/kullback-leibler-divergence`).

use super::numeric;
use crate::failure::Failure;
use crate::frame::{Column, Dtype};

/// How close to 0 and 1 a predicted probability may come.
const CLIP: f64 = 1e-15;

/// The mean over the rows of Σ y·ln(y/p): `truth` holds the true probabilities, a vector a class, and `prediction` a
/// column a class.
///
/// Where y is 0 the class counts nothing. Predictions are kept off 0 and 1 by 10⁻¹⁵; in a column of integers that has
/// no effect, so a 0 there makes the score infinite where y is not 0. NaN of no rows.
///
/// # Errors
/// Where a prediction is text that is no number.
///
/// # Panics
/// Where there are not as many classes, or not as many rows, on both sides.
pub fn kullback_leibler(truth: &[Vec<f64>], prediction: &[&Column]) -> Result<f64, Failure> {
    assert_eq!(truth.len(), prediction.len(), "one column a class on both sides");
    let rows = prediction.first().map_or(0, |column| column.len());
    assert!(truth.iter().all(|column| column.len() == rows), "as many rows on both sides");
    let predicted = prediction.iter().map(|column| column.to_f64()).collect::<Result<Vec<_>, _>>()?;
    let is_clipped: Vec<bool> = prediction
        .iter()
        .map(|column| !matches!(column.dtype(), Dtype::Int64 | Dtype::UInt64))
        .collect();
    Ok(numeric::mean_by(rows, |row| {
        numeric::sum_by(truth.len(), |class| {
            let actual = truth[class][row];
            if actual == 0.0 {
                return 0.0;
            }
            let predicted = predicted[class][row];
            let predicted = if is_clipped[class] { predicted.clamp(CLIP, 1.0 - CLIP) } else { predicted };
            actual * (actual / predicted).ln()
        })
    }))
}
