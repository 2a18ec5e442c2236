//! `podium grade`: a list of submissions, graded over all cores into one report.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use comfy_table::Cell;
use podium::{
    Batch, BatchObserver, BatchOptions, Cancellation, GradedSubmission, GradingContext,
    GradingReport, ListedSubmission, Outcome, RunGroupReport, SubmissionList, Totals,
};

use crate::arguments::{LimitOptions, Shared};
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::places::Places;
use crate::progress::Progress;
use crate::table::Table;
use crate::{engine, graders, grading_text, interrupt, number, output, table};

/// What `podium grade` is told.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Arguments {
    /// The list of submissions, a JSONL file; a regular one, no pipe
    #[arg(long, value_name = "FILE.jsonl")]
    submission: PathBuf,
    /// The folder that the report is written into; made if it is missing
    #[arg(long, value_name = "DIR")]
    output_dir: PathBuf,
    /// The folder that receipts are written into [default: receipts/ in the output folder]
    #[arg(long, value_name = "DIR")]
    receipts: Option<PathBuf>,
    /// Write no receipts
    #[arg(long, conflicts_with = "receipts")]
    no_receipts: bool,
    /// How many gradings run at once [default: one for each core]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    limits: LimitOptions,
}

const FORMAT: &str = "\
The list has one JSON object a line with `competition_id` and `submission_path` (relative to the current folder; null
where a run made no submission). Further fields, such as a seed, are kept in the report. Blank lines and lines that begin
with # or // are skipped.

That a submission is invalid is a result and no error; that a grader fails or data are missing is one, but does not stop
the rest.";

/// Grades the list and writes the report.
///
/// # Errors
/// A list that is not understood or names unknown competitions; files that cannot be written.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let Graded { group, path, failure } = grade(arguments, shared, interrupt::cancellation()?)?;
    if shared.json {
        output::print_json(&WithError::new(&group, failure.as_ref()))?;
    } else {
        output::print(&in_words(&group))?;
    }
    Ok(conclude(path.as_deref(), failure.as_ref()))
}

/// Says where the report lies and what is wrong, and gives the exit code.
pub(crate) fn conclude(path: Option<&Path>, failure: Option<&Failure>) -> Exit {
    if let Some(path) = path {
        output::error_line(&format!("report written to {}", path.display()));
    }
    match failure {
        None => Exit::Success,
        Some(failure) => {
            failure.print();
            failure.exit()
        }
    }
}

/// A graded list.
pub(crate) struct Graded {
    /// The report.
    pub(crate) group: RunGroupReport,
    /// Where it was written to.
    pub(crate) path: Option<PathBuf>,
    /// Why not all is well, where it is not.
    pub(crate) failure: Option<Failure>,
}

impl Arguments {
    /// Grades this list into this folder, with receipts.
    pub(crate) fn of(submission: PathBuf, output_dir: PathBuf) -> Arguments {
        Arguments {
            submission,
            output_dir,
            receipts: None,
            no_receipts: false,
            jobs: None,
            limits: LimitOptions::default(),
        }
    }
}

/// Grades the list and writes the report and the receipts; prints nothing but warnings and progress.
///
/// # Errors
/// As [`run`].
pub(crate) fn grade(
    arguments: &Arguments,
    shared: &Shared,
    cancellation: Cancellation,
) -> Result<Graded, Failure> {
    let places = Places::find(shared)?;
    let graders = graders::find(shared)?;
    let SubmissionList { submissions: list, warnings, .. } =
        podium::read_submission_list(&arguments.submission)?;
    warnings.iter().for_each(|warning| output::warning_line(warning));
    let receipts = (!arguments.no_receipts).then(|| {
        arguments.receipts.clone().unwrap_or_else(|| arguments.output_dir.join("receipts"))
    });
    for folder in [Some(&arguments.output_dir), receipts.as_ref()].into_iter().flatten() {
        // Better now than after hours of grading.
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        podium::remove_left_behind(folder);
    }
    let context =
        GradingContext::new(engine::start(shared)?, &places.data, arguments.limits.overrides())
            .with_graders(graders);
    let options = BatchOptions { threads: arguments.jobs, cancellation, ..BatchOptions::default() };
    let observer = Observer {
        progress: Progress::of(list.len(), "graded"),
        receipts: receipts.as_deref(),
        failure: Mutex::default(),
    };
    let batch = podium::grade_list(&context, &places.catalog(), &list, &options, &observer);
    observer.progress.finish();
    let batch = batch?;
    let group = RunGroupReport { warnings, ..batch.report() };
    let written = group.write_to(&arguments.output_dir);
    // What was graded is shown in any case: it took its time.
    let (path, unwritten) = match written {
        Ok(path) => (Some(path), None),
        Err(error) => (None, Some(Failure::from(error))),
    };
    let failure = stopped(&batch, list.len())
        .or(unwritten)
        .or_else(|| observer.failure.into_inner().unwrap_or_else(PoisonError::into_inner))
        .or_else(|| failed_gradings(&batch, &list));
    Ok(Graded { group, path, failure })
}

/// Shows how the batch goes on, and writes each receipt as soon as there is one.
struct Observer<'a> {
    progress: Progress,
    receipts: Option<&'a Path>,
    /// The first receipt that could not be written.
    failure: Mutex<Option<Failure>>,
}

impl BatchObserver for Observer<'_> {
    fn started(&self, _index: usize, submission: &ListedSubmission) {
        self.progress.say(&output::harmless(&submission.competition_id));
    }

    fn finished(&self, _index: usize, _submission: &ListedSubmission, graded: &GradedSubmission) {
        if let (Some(folder), Some(receipt)) = (self.receipts, &graded.receipt)
            && let Err(error) = receipt.write_to(folder)
        {
            self.failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| Failure::from(error));
        }
        self.progress.step();
    }
}

/// That the batch was stopped, where it was.
fn stopped(batch: &Batch, listed: usize) -> Option<Failure> {
    if batch.is_complete() {
        return None;
    }
    let done = batch.graded().count();
    let message = format!("stopped after {done} of {}", number::counted(listed, "submission"));
    let hint = "the report holds what was graded; run the command again to grade all";
    Some(Failure::new(Exit::Interrupted, message).hint(hint))
}

/// Which gradings came to no result for reasons other than the submission: each cause once, the first of them by their
/// lines in the list.
fn failed_gradings(batch: &Batch, list: &[ListedSubmission]) -> Option<Failure> {
    const SHOWN: usize = 5;
    let mut causes: Vec<Cause> = Vec::new();
    let mut indices: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    let mut failed = 0;
    for (submission, graded) in list.iter().zip(&batch.submissions) {
        let Some(report) = graded.as_ref().map(|graded| &graded.report) else { continue };
        if !report.outcome.is_infrastructure_failure() {
            continue;
        }
        let Some(failure) = Failure::of_report(report) else { continue };
        failed += 1;
        match indices.entry((&report.competition_id, report.message.as_deref())) {
            Entry::Occupied(known) => causes[*known.get()].more += 1,
            Entry::Vacant(new) => {
                new.insert(causes.len());
                causes.push(Cause { line: submission.line, report, failure, more: 0 });
            }
        }
    }
    let exit = causes.iter().map(|cause| cause.failure.exit()).max()?;
    let mut message =
        format!("{failed} of {} came to no result", number::counted(list.len(), "grading"));
    for Cause { line, report, failure, more } in causes.iter().take(SHOWN) {
        let more = match more {
            0 => String::new(),
            more => format!(" and {} more", number::count(*more)),
        };
        let competition = output::harmless(&report.competition_id);
        message.push_str(&format!("\n  line {line} ({competition}){more}: {failure}"));
    }
    let hidden = causes.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let hidden = number::counted(hidden, "other cause");
        message.push_str(&format!("\n  … and {hidden}: the report names them all"));
    }
    let mut hints: Vec<&String> =
        causes.iter().take(SHOWN).flat_map(|cause| cause.failure.hints()).collect();
    let mut said = HashSet::new();
    hints.retain(|hint| said.insert(*hint));
    Some(hints.into_iter().fold(Failure::new(exit, message), Failure::hint))
}

/// Why a grading came to no result, and how many more did for the same reason.
struct Cause<'a> {
    line: usize,
    report: &'a GradingReport,
    failure: Failure,
    more: u64,
}

/// The report for people.
pub(crate) fn in_words(group: &RunGroupReport) -> String {
    let mut text = String::new();
    if !group.competition_reports.is_empty() {
        text.push_str(&gradings(&group.competition_reports));
        text.push_str("\n\n");
    }
    let mut table = Table::new(["", "all", "without known issues"].map(table::needed));
    let rows: [(&str, fn(&Totals) -> u64); 8] = [
        ("gradings", |totals| totals.total_runs),
        ("with a submission", |totals| totals.total_runs_with_submissions),
        ("valid", |totals| totals.total_valid_submissions),
        ("above the median", |totals| totals.total_above_median),
        ("medals", |totals| totals.total_medals),
        ("  gold", |totals| totals.total_gold_medals),
        ("  silver", |totals| totals.total_silver_medals),
        ("  bronze", |totals| totals.total_bronze_medals),
    ];
    for (name, total) in rows {
        let clean = group.totals_without_known_issues.as_ref();
        table.add_row([
            Cell::new(name),
            table::number(number::count(total(&group.totals))),
            table::number(
                clean.map_or_else(|| "-".to_owned(), |clean| number::count(total(clean))),
            ),
        ]);
    }
    text.push_str(&table.lines());
    let failed: u64 = Outcome::ALL
        .iter()
        .filter(|outcome| outcome.is_infrastructure_failure())
        .filter_map(|outcome| group.total_by_outcome.get(outcome))
        .sum();
    if failed > 0 {
        let failed = number::counted(usize::try_from(failed).unwrap_or(usize::MAX), "grading");
        text.push_str(&format!(
            "\n\nfailed on this side, which says nothing about the submission: {failed}"
        ));
    }
    text
}

/// A line for each grading; of the first where there are many.
fn gradings(reports: &[GradingReport]) -> String {
    const SHOWN: usize = 100;
    let mut table = Table::new([
        table::needed("competition"),
        table::optional("submission", 3),
        table::needed("outcome"),
        table::needed("score"),
        table::optional("medal", 1),
        table::optional("above median", 2),
    ]);
    for report in reports.iter().take(SHOWN) {
        table.add_row([
            Cell::new(output::harmless(&report.competition_id)),
            Cell::new(grading_text::submission(report)),
            Cell::new(report.outcome).fg(grading_text::outcome_color(report.outcome)),
            table::number(grading_text::score(report).unwrap_or_else(|| "-".to_owned())),
            match report.medal() {
                Some(medal) => {
                    Cell::new(grading_text::medal_name(medal)).fg(grading_text::medal_color(medal))
                }
                None => Cell::new("-"),
            },
            Cell::new(if report.above_median { "yes" } else { "-" }),
        ]);
    }
    let mut text = table.lines();
    if reports.len() > SHOWN {
        let more = number::counted(reports.len() - SHOWN, "grading");
        text.push_str(&format!("\n… and {more} more: the report has all"));
    }
    text
}
