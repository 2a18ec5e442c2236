//! The Docker engine of this machine, through its own program, for tests to look at what the runner did from outside.
//!
//! Without one, tests of the runner are skipped, and say so. `PODIUM_REQUIRE_DOCKER=1` turns that into a failure;
//! automation sets it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Whether there is an engine. Says so where there is none.
///
/// # Panics
/// When there is none and `PODIUM_REQUIRE_DOCKER` asks for it.
pub fn is_there() -> bool {
    let status = Command::new("docker")
        .args(["version", "--format", "{{.Server.Version}}"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let is_there = status.is_ok_and(|status| status.success());
    if !is_there {
        assert!(!is_required(), "there is no Docker engine, and PODIUM_REQUIRE_DOCKER=1");
        eprintln!("skipped: there is no Docker engine");
    }
    is_there
}

/// Whether tests that need the engine must not be skipped.
pub fn is_required() -> bool {
    std::env::var("PODIUM_REQUIRE_DOCKER").is_ok_and(|value| value == "1")
}

/// What `docker` prints.
///
/// # Panics
/// When it fails.
pub fn docker(arguments: &[&str]) -> String {
    let output = Command::new("docker").args(arguments).output().expect("the docker program");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "docker {arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// What is left of a run group in the engine: containers and networks.
pub fn left_of(group: &Path) -> Vec<String> {
    let folder = group.canonicalize().expect("the folder of a run group");
    let filter = format!("label=podium.folder={}", folder.display());
    let containers = docker(&["ps", "--all", "--filter", &filter, "--format", "{{.Names}}"]);
    let networks = docker(&["network", "ls", "--filter", &filter, "--format", "{{.Name}}"]);
    containers.lines().chain(networks.lines()).map(str::to_owned).collect()
}

/// Waits until a run group has a running container, and gives its name.
///
/// # Panics
/// When there is none after two minutes.
pub fn wait_for_container(group: &Path) -> String {
    for _ in 0..600 {
        if let Ok(folder) = group.canonicalize() {
            let filter = format!("label=podium.folder={}", folder.display());
            let names = docker(&["ps", "--filter", &filter, "--format", "{{.Names}}"]);
            if let Some(name) = names.lines().next() {
                return name.to_owned();
            }
        }
        thread::sleep(Duration::from_millis(200));
    }
    panic!("no container of {} runs", group.display());
}

/// What the engine says of a container.
///
/// # Panics
/// When there is none.
pub fn inspect(container: &str) -> Value {
    let text = docker(&["inspect", container]);
    let mut list: Vec<Value> = serde_json::from_str(&text).expect("a list in JSON");
    list.remove(0)
}

/// The names of the containers of a run group that run.
///
/// # Panics
/// When the folder is none of a run group, or the engine does not answer.
pub fn running_of(group: &Path) -> Vec<String> {
    let folder = group.canonicalize().expect("the folder of a run group");
    let filter = format!("label=podium.folder={}", folder.display());
    let names = docker(&["ps", "--filter", &filter, "--format", "{{.Names}}"]);
    names.lines().map(str::to_owned).collect()
}

/// Kills a container; whether it still ran.
///
/// # Panics
/// When there is no `docker` program.
pub fn kill(container: &str) -> bool {
    let killed = Command::new("docker").args(["kill", container]).output().expect("docker");
    killed.status.success()
}
