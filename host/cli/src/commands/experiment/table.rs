//! `podium experiment table`: the leaderboard table of experiments.

use std::io;
use std::path::PathBuf;

use clap::ValueEnum;
use comfy_table::Cell;
use podium_analysis::LeaderboardTable;

use super::sources::{ReportOptions, SeedArguments, benchmark};
use crate::analysis_failure::{nothing_computed, of_problems, written_line};
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::table::{self, Table};
use crate::{interrupt, output};

/// What `podium experiment table` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folders of experiments: in the layout of the reference's runs/, or a folder an experiment
    #[arg(value_name = "RUNS")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportOptions,
    #[command(flatten)]
    seeds: SeedArguments,
    /// How the table is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the table into this new file instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// Markdown, as for a README
    Markdown,
    /// A page of HTML that needs nothing else
    Html,
}

/// Prints or writes the table.
///
/// # Errors
/// Nothing that can be used; a file that cannot be written. What else could not be used is said at the end.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let cancellation = interrupt::cancellation()?;
    let benchmark = benchmark(shared)?;
    let sources = arguments.reports.sources(&arguments.runs)?;
    let loaded = arguments.reports.load(&sources, &arguments.runs, &benchmark, &cancellation)?;
    let seeds = &arguments.seeds;
    let table = LeaderboardTable::of(loaded, &benchmark, seeds.options(), seeds.alignment())?;
    if cancellation.is_cancelled() {
        return Err(podium_analysis::Error::Cancelled.into());
    }
    if let Some(failure) = without_result(&table) {
        return Err(failure);
    }
    let text = match arguments.format {
        Format::Text => in_words(&table),
        Format::Markdown => in_markdown(&table),
        Format::Html => table.to_document("Leaderboard").to_html()?,
    };
    if let Some(path) = &arguments.out {
        let mut text = text.clone();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        podium::write_new(path, text.as_bytes()).map_err(|error| match error {
            podium::Error::Write { source, .. }
                if source.kind() == io::ErrorKind::AlreadyExists =>
            {
                let message = format!("{} exists: it is left as it is", output::path(path));
                Failure::new(Exit::Files, message).hint("name another file with --out")
            }
            other => other.into(),
        })?;
        output::error_line(&written_line(path));
    }
    let failure = of_problems(&table.problems);
    if shared.json {
        output::print_json(&WithError::new(&table, failure.as_ref()))?;
    } else if arguments.out.is_none() {
        output::print(text.trim_end())?;
    }
    Ok(match failure {
        None => Exit::Success,
        Some(failure) => {
            failure.print();
            failure.exit()
        }
    })
}

/// That no experiment has a seed over any of the splits, where that is so.
fn without_result(table: &LeaderboardTable) -> Option<Failure> {
    let mut cells = table.rows.iter().flat_map(|row| &row.splits);
    if cells.any(|cell| cell.any_medal.is_some()) {
        return None;
    }
    let reasons: Vec<(String, String)> = table
        .rows
        .iter()
        .filter_map(|row| {
            let all = row.splits.last()?;
            Some((row.experiment.clone(), all.reason.clone().unwrap_or_default()))
        })
        .collect();
    let what =
        "no experiment has a complete seed over low, medium, high or all, so there is no table";
    let hint = "--incomplete pad counts missing runs as failed; `podium experiment report --split` takes fewer competitions";
    Some(nothing_computed(what, &reasons, &table.problems).hint(hint))
}

fn in_markdown(table: &LeaderboardTable) -> String {
    let document = table.to_document("Leaderboard");
    document.to_markdown()
}

fn in_words(leaderboard: &LeaderboardTable) -> String {
    let mut table = Table::new([
        table::needed("experiment"),
        table::optional("agent", 6),
        table::optional("model", 5),
        table::optional("low", 1),
        table::optional("medium", 2),
        table::optional("high", 2),
        table::needed("all"),
        table::optional("all without known issues", 4),
        table::optional("hours", 7),
        table::optional("date", 8),
    ]);
    for row in &leaderboard.rows {
        let text = |text: &Option<String>| {
            Cell::new(output::harmless_name(text.as_deref().unwrap_or("-")))
        };
        let metadata = &row.metadata;
        let mut cells = vec![
            Cell::new(output::harmless_name(&row.experiment)),
            text(&metadata.agent),
            text(&metadata.model),
        ];
        cells.extend(row.splits.iter().map(|cell| table::number(cell.text())));
        cells.push(table::number(row.splits_without_known_issues[3].text()));
        cells.push(table::number(
            metadata.running_time_hours.map_or_else(|| "-".to_owned(), |hours| hours.to_string()),
        ));
        cells.push(text(&metadata.date));
        table.add_row(cells);
    }
    let mut text = table.lines();
    text.push_str(
        "\n\nany medal, in percent of runs: mean over seeds ± standard error of the mean",
    );
    for row in &leaderboard.rows {
        for remark in &row.remarks {
            let name = output::harmless_name(&row.experiment);
            text.push_str(&output::harmless(&format!("\n{name}: {remark}")));
        }
    }
    text
}
