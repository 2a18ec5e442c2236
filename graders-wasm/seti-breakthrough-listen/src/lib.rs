//! Area under the ROC curve of `target`, signals matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct SetiBreakthroughListen;

impl Grader for SetiBreakthroughListen {
    const COMPETITION: &'static str = "seti-breakthrough-listen";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "target"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "id", "target")
    }
}

podium_grader::export!(SetiBreakthroughListen);
