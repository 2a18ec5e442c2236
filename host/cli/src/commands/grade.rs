//! `podium grade`: a list of submissions, graded over all cores into one report.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use comfy_table::Cell;
use podium::{
    Batch, BatchObserver, BatchOptions, GradedSubmission, GradingContext, GradingReport,
    ListedSubmission, Outcome, RunGroupReport, Totals,
};

use crate::arguments::{LimitOptions, Shared};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::progress::Progress;
use crate::{engine, grading_text, interrupt, number, output, table};

/// What `podium grade` is told.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Arguments {
    /// The list of submissions, a JSONL file
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
    let places = Places::find(shared)?;
    let list = podium::read_submission_list(&arguments.submission)?;
    // Better now than after hours of grading.
    std::fs::create_dir_all(&arguments.output_dir)
        .map_err(|error| Failure::cannot_write(&arguments.output_dir, &error))?;
    let receipts = (!arguments.no_receipts).then(|| {
        arguments.receipts.clone().unwrap_or_else(|| arguments.output_dir.join("receipts"))
    });
    let context =
        GradingContext::new(engine::start(shared)?, &places.data, arguments.limits.overrides());
    let options = BatchOptions {
        threads: arguments.jobs,
        cancellation: interrupt::cancellation()?,
        ..BatchOptions::default()
    };
    let observer = Observer {
        progress: Progress::of(list.len()),
        receipts: receipts.as_deref(),
        failure: Mutex::default(),
    };
    let batch = podium::grade_list(&context, &places.catalog(), &list, &options, &observer);
    observer.progress.finish();
    let batch = batch?;
    let group = batch.report();
    let path = group.write_to(&arguments.output_dir)?;
    if shared.json {
        output::print_json(&group)?;
    } else {
        output::print(&in_words(&group))?;
    }
    output::error_line(&format!("report written to {}", path.display()));
    if let Some(failure) = observer.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        failure.print();
        return Ok(failure.exit());
    }
    Ok(conclude(&batch, &group, list.len()))
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

/// Says what went wrong on our side, each thing once, and how the program ends.
fn conclude(batch: &Batch, group: &RunGroupReport, listed: usize) -> Exit {
    let mut said = BTreeSet::new();
    let mut exit = Exit::Success;
    for report in
        group.competition_reports.iter().filter(|report| report.outcome.is_infrastructure_failure())
    {
        exit = exit.max(report.outcome.into());
        if said.insert((&report.competition_id, &report.message))
            && let Some(failure) = Failure::of_report(report)
        {
            failure.print();
        }
    }
    if batch.is_complete() {
        return exit;
    }
    let done = group.competition_reports.len();
    Failure::new(
        Exit::Interrupted,
        format!("stopped after {done} of {}", number::counted(listed, "submission")),
    )
    .hint("the report holds what was graded; run the command again to grade all")
    .print();
    Exit::Interrupted
}

fn in_words(group: &RunGroupReport) -> String {
    let mut text = String::new();
    if !group.competition_reports.is_empty() {
        text.push_str(&gradings(&group.competition_reports));
        text.push_str("\n\n");
    }
    let mut table = table::with_headings(["", "all", "without known issues"]);
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
    text.push_str(&table.to_string());
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
    let mut table = table::with_headings([
        "competition",
        "submission",
        "outcome",
        "score",
        "medal",
        "above median",
    ]);
    for report in reports.iter().take(SHOWN) {
        table.add_row([
            Cell::new(output::harmless(&report.competition_id)),
            Cell::new(output::harmless(&report.submission_path)),
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
    let mut text = table.to_string();
    if reports.len() > SHOWN {
        let more = number::counted(reports.len() - SHOWN, "grading");
        text.push_str(&format!("\n… and {more} more: the report has all"));
    }
    text
}
