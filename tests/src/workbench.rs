//! A folder of its own for a test that drives the `podium` program: competitions, graders, data, a cache.
//!
//! Nothing of the person who runs the tests is read or written: home folder and environment are the workbench's own. Its
//! competition `example` is graded by the library's smallest grader, which gives every submission one half and refuses
//! an empty one, so that no built grader is needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::artifacts;

const EXAMPLE_GRADER: &str = include_str!("../../host/podium/examples/half.wat");

const EXAMPLE_DEFINITION: &str = r#"id = "example"
name = "An Example"
category = "Tabular"
complexity = "low"
awards_medals = true
competition_type = "simple"

[metric]
name = "none"
direction = "higher"

[data]
answers = ["prepared/private/answers.csv"]
sample_submission = "prepared/public/sample_submission.csv"

[medals]
gold = 0.9
silver = 0.5
bronze = 0.4
median = 0.3

[[known_issues]]
kind = "leak"
what = "the sample submission holds the answers"
"#;

/// The `grade` of the example's grader, for [`example_grader`] to put another body in its place.
pub const EXAMPLE_GRADE: &str =
    "(select (i32.const 64) (i32.const 40) (i64.eqz (call $size (local.get $submission))))";

/// A folder of its own for a test.
pub struct Workbench(TempDir);

impl Workbench {
    /// An empty one: folders without anything in them.
    ///
    /// # Panics
    /// When the system gives no temporary folder.
    #[expect(clippy::new_without_default, reason = "making a folder is nothing to do by default")]
    pub fn new() -> Workbench {
        let workbench = Workbench(tempfile::tempdir().expect("a temporary folder"));
        for folder in ["competitions", "graders", "data", "home"] {
            fs::create_dir(workbench.path(folder)).expect("a new folder");
        }
        workbench
    }

    /// One with the competition `example`, its grader, its answers, and the submission `submission.csv`.
    ///
    /// # Panics
    /// When a file cannot be written.
    pub fn with_example() -> Workbench {
        let workbench = Workbench::new();
        workbench.write("competitions/example/competition.toml", EXAMPLE_DEFINITION);
        workbench.write("competitions/example/description.md", "# An Example\n\nGuess.\n");
        workbench.write("graders/example.wasm", example_grader(&[]));
        workbench.write("data/example/prepared/private/answers.csv", "id,value\n1,1\n");
        workbench.write("submission.csv", "id,value\n1,0.5\n");
        workbench
    }

    /// A path in the folder.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(relative)
    }

    /// Writes a file, and the folders above it.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).expect("the folders above");
        }
        fs::write(&path, content).expect("a writable file");
        path
    }

    /// The program with these arguments, in the folder, with the workbench's own places.
    ///
    /// # Panics
    /// When the program is not built.
    pub fn podium<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(artifacts::podium());
        command.current_dir(self.0.path()).args(arguments).env_clear().envs(self.environment());
        command
    }

    /// All that the program gets of an environment.
    fn environment(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("HOME", self.path("home")),
            ("PODIUM_COMPETITIONS", self.path("competitions")),
            ("PODIUM_GRADERS", self.path("graders")),
            ("PODIUM_DATA", self.path("data")),
        ]
    }

    /// Runs the program and gives what became of it.
    ///
    /// # Panics
    /// When it cannot be run, ends by a signal, or writes something else than text.
    pub fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Ran {
        Ran::of(&mut self.podium(arguments))
    }

    /// Runs the program, ends it by a signal as soon as it listens for one, and gives what became of it.
    ///
    /// # Panics
    /// As [`Workbench::run`]; when it has ended before.
    #[cfg(target_os = "linux")]
    pub fn run_until_it_is_ended<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        more: &[(&str, &Path)],
    ) -> Ran {
        use std::process::{Command, Stdio};
        const SIGTERM: u32 = 15;
        let program = Command::new(artifacts::podium())
            .current_dir(self.0.path())
            .args(arguments)
            .env_clear()
            .envs(self.environment())
            .envs(more.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program that starts");
        let status = format!("/proc/{}/status", program.id());
        let listens = || {
            let status = fs::read_to_string(&status).expect("a program that runs");
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = caught.expect("a program that has not ended").trim();
            u64::from_str_radix(caught, 16).expect("a mask") >> (SIGTERM - 1) & 1 == 1
        };
        while !listens() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let kill = Command::new("kill").args(["-TERM", &program.id().to_string()]).status();
        assert!(kill.expect("kill").success(), "it has ended before");
        Ran::from_output(program.wait_with_output().expect("a program that ends"))
    }

    /// All files in a folder, by their names, sorted.
    pub fn files(&self, folder: impl AsRef<Path>) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// What became of a run of the program.
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

impl Ran {
    /// Runs a command.
    ///
    /// # Panics
    /// As [`Workbench::run`].
    pub fn of(command: &mut Command) -> Ran {
        Ran::from_output(command.output().expect("a program that runs"))
    }

    fn from_output(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("an exit code"),
            stdout: String::from_utf8(output.stdout).expect("stdout in UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr in UTF-8"),
        }
    }

    /// stdout as JSON.
    ///
    /// # Panics
    /// When it is something else, or more than one value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Insists on an exit code.
    ///
    /// # Panics
    /// When it is another.
    #[track_caller]
    pub fn ends_with(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// The example's grader with pieces of its text replaced.
///
/// # Panics
/// When a piece is not in the text, or what comes out is no component.
pub fn example_grader(replaced: &[(&str, &str)]) -> Vec<u8> {
    let mut text = EXAMPLE_GRADER.to_owned();
    for (piece, replacement) in replaced {
        assert!(text.contains(piece), "the text of the example's grader has no `{piece}`");
        text = text.replace(piece, replacement);
    }
    wat::parse_str(&text).expect("a component")
}
