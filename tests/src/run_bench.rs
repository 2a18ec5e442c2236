//! A workbench on which agents are run: the competition `example` with its public data, agents as a test writes them, and
//! the one run group `group`.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::artifacts;
use crate::workbench::{Ran, Workbench};

/// The sample submission of the competition.
pub const SAMPLE: &str = "id,value\n1,0\n";

/// A workbench on which agents are run.
pub struct RunBench {
    /// The folder.
    pub workbench: Workbench,
    /// Secrets that the runner's environment has.
    pub secrets: Vec<(&'static str, &'static str)>,
    /// The option that names the run configuration, and the file's name.
    pub configuration: [&'static str; 2],
}

impl RunBench {
    /// One with the public data of the example.
    ///
    /// # Panics
    /// When a file cannot be written.
    #[expect(clippy::new_without_default, reason = "making a folder is nothing to do by default")]
    pub fn new() -> RunBench {
        let workbench = Workbench::with_example();
        let public = "data/example/prepared/public";
        workbench.write(format!("{public}/sample_submission.csv"), SAMPLE);
        workbench.write(format!("{public}/description.md"), "# An Example\n\nGuess well.\n");
        workbench.write("configuration.toml", "time_limit_seconds = 300\n");
        let configuration = ["--configuration", "configuration.toml"];
        RunBench { workbench, secrets: Vec::new(), configuration }
    }

    /// Writes the configuration.
    pub fn configure(&self, text: &str) {
        self.workbench.write(self.configuration[1], text);
    }

    /// An agent whose image is `base` with a start script in it. `more` are further lines of its definition.
    pub fn script_agent(&self, base: &str, start: &str, script: &str, more: &str) {
        let definition = format!(
            "id = \"tester\"\nstart = {start}\n{more}\n[build]\ncontext = \"image\"\nbase = \"{base}\"\n"
        );
        self.workbench.write("agents/tester/agent.toml", definition);
        self.workbench.write(
            "agents/tester/image/Dockerfile",
            format!(
                "ARG BASE\nFROM ${{BASE}}\nLABEL {}\nCOPY start /home/agent/start\n",
                self.label()
            ),
        );
        self.workbench.write("agents/tester/image/start", script);
    }

    /// What marks the images of this bench, which makes them its own.
    fn label(&self) -> String {
        format!("podium.test={}", self.workbench.path("").display())
    }

    /// The command that starts a group with an agent of the folder `agents`.
    pub fn start_command(&self, agent: &str) -> Command {
        let mut command = Command::new(artifacts::podium());
        command
            .current_dir(self.workbench.path(""))
            .args(["run", "start", "--agent", &format!("./agents/{agent}")])
            .args(["--competition", "example"])
            .args(self.configuration)
            .args(["--name", "group", "--json"])
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.workbench.path("home"))
            .env("PODIUM_COMPETITIONS", self.workbench.path("competitions"))
            .env("PODIUM_GRADERS", self.workbench.path("graders"))
            .env("PODIUM_DATA", self.workbench.path("data"))
            .envs(self.secrets.iter().copied());
        command
    }

    /// Runs a group to its end.
    pub fn start(&self, agent: &str) -> Ran {
        Ran::of(&mut self.start_command(agent).into())
    }

    /// Starts a group and goes on.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn spawn(&self, agent: &str) -> Child {
        let mut command = self.start_command(agent);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program")
    }

    /// Goes on with the group.
    pub fn resume(&self) -> Ran {
        let mut command = self.workbench.podium(["run", "resume", "runs/group", "--json"]);
        Ran::of(command.envs(self.secrets.iter().copied()))
    }

    /// The folder of the group.
    pub fn group(&self) -> PathBuf {
        self.workbench.path("runs/group")
    }

    /// Takes the group away, so that another can be started.
    pub fn forget_group(&self) {
        let _ = fs::remove_dir_all(self.group());
    }

    /// The record of the only run.
    ///
    /// # Panics
    /// When there is no such run, or it has no record.
    pub fn record(&self) -> Value {
        let status = self.workbench.run(["run", "status", "runs/group", "--json"]);
        let status = status.ends_with(0).json();
        let runs = status["runs"].as_array().expect("runs");
        assert_eq!(runs.len(), 1, "{status}");
        runs[0]["record"].clone()
    }

    /// A file of the only run.
    ///
    /// # Panics
    /// As [`RunBench::record`].
    pub fn run_file(&self, name: &str) -> PathBuf {
        let record = self.record();
        self.group().join(record["run"].as_str().expect("an id")).join(name)
    }

    /// What is in a file of the only run.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn read(&self, name: &str) -> String {
        let path = self.run_file(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// What the agent of the only run printed.
    ///
    /// # Panics
    /// As [`RunBench::read`].
    pub fn log(&self) -> String {
        self.read("agent.log")
    }

    /// The values of a file of the only run that has one on each line.
    ///
    /// # Panics
    /// As [`RunBench::read`], and when a line is not JSON.
    pub fn lines(&self, name: &str) -> Vec<Value> {
        let text = self.read(name);
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl Drop for RunBench {
    /// Takes away the images that were built for the agents of this bench.
    fn drop(&mut self) {
        let filter = format!("label={}", self.label());
        let docker = |arguments: &[&str]| Command::new("docker").args(arguments).output();
        let Ok(listed) = docker(&["image", "ls", "--quiet", "--filter", &filter]) else { return };
        for image in String::from_utf8_lossy(&listed.stdout).lines() {
            // What cannot be removed is no failure of the test.
            let _ = docker(&["image", "rm", image]);
        }
    }
}
