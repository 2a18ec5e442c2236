//! Log loss of the probability `label` of a dog, pictures matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct DogsVsCatsRedux;

impl Grader for DogsVsCatsRedux {
    const COMPETITION: &'static str = "dogs-vs-cats-redux-kernels-edition";
    const METRIC: &'static str = "log loss";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "label"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::log_loss::log_loss(submission, answers, "id", "label")
    }
}

podium_grader::export!(DogsVsCatsRedux);
