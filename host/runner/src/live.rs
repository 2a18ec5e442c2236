//! How a run group stands right now, out of its files alone: the same from the runner's own terminal and from any other.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::error::Error;
use crate::event::{Ending, EventKind};
use crate::gpu_usage::GpuUsage;
use crate::group::{GroupDefinition, RunGroup};
use crate::journal::{self, RunState};

/// How much of the end of a file is read.
const TAIL: u64 = 8 << 10;

/// How a group stands.
#[derive(Clone, Debug, Default)]
pub struct LiveGroup {
    /// Whether a runner works on it.
    pub is_worked_on: bool,
    /// Finished runs, by how they ended.
    pub endings: BTreeMap<Ending, usize>,
    /// Runs that nobody has begun, or that are to be done again.
    pub waiting: usize,
    /// Runs that go on.
    pub running: Vec<LiveRun>,
}

/// How a run stands that goes on.
#[derive(Clone, Debug, Default)]
pub struct LiveRun {
    /// Its id.
    pub run: String,
    /// The host that it is on.
    pub host: Option<String>,
    /// Which attempt it is.
    pub attempt: u32,
    /// The GPUs that it has.
    pub devices: Vec<String>,
    /// How long it may still go on; none before the agent has started.
    pub left: Option<Duration>,
    /// CPUs in use, between the last two samples.
    pub cpus: Option<f64>,
    /// Bytes of memory in use.
    pub memory: Option<u64>,
    /// How its GPUs were used when they were last looked at.
    pub gpus: Vec<GpuUsage>,
    /// The last line that the agent has printed, as it is.
    pub last_line: Option<String>,
    /// How often it has asked for a validation.
    pub validations: u64,
    /// What the last validation came to: `Some(None)` where it was refused.
    pub last_validation: Option<Option<bool>>,
}

impl LiveGroup {
    /// Looks into a group's folder.
    ///
    /// # Errors
    /// A folder that is no group, a journal that is not understood.
    pub fn look(folder: &Path, definition: &GroupDefinition) -> Result<LiveGroup, Error> {
        let events = journal::read(folder)?;
        let states = journal::states(&events);
        let mut started: BTreeMap<&str, Timestamp> = BTreeMap::new();
        for event in &events {
            if let (Some(run), EventKind::Started { .. }, Ok(at)) =
                (&event.run, &event.kind, event.at.parse())
            {
                started.insert(run, at);
            }
        }
        let mut group =
            LiveGroup { is_worked_on: RunGroup::is_worked_on(folder), ..LiveGroup::default() };
        for plan in &definition.runs {
            match states.get(&plan.id) {
                Some(RunState::Finished(record)) => {
                    *group.endings.entry(record.ending).or_default() += 1;
                }
                Some(RunState::Running { attempt, host, devices, since, .. }) => {
                    let begun: Option<Timestamp> = since.parse().ok();
                    let started = started.get(plan.id.as_str()).copied();
                    // What an earlier attempt has started does not count.
                    let started = started.filter(|at| begun.is_none_or(|begun| *at >= begun));
                    let limit = definition.configuration.time_limit();
                    let mut run = LiveRun {
                        run: plan.id.clone(),
                        host: host.clone(),
                        attempt: *attempt,
                        devices: devices.clone(),
                        left: started.map(|at| {
                            let passed = Timestamp::now().duration_since(at);
                            limit.saturating_sub(Duration::try_from(passed).unwrap_or_default())
                        }),
                        ..LiveRun::default()
                    };
                    if started.is_some() {
                        run.look(&folder.join(&plan.id));
                    }
                    group.running.push(run);
                }
                _ => group.waiting += 1,
            }
        }
        Ok(group)
    }
}

impl LiveRun {
    /// Adds what the files of the run say. What is not there yet is left out.
    fn look(&mut self, folder: &Path) {
        let usage = tail(&folder.join("usage.jsonl"));
        let samples: Vec<Value> =
            usage.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let time = |sample: &Value| sample["at"].as_str()?.parse::<Timestamp>().ok();
        if let [.., last] = samples.as_slice() {
            self.memory = last["memory_bytes"].as_u64();
            self.gpus = serde_json::from_value(last["gpus"].clone()).unwrap_or_default();
        }
        if let [.., before, last] = samples.as_slice()
            && let (Some(from), Some(to)) = (time(before), time(last))
            && let (Some(used), Some(now)) =
                (before["cpu_nanoseconds"].as_u64(), last["cpu_nanoseconds"].as_u64())
        {
            let passed = to.duration_since(from).as_secs_f64();
            self.cpus = (passed > 0.0).then(|| now.saturating_sub(used) as f64 / 1e9 / passed);
        }
        let log = tail(&folder.join("agent.log"));
        self.last_line = log.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let path = folder.join("validations.jsonl");
        self.validations = count_lines(&path);
        let last = tail(&path);
        let last = last.lines().next_back().and_then(|line| serde_json::from_str(line).ok());
        self.last_validation = last.map(|line: Value| line["valid"].as_bool());
    }
}

/// The end of a file, from the beginning of a line on; nothing where there is none.
fn tail(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let from = length.saturating_sub(TAIL);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        if from > 0 {
            let line = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |place| place + 1);
            bytes.drain(..line);
        }
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

fn count_lines(path: &Path) -> u64 {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_seen_by_the_ends_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let mut run = LiveRun::default();
        run.look(folder.path());
        assert!(run.last_line.is_none() && run.memory.is_none() && run.last_validation.is_none());
        write(
            "usage.jsonl",
            "{\"at\":\"2026-01-01T00:00:00Z\",\"cpu_nanoseconds\":1000000000,\"memory_bytes\":1}\n\
             {\"at\":\"2026-01-01T00:00:10Z\",\"cpu_nanoseconds\":16000000000,\"memory_bytes\":7,\
             \"gpus\":[{\"index\":1,\"uuid\":\"GPU-a\",\"utilization_percent\":97}]}\n{\"at\":",
        );
        write("agent.log", &format!("{}\nlast\n\n", "x".repeat(20_000)));
        write("validations.jsonl", "{\"valid\":true}\n{\"valid\":null}\n");
        run.look(folder.path());
        assert_eq!((run.cpus, run.memory), (Some(1.5), Some(7)));
        assert_eq!((run.gpus.len(), run.gpus[0].utilization_percent), (1, Some(97)));
        assert_eq!(run.last_line.as_deref(), Some("last"));
        assert_eq!((run.validations, run.last_validation), (2, Some(None)));
    }
}
