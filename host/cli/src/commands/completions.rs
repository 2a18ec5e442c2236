//! `podium completions`: what a shell has to know to complete command lines.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::CommandLine;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// What `podium completions` is told.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Bash: podium completions bash > ~/.local/share/bash-completion/completions/podium"
)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

/// Prints the completions.
///
/// # Errors
/// A stdout that cannot be written to.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "podium", &mut script);
    output::print(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Success)
}
