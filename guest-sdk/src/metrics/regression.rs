//! Errors of predicted numbers, as in scikit-learn 1.5.2 `metrics._regression`, for one target.
//!
//! Two columns of integers are subtracted, and squared, as numpy does it: in 64 bits, wrapping.

use super::numbers::{Numbers, require_same_length, submitted_first};
use super::numeric;
use crate::failure::Failure;
use crate::frame::{Column, Role};

/// The mean absolute error: `metrics.mean_absolute_error`.
///
/// # Errors
/// Where the columns differ in length or are empty, both hold truth values, or a value is missing, infinite or no
/// number.
pub fn mean_absolute_error(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    let (truth_values, predicted) = checked(truth, prediction)?;
    Ok(match differences(&predicted, &truth_values) {
        Some(Differences::Int64(values)) => {
            numeric::mean_by(values.len(), |row| values[row].wrapping_abs() as f64)
        }
        Some(Differences::UInt64(values)) => {
            numeric::mean_by(values.len(), |row| values[row] as f64)
        }
        Some(Differences::Float64(values)) => {
            numeric::mean_by(values.len(), |row| values[row].abs())
        }
        None => return Err(truth_values_alone(truth, prediction)),
    })
}

/// The mean of the predictions less the truth: above 0 where too much is predicted.
///
/// # Errors
/// Where the columns differ in length or are empty, or a value is missing, infinite or no number.
pub fn mean_error(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    let (truth_values, predicted) = checked(truth, prediction)?;
    let (truth, predicted) = (truth_values.to_f64(), predicted.to_f64());
    Ok(numeric::mean_by(truth.len(), |row| predicted[row] - truth[row]))
}

/// The mean squared error: `metrics.mean_squared_error`.
///
/// # Errors
/// As [`mean_absolute_error`].
pub fn mean_squared_error(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    let (truth_values, predicted) = checked(truth, prediction)?;
    Ok(match differences(&truth_values, &predicted) {
        Some(Differences::Int64(values)) => {
            numeric::mean_by(values.len(), |row| values[row].wrapping_mul(values[row]) as f64)
        }
        Some(Differences::UInt64(values)) => {
            numeric::mean_by(values.len(), |row| values[row].wrapping_mul(values[row]) as f64)
        }
        Some(Differences::Float64(values)) => {
            numeric::mean_by(values.len(), |row| values[row] * values[row])
        }
        None => return Err(truth_values_alone(truth, prediction)),
    })
}

/// The square root of the mean squared error: `metrics.root_mean_squared_error`. NaN where wrapped squares of integers
/// have a negative mean.
///
/// # Errors
/// As [`mean_absolute_error`].
pub fn root_mean_squared_error(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    mean_squared_error(truth, prediction).map(f64::sqrt)
}

/// The root mean squared error of the logarithms of one more than the values: `metrics.root_mean_squared_log_error`.
///
/// # Errors
/// As [`mean_absolute_error`]; where a value is below 0.
pub fn root_mean_squared_log_error(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    let (truth_values, predicted) = checked(truth, prediction)?;
    if matches!((&truth_values, &predicted), (Numbers::Bool(_), Numbers::Bool(_))) {
        // The logarithms are of half precision there, and so is the score: see `logarithms`.
        return Err(truth_values_alone(truth, prediction));
    }
    let (submitted, other) = submitted_first(truth, prediction);
    require_not_negative(submitted)?;
    require_not_negative(other)?;
    let (truth, predicted) = (logarithms(&truth_values), logarithms(&predicted));
    let mean = numeric::mean_by(truth.len(), |row| {
        let difference = truth[row] - predicted[row];
        difference * difference
    });
    Ok(mean.sqrt())
}

/// The coefficient of determination: `metrics.r2_score`. 1 where everything is predicted exactly; 0 where the truth is
/// constant and the predictions are not exact; NaN of a single row.
///
/// # Errors
/// Where the columns differ in length or are empty, or a value is missing, infinite or no number.
pub fn r2(truth: &Column, prediction: &Column) -> Result<f64, Failure> {
    let (truth_values, predicted) = checked(truth, prediction)?;
    let (truth, predicted) = (truth_values.to_f64(), predicted.to_f64());
    if truth.len() < 2 {
        return Ok(f64::NAN);
    }
    let mean = numeric::mean(&truth);
    let squares = |centre: &dyn Fn(usize) -> f64| {
        numeric::sum_by(truth.len(), |row| {
            let difference = truth[row] - centre(row);
            difference * difference
        })
    };
    let unexplained = squares(&|row| predicted[row]);
    let total = squares(&|_| mean);
    Ok(if unexplained == 0.0 {
        1.0
    } else if total == 0.0 {
        0.0
    } else {
        1.0 - unexplained / total
    })
}

/// Both columns' numbers, the faults of the submission told first.
fn checked<'a>(
    truth: &'a Column,
    prediction: &'a Column,
) -> Result<(Numbers<'a>, Numbers<'a>), Failure> {
    if truth.role() == Role::Submission {
        let truth_values = Numbers::finite(truth)?;
        require_same_length(truth, prediction)?;
        return Ok((truth_values, Numbers::finite(prediction)?));
    }
    let predicted = Numbers::finite(prediction)?;
    require_same_length(truth, prediction)?;
    Ok((Numbers::finite(truth)?, predicted))
}

/// What numpy makes of one array minus another.
enum Differences {
    Int64(Vec<i64>),
    UInt64(Vec<u64>),
    Float64(Vec<f64>),
}

/// `left - right`; `None` of two columns of truth values, which numpy doesn't subtract.
fn differences(left: &Numbers<'_>, right: &Numbers<'_>) -> Option<Differences> {
    fn of<L: Copy, R: Copy, D>(left: &[L], right: &[R], subtract: impl Fn(L, R) -> D) -> Vec<D> {
        left.iter().zip(right).map(|(left, right)| subtract(*left, *right)).collect()
    }
    Some(match (left, right) {
        (Numbers::Bool(_), Numbers::Bool(_)) => return None,
        (Numbers::Int64(left), Numbers::Int64(right)) => {
            Differences::Int64(of(left, right, i64::wrapping_sub))
        }
        (Numbers::UInt64(left), Numbers::UInt64(right)) => {
            Differences::UInt64(of(left, right, u64::wrapping_sub))
        }
        (Numbers::Int64(left), Numbers::Bool(right)) => {
            Differences::Int64(of(left, right, |left, right| left.wrapping_sub(i64::from(right))))
        }
        (Numbers::Bool(left), Numbers::Int64(right)) => {
            Differences::Int64(of(left, right, |left, right| i64::from(left).wrapping_sub(right)))
        }
        (Numbers::UInt64(left), Numbers::Bool(right)) => {
            Differences::UInt64(of(left, right, |left, right| left.wrapping_sub(u64::from(right))))
        }
        (Numbers::Bool(left), Numbers::UInt64(right)) => {
            Differences::UInt64(of(left, right, |left, right| u64::from(left).wrapping_sub(right)))
        }
        (left, right) => {
            Differences::Float64(of(&left.to_f64(), &right.to_f64(), |left, right| left - right))
        }
    })
}

fn truth_values_alone(truth: &Column, prediction: &Column) -> Failure {
    submitted_first(truth, prediction).0.failure("expected numbers, found truth values")
}

fn require_not_negative(column: &Column) -> Result<(), Failure> {
    let Ok(numbers) = Numbers::finite(column) else { return Ok(()) };
    match numbers.to_f64().iter().position(|value| *value < 0.0) {
        None => Ok(()),
        Some(row) => Err(column.unexpected(row, "a number of at least 0")),
    }
}

/// `numpy.log1p` of the values. Of truth values it is of half precision.
fn logarithms(values: &Numbers<'_>) -> Vec<f64> {
    /// ln 2 rounded to float16.
    const HALF_PRECISION_LN_2: f64 = 0.693_359_375;
    match values {
        Numbers::Bool(values) => {
            values.iter().map(|value| if *value { HALF_PRECISION_LN_2 } else { 0.0 }).collect()
        }
        values => values.to_f64().iter().map(|value| value.ln_1p()).collect(),
    }
}
