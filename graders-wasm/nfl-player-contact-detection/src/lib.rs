//! Matthews correlation coefficient of `contact`, pairs of players at a moment matched by `contact_id`.

use podium_grader::frame::match_rows_of_same_set;
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Score, metrics};

const ID: &str = "contact_id";

struct NflPlayerContactDetection;

impl Grader for NflPlayerContactDetection {
    const COMPETITION: &'static str = "nfl-player-contact-detection";
    const METRIC: &'static str = "Matthews correlation coefficient";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&[ID, "contact"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows_of_same_set(ID, &["contact"], submission, answers)?;
        let (truth, predicted) = (answers.column("contact")?, submission.column("contact")?);
        let correlation = metrics::matthews(truth, predicted)?;

        let count = |is_in_contact: bool, is_predicted: bool| {
            let holds = |cell: Cell<'_>| cell.equals(Cell::Int(1));
            let pairs = truth.cells().zip(predicted.cells());
            let counted = pairs.filter(|(truth, predicted)| {
                holds(*truth) == is_in_contact && holds(*predicted) == is_predicted
            });
            counted.count() as f64
        };
        Ok(Score::new(correlation)
            .with("true positives", count(true, true))
            .with("false positives", count(false, true))
            .with("false negatives", count(true, false))
            .with("true negatives", count(false, false)))
    }
}

podium_grader::export!(NflPlayerContactDetection);
