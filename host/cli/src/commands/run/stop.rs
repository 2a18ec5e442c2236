//! `podium run stop`: asks the runner that works on a group to stop.

use std::path::PathBuf;

use podium_runner::{RunGroup, RunState};
use serde_json::json;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// What `podium run stop` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the run group
    group: PathBuf,
    /// Stop what runs as well; it is run anew by `resume`
    #[arg(long)]
    now: bool,
}

/// Leaves the request; the runner sees it within a second.
///
/// # Errors
/// A folder that is no run group; none that works on it.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    RunGroup::read_definition(&arguments.group)?;
    if !RunGroup::is_worked_on(&arguments.group) {
        let group = arguments.group.display();
        let states = RunGroup::states(&arguments.group)?;
        if states.values().all(|state| matches!(state, RunState::Finished(_))) {
            let message = format!("{group} is finished: there is nothing to stop");
            return Err(Failure::new(Exit::Missing, message));
        }
        return Err(Failure::new(Exit::Missing, format!("no runner works on {group}"))
            .hint("`podium run clean` removes containers that a killed runner has left"));
    }
    RunGroup::request_stop(&arguments.group, arguments.now)?;
    if shared.json {
        output::print_json(&json!({ "requested": if arguments.now { "now" } else { "drain" } }))?;
    } else {
        output::print(match arguments.now {
            true => "the runner stops what runs",
            false => "the runner starts nothing new",
        })?;
    }
    Ok(Exit::Success)
}
