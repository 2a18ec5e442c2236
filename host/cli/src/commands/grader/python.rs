//! Building a grader with componentize-py, which puts CPython and the sources into one component.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::{self, Installation};
use super::component;
use crate::failure::Failure;

const INSTALLATION: Installation = Installation {
    hint: "install componentize-py (`pip install componentize-py`), or name it with PODIUM_COMPONENTIZE_PY",
    // It comes in one piece.
    signs: &[],
};

/// Makes a component of `grader.py` and what it imports.
///
/// # Errors
/// componentize-py is missing or fails.
pub(super) fn compile(sources: &Path, scratch: &Path) -> Result<PathBuf, Failure> {
    let contract = scratch.join("wit/grading.wit");
    build::write(&contract, component::CONTRACT)?;
    let built = scratch.join("grader.wasm");
    let mut command = Command::new(build::program("PODIUM_COMPONENTIZE_PY", "componentize-py"));
    command
        .arg("--quiet")
        .arg("--wit-path")
        .arg(scratch.join("wit"))
        .args(["--world", component::WORLD, "componentize", "grader", "--python-path"])
        .arg(sources)
        .arg("--output")
        .arg(&built)
        // Hashes of texts, and with them the order of sets, are drawn when the component is made. This settles those of
        // componentize-py itself; the interpreter that ends in the component draws its own in each build.
        .env("PYTHONHASHSEED", "0")
        // Nothing is written beside the sources.
        .env("PYTHONDONTWRITEBYTECODE", "1");
    build::compile(&mut command, &built, &INSTALLATION)?;
    Ok(built)
}
