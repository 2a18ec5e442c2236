//! Area under the ROC curve of `probability`, recordings matched by `clip`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct RightWhaleRedux;

impl Grader for RightWhaleRedux {
    const COMPETITION: &'static str = "the-icml-2013-whale-challenge-right-whale-redux";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["clip", "probability"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "clip", "probability")
    }
}

podium_grader::export!(RightWhaleRedux);
