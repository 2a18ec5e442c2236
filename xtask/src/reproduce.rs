//! `cargo xtask reproduce`: builds graders in another folder, with another cargo home, and compares them with the lock.
//!
//! Whoever reads `graders.lock` has to get its digests from the sources, wherever they put them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{graders, workspace};

/// What `cargo xtask reproduce` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Competitions whose graders are built; all if none is named
    ids: Vec<String>,
}

/// Copies the checkout to a temporary folder, builds there, and compares.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let elsewhere = tempfile::Builder::new().prefix("podium-elsewhere-").tempdir()?;
    let checkout = elsewhere.path().join("a/longer/path/to/the/checkout");
    copy_checkout(&checkout)?;
    let cargo_home = elsewhere.path().join("cargo-home");
    fs::create_dir(&cargo_home)?;
    share_registry(&cargo_home)?;

    eprintln!("building in {}", checkout.display());
    let this_program = std::env::current_exe().context("this program has to be started again")?;
    workspace::run(
        Command::new(this_program)
            .args(["graders", "--locked"])
            .args(&arguments.ids)
            .current_dir(&checkout)
            .env("CARGO_MANIFEST_DIR", checkout.join("xtask"))
            .env("CARGO_TARGET_DIR", checkout.join("target"))
            .env("CARGO_HOME", &cargo_home),
    )
    .with_context(|| {
        format!("graders built in {} differ from those that are locked", checkout.display())
    })?;
    let built = workspace::built_graders();
    for grader in graders::grader_crates()? {
        let component = format!("{}.wasm", grader.id);
        let there = checkout.join("target/graders").join(&component);
        if !there.is_file() {
            continue;
        }
        let here = fs::read(built.join(&component))
            .with_context(|| format!("build it first: cargo xtask graders {}", grader.id))?;
        if here != fs::read(there)? {
            bail!(
                "{}: the component in {} is not the one that its sources make",
                grader.id,
                built.display()
            );
        }
    }
    eprintln!("the same bytes in both folders");
    Ok(())
}

/// Copies what git tracks, with what was changed and not committed.
fn copy_checkout(to: &Path) -> Result<()> {
    let root = workspace::root();
    let tracked = workspace::output(
        Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&root),
    )?;
    let mut copied = 0;
    for file in tracked.split('\0').filter(|file| !file.is_empty()) {
        // Deleted, but not committed yet.
        if !root.join(file).is_file() {
            continue;
        }
        let target = to.join(file);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(root.join(file), target).with_context(|| format!("could not copy {file}"))?;
        copied += 1;
    }
    ensure!(copied > 0, "git lists no files in {}", root.display());
    Ok(())
}

/// The sources of dependencies are found under another path, without loading them again.
fn share_registry(cargo_home: &Path) -> Result<()> {
    let registry = graders::cargo_home()?.join("registry");
    #[cfg(unix)]
    if registry.is_dir() {
        std::os::unix::fs::symlink(registry, cargo_home.join("registry"))?;
    }
    #[cfg(not(unix))]
    let _ = (registry, cargo_home);
    Ok(())
}
