//! `podium experiment`: what many grading reports say together.

mod compare;
mod report;
mod sources;
mod table;

use clap::Subcommand;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;

/// What `podium experiment` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a report: tables and figures as Markdown, HTML, CSV and Parquet
    Report(report::Arguments),
    /// Print the leaderboard table: the share of medals over low, medium, high and all
    Table(table::Arguments),
    /// Say whether the difference between two experiments is more than noise
    Compare(compare::Arguments),
}

/// Does it.
///
/// # Errors
/// Those of the command that was named.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Report(arguments) => report::run(arguments, shared),
        Command::Table(arguments) => table::run(arguments, shared),
        Command::Compare(arguments) => compare::run(arguments, shared),
    }
}
