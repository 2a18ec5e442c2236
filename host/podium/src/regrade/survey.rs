//! What an archive holds: the runs, where their submissions lie, and what was recorded of them.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::archive::{EntryPath, EntryProblem};
use crate::digest::Digest;

use super::metadata::SUBMISSION;
use super::records::Receipts;
use super::statement::Statement;

/// What an archive holds.
pub struct Survey {
    /// The runs, in the order of the run groups.
    pub runs: Vec<ArchivedRun>,
    /// Why the archive was not read to its end.
    pub broken: Option<String>,
    /// What in it could not be used.
    pub problems: Vec<EntryProblem>,
    /// How many of these there are, where not all were kept.
    pub problems_in_all: u64,
    /// Links, devices and pipes.
    pub left_out: Vec<EntryProblem>,
    /// How many of these there are.
    pub left_out_in_all: u64,
    /// The receipts to compare with.
    pub(super) receipts: Receipts,
}

impl Survey {
    /// The submissions that do not lie in the archive.
    pub fn submissions_outside(&self) -> Vec<PathBuf> {
        let outside = self.runs.iter().filter_map(|run| match &run.submission {
            SubmissionPlace::Beside(path) | SubmissionPlace::Named(path) => Some(path.clone()),
            _ => None,
        });
        outside.collect()
    }
}

/// A run in an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedRun {
    /// The folder of the run group.
    pub group: EntryPath,
    /// The run group's name, where it has one.
    pub run_group: Option<String>,
    /// The run's id, where it has one.
    pub run_id: Option<String>,
    /// The experiment that the run group belongs to.
    pub experiment: Option<String>,
    /// The competition.
    pub competition_id: String,
    /// The submission.
    pub submission: SubmissionPlace,
    /// What a report has recorded of its grading.
    pub(super) recorded: Option<Statement>,
    /// The receipt that the record names.
    pub(super) receipt: Option<Digest>,
    /// What else is said of the run: seed, whatever there is.
    pub run: Map<String, Value>,
}

impl ArchivedRun {
    /// Of a run in an archive that breaks off it is not known that it made no submission, unless a record says so.
    pub(super) fn doubt_that_there_is_none(&mut self) {
        let is_recorded =
            self.recorded.as_ref().is_some_and(|recorded| recorded.exists() == Some(false));
        if let (SubmissionPlace::None, Some(run), false) =
            (&self.submission, &self.run_id, is_recorded)
            && let Ok(path) = self.group.join(run).and_then(|run| run.join(SUBMISSION))
        {
            self.submission = SubmissionPlace::Missing(String::from(path));
        }
    }

    /// The seed, where it is said.
    pub fn seed(&self) -> Option<&Value> {
        self.run.get("seed")
    }
}

/// Where a submission lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionPlace {
    /// The run made none.
    None,
    /// In the archive.
    Archived(EntryPath),
    /// In the working folder, by a path that an archive names: no step of it is trusted.
    Beside(PathBuf),
    /// On disk, by a path in a file that somebody named.
    Named(PathBuf),
    /// Nowhere; the path, as it was recorded.
    Missing(String),
    /// In the archive, where it cannot be used.
    Unusable {
        /// Where it lies.
        path: EntryPath,
        /// Why it cannot be used.
        reason: String,
    },
}

impl SubmissionPlace {
    /// The path, for reports.
    pub fn path(&self) -> Option<String> {
        match self {
            SubmissionPlace::None => None,
            SubmissionPlace::Archived(path) | SubmissionPlace::Unusable { path, .. } => {
                Some(path.as_str().to_owned())
            }
            SubmissionPlace::Beside(path) | SubmissionPlace::Named(path) => {
                Some(path.to_string_lossy().into_owned())
            }
            SubmissionPlace::Missing(path) => Some(path.clone()),
        }
    }
}
