//! The one error type of this crate.
//!
//! Every message says what is wrong, where, and what to do about it. What goes wrong with a single grading is no error:
//! it is part of its [`GradingReport`](crate::GradingReport).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::digest::Digest;
use crate::input::InputProblem;
use crate::inspection::GraderProblem;
use crate::message;
use crate::store::StoreProblem;
use crate::trust::Refusal;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The WebAssembly engine cannot be set up on this machine.
    #[error("the WebAssembly engine cannot be set up on this machine: {0}")]
    Engine(String),
    /// Something is not a grader that this host runs.
    #[error("grader {grader}: {problem}")]
    Grader {
        /// The path of the component, or the name that it was given.
        grader: String,
        /// What is wrong with it.
        problem: GraderProblem,
    },
    /// A file cannot be an input of a grading.
    #[error("{}: {problem}", shown(path))]
    Input {
        /// The path, as it was given.
        path: PathBuf,
        /// What is wrong with it.
        problem: InputProblem,
    },
    /// A file or folder cannot be read.
    #[error("{}: cannot be read: {source}", shown(path))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file or folder cannot be written.
    #[error("{}: cannot be written: {source}", shown(path))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A `competition.toml` is not one.
    #[error("{}: {message}", shown(path))]
    Definition {
        /// The file.
        path: PathBuf,
        /// The key and what is wrong with it.
        message: String,
    },
    /// A `leaderboard.csv` is not one.
    #[error("{}: {message}", shown(path))]
    Leaderboard {
        /// The file.
        path: PathBuf,
        /// The line and what is wrong with it.
        message: String,
    },
    /// The example of a competition is not one.
    #[error("{}: {message}", shown(path))]
    Example {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// No folder on the search path holds such a competition.
    #[error(
        "there is no competition `{id}`{}; looked in {}",
        DidYouMean(similar),
        Places(searched)
    )]
    UnknownCompetition {
        /// The id that was asked for, control characters escaped.
        id: String,
        /// Ids that may have been meant, best first.
        similar: Vec<String>,
        /// The folders that were searched.
        searched: Vec<PathBuf>,
    },
    /// A list of submissions names competitions that cannot be graded at all.
    #[error("{}", Lines(problems))]
    ListedCompetitions {
        /// For each of them the first line of the list that names it, and what is wrong.
        problems: Vec<(usize, Error)>,
    },
    /// A competition has no grader.
    #[error("there is no grader for `{competition}`; looked for {}", Places(searched))]
    NoGrader {
        /// The competition.
        competition: String,
        /// The files that were looked for.
        searched: Vec<PathBuf>,
    },
    /// Something is wrong with a component store, or with what is asked of it.
    #[error("component store {}: {problem}", shown(folder))]
    Store {
        /// The folder of the store.
        folder: PathBuf,
        /// What is wrong.
        problem: StoreProblem,
    },
    /// A component is named by its digest, and there is no store to take it from.
    #[error("there is no component store to take {} from", sha256.prefixed())]
    NoStore {
        /// The component.
        sha256: Digest,
    },
    /// Text that cannot be the id of a competition.
    #[error("{message}")]
    CompetitionId {
        /// What is wrong with it.
        message: String,
    },
    /// The trust policy does not allow a component to grade a competition.
    #[error(transparent)]
    NotTrusted(Box<Refusal>),
    /// A trust policy cannot be used, so nothing is trusted.
    #[error("trust policy {}: {message}; nothing is graded until it is put right", shown(path))]
    TrustPolicy {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A list of submissions is not one.
    #[error("{}, line {line}: {message}", shown(path))]
    SubmissionList {
        /// The file.
        path: PathBuf,
        /// The line, from 1 on.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// JSON that is not a grading report.
    #[error("this is not a grading report: {message}")]
    NotAReport {
        /// What is wrong with it.
        message: String,
    },
    /// A file that is no archive, or an archive without anything that can be graded.
    #[error("{}: {message}", shown(path))]
    Archive {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A folder that is no set of regraded submissions, or one that does not allow what was asked.
    #[error("{}: {message}", shown(path))]
    RegradeSet {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A file that is not a receipt, or not any more.
    #[error("{}: this is not a valid receipt: {message}", shown(path))]
    Receipt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

impl Error {
    pub(crate) fn read(path: &Path, source: io::Error) -> Error {
        Error::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Error {
        Error::Write { path: path.to_owned(), source }
    }
}

/// A path as a message shows it: on one line, and without what steers a terminal.
fn shown(path: &Path) -> String {
    message::fit_line(&path.to_string_lossy(), usize::MAX)
}

/// ` (did you mean `a` or `b`?)`, or nothing.
struct DidYouMean<'a>(&'a [String]);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let quoted: Vec<String> = self.0.iter().map(|id| format!("`{id}`")).collect();
        write!(formatter, " (did you mean {}?)", quoted.join(" or "))
    }
}

/// Paths, for a sentence.
struct Places<'a>(&'a [PathBuf]);

impl fmt::Display for Places<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("no folder, because none was named");
        }
        let shown: Vec<String> = self.0.iter().map(|path| shown(path)).collect();
        formatter.write_str(&shown.join(", "))
    }
}

/// Errors with the lines of a list that they belong to.
struct Lines<'a>(&'a [(usize, Error)]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (line, error)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(formatter, "{separator}line {line}: {error}")?;
        }
        Ok(())
    }
}
