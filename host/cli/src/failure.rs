//! Why a command could not do what it was asked: a sentence, what to do about it, and an exit code.
//!
//! Relies on [`podium::Error`] for the errors of the library, whose sentences are shown as they are; what is added here
//! are hints that name commands and flags of this program.

use std::fmt;
use std::io;
use std::path::Path;

use owo_colors::OwoColorize;
use podium::{
    Error, GraderProblem, GradingReport, InputProblem, Outcome, StoreProblem, Validation,
    failure_kind,
};
use serde::Serialize;

use crate::exit::Exit;
use crate::output;

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    hints: Vec<String>,
    /// What stands beside the error in JSON, where there is no result that it could stand in.
    beside: Vec<(&'static str, serde_json::Value)>,
}

impl Failure {
    /// A failure with this exit code and this sentence.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), hints: Vec::new(), beside: Vec::new() }
    }

    /// The failure with something that stands beside it in the JSON of a command without a result.
    pub(crate) fn beside(mut self, name: &'static str, value: &impl Serialize) -> Failure {
        // Texts, numbers and lists of them can all be written.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.beside.push((name, value));
        self
    }

    /// The failure as the JSON of a command that came to no result: what stands beside it, and `error`.
    pub(crate) fn without_result(&self) -> serde_json::Value {
        let beside = self.beside.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let error = ("error".to_owned(), serde_json::json!(self.to_json()));
        beside.chain([error]).collect()
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
        let GradingReport { outcome, failure, message, hint, .. } = report;
        Some(Failure::of_grading(*outcome, failure.as_deref(), message.as_deref(), hint.as_deref()))
    }

    /// Why a submission was not found to be valid; `None` where it was.
    pub(crate) fn of_validation(validation: &Validation) -> Option<Failure> {
        if validation.valid {
            return None;
        }
        let Validation { outcome, failure, message, hint, .. } = validation;
        Some(Failure::of_grading(*outcome, failure.as_deref(), message.as_deref(), hint.as_deref()))
    }

    fn of_grading(
        outcome: Outcome,
        kind: Option<&str>,
        message: Option<&str>,
        hint: Option<&str>,
    ) -> Failure {
        let message = message.unwrap_or(outcome.name());
        let mut failure = Failure::new(Exit::of_grading(outcome, kind), output::harmless(message));
        failure.hints.extend(hint_of_outcome(outcome).map(str::to_owned));
        failure.hints.extend(hint_of_kind(kind).map(str::to_owned));
        failure.hints.extend(hint.map(output::harmless));
        failure
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// The failure as JSON: `{"kind": …, "exit_code": …, "message": …, "hints": […]}`.
    pub(crate) fn to_json(&self) -> ErrorInJson<'_> {
        ErrorInJson {
            kind: self.exit.kind(),
            exit_code: self.exit.code(),
            message: &self.message,
            hints: &self.hints,
        }
    }

    /// What to do, a line each.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Writes `error:` and `hint:` lines to stderr.
    pub(crate) fn print(&self) {
        output::error_line(&format!("{} {}", "error:".red().bold(), self.message));
        self.print_hints();
    }

    /// Writes `hint:` lines to stderr.
    pub(crate) fn print_hints(&self) {
        for hint in &self.hints {
            output::error_line(&format!(" {} {hint}", "hint:".cyan().bold()));
        }
    }
}

/// Whether there is no such file, or no such folder to look for it in.
fn is_not_there(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// An error in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorInJson<'a> {
    kind: &'static str,
    exit_code: u8,
    message: &'a str,
    hints: &'a [String],
}

/// A result in JSON, with the error that it comes with: `{…, "error": {…}}`.
#[derive(Debug, Serialize)]
pub(crate) struct WithError<'a, T> {
    #[serde(flatten)]
    result: Option<&'a T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorInJson<'a>>,
}

impl<'a, T> WithError<'a, T> {
    /// A result, and the error if there is one.
    pub(crate) fn new(result: &'a T, failure: Option<&'a Failure>) -> WithError<'a, T> {
        WithError { result: Some(result), error: failure.map(Failure::to_json) }
    }
}

/// What to do about a grader that the trust policy refuses, besides what the message says.
const TO_TRUST: &str = "--trust or PODIUM_TRUST names another policy";

/// What is wrong with the component store, or with what was asked of it.
fn of_store(problem: &StoreProblem) -> (Exit, Option<&'static str>) {
    match problem {
        StoreProblem::Damaged { .. } => (Exit::GraderFailed, None),
        StoreProblem::NotADigest { .. } | StoreProblem::Ambiguous { .. } => (Exit::Usage, None),
        StoreProblem::Pins { .. } => (
            Exit::Usage,
            Some("put the file right, or remove it and pin again; nothing is graded without it"),
        ),
        StoreProblem::Pinned { .. } => (
            Exit::Usage,
            Some("end the pin with `podium grader unpin`, or remove the component with --force"),
        ),
        _ => (Exit::Missing, None),
    }
}

/// What to do about an outcome.
fn hint_of_outcome(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::NotPrepared => Some("name the data folder with --data-dir or PODIUM_DATA"),
        _ => None,
    }
}

/// What to do about a kind of failure, as reports name them: above all, which flag raises the limit that was reached.
fn hint_of_kind(kind: Option<&str>) -> Option<&'static str> {
    match kind? {
        failure_kind::NO_GRADER => Some(
            "name the folder of the graders with --graders or PODIUM_GRADERS, or a component with --grader",
        ),
        failure_kind::NOT_LOADABLE => Some("`podium inspect` says more of a component"),
        failure_kind::NOT_TRUSTED => Some(TO_TRUST),
        failure_kind::INPUT_TOO_LARGE => Some(
            "--max-input raises the limit for `grade-sample`, `grade` and `regrade`, input_bytes under [limits] of \
             competition.toml for all gradings of the competition",
        ),
        "out-of-fuel" => Some(
            "--fuel raises the limit for `grade-sample`, `grade` and `regrade`, fuel under [limits] of competition.toml for all \
             gradings of the competition",
        ),
        "out-of-memory" => Some(
            "--memory raises the limit for `grade-sample`, `grade` and `regrade`, memory_bytes under [limits] of competition.toml \
             for all gradings of the competition; more than 4 GiB no grader can have",
        ),
        "timed-out" => Some(
            "--wall-clock raises the limit for `grade-sample`, `grade` and `regrade`, wall_clock_seconds under [limits] of \
             competition.toml for all gradings of the competition",
        ),
        _ => None,
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
            Error::ListedCompetitions { problems } => (
                problems
                    .iter()
                    .map(|(_, problem)| Failure::from(problem).exit())
                    .max()
                    .unwrap_or(Exit::Missing),
                Some("correct these lines, or put # in front of them; nothing was graded"),
            ),
            Error::NoGrader { .. } => (
                Exit::Missing,
                Some("name the folder of the graders with --graders or PODIUM_GRADERS"),
            ),
            Error::Definition { .. } | Error::Leaderboard { .. } | Error::Example { .. } => {
                (Exit::Usage, None)
            }
            Error::SubmissionList { .. } => (
                Exit::Usage,
                Some(
                    "every line is an object such as {\"competition_id\": \"…\", \"submission_path\": \"…/submission.csv\"}",
                ),
            ),
            Error::NotAReport { .. } => (Exit::Usage, None),
            Error::Receipt { .. } => (Exit::Differs, None),
            Error::Archive { .. } | Error::RegradeSet { .. } => (Exit::Usage, None),
            Error::Read { source, .. } if is_not_there(source) => {
                (Exit::Missing, Some("check the path"))
            }
            Error::Input { problem: InputProblem::Missing, .. } => (Exit::Missing, None),
            Error::Write { source, .. } if is_not_there(source) => {
                (Exit::Files, Some("the folder has to be there: make it, or name another"))
            }
            Error::Read { .. } | Error::Write { .. } | Error::Input { .. } => (Exit::Files, None),
            Error::Grader { problem: GraderProblem::Unreadable(source), .. } => {
                let exit = if is_not_there(source) { Exit::Missing } else { Exit::Files };
                (exit, Some("give the path of a grader, a .wasm file"))
            }
            Error::Grader { .. } => (Exit::GraderFailed, None),
            Error::NotTrusted(_) => (Exit::GraderFailed, Some(TO_TRUST)),
            Error::TrustPolicy { .. } | Error::CompetitionId { .. } => (Exit::Usage, None),
            Error::NoStore { .. } => (Exit::Missing, Some("name one with --store or PODIUM_STORE")),
            Error::Store { problem, .. } => of_store(problem),
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

#[cfg(unix)]
impl From<podium_runner::Error> for Failure {
    fn from(error: podium_runner::Error) -> Failure {
        use podium_runner::Error as Runner;
        let message = output::harmless(&error.to_string());
        let (exit, hint) = match &error {
            Runner::Podium(error) => return Failure::from(error),
            Runner::Agent { .. }
            | Runner::NoSuchVariant { .. }
            | Runner::Configuration { .. }
            | Runner::Hosts { .. } => (Exit::Usage, None),
            Runner::NoHost { .. } => (
                Exit::RunFailed,
                Some("`podium run resume` goes on with the group once a host answers again"),
            ),
            Runner::MissingSecret { .. } => {
                (Exit::Missing, Some("set the variable, then give the same command again"))
            }
            Runner::NotPrepared { .. } => (Exit::Missing, hint_of_outcome(Outcome::NotPrepared)),
            Runner::NoGroup { .. } => (
                Exit::Missing,
                Some("name the folder of a run group, as `podium run start` made it below `runs`"),
            ),
            Runner::MissingProgram { .. } => (Exit::Missing, None),
            Runner::Engine { .. } => (
                Exit::RunFailed,
                Some("`podium doctor` says whether there is an engine, and which"),
            ),
            Runner::Build { .. } => (Exit::RunFailed, None),
            Runner::File { source, .. } if is_not_there(source) => {
                (Exit::Missing, Some("check the path"))
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
