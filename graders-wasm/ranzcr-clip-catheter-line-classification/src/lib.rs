//! Areas under the ROC curves of nine ways in which catheters and lines may lie, averaged; X-rays matched by
//! `StudyInstanceUID`.

use podium_grader::families::probabilities::require_probabilities;
use podium_grader::families::roc_auc::mean_roc_auc;
use podium_grader::frame::match_rows;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

const ID: &str = "StudyInstanceUID";
/// The columns that count. Files have two more, of which nothing is asked.
const CLASSES: [&str; 9] = [
    "ETT - Abnormal",
    "ETT - Borderline",
    "ETT - Normal",
    "NGT - Abnormal",
    "NGT - Borderline",
    "NGT - Incompletely Imaged",
    "NGT - Normal",
    "CVC - Abnormal",
    "CVC - Borderline",
];

struct RanzcrClip;

impl Grader for RanzcrClip {
    const COMPETITION: &'static str = "ranzcr-clip-catheter-line-classification";
    const METRIC: &'static str = "mean column-wise area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&[
        ID, CLASSES[0], CLASSES[1], CLASSES[2], CLASSES[3], CLASSES[4], CLASSES[5], CLASSES[6],
        CLASSES[7], CLASSES[8],
    ]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows(ID, &CLASSES, submission, answers)?;
        for class in CLASSES {
            require_probabilities(submission.column(class)?)?;
        }
        mean_roc_auc(&submission, &answers, &CLASSES)
    }
}

podium_grader::export!(RanzcrClip);
