//! The engine that graders run in, set up as the command line says.
//!
//! Graders come from anywhere, and a component can be made to take very long to compile. So this program starts itself
//! (as `compile-component`) to compile one, and ends that process when it takes too long.

use std::time::Duration;

use podium::{CacheLocation, CodeGeneration, Compilation, CompilerProcess, Engine, EngineSettings};

use crate::arguments::Shared;
use crate::failure::Failure;
use crate::output;

/// The hidden command that compiles a component.
const COMPILE_COMMAND: &str = "compile-component";

/// How long compiling a grader may take. An interpreter with its library takes about a minute on one slow core.
const COMPILATION_DEADLINE: Duration = Duration::from_secs(10 * 60);

/// Sets up the engine.
///
/// # Errors
/// A machine for which no code can be generated.
pub(crate) fn start(shared: &Shared) -> Result<Engine, Failure> {
    start_with(shared, CodeGeneration::default())
}

/// Sets up an engine that generates code in this way.
///
/// # Errors
/// As [`start`].
pub(crate) fn start_with(shared: &Shared, code: CodeGeneration) -> Result<Engine, Failure> {
    let cache = match (&shared.cache_dir, shared.no_cache) {
        (_, true) => CacheLocation::Off,
        (Some(folder), false) => CacheLocation::Folder(folder.clone()),
        (None, false) => CacheLocation::UserDefault,
    };
    // Where this program's own file cannot be found, what is left is compiling here, within the counted limits.
    let compilation = std::env::current_exe().map_or(Compilation::Here, |program| {
        Compilation::Apart(CompilerProcess {
            program,
            arguments: vec![COMPILE_COMMAND.into()],
            deadline: COMPILATION_DEADLINE,
        })
    });
    let engine =
        Engine::new(EngineSettings { cache, compilation, code, ..EngineSettings::default() })?;
    // Gradings work without. Only whoever named a folder expects that it is used.
    if let (Some(_), Err(reason)) = (&shared.cache_dir, engine.cache_folder()) {
        output::warning_line(&format!("compiled graders are not kept: {reason}"));
    }
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::COMPILE_COMMAND;
    use crate::arguments::{Command, CommandLine};

    #[test]
    fn the_compile_command_is_there() {
        let command_line = CommandLine::try_parse_from(["podium", COMPILE_COMMAND]).unwrap();
        assert!(matches!(command_line.command, Command::CompileComponent));
    }
}
