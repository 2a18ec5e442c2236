//! Log loss of 120 breeds' probabilities, pictures matched by `id`.

mod breeds;

use podium_grader::families::log_loss::{SumsToOne, log_loss_of_classes};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

use breeds::BREEDS;

/// How far from one the probabilities of a row may add up to, beside numpy's relative tolerance.
const TOLERANCE: f64 = 1e-6;

struct DogBreedIdentification;

impl Grader for DogBreedIdentification {
    const COMPETITION: &'static str = "dog-breed-identification";
    const METRIC: &'static str = "log loss";
    const DIRECTION: Direction = Direction::LowerIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_exact_columns(&[&["id"], &BREEDS[..]].concat())?;
        log_loss_of_classes(submission, answers, "id", &BREEDS, SumsToOne::Close(TOLERANCE))
    }
}

podium_grader::export!(DogBreedIdentification);
