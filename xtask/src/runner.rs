//! `cargo xtask runner`: the static programs that the runner puts into containers, into target/runner.
//!
//! They have to run in images without any library, so they are linked statically, against the C library of this machine.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::workspace;

/// The machines that containers are.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The programs of the product.
pub(crate) const PROGRAMS: [&str; 2] = ["podium-forwarder", "podium-dummy-agent"];

/// The agent that tests play with.
const TEST_AGENT: &str = "podium-test-agent";

/// The folder of built programs.
pub(crate) fn folder() -> PathBuf {
    workspace::target().join("runner")
}

/// Builds all, that of the tests included.
pub(crate) fn run() -> Result<()> {
    let mut command = workspace::cargo();
    command.args(["build", "--release", "--target", TARGET]);
    let names = PROGRAMS.iter().chain([&TEST_AGENT]);
    names.clone().for_each(|name| {
        command.args(["--package", name]);
    });
    // For these packages alone: anything else in the target folder is built for another.
    command.env(
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS",
        "-C target-feature=+crt-static -C strip=symbols",
    );
    workspace::run(&mut command)?;
    let built = workspace::target().join(TARGET).join("release");
    fs::create_dir_all(folder())
        .with_context(|| format!("could not make {}", folder().display()))?;
    for name in names {
        let (from, to) = (built.join(name), folder().join(name));
        let bytes =
            fs::read(&from).with_context(|| format!("could not read {}", from.display()))?;
        if workspace::write_if_changed(&to, &bytes)? {
            make_program(&to)?;
        }
    }
    Ok(())
}

fn make_program(path: &std::path::Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("could not make {} a program", path.display()))?;
    }
    Ok(())
}
