//! How a grading ended, in one word, and who has to act on it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a grading ended. Every grading ends in exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// There is a score; an infinite one keeps its rank.
    Scored,
    /// The submission is valid, but the metric is not defined on it (NaN): it earns nothing.
    Undefined,
    /// There is no file, or it is no `.csv`.
    NoSubmission,
    /// Whoever made the submission has to change it.
    InvalidSubmission,
    /// The answers are not what the grader expects.
    InvalidAnswers,
    /// The data of the competition are not where they were looked for.
    NotPrepared,
    /// The grader could not be loaded, or came to no result.
    GraderFailed,
}

impl Outcome {
    /// All outcomes, in the order in which reports list them.
    pub const ALL: [Outcome; 7] = [
        Outcome::Scored,
        Outcome::Undefined,
        Outcome::NoSubmission,
        Outcome::InvalidSubmission,
        Outcome::InvalidAnswers,
        Outcome::NotPrepared,
        Outcome::GraderFailed,
    ];

    /// The name in reports: `invalid-submission`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Scored => "scored",
            Outcome::Undefined => "undefined",
            Outcome::NoSubmission => "no-submission",
            Outcome::InvalidSubmission => "invalid-submission",
            Outcome::InvalidAnswers => "invalid-answers",
            Outcome::NotPrepared => "not-prepared",
            Outcome::GraderFailed => "grader-failed",
        }
    }

    /// Whether the submission is valid: it was graded, even if the metric is not defined on it.
    pub fn is_valid_submission(self) -> bool {
        matches!(self, Outcome::Scored | Outcome::Undefined)
    }

    /// Whether the data, the grader or the machine is to blame, so that nothing is said about the submission.
    pub fn is_infrastructure_failure(self) -> bool {
        matches!(self, Outcome::InvalidAnswers | Outcome::NotPrepared | Outcome::GraderFailed)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn names_are_those_of_the_serialised_form() {
        for outcome in Outcome::ALL {
            let text = serde_json::to_string(&outcome).unwrap();
            assert_eq!(text, format!("\"{outcome}\""));
            assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
            assert!(!(outcome.is_valid_submission() && outcome.is_infrastructure_failure()));
        }
    }
}
