//! A run group's folder: what is to be run, the lock of the runner that works on it, and the files that are read by others.
//!
//! The layout is that of MLE-bench (`metadata.json`, a folder `<competition>_…` a run with `submission/`, `logs/` and `code/`),
//! with more files beside.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent::Agent;
use crate::configuration::RunConfiguration;
use crate::error::Error;
use crate::event::{self, Ending, Event, EventKind};
use crate::hosts::Hosts;
use crate::journal::{self, Journal, RunState};
use crate::snapshots;

/// The file that defines a run group.
pub const DEFINITION: &str = "run.toml";

/// The list of submissions that `podium grade` takes.
pub const SUBMISSIONS: &str = "submission.jsonl";

/// The file that the runner which works on a group has locked.
const LOCK: &str = ".lock";

/// What the name of a folder begins and ends with in which a group is being planned.
const PLAN: (&str, &str) = (".podium-plan-", ".partial");

/// The file with which another process asks the runner to stop.
const STOP_REQUEST: &str = "stop.request";

/// What a run group is: `run.toml` in its folder. Holds no secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupDefinition {
    /// The version of Podium that made it.
    pub podium: String,
    /// When, in UTC.
    pub created_at: String,
    /// How many runs go on at once, on all hosts together; as many as the hosts hold where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<usize>,
    /// Whether somebody allowed privileged containers.
    pub allow_privileged: bool,
    /// The folder of the agent.
    pub agent_folder: PathBuf,
    /// What the runs may use.
    pub configuration: RunConfiguration,
    /// The agent.
    pub agent: Agent,
    /// Where they run.
    #[serde(default)]
    pub hosts: Hosts,
    /// The runs.
    pub runs: Vec<RunPlan>,
}

/// A run that is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlan {
    /// Its id and folder: `<competition>_<seed>-<group's digest>`.
    pub id: String,
    /// The competition.
    pub competition_id: String,
    /// The seed, from 0 on.
    pub seed: u32,
}

/// A run group that a runner works on. No other can, for as long as this lives.
#[derive(Debug)]
pub struct RunGroup {
    /// Its folder.
    pub folder: PathBuf,
    /// What it is.
    pub definition: GroupDefinition,
    pub(crate) journal: Journal,
    _lock: File,
}

/// How a runner is asked to stop, by signals or by another process.
#[derive(Clone, Debug, Default)]
pub struct StopRequest(Arc<AtomicU8>);

impl StopRequest {
    const DRAIN: u8 = 1;
    const NOW: u8 = 2;

    /// Nothing new is started; what runs goes on to its end.
    pub fn drain(&self) {
        self.0.fetch_max(StopRequest::DRAIN, Ordering::Relaxed);
    }

    /// What runs is stopped as well, and is to be run anew.
    pub fn now(&self) {
        self.0.fetch_max(StopRequest::NOW, Ordering::Relaxed);
    }

    /// Whether nothing new is to be started.
    pub fn is_draining(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= StopRequest::DRAIN
    }

    /// Whether what runs is to be stopped.
    pub fn is_now(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= StopRequest::NOW
    }
}

impl RunGroup {
    /// Makes the folder of a new group, with every run planned: beside its place, so that it is there whole or not at all,
    /// whenever the disk is full or the runner is killed.
    ///
    /// # Errors
    /// A folder that exists, or cannot be made.
    pub fn create(folder: &Path, definition: GroupDefinition) -> Result<RunGroup, Error> {
        let text = toml::to_string(&definition).map_err(|error| Error::Group {
            path: folder.join(DEFINITION),
            message: format!("cannot be written: {error}"),
        })?;
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(Error::file(parent))?;
        remove_unfinished_plans(parent);
        refuse_what_lies_there(folder)?;
        let plan = tempfile::Builder::new()
            .prefix(PLAN.0)
            .suffix(PLAN.1)
            .permissions(fs::Permissions::from_mode(0o777))
            .tempdir_in(parent)
            .map_err(Error::file(parent))?;
        let lock = lock(plan.path())?;
        let planned: Vec<Event> = definition
            .runs
            .iter()
            .map(|run| Event {
                at: event::now(),
                run: Some(run.id.clone()),
                kind: EventKind::Planned {
                    competition_id: run.competition_id.clone(),
                    seed: run.seed,
                },
            })
            .collect();
        Journal::open(plan.path())?.write(&planned)?;
        podium::write_new(&plan.path().join(DEFINITION), text.as_bytes())?;
        // Over an empty folder at most.
        if let Err(error) = fs::rename(plan.path(), folder) {
            refuse_what_lies_there(folder)?;
            return Err(Error::file(folder)(error));
        }
        // It is no temporary folder any more.
        let _ = plan.keep();
        let _ = File::open(parent).and_then(|parent| parent.sync_all());
        let folder = fs::canonicalize(folder).map_err(Error::file(folder))?;
        let journal = Journal::open(&folder)?;
        Ok(RunGroup { folder, definition, journal, _lock: lock })
    }

    /// Opens a group to go on with it.
    ///
    /// # Errors
    /// A folder that is no group, or on which another runner works.
    pub fn open(folder: &Path) -> Result<RunGroup, Error> {
        let definition = RunGroup::read_definition(folder)?;
        let folder = fs::canonicalize(folder).map_err(Error::file(folder))?;
        let lock = lock_patiently(&folder)?;
        let journal = Journal::open(&folder)?;
        let _ = fs::remove_file(folder.join(STOP_REQUEST));
        Ok(RunGroup { folder, definition, journal, _lock: lock })
    }

    /// Reads what a group is, without working on it.
    ///
    /// # Errors
    /// A folder that is no group.
    pub fn read_definition(folder: &Path) -> Result<GroupDefinition, Error> {
        let path = folder.join(DEFINITION);
        let wrong = |message| Error::Group { path: path.clone(), message };
        let text = match fs::read_to_string(&path) {
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(Error::NoGroup { path: folder.to_owned() });
            }
            text => text.map_err(Error::file(&path))?,
        };
        let definition: GroupDefinition =
            toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        Ok(definition)
    }

    /// Whether a runner works on the group.
    pub fn is_worked_on(folder: &Path) -> bool {
        folder.is_dir() && lock(folder).is_err()
    }

    /// Removes a group's folder again if no runner has worked on it: what it was made for turned out to be missing.
    pub fn take_back(folder: &Path) {
        let has_begun = journal::read(folder).map_or(true, |events| {
            events.iter().any(|event| {
                !matches!(event.kind, EventKind::Planned { .. } | EventKind::HostSilent { .. })
            })
        });
        if !has_begun {
            let _ = fs::remove_dir_all(folder);
        }
    }

    /// Asks the runner that works on a group to stop.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn request_stop(folder: &Path, now: bool) -> Result<(), Error> {
        let path = folder.join(STOP_REQUEST);
        Ok(podium::write_over(&path, if now { b"now\n" } else { b"drain\n" })?)
    }

    /// Passes on what another process asked for.
    pub(crate) fn look_for_request(&self, stop: &StopRequest) {
        match fs::read_to_string(self.folder.join(STOP_REQUEST)).as_deref() {
            Ok("now\n") => stop.now(),
            Ok(_) => stop.drain(),
            Err(_) => {}
        }
    }

    /// Says in the reference's `metadata.json` how the runs stand, and lists the submissions for `podium grade`.
    pub(crate) fn write_results(&self, states: &BTreeMap<String, RunState>) -> Result<(), Error> {
        let mut runs = serde_json::Map::new();
        let mut list = String::new();
        for run in &self.definition.runs {
            let Some(RunState::Finished(record)) = states.get(&run.id) else { continue };
            runs.insert(
                run.id.clone(),
                json!({
                    "success": record.ending == Ending::Completed,
                    "ending": record.ending,
                    "competition_id": run.competition_id,
                    "seed": run.seed,
                    "agent": record.agent,
                    "over_time_seconds": record.over_time_seconds,
                }),
            );
            let path = record.submission.as_ref().map(|_| {
                self.folder
                    .join(&run.id)
                    .join("submission/submission.csv")
                    .to_string_lossy()
                    .into_owned()
            });
            // What was never started, or came to nothing for other reasons, is not graded as an agent without a submission.
            let is_of_agent = !matches!(record.ending, Ending::Infrastructure | Ending::Definition);
            if !is_of_agent && path.is_none() {
                continue;
            }
            let line = json!({
                "competition_id": run.competition_id,
                "submission_path": path,
                "run_id": run.id,
                "seed": run.seed,
                "agent_id": record.agent,
                "ending": record.ending,
                "over_time_seconds": record.over_time_seconds,
                "is_sample_submission": record.submission.as_ref().is_some_and(|one| one.is_sample_submission),
                "validations": record.validation.calls,
                "scores_given": record.validation.scores_given,
            });
            list.push_str(&format!("{line}\n"));
        }
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let metadata =
            json!({ "run_group": name, "created_at": self.definition.created_at, "runs": runs });
        let metadata = podium::to_json(&metadata);
        podium::write_over(&self.folder.join("metadata.json"), metadata.as_bytes())?;
        podium::write_over(&self.folder.join(SUBMISSIONS), list.as_bytes())?;
        Ok(())
    }

    /// Lists for `podium grade` what the finished runs had at each time: every snapshot, then what they ended with, where the
    /// last snapshot is not the same. So the last line of a run is what it came to, and nothing is listed twice.
    ///
    /// # Errors
    /// A folder that is no group; a journal that cannot be read.
    pub fn snapshot_list(folder: &Path) -> Result<String, Error> {
        let definition = RunGroup::read_definition(folder)?;
        let folder = fs::canonicalize(folder).map_err(Error::file(folder))?;
        let states = RunGroup::states(&folder)?;
        let mut list = String::new();
        for run in &definition.runs {
            let Some(RunState::Finished(record)) = states.get(&run.id) else { continue };
            let started: Option<Timestamp> =
                record.started_at.as_ref().and_then(|at| at.parse().ok());
            let Some(started) = started else { continue };
            let seconds_at = |at: &str| {
                let at: Timestamp = at.parse().ok()?;
                Some(at.duration_since(started).as_secs_f64().max(0.0))
            };
            let mut add = |path: &Path, seconds: f64| {
                let line = json!({
                    "competition_id": run.competition_id,
                    "submission_path": path,
                    "run_id": run.id,
                    "seed": run.seed,
                    "agent_id": record.agent,
                    "elapsed_seconds": seconds,
                });
                list.push_str(&format!("{line}\n"));
            };
            let run_folder = folder.join(&run.id);
            let mut last = None;
            for (snapshot, path) in snapshots::list(&run_folder) {
                if let Some(seconds) = seconds_at(&snapshot.at) {
                    add(&path, seconds);
                    last = Some(snapshot.sha256);
                }
            }
            if let Some(submission) = &record.submission
                && last != Some(submission.sha256)
                && let Some(seconds) = record.ended_at.as_deref().and_then(seconds_at)
            {
                add(&run_folder.join("submission/submission.csv"), seconds);
            }
        }
        Ok(list)
    }

    /// How the runs stand.
    ///
    /// # Errors
    /// A journal that cannot be read.
    pub fn states(folder: &Path) -> Result<BTreeMap<String, RunState>, Error> {
        Ok(journal::states(&journal::read(folder)?))
    }
}

/// Refuses a folder that holds anything: a group, or what nobody knows.
fn refuse_what_lies_there(folder: &Path) -> Result<(), Error> {
    let refused =
        |message: &str| Err(Error::Group { path: folder.to_owned(), message: message.to_owned() });
    if folder.join(DEFINITION).exists() {
        return refused("there is a run group already; `podium run resume` goes on with it");
    }
    match fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        true => refused(
            "there is a folder already, and what it holds is no run group; remove it, or give another name",
        ),
        false => Ok(()),
    }
}

/// Removes the folders of groups that were not planned to the end, because whoever did so was killed.
fn remove_unfinished_plans(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let is_plan = name.starts_with(PLAN.0) && name.ends_with(PLAN.1);
        if is_plan && path.join(LOCK).is_file() && lock(&path).is_ok() {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// As [`lock`], but waits for a runner that is just ending: one that was killed holds its lock for a moment.
fn lock_patiently(folder: &Path) -> Result<File, Error> {
    for _ in 0..10 {
        if let Ok(file) = lock(folder) {
            return Ok(file);
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    lock(folder)
}

fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK);
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(Error::file(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Group {
            path: folder.to_owned(),
            message: "another runner works on this run group; `podium run stop` stops it"
                .to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(Error::file(&path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(seeds: u32) -> GroupDefinition {
        let agent = Agent::parse("id = \"a\"\nimage = \"i\"\n", Path::new("agent.toml")).unwrap();
        GroupDefinition {
            podium: "0".to_owned(),
            created_at: event::now(),
            workers: Some(1),
            allow_privileged: false,
            agent_folder: "a".into(),
            configuration: RunConfiguration::default(),
            agent,
            hosts: Hosts::default(),
            runs: (0..seeds)
                .map(|seed| RunPlan { id: format!("e_{seed}-1"), competition_id: "e".into(), seed })
                .collect(),
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_group_is_planned_whole_and_what_was_left_of_another_is_removed() {
        let runs = tempfile::tempdir().unwrap();
        // What a runner leaves that is killed while it plans, and what one has at the moment.
        for (name, is_at_work) in
            [(".podium-plan-a.partial", false), (".podium-plan-b.partial", true)]
        {
            let left = runs.path().join(name);
            fs::create_dir(&left).unwrap();
            fs::write(left.join(LOCK), "").unwrap();
            fs::write(left.join(journal::NAME), "{\"at\": \"2026").unwrap();
            if is_at_work {
                std::mem::forget(lock(&left).unwrap());
            }
        }
        let folder = runs.path().join("group");
        let group = RunGroup::create(&folder, definition(500)).unwrap();
        assert_eq!(names(runs.path()), [".podium-plan-b.partial", "group"]);
        assert_eq!(names(&folder), [LOCK, journal::NAME, DEFINITION]);
        assert!(RunGroup::is_worked_on(&folder));
        assert_eq!(RunGroup::states(&folder).unwrap().len(), 500);
        group.journal.add(None, EventKind::Draining).unwrap();
        assert_eq!(journal::read(&folder).unwrap().len(), 501);
        drop(group);
        assert_eq!(RunGroup::open(&folder).unwrap().definition.runs.len(), 500);
    }

    #[test]
    fn nothing_is_planned_into_a_folder_that_holds_something() {
        let runs = tempfile::tempdir().unwrap();
        let folder = runs.path().join("group");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(journal::NAME), "").unwrap();
        let said = RunGroup::create(&folder, definition(1)).unwrap_err().to_string();
        assert!(said.contains("no run group; remove it, or give another name"), "{said}");
        fs::remove_file(folder.join(journal::NAME)).unwrap();
        drop(RunGroup::create(&folder, definition(1)).unwrap());
        let said = RunGroup::create(&folder, definition(1)).unwrap_err().to_string();
        assert!(said.contains("`podium run resume` goes on with it"), "{said}");
        assert_eq!(names(runs.path()), ["group"]);
    }
}
