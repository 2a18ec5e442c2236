//! `podium run logs`: what the agent of a run has printed.

use std::path::PathBuf;

use podium_runner::RunGroup;
use serde_json::json;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::shell_word::shell_path;

/// What `podium run logs` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the run group
    group: PathBuf,
    /// The run: its id, or the beginning of it
    run: String,
}

/// Prints the log, without what would steer a terminal.
///
/// # Errors
/// A group or run that is not there.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let definition = RunGroup::read_definition(&arguments.group)?;
    let mut found = definition.runs.iter().filter(|run| run.id.starts_with(&arguments.run));
    let (Some(run), None) = (found.next(), found.next()) else {
        let wanted = &arguments.run;
        return Err(Failure::new(
            Exit::Missing,
            format!("there is not exactly one run `{wanted}`"),
        )
        .hint(format!("`podium run status {}` lists them", shell_path(&arguments.group))));
    };
    let path = arguments.group.join(&run.id).join("agent.log");
    let log = match std::fs::read(&path) {
        Ok(log) => log,
        Err(error) => {
            return Err(Failure::new(Exit::Missing, format!("{}: {error}", path.display()))
                .hint("the run has not begun"));
        }
    };
    let log = String::from_utf8_lossy(&log);
    match shared.json {
        true => output::print_json(&json!({ "run": run.id, "log": log }))?,
        false => output::print(output::harmless(&log).trim_end_matches('\n'))?,
    }
    Ok(Exit::Success)
}
