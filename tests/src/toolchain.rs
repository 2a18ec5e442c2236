//! The compilers of other languages, which a machine may lack.
//!
//! Without one, the tests of its language are skipped, and say so. `PODIUM_REQUIRE_TOOLCHAINS=1` turns that into a
//! failure; automation sets it. `cargo xtask setup` installs what it can and says what else is missing.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::artifacts;

/// What graders in a language are built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolchain {
    /// rustc with its standard library for wasm32-wasip2.
    Rust,
    /// componentize-py.
    Python,
    /// clang with wasi-libc.
    C,
}

impl Toolchain {
    /// The language, as `podium grader new --language` takes it.
    pub fn language(self) -> &'static str {
        match self {
            Toolchain::Rust => "rust",
            Toolchain::Python => "python",
            Toolchain::C => "c",
        }
    }

    /// Whether it is there. Says so where it is not.
    ///
    /// # Panics
    /// When it is missing and `PODIUM_REQUIRE_TOOLCHAINS` asks for it.
    pub fn is_there(self) -> bool {
        let is_there = match self {
            Toolchain::Rust => has_wasip2(),
            Toolchain::Python => succeeds(Command::new(componentize_py()).arg("--version")),
            Toolchain::C => compiles_c(),
        };
        if !is_there {
            let missing = format!(
                "the toolchain for graders in {} is missing; `cargo xtask setup` says what to do",
                self.language()
            );
            assert!(
                !env::var("PODIUM_REQUIRE_TOOLCHAINS").is_ok_and(|value| value == "1"),
                "{missing}"
            );
            eprintln!("SKIPPED: {missing}");
        }
        is_there
    }

    /// What a program that builds graders needs of the environment, besides the folder of the tests' own.
    pub fn environment() -> Vec<(&'static str, PathBuf)> {
        let inherited = ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];
        let mut environment: Vec<(&str, PathBuf)> = inherited
            .into_iter()
            .filter_map(|name| Some((name, PathBuf::from(env::var_os(name)?))))
            .collect();
        environment.push(("PODIUM_COMPONENTIZE_PY", componentize_py()));
        // What graders depend on is built once.
        environment.push(("CARGO_TARGET_DIR", artifacts::target().join("foreign")));
        environment
    }
}

/// The componentize-py that `cargo xtask setup` installed, else the system's.
fn componentize_py() -> PathBuf {
    let installed = artifacts::target().join("tools/componentize-py/bin/componentize-py");
    if installed.is_file() { installed } else { PathBuf::from("componentize-py") }
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn has_wasip2() -> bool {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", "wasm32-wasip2"])
        .current_dir(artifacts::root())
        .output();
    output.is_ok_and(|output| {
        output.status.success()
            && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir()
    })
}

fn compiles_c() -> bool {
    let Ok(folder) = tempfile::tempdir() else { return false };
    let source = folder.path().join("try.c");
    let program = "#include <stdlib.h>\nvoid *try(void) { return malloc(1); }\n";
    std::fs::write(&source, program).is_ok()
        && succeeds(
            Command::new("clang")
                .args(["--target=wasm32-wasi", "-mexec-model=reactor", "-o"])
                .arg(folder.path().join("try.wasm"))
                .arg(&source),
        )
}
