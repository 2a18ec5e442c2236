//! `podium leaderboard import`: leaderboards of the reference, made into Podium's.

use std::path::PathBuf;

use comfy_table::Cell;
use podium::Competition;
use podium_analysis::{
    ImportResult, ImportedLeaderboard, competitions_of_checkout, import_leaderboard,
};
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::places::Places;
use crate::progress::Progress;
use crate::table::{self, Table};
use crate::{interrupt, number, output};

/// What `podium leaderboard import` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The competitions [default: all]
    #[arg(value_name = "COMPETITION")]
    only: Vec<String>,
    /// A checkout of openai/mle-bench
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// The folder of competitions that gets the leaderboards, as <competition>/leaderboard.csv
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Replace leaderboards that are there
    #[arg(long)]
    force: bool,
}

/// What was imported, in JSON.
#[derive(Serialize)]
struct Imported {
    leaderboards: Vec<ImportedLeaderboard>,
}

/// Imports leaderboards, and says which medal lines would be others.
///
/// # Errors
/// No checkout, an unknown competition, a file that cannot be written. What could not be imported is said at the end.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let catalog = Places::find(shared)?.catalog();
    let competitions = if arguments.only.is_empty() {
        let listing = catalog.list();
        listing.problems.iter().for_each(|problem| output::warning_line(&problem.to_string()));
        listing.competitions
    } else {
        arguments.only.iter().map(|id| catalog.get(id)).collect::<Result<_, _>>()?
    };
    let checkout = competitions_of_checkout(&arguments.from).map_err(|error| {
        Failure::from(error)
            .hint("--from names a checkout of openai/mle-bench, which holds mlebench/competitions")
    })?;
    let cancellation = interrupt::cancellation()?;
    let progress = Progress::of(competitions.len(), "leaderboards imported");
    let mut leaderboards = Vec::new();
    for competition in &competitions {
        if cancellation.is_cancelled() {
            break;
        }
        progress.say(competition.id());
        leaderboards.push(import_leaderboard(
            competition,
            &checkout,
            &arguments.into,
            arguments.force,
        )?);
        progress.step();
    }
    progress.finish();
    let stopped = (leaderboards.len() < competitions.len()).then(|| {
        let message = format!("stopped after {} of {}", leaderboards.len(), competitions.len());
        Failure::new(Exit::Interrupted, message).hint("what was imported is kept")
    });
    let imported = Imported { leaderboards };
    let failure = stopped.or_else(|| failed(&imported.leaderboards));
    if shared.json {
        output::print_json(&WithError::new(&imported, failure.as_ref()))?;
    } else {
        output::print(&in_words(&imported.leaderboards))?;
        if let Some(stated) = stated_otherwise(&imported.leaderboards, &competitions) {
            output::print(&stated)?;
        }
    }
    Ok(match failure {
        None => Exit::Success,
        Some(failure) => {
            failure.print();
            failure.exit()
        }
    })
}

/// Where `competition.toml` says something else of the leaderboard than is so: what it has to say.
fn stated_otherwise(
    leaderboards: &[ImportedLeaderboard],
    competitions: &[Competition],
) -> Option<String> {
    let lines = leaderboards.iter().zip(competitions).filter_map(|(board, competition)| {
        let found = board.leaderboard_snapshot?;
        let stated = competition.definition.medals.as_ref()?.leaderboard_snapshot;
        let name = serde_json::to_string(&found).ok()?;
        (stated != Some(found)).then(|| {
            output::harmless(&format!(
                "{}: competition.toml has to say leaderboard_snapshot = {name} under [medals]",
                board.competition
            ))
        })
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| format!("\n{}", lines.join("\n")))
}

/// What could not be imported: each reason with its competition.
fn failed(leaderboards: &[ImportedLeaderboard]) -> Option<Failure> {
    const SHOWN: usize = 10;
    let exit = |result: ImportResult| match result {
        ImportResult::Written | ImportResult::Unchanged => None,
        ImportResult::LfsPointer | ImportResult::Missing => Some(Exit::Missing),
        ImportResult::Refused => Some(Exit::Usage),
        ImportResult::Kept | ImportResult::Link | ImportResult::Unreadable => Some(Exit::Files),
    };
    let worst = leaderboards.iter().filter_map(|board| exit(board.result)).max()?;
    let failed: Vec<&ImportedLeaderboard> =
        leaderboards.iter().filter(|board| exit(board.result).is_some()).collect();
    let mut message = format!("{} not imported", number::counted(failed.len(), "leaderboard"));
    for reason in failed.iter().take(SHOWN).filter_map(|board| board.reason.as_ref()) {
        message.push_str(&format!("\n  {reason}"));
    }
    if failed.len() > SHOWN {
        message.push_str(&format!("\n  … and {} more", failed.len() - SHOWN));
    }
    let has = |result: ImportResult| failed.iter().any(|board| board.result == result);
    let mut failure = Failure::new(worst, output::harmless(&message));
    if has(ImportResult::LfsPointer) {
        failure = failure.hint("run `git lfs pull` in the checkout, and the command again");
    }
    if has(ImportResult::Kept) {
        failure = failure.hint("--force replaces leaderboards that are there");
    }
    Some(failure)
}

fn in_words(leaderboards: &[ImportedLeaderboard]) -> String {
    let mut table = Table::new([
        table::needed("competition"),
        table::needed("result"),
        table::optional("teams", 2),
        table::optional("medal lines that differ from competition.toml (stated → follows)", 1),
    ]);
    for board in leaderboards {
        let result = match board.result {
            ImportResult::Written => "written",
            ImportResult::Unchanged => "unchanged",
            ImportResult::Kept => "kept the old one",
            ImportResult::Link => "a link, not followed",
            ImportResult::LfsPointer => "Git LFS pointer",
            ImportResult::Missing => "not there",
            ImportResult::Unreadable => "cannot be read",
            ImportResult::Refused => "refused",
        };
        let differences: Vec<String> = board
            .differences
            .iter()
            .map(|line| format!("{} {} → {}", line.line, line.stated, line.follows))
            .collect();
        let differences = match (board.teams, differences.is_empty()) {
            (None, _) => "-".to_owned(),
            (Some(_), true) => "none".to_owned(),
            (Some(_), false) => differences.join(", "),
        };
        table.add_row([
            Cell::new(output::harmless_name(&board.competition)),
            Cell::new(result),
            table::number(
                board.teams.map_or_else(|| "-".to_owned(), |teams| number::count(teams as u64)),
            ),
            Cell::new(differences),
        ]);
    }
    table.lines()
}
