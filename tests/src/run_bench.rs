//! A workbench on which agents are run: the competition `example` with public data and answers that can be told apart
//! anywhere, agents as a test writes them, and the one run group `group`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::workbench::{Ran, Workbench};
use crate::{artifacts, container_engine as engine};

/// The sample submission of the competition.
pub const SAMPLE: &str = "id,value\n1,0\n";

/// Stands in the answers and nowhere else.
pub const SECRET_ANSWER: &str = "answer-7f3a91";

/// Stands in the public data.
pub const PUBLIC_LABEL: &str = "label-c02d55";

/// The agent that tests write, where they name no other.
const TESTER: &str = "tester";

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
    /// One with the data of the example; none where there is no engine.
    ///
    /// # Panics
    /// When there has to be one, or a file cannot be written.
    pub fn new() -> Option<RunBench> {
        if !engine::is_there() {
            return None;
        }
        let workbench = Workbench::with_example();
        let public = "data/example/prepared/public";
        workbench.write(format!("{public}/sample_submission.csv"), SAMPLE);
        workbench.write(format!("{public}/description.md"), "# An Example\n\nGuess well.\n");
        workbench.write(format!("{public}/train.csv"), format!("id,value\n2,{PUBLIC_LABEL}\n"));
        let answers = format!("id,value\n1,{SECRET_ANSWER}\n");
        workbench.write("data/example/prepared/private/answers.csv", answers);
        let bench = RunBench {
            workbench,
            secrets: vec![("API_KEY", "hush-hush-4711")],
            configuration: ["--configuration", "configuration.toml"],
        };
        bench.configure("time_limit_seconds = 300\n");
        Some(bench)
    }

    /// Writes what a run may use.
    pub fn configure(&self, text: &str) {
        self.workbench.write(self.configuration[1], text);
    }

    /// An agent without a shell that does what its verbs say; `more` are further lines of its definition.
    pub fn agent(&self, verbs: &[&str], more: &str) {
        let verbs = verbs.iter().map(|verb| format!("{verb:?}")).collect::<Vec<_>>().join(", ");
        let definition = format!(
            "id = \"{TESTER}\"\nstart = [\"/podium-test-agent\", {verbs}]\n{more}\n\
             [build]\ncontext = \"image\"\nprograms = [\"podium-test-agent\"]\n"
        );
        self.workbench.write("agents/tester/agent.toml", definition);
        let dockerfile = format!(
            "FROM scratch\nLABEL {}\nENV LD_PRELOAD=/evil.so\n\
             COPY podium-test-agent /podium-test-agent\nUSER 1000\n",
            self.label()
        );
        self.workbench.write("agents/tester/image/Dockerfile", dockerfile);
    }

    /// An agent whose image is `base` with a start script in it. `more` are further lines of its definition.
    pub fn script_agent(&self, base: &str, start: &str, script: &str, more: &str) {
        let definition = format!(
            "id = \"{TESTER}\"\nstart = {start}\n{more}\n[build]\ncontext = \"image\"\nbase = \"{base}\"\n"
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

    /// An agent that comes along, as the bench's own. Its image is marked like all others.
    ///
    /// # Panics
    /// When there is no such agent, or a file cannot be written.
    pub fn bundle(&self, agent: &str) {
        let to = self.workbench.path("agents").join(agent);
        copy_folder(&artifacts::root().join("agents").join(agent), &to);
        for folder in [to.clone(), to.join("image")] {
            let path = folder.join("Dockerfile");
            if let Ok(dockerfile) = fs::read_to_string(&path) {
                fs::write(&path, self.marked(&dockerfile)).expect("a writable file");
            }
        }
    }

    /// A Dockerfile, or a text with one in it, whose images are marked from their first layer on: no other bench shares one.
    pub fn marked(&self, text: &str) -> String {
        let label = format!("LABEL {}\n", self.label());
        text.lines()
            .map(|line| match line.starts_with("FROM ") {
                true => format!("{line}\n{label}"),
                false => format!("{line}\n"),
            })
            .collect()
    }

    /// What marks the images of this bench, which makes them its own: they go when it does, and no other test has them.
    pub fn label(&self) -> String {
        format!("podium.test={}", self.workbench.path("").display())
    }

    /// How a group is started with an agent of the folder `agents`.
    pub fn start_arguments(&self, agent: &str, more: &[&str]) -> Vec<String> {
        let agent = format!("./agents/{agent}");
        ["run", "start", "--agent", &agent, "--competition", "example"]
            .into_iter()
            .chain(self.configuration)
            .chain(["--name", "group", "--json"])
            .chain(more.iter().copied())
            .map(str::to_owned)
            .collect()
    }

    /// The program with these arguments, in the folder, with the environment that runs need.
    pub fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(artifacts::podium());
        command
            .current_dir(self.workbench.path(""))
            .args(arguments)
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

    /// The command that starts a group.
    pub fn start_command(&self, agent: &str, more: &[&str]) -> Command {
        self.command(self.start_arguments(agent, more).iter().map(String::as_str))
    }

    /// Runs a group to its end.
    pub fn start(&self, more: &[&str]) -> Ran {
        Ran::of(&mut self.start_command(TESTER, more).into())
    }

    /// As [`RunBench::start`], with another agent of the folder, or a variant.
    pub fn start_agent(&self, agent: &str) -> Ran {
        Ran::of(&mut self.start_command(agent, &[]).into())
    }

    /// Starts a group and goes on.
    pub fn spawn(&self) -> Child {
        self.spawn_with(&[])
    }

    /// As [`RunBench::spawn`], with more arguments.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn spawn_with(&self, more: &[&str]) -> Child {
        let mut command = self.start_command(TESTER, more);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program")
    }

    /// Goes on with the group.
    pub fn resume(&self) -> Ran {
        Ran::of(&mut self.command(["run", "resume", "runs/group", "--json"]).into())
    }

    /// Starts going on with the group.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn spawn_resume(&self) -> Child {
        let mut command = self.command(["run", "resume", "runs/group", "--json"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program")
    }

    /// The folder of the group.
    pub fn group(&self) -> PathBuf {
        self.workbench.path("runs/group")
    }

    /// Takes the group away, so that another can be started.
    pub fn forget_group(&self) {
        let _ = fs::remove_dir_all(self.group());
    }

    /// The records of all runs, in their order.
    ///
    /// # Panics
    /// When there is no group.
    pub fn records(&self) -> Vec<Value> {
        let status = self.workbench.run(["run", "status", "runs/group", "--json"]);
        let status = status.ends_with(0).json();
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

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder of the checkout") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}
