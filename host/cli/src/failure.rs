//! Why a command could not do what it was asked: a sentence, what to do about it, and an exit code.
//!
//! Relies on [`podium::Error`] for the errors of the library, whose sentences are shown as they are; what is added here
//! are hints that name commands and flags of this program.

use std::fmt;
use std::io;
use std::path::Path;

use owo_colors::OwoColorize;
use podium::{Error, GradingReport, InputProblem, Outcome};

use crate::exit::Exit;
use crate::output;

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    hints: Vec<String>,
}

impl Failure {
    /// A failure with this exit code and this sentence.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), hints: Vec::new() }
    }

    /// The failure with one more line that says what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hints.push(hint.into());
        self
    }

    /// A file or folder that could not be written.
    pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
        Failure::new(Exit::Files, format!("could not write {}: {error}", path.display()))
    }

    /// Why a grading has no valid submission, with what its report says; `None` where there is one.
    pub(crate) fn of_report(report: &GradingReport) -> Option<Failure> {
        if report.valid_submission {
            return None;
        }
        let message = report.message.as_deref().unwrap_or(report.outcome.name());
        let failure = Failure::of_outcome(report.outcome, message);
        Some(match report.failure.as_deref() {
            Some("no-grader") => failure.hint(
                "name the folder of the graders with --graders or PODIUM_GRADERS, or a component \
                 with --grader",
            ),
            _ => failure,
        })
    }

    /// Why a grading with this outcome has no valid submission.
    pub(crate) fn of_outcome(outcome: Outcome, message: &str) -> Failure {
        let failure = Failure::new(outcome.into(), output::harmless(message));
        match outcome {
            Outcome::NotPrepared => {
                failure.hint("name the data folder with --data-dir or PODIUM_DATA")
            }
            _ => failure,
        }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Writes `error:` and `hint:` lines to stderr.
    pub(crate) fn print(&self) {
        output::error_line(&format!("{} {}", "error:".red().bold(), self.message));
        for hint in &self.hints {
            output::error_line(&format!(" {} {hint}", "hint:".cyan().bold()));
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::from(&error)
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let message = output::harmless(&error.to_string());
        let (exit, hint) = match error {
            Error::UnknownCompetition { .. } => (
                Exit::Missing,
                Some(
                    "`podium list` shows all; folders of others are named with --competitions or PODIUM_COMPETITIONS",
                ),
            ),
            Error::ListedCompetitions { .. } => (
                Exit::Missing,
                Some("correct these lines, or put # in front of them; nothing was graded"),
            ),
            Error::NoGrader { .. } => (
                Exit::Missing,
                Some("name the folder of the graders with --graders or PODIUM_GRADERS"),
            ),
            Error::Definition { .. } | Error::Leaderboard { .. } => (Exit::Usage, None),
            Error::SubmissionList { .. } => (
                Exit::Usage,
                Some(
                    "every line is an object such as {\"competition_id\": \"…\", \"submission_path\": \"…/submission.csv\"}",
                ),
            ),
            Error::NotAReport { .. } => (Exit::Usage, None),
            Error::Receipt { .. } => (Exit::Differs, None),
            Error::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                (Exit::Missing, Some("check the path"))
            }
            Error::Input { problem: InputProblem::Missing, .. } => (Exit::Missing, None),
            Error::Read { .. } | Error::Write { .. } | Error::Input { .. } => (Exit::Files, None),
            Error::Grader { .. } => {
                (Exit::GraderFailed, Some("`podium inspect` says more of a component"))
            }
            Error::Engine(_) => {
                (Exit::GraderFailed, Some("`podium doctor` says what this machine lacks"))
            }
            _ => (Exit::Files, None),
        };
        let failure = Failure::new(exit, message);
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
