//! Regrading: everything in an archive is graded again and compared with what was recorded.
//!
//! An archive is read twice. The first time [`Survey`] finds out which runs there are and what was recorded of them;
//! the second time their submissions are graded as they come by, so that memory does not grow with the archive. What
//! comes out is a [`RegradeSet`]: a folder of its own with receipts, reports and a comparison. Receipts are written as
//! gradings end and are the journal: a set that was interrupted is gone on with, and nothing in it is graded twice.

mod assembly;
mod collector;
mod comparison;
mod experiments;
mod journal;
mod metadata;
mod queue;
mod records;
mod repeated_keys;
mod resolver;
mod seal;
mod set;
mod statement;
mod subject;
mod submissions;
mod summary;
mod survey;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use comparison::{Graded, RegradeVerdict, RegradedRun, Score, Standing};
pub use metadata::{MadeSubmission, RunGroupMetadata, list_run_group};
pub use seal::SealingKey;
pub use set::{
    CurrentSet, ListedSet, RegradeSet, SetChoice, SetSettings, SetState, SetSummary, Sets,
};
pub use statement::ChangedField;
pub use subject::RegradeSubject;
pub use summary::RegradeSummary;
pub use survey::{ArchivedRun, SubmissionPlace, Survey};

use crate::archive::{EntryPath, EntryProblem};
use crate::cancellation::Cancellation;
use crate::catalog::Catalog;
use crate::error::Error;
use crate::graders::GraderSource;
use crate::grading::GradingContext;
use crate::message;
use crate::path_text;
use crate::report::GradingReport;

use set::CurrentRecords;

/// The characters of a foreign name that a warning shows.
const SHOWN_CHARACTERS: usize = 200;

/// How an archive is regraded.
#[derive(Clone, Debug, Default)]
pub struct RegradeOptions {
    /// Components to grade with in the place of the competitions' own, by competition.
    pub graders: BTreeMap<String, GraderSource>,
    /// Reports or receipts (a file or a folder) to compare with, in the place of what the archive records.
    pub against: Option<PathBuf>,
    /// Sets whose gradings need not be done again: those that the same person has just made of other archives.
    pub others: Vec<PathBuf>,
    /// How many gradings run at once; by default one for each core.
    pub threads: Option<NonZeroUsize>,
    /// How much memory the gradings may need together, in bytes; by default three quarters of what is available.
    pub memory_bytes: Option<u64>,
    /// Ends the regrading early: what is finished is kept, and the set can be gone on with.
    pub cancellation: Cancellation,
}

/// Is told how a regrading goes on, from the threads that grade.
pub trait RegradeObserver: Sync {
    /// The archive was surveyed: so many runs will be looked at.
    fn surveyed(&self, survey: &Survey) {
        let _ = survey;
    }

    /// A run was graded, or was not gradable. Comes in the order in which gradings end.
    fn finished(&self, run: &RegradedRun) {
        let _ = run;
    }
}

/// An observer that looks away.
impl RegradeObserver for () {}

/// A regraded archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regrading {
    /// The archive, as it was given.
    #[serde(with = "path_text")]
    pub archive: PathBuf,
    /// What the archive is packed as; `document` for a single report or list.
    pub format: String,
    /// The set's folder.
    #[serde(with = "path_text")]
    pub set: PathBuf,
    /// Whether all runs were looked at; false after an interruption.
    pub complete: bool,
    /// With what the runs were compared: `archive`, the name of the current set, or the path that was given.
    pub compared_with: String,
    /// How many runs came out how.
    pub summary: RegradeSummary,
    /// What was not taken for true, though it lies where the archive's sets do.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Why the archive was not read to its end.
    pub broken: Option<String>,
    /// What in it could not be used: file, and reason.
    pub problems: Vec<EntryProblem>,
    /// How many of these there are, where not all were kept.
    pub problems_in_all: u64,
    /// Links, devices and pipes that were left out.
    pub left_out: Vec<EntryProblem>,
    /// How many of these there are.
    pub left_out_in_all: u64,
    /// The runs, in the order of the archive's run groups.
    pub runs: Vec<RegradedRun>,
}

/// Grades everything in an archive again, into a set, and compares it with what was recorded.
///
/// What is in the set already is not graded again. A run that cannot be graded does not stop the rest.
///
/// # Errors
/// [`Error::Archive`] where nothing in the archive is understood as a run; [`Error::Read`] and others where `against`
/// cannot be read; [`Error::Write`] where the set cannot be written.
pub fn regrade(
    context: &GradingContext,
    catalog: &Catalog,
    subject: &RegradeSubject,
    set: &mut RegradeSet,
    options: &RegradeOptions,
    observer: &dyn RegradeObserver,
) -> Result<Regrading, Error> {
    let mut warnings = Vec::new();
    let (records, compared_with) = match &options.against {
        Some(path) => {
            let (records, doubts) = records::read(path, subject.limits(), set.key())?;
            warnings.extend(doubts);
            (Some(records), message::fit_line(&path.to_string_lossy(), usize::MAX))
        }
        None => match set.current_records()? {
            CurrentRecords::Own(name, records) => (Some(records), name),
            CurrentRecords::None => (None, "archive".to_owned()),
            CurrentRecords::NotOwn(name) => {
                let name = message::fit_line(&name, SHOWN_CHARACTERS);
                warnings.push(format!(
                    "the set `{name}` is said to be the current grading, but somebody else made it so, or changed it \
                     since: it is not compared with"
                ));
                (None, "archive".to_owned())
            }
        },
    };
    let survey = subject.survey(records, &options.cancellation)?;
    observer.surveyed(&survey);
    let mut runs = queue::grade_all(context, catalog, subject, &survey, set, options, observer)?;
    let complete = !options.cancellation.is_cancelled();
    runs.sort_by_key(|(index, _)| *index);
    let mut groups: BTreeMap<EntryPath, Vec<GradingReport>> = BTreeMap::new();
    let mut regraded = Vec::with_capacity(runs.len());
    for (index, queue::Finished { run, report }) in runs {
        let group = &survey.runs[index].group;
        groups.entry(group.clone()).or_default().extend(report);
        regraded.push(run);
    }
    groups.retain(|_, reports| !reports.is_empty());
    let runs = regraded;
    let mut summary = RegradeSummary::of(&runs);
    summary.left = (survey.runs.len() - runs.len()) as u64;
    summary.runs += summary.left;
    let regrading = Regrading {
        archive: subject.path().to_owned(),
        format: subject.format().to_owned(),
        set: set.folder().to_owned(),
        complete,
        compared_with,
        summary,
        warnings,
        broken: survey.broken,
        problems: survey.problems,
        problems_in_all: survey.problems_in_all,
        left_out: survey.left_out,
        left_out_in_all: survey.left_out_in_all,
        runs,
    };
    if complete {
        set.finish(&regrading, groups)?;
    }
    Ok(regrading)
}

#[cfg(test)]
mod tests;
