//! `podium regrade list|show|apply|discard`: the sets of an archive.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use podium::{RegradeSet, RegradeVerdict, Regrading, SetState, SetSummary, Sets};
use serde::Serialize;
use serde_json::json;

use super::text;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::table::Table;
use crate::{number, output, table};

/// What can be done with sets.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List the sets of archives, and which of them is the current one
    List(ListArguments),
    /// Show what came out of a set
    Show(SetArguments),
    /// Make a set the archive's current grading; the one before is kept
    Apply(ApplyArguments),
    /// Remove a set that is not the current one
    Discard(SetArguments),
}

/// What `list` is told.
#[derive(Debug, clap::Args)]
pub(super) struct ListArguments {
    /// The archives
    #[arg(value_name = "ARCHIVE", default_value = ".")]
    archives: Vec<PathBuf>,
}

/// What `show` and `discard` are told.
#[derive(Debug, clap::Args)]
pub(super) struct SetArguments {
    /// The folder of the set, or its name where the archive is the current folder
    #[arg(value_name = "SET")]
    set: PathBuf,
}

/// What `apply` is told.
#[derive(Debug, clap::Args)]
pub(super) struct ApplyArguments {
    #[command(flatten)]
    set: SetArguments,
    /// Apply a set that is not complete
    #[arg(long)]
    incomplete: bool,
}

impl SetArguments {
    fn open(&self) -> Result<RegradeSet, Failure> {
        let here = Sets::of(Path::new(".")).folder().join(&self.set);
        let folder = if !self.set.is_dir() && here.is_dir() { here } else { self.set.clone() };
        if !folder.is_dir() {
            let message = format!("there is no set {}", folder.display());
            return Err(Failure::new(Exit::Missing, message)
                .hint("`podium regrade list ARCHIVE` shows the sets of an archive"));
        }
        Ok(RegradeSet::open(&folder)?)
    }
}

/// Does what is asked.
///
/// # Errors
/// A set that is none, or does not allow what is asked.
pub(super) fn run(command: &Command, shared: &Shared) -> Result<Exit, Failure> {
    match command {
        Command::List(arguments) => list(&arguments.archives, shared),
        Command::Show(arguments) => show(arguments, shared),
        Command::Apply(ApplyArguments { set, incomplete }) => {
            let set = set.open()?;
            let is_new = set.apply(*incomplete)?;
            let folder = set.folder().display();
            if shared.json {
                output::print_json(&json!({"set": set.folder(), "applied": is_new}))?;
            } else if is_new {
                output::print(&format!("{folder} is the current grading now"))?;
            } else {
                output::print(&format!("{folder} was the current grading already"))?;
            }
            Ok(Exit::Success)
        }
        Command::Discard(arguments) => {
            let set = arguments.open()?;
            let folder = set.folder().to_owned();
            set.discard()?;
            if shared.json {
                output::print_json(&json!({"set": folder, "discarded": true}))?;
            } else {
                output::print(&format!("{} is removed", folder.display()))?;
            }
            Ok(Exit::Success)
        }
    }
}

/// The sets of an archive, as JSON.
#[derive(Serialize)]
struct Listed {
    archive: PathBuf,
    current: Option<PathBuf>,
    sets: Vec<SetSummary>,
    problems: Vec<String>,
}

impl Listed {
    fn is_current(&self, set: &SetSummary) -> bool {
        let current = self.current.as_deref().and_then(Path::file_name);
        current.is_some_and(|current| current.to_string_lossy() == *set.name)
    }
}

fn list(archives: &[PathBuf], shared: &Shared) -> Result<Exit, Failure> {
    let mut all = Vec::new();
    for archive in archives {
        if !archive.exists() {
            let message = format!("there is no archive {}", archive.display());
            return Err(Failure::new(Exit::Missing, message));
        }
        let sets = Sets::of(archive);
        let (listed, problems) = sets.list()?;
        all.push(Listed {
            archive: archive.clone(),
            current: sets.current()?,
            sets: listed,
            problems: problems.iter().map(ToString::to_string).collect(),
        });
    }
    if shared.json {
        output::print_json(&all)?;
    } else {
        output::print(&all.iter().map(listed_in_words).collect::<Vec<_>>().join("\n\n"))?;
    }
    for problem in all.iter().flat_map(|listed| &listed.problems) {
        output::warning_line(problem);
    }
    Ok(Exit::Success)
}

fn listed_in_words(listed: &Listed) -> String {
    let archive = output::harmless(&listed.archive.display().to_string());
    if listed.sets.is_empty() {
        return format!("{archive} has no sets");
    }
    let mut table = Table::new([
        table::needed("set"),
        table::needed(""),
        table::needed("state"),
        table::needed("runs"),
        table::needed("identical"),
        table::optional("changed", 1),
        table::optional("graders", 2),
    ]);
    for set in &listed.sets {
        let is_current = listed.is_current(set);
        let count = |count: fn(&podium::RegradeSummary) -> u64| {
            table::number(
                set.summary
                    .as_ref()
                    .map_or_else(|| "-".to_owned(), |summary| number::count(count(summary))),
            )
        };
        let graders: Vec<&str> = set.settings.graders.keys().map(String::as_str).collect();
        table.add_row([
            Cell::new(output::harmless(&set.name)),
            Cell::new(if is_current { "current" } else { "" }),
            Cell::new(state(set.state)),
            count(|summary| summary.runs),
            count(|summary| summary.count(RegradeVerdict::Identical)),
            count(|summary| summary.count(RegradeVerdict::Changed)),
            Cell::new(if graders.is_empty() {
                "-".to_owned()
            } else {
                output::harmless(&graders.join(", "))
            }),
        ]);
    }
    let elsewhere =
        listed.current.as_ref().filter(|_| !listed.sets.iter().any(|set| listed.is_current(set)));
    let elsewhere = elsewhere.map_or_else(String::new, |current| {
        format!("\nthe current grading is {}", output::harmless(&current.display().to_string()))
    });
    format!("{archive}\n{}{elsewhere}", table.lines())
}

fn state(state: SetState) -> &'static str {
    match state {
        SetState::Running => "not complete",
        SetState::Complete => "complete",
    }
}

/// A set with what came out of it, as JSON.
#[derive(Serialize)]
struct Shown<'a> {
    set: &'a SetSummary,
    is_current: bool,
    regrading: Option<&'a Regrading>,
}

fn show(arguments: &SetArguments, shared: &Shared) -> Result<Exit, Failure> {
    let set = arguments.open()?;
    let regrading = set.regrading()?;
    let is_current = set.is_current()?;
    let summary = set.summary();
    if shared.json {
        let shown = Shown { set: summary, is_current, regrading: regrading.as_ref() };
        output::print_json(&shown)?;
        return Ok(Exit::Success);
    }
    let current = if is_current { ", the current grading" } else { "" };
    let mut shown = format!(
        "{} ({}{current}), begun {}",
        output::harmless(&summary.name),
        state(summary.state),
        summary.created_at
    );
    for (competition, sha256) in &summary.settings.graders {
        shown.push_str(&format!("\n{} by {sha256}", output::harmless(competition)));
    }
    match &regrading {
        Some(regrading) => shown.push_str(&format!("\n{}", text::in_words(regrading))),
        None => shown.push_str("\nit was not finished: run the regrade again to go on with it"),
    }
    output::print(&shown)?;
    Ok(Exit::Success)
}
