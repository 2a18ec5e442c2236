//! Mean average precision of the first 5 whales in `Id`, pictures matched by `Image`.

use podium_grader::frame::{require_same_ids, require_same_length};
use podium_grader::metrics::{numeric, ranking::average_precision_at_k};
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Score};

/// Guesses that count.
const GUESSES: usize = 5;

struct WhaleCategorization;

impl Grader for WhaleCategorization {
    const COMPETITION: &'static str = "whale-categorization-playground";
    const METRIC: &'static str = "mean average precision at 5";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_exact_columns(&["Image", "Id"])?;
        submission.require_exact_columns(&["Image", "Id"])?;
        require_same_length("Image", submission, answers)?;
        require_same_ids("Image", submission, answers)?;
        let submission = submission.sort_by("Image")?;
        let answers = answers.sort_by("Image")?;

        // An empty cell is the text `nan`.
        let wanted = answers.column("Id")?.as_text();
        let guesses = submission.column("Id")?.as_text();
        let precisions: Vec<f64> = wanted
            .cells()
            .zip(guesses.cells())
            .map(|(wanted, guesses)| {
                let guesses: Vec<&str> = whales(guesses).take(GUESSES).collect();
                average_precision_at_k(&whales(wanted).collect(), &guesses, GUESSES)
            })
            .collect();
        let hits = precisions.iter().filter(|precision| **precision > 0.0).count();
        Ok(Score::new(numeric::mean(&precisions))
            .with("pictures", precisions.len() as f64)
            .with("pictures with a hit", hits as f64))
    }
}

/// The whales of a row; two spaces enclose an empty one.
fn whales(row: Cell<'_>) -> impl Iterator<Item = &str> {
    row.text().unwrap_or_default().split(' ')
}

podium_grader::export!(WhaleCategorization);
