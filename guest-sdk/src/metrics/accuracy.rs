//! Accuracy: the share of rows with the right label.

use super::labels::{NumberedLabels, check_targets, equal_rows};
use crate::failure::Failure;
use crate::frame::{Column, Values};

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
    Ok(right_rows(truth, prediction)? as f64 / truth.len() as f64)
}

/// The number of rows with the right label.
///
/// # Errors
/// As [`accuracy`].
pub fn right_rows(truth: &Column, prediction: &Column) -> Result<usize, Failure> {
    check_targets(truth, prediction)?;
    Ok(equal_rows(truth, prediction).filter(|equal| *equal).count())
}

/// How often the rows of a label are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelRecall {
    /// A row whose true label it is.
    pub row: usize,
    /// How many rows have it.
    pub actual: u64,
    /// In how many of these it is predicted.
    pub right: u64,
}

/// Of each true label how often it is found, in the order of the labels. All that are right make up [`accuracy`].
///
/// # Errors
/// As [`accuracy`].
pub fn recall_by_label(truth: &Column, prediction: &Column) -> Result<Vec<LabelRecall>, Failure> {
    check_targets(truth, prediction)?;
    let labels = NumberedLabels::of_one(truth);
    let mut recalls = vec![LabelRecall { row: usize::MAX, actual: 0, right: 0 }; labels.count];
    if let (Values::Int64(truth), Values::Int64(prediction)) = (truth.values(), prediction.values())
    {
        let rows = truth.iter().zip(prediction).map(|(truth, prediction)| truth == prediction);
        count_recalls(&mut recalls, &labels.first, rows);
    } else {
        count_recalls(&mut recalls, &labels.first, equal_rows(truth, prediction));
    }
    Ok(recalls)
}

/// Counts the rows of each label, and those that are right.
fn count_recalls(recalls: &mut [LabelRecall], labels: &[u32], right: impl Iterator<Item = bool>) {
    for (row, (label, is_right)) in labels.iter().zip(right).enumerate() {
        let recall = &mut recalls[*label as usize];
        recall.row = recall.row.min(row);
        recall.actual += 1;
        recall.right += u64::from(is_right);
    }
}
