//! Area under the ROC curve of `MGMT_value`, patients matched by `BraTS21ID`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct RsnaMiccaiBrainTumor;

impl Grader for RsnaMiccaiBrainTumor {
    const COMPETITION: &'static str = "rsna-miccai-brain-tumor-radiogenomic-classification";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["BraTS21ID", "MGMT_value"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "BraTS21ID", "MGMT_value")
    }
}

podium_grader::export!(RsnaMiccaiBrainTumor);
