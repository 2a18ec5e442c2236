//! Archives of agent runs: folders, tars (plain, gzip, zstandard) and zips, each as a stream of regular files.
//!
//! Whoever made an archive is not trusted. Nothing is ever unpacked: a visitor is handed each regular file under a
//! checked relative path ([`EntryPath`]) and reads its content from the stream. Links, devices and pipes are left out;
//! paths that lead out, sizes that lie, names that occur twice and more bytes than the limits allow are refused, by
//! name. What came before a damage is used, and the damage is said.

mod content;
mod entry_path;
mod folder;
mod limits;
mod passage;
mod source;
mod spool;
mod tar_stream;
mod zip_directory;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

pub use entry_path::{EntryPath, EntryPathProblem};
pub use limits::ArchiveLimits;
pub use passage::{EntryProblem, Passage};
pub(crate) use spool::{Held, hold, is_pointer};

use crate::error::Error;
use crate::file_kind::FileKind;
use crate::input::Input;
use crate::regular_file;
use source::Source;
use tar_stream::Compression;

/// How much of a file is looked at to tell what it is.
const HEAD_BYTES: usize = 512;

/// What an archive is packed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ArchiveFormat {
    /// A folder.
    #[serde(rename = "folder")]
    Folder,
    /// A tar.
    #[serde(rename = "tar")]
    Tar,
    /// A tar, compressed with gzip.
    #[serde(rename = "tar.gz")]
    TarGz,
    /// A tar, compressed with zstandard.
    #[serde(rename = "tar.zst")]
    TarZst,
    /// A zip.
    #[serde(rename = "zip")]
    Zip,
}

impl ArchiveFormat {
    /// The name, as a file's extension spells it.
    pub fn name(self) -> &'static str {
        match self {
            ArchiveFormat::Folder => "folder",
            ArchiveFormat::Tar => "tar",
            ArchiveFormat::TarGz => "tar.gz",
            ArchiveFormat::TarZst => "tar.zst",
            ArchiveFormat::Zip => "zip",
        }
    }
}

/// Is handed the regular files of an archive.
pub trait EntryVisitor {
    /// Whether the content of this file is wanted. `size` is what the archive says, in bytes.
    fn wants(&mut self, path: &EntryPath, size: u64) -> bool;

    /// Reads the content of a file that is wanted: `size` bytes and then the end, or an error. It need not be read to
    /// its end.
    ///
    /// # Errors
    /// Those of `content`, and no others: they say that the file cannot be used.
    fn read(&mut self, path: &EntryPath, size: u64, content: &mut dyn Read) -> io::Result<()>;

    /// Whether the files beneath a folder are of interest. A packed archive asks for folders that have an entry of their
    /// own, and hands over what lies in them whatever the answer.
    fn enters(&mut self, path: &EntryPath) -> bool {
        let _ = path;
        true
    }

    /// Whether to go on after a file.
    fn goes_on(&self) -> bool {
        true
    }
}

/// An archive that is open. What it is, is told by its content and not by its name.
pub struct Archive {
    path: PathBuf,
    packed: Packed,
    limits: ArchiveLimits,
}

enum Packed {
    Folder(Dir),
    Tar(Source, Compression),
    Zip(Source),
}

impl Archive {
    /// Opens the archive at `path`.
    ///
    /// # Errors
    /// [`Error::Read`] where there is nothing to read, [`Error::Archive`] where it is no archive.
    pub fn open(path: impl AsRef<Path>, limits: ArchiveLimits) -> Result<Archive, Error> {
        let path = path.as_ref();
        let cannot = |source| Error::read(path, source);
        if path.is_dir() {
            let folder = Dir::open_ambient_dir(path, ambient_authority()).map_err(cannot)?;
            return Ok(Archive { path: path.to_owned(), packed: Packed::Folder(folder), limits });
        }
        let file = regular_file::open(path).map_err(cannot)?;
        Archive::of(path, Source::File(Arc::new(file)), limits)
    }

    /// The archive that these bytes are; `name` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Archive`] where they are none.
    pub fn from_bytes(
        name: &str,
        bytes: impl Into<Arc<[u8]>>,
        limits: ArchiveLimits,
    ) -> Result<Archive, Error> {
        Archive::of(Path::new(name), Source::Bytes(bytes.into()), limits)
    }

    fn of(path: &Path, source: Source, limits: ArchiveLimits) -> Result<Archive, Error> {
        let mut head = Vec::new();
        let read = source.reader().take(HEAD_BYTES as u64).read_to_end(&mut head);
        read.map_err(|source| Error::read(path, source))?;
        let packed = if head.starts_with(b"\x1f\x8b") {
            Packed::Tar(source, Compression::Gzip)
        } else if head.starts_with(b"\x28\xb5\x2f\xfd") {
            Packed::Tar(source, Compression::Zstandard)
        } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
            Packed::Zip(source)
        } else if tar_stream::is_header(&head) {
            Packed::Tar(source, Compression::None)
        } else {
            return Err(Error::Archive { path: path.to_owned(), message: no_archive(&head) });
        };
        Ok(Archive { path: path.to_owned(), packed, limits })
    }

    /// The path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the archive is packed as.
    pub fn format(&self) -> ArchiveFormat {
        match &self.packed {
            Packed::Folder(_) => ArchiveFormat::Folder,
            Packed::Tar(_, Compression::None) => ArchiveFormat::Tar,
            Packed::Tar(_, Compression::Gzip) => ArchiveFormat::TarGz,
            Packed::Tar(_, Compression::Zstandard) => ArchiveFormat::TarZst,
            Packed::Zip(_) => ArchiveFormat::Zip,
        }
    }

    /// The limits.
    pub fn limits(&self) -> &ArchiveLimits {
        &self.limits
    }

    /// Hands every regular file to a visitor, in the order of the archive (a folder's: by name). May be called again:
    /// each time the archive is read from its beginning.
    pub fn visit(&self, visitor: &mut dyn EntryVisitor) -> Passage {
        match &self.packed {
            Packed::Folder(folder) => folder::visit(folder, &self.limits, visitor),
            Packed::Tar(source, compression) => {
                tar_stream::visit(source, *compression, &self.limits, visitor)
            }
            Packed::Zip(source) => zip_directory::visit(source, &self.limits, visitor),
        }
    }

    /// Opens one file of a folder; `None` where the archive is packed, so that its files have to be visited.
    ///
    /// # Errors
    /// [`Error::Input`] as [`Input::open_in`].
    pub fn open_directly(&self, path: &EntryPath, limit: u64) -> Option<Result<Input, Error>> {
        match &self.packed {
            Packed::Folder(folder) => Some(Input::open_in(folder, path.as_str(), limit)),
            _ => None,
        }
    }
}

/// Hands every regular file of a tar that comes as a stream to a visitor, by the rules of [`Archive::visit`].
pub fn visit_tar_stream(
    stream: impl Read,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
) -> Passage {
    tar_stream::visit_stream(stream, limits, visitor)
}

/// What a file is that is no archive.
fn no_archive(head: &[u8]) -> String {
    let known = "an archive is a folder, a .tar, .tar.gz, .tar.zst or .zip";
    match FileKind::of(head) {
        Some(FileKind { name, advice }) => format!("this is {name}: {advice}; {known}"),
        None if head.is_empty() => format!("the file is empty; {known}"),
        None => format!("this is no archive; {known}"),
    }
}

#[cfg(test)]
mod tests;
