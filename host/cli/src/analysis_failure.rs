//! What goes wrong with experiments and leaderboards, as failures of this program.

use std::path::{Path, PathBuf};

use podium_analysis::{Error, Problem, ProblemKind};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::shell_word::shell_word;
use crate::{number, output};

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let message = output::harmless(&error.to_string());
        match error {
            Error::Podium(error) => Failure::from(error),
            Error::Unusable { problems } => with_hints(
                Failure::new(worst(&problems).unwrap_or(Exit::Missing), message),
                &problems,
            )
            .beside("problems", &problems),
            Error::NothingComputed { reason, problems } => {
                nothing_computed(&output::harmless(&reason), &[], &problems)
            }
            Error::LfsPointer { .. } | Error::Nothing(_) => Failure::new(Exit::Missing, message),
            Error::Cancelled => Failure::new(Exit::Interrupted, message),
            Error::Page(_) | Error::Parquet(_) => Failure::new(Exit::Files, message),
            _ => Failure::new(Exit::Usage, message),
        }
    }
}

/// That some of what was named could not be used, where that is so: by file and reason.
pub(crate) fn of_problems(problems: &[Problem]) -> Option<Failure> {
    let exit = worst(problems)?;
    let mut message =
        format!("{} could not be used; the rest was", number::counted(problems.len(), "thing"));
    message.push_str(&listed(problems));
    Some(with_hints(Failure::new(exit, output::harmless(&message)), problems))
}

/// Problems, a line each; of the first where there are many.
fn listed(problems: &[Problem]) -> String {
    const SHOWN: usize = 20;
    let mut lines: String =
        problems.iter().take(SHOWN).map(|problem| format!("\n  {problem}")).collect();
    if problems.len() > SHOWN {
        let more = number::counted(problems.len() - SHOWN, "other");
        lines.push_str(&format!("\n  … and {more}: --json names them all"));
    }
    lines
}

/// That nothing could be computed: for each experiment the reason, and what could not be used.
pub(crate) fn nothing_computed(
    what: &str,
    reasons: &[(String, String)],
    problems: &[Problem],
) -> Failure {
    let mut message = what.to_owned();
    for (experiment, reason) in reasons {
        message.push_str(&format!("\n  {}: {reason}", output::harmless_name(experiment)));
    }
    let exit = worst(problems).unwrap_or(Exit::Missing).max(Exit::Missing);
    if !problems.is_empty() {
        let things = number::counted(problems.len(), "thing");
        message.push_str(&format!("\n{things} could not be used{}", listed(problems)));
    }
    let reasons: Vec<serde_json::Value> = reasons
        .iter()
        .map(|(experiment, reason)| serde_json::json!({"name": experiment, "reason": reason}))
        .collect();
    let failure = with_hints(Failure::new(exit, output::harmless(&message)), problems);
    let failure =
        if reasons.is_empty() { failure } else { failure.beside("experiments", &reasons) };
    failure.beside("problems", &problems)
}

/// The experiments that there are, as a hint says them: as words that a shell takes as they are.
pub(crate) fn there_are<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    let more = names.len().saturating_sub(SHOWN);
    let mut words: Vec<String> = names.take(SHOWN).map(shell_word).collect();
    if words.is_empty() {
        return "there is no experiment at all".to_owned();
    }
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    format!("there are {}", words.join(", "))
}

/// The exit code of the worst problem.
fn worst(problems: &[Problem]) -> Option<Exit> {
    problems.iter().map(|problem| exit_of(problem.kind)).max()
}

fn exit_of(kind: ProblemKind) -> Exit {
    match kind {
        ProblemKind::Missing | ProblemKind::LfsPointer | ProblemKind::UnknownCompetition => {
            Exit::Missing
        }
        ProblemKind::NotGraded => Exit::GraderFailed,
        ProblemKind::Unreadable => Exit::Files,
        _ => Exit::Usage,
    }
}

fn with_hints(failure: Failure, problems: &[Problem]) -> Failure {
    let has = |kind: ProblemKind| problems.iter().any(|problem| problem.kind == kind);
    let hints = [
        (
            ProblemKind::LfsPointer,
            "run `git lfs pull` in the checkout that the reports lie in, and the command again",
        ),
        (
            ProblemKind::UnknownCompetition,
            "`podium list` shows all competitions; folders of others are named with --competitions",
        ),
        (ProblemKind::NotGraded, "regrade these runs: nothing is known of them"),
    ];
    hints
        .into_iter()
        .filter(|(kind, _)| has(*kind))
        .fold(failure, |failure, (_, hint)| failure.hint(hint))
}

/// That a file was written.
pub(crate) fn written_line(path: &Path) -> String {
    format!("written: {}", output::path(path))
}

/// The paths, a line each.
pub(crate) fn written(paths: &[PathBuf]) -> String {
    let lines: Vec<String> = paths.iter().map(|path| written_line(path)).collect();
    lines.join("\n")
}
