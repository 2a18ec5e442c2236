//! Mean average precision of the first 5 whales in `Id`, pictures matched by `Image`.

use podium_grader::families::map_at_k::map_at_k;
use podium_grader::frame::match_rows_of_same_set;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

/// Guesses that count.
const GUESSES: usize = 5;

struct WhaleCategorization;

impl Grader for WhaleCategorization {
    const COMPETITION: &'static str = "whale-categorization-playground";
    const METRIC: &'static str = "mean average precision at 5";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_exact_columns(&["Image", "Id"])?;
        submission.require_exact_columns(&["Image", "Id"])?;
        let (submission, answers) = match_rows_of_same_set("Image", &["Id"], submission, answers)?;
        let (wanted, guesses) = (answers.column("Id")?, submission.column("Id")?);
        Ok(map_at_k(wanted, guesses, GUESSES, "pictures"))
    }
}

podium_grader::export!(WhaleCategorization);
