//! A workbench for runs of agents: a competition with public data and answers that can be told apart anywhere, and an agent
//! that does what it is told.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::workbench::{Ran, Workbench};
use crate::{artifacts, container_engine as engine};

/// Stands in the answers and nowhere else.
pub const SECRET_ANSWER: &str = "answer-7f3a91";

/// Stands in the public data.
pub const PUBLIC_LABEL: &str = "label-c02d55";

/// A workbench with the example, its public data, and the agents of tests.
pub struct RunnerBench(pub Workbench);

impl RunnerBench {
    /// None where there is no engine.
    ///
    /// # Panics
    /// When there has to be one.
    pub fn new() -> Option<RunnerBench> {
        if !engine::is_there() {
            return None;
        }
        let workbench = Workbench::with_example();
        let public = "data/example/prepared/public";
        workbench.write(format!("{public}/sample_submission.csv"), "id,value\n1,0\n");
        workbench.write(format!("{public}/train.csv"), format!("id,value\n2,{PUBLIC_LABEL}\n"));
        let answers = format!("id,value\n1,{SECRET_ANSWER}\n");
        workbench.write("data/example/prepared/private/answers.csv", answers);
        let bench = RunnerBench(workbench);
        bench.configure("time_limit_seconds = 120\n");
        Some(bench)
    }

    /// Writes what a run may use.
    pub fn configure(&self, text: &str) {
        self.0.write("configuration.toml", text);
    }

    /// An agent that does what its verbs say; `extra` are further lines of its definition.
    pub fn agent(&self, verbs: &[&str], extra: &str) {
        let verbs = verbs.iter().map(|verb| format!("{verb:?}")).collect::<Vec<_>>().join(", ");
        let definition = format!(
            "id = \"tester\"\nstart = [\"/podium-test-agent\", {verbs}]\n{extra}\n\
             [build]\ncontext = \"image\"\nprograms = [\"podium-test-agent\"]\n"
        );
        self.0.write("agents/tester/agent.toml", definition);
        let dockerfile = "FROM scratch\nENV LD_PRELOAD=/evil.so\nCOPY podium-test-agent /podium-test-agent\nUSER 1000\n";
        self.0.write("agents/tester/image/Dockerfile", dockerfile);
    }

    /// How a group is started.
    pub fn start_arguments(more: &[&'static str]) -> Vec<&'static str> {
        let mut arguments = vec![
            "run",
            "start",
            "--agent",
            "./agents/tester",
            "--competition",
            "example",
            "--configuration",
            "configuration.toml",
            "--name",
            "group",
            "--json",
        ];
        arguments.extend(more);
        arguments
    }

    /// Runs a group to its end.
    pub fn start(&self, more: &[&'static str]) -> Ran {
        self.0.run(RunnerBench::start_arguments(more))
    }

    /// Starts a group and goes on.
    pub fn spawn(&self) -> Child {
        self.spawn_with(&[])
    }

    /// As [`RunnerBench::spawn`], with more arguments.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn spawn_with(&self, more: &[&'static str]) -> Child {
        self.spawn_any(&RunnerBench::start_arguments(more))
    }

    /// Starts the program with the environment that runs need.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn spawn_any(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(artifacts::podium());
        command
            .current_dir(self.0.path(""))
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.0.path("home"))
            .env("PODIUM_COMPETITIONS", self.0.path("competitions"))
            .env("PODIUM_GRADERS", self.0.path("graders"))
            .env("PODIUM_DATA", self.0.path("data"))
            .env("API_KEY", "hush-hush-4711");
        command.spawn().expect("a program that starts")
    }

    /// The folder of the group.
    pub fn group(&self) -> PathBuf {
        self.0.path("runs/group")
    }

    /// The records of all runs, in their order.
    ///
    /// # Panics
    /// When there is no group.
    pub fn records(&self) -> Vec<Value> {
        let status = self.0.run(["run", "status", "runs/group", "--json"]).ends_with(0).json();
        status["runs"].as_array().expect("runs").iter().map(|run| run["record"].clone()).collect()
    }

    /// The record of the only run.
    ///
    /// # Panics
    /// When there is another.
    pub fn record(&self) -> Value {
        let mut records = self.records();
        assert_eq!(records.len(), 1);
        records.remove(0)
    }

    /// What the agent of the only run printed.
    ///
    /// # Panics
    /// When it did not run.
    pub fn log(&self) -> String {
        let run = self.record()["run"].as_str().expect("an id").to_owned();
        self.0.run(["run", "logs", "runs/group", &run]).ends_with(0).stdout
    }

    /// A file of the only run.
    ///
    /// # Panics
    /// When there is none.
    pub fn run_file(&self, name: &str) -> PathBuf {
        self.group().join(self.record()["run"].as_str().expect("an id")).join(name)
    }

    /// The events of a kind in the journal.
    ///
    /// # Panics
    /// When there is no journal, or not everything in it is understood.
    pub fn list_events(&self, kind: &str) -> Vec<Value> {
        let journal = fs::read_to_string(self.group().join("events.jsonl")).expect("a journal");
        // The last line may be written just now.
        let whole = journal.rfind('\n').map_or("", |end| &journal[..end]);
        whole
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("an event"))
            .filter(|event| event["event"] == kind)
            .collect()
    }

    /// How often an event is in the journal.
    pub fn events(&self, kind: &str) -> usize {
        self.list_events(kind).len()
    }

    /// Waits until an event is in the journal so often.
    ///
    /// # Panics
    /// When it is not after two minutes.
    pub fn wait_for_events(&self, kind: &str, count: usize) {
        for _ in 0..600 {
            if self.group().join("events.jsonl").is_file() && self.events(kind) >= count {
                return;
            }
            thread::sleep(Duration::from_millis(200));
        }
        panic!("`{kind}` is not {count} times in the journal");
    }
}
