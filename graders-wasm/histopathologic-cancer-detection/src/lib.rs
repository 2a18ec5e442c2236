//! Area under the ROC curve of `label`, pictures matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct HistopathologicCancerDetection;

impl Grader for HistopathologicCancerDetection {
    const COMPETITION: &'static str = "histopathologic-cancer-detection";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "label"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "id", "label")
    }
}

podium_grader::export!(HistopathologicCancerDetection);
