//! `podium regrade list|show|apply|discard`: the sets of an archive.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use podium::{
    CurrentSet, ListedSet, RegradeSet, RegradeVerdict, Regrading, SealingKey, SetState, SetSummary,
    Sets,
};
use serde::Serialize;
use serde_json::json;

use super::text;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{ErrorInJson, Failure};
use crate::table::Table;
use crate::{number, output, sealing, table};

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
    /// Take the set for your own, with all that it says, though somebody else made it or changed it
    #[arg(long)]
    adopt: bool,
}

impl SetArguments {
    fn open(&self, key: &SealingKey) -> Result<RegradeSet, Failure> {
        let here = Sets::of(Path::new(".")).folder().join(&self.set);
        let folder = if !self.set.is_dir() && here.is_dir() { here } else { self.set.clone() };
        if !folder.is_dir() {
            let message = format!("there is no set {}", output::path(&folder));
            return Err(Failure::new(Exit::Missing, message)
                .hint("`podium regrade list ARCHIVE` shows the sets of an archive"));
        }
        Ok(RegradeSet::open(&folder, key)?)
    }
}

/// Does what is asked.
///
/// # Errors
/// A set that is none, or does not allow what is asked.
pub(super) fn run(command: &Command, shared: &Shared) -> Result<Exit, Failure> {
    let key = sealing::key()?;
    match command {
        Command::List(arguments) => list(&arguments.archives, &key, shared),
        Command::Show(arguments) => show(arguments, &key, shared),
        Command::Apply(ApplyArguments { set, incomplete, adopt }) => {
            let mut set = set.open(&key)?;
            let before = set.is_current();
            let is_new = set.apply(*incomplete, *adopt)?;
            if let Err(error) = before {
                output::warning_line(&format!("{error}; it is replaced"));
            }
            warn_of_what_is_missing(&set);
            let folder = output::path(set.folder());
            if shared.json {
                let set = podium::path_text::text(set.folder());
                output::print_json(&json!({"set": set, "applied": is_new}))?;
            } else if is_new {
                output::print(&format!("{folder} is the current grading now"))?;
            } else {
                output::print(&format!("{folder} was the current grading already"))?;
            }
            Ok(Exit::Success)
        }
        Command::Discard(arguments) => {
            let set = arguments.open(&key)?;
            let folder = set.folder().to_owned();
            set.discard()?;
            if shared.json {
                let set = podium::path_text::text(&folder);
                output::print_json(&json!({"set": set, "discarded": true}))?;
            } else {
                output::print(&format!("{} is removed", output::path(&folder)))?;
            }
            Ok(Exit::Success)
        }
    }
}

/// Warns of a set that says nothing of some of its runs.
fn warn_of_what_is_missing(set: &RegradeSet) {
    let Some(summary) = set.summary().summary.as_ref() else { return };
    let count = summary.without_result();
    if count > 0 {
        output::warning_line(&format!(
            "{} of {} in it have no result ({}): later regrades have nothing to compare these with",
            number::count(count),
            number::counted(usize::try_from(summary.runs).unwrap_or(usize::MAX), "run"),
            summary.why_without_result()
        ));
    }
}

/// The sets of an archive.
struct Listed {
    archive: PathBuf,
    /// The current set, where this person made one current.
    current: Option<PathBuf>,
    sets: Vec<ListedSet>,
    problems: Vec<String>,
    /// That it cannot be told which set is current.
    failure: Option<Failure>,
}

/// What `list` prints of an archive, as JSON: its sets, or why there are none to list.
#[derive(Default, Serialize)]
struct Element<'a> {
    #[serde(serialize_with = "podium::path_text::option::serialize")]
    archive: Option<&'a Path>,
    #[serde(flatten)]
    sets: Option<SetsInJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorInJson<'a>>,
}

#[derive(Serialize)]
struct SetsInJson<'a> {
    #[serde(serialize_with = "podium::path_text::option::serialize")]
    current: Option<&'a Path>,
    sets: &'a [ListedSet],
    problems: &'a [String],
}

impl Listed {
    fn is_current(&self, set: &SetSummary) -> bool {
        let current = self.current.as_deref().and_then(Path::file_name);
        current.is_some_and(|current| current.to_string_lossy() == *set.name)
    }
}

/// Lists the sets of all archives. What is wrong with one does not hide the others.
fn list(archives: &[PathBuf], key: &SealingKey, shared: &Shared) -> Result<Exit, Failure> {
    let looked_at: Vec<(&Path, Result<Listed, Failure>)> =
        archives.iter().map(|archive| (archive.as_path(), listed(archive, key))).collect();
    let all: Vec<&Listed> = looked_at.iter().filter_map(|(_, one)| one.as_ref().ok()).collect();
    let failures: Vec<&Failure> = looked_at
        .iter()
        .filter_map(|(_, one)| match one {
            Ok(listed) => listed.failure.as_ref(),
            Err(failure) => Some(failure),
        })
        .collect();
    let worst = failures.iter().max_by_key(|failure| failure.exit());
    if let (true, Some(worst)) = (shared.json && all.is_empty(), worst) {
        output::print_error(worst);
    } else if shared.json {
        let elements: Vec<Element<'_>> =
            looked_at.iter().map(|(archive, one)| element(archive, one)).collect();
        output::print_json(&elements)?;
    } else if !all.is_empty() {
        let in_words: Vec<String> = all.iter().map(|listed| listed_in_words(listed)).collect();
        output::print(&in_words.join("\n\n"))?;
    }
    for listed in &all {
        listed.problems.iter().for_each(|problem| output::warning_line(problem));
        let foreign = listed.sets.iter().filter(|set| !set.own).count();
        if foreign > 0 {
            let foreign = number::counted(foreign, "set");
            output::warning_line(&format!(
                "{}: somebody else made {foreign} of these, or changed them since: nothing that they say is taken for true",
                output::path(&listed.archive)
            ));
        }
    }
    failures.iter().for_each(|failure| failure.print());
    Ok(worst.map_or(Exit::Success, |worst| worst.exit()))
}

fn element<'a>(archive: &'a Path, looked_at: &'a Result<Listed, Failure>) -> Element<'a> {
    match looked_at {
        Ok(Listed { current, sets, problems, failure, .. }) => Element {
            archive: Some(archive),
            sets: Some(SetsInJson { current: current.as_deref(), sets, problems }),
            error: failure.as_ref().map(Failure::to_json),
        },
        Err(failure) => {
            Element { archive: Some(archive), error: Some(failure.to_json()), ..Element::default() }
        }
    }
}

/// The sets of an archive, and what is wrong with the file that says which is current.
fn listed(archive: &Path, key: &SealingKey) -> Result<Listed, Failure> {
    if !archive.exists() {
        let message = format!("there is no archive {}", output::path(archive));
        return Err(Failure::new(Exit::Missing, message));
    }
    let sets = Sets::of(archive);
    let (listed, problems) = sets.list(key)?;
    let mut problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let (current, failure) = match sets.current(key) {
        Ok(Some(CurrentSet { folder, own: true })) => (Some(folder), None),
        Ok(Some(CurrentSet { folder, own: false })) => {
            problems.push(format!(
                "{} is said to be the current grading, but somebody else made it so: it is not compared with",
                output::path(&folder)
            ));
            (None, None)
        }
        Ok(None) => (None, None),
        Err(error) => (None, Some(Failure::from(error))),
    };
    if let Some(missing) = current.as_ref().filter(|current| !current.is_dir()) {
        problems.push(format!("the current grading {} is not there", output::path(missing)));
    }
    let archive = archive.to_owned();
    Ok(Listed { archive, current, sets: listed, problems, failure })
}

fn listed_in_words(listed: &Listed) -> String {
    let archive = output::path(&listed.archive);
    let elsewhere = listed
        .current
        .as_ref()
        .filter(|_| !listed.sets.iter().any(|set| listed.is_current(&set.summary)))
        .map_or_else(String::new, |current| {
            format!("\nthe current grading is {}", output::path(current))
        });
    if listed.sets.is_empty() {
        return format!("{archive} has no sets{elsewhere}");
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
    for ListedSet { summary: set, own } in &listed.sets {
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
            Cell::new(output::harmless_name(&set.name)),
            Cell::new(match (own, is_current) {
                (false, _) => "not yours",
                (true, true) => "current",
                (true, false) => "",
            }),
            Cell::new(state(set.state)),
            count(|summary| summary.runs),
            count(|summary| summary.count(RegradeVerdict::Identical)),
            count(|summary| summary.count(RegradeVerdict::Changed)),
            Cell::new(if graders.is_empty() {
                "-".to_owned()
            } else {
                output::harmless_name(&graders.join(", "))
            }),
        ]);
    }
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
    own: bool,
    regrading: Option<&'a Regrading>,
}

fn show(arguments: &SetArguments, key: &SealingKey, shared: &Shared) -> Result<Exit, Failure> {
    let set = arguments.open(key)?;
    let regrading = set.regrading()?;
    let is_current = set.is_current().unwrap_or_else(|error| {
        output::warning_line(&error.to_string());
        false
    });
    let summary = set.summary();
    let own = set.is_own() && set.is_intact()?;
    if !own {
        output::warning_line(
            "somebody else made this set, or changed it since: nothing says that what it shows is true",
        );
    }
    if shared.json {
        let shown = Shown { set: summary, is_current, own, regrading: regrading.as_ref() };
        output::print_json(&shown)?;
        return Ok(Exit::Success);
    }
    let current = if is_current { ", the current grading" } else { "" };
    let mut shown = format!(
        "{} ({}{current}), begun {}",
        output::harmless_name(&summary.name),
        state(summary.state),
        output::harmless_name(&summary.created_at)
    );
    for (competition, sha256) in &summary.settings.graders {
        shown.push_str(&format!("\n{} by {sha256}", output::harmless_name(competition)));
    }
    match &regrading {
        Some(regrading) => shown.push_str(&format!("\n{}", text::in_words(regrading))),
        None => shown.push_str("\nit was not finished: run the regrade again to go on with it"),
    }
    output::print(&shown)?;
    Ok(Exit::Success)
}
