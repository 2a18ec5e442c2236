//! Root mean squared error of `Pawpularity`, a number from 1 to 100, pictures matched by `Id`.

use podium_grader::families::regression::root_mean_squared_error;
use podium_grader::frame::match_rows;
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct PetfinderPawpularityScore;

impl Grader for PetfinderPawpularityScore {
    const COMPETITION: &'static str = "petfinder-pawpularity-score";
    const METRIC: &'static str = "root mean squared error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Pawpularity"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("Id", &["Pawpularity"], submission, answers)?;
        let (predicted, truth) =
            (submission.column("Pawpularity")?, answers.column("Pawpularity")?);
        require_pawpularity(predicted)?;
        require_pawpularity(truth)?;
        root_mean_squared_error(truth, predicted)
    }
}

/// Checks that all values are numbers from 1 to 100.
fn require_pawpularity(column: &Column) -> Result<(), Failure> {
    match column.first_outside(1.0, 100.0)? {
        None => Ok(()),
        Some(row) => Err(column.unexpected(row, "a number from 1 to 100")),
    }
}

podium_grader::export!(PetfinderPawpularityScore);
