//! Building a grader with clang and wasi-libc.
//!
//! The bindings, `competition.h` and `competition.c`, lie beside the grader: `podium grader new` put them there.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::{self, Installation};
use crate::failure::Failure;

const INSTALLATION: Installation = Installation {
    hint: "install clang with its WebAssembly parts (Debian: clang lld wasi-libc libclang-rt-dev-wasm32), or name the clang \
           of a wasi-sdk with PODIUM_CLANG",
    signs: &[
        ".h' file not found",
        "cannot open",
        "unable to execute command",
        "unable to create target",
        "No available targets",
    ],
};

/// Compiles all C files of the folder into a module.
///
/// # Errors
/// clang is missing or fails.
pub(super) fn compile(sources: &Path, scratch: &Path) -> Result<PathBuf, Failure> {
    let built = scratch.join("grader.wasm");
    let mut command = Command::new(build::program("PODIUM_CLANG", "clang"));
    command
        // A library: it is called, and has no main().
        .args(["--target=wasm32-wasi", "-mexec-model=reactor", "-std=gnu11", "-O2", "-Wall"])
        .args(build::files_with_extension(sources, "c")?)
        .arg("-o")
        .arg(&built);
    build::compile(&mut command, &built, &INSTALLATION)?;
    Ok(built)
}
