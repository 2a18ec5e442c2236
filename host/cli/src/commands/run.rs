//! `podium run`: agents in containers, from the start to a graded report.

mod clean;
mod grade_snapshots;
mod live_view;
mod logs;
mod places;
mod resume;
mod show;
mod start;
mod status;
mod stop;
mod work;

use clap::Subcommand;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;

/// What `podium run` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an agent on competitions, then grade
    Start(start::Arguments),
    /// Go on with a run group that was stopped or killed
    Resume(resume::Arguments),
    /// Say how the runs of a group stand
    Status(status::Arguments),
    /// Stop the runner that works on a group
    Stop(stop::Arguments),
    /// Print what the agent of a run has printed
    Logs(logs::Arguments),
    /// Grade what the runs of a group had at each time, for curves of the score over time
    GradeSnapshots(grade_snapshots::Arguments),
    /// Remove containers and networks that no runner works on any more
    Clean(clean::Arguments),
}

/// Does it.
///
/// # Errors
/// Those of the command that was named.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Start(arguments) => start::run(arguments, shared),
        Command::Resume(arguments) => resume::run(arguments, shared),
        Command::Status(arguments) => status::run(arguments, shared),
        Command::Stop(arguments) => stop::run(arguments, shared),
        Command::Logs(arguments) => logs::run(arguments, shared),
        Command::GradeSnapshots(arguments) => grade_snapshots::run(arguments, shared),
        Command::Clean(arguments) => clean::run(arguments, shared),
    }
}

/// Runs what waits for the engine.
fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Files, format!("could not start: {error}")))?
        .block_on(future)
}
