//! Area under the ROC curve of `invasive`, pictures matched by `name`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct InvasiveSpeciesMonitoring;

impl Grader for InvasiveSpeciesMonitoring {
    const COMPETITION: &'static str = "invasive-species-monitoring";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["name", "invasive"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "name", "invasive")
    }
}

podium_grader::export!(InvasiveSpeciesMonitoring);
