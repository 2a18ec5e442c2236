//! What happens in a run group, as typed events. The journal keeps them, observers show them.

use std::collections::BTreeMap;

use podium::Digest;
use serde::{Deserialize, Serialize};

use crate::configuration::Network;
use crate::copy_out::Copied;
use crate::egress::EgressRecord;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When, in UTC.
    pub at: String,
    /// In which run; none where it concerns the whole group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum EventKind {
    /// The run is to be done.
    Planned {
        /// Of this competition.
        competition_id: String,
        /// With this seed, from 0 on.
        seed: u32,
    },
    /// A container is about to be made. From here on there may be one.
    Starting {
        /// Which attempt, from 1 on.
        attempt: u32,
        /// The container's name.
        container: String,
        /// The host that it is made on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// The GPUs that it gets.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        devices: Vec<String>,
    },
    /// The agent runs.
    Started {
        /// Which attempt.
        attempt: u32,
    },
    /// A container of a runner that ended was found and taken over.
    Reattached {
        /// Which attempt.
        attempt: u32,
    },
    /// The time limit was reached, and the agent was asked to end.
    DeadlineReached,
    /// The agent went on beyond its time limit and grace, because nobody was there to end it.
    OverTime {
        /// For so many seconds beyond the time limit.
        seconds: u64,
    },
    /// A snapshot could not be kept, for the first time in this attempt.
    SnapshotLeftOut {
        /// Why.
        reason: String,
    },
    /// An attempt came to nothing because of the infrastructure; there will be another.
    Retrying {
        /// Which attempt failed.
        attempt: u32,
        /// Why.
        reason: String,
    },
    /// An attempt came to nothing because its host or engine was gone, which is not counted among the retries.
    Lost {
        /// Which attempt.
        attempt: u32,
        /// The host.
        host: String,
        /// Why.
        reason: String,
    },
    /// Somebody stopped the run before its end; its container is gone and `resume` starts it anew.
    Interrupted,
    /// The run is over.
    Finished {
        /// What came of it.
        record: Box<RunRecord>,
    },
    /// A runner began to work on the group.
    RunnerStarted {
        /// Its version of Podium.
        podium: String,
        /// Its process.
        process: u32,
    },
    /// The engine of a host does not answer yet.
    HostSilent {
        /// The host.
        host: String,
        /// Why.
        reason: String,
    },
    /// A host can run nothing: its engine was silent for too long, or lacks something. Its runs are given to others.
    HostGone {
        /// The host.
        host: String,
        /// Why.
        reason: String,
    },
    /// A host that was gone runs agents again; what it still had of the group's runs was removed.
    HostBack {
        /// The host.
        host: String,
    },
    /// Nothing new is started any more.
    Draining,
    /// Every run is over.
    GroupFinished,
}

/// How a run ended. Only the first four say something about the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The agent ended with 0.
    Completed,
    /// The agent ended with another exit code.
    AgentFailed,
    /// The agent was stopped at the time limit.
    TimedOut,
    /// The agent used more memory than it has.
    OutOfMemory,
    /// The engine, the machine, or somebody from outside ended it; it says nothing about the agent.
    Infrastructure,
    /// It was never started, because the agent's definition asks for what there is not.
    Definition,
}

impl Ending {
    /// The name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Completed => "completed",
            Ending::AgentFailed => "agent-failed",
            Ending::TimedOut => "timed-out",
            Ending::OutOfMemory => "out-of-memory",
            Ending::Infrastructure => "infrastructure",
            Ending::Definition => "definition",
        }
    }
}

/// What came of a run: `run.json` in its folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The run's id, which is its folder's name.
    pub run: String,
    /// The competition.
    pub competition_id: String,
    /// The seed, from 0 on.
    pub seed: u32,
    /// The agent.
    pub agent: String,
    /// The host that it ran on; none where it never came to one.
    #[serde(default)]
    pub host: Option<String>,
    /// Which attempt this was, from 1 on.
    pub attempt: u32,
    /// How it ended.
    pub ending: Ending,
    /// The agent's exit code.
    pub exit_code: Option<i64>,
    /// More about how it ended.
    pub message: Option<String>,
    /// When the agent was started, as the engine says it.
    pub started_at: Option<String>,
    /// When it had ended, as the engine says it.
    pub ended_at: Option<String>,
    /// For how many seconds it went on beyond its time limit, where that is more than its grace: no runner was there to end
    /// it, or its engine was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time_seconds: Option<u64>,
    /// The submission.
    pub submission: Option<SubmissionRecord>,
    /// What was copied out, by folder.
    pub copied: BTreeMap<String, Copied>,
    /// What validation was asked.
    pub validation: ValidationRecord,
    /// What the proxy was asked, where the network is an allow-list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub egress: Option<EgressRecord>,
    /// What the container was, as the engine says it.
    pub container: Option<ContainerRecord>,
}

/// A submission that was copied out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmissionRecord {
    /// Its size.
    pub bytes: u64,
    /// Its digest: what is graded.
    pub sha256: Digest,
    /// Whether it is the sample submission, byte for byte.
    pub is_sample_submission: bool,
}

/// How often validation was called in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationRecord {
    /// Requests to validate.
    pub calls: u64,
    /// Of these, found valid.
    pub valid: u64,
    /// Of these, found invalid.
    pub invalid: u64,
    /// Of these, refused or failed: too many, too large, not understood.
    pub refused: u64,
    /// Scores that were given to the agent. There is no way to give one.
    pub scores_given: u64,
    /// Distinct submissions that were kept.
    pub snapshots: u64,
    /// How often a submission was not kept, because it or all together were too large, or too many.
    #[serde(default)]
    pub snapshots_left_out: u64,
    /// Why it was not, the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots_left_out_because: Option<String>,
}

/// What a container was, as the engine says it: not what was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContainerRecord {
    /// The image's digest.
    pub image: Option<String>,
    /// The runtime.
    pub runtime: Option<String>,
    /// Whether it was privileged.
    pub privileged: bool,
    /// The policy for its network.
    pub network: Network,
    /// Its limit of CPUs, in thousand-millionths.
    pub nano_cpus: Option<i64>,
    /// Its limit of memory in bytes.
    pub memory: Option<i64>,
    /// Its limit of processes and threads.
    #[serde(default)]
    pub pids: Option<i64>,
    /// Its shared memory in bytes.
    #[serde(default)]
    pub shm: Option<i64>,
    /// Whether its root was read-only.
    #[serde(default)]
    pub read_only_root: Option<bool>,
    /// Its GPUs, as they were asked for.
    pub devices: Vec<String>,
    /// The CPUs of the engine's machine.
    pub host_cpus: Option<i64>,
    /// The memory of the engine's machine in bytes.
    pub host_memory: Option<i64>,
    /// The engine's version.
    pub engine: Option<String>,
    /// The kernel.
    pub kernel: Option<String>,
    /// The operating system of the engine's machine.
    #[serde(default)]
    pub operating_system: Option<String>,
    /// The processors of the engine's machine.
    #[serde(default)]
    pub architecture: Option<String>,
}

/// The time now, in UTC, to the millisecond.
pub fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
