//! The folder through which host and agent speak: the instructions, the script, the description, and the host's socket.
//!
//! It lies in the run's folder, so that a runner that takes a run over finds it. It is open to its owner alone: whoever
//! could reach the socket before the agent does would get the agent's secrets. Its parts are mounted one by one.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::instructions;

/// The folder's name in the run's folder.
const NAME: &str = ".podium";

/// What an exchange is made of.
pub(crate) struct Content<'a> {
    pub(crate) obfuscated: bool,
    pub(crate) time_limit_seconds: u64,
    /// The description among the public data, where there is one.
    pub(crate) description_in_data: bool,
    /// The competition's own description.
    pub(crate) description: &'a str,
}

/// Makes the folder, or makes it again.
pub(crate) fn prepare(run_folder: &Path, content: &Content<'_>) -> Result<PathBuf, Error> {
    let folder = run_folder.join(NAME);
    for (path, mode) in
        [(folder.clone(), 0o700), (folder.join("socket"), 0o755), (folder.join("received"), 0o700)]
    {
        fs::create_dir_all(&path).map_err(Error::file(&path))?;
        fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(Error::file(&path))?;
    }
    let instructions = instructions::text(
        content.obfuscated,
        content.description_in_data,
        content.time_limit_seconds,
    );
    for (name, text, mode) in [
        ("instructions.txt", instructions.as_str(), 0o644),
        ("description.md", content.description, 0o644),
        ("validate_submission.sh", instructions::VALIDATE_SCRIPT, 0o755),
    ] {
        let path = folder.join(name);
        // A file that is mounted must stay the same file, and what it says does not change.
        if fs::read(&path).is_ok_and(|present| present == text.as_bytes()) {
            continue;
        }
        fs::write(&path, text).map_err(Error::file(&path))?;
        fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(Error::file(&path))?;
    }
    // Absolute, because the engine knows no current folder.
    fs::canonicalize(&folder).map_err(Error::file(&folder))
}

/// Removes the folder; that it is gone already is fine.
pub(crate) fn remove(run_folder: &Path) {
    let _ = fs::remove_dir_all(run_folder.join(NAME));
}
