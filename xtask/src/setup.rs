//! `cargo xtask setup`: is this machine ready to build Podium, and what is missing?
//!
//! The WebAssembly targets are installed, through rustup, and componentize-py, with pip into the target folder; of
//! everything else it is said what to do.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// What graders are built for.
pub(crate) const GRADER_TARGET: &str = "wasm32-unknown-unknown";

/// What foreign graders in Rust are built for; the tests of foreign graders need it, nothing else.
const FOREIGN_TARGET: &str = "wasm32-wasip2";

/// What builds graders in Python, with the version that is tested.
const COMPONENTIZE_PY: &str = "componentize-py==0.25.1";

/// A program that something needs.
struct Tool {
    name: &'static str,
    arguments: &'static [&'static str],
    needed_for: &'static str,
    what_to_do: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "git",
        arguments: &["--version"],
        needed_for: "working on Podium",
        what_to_do: "install git with the system's package manager",
    },
    Tool {
        name: "docker",
        arguments: &["version", "--format", "{{.Server.Version}}"],
        needed_for: "running agents; grading does without",
        what_to_do: "install Docker Engine, start it, and add yourself to the group `docker`",
    },
    Tool {
        name: "python3",
        arguments: &["--version"],
        needed_for: "graders in Python, and comparing speed with the reference (`cargo xtask bench`)",
        what_to_do: "install Python 3.11 with the module venv",
    },
    Tool {
        name: "node",
        arguments: &["--version"],
        needed_for: "grading in a second engine, V8 (`cargo xtask determinism`, and its test)",
        what_to_do: "install Node 18 or newer; no npm is needed",
    },
];

/// Installs the target, checks the tools.
pub(crate) fn run() -> Result<()> {
    let rustc =
        workspace::output(Command::new("rustc").arg("--version").current_dir(workspace::root()))?;
    report("ok", "rustc", &rustc);
    install_grader_target()?;
    report("ok", "target", GRADER_TARGET);
    report_optional(
        "target",
        FOREIGN_TARGET,
        "foreign graders in Rust",
        install_target(FOREIGN_TARGET),
    );
    check_linker()?;
    report_optional("python", COMPONENTIZE_PY, "graders in Python", install_componentize_py());
    report_optional("clang", "wasm32-wasi", "graders in C", check_c_toolchain());
    for tool in TOOLS {
        match version(tool) {
            Some(version) => report("ok", tool.name, &version),
            None => report(
                "missing",
                tool.name,
                &format!("needed for {}\n{:<20}{}", tool.needed_for, "", tool.what_to_do),
            ),
        }
    }
    eprintln!(
        "\nReady. `cargo xtask demo` grades the examples, `cargo xtask test` runs every test."
    );
    Ok(())
}

/// Makes sure that the compiler can build graders.
pub(crate) fn install_grader_target() -> Result<()> {
    if let Err(error) = install_target(GRADER_TARGET) {
        bail!(
            "the compiler has no standard library for {GRADER_TARGET} and rustup could not install it ({error}). With \
             rustup and a network: `rustup target add {GRADER_TARGET}`. With a distribution's compiler: install its \
             package for wasm32 (Debian: libstd-rust-dev-wasm32; Fedora: rust-std-static-wasm32-unknown-unknown)"
        );
    }
    Ok(())
}

fn install_target(target: &str) -> Result<()> {
    if target_is_there(target)? {
        return Ok(());
    }
    eprintln!("installing the target {target}");
    workspace::run(
        Command::new("rustup").args(["target", "add", target]).current_dir(workspace::root()),
    )
}

/// Puts componentize-py into a virtual environment in the target folder, where the tests look for it.
fn install_componentize_py() -> Result<()> {
    let folder = workspace::target().join("tools/componentize-py");
    let installed = folder.join("installed");
    if fs::read_to_string(&installed).is_ok_and(|version| version == COMPONENTIZE_PY) {
        return Ok(());
    }
    eprintln!("installing {COMPONENTIZE_PY}");
    workspace::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    workspace::run(Command::new(folder.join("bin/pip")).args([
        "install",
        "--quiet",
        COMPONENTIZE_PY,
    ]))?;
    fs::write(&installed, COMPONENTIZE_PY)?;
    Ok(())
}

fn target_is_there(target: &str) -> Result<bool> {
    let folder = workspace::output(
        Command::new("rustc")
            .args(["--print", "target-libdir", "--target", target])
            .current_dir(workspace::root()),
    )
    .context("is Rust installed? https://rustup.rs")?;
    let Ok(entries) = Path::new(&folder).read_dir() else { return Ok(false) };
    Ok(entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    }))
}

/// clang is of use for WebAssembly where it finds a C library for it.
fn check_c_toolchain() -> Result<()> {
    let library = workspace::output(
        Command::new("clang").args(["--target=wasm32-wasi", "-print-file-name=crt1-reactor.o"]),
    );
    // A file that clang does not find it names without a folder.
    match library {
        Ok(path) if Path::new(&path).is_file() => Ok(()),
        _ => bail!(
            "install clang with its parts for WebAssembly (Debian: clang lld wasi-libc libclang-rt-dev-wasm32)"
        ),
    }
}

/// Native programs are linked by the system's C compiler, which a fresh machine may lack; this program was linked, so it
/// is there unless this is a copy from another machine.
fn check_linker() -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let linker = Tool {
        name: "cc",
        arguments: &["--version"],
        needed_for: "linking",
        what_to_do: "install a C compiler (Debian: build-essential; Fedora: gcc; macOS: xcode-select --install)",
    };
    match version(&linker) {
        Some(version) => {
            report("ok", linker.name, &version);
            Ok(())
        }
        None => bail!("there is no `cc`: {}", linker.what_to_do),
    }
}

/// The first line of what a tool says of itself, if it works.
fn version(tool: &Tool) -> Option<String> {
    let output =
        Command::new(tool.name).args(tool.arguments).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next().unwrap_or_default().trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}

/// Says what became of something that not everybody needs.
fn report_optional(name: &str, what: &str, needed_for: &str, installed: Result<()>) {
    match installed {
        Ok(()) => report("ok", name, what),
        Err(error) => {
            report("missing", name, &format!("{what}, needed for {needed_for}\n{:<20}{error}", ""));
        }
    }
}

fn report(state: &str, name: &str, text: &str) {
    eprintln!("{state:<8} {name:<10} {text}");
}
