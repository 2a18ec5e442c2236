//! `podium grader build`: from the sources in a competition folder to its `grader.wasm`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use podium::{DEFINITION_FILE, Inspection};
use serde::Serialize;

use super::language::Language;
use super::{c, component, project, python, rust};
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{number, output};

/// What `podium grader build` is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The competition folder; its sources are in grader/
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

/// A built grader in the JSON of `podium grader build`.
#[derive(Serialize)]
struct Built<'a> {
    #[serde(serialize_with = "podium::path_text::serialize")]
    path: &'a Path,
    #[serde(flatten)]
    inspection: &'a Inspection,
}

/// Builds the grader and says what it is.
///
/// # Errors
/// No sources; a compiler that is missing or fails; a component that no Podium would load.
pub(super) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    let sources = project::sources(folder);
    if !folder.join(DEFINITION_FILE).is_file() || !sources.is_dir() {
        return Err(Failure::new(
            Exit::Missing,
            format!("{}: there is no {DEFINITION_FILE} with a grader/ beside it", folder.display()),
        )
        .hint("give the folder of a competition that `podium grader new` made"));
    }
    let scratch = tempfile::tempdir().map_err(|error| {
        Failure::new(Exit::Files, format!("no temporary folder can be made: {error}"))
    })?;
    let built = match Language::of(&sources)? {
        Language::Rust => rust::compile(&sources)?,
        Language::Python => python::compile(&sources, scratch.path())?,
        Language::C => c::compile(&sources, scratch.path())?,
    };
    let bytes = component::read(&built)?;
    let inspection = podium::inspect(&bytes)?;
    if let Some(problem) = inspection.problems.first() {
        return Err(Failure::new(Exit::GraderFailed, format!("{}: {problem}", sources.display())));
    }
    let path = folder.join(project::COMPONENT);
    podium::write_over(&path, &bytes)?;
    if shared.json {
        output::print_json(&Built { path: &path, inspection: &inspection })?;
    } else {
        let kind = if inspection.sealed { "sealed" } else { "foreign, with a virtual WASI" };
        let size = number::size(inspection.size);
        output::print(&format!("{}: {size}, {kind}", path.display()))?;
    }
    Ok(Exit::Success)
}

/// The program that a variable of the environment names, else the one of that name.
pub(super) fn program(variable: &str, name: &str) -> OsString {
    env::var_os(variable).filter(|value| !value.is_empty()).unwrap_or_else(|| name.into())
}

/// Runs a compiler; what it prints goes to stderr, as stdout is for what this program has to say.
///
/// # Errors
/// A program that is not there, with the hint what to install; one that fails, after it said why.
pub(super) fn compile(command: &mut Command, install: &str) -> Result<(), Failure> {
    let name = Path::new(command.get_program()).to_owned();
    let finished = command.stdin(Stdio::null()).stdout(io::stderr()).status();
    match finished {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(
            Exit::GraderFailed,
            format!("{} could not build the grader ({status})", name.display()),
        )
        .hint(format!("what it says is above; {install}"))),
        Err(error) => Err(not_startable(&name, &error, install)),
    }
}

/// A compiler that cannot be started.
pub(super) fn not_startable(name: &Path, error: &io::Error, install: &str) -> Failure {
    let message = format!("{} cannot be started: {error}", name.display());
    Failure::new(Exit::Missing, message).hint(install.to_owned())
}

/// Writes a file that only the build needs.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    written
        .and_then(|()| fs::write(path, content))
        .map_err(|error| Failure::cannot_write(path, &error))
}

/// The files in a folder with this extension, sorted.
///
/// # Errors
/// A folder that cannot be read.
pub(super) fn files_with_extension(
    folder: &Path,
    extension: &str,
) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| {
        Failure::new(Exit::Files, format!("could not read {}: {error}", folder.display()))
    })?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new(extension)))
        .collect();
    files.sort();
    Ok(files)
}
