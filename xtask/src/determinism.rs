//! `cargo xtask determinism`: builds graders, then the program that grades the parity corpus in many ways, and writes its
//! table into `docs/determinism.md`.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::{graders, page, workspace};

/// The package of the program. No default member: it has another wasmtime than the product.
const PACKAGE: &str = "podium-determinism";

/// What `cargo xtask determinism` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Competitions to grade; all if none is named
    ids: Vec<String>,
    /// Run this configuration alone, beside the product's; may be given several times
    #[arg(long, value_name = "NAME")]
    configuration: Vec<String>,
    /// Leave this configuration out; may be given several times
    #[arg(long, value_name = "NAME")]
    without: Vec<String>,
    /// At most so many cases of each competition, spread over all of them
    #[arg(long, value_name = "NUMBER")]
    cases: Option<std::num::NonZeroUsize>,
    /// Leave docs/determinism.md as it is
    #[arg(long)]
    print_only: bool,
    /// Print JSON on standard output; docs/determinism.md is left as it is
    #[arg(long)]
    json: bool,
    /// Run the graders in target/graders and the program as they are
    #[arg(long)]
    no_build: bool,
}

impl Arguments {
    /// Whether every configuration is run on the whole corpus.
    fn is_everything(&self) -> bool {
        self.ids.is_empty()
            && self.configuration.is_empty()
            && self.without.is_empty()
            && self.cases.is_none()
    }
}

/// Builds, grades, writes the table down, and fails where anything differs or could not be run.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if !arguments.no_build {
        graders::run(&graders::Arguments::of(&arguments.ids))?;
        build()?;
    }
    let program = program();
    ensure!(program.is_file(), "{} is not there: leave out --no-build", program.display());
    let mut command = std::process::Command::new(program);
    command.current_dir(workspace::root()).args(&arguments.ids);
    command.arg("--graders").arg(workspace::built_graders());
    for name in &arguments.configuration {
        command.args(["--configuration", name]);
    }
    for name in &arguments.without {
        command.args(["--without", name]);
    }
    if let Some(cases) = arguments.cases {
        command.args(["--cases", &cases.to_string()]);
    }
    if arguments.json {
        return workspace::run(command.arg("--json"));
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start {}", workspace::shown(&command)))?;
    let section = String::from_utf8(output.stdout).context("the table is no text")?;
    print!("{section}");
    if section.is_empty() {
        bail!("{} failed ({})", workspace::shown(&command), output.status);
    }
    if arguments.print_only {
    } else if arguments.is_everything() {
        let path = workspace::root().join("docs/determinism.md");
        page::replace_part(&path, "determinism", &section)?;
        eprintln!("written into {}", path.display());
    } else {
        eprintln!("docs/determinism.md is left as it is: not everything was run");
    }
    ensure!(
        output.status.success(),
        "something differs or could not be run; it is listed above ({})",
        output.status
    );
    Ok(())
}

fn program() -> PathBuf {
    let name = format!("determinism{}", std::env::consts::EXE_SUFFIX);
    workspace::target().join("release").join(name)
}

/// Builds the program together with the default members, so that whatever does not depend on its own wasmtime has the
/// features that it has for them and need not be built again.
fn build() -> Result<()> {
    #[derive(Deserialize)]
    struct Metadata {
        workspace_default_members: Vec<String>,
    }
    let metadata = workspace::output(workspace::cargo().args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
    ]))?;
    let metadata: Metadata =
        serde_json::from_str(&metadata).context("cargo metadata printed something else")?;
    let mut command = workspace::cargo();
    command.args(["build", "--release", "--bin", "determinism", "--package", PACKAGE]);
    for member in metadata.workspace_default_members {
        command.args(["--package", &member]);
    }
    workspace::run(&mut command)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn a_part_is_not_everything() {
        for (line, is_everything) in [
            (vec![], true),
            (vec!["--print-only"], true),
            (vec!["AI4Code"], false),
            (vec!["--cases", "3"], false),
            (vec!["--without", "v8"], false),
            (vec!["--configuration", "v8"], false),
        ] {
            let parsed = Line::parse_from([&["x"], &line[..]].concat());
            assert_eq!(parsed.arguments.is_everything(), is_everything, "{line:?}");
        }
    }
}
