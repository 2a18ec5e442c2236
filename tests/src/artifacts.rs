//! Where the checkout and what was built from it lie.
//!
//! Graders and the `podium` program are not built by `cargo test` itself; `cargo xtask test` builds them first. What is
//! missing is said together with the command that builds it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The checkout.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Cargo's target folder: `target/` in the checkout unless `CARGO_TARGET_DIR` says otherwise.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The folder of the built-in competitions.
pub fn competitions() -> PathBuf {
    root().join("competitions")
}

/// The folder that `cargo xtask graders` writes components to.
pub fn graders() -> PathBuf {
    target().join("graders")
}

/// The ids of the competitions that have a grader, sorted, whether it is built or not.
///
/// # Panics
/// When `graders-wasm/` cannot be read.
pub fn grader_ids() -> Vec<String> {
    let folder = root().join("graders-wasm");
    let entries = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("could not read {}: {error}", folder.display()));
    let mut ids: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    ids.sort();
    ids
}

/// The built component of a competition's grader.
///
/// # Panics
/// When it is not built, with what to do.
pub fn grader(id: &str) -> PathBuf {
    let component = graders().join(format!("{id}.wasm"));
    assert!(
        component.is_file(),
        "{} is not there; `cargo xtask graders {id}` builds it",
        component.display()
    );
    component
}

/// The built `podium` program.
///
/// # Panics
/// When it is not built, with what to do.
pub fn podium() -> PathBuf {
    let program = target().join("release").join(format!("podium{}", env::consts::EXE_SUFFIX));
    assert!(
        program.is_file(),
        "{} is not there; `cargo build --release --bin podium` builds it",
        program.display()
    );
    program
}

/// A static program for containers, or the folder of them where `name` is empty.
///
/// # Panics
/// When it is not built, with what to do.
pub fn runner_program(name: &str) -> PathBuf {
    let program = target().join("runner").join(name);
    assert!(program.exists(), "{} is not there; `cargo xtask runner` builds it", program.display());
    program
}
