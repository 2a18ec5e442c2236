//! A competition folder with the sources of its grader: where its parts lie.
//!
//! ```text
//! <id>/competition.toml, description.md, example/   the competition
//! <id>/grader/                                      the sources of its grader
//! <id>/grader.wasm                                  the grader, once it is built
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use podium::{Competition, DEFINITION_FILE};

use crate::exit::Exit;
use crate::failure::Failure;

/// The name of a built grader in its competition folder.
pub(super) const COMPONENT: &str = "grader.wasm";

/// The folder of sources in a competition folder.
pub(super) fn sources(folder: &Path) -> PathBuf {
    folder.join("grader")
}

/// A source that was changed after the grader in a competition folder was built, as far as times tell; what is built and
/// what the SDK consists of are none.
pub(super) fn newer_source(folder: &Path) -> Option<PathBuf> {
    let built = fs::metadata(folder.join(COMPONENT)).ok()?.modified().ok()?;
    let mut folders = vec![sources(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                if name != "target" && name != "podium-grader" && name != "__pycache__" {
                    folders.push(path);
                }
            } else if metadata.modified().is_ok_and(|changed| changed > built) {
                return Some(path);
            }
        }
    }
    None
}

/// Reads the competition in a folder. Its grader is the one in the folder, or one of `graders`.
///
/// # Errors
/// No competition there; one that is broken.
pub(super) fn competition(folder: &Path, graders: &[PathBuf]) -> Result<Competition, Failure> {
    if !folder.join(DEFINITION_FILE).is_file() {
        return Err(Failure::new(
            Exit::Missing,
            format!("{}: there is no {DEFINITION_FILE}", folder.display()),
        )
        .hint("give the folder of a competition"));
    }
    Ok(Competition::load(folder, graders)?)
}
