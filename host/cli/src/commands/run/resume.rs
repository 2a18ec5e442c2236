//! `podium run resume`: goes on with a run group.

use std::path::PathBuf;

use podium_runner::RunGroup;

use super::work;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;

/// What `podium run resume` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the run group
    group: PathBuf,
    /// Do not grade at the end
    #[arg(long)]
    no_grade: bool,
}

/// Goes on: what is finished stays, what runs is taken over, the rest is run.
///
/// # Errors
/// As those of `podium run start`.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let found = Places::find(shared)?;
    let group = RunGroup::open(&arguments.group)?;
    work::on(group, shared, &found, !arguments.no_grade, false)
}
