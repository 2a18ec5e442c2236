//! Correlation of two columns, as in scipy 1.14.1 `stats.pearsonr` and `stats.spearmanr`.

use super::labels::promoted;
use super::numbers::require_same_length;
use super::numeric;
use super::roc::float_key;
use crate::failure::Failure;
use crate::frame::{Column, Dtype, Values};

/// Pearson's correlation coefficient: the statistic of `scipy.stats.pearsonr`.
///
/// NaN where a column is constant, where a value is missing or infinite, and where the mean overflows. Of two rows it
/// is the product of the signs of the differences, so 0 where one is constant.
///
/// # Errors
/// Where the columns differ in length, have fewer than two rows, hold objects, or both hold truth values.
pub fn pearson(left: &Column, right: &Column) -> Result<f64, Failure> {
    require_same_length(left, right)?;
    for column in [left, right] {
        if column.dtype() == Dtype::Object {
            return Err(match column.cause_of_text() {
                Some(row) => column.unexpected(row, "a number"),
                None => column.failure("expected numbers, found truth values among empty cells"),
            });
        }
    }
    if promoted(left.dtype(), right.dtype()) == Dtype::Bool {
        return Err(right.failure("expected numbers, found truth values"));
    }
    if left.len() < 2 {
        return Err(right.failure(format_args!("expected at least 2 rows, found {}", right.len())));
    }
    let (left, right) = (left.to_f64()?, right.to_f64()?);
    if left.len() == 2 {
        return Ok(sign(left[1] - left[0]) * sign(right[1] - right[0]));
    }
    let is_constant = |values: &[f64]| values.iter().all(|value| *value == values[0]);
    if is_constant(&left) || is_constant(&right) {
        return Ok(f64::NAN);
    }
    let (left, left_norm) = centred(&left);
    let (right, right_norm) = centred(&right);
    let correlation =
        numeric::sum_by(left.len(), |row| left[row] / left_norm * right[row] / right_norm);
    Ok(correlation.clamp(-1.0, 1.0))
}

/// `numpy.sign`: 0 of zeros, NaN of NaN.
fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else if value == 0.0 {
        0.0
    } else {
        f64::NAN
    }
}

/// The values less their mean, and the norm of that, scaled by the largest so that no square overflows.
fn centred(values: &[f64]) -> (Vec<f64>, f64) {
    let mean = numeric::mean(values);
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let largest = centred.iter().fold(0.0, |largest: f64, value| {
        if largest.is_nan() || value.is_nan() { f64::NAN } else { largest.max(value.abs()) }
    });
    let squares = numeric::sum_by(centred.len(), |row| {
        let scaled = centred[row] / largest;
        scaled * scaled
    });
    (centred, largest * squares.sqrt())
}

/// Spearman's rank correlation: the statistic of `scipy.stats.spearmanr`. Equal values share the mean of their ranks;
/// text is ranked by code point.
///
/// NaN where a column is constant or a value is missing, and of fewer than two rows.
///
/// # Errors
/// Where the columns differ in length, or a column mixes text with other values, none of them missing.
pub fn spearman(left: &Column, right: &Column) -> Result<f64, Failure> {
    require_same_length(left, right)?;
    if left.len() <= 1 {
        return Ok(f64::NAN);
    }
    // Both become columns of one array, so numbers of two types are compared as the type that holds both.
    let as_float = promoted(left.dtype(), right.dtype()) == Dtype::Float64;
    if [left, right].into_iter().any(|column| is_constant(column, as_float))
        || left.has_missing()
        || right.has_missing()
    {
        return Ok(f64::NAN);
    }
    let (left, right) = (ranks(left, as_float)?, ranks(right, as_float)?);
    let covariance = |left: &[f64], right: &[f64]| {
        numeric::sum_by(left.len(), |row| left[row] * right[row]) * (1.0 / (left.len() - 1) as f64)
    };
    let deviation = |ranks: &[f64]| covariance(ranks, ranks).sqrt();
    let correlation = covariance(&left, &right) / deviation(&right) / deviation(&left);
    Ok(correlation.clamp(-1.0, 1.0))
}

fn is_constant(column: &Column, as_float: bool) -> bool {
    match column.values() {
        Values::Int64(values) if as_float => {
            values.iter().all(|value| *value as f64 == values[0] as f64)
        }
        Values::UInt64(values) if as_float => {
            values.iter().all(|value| *value as f64 == values[0] as f64)
        }
        Values::Int64(values) => values.iter().all(|value| *value == values[0]),
        Values::UInt64(values) => values.iter().all(|value| *value == values[0]),
        Values::Float64(values) => values.iter().all(|value| *value == values[0]),
        Values::Bool(values) => values.iter().all(|value| *value == values[0]),
        Values::Object(objects) => {
            let first = objects.get(0);
            objects.iter().all(|cell| cell.equals(first))
        }
    }
}

/// The ranks of the values, from 1, less their mean; nothing is missing.
fn ranks(column: &Column, as_float: bool) -> Result<Vec<f64>, Failure> {
    const SIGN: u64 = 1 << 63;
    Ok(match column.values() {
        Values::Int64(values) if as_float => {
            ranks_of(values.len(), |row| float_key(values[row] as f64))
        }
        Values::UInt64(values) if as_float => {
            ranks_of(values.len(), |row| float_key(values[row] as f64))
        }
        Values::Int64(values) => ranks_of(values.len(), |row| values[row] as u64 ^ SIGN),
        Values::UInt64(values) => ranks_of(values.len(), |row| values[row]),
        Values::Float64(values) => ranks_of(values.len(), |row| float_key(values[row])),
        Values::Bool(values) => ranks_of(values.len(), |row| values[row]),
        Values::Object(objects) => {
            let is_text = |row: usize| objects.is_text(row);
            if let Some(row) = (1..objects.len()).find(|row| is_text(*row) != is_text(0)) {
                return Err(column.failure_at(
                    row,
                    format_args!(
                        "{} cannot be ranked among the other values of this column",
                        column.describe(row)
                    ),
                ));
            }
            if is_text(0) {
                ranks_of(objects.len(), |row| objects.get(row).text().unwrap_or_default())
            } else {
                let mut numbers: Vec<u32> = (0..objects.len() as u32).collect();
                let order = |left: &u32, right: &u32| {
                    objects
                        .get(*left as usize)
                        .python_cmp(objects.get(*right as usize))
                        .unwrap_or(std::cmp::Ordering::Equal)
                };
                numbers.sort_by(order);
                ranks_in(&numbers, |left, right| order(&left, &right).is_eq())
            }
        }
    })
}

fn ranks_of<T: Ord>(length: usize, value: impl Fn(usize) -> T) -> Vec<f64> {
    let mut order: Vec<u32> = (0..length as u32).collect();
    order.sort_unstable_by_key(|row| value(*row as usize));
    ranks_in(&order, |left, right| value(left as usize) == value(right as usize))
}

/// The ranks of rows in their order, less the mean rank; equal ones share the mean of theirs.
fn ranks_in(order: &[u32], are_equal: impl Fn(u32, u32) -> bool) -> Vec<f64> {
    let mut ranks = vec![0.0; order.len()];
    let mean = (order.len() + 1) as f64 / 2.0;
    let mut start = 0;
    for tied in order.chunk_by(|left, right| are_equal(*left, *right)) {
        let rank = (start + 1) as f64 + (tied.len() - 1) as f64 / 2.0;
        for row in tied {
            ranks[*row as usize] = rank - mean;
        }
        start += tied.len();
    }
    ranks
}
