//! The receiver operating characteristic and the area under it, as in scikit-learn 1.5.2 `metrics._ranking`.
//!
//! Only the counts of positives and negatives at each distinct score matter, so both are sorted on their own, as
//! 64-bit keys, and merged: how a sort orders ties makes no difference.

use std::collections::BTreeSet;

use super::labels::{TargetType, target_type};
use super::numbers::{Numbers, require_same_length};
use super::numeric;
use crate::failure::Failure;
use crate::frame::{Cell, Column, Dtype, Matrix, Role, Values};

/// A ROC curve: one point a threshold, from the strictest on, after a point at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct RocCurve {
    /// The share of the negatives above each threshold; all NaN where there are no negatives.
    pub false_positive_rates: Vec<f64>,
    /// The share of the positives above each threshold; all NaN where there are no positives.
    pub true_positive_rates: Vec<f64>,
}

/// The area under the ROC curve of scores against two labels, of which the larger is the positive one:
/// `metrics.roc_auc_score` of two one-dimensional arrays.
///
/// Labels may be any two: 0 and 1, truth values, texts. Scores may be numbers, truth values, or texts that Python's
/// `float()` takes.
///
/// # Errors
/// Where the columns differ in length or are empty; where the truth holds no labels, one, or more than two; where a
/// score is missing, infinite or no number.
pub fn roc_auc(truth: &Column, scores: &Column) -> Result<f64, Failure> {
    let scored = Numbers::finite(scores)?;
    if truth.is_empty() {
        return Err(truth.failure("there are no rows to score"));
    }
    let kind = target_type(truth)?;
    require_same_length(truth, scores)?;
    if kind == TargetType::Multiclass {
        return Err(truth.failure("expected two different labels, found more"));
    }
    let positive = positive_rows(truth).ok_or_else(|| one_label(truth))?;
    Ok(area(&thresholds(&positive, &keys(&scored))))
}

/// The areas under the ROC curves of several columns of scores against as many columns of labels: `roc_auc_score` of
/// two matrices with `average=None`. `average="macro"` is their [`mean`](numeric::mean).
///
/// As in scikit-learn, `truth` may have more columns than `scores`; only as many as `scores` has are looked at. The
/// labels of all columns together are two at most, and in each column 0 and 1, or -1 and 1.
///
/// # Errors
/// Where the matrices differ in length or are empty, or `scores` has more columns; where the labels are not those; where
/// a score is missing, infinite or no number.
///
/// # Panics
/// Where `truth` has fewer than two columns: scikit-learn takes a single column for one target ([`roc_auc`]).
pub fn roc_auc_by_column(truth: &Matrix, scores: &Matrix) -> Result<Vec<f64>, Failure> {
    assert!(truth.width() > 1, "a matrix of labels has two columns or more");
    let scored: Vec<Numbers<'_>> = (0..scores.width())
        .map(|column| Numbers::finite(scores.column(column)))
        .collect::<Result<_, _>>()?;
    require_indicator(truth)?;
    require_same_length(truth.column(0), scores.column(0))?;
    if scores.width() > truth.width() {
        return Err(scores.role().failure(format!(
            "expected at most {} columns of scores, found {}",
            truth.width(),
            scores.width()
        )));
    }
    scored
        .iter()
        .enumerate()
        .map(|(number, scored)| {
            let column = truth.column(number);
            let positive = positive_rows(column).ok_or_else(|| one_label(column))?;
            require_signs(column)?;
            Ok(area(&thresholds(&positive, &keys(scored))))
        })
        .collect()
}

/// The ROC curve of scores, rows labelled 1 being the positives: `metrics.roc_curve` with `pos_label=1`.
///
/// As there, points between two equal steps are left out (`drop_intermediate=True`). Unlike [`roc_auc`], the labels may
/// be more than two, and the positives or the negatives may be missing.
///
/// # Errors
/// Where the columns differ in length or are empty, the truth holds no labels, or a score is missing, infinite or text
/// (even of a number: unlike [`roc_auc`], scikit-learn doesn't convert it here).
pub fn roc_curve(truth: &Column, scores: &Column) -> Result<RocCurve, Failure> {
    if let Some(row) = (0..scores.len()).find(|row| scores.is_text(*row)) {
        return Err(scores.unexpected(row, "a number"));
    }
    let scored = Numbers::finite(scores)?;
    target_type(truth)?;
    require_same_length(truth, scores)?;
    let positive: Vec<bool> = truth.cells().map(|cell| cell.equals(Cell::Int(1))).collect();
    let points = without_even_steps(&thresholds(&positive, &keys(&scored)));
    let last = *points.last().expect("there are rows, so there is a threshold");
    let rate =
        |count: u32, all: u32| if all == 0 { f64::NAN } else { f64::from(count) / f64::from(all) };
    let with_origin = || std::iter::once(Counts::default()).chain(points.iter().copied());
    Ok(RocCurve {
        false_positive_rates: with_origin()
            .map(|counts| rate(counts.false_positives, last.false_positives))
            .collect(),
        true_positive_rates: with_origin()
            .map(|counts| rate(counts.true_positives, last.true_positives))
            .collect(),
    })
}

/// The area under a curve by the trapezoidal rule: `metrics.auc`. `None` where `x` is neither increasing nor
/// decreasing throughout, or there are fewer than two points: scikit-learn refuses these.
///
/// # Panics
/// Where there are not as many `x` as `y`.
pub fn area_under_curve(x: &[f64], y: &[f64]) -> Option<f64> {
    assert_eq!(x.len(), y.len(), "one y an x");
    if x.len() < 2 {
        return None;
    }
    let steps = || x.windows(2).map(|pair| pair[1] - pair[0]);
    let mut direction = 1.0;
    if steps().any(|step| step < 0.0) {
        if !steps().all(|step| step <= 0.0) {
            return None;
        }
        direction = -1.0;
    }
    Some(direction * trapezoids(x.len(), |place| x[place], |place| y[place]))
}

/// The sum of the trapezoids between neighbouring points, as `scipy.integrate.trapezoid` adds them.
fn trapezoids(points: usize, x: impl Fn(usize) -> f64, y: impl Fn(usize) -> f64) -> f64 {
    numeric::sum_by(points - 1, |place| (x(place + 1) - x(place)) * (y(place + 1) + y(place)) / 2.0)
}

/// How many rows score at least as high as a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) false_positives: u32,
    pub(super) true_positives: u32,
}

/// Scores as keys in the order of the scores, equal for equal scores. Zeros of both signs are equal.
fn keys(scores: &Numbers<'_>) -> Vec<u64> {
    const SIGN: u64 = 1 << 63;
    match scores {
        Numbers::Int64(values) => values.iter().map(|value| *value as u64 ^ SIGN).collect(),
        Numbers::UInt64(values) => values.to_vec(),
        Numbers::Bool(values) => values.iter().map(|value| u64::from(*value)).collect(),
        Numbers::Float64(values) => values.iter().map(|value| float_key(*value)).collect(),
    }
}

/// A key in the order of floats that are not NaN: the bits, those of negatives inverted.
pub(super) fn float_key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The counts at each distinct score, highest first: `_binary_clf_curve`.
pub(super) fn thresholds(positive: &[bool], keys: &[u64]) -> Vec<Counts> {
    let pick = |wanted: bool| -> Vec<u64> {
        let mut picked: Vec<u64> = positive
            .iter()
            .zip(keys)
            .filter(|(positive, _)| **positive == wanted)
            .map(|(_, key)| *key)
            .collect();
        picked.sort_unstable();
        picked
    };
    let positives = pick(true);
    let negatives = pick(false);
    let mut points = Vec::new();
    let (mut positives, mut negatives) = (positives.as_slice(), negatives.as_slice());
    let mut counts = Counts::default();
    while let Some(score) = positives.last().max(negatives.last()).copied() {
        counts.true_positives += drop_equal(&mut positives, score);
        counts.false_positives += drop_equal(&mut negatives, score);
        points.push(counts);
    }
    points
}

/// Takes the keys equal to `key` off the end and says how many they were.
fn drop_equal(keys: &mut &[u64], key: u64) -> u32 {
    let equal = keys.iter().rev().take_while(|other| **other == key).count();
    *keys = &keys[..keys.len() - equal];
    equal as u32
}

/// Without the points that lie in the middle of two equal steps: `drop_intermediate=True`.
fn without_even_steps(points: &[Counts]) -> Vec<Counts> {
    let step = |from: Counts, to: Counts| {
        (to.false_positives - from.false_positives, to.true_positives - from.true_positives)
    };
    let last = points.len().saturating_sub(1);
    points
        .iter()
        .enumerate()
        .filter(|(place, point)| {
            *place == 0
                || *place == last
                || step(points[place - 1], **point) != step(**point, points[place + 1])
        })
        .map(|(_, point)| *point)
        .collect()
}

/// The area under the curve through those points and the origin; both labels occur.
fn area(points: &[Counts]) -> f64 {
    let points = without_even_steps(points);
    let last = points[points.len() - 1];
    let point =
        |place: usize| place.checked_sub(1).map_or_else(Counts::default, |place| points[place]);
    trapezoids(
        points.len() + 1,
        |place| f64::from(point(place).false_positives) / f64::from(last.false_positives),
        |place| f64::from(point(place).true_positives) / f64::from(last.true_positives),
    )
}

/// Which rows hold the larger of two labels; `None` where there is only one.
fn positive_rows(truth: &Column) -> Option<Vec<bool>> {
    fn larger<T: PartialOrd + Copy>(values: &[T]) -> Option<Vec<bool>> {
        let first = *values.first()?;
        let other = *values.iter().find(|value| **value != first)?;
        let positive = if other > first { other } else { first };
        Some(values.iter().map(|value| *value == positive).collect())
    }
    match truth.values() {
        Values::Int64(values) => larger(values),
        Values::UInt64(values) => larger(values),
        Values::Float64(values) => larger(values),
        Values::Bool(values) => larger(values),
        Values::Object(objects) => {
            let texts: Vec<&str> =
                objects.iter().map(|cell| cell.text().unwrap_or_default()).collect();
            larger(&texts)
        }
    }
}

fn one_label(truth: &Column) -> Failure {
    truth.failure(
        "expected two different labels; with one alone the area under the ROC curve is not defined",
    )
}

/// Succeeds where a matrix holds labels as indicators: at most two different whole numbers.
pub(super) fn require_indicator(truth: &Matrix) -> Result<(), Failure> {
    if truth.rows() == 0 {
        return Err(truth.role().failure("there are no rows to score"));
    }
    let mut labels = BTreeSet::new();
    for number in 0..truth.width() {
        let column = truth.column(number);
        if column.dtype() == Dtype::Object {
            return Err(column.failure("expected numbers as labels"));
        }
        // Says which row is no label.
        target_type(column)?;
        for cell in column.cells() {
            let label = match cell {
                Cell::Int(value) => i128::from(value),
                Cell::UInt(value) => i128::from(value),
                Cell::Bool(value) => i128::from(value),
                Cell::Float(value) => value as i128,
                Cell::Missing | Cell::Text(_) => continue,
            };
            if !labels.contains(&label) {
                labels.insert(label);
            }
            if labels.len() > 2 {
                return Err(
                    column.failure("expected at most two different labels in all columns together")
                );
            }
        }
    }
    Ok(())
}

/// Succeeds where the labels of a column, of which there are two, are 0 and 1 or -1 and 1.
fn require_signs(truth: &Column) -> Result<(), Failure> {
    let fits = |cell: Cell<'_>, low: i64| cell.equals(Cell::Int(low)) || cell.equals(Cell::Int(1));
    if truth.cells().all(|cell| fits(cell, 0)) || truth.cells().all(|cell| fits(cell, -1)) {
        return Ok(());
    }
    let what = "the labels 0 and 1, or -1 and 1";
    Err(match truth.role() {
        Role::Answers => truth.failure(format_args!("expected {what}")),
        Role::Submission => {
            let row = truth.cells().position(|cell| !fits(cell, 0)).unwrap_or_default();
            truth.unexpected(row, what)
        }
    })
}
