//! Area under the ROC curve of `has_cactus`, pictures matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct AerialCactusIdentification;

impl Grader for AerialCactusIdentification {
    const COMPETITION: &'static str = "aerial-cactus-identification";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "has_cactus"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "id", "has_cactus")
    }
}

podium_grader::export!(AerialCactusIdentification);
