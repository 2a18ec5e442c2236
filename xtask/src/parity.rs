//! `cargo xtask parity`: builds graders, then the program that compares them with the reference's word.

use std::path::PathBuf;

use anyhow::Result;

use crate::{graders, workspace};

/// What `cargo xtask parity` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Competitions to compare; all that have a grader if none is named
    ids: Vec<String>,
    /// A corpus in the format of tests/parity/README.md, instead of that one
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// At most this many differences are listed for a competition; 0 for all
    #[arg(long, value_name = "NUMBER")]
    list: Option<usize>,
    /// Print JSON on standard output
    #[arg(long)]
    json: bool,
    /// Compare the graders in target/graders as they are
    #[arg(long)]
    no_build: bool,
}

/// Builds the graders, compares, and fails on any difference.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if !arguments.no_build {
        graders::run(&graders::Arguments::of(&arguments.ids))?;
    }
    let mut command = workspace::cargo();
    command
        .args(["run", "--quiet", "--release", "--bin", "parity", "--"])
        .args(&arguments.ids)
        .arg("--graders")
        .arg(workspace::built_graders());
    if let Some(corpus) = &arguments.corpus {
        // The program runs in the checkout; the path was typed in another folder.
        command.arg("--corpus").arg(std::path::absolute(corpus)?);
    }
    if let Some(list) = arguments.list {
        command.arg("--list").arg(list.to_string());
    }
    if arguments.json {
        command.arg("--json");
    }
    workspace::run(&mut command)
}
