//! Macro-averaged F1 of the species `Predicted`, pictures matched by `Id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct Herbarium2020;

impl Grader for Herbarium2020 {
    const COMPETITION: &'static str = "herbarium-2020-fgvc7";
    const METRIC: &'static str = "macro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Predicted"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::macro_f1::macro_f1(submission, answers, "Id", "Predicted")
    }
}

podium_grader::export!(Herbarium2020);
