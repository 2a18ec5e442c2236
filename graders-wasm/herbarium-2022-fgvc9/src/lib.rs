//! Macro-averaged F1 of the taxon `Predicted`, pictures matched by `Id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct Herbarium2022;

impl Grader for Herbarium2022 {
    const COMPETITION: &'static str = "herbarium-2022-fgvc9";
    const METRIC: &'static str = "macro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Predicted"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::macro_f1::macro_f1(submission, answers, "Id", "Predicted")
    }
}

podium_grader::export!(Herbarium2022);
