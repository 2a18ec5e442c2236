//! `podium run status`: how the runs of a group stand, from any terminal.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use comfy_table::Cell;
use podium_runner::{GroupDefinition, RunGroup, RunState};
use serde_json::json;

use super::live_view::LiveView;
use super::show;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::table::Table;
use crate::{output, table};

/// What `podium run status` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the run group
    group: PathBuf,
    /// Go on showing how they stand for as long as a runner works on the group; with --json, print every event as a JSON
    /// object in a line
    #[arg(long)]
    watch: bool,
}

/// How often is looked for what is new.
const INTERVAL: Duration = Duration::from_millis(300);

/// Prints a line a run.
///
/// # Errors
/// A folder that is no run group.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let definition = RunGroup::read_definition(&arguments.group)?;
    if arguments.watch {
        watch(&arguments.group, &definition, shared)?;
        if shared.json {
            return Ok(Exit::Success);
        }
    }
    let states = RunGroup::states(&arguments.group)?;
    let is_worked_on = RunGroup::is_worked_on(&arguments.group);
    let waiting = RunState::Waiting { attempts: 0 };
    let rows = definition.runs.iter().map(|run| (run, states.get(&run.id).unwrap_or(&waiting)));
    if shared.json {
        let runs: Vec<serde_json::Value> = rows
            .map(|(run, state)| {
                let mut row = json!({
                    "run": run.id,
                    "competition_id": run.competition_id,
                    "seed": run.seed,
                    "state": name(state),
                });
                match state {
                    RunState::Waiting { attempts } => row["attempts"] = json!(attempts),
                    RunState::Running { attempt, container, host, since, .. } => {
                        row["attempt"] = json!(attempt);
                        row["container"] = json!(container);
                        row["host"] = json!(host);
                        row["since"] = json!(since);
                    }
                    RunState::Finished(record) => row["record"] = json!(record),
                }
                row
            })
            .collect();
        output::print_json(&json!({ "is_worked_on": is_worked_on, "runs": runs }))?;
        return Ok(Exit::Success);
    }
    let mut lines = Table::new([
        table::needed("run"),
        table::needed("state"),
        table::optional("host", 4),
        table::optional("submission", 1),
        table::optional("validations", 2),
        table::optional("why", 3),
    ]);
    for (run, state) in rows {
        let (submission, validations, why) = match state {
            RunState::Finished(record) => (
                match &record.submission {
                    Some(submission) if submission.is_sample_submission => "the sample",
                    Some(_) => "yes",
                    None => "none",
                },
                record.validation.calls.to_string(),
                record.message.clone().unwrap_or_default(),
            ),
            _ => ("", String::new(), String::new()),
        };
        let host = match state {
            RunState::Waiting { .. } => None,
            RunState::Running { host, .. } => host.clone(),
            RunState::Finished(record) => record.host.clone(),
        };
        lines.add_row([
            Cell::new(&run.id),
            Cell::new(name(state)),
            Cell::new(host.unwrap_or_default()),
            Cell::new(submission),
            table::number(validations),
            Cell::new(output::harmless(&why)),
        ]);
    }
    let runner = if is_worked_on { "a runner works on it" } else { "no runner works on it" };
    output::print(&format!("{}\n\n{runner}", lines.lines()))?;
    Ok(Exit::Success)
}

/// Shows what happens until no runner works on the group any more.
fn watch(group: &Path, definition: &GroupDefinition, shared: &Shared) -> Result<(), Failure> {
    let draws = !shared.json && std::io::stderr().is_terminal();
    let view = draws.then(|| LiveView::start(group.to_owned(), definition.clone()));
    let mut shown = 0;
    loop {
        // Asked before the journal is read, so that its end is seen.
        let is_worked_on = RunGroup::is_worked_on(group);
        let events = podium_runner::journal::read(group)?;
        for event in events.iter().skip(shown) {
            match (&view, shared.json) {
                (_, true) => output::print(&serde_json::to_string(event).unwrap_or_default())?,
                (Some(view), _) => {
                    if let Some(text) = show::in_words(event) {
                        view.print(&text);
                    }
                }
                (None, _) => {
                    if let Some(text) = show::in_words(event) {
                        output::print(&text)?;
                    }
                }
            }
        }
        shown = events.len();
        if !is_worked_on {
            return Ok(());
        }
        thread::sleep(INTERVAL);
    }
}

fn name(state: &RunState) -> &'static str {
    match state {
        RunState::Waiting { .. } => "waiting",
        RunState::Running { .. } => "running",
        RunState::Finished(record) => record.ending.name(),
    }
}
