//! Accuracy of the phoneme `ClassId`, frames of speech matched by `Id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct Ml2021SpringHw2;

impl Grader for Ml2021SpringHw2 {
    const COMPETITION: &'static str = "ml2021spring-hw2";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "ClassId"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "Id", "ClassId")
    }
}

podium_grader::export!(Ml2021SpringHw2);
