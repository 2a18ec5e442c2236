//! Matthews correlation coefficient of `contact`, pairs of players at a moment matched by `contact_id`.

use podium_grader::frame::{Values, match_rows_of_same_set};
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

        // How many pairs there are by whether they are in contact, and by whether that is predicted.
        let mut counts = [[0_u64; 2]; 2];
        if let (Values::Int64(truth), Values::Int64(predicted)) =
            (truth.values(), predicted.values())
        {
            for (truth, predicted) in truth.iter().zip(predicted) {
                counts[usize::from(*truth == 1)][usize::from(*predicted == 1)] += 1;
            }
        } else {
            let holds = |cell: Cell<'_>| usize::from(cell.equals(Cell::Int(1)));
            for (truth, predicted) in truth.cells().zip(predicted.cells()) {
                counts[holds(truth)][holds(predicted)] += 1;
            }
        }
        let [[true_negatives, false_positives], [false_negatives, true_positives]] =
            counts.map(|counts| counts.map(|count| count as f64));
        Ok(Score::new(correlation)
            .with("true positives", true_positives)
            .with("false positives", false_positives)
            .with("false negatives", false_negatives)
            .with("true negatives", true_negatives))
    }
}

podium_grader::export!(NflPlayerContactDetection);
