//! Log loss of the probability `is_iceberg`, radar pictures matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct StatoilIcebergClassifier;

impl Grader for StatoilIcebergClassifier {
    const COMPETITION: &'static str = "statoil-iceberg-classifier-challenge";
    const METRIC: &'static str = "log loss";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "is_iceberg"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::log_loss::log_loss(submission, answers, "id", "is_iceberg")
    }
}

podium_grader::export!(StatoilIcebergClassifier);
