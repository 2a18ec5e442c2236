//! Mean average precision of the first 5 hotels in `hotel_id`, pictures matched by `image`.

use podium_grader::frame::{require_same_ids, require_same_length};
use podium_grader::metrics::{numeric, ranking::average_precision_at_k};
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Score};

/// Guesses that count.
const GUESSES: usize = 5;

struct HotelId2021;

impl Grader for HotelId2021 {
    const COMPETITION: &'static str = "hotel-id-2021-fgvc8";
    const METRIC: &'static str = "mean average precision at 5";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["image", "hotel_id"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["image", "hotel_id"])?;
        submission.require_columns(&["image", "hotel_id"])?;
        require_same_length("image", submission, answers)?;
        require_same_ids("image", submission, answers)?;
        let submission = submission.sort_by("image")?;
        let answers = answers.sort_by("image")?;

        // A column of single hotels reads as numbers, with an empty cell among them as fractions, which match nothing.
        let wanted = answers.column("hotel_id")?.as_text();
        let guesses = submission.column("hotel_id")?.as_text();
        let precisions: Vec<f64> = wanted
            .cells()
            .zip(guesses.cells())
            .map(|(wanted, guesses)| {
                let guesses: Vec<&str> = hotels(guesses).take(GUESSES).collect();
                average_precision_at_k(&hotels(wanted).collect(), &guesses, GUESSES)
            })
            .collect();
        let hits = precisions.iter().filter(|precision| **precision > 0.0).count();
        Ok(Score::new(numeric::mean(&precisions))
            .with("pictures", precisions.len() as f64)
            .with("pictures with a hit", hits as f64))
    }
}

/// The hotels of a row; two spaces enclose an empty one.
fn hotels(row: Cell<'_>) -> impl Iterator<Item = &str> {
    row.text().unwrap_or_default().split(' ')
}

podium_grader::export!(HotelId2021);
