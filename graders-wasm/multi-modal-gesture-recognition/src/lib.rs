//! Edit distances of the gesture sequences `Sequence`, summed and divided by the number of true gestures; recordings
//! matched by `Id`.

use podium_grader::frame::align_on;
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
        answers.require_columns(&["Id", "Sequence"])?;
        submission.require_columns(&["Id", "Sequence"])?;
        let (submission, answers) = align_on("Id", submission, answers)?;

        let predicted = sequences(submission.column("Sequence")?)?;
        let expected = sequences(answers.column("Sequence")?)?;
        let mut levenshtein = Levenshtein::new();
        let distances: usize = (expected.iter().zip(&predicted))
            .map(|(expected, predicted)| levenshtein.symbols(expected, predicted))
            .sum();
        let gestures: usize = expected.iter().map(Vec::len).sum();
        Ok(Score::new(distances as f64 / gestures as f64)
            .with("sum of the distances", distances as f64))
    }
}

/// The gestures of each row.
fn sequences(column: &Column) -> Result<Vec<Vec<u64>>, Failure> {
    // Values are typed first and written back, so an empty cell is the word nan.
    let texts = column.as_text();
    let sequence = |(row, cell): (usize, Cell<'_>)| {
        python_split(cell.text().unwrap_or_default())
            .map(|word| {
                python_int(word).map(|gesture| symbol(&gesture)).map_err(|_| {
                    let what = format!(
                        "found {} where gesture numbers separated by spaces are expected",
                        column.describe(row)
                    );
                    column.failure_at(row, what)
                })
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
