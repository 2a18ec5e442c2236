//! Mean absolute error of `time_to_eruption`, rounded to a whole number (halves to the even one), segments matched by
//! `segment_id`.
//!
//! Ids are compared as sets: a segment that comes twice weighs more.

use podium_grader::frame::require_same_ids;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics};

const TIME: &str = "time_to_eruption";

struct PredictVolcanicEruptions;

impl Grader for PredictVolcanicEruptions {
    const COMPETITION: &'static str = "predict-volcanic-eruptions-ingv-oe";
    const METRIC: &'static str = "mean absolute error, rounded to a whole number";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["segment_id", TIME]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["segment_id", TIME])?;
        submission.require_columns(&["segment_id", TIME])?;
        require_same_ids("segment_id", submission, answers)?;
        let submission = submission.identified_by("segment_id")?;

        let pairs = answers.column("segment_id")?.merge_rows(submission.column("segment_id")?)?;
        let (expected, predicted): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        let times = submission.column(TIME)?.take(&predicted);
        let expected = answers.column(TIME)?.take(&expected);
        let error = metrics::mean_absolute_error(&expected, &times)?;
        if !error.is_finite() {
            return Err(times.failure("the errors add up to more than a number can hold"));
        }
        Ok(Score::new(error.round_ties_even())
            .with("mean absolute error, not rounded", error)
            .with("mean error", metrics::mean_error(&expected, &times)?))
    }
}

podium_grader::export!(PredictVolcanicEruptions);
