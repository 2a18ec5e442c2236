//! Accuracy of `label`, rows matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct Competition;

impl Grader for Competition {
    const COMPETITION: &'static str = "{{id}}";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "id", "label")
    }
}

podium_grader::export!(Competition);
