//! `podium leaderboard`: the leaderboards that medals are held against.

mod import;
mod show;

use clap::Subcommand;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;

/// What `podium leaderboard` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a leaderboard: histogram, medal lines, where a score would rank
    Show(show::Arguments),
    /// Import leaderboards from a checkout of the reference
    Import(import::Arguments),
}

/// Does it.
///
/// # Errors
/// Those of the command that was named.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Show(arguments) => show::run(arguments, shared),
        Command::Import(arguments) => import::run(arguments, shared),
    }
}
