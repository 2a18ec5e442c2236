//! Area under the ROC curve of `target`, pictures matched by `image_name`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct SiimIsicMelanoma;

impl Grader for SiimIsicMelanoma {
    const COMPETITION: &'static str = "siim-isic-melanoma-classification";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["image_name", "target"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "image_name", "target")
    }
}

podium_grader::export!(SiimIsicMelanoma);
