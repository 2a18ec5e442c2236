//! `podium grader`: what whoever writes a grader needs.

mod broken_submissions;
mod build;
mod c;
mod check;
mod component;
mod language;
mod new;
mod project;
mod python;
mod rust;
mod sdk;
mod test;

use clap::Subcommand;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;

/// What `podium grader` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a competition folder with a grader to begin from
    New(new::Arguments),
    /// Build the grader of a competition folder into its grader.wasm
    Build(build::Arguments),
    /// Check a grader: contract, imports, description, limits, determinism, messages
    Check(check::Arguments),
    /// Grade the example of a competition folder and compare with what it expects
    Test(test::Arguments),
}

/// Does it.
///
/// # Errors
/// Those of the command that was named.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::New(arguments) => new::run(arguments, shared),
        Command::Build(arguments) => build::run(arguments, shared),
        Command::Check(arguments) => check::run(arguments, shared),
        Command::Test(arguments) => test::run(arguments, shared),
    }
}
