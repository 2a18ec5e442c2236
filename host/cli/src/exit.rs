//! The exit codes of the program: a script tells from them who has to act.
//!
//! The numbers are part of the program's interface and never change.

use std::process::ExitCode;

use podium::{Outcome, failure_kind};

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// What was asked for was done, and there is nothing to complain about.
    Success,
    /// There is no valid submission: whoever made it has to change it.
    InvalidSubmission,
    /// The command line, or a file that it names, is not understood.
    Usage,
    /// Something is not there: a competition, its data, its grader, a file that was named.
    Missing,
    /// A grader came to no result, is refused, or does not accept the answers.
    GraderFailed,
    /// What was graded again differs from a receipt, or from what an archive records.
    Differs,
    /// A file is there, but could not be read, or one could not be written.
    Files,
    /// Agents could not be run, or not to their end, for reasons that say nothing about them.
    RunFailed,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The exit codes with what they mean, in the order of their numbers, for the help.
    pub(crate) const TABLE: &'static [(Exit, &'static str)] = &[
        (Exit::Success, "done; for `grade-sample` and `validate`: the submission is valid"),
        (Exit::InvalidSubmission, "`grade-sample`, `validate`: there is no valid submission"),
        (Exit::Usage, "the command line or a file that it names is not understood"),
        (Exit::Missing, "something is not there: a competition, data, a grader, a file"),
        (Exit::GraderFailed, "a grader came to no result, is refused, or rejects the answers"),
        (Exit::Differs, "`verify`: a receipt does not hold; `regrade`: not all is as recorded"),
        (Exit::Files, "a file is there, but could not be read, or one could not be written"),
        (
            Exit::RunFailed,
            "`run`: the Docker engine or the machine failed; the agents are not to blame",
        ),
        (Exit::Interrupted, "stopped by Ctrl-C; what is finished is kept"),
    ];

    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::InvalidSubmission => 1,
            Exit::Usage => 2,
            Exit::Missing => 3,
            Exit::GraderFailed => 4,
            Exit::Differs => 5,
            Exit::Files => 6,
            Exit::RunFailed => 7,
            Exit::Interrupted => 130,
        }
    }

    /// The name of the code, as the `kind` of an error in JSON.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Exit::Success => "success",
            Exit::InvalidSubmission => "invalid-submission",
            Exit::Usage => "usage",
            Exit::Missing => "missing",
            Exit::GraderFailed => "grader-failed",
            Exit::Differs => "differs",
            Exit::Files => "files",
            Exit::RunFailed => "run-failed",
            Exit::Interrupted => "interrupted",
        }
    }

    /// How a grading ends the program: by its outcome, or by the kind of its failure where the code is another.
    pub(crate) fn of_grading(outcome: Outcome, failure: Option<&str>) -> Exit {
        match failure {
            Some(failure_kind::NO_GRADER | failure_kind::PINNED_GRADER_MISSING) => Exit::Missing,
            Some(
                failure_kind::GRADER_UNREADABLE
                | failure_kind::ANSWERS_UNREADABLE
                | failure_kind::SUBMISSION_UNREADABLE,
            ) => Exit::Files,
            _ => outcome.into(),
        }
    }

    /// The lines of the help that explain the codes.
    pub(crate) fn help() -> String {
        Exit::TABLE.iter().fold(String::from("Exit codes:"), |mut text, (exit, meaning)| {
            text.push_str(&format!("\n  {:>3}  {meaning}", exit.code()));
            text
        })
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Exit {
        match outcome {
            Outcome::Scored | Outcome::Undefined => Exit::Success,
            Outcome::NoSubmission | Outcome::InvalidSubmission => Exit::InvalidSubmission,
            Outcome::NotPrepared => Exit::Missing,
            Outcome::InvalidAnswers | Outcome::GraderFailed => Exit::GraderFailed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_help_explains_every_code_once() {
        let mut codes: Vec<u8> = Exit::TABLE.iter().map(|(exit, _)| exit.code()).collect();
        assert!(codes.is_sorted());
        codes.dedup();
        assert_eq!(codes.len(), 9);
        for code in codes {
            assert!(Exit::help().contains(&format!(" {code}  ")), "{code}");
        }
    }
}
