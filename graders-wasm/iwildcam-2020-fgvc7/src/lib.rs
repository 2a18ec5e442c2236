//! Accuracy of the animal `Category`, pictures matched by `Id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct IWildCam2020;

impl Grader for IWildCam2020 {
    const COMPETITION: &'static str = "iwildcam-2020-fgvc7";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Category"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "Id", "Category")
    }
}

podium_grader::export!(IWildCam2020);
