//! Mean Levenshtein distance of `InChI`, by code point, rows matched by `image_id`.

use podium_grader::frame::match_rows;
use podium_grader::metrics::levenshtein::Levenshtein;
use podium_grader::metrics::numeric;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

struct BmsMolecularTranslation;

impl Grader for BmsMolecularTranslation {
    const COMPETITION: &'static str = "bms-molecular-translation";
    const METRIC: &'static str = "mean Levenshtein distance";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["image_id", "InChI"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("image_id", &["InChI"], submission, answers)?;

        // Values are typed first and written back: 007 is 7, an empty cell is nan.
        let predicted = submission.column("InChI")?.as_text();
        let expected = answers.column("InChI")?.as_text();
        let distances = Levenshtein::new().texts(&expected, &predicted);
        let exact = distances.iter().filter(|distance| **distance == 0.0).count();
        Ok(Score::new(numeric::mean(&distances))
            .with("strings", distances.len() as f64)
            .with("exact strings", exact as f64))
    }
}

podium_grader::export!(BmsMolecularTranslation);
