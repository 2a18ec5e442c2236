//! The Kullback–Leibler divergence as Kaggle computes it (notebook `metric/kullback-leibler-divergence`).

use super::numeric;
use crate::failure::Failure;
use crate::frame::{Column, Dtype};

/// How close to 0 and 1 a predicted probability may come.
const CLIP: f64 = 1e-15;

/// The mean over the rows of Σ y·ln(y/p): `truth` holds the true probabilities, a vector a class, and `prediction` a
/// column a class.
///
/// Where y is 0 the class counts nothing. Predictions are kept off 0 and 1 by 10⁻¹⁵. In a column of integers pandas turns
/// the clipped values back into integers, so they are kept within 0 and 1 only, and a 0 makes the score infinite where y
/// is not 0. A missing prediction counts nothing. NaN of no rows.
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
    let predicted =
        prediction.iter().map(|column| column.to_f64()).collect::<Result<Vec<_>, _>>()?;
    let margins: Vec<f64> = prediction
        .iter()
        .map(
            |column| {
                if matches!(column.dtype(), Dtype::Int64 | Dtype::UInt64) { 0.0 } else { CLIP }
            },
        )
        .collect();
    Ok(numeric::mean_by(rows, |row| {
        numeric::sum_by(truth.len(), |class| {
            let actual = truth[class][row];
            if actual == 0.0 {
                return 0.0;
            }
            let predicted = predicted[class][row].clamp(margins[class], 1.0 - margins[class]);
            let term = actual * (actual / predicted).ln();
            // pandas skips what is missing when it adds up a row.
            if term.is_nan() { 0.0 } else { term }
        })
    }))
}
