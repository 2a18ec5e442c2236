//! Mean average precision of the first 12 articles in `prediction`, customers matched by `customer_id`.
//!
//! Customers that the answers do not know are left out. Rows are paired by their place in the order of the ids, so a
//! customer that comes twice shifts those behind it.

use podium_grader::families::map_at_k::map_at_k;
use podium_grader::frame::are_same_set;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

/// Guesses that count.
const GUESSES: usize = 12;

struct HAndMFashionRecommendations;

impl Grader for HAndMFashionRecommendations {
    const COMPETITION: &'static str = "h-and-m-personalized-fashion-recommendations";
    const METRIC: &'static str = "mean average precision at 12";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_exact_columns(&["customer_id", "prediction"])?;
        submission.require_exact_columns(&["customer_id", "prediction"])?;
        let known = submission.column("customer_id")?.is_in(answers.column("customer_id")?);
        let submission = submission.filter(&known);
        require_all_customers(&submission, answers)?;
        let submission = submission.sort_by("customer_id")?;
        let answers = answers.sort_by("customer_id")?;

        // A column that reads as numbers has lost the leading zeros of its articles by now.
        let (bought, guesses) = (answers.column("prediction")?, submission.column("prediction")?);
        Ok(map_at_k(bought, guesses, GUESSES, "customers"))
    }
}

/// Checks that no customer of the answers is missing among those of the submission that they know.
fn require_all_customers(submission: &Frame, answers: &Frame) -> Result<(), Failure> {
    let (ids, expected) = (submission.column("customer_id")?, answers.column("customer_id")?);
    // Those that the answers do not know are left out already.
    if are_same_set(ids, expected) {
        return Ok(());
    }
    let missing = expected.set().difference(&ids.set());
    match missing.first() {
        None => Ok(()),
        Some(first) => Err(ids.failure(format_args!(
            "{} of {} customers are missing, the first is {}",
            missing.len(),
            expected.len(),
            expected.cell(*first).describe()
        ))),
    }
}

podium_grader::export!(HAndMFashionRecommendations);
