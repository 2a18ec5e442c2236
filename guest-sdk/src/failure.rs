//! Why there is no score, and whose fault that is.

use std::fmt;

/// Why a grading ends without a score.
///
/// A message names what is wrong, where (column, row, id) and what was expected. It never tells, nor depends on, the
/// values of the answers: whoever sees messages must not learn labels from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Whoever made the submission has to change it.
    InvalidSubmission(String),
    /// The answers are not what the grader expects; the data of the competition has to be put right.
    InvalidAnswers(String),
}

impl Failure {
    /// The submission is at fault, for the reason given.
    pub fn submission(message: impl Into<String>) -> Failure {
        Failure::InvalidSubmission(message.into())
    }

    /// The answers are at fault, for the reason given.
    pub fn answers(message: impl Into<String>) -> Failure {
        Failure::InvalidAnswers(message.into())
    }

    /// The message, without whose fault it is.
    pub fn message(&self) -> &str {
        match self {
            Failure::InvalidSubmission(message) | Failure::InvalidAnswers(message) => message,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::InvalidSubmission(message) => {
                write!(formatter, "invalid submission: {message}")
            }
            Failure::InvalidAnswers(message) => write!(formatter, "invalid answers: {message}"),
        }
    }
}

impl std::error::Error for Failure {}
