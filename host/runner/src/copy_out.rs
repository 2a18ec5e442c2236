//! Copies what an agent left behind out of a tar stream: files and folders as data, nothing else.
//!
//! What an archive may hold is decided by the library's reader of archives ([`podium::visit_tar_stream`]), so that whatever is
//! copied out can be packed and regraded as well: links, devices, pipes, files with holes, absolute paths, `..` and names that
//! steer terminals are refused by name. Here whatever lies in another folder is refused as well, sizes and counts are limited
//! by what is really read, and what is written goes through a capability of the run's folder.

use std::io::{self, Read, Write};

use cap_std::fs::{Dir, OpenOptions};
use podium::{ArchiveLimits, EntryPath, EntryVisitor};
use serde::{Deserialize, Serialize};

/// How many refused entries are named; more are counted.
const NAMED: usize = 100;

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
    mut archive: impl Read,
    run_folder: &Dir,
    name: &str,
    limits: Limits,
) -> io::Result<Copied> {
    match run_folder.remove_dir_all(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => run_folder.create_dir(name)?,
    }
    let mut first = Vec::new();
    if let Ok(0) = archive.by_ref().take(1).read_to_end(&mut first) {
        // There is no such folder, and nothing to copy.
        return Ok(Copied::default());
    }
    let folder = EntryPath::parse(name.as_bytes()).map_err(io::Error::other)?;
    let mut copying = Copying {
        run_folder,
        folder,
        bytes_limit: limits.bytes,
        copied: Copied::default(),
        failure: None,
    };
    // The bytes are counted here: those of headers are nobody's.
    let of_archive = ArchiveLimits {
        entries: limits.entries,
        unpacked_bytes: u64::MAX,
        ..ArchiveLimits::default()
    };
    let stream = first.as_slice().chain(archive);
    let passage = podium::visit_tar_stream(stream, &of_archive, &mut copying);
    if let Some(failure) = copying.failure {
        return Err(failure);
    }
    let mut copied = copying.copied;
    copied.refused_in_all += passage.refused_in_all + passage.left_out_in_all;
    let refused = passage.refused.into_iter().chain(passage.left_out);
    copied
        .refused
        .extend(refused.map(|problem| Refused { entry: problem.entry, why: problem.reason }));
    copied.refused.truncate(NAMED);
    copied.cut_short = copied.cut_short.or(passage.broken);
    Ok(copied)
}

/// Writes the files that it is handed.
struct Copying<'a> {
    run_folder: &'a Dir,
    folder: EntryPath,
    bytes_limit: u64,
    copied: Copied,
    /// What the host could not write, which is no fault of the archive.
    failure: Option<io::Error>,
}

impl Copying<'_> {
    fn is_of_folder(&mut self, path: &EntryPath) -> bool {
        let is_within = *path == self.folder || path.is_beneath(&self.folder);
        if !is_within {
            self.refuse(path, "it lies in another folder");
        }
        is_within
    }

    fn refuse(&mut self, path: &EntryPath, why: &str) {
        self.copied.refused_in_all += 1;
        if self.copied.refused.len() < NAMED {
            let entry = path.as_str().to_owned();
            self.copied.refused.push(Refused { entry, why: why.to_owned() });
        }
    }

    /// A file beyond the limit ends the copying: an archive is a stream, in which even what is passed over has to be read.
    fn refuse_as_too_large(&mut self, path: &EntryPath) {
        self.refuse(path, "it goes beyond the limit of the folder");
        self.copied.cut_short = Some(format!("there are more than {} bytes", self.bytes_limit));
    }

    /// Writes a file; `Ok` with an error in it is one of the content.
    fn write(&mut self, path: &EntryPath, content: &mut dyn Read) -> io::Result<io::Result<()>> {
        if let Some(parent) = path.parent() {
            self.run_folder.create_dir_all(parent.as_str())?;
        }
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true);
        let mut file = match self.run_folder.open_with(path.as_str(), options) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.refuse(path, "the archive holds it more than once");
                return Ok(Ok(()));
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                self.refuse(path, "its name is too long");
                return Ok(Ok(()));
            }
            Err(error) => return Err(error),
        };
        let streamed = stream(content, &mut file, self.bytes_limit - self.copied.bytes)?;
        let Streamed::All(bytes) = streamed else {
            self.run_folder.remove_file(path.as_str())?;
            return match streamed {
                Streamed::Broken(error) => Ok(Err(error)),
                _ => {
                    self.refuse_as_too_large(path);
                    Ok(Ok(()))
                }
            };
        };
        self.copied.files += 1;
        self.copied.bytes += bytes;
        Ok(Ok(()))
    }
}

impl EntryVisitor for Copying<'_> {
    fn wants(&mut self, path: &EntryPath, size: u64) -> bool {
        if !self.is_of_folder(path) {
            return false;
        }
        let fits = size <= self.bytes_limit - self.copied.bytes;
        if !fits {
            self.refuse_as_too_large(path);
        }
        fits
    }

    fn read(&mut self, path: &EntryPath, _size: u64, content: &mut dyn Read) -> io::Result<()> {
        match self.write(path, content) {
            Ok(done) => done,
            Err(error) => {
                self.failure = Some(error);
                Ok(())
            }
        }
    }

    fn enters(&mut self, path: &EntryPath) -> bool {
        if self.is_of_folder(path)
            && let Err(error) = self.run_folder.create_dir_all(path.as_str())
            // A file of this name is refused by whoever reads the archive.
            && !matches!(
                error.kind(),
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory
            )
        {
            self.failure = Some(error);
        }
        true
    }

    fn goes_on(&self) -> bool {
        self.failure.is_none() && self.copied.cut_short.is_none()
    }
}

enum Streamed {
    All(u64),
    TooMuch,
    Broken(io::Error),
}

fn stream(content: &mut dyn Read, file: &mut impl Write, most: u64) -> io::Result<Streamed> {
    let mut buffer = vec![0; 1 << 16];
    let mut total = 0;
    loop {
        let read = match content.read(&mut buffer) {
            Ok(0) => return Ok(Streamed::All(total)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Ok(Streamed::Broken(error)),
        };
        total += read as u64;
        if total > most {
            return Ok(Streamed::TooMuch);
        }
        file.write_all(&buffer[..read])?;
    }
}

#[cfg(test)]
mod tests;
