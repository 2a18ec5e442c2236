//! What a grader implements, and what it gives back.

use crate::failure::Failure;
use crate::frame::{Frame, Role};
use crate::source::Source;

/// Which of two scores wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The larger score wins.
    HigherIsBetter,
    /// The smaller score wins.
    LowerIsBetter,
}

/// A named part of a score: of a class, a column, a fold, a threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What the value is of: `class 3 F1`, `true positives`.
    pub name: String,
    /// The value; any float.
    pub value: f64,
}

/// The result of a grading.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// What the leaderboard ranks, unrounded. NaN says that the metric is not defined on this submission.
    pub value: f64,
    /// How the score came about; may be empty.
    pub measures: Vec<Measure>,
}

impl Score {
    /// A score without parts.
    pub fn new(value: f64) -> Score {
        Score { value, measures: Vec::new() }
    }

    /// Adds a named part.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: f64) -> Score {
        self.measures.push(Measure { name: name.into(), value });
        self
    }
}

impl From<f64> for Score {
    fn from(value: f64) -> Score {
        Score::new(value)
    }
}

/// A competition's grader: what it says of itself, and how it scores.
///
/// Most graders implement [`Grader::grade`] alone. One whose answers are not a single CSV file implements
/// [`Grader::grade_files`].
pub trait Grader {
    /// The id of the competition.
    const COMPETITION: &'static str;
    /// The name of the metric, for people.
    const METRIC: &'static str;
    /// Which of two scores wins.
    const DIRECTION: Direction;
    /// The columns of the answers that the grader looks at; `None` for all. The others are read past, which saves
    /// memory where the answers carry long texts.
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = None;

    /// Scores a submission against the answers, both as tables.
    ///
    /// # Errors
    /// A [`Failure`] says whose fault it is that there is no score.
    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure>;

    /// Scores a submission file against the answer files; reads both as CSV and calls [`Grader::grade`].
    ///
    /// # Errors
    /// As [`Grader::grade`]; also when a file cannot be read as CSV, or the number of answer files is not one.
    fn grade_files<S: Source>(submission: &S, answers: &[S]) -> Result<Score, Failure> {
        let [answers] = answers else {
            return Err(Failure::answers(format!(
                "expected one file of answers, got {}",
                answers.len()
            )));
        };
        // The answers come last: of a submission that cannot be read, they need not be touched.
        let submission = Frame::read(submission, Role::Submission, None)?;
        let answers = Frame::read(answers, Role::Answers, Self::ANSWER_COLUMNS)?;
        Self::grade(&submission, &answers).map_err(|failure| submission.explain(failure))
    }
}

/// Tells whoever made the submission of something that was accepted, but is probably a mistake.
pub fn warn(message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::contract::podium::grading::diagnostics::warn(message);
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("warning: {message}");
}
