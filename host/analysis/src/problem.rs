//! What could not be used of what was named: by file and reason. The rest is used all the same.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::shown::{serialize_path, shown_path};

/// A file, or a part of it, that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file or folder.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// The part of it, where the rest is used: `competition_reports[3]`, `competition_reports[3].score`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// What is wrong, and what to do about it.
    pub reason: String,
}

/// What keeps a file, or a part of it, from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// It is not there.
    Missing,
    /// A Git LFS pointer lies in its place.
    LfsPointer,
    /// It is there, but cannot be read.
    Unreadable,
    /// It is no grading report: no JSON, half of one, or something else.
    NotAReport,
    /// A grading in it lacks a field that is needed, or contradicts itself.
    UnusableGrading,
    /// A field in it is not what it has to be; the rest of the grading is used.
    UnusableField,
    /// A grading in it came to no result for reasons other than the submission.
    NotGraded,
    /// A grading in it is of a competition that is not known.
    UnknownCompetition,
    /// It is used already.
    Duplicate,
    /// It is not clear which of several is meant.
    Ambiguous,
}

impl Problem {
    /// A problem of a whole file.
    pub(crate) fn of_file(file: &Path, kind: ProblemKind, reason: impl Into<String>) -> Problem {
        Problem { file: file.to_owned(), part: None, kind, reason: reason.into() }
    }

    /// A problem of one grading of a report.
    pub(crate) fn of_grading(
        file: &Path,
        index: usize,
        kind: ProblemKind,
        reason: impl Into<String>,
    ) -> Problem {
        let part = Some(format!("competition_reports[{index}]"));
        Problem { file: file.to_owned(), part, kind, reason: reason.into() }
    }

    /// The problem of a file that could not be read.
    pub(crate) fn unread(file: &Path, error: &podium::Error) -> Problem {
        let (kind, reason) = match error {
            podium::Error::Read { source, .. } => {
                let kind = match source.kind() {
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                        ProblemKind::Missing
                    }
                    _ => ProblemKind::Unreadable,
                };
                (kind, format!("cannot be read: {source}"))
            }
            other => (ProblemKind::Unreadable, other.to_string()),
        };
        Problem::of_file(file, kind, reason)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&shown_path(&self.file))?;
        if let Some(part) = &self.part {
            write!(formatter, ", {part}")?;
        }
        write!(formatter, ": {}", self.reason)
    }
}
