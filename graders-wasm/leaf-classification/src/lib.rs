//! Log loss of 99 species' probabilities, leaves matched by `id`.

mod species;

use podium_grader::families::log_loss::{SumsToOne, log_loss_of_classes};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

use species::SPECIES;

/// How far from one the probabilities of a row may add up to, beside numpy's relative tolerance.
const TOLERANCE: f64 = 1e-6;

struct LeafClassification;

impl Grader for LeafClassification {
    const COMPETITION: &'static str = "leaf-classification";
    const METRIC: &'static str = "log loss";
    const DIRECTION: Direction = Direction::LowerIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let columns = [&["id"], &SPECIES[..]].concat();
        answers.require_exact_columns(&columns)?;
        submission.require_exact_columns(&columns)?;
        log_loss_of_classes(submission, answers, "id", &SPECIES, SumsToOne::Close(TOLERANCE))
    }
}

podium_grader::export!(LeafClassification);
