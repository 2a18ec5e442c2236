//! `podium grader build`: from the sources in a competition folder to its `grader.wasm`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
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

/// How a compiler is installed, and what it says where parts of it are missing.
pub(super) struct Installation {
    /// What to do.
    pub(super) hint: &'static str,
    /// Words of a compiler that lacks parts of its own, as opposed to one that finds fault with the sources.
    pub(super) signs: &'static [&'static str],
}

/// Runs a compiler that makes the file `built`; what it prints goes to stderr, as stdout is for what this program has to
/// say.
///
/// # Errors
/// A program that is not there, with the hint what to install; one that fails, after it said why; one that makes nothing.
pub(super) fn compile(
    command: &mut Command,
    built: &Path,
    installation: &Installation,
) -> Result<(), Failure> {
    let name = Path::new(command.get_program()).to_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_startable(&name, &error, installation.hint))?;
    let said = child.stderr.take().map(pass_on).unwrap_or_default();
    let status = child.wait().map_err(|error| not_startable(&name, &error, installation.hint))?;
    if !status.success() {
        return Err(failed(&name.display().to_string(), &status.to_string(), &said, installation));
    }
    if !built.is_file() {
        let message = format!("{} says that it is done, but made no grader", name.display());
        return Err(Failure::new(Exit::GraderFailed, message)
            .hint("look whether it is the compiler that it should be, or something in its place"));
    }
    Ok(())
}

/// A compiler that failed. What to install is said only where it seems to lack something.
pub(super) fn failed(name: &str, status: &str, said: &str, installation: &Installation) -> Failure {
    let message = format!("{name} could not build the grader ({status})");
    let lacks_parts = installation.signs.iter().any(|sign| said.contains(sign));
    let failure = Failure::new(Exit::GraderFailed, message).hint("what it says is above");
    if lacks_parts { failure.hint(installation.hint) } else { failure }
}

/// Writes to stderr what a compiler says while it says it, and gives it all.
pub(super) fn pass_on(mut from: impl Read) -> String {
    let (mut said, mut buffer) = (Vec::new(), [0; 4_096]);
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        // A stderr that is closed is no reason not to build.
        let _ = io::stderr().write_all(&buffer[..length]);
        said.extend_from_slice(&buffer[..length]);
    }
    String::from_utf8_lossy(&said).into_owned()
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
