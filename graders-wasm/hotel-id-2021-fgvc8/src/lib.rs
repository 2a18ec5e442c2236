//! Mean average precision of the first 5 hotels in `hotel_id`, pictures matched by `image`.

use podium_grader::families::map_at_k::map_at_k;
use podium_grader::frame::match_rows_of_same_set;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

/// Guesses that count.
const GUESSES: usize = 5;

struct HotelId2021;

impl Grader for HotelId2021 {
    const COMPETITION: &'static str = "hotel-id-2021-fgvc8";
    const METRIC: &'static str = "mean average precision at 5";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["image", "hotel_id"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) =
            match_rows_of_same_set("image", &["hotel_id"], submission, answers)?;
        // A column of single hotels reads as numbers, with an empty cell among them as fractions, which match nothing.
        let (wanted, guesses) = (answers.column("hotel_id")?, submission.column("hotel_id")?);
        Ok(map_at_k(wanted, guesses, GUESSES, "pictures"))
    }
}

podium_grader::export!(HotelId2021);
