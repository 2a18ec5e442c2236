//! Mean edit distance of `sentence`, by Unicode code points, sentences matched by `id`.

use podium_grader::frame::match_rows;
use podium_grader::metrics::{levenshtein::Levenshtein, numeric};
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

struct BillionWordImputation;

impl Grader for BillionWordImputation {
    const COMPETITION: &'static str = "billion-word-imputation";
    const METRIC: &'static str = "mean Levenshtein distance";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "sentence"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["sentence"], submission, answers)?;
        let (sentences, predicted) = (answers.column("sentence")?, submission.column("sentence")?);
        let mut levenshtein = Levenshtein::new();
        let distances: Vec<f64> = (0..sentences.len())
            .map(|row| {
                Ok(levenshtein.text(sentence(sentences, row)?, sentence(predicted, row)?) as f64)
            })
            .collect::<Result<_, Failure>>()?;
        let unchanged = distances.iter().filter(|distance| **distance == 0.0).count();
        Ok(Score::new(numeric::mean(&distances))
            .with("sentences", distances.len() as f64)
            .with("sentences without a difference", unchanged as f64))
    }
}

/// The sentence of a row.
fn sentence(column: &Column, row: usize) -> Result<&str, Failure> {
    match column.cell(row) {
        Cell::Text(sentence) => Ok(sentence),
        _ => Err(column.unexpected(row, "a sentence")),
    }
}

podium_grader::export!(BillionWordImputation);
