//! Building a grader with cargo.
//!
//! Cargo is run in the folder of the sources, so that its `.cargo/config.toml` says for which target:
//! `wasm32-unknown-unknown` makes a sealed grader, `wasm32-wasip2` a foreign one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::build::{self, Installation};
use crate::exit::Exit;
use crate::failure::Failure;

const INSTALLATION: Installation = Installation {
    hint: "install Rust with rustup, and the target: `rustup target add wasm32-unknown-unknown`",
    signs: &[
        "target may not be installed",
        "can't find crate for `core`",
        "can't find crate for `std`",
    ],
};

/// Compiles the crate and gives the file that cargo left.
///
/// # Errors
/// Cargo is missing or fails; the crate makes no WebAssembly library.
pub(super) fn compile(sources: &Path) -> Result<PathBuf, Failure> {
    let cargo = build::program("CARGO", "cargo");
    let mut child = Command::new(&cargo)
        .args(["build", "--release", "--message-format", "json-render-diagnostics"])
        .current_dir(sources)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| build::not_startable(Path::new(&cargo), &error, INSTALLATION.hint))?;
    let stderr = child.stderr.take();
    let said = std::thread::spawn(|| stderr.map(build::pass_on).unwrap_or_default());
    let mut messages = String::new();
    let read = child.stdout.take().map_or(Ok(0), |mut stdout| stdout.read_to_string(&mut messages));
    let finished = read.and_then(|_| child.wait()).map_err(|error| {
        Failure::new(Exit::Files, format!("what cargo says cannot be read: {error}"))
    })?;
    let said = said.join().unwrap_or_default();
    if !finished.success() {
        return Err(build::failed("cargo", &finished.to_string(), &said, &INSTALLATION));
    }
    // The crate comes after what it depends on.
    messages.lines().rev().find_map(library).ok_or_else(|| {
        Failure::new(
            Exit::GraderFailed,
            format!("{}: cargo made no WebAssembly library", sources.display()),
        )
        .hint("Cargo.toml needs `crate-type = [\"cdylib\"]` in [lib], .cargo/config.toml a target that is WebAssembly")
    })
}

/// The WebAssembly file that a message of cargo tells of.
fn library(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let files = message.get("filenames")?.as_array()?;
    let is_wasm = |name: &&str| name.ends_with(".wasm");
    files.iter().filter_map(Value::as_str).find(is_wasm).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_in_cargos_messages() {
        let artifact =
            r#"{"reason":"compiler-artifact","filenames":["/t/libgrader.rlib","/t/grader.wasm"]}"#;
        assert_eq!(library(artifact), Some(PathBuf::from("/t/grader.wasm")));
        for message in [
            r#"{"reason":"build-finished","success":true}"#,
            r#"{"filenames":["/t/libmemchr.rlib"]}"#,
            "not JSON",
        ] {
            assert_eq!(library(message), None, "{message}");
        }
    }
}
