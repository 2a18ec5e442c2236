//! `cargo xtask test`: builds what tests need, then runs every test.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::{graders, runner, setup, workspace};

/// What `cargo xtask test` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Passed on to the tests: part of a test's name, `--nocapture`
    #[arg(last = true)]
    test_arguments: Vec<String>,
}

/// Builds graders and the program, then runs the tests of all crates, documentation included.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    setup::install_grader_target()?;
    graders::run(&graders::Arguments::default())?;
    build_podium()?;
    if cfg!(target_os = "linux") {
        runner::run()?;
    }

    // No package is selected: the features of dependencies, and with them what was built, would be others.
    run_tests(&[], arguments)?;
    // Graders are not among the default members; those with tests of their own are tested natively.
    let with_tests: Vec<String> = graders::grader_crates()?
        .into_iter()
        .filter(|grader| has_tests(&workspace::root().join("graders-wasm").join(&grader.id)))
        .map(|grader| grader.package)
        .collect();
    if with_tests.is_empty() {
        return Ok(());
    }
    run_tests(&with_tests, arguments)
}

fn run_tests(packages: &[String], arguments: &Arguments) -> Result<()> {
    let mut command = workspace::cargo();
    command.args(["test", "--release", "--no-fail-fast"]);
    for package in packages {
        command.args(["--package", package]);
    }
    if !arguments.test_arguments.is_empty() {
        command.arg("--").args(&arguments.test_arguments);
    }
    workspace::run(&mut command)
}

/// Builds the `podium` program, and gives where it is.
pub(crate) fn build_podium() -> Result<std::path::PathBuf> {
    workspace::run(workspace::cargo().args(["build", "--release", "--bin", "podium"]))?;
    Ok(workspace::built_podium())
}

/// Whether any source file of a crate holds tests.
fn has_tests(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return has_tests(&path);
        }
        path.extension() == Some(OsStr::new("rs"))
            && fs::read_to_string(&path).is_ok_and(|text| text.contains("#[cfg(test)]"))
    })
}
