//! Accuracy of `Transported`, rows matched by `PassengerId`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct SpaceshipTitanic;

impl Grader for SpaceshipTitanic {
    const COMPETITION: &'static str = "spaceship-titanic";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["PassengerId", "Transported"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "PassengerId", "Transported")
    }
}

podium_grader::export!(SpaceshipTitanic);
