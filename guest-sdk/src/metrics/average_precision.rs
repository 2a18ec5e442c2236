//! Average precision: the precisions at each threshold, weighted by the gain in recall.

use super::numeric;
use super::roc::{float_key, thresholds};

/// The average precision of scores, `positive` telling which rows are to be found: scikit-learn 1.5.2
/// `metrics.average_precision_score` of labels 0 and 1. Nothing is interpolated. 0 where there are no positives; NaN
/// where there are no rows.
///
/// # Errors
/// `None` where a score is NaN or infinite, which scikit-learn refuses.
///
/// # Panics
/// Where there are not as many scores as labels.
pub fn average_precision(positive: &[bool], scores: &[f64]) -> Option<f64> {
    assert_eq!(positive.len(), scores.len(), "one score a row");
    if scores.iter().any(|score| !score.is_finite()) {
        return None;
    }
    let keys: Vec<u64> = scores.iter().map(|score| float_key(*score)).collect();
    let points = thresholds(positive, &keys);
    let Some(last) = points.last() else { return Some(f64::NAN) };
    let found = f64::from(last.true_positives);
    // scikit-learn lists the thresholds from the loosest on, with a last point of recall 0.
    let count = points.len();
    let point = |place: usize| points[count - 1 - place];
    let recall = |place: usize| {
        if place == count {
            0.0
        } else if found == 0.0 {
            1.0
        } else {
            f64::from(point(place).true_positives) / found
        }
    };
    let precision = |place: usize| {
        let point = point(place);
        f64::from(point.true_positives)
            / (f64::from(point.true_positives) + f64::from(point.false_positives))
    };
    Some(-numeric::sum_by(count, |place| (recall(place + 1) - recall(place)) * precision(place)))
}
