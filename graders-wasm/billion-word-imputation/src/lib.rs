//! Mean edit distance of `sentence`, by Unicode code points, sentences matched by `id`.

use podium_grader::frame::match_rows;
use podium_grader::metrics::{levenshtein::Levenshtein, numeric};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct BillionWordImputation;

impl Grader for BillionWordImputation {
    const COMPETITION: &'static str = "billion-word-imputation";
    const METRIC: &'static str = "mean Levenshtein distance";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "sentence"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["sentence"], submission, answers)?;
        let (sentences, predicted) = (answers.column("sentence")?, submission.column("sentence")?);
        // Of the rows without a sentence the first is told, on either side.
        let first = |column: &Column| (0..column.len()).find(|row| !column.is_text(*row));
        match (first(sentences), first(predicted)) {
            (Some(row), other) if other.is_none_or(|other| row <= other) => {
                return Err(sentences.unexpected(row, SENTENCE));
            }
            (_, Some(row)) => return Err(predicted.unexpected(row, SENTENCE)),
            _ => {}
        }
        let distances = Levenshtein::new().texts(sentences, predicted);
        let unchanged = distances.iter().filter(|distance| **distance == 0.0).count();
        Ok(Score::new(numeric::mean(&distances))
            .with("sentences", distances.len() as f64)
            .with("sentences without a difference", unchanged as f64))
    }
}

/// What every row is expected to hold.
const SENTENCE: &str = "a sentence";

podium_grader::export!(BillionWordImputation);
