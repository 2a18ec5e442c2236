//! Cohen's kappa with quadratic weights.

use super::labels::{LabelList, check_targets};
use super::numeric;
use crate::failure::Failure;
use crate::frame::Column;

/// Up to so many labels, the weighted sums are added element by element in numpy's order; beyond, in closed form.
const ADDED_IN_ORDER: usize = 4096;

/// Cohen's kappa of two raters, disagreements weighing the square of their distance: scikit-learn 1.5.2
/// `metrics.cohen_kappa_score(first, second, weights="quadratic")`.
///
/// The distance is between places in the sorted list of all labels that occur, not between the labels' values. NaN
/// where there is one label alone, or no rows.
///
/// # Errors
/// Where the columns differ in length, one of them holds no labels (fractions, missing values, objects that are not
/// all text), or one is text and the other is not.
pub fn quadratic_kappa(first: &Column, second: &Column) -> Result<f64, Failure> {
    check_targets(first, second)?;
    let labels = LabelList::of_both(first, second)?;
    let count = labels.len();
    let mut of_first = vec![0_u64; count];
    let mut of_second = vec![0_u64; count];
    let mut rows = 0_u64;
    let mut disagreement = 0_u128;
    for (first, second) in labels.places() {
        of_first[first] += 1;
        of_second[second] += 1;
        rows += 1;
        disagreement += squared_distance(first, second);
    }
    if rows == 0 {
        return Ok(f64::NAN);
    }
    let expected = if count <= ADDED_IN_ORDER {
        numeric::sum_by(count * count, |place| {
            let (row, column) = (place / count, place % count);
            let pairs = of_second[row] as f64 * of_first[column] as f64;
            squared_distance(row, column) as f64 * (pairs / rows as f64)
        })
    } else {
        expected_disagreement(&of_first, &of_second) / rows as f64
    };
    Ok(1.0 - disagreement as f64 / expected)
}

fn squared_distance(left: usize, right: usize) -> u128 {
    let distance = left.abs_diff(right) as u128;
    distance * distance
}

/// Σᵢⱼ (i − j)² aᵢ bⱼ, from the sums of the counts, of the places and of their squares.
fn expected_disagreement(first: &[u64], second: &[u64]) -> f64 {
    let moments = |counts: &[u64]| {
        (0_u128..).zip(counts).fold([0_u128; 3], |sums, (place, count)| {
            let count = u128::from(*count);
            [sums[0] + count, sums[1] + count * place, sums[2] + count * place * place]
        })
    };
    let (first, second) = (moments(first), moments(second));
    (first[2] * second[0] + first[0] * second[2] - 2 * first[1] * second[1]) as f64
}
