//! Areas under the ROC curves of four states of apple leaves, averaged; pictures matched by `image_id`.

use podium_grader::families::roc_auc::mean_roc_auc;
use podium_grader::frame::match_rows;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

const ID: &str = "image_id";
const STATES: [&str; 4] = ["healthy", "multiple_diseases", "rust", "scab"];

struct PlantPathology2020;

impl Grader for PlantPathology2020 {
    const COMPETITION: &'static str = "plant-pathology-2020-fgvc7";
    const METRIC: &'static str = "mean column-wise area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let columns: Vec<&str> = [ID].into_iter().chain(STATES).collect();
        answers.require_exact_columns(&columns)?;
        submission.require_exact_columns(&columns)?;
        let (submission, answers) = match_rows(ID, &STATES, submission, answers)?;
        // Any numbers rank the pictures; they need not be probabilities.
        mean_roc_auc(&submission, &answers, &STATES)
    }
}

podium_grader::export!(PlantPathology2020);
