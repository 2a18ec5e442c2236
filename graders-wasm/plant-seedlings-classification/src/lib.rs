//! Micro-averaged F1 of the plant `species`, pictures matched by `file`.

use podium_grader::frame::match_rows;
use podium_grader::metrics::{self, Average};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

struct PlantSeedlingsClassification;

impl Grader for PlantSeedlingsClassification {
    const COMPETITION: &'static str = "plant-seedlings-classification";
    const METRIC: &'static str = "micro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["file", "species"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("file", &["species"], submission, answers)?;
        // Among texts, an empty cell is the text `nan`.
        let truth = metrics::listed_labels(answers.column("species")?);
        let prediction = metrics::listed_labels(submission.column("species")?);
        metrics::f_beta(&truth, &prediction, 1.0, Average::Micro).map(Score::new)
    }
}

podium_grader::export!(PlantSeedlingsClassification);
