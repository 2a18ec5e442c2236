//! Area under the ROC curve of `requester_received_pizza`, rows matched by `request_id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct RandomActsOfPizza;

impl Grader for RandomActsOfPizza {
    const COMPETITION: &'static str = "random-acts-of-pizza";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> =
        Some(&["request_id", "requester_received_pizza"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "request_id", "requester_received_pizza")
    }
}

podium_grader::export!(RandomActsOfPizza);
