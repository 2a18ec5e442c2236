//! Accuracy of the disease `label`, pictures matched by `image_id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct CassavaLeafDisease;

impl Grader for CassavaLeafDisease {
    const COMPETITION: &'static str = "cassava-leaf-disease-classification";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["image_id", "label"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "image_id", "label")
    }
}

podium_grader::export!(CassavaLeafDisease);
