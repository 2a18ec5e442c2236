//! `podium grader`: what whoever writes a grader needs, and what whoever keeps graders needs.

mod add;
mod broken_submissions;
mod build;
mod c;
mod check;
mod component;
mod language;
mod list;
mod new;
mod pin;
mod project;
mod python;
mod remove;
mod rust;
mod sdk;
mod test;
mod trial;

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
    /// Put graders into the component store, under their digests
    Add(add::Arguments),
    /// List the graders in the component store
    List(list::Arguments),
    /// Take graders out of the component store
    Remove(remove::Arguments),
    /// Let a competition be graded with one component of the store from now on
    Pin(pin::PinArguments),
    /// Let a competition be graded again with what lies in its own folder or among the graders
    Unpin(pin::UnpinArguments),
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
        Command::Add(arguments) => add::run(arguments, shared),
        Command::List(arguments) => list::run(arguments, shared),
        Command::Remove(arguments) => remove::run(arguments, shared),
        Command::Pin(arguments) => pin::pin(arguments, shared),
        Command::Unpin(arguments) => pin::unpin(arguments, shared),
    }
}
