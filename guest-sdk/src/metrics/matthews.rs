//! The Matthews correlation coefficient.

use super::labels::{NumberedLabels, check_targets};
use crate::failure::Failure;
use crate::frame::Column;

/// The Matthews correlation coefficient of any number of labels (Gorodkin's R_K): scikit-learn 1.5.2
/// `metrics.matthews_corrcoef`. 0 where one column holds one label alone.
///
/// # Errors
/// Where the columns differ in length, one of them holds no labels, or one is text and the other is not.
pub fn matthews(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    check_targets(truth, prediction)?;
    let labels = NumberedLabels::of_joined(truth, prediction)?;
    let mut actual = vec![0_u64; labels.count];
    let mut predicted = vec![0_u64; labels.count];
    let mut right = 0_u64;
    for (truth, prediction) in labels.first.iter().zip(&labels.second) {
        actual[*truth as usize] += 1;
        predicted[*prediction as usize] += 1;
        right += u64::from(truth == prediction);
    }
    // Whole numbers, exact below 2⁵³ whatever the order.
    let dot = |left: &[u64], right: &[u64]| -> f64 {
        left.iter().zip(right).map(|(left, right)| *left as f64 * *right as f64).sum()
    };
    let rows = labels.first.len() as f64;
    let of_both = right as f64 * rows - dot(&actual, &predicted);
    let of_prediction = rows * rows - dot(&predicted, &predicted);
    let of_truth = rows * rows - dot(&actual, &actual);
    if of_prediction * of_truth == 0.0 {
        return Ok(0.0);
    }
    Ok(of_both / (of_truth * of_prediction).sqrt())
}
