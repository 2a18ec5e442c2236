//! Accuracy of the category `category_id`, products matched by `_id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct CdiscountImageClassification;

impl Grader for CdiscountImageClassification {
    const COMPETITION: &'static str = "cdiscount-image-classification-challenge";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["_id", "category_id"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "_id", "category_id")
    }
}

podium_grader::export!(CdiscountImageClassification);
