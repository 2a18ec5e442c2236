//! `cargo xtask lint`: formatting, clippy on what runs natively and on graders, documentation; warnings are errors.

use anyhow::Result;

use crate::graders::{self, PROFILE};
use crate::setup::{self, GRADER_TARGET};
use crate::workspace;

/// Checks all of it and stops at the first kind of fault.
pub(crate) fn run() -> Result<()> {
    workspace::run(workspace::cargo().args(["fmt", "--all", "--check"]))?;

    // No package is selected, as in builds and tests, so that what was checked of dependencies serves all of them.
    workspace::run(workspace::cargo().args([
        "clippy",
        "--release",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;

    setup::install_grader_target()?;
    let graders = graders::grader_crates()?;
    if !graders.is_empty() {
        let mut command = workspace::cargo();
        command.args(["clippy", "--profile", PROFILE, "--target", GRADER_TARGET]);
        for grader in &graders {
            command.args(["--package", &grader.package]);
        }
        workspace::run(command.args(["--", "-D", "warnings"]))?;
    }

    workspace::run(
        workspace::cargo()
            .args(["doc", "--release", "--no-deps", "--lib"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}
