//! Accuracy of the disease `label`, pictures matched by `image_id`. A missing label is a wrong one.

use podium_grader::families::accuracy::accuracy_of_labels;
use podium_grader::frame::match_rows;
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Score, metrics};

struct PaddyDiseaseClassification;

impl Grader for PaddyDiseaseClassification {
    const COMPETITION: &'static str = "paddy-disease-classification";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        // Variety and age, which nothing is made of here, have to be there as well.
        answers.columns().try_for_each(|column| column.require_complete())?;
        let (submission, answers) = match_rows("image_id", &["label"], submission, answers)?;

        // Next to an empty text, numbers become texts, too.
        let labels = submission.column("label")?.fill_missing(Cell::Text(""));
        accuracy_of_labels(&metrics::listed_labels(&labels), answers.column("label")?)
    }
}

podium_grader::export!(PaddyDiseaseClassification);
