//! The engine that graders run in, set up as the command line says.

use podium::{CacheLocation, CodeGeneration, Engine, EngineSettings};

use crate::arguments::Shared;
use crate::failure::Failure;
use crate::output;

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
    let engine = Engine::new(EngineSettings { cache, code, ..EngineSettings::default() })?;
    // Gradings work without. Only whoever named a folder expects that it is used.
    if let (Some(_), Err(reason)) = (&shared.cache_dir, engine.cache_folder()) {
        output::warning_line(&format!("compiled graders are not kept: {reason}"));
    }
    Ok(engine)
}
