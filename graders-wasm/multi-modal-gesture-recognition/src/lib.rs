//! Edit distances of the gesture sequences `Sequence`, summed and divided by the number of true gestures; recordings
//! matched by `Id`.

use podium_grader::frame::match_rows;
use podium_grader::metrics::levenshtein::Levenshtein;
use podium_grader::text::{Integer, python_int, python_split};
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

struct MultiModalGestureRecognition;

impl Grader for MultiModalGestureRecognition {
    const COMPETITION: &'static str = "multi-modal-gesture-recognition";
    const METRIC: &'static str = "normalised Levenshtein distance";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Sequence"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("Id", &["Sequence"], submission, answers)?;

        let predicted = sequences(submission.column("Sequence")?)?;
        let expected = sequences(answers.column("Sequence")?)?;
        let mut levenshtein = Levenshtein::new();
        let distances: Vec<usize> = (expected.iter().zip(&predicted))
            .map(|(expected, predicted)| levenshtein.symbols(expected, predicted))
            .collect();
        let sum: usize = distances.iter().sum();
        let gestures: usize = expected.iter().map(Vec::len).sum();
        let exact = distances.iter().filter(|distance| **distance == 0).count();
        Ok(Score::new(sum as f64 / gestures as f64)
            .with("sum of the distances", sum as f64)
            .with("true gestures", gestures as f64)
            .with("recordings", distances.len() as f64)
            .with("recordings without a difference", exact as f64))
    }
}

/// The gestures of each row.
fn sequences(column: &Column) -> Result<Vec<Vec<u64>>, Failure> {
    // Values are typed first and written back, so an empty cell is the word nan.
    let texts = column.as_text();
    let sequence = |(row, cell): (usize, Cell<'_>)| {
        python_split(cell.text().unwrap_or_default())
            .map(|word| {
                python_int(word)
                    .map(|gesture| symbol(&gesture))
                    .map_err(|_| column.unexpected(row, "gesture numbers, separated by spaces"))
            })
            .collect()
    };
    texts.cells().enumerate().map(sequence).collect()
}

/// What the Python package Levenshtein compares instead of an integer: its hash, in which numbers that differ by a
/// multiple of 2⁶¹ − 1 are one, and -1 for -1, whose hash is that of -2.
fn symbol(gesture: &Integer) -> u64 {
    match gesture {
        Integer::Small(-1) => u64::MAX,
        gesture => gesture.python_hash() as u64,
    }
}

podium_grader::export!(MultiModalGestureRecognition);
