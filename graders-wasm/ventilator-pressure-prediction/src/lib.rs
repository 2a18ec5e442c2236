//! Mean absolute error of `pressure` while the patient breathes in (`u_out` is 0), rows matched by `id`.
//!
//! What is predicted for other rows is not looked at.

use podium_grader::families::regression::mean_absolute_error;
use podium_grader::frame::match_rows;
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Score};

struct VentilatorPressurePrediction;

impl Grader for VentilatorPressurePrediction {
    const COMPETITION: &'static str = "ventilator-pressure-prediction";
    const METRIC: &'static str = "mean absolute error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "u_out", "pressure"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["u_out"])?;
        let (submission, answers) = match_rows("id", &["pressure"], submission, answers)?;
        let breathes_in: Vec<bool> =
            answers.column("u_out")?.cells().map(|valve| valve.equals(Cell::Int(0))).collect();
        let scored = breathes_in.iter().filter(|scored| **scored).count();
        if scored == 0 {
            return Err(Failure::answers("column `u_out`: no row is scored, none holds 0"));
        }
        let score = mean_absolute_error(
            &answers.column("pressure")?.filter(&breathes_in),
            &submission.column("pressure")?.filter(&breathes_in),
        )?;
        Ok(score.with("rows scored", scored as f64))
    }
}

podium_grader::export!(VentilatorPressurePrediction);
