//! Copies what an agent left behind out of a tar stream: files and folders as data, nothing else.
//!
//! Links, devices, pipes, absolute paths, `..` and whatever leaves the folder are refused by name; sizes and counts are
//! limited by what is really read, not by what headers say. What is written goes through a capability of the run's folder.

use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, OpenOptions};
use serde::{Deserialize, Serialize};
use tar::{Archive, EntryType};

/// How many refused entries are named; more are counted.
const NAMED: usize = 100;

/// The deepest path.
const DEEPEST: usize = 64;

/// Limits on one folder.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Entries, whatever they are.
    pub entries: u64,
}

/// What was copied of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// Files.
    pub files: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Entries that were refused, the first of them with their names.
    pub refused: Vec<Refused>,
    /// How many were refused.
    pub refused_in_all: u64,
    /// Why not everything was looked at, where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<String>,
}

/// An entry that was not copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Its name in the archive, control characters escaped.
    pub entry: String,
    /// Why.
    pub why: String,
}

/// Copies the folder `name` out of an archive into `run_folder`. What lay there under this name is removed first.
///
/// # Errors
/// A folder or file of the host that cannot be written. What is wrong with the archive is said in [`Copied`].
pub fn copy_out(
    archive: impl Read,
    run_folder: &Dir,
    name: &str,
    limits: Limits,
) -> io::Result<Copied> {
    match run_folder.remove_dir_all(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => run_folder.create_dir(name)?,
    }
    let mut copied = Copied::default();
    let mut archive = Archive::new(archive);
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return Ok(cut(copied, format!("the archive cannot be read: {error}"))),
    };
    for (count, entry) in entries.enumerate() {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Ok(cut(copied, format!("the archive cannot be read: {error}"))),
        };
        if count as u64 >= limits.entries {
            return Ok(cut(copied, format!("there are more than {} entries", limits.entries)));
        }
        let shown: String = String::from_utf8_lossy(&entry.path_bytes())
            .chars()
            .take(500)
            .flat_map(char::escape_debug)
            .collect();
        let path = match entry
            .path()
            .map_err(|error| error.to_string())
            .and_then(|path| inside(&path, name))
        {
            Ok(path) => path,
            Err(why) => {
                refuse(&mut copied, shown, &why);
                continue;
            }
        };
        match entry.header().entry_type() {
            EntryType::Directory => run_folder.create_dir_all(&path)?,
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                if let Some(parent) = path.parent() {
                    run_folder.create_dir_all(parent)?;
                }
                let mut options = OpenOptions::new();
                let options = options.write(true).create_new(true);
                let mut file = match run_folder.open_with(&path, options) {
                    Ok(file) => file,
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        refuse(&mut copied, shown, "it is in the archive twice");
                        continue;
                    }
                    Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                        refuse(&mut copied, shown, "its name is too long");
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                let left = limits.bytes - copied.bytes;
                match stream(&mut entry, &mut file, left)? {
                    Streamed::All(bytes) => {
                        copied.files += 1;
                        copied.bytes += bytes;
                    }
                    Streamed::TooMuch => {
                        run_folder.remove_file(&path)?;
                        refuse(&mut copied, shown, "it goes beyond the limit of the folder");
                        return Ok(cut(
                            copied,
                            format!("there are more than {} bytes", limits.bytes),
                        ));
                    }
                    Streamed::Broken(why) => {
                        run_folder.remove_file(&path)?;
                        return Ok(cut(copied, format!("the archive cannot be read: {why}")));
                    }
                }
            }
            other => refuse(&mut copied, shown, kind(other)),
        }
    }
    Ok(copied)
}

enum Streamed {
    All(u64),
    TooMuch,
    Broken(String),
}

fn stream(entry: &mut impl Read, file: &mut impl Write, most: u64) -> io::Result<Streamed> {
    let mut buffer = vec![0; 1 << 16];
    let mut total = 0;
    loop {
        let read = match entry.read(&mut buffer) {
            Ok(0) => return Ok(Streamed::All(total)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Ok(Streamed::Broken(error.to_string())),
        };
        total += read as u64;
        if total > most {
            return Ok(Streamed::TooMuch);
        }
        file.write_all(&buffer[..read])?;
    }
}

/// The path, if it lies in the folder.
fn inside(path: &Path, folder: &str) -> Result<PathBuf, String> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => clean.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err("its path has `..`".to_owned()),
            Component::RootDir | Component::Prefix(_) => {
                return Err("its path is absolute".to_owned());
            }
        }
    }
    if clean.components().count() > DEEPEST {
        return Err(format!("it lies deeper than {DEEPEST} folders"));
    }
    match clean.components().next() {
        Some(Component::Normal(first)) if first == folder => Ok(clean),
        _ => Err("it lies in another folder".to_owned()),
    }
}

fn kind(entry: EntryType) -> &'static str {
    match entry {
        EntryType::Symlink => "it is a symbolic link",
        EntryType::Link => "it is a hard link",
        EntryType::Block | EntryType::Char => "it is a device",
        EntryType::Fifo => "it is a pipe",
        _ => "it is neither a file nor a folder",
    }
}

fn refuse(copied: &mut Copied, entry: String, why: &str) {
    copied.refused_in_all += 1;
    if copied.refused.len() < NAMED {
        copied.refused.push(Refused { entry, why: why.to_owned() });
    }
}

fn cut(mut copied: Copied, why: String) -> Copied {
    copied.cut_short = Some(why);
    copied
}

#[cfg(test)]
mod tests;
