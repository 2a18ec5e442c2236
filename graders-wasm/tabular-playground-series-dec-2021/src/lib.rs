//! Accuracy of `Cover_Type`, rows matched by `Id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct TabularPlaygroundDec2021;

impl Grader for TabularPlaygroundDec2021 {
    const COMPETITION: &'static str = "tabular-playground-series-dec-2021";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Cover_Type"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "Id", "Cover_Type")
    }
}

podium_grader::export!(TabularPlaygroundDec2021);
