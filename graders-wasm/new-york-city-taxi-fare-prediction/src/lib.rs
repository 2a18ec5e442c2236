//! Root mean squared error of `fare_amount`, rows put side by side by sorting both tables by `key`.
//!
//! The keys only say where a row goes: nothing compares them, so other keys that sort alike grade alike.

use podium_grader::families::regression::root_mean_squared_error;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

struct NewYorkCityTaxiFarePrediction;

impl Grader for NewYorkCityTaxiFarePrediction {
    const COMPETITION: &'static str = "new-york-city-taxi-fare-prediction";
    const METRIC: &'static str = "root mean squared error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["key", "fare_amount"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["key", "fare_amount"])?;
        submission.require_columns(&["key", "fare_amount"])?;
        let submission = submission.sort_by("key")?.identified_by("key")?;
        let answers = answers.sort_by("key")?;
        let (fares, predicted) =
            (answers.column("fare_amount")?, submission.column("fare_amount")?);
        root_mean_squared_error(fares, predicted)
    }
}

podium_grader::export!(NewYorkCityTaxiFarePrediction);
