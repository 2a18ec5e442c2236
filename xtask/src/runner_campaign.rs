//! `cargo xtask runner-campaign`: the long campaigns of the runner, with hundreds of runs and kills on the real engine.
//!
//! They are tests that the ordinary call passes over, one after the other, because they count what is left behind.

use anyhow::Result;

use crate::{runner, test, workspace};

/// Builds what they need, and runs them.
pub(crate) fn run() -> Result<()> {
    test::build_podium()?;
    runner::run()?;
    let mut command = workspace::cargo();
    command.args(["test", "--release", "--test", "runner_campaign", "--"]);
    command.args(["--ignored", "--nocapture", "--test-threads", "1"]);
    command.env("PODIUM_REQUIRE_DOCKER", "1");
    workspace::run(&mut command)
}
