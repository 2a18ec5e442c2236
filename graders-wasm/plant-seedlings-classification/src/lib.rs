//! Micro-averaged F1 of the plant `species`, pictures matched by `file`.

use podium_grader::families::classes::with_f1s;
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
        let labels = metrics::confusion_by_label(&truth, &prediction)?;
        let score = Score::new(metrics::f_beta_of_labels(&labels, 1.0, Average::Micro));
        Ok(with_f1s(score, &truth, &labels))
    }
}

podium_grader::export!(PlantSeedlingsClassification);
