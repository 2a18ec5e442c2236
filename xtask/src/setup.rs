//! `cargo xtask setup`: is this machine ready to build Podium, and what is missing?
//!
//! Only the WebAssembly target is installed, through rustup; of everything else it is said what to do.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// What graders are built for.
pub(crate) const GRADER_TARGET: &str = "wasm32-unknown-unknown";

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
        needed_for: "comparing speed with the reference (`cargo xtask bench`); everything else does without",
        what_to_do: "install Python 3.11 with the module venv",
    },
];

/// Installs the target, checks the tools.
pub(crate) fn run() -> Result<()> {
    let rustc =
        workspace::output(Command::new("rustc").arg("--version").current_dir(workspace::root()))?;
    report("ok", "rustc", &rustc);
    install_grader_target()?;
    report("ok", "target", GRADER_TARGET);
    check_linker()?;
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
    if grader_target_is_there()? {
        return Ok(());
    }
    eprintln!("installing the target {GRADER_TARGET}");
    let installed = workspace::run(
        Command::new("rustup")
            .args(["target", "add", GRADER_TARGET])
            .current_dir(workspace::root()),
    );
    if let Err(error) = installed {
        bail!(
            "the compiler has no standard library for {GRADER_TARGET} and rustup could not install it ({error}). With \
             rustup and a network: `rustup target add {GRADER_TARGET}`. With a distribution's compiler: install its \
             package for wasm32 (Debian: libstd-rust-dev-wasm32; Fedora: rust-std-static-wasm32-unknown-unknown)"
        );
    }
    Ok(())
}

fn grader_target_is_there() -> Result<bool> {
    let folder = workspace::output(
        Command::new("rustc")
            .args(["--print", "target-libdir", "--target", GRADER_TARGET])
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

fn report(state: &str, name: &str, text: &str) {
    eprintln!("{state:<8} {name:<10} {text}");
}
