//! `podium run clean`: removes what runners have left behind in the engine.

use std::path::Path;

use podium_runner::{Engine, RunGroup, Stray};
use serde_json::json;

use super::block_on;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// What `podium run clean` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

/// Removes containers and networks of groups that no runner works on.
///
/// # Errors
/// An engine that does not answer, or refuses.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let strays: Vec<Stray> = block_on(async {
        let engine = Engine::connect().await?;
        let mut strays = engine.strays(None).await?;
        strays.retain(|stray| !RunGroup::is_worked_on(Path::new(&stray.folder)));
        if !arguments.dry_run {
            for stray in &strays {
                engine.remove(stray).await?;
            }
        }
        Ok(strays)
    })?;
    if shared.json {
        let list: Vec<serde_json::Value> = strays
            .iter()
            .map(|stray| {
                json!({
                    "kind": kind(stray),
                    "name": stray.name,
                    "state": stray.state,
                    "run": stray.run,
                    "folder": stray.folder,
                    "removed": !arguments.dry_run,
                })
            })
            .collect();
        output::print_json(&list)?;
        return Ok(Exit::Success);
    }
    if strays.is_empty() {
        output::print("nothing is left behind")?;
    }
    let done = if arguments.dry_run { "would be removed" } else { "removed" };
    for stray in &strays {
        let text = format!("{} {} of {}: {done}", kind(stray), stray.name, stray.folder);
        output::print(&output::harmless(&text))?;
    }
    Ok(Exit::Success)
}

fn kind(stray: &Stray) -> &'static str {
    if stray.is_network { "network" } else { "container" }
}
