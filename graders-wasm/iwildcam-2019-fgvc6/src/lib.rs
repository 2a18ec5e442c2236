//! Macro-averaged F1 of the animal `Category`, pictures matched by `Id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct IWildCam2019;

impl Grader for IWildCam2019 {
    const COMPETITION: &'static str = "iwildcam-2019-fgvc6";
    const METRIC: &'static str = "macro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Category"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::macro_f1::macro_f1(submission, answers, "Id", "Category")
    }
}

podium_grader::export!(IWildCam2019);
