//! Mean Jaccard index of the words of `selected_text`, in lower case, tweets matched by `textID`.

use podium_grader::frame::match_rows;
use podium_grader::metrics::jaccard::jaccard;
use podium_grader::metrics::numeric;
use podium_grader::text::{python_lower, python_split};
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};
use rustc_hash::FxHashSet;

struct TweetSentimentExtraction;

impl Grader for TweetSentimentExtraction {
    const COMPETITION: &'static str = "tweet-sentiment-extraction";
    const METRIC: &'static str = "mean word-level Jaccard index";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["textID", "selected_text"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("textID", &["selected_text"], submission, answers)?;
        let truth = texts(answers.column("selected_text")?);
        let predicted = texts(submission.column("selected_text")?);
        let scores: Vec<f64> = (truth.cells().zip(predicted.cells()))
            .map(|(truth, predicted)| {
                let (truth, predicted) = (lowered(truth), lowered(predicted));
                jaccard(&words(&truth), &words(&predicted))
            })
            .collect::<Option<_>>()
            .ok_or_else(|| undefined(&predicted))?;
        let exact = scores.iter().filter(|score| **score == 1.0).count();
        let disjoint = scores.iter().filter(|score| **score == 0.0).count();
        Ok(Score::new(numeric::mean(&scores))
            .with("tweets with exactly the right words", exact as f64)
            .with("tweets without a right word", disjoint as f64))
    }
}

/// The column as text: an empty cell has no words; numbers and truth values are written back as Python writes them.
fn texts(column: &Column) -> Column {
    column.fill_missing(Cell::Text("")).as_text()
}

fn lowered(cell: Cell<'_>) -> std::borrow::Cow<'_, str> {
    python_lower(cell.text().unwrap_or_default())
}

fn words(text: &str) -> FxHashSet<&str> {
    python_split(text).collect()
}

/// No words against no words is 0/0. The message tells which rows of the submission have no words, not which of them
/// it is where the answer has none either.
fn undefined(predicted: &Column) -> Failure {
    let empty = |row: &usize| {
        python_split(predicted.cell(*row).text().unwrap_or_default()).next().is_none()
    };
    match (0..predicted.len()).filter(empty).min_by_key(|row| predicted.file_row(*row)) {
        Some(row) => predicted.failure_at(
            row,
            "a text without words, which has no score where the answer has no words either; give each tweet a word or \
             more",
        ),
        None => predicted.failure("a text without words has no score where the answer has no words either"),
    }
}

podium_grader::export!(TweetSentimentExtraction);
