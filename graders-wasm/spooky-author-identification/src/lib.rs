//! Log loss of three authors' probabilities, sentences matched by `id`.

use podium_grader::families::log_loss::{SumsToOne, log_loss_of_classes};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

/// Edgar Allan Poe, Howard Phillips Lovecraft, Mary Wollstonecraft Shelley.
const AUTHORS: [&str; 3] = ["EAP", "HPL", "MWS"];
/// How far from one the probabilities of a row may add up to, beside numpy's relative tolerance.
const TOLERANCE: f64 = 1e-6;

struct SpookyAuthorIdentification;

impl Grader for SpookyAuthorIdentification {
    const COMPETITION: &'static str = "spooky-author-identification";
    const METRIC: &'static str = "log loss";
    const DIRECTION: Direction = Direction::LowerIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let columns = ["id", "EAP", "HPL", "MWS"];
        answers.require_exact_columns(&columns)?;
        submission.require_exact_columns(&columns)?;
        // Whatever follows the first column is taken for probabilities.
        if submission.column_names().next() != Some("id") {
            return Err(Failure::submission("the first column has to be `id`"));
        }
        log_loss_of_classes(submission, answers, "id", &AUTHORS, SumsToOne::Close(TOLERANCE))
    }
}

podium_grader::export!(SpookyAuthorIdentification);
