//! Competitions that measure how far predicted numbers are off.

use crate::failure::Failure;
use crate::frame::Column;
use crate::grader::Score;
use crate::metrics;

/// The root mean squared error of rows that are matched, with the mean absolute error and the mean error: how far all
/// predictions together are off.
///
/// # Errors
/// As [`metrics::root_mean_squared_error`].
pub fn root_mean_squared_error(truth: &Column, predicted: &Column) -> Result<Score, Failure> {
    Ok(Score::new(metrics::root_mean_squared_error(truth, predicted)?)
        .with("mean absolute error", metrics::mean_absolute_error(truth, predicted)?)
        .with("mean error", metrics::mean_error(truth, predicted)?))
}

/// The mean absolute error of rows that are matched, with the root mean squared error and the mean error.
///
/// # Errors
/// As [`metrics::mean_absolute_error`].
pub fn mean_absolute_error(truth: &Column, predicted: &Column) -> Result<Score, Failure> {
    Ok(Score::new(metrics::mean_absolute_error(truth, predicted)?)
        .with("root mean squared error", metrics::root_mean_squared_error(truth, predicted)?)
        .with("mean error", metrics::mean_error(truth, predicted)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Role, Values};

    #[test]
    fn errors_come_with_their_mean() {
        let column =
            |role, values: &[f64]| Column::new("x", role, Values::Float64(values.to_vec()));
        let truth = column(Role::Answers, &[1.0, 2.0, 3.0, 4.0]);
        let predicted = column(Role::Submission, &[1.0, 1.0, 3.0, 7.0]);
        let squared = root_mean_squared_error(&truth, &predicted).unwrap();
        let expected = Score::new(2.5_f64.sqrt()).with("mean absolute error", 1.0);
        assert_eq!(squared, expected.with("mean error", 0.5));
        let absolute = mean_absolute_error(&truth, &predicted).unwrap();
        let expected = Score::new(1.0).with("root mean squared error", 2.5_f64.sqrt());
        assert_eq!(absolute, expected.with("mean error", 0.5));
    }
}
