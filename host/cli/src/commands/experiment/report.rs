//! `podium experiment report`: tables and figures of experiments, as Markdown, HTML, CSV and Parquet.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use podium_analysis::{Aggregated, Metric, Study, path_text, shown_name, write_files};
use serde::Serialize;

use super::sources::{ReportOptions, SeedArguments, benchmark};
use crate::analysis_failure::{nothing_computed, of_problems, written};
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::table::{self, Table};
use crate::{interrupt, number, output};

/// What `podium experiment report` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folders of experiments: in the layout of the reference's runs/, or a folder an experiment
    #[arg(value_name = "RUNS")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportOptions,
    /// The folder that the report is written into: a new or an empty one
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace the files of a report that is there
    #[arg(long)]
    force: bool,
    /// The title of the report
    #[arg(long, value_name = "TEXT", default_value = "Experiments")]
    title: String,
    /// The competitions: low, medium, high, split75, dev, systemcard, an id, or the path of a file with an id a line
    #[arg(long, value_name = "SPLIT", default_value = "split75")]
    split: String,
    #[command(flatten)]
    seeds: SeedArguments,
    /// When competitions took place: a CSV with the columns competition_id and date
    #[arg(long, value_name = "FILE")]
    dates: Option<PathBuf>,
}

/// What was computed and written, in JSON.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    study: &'a Study,
    files: Vec<String>,
}

/// Writes the report, and prints its main table.
///
/// # Errors
/// Nothing that can be used; a folder that cannot be written into. What else could not be used is said at the end.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let cancellation = interrupt::cancellation()?;
    let mut benchmark = benchmark(shared)?;
    if let Some(dates) = &arguments.dates {
        warn_of_unknown(dates, &benchmark.read_dates(dates)?);
    }
    let options = arguments.seeds.over(&arguments.split, &benchmark)?;
    let sources = arguments.reports.sources(&arguments.runs)?;
    let loaded = arguments.reports.load(&sources, &arguments.runs, &benchmark, &cancellation)?;
    let study = Study::of(loaded, &benchmark, &options);
    if let Some(failure) = without_result(&study) {
        return Err(failure);
    }
    let files = study.to_files(&arguments.title)?;
    if cancellation.is_cancelled() {
        return Err(podium_analysis::Error::Cancelled.into());
    }
    let paths = write_files(&files, &arguments.out, arguments.force)?;
    let failure = of_problems(&study.problems);
    if shared.json {
        let files = paths.iter().map(|path| path_text(path)).collect();
        let result = Written { study: &study, files };
        output::print_json(&WithError::new(&result, failure.as_ref()))?;
    } else {
        output::print(&in_words(&study))?;
    }
    output::error_line(&written(&paths));
    Ok(match failure {
        None => Exit::Success,
        Some(failure) => {
            failure.print();
            failure.exit()
        }
    })
}

/// Says which competitions of a file of dates are not known here.
fn warn_of_unknown(dates: &Path, unknown: &[String]) {
    const SHOWN: usize = 10;
    if unknown.is_empty() {
        return;
    }
    let mut list: Vec<String> = unknown.iter().take(SHOWN).map(|id| shown_name(id)).collect();
    if unknown.len() > SHOWN {
        list.push(format!("{} more", unknown.len() - SHOWN));
    }
    output::warning_line(&format!(
        "{}: of competitions that are not known here, the dates are not used: {}",
        output::path(dates),
        list.join(", ")
    ));
}

/// That no experiment has a single seed, where that is so: why, and what else was wrong.
fn without_result(study: &Study) -> Option<Failure> {
    let reasons: Vec<(String, String)> = study
        .experiments
        .iter()
        .map(|result| match &result.overall.all {
            Aggregated::Of(_) => None,
            Aggregated::None { reason } => Some((result.name.clone(), reason.clone())),
        })
        .collect::<Option<_>>()?;
    let what = format!(
        "no experiment has a complete seed over {}, so there is nothing to report",
        shown_name(&study.split)
    );
    Some(
        nothing_computed(&what, &reasons, &study.problems).hint(
            "--incomplete pad counts missing runs as failed; --split names fewer competitions",
        ),
    )
}

fn in_words(study: &Study) -> String {
    let mut table = Table::new([
        table::needed("experiment"),
        table::optional("seeds", 1),
        table::optional("made", 6),
        table::optional("valid", 5),
        table::optional("above median", 4),
        table::optional("bronze", 9),
        table::optional("silver", 8),
        table::optional("gold", 7),
        table::needed("any medal"),
        table::optional("without known issues", 3),
    ]);
    for result in &study.experiments {
        let aggregate = result.overall.all.aggregate();
        let clean = result.overall.without_known_issues.aggregate();
        let text = |aggregate: Option<&podium_analysis::Aggregate>, metric: Metric| {
            let estimate = aggregate.and_then(|aggregate| aggregate.estimate(metric));
            table::number(estimate.map_or_else(
                || "-".to_owned(),
                |estimate| match estimate.standard_error {
                    Some(error) => format!("{:.2} ± {error:.2}", estimate.mean),
                    None => format!("{:.2}", estimate.mean),
                },
            ))
        };
        let mut row = vec![Cell::new(output::harmless_name(&result.name))];
        row.push(table::number(aggregate.map_or(0, |aggregate| aggregate.seeds.len())));
        row.extend(Metric::ALL.iter().map(|metric| text(aggregate, *metric)));
        row.push(text(clean, Metric::AnyMedal));
        table.add_row(row);
    }
    let mut text = table.lines();
    text.push_str(&format!(
        "\n\npercent of runs over {} of {}, mean over seeds ± standard error of the mean",
        number::counted(study.competitions, "competition"),
        output::harmless_name(&study.split),
    ));
    for result in &study.experiments {
        for remark in &result.remarks {
            let name = output::harmless_name(&result.name);
            text.push_str(&output::harmless(&format!("\n{name}: {remark}")));
        }
    }
    text
}
