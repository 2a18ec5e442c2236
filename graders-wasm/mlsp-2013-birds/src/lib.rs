//! Area under the ROC curve of `Probability`, pairs of recording and species matched by `Id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct Mlsp2013Birds;

impl Grader for Mlsp2013Birds {
    const COMPETITION: &'static str = "mlsp-2013-birds";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Probability"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "Id", "Probability")
    }
}

podium_grader::export!(Mlsp2013Birds);
