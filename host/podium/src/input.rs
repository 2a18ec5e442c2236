//! The files of a grading: opened through a capability, hashed and frozen.
//!
//! A submission comes from a party that is not trusted, so its path must not lead to anything but a regular file in
//! the folder it claims to lie in. Opening relies on cap-std for that: the last step is resolved beneath the parent
//! folder, whatever links lie there.
//!
//! Small files are held in memory from here on. Large ones are read from the open file; what is known of the file when
//! it is opened (size, times) is compared with what is known after the grading.
//!
//! The digest of a large file takes about as long as a fast grader does. A file that nobody has written for a while may be
//! hashed beside the grading ([`Input::open_undigested`]): whoever writes meanwhile shows in its times. Where that leaves a
//! doubt, the grading is done again, with the digest that there is by then.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use sha2::{Digest as _, Sha256};

use crate::cancellation::Cancellation;
use crate::digest::Digest;
use crate::error::Error;
#[cfg(unix)]
use crate::regular_file::without_waiting;
use crate::verdict::{Bytes, GraderFailure};

/// Files up to this size are read into memory when they are opened.
pub(crate) const HELD_BYTES: u64 = 512 << 10;

/// How much is hashed at once.
const HASHED_BYTES: usize = 256 << 10;

/// File systems stamp times with a granularity of up to two seconds (FAT); a file that was written within that time
/// before it was hashed may be written again without a new stamp.
const STAMP_GRANULARITY: Duration = Duration::from_secs(2);

/// Why a path is not a usable input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputProblem {
    /// There is no such file.
    #[error("there is no such file; check the path")]
    Missing,
    /// A web address or the like.
    #[error("this is an address, not a path; download the file first")]
    Address,
    /// The path names no file: it is empty, or ends in `..`.
    #[error("this names no file; give the path of a file")]
    NoFileName,
    /// A folder.
    #[error("this is a folder; give the path of a file in it")]
    Folder,
    /// A pipe, a socket, a device.
    #[error("this is {0}; only regular files are graded, copy the content into one first")]
    Special(&'static str),
    /// A path that leaves the folder it has to stay in, by a symbolic link or by `..`.
    #[error(
        "this leads out of its folder by a symbolic link (or `..`); links are followed within the folder only, copy \
         the file there"
    )]
    LeadsOut,
    /// A symbolic link to an absolute path, wherever that leads.
    #[error(
        "this is a symbolic link with an absolute target ({}); links are followed within the folder only and by \
         relative targets, copy the file there",
        target.display()
    )]
    AbsoluteLink {
        /// Where the link leads.
        target: PathBuf,
    },
    /// Symbolic links that lead in a circle, or one after the other without end.
    #[error(
        "this is a symbolic link that leads back to itself or through too many others; put the file itself there"
    )]
    LinkLoop,
    /// More bytes than allowed.
    #[error("{} is more than the limit of {}; raise the limit of input bytes if the file is right", Bytes(*.size), Bytes(*.limit))]
    TooLarge {
        /// The size of the file in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The size or the times of the file changed while it was hashed.
    #[error("the file was changed while it was read; try again once nothing writes to it")]
    Changed,
    /// The operating system refused.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
}

/// A file as graders get it: opened, hashed and frozen. Cloning is cheap and shares the open file.
#[derive(Clone)]
pub struct Input(Arc<Frozen>);

struct Frozen {
    name: String,
    size: u64,
    contents: Arc<Contents>,
}

enum Contents {
    Held { bytes: Vec<u8>, sha256: Digest },
    Open(OpenFile),
}

/// A file that is read as it is asked for.
struct OpenFile {
    file: File,
    /// What was known of the file when it was opened.
    stamp: Stamp,
    opened_at: SystemTime,
    sha256: OnceLock<Digest>,
    /// Held by the thread that takes the digest.
    digesting: Mutex<()>,
}

/// Why there is no digest.
enum NoDigest {
    /// The size or the times are others than when the file was opened.
    Changed,
    Unreadable(io::Error),
    Cancelled,
}

/// What is known of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds of the last change of content or status, which a program cannot set back.
    #[cfg(unix)]
    changed: (i64, i64),
}

impl Input {
    /// Opens, hashes and freezes a file of at most `limit` bytes.
    ///
    /// The folder of the path is trusted, its last step is not: it has to be a regular file, or a link to one that does
    /// not leave the folder.
    ///
    /// # Errors
    /// [`Error::Input`] with the [`InputProblem`]. Never blocks on a pipe or a device.
    pub fn open(path: impl AsRef<Path>, limit: u64) -> Result<Input, Error> {
        let path = path.as_ref();
        open_ambient(path, limit).map_err(|problem| Error::Input { path: path.to_owned(), problem })
    }

    /// Opens, hashes and freezes a file of at most `limit` bytes beneath `folder`. No step of `path` is trusted: `..`
    /// and links are followed only as long as they stay beneath the folder.
    ///
    /// # Errors
    /// [`Error::Input`] with the [`InputProblem`]. Never blocks on a pipe or a device.
    pub fn open_in(folder: &Dir, path: impl AsRef<Path>, limit: u64) -> Result<Input, Error> {
        let path = path.as_ref();
        open_beneath(folder, path, limit)
            .map_err(|problem| Error::Input { path: path.to_owned(), problem })
    }

    /// As [`Input::open`], but leaves the digest of a large file to whoever needs it, where a change of the file meanwhile
    /// would be noticed. [`Input::digest`] takes it.
    pub(crate) fn open_undigested(path: impl AsRef<Path>, limit: u64) -> Result<Input, Error> {
        let path = path.as_ref();
        let opened =
            open_ambient_undigested(path, limit).and_then(|input| match input.can_wait() {
                true => Ok(input),
                false => digested(input),
            });
        opened.map_err(|problem| Error::Input { path: path.to_owned(), problem })
    }

    /// A file that exists in memory only.
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Input {
        let bytes = bytes.into();
        Input(Arc::new(Frozen {
            name: name.into(),
            size: bytes.len() as u64,
            contents: Arc::new(Contents::Held { sha256: Digest::of(&bytes), bytes }),
        }))
    }

    /// A file that is open already and that nobody else can reach or name: what was put aside while an archive was read.
    pub(crate) fn from_open_file(
        name: impl Into<String>,
        file: File,
    ) -> Result<Input, InputProblem> {
        let size = file.metadata().map_err(InputProblem::Unreadable)?.len();
        digested(freeze_undigested(name.into(), file, size)?)
    }

    /// The same file under another name: what a grader sees of it is the name that it had when a receipt was made, or
    /// the one that a competition gives it, wherever the file lies.
    #[must_use]
    pub fn renamed(&self, name: impl Into<String>) -> Input {
        Input(Arc::new(Frozen {
            name: name.into(),
            size: self.0.size,
            contents: Arc::clone(&self.0.contents),
        }))
    }

    /// The name of the file without any folder, as the grader gets to know it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// The digest of the content.
    pub fn sha256(&self) -> &Digest {
        /// Stands where a file could not be read: the digest of nothing that anybody knows.
        const UNKNOWN: Digest = Digest::from_bytes([0; 32]);
        match &*self.0.contents {
            Contents::Held { sha256, .. } => sha256,
            // Whoever leaves the digest for later takes it before anything is claimed. So a failure here is one that was
            // there before and has become the verdict.
            Contents::Open(open) => {
                let _ = open.digest(self.0.size, &Cancellation::new());
                open.sha256.get().unwrap_or(&UNKNOWN)
            }
        }
    }

    /// Whether the digest was taken.
    pub(crate) fn is_digested(&self) -> bool {
        match &*self.0.contents {
            Contents::Held { .. } => true,
            Contents::Open(open) => open.sha256.get().is_some(),
        }
    }

    /// Takes the digest, unless that was done; waits for a thread that is at it.
    pub(crate) fn digest(&self, cancellation: &Cancellation) -> Result<(), GraderFailure> {
        let Contents::Open(open) = &*self.0.contents else { return Ok(()) };
        open.digest(self.0.size, cancellation).map_err(|problem| match problem {
            NoDigest::Changed => self.changed(),
            NoDigest::Unreadable(error) => self.unreadable(&error),
            NoDigest::Cancelled => GraderFailure::Cancelled,
        })
    }

    /// Whether nothing was written since the file was opened, as far as its size and times tell.
    pub(crate) fn is_as_opened(&self) -> bool {
        match &*self.0.contents {
            Contents::Held { .. } => true,
            Contents::Open(open) => {
                open.tells_changes() && Stamp::of(&open.file).is_ok_and(|now| now == open.stamp)
            }
        }
    }

    /// Whether the digest may be taken later without a change meanwhile going unnoticed.
    fn can_wait(&self) -> bool {
        match &*self.0.contents {
            Contents::Held { .. } => false,
            Contents::Open(open) => open.tells_changes(),
        }
    }

    /// The first bytes, `length` of them or as many as there are; nothing where they cannot be read any more.
    pub(crate) fn head(&self, length: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self.read(0, self.available(0, length), &mut bytes) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }

    /// How many of `length` bytes from `offset` on there are.
    pub(crate) fn available(&self, offset: u64, length: u32) -> usize {
        // Not more than `length`, so it fits.
        self.0.size.saturating_sub(offset).min(u64::from(length)) as usize
    }

    /// Puts the bytes from `offset` on, `length` of them, which must be [`Input::available`], in the place of what the
    /// buffer holds.
    pub(crate) fn read(
        &self,
        offset: u64,
        length: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<(), GraderFailure> {
        match &*self.0.contents {
            _ if length == 0 => buffer.clear(),
            Contents::Held { bytes, .. } => {
                // What is held has its offsets in a usize.
                let start = offset as usize;
                buffer.clear();
                buffer.extend_from_slice(&bytes[start..start + length]);
            }
            Contents::Open(open) => {
                buffer.resize(length, 0);
                read_exact_at(&open.file, buffer, offset).map_err(|error| match error.kind() {
                    io::ErrorKind::UnexpectedEof => self.changed(),
                    _ => self.unreadable(&error),
                })?;
            }
        }
        Ok(())
    }

    /// Whether the content is still what was hashed. Reads the file again only where its times leave that open.
    pub(crate) fn verify_unchanged(&self) -> Result<(), GraderFailure> {
        let Contents::Open(open) = &*self.0.contents else { return Ok(()) };
        let OpenFile { file, stamp, .. } = open;
        let now = Stamp::of(file).map_err(|error| self.unreadable(&error))?;
        if now.size != stamp.size || now.modified != stamp.modified {
            return Err(self.changed());
        }
        if now == *stamp && open.tells_changes() {
            return Ok(());
        }
        let hashed = open.hash(u64::MAX, &Cancellation::new());
        match hashed.map_err(|error| self.unreadable(&error))? {
            Some((size, sha256)) if size == self.0.size && sha256 == *self.sha256() => Ok(()),
            _ => Err(self.changed()),
        }
    }

    fn changed(&self) -> GraderFailure {
        GraderFailure::InputChanged { name: self.0.name.clone() }
    }

    fn unreadable(&self, error: &io::Error) -> GraderFailure {
        GraderFailure::InputUnreadable { name: self.0.name.clone(), reason: error.to_string() }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Input")
            .field("name", &self.0.name)
            .field("size", &self.0.size)
            .field("is_digested", &self.is_digested())
            .finish_non_exhaustive()
    }
}

impl OpenFile {
    /// Whether the file had not been written for so long when it was opened that any later write shows in its stamp.
    fn tells_changes(&self) -> bool {
        self.stamp.is_older_than(self.opened_at)
    }

    /// Takes the digest, unless that was done. A failure is not kept.
    fn digest(&self, size: u64, cancellation: &Cancellation) -> Result<(), NoDigest> {
        let _turn = self.digesting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.sha256.get().is_some() {
            return Ok(());
        }
        // One byte more than there should be shows growth.
        let hashed = self.hash(size + 1, cancellation).map_err(NoDigest::Unreadable)?;
        let (read, sha256) = hashed.ok_or(NoDigest::Cancelled)?;
        let now = Stamp::of(&self.file).map_err(NoDigest::Unreadable)?;
        if read != size || now.size != self.stamp.size || now.modified != self.stamp.modified {
            return Err(NoDigest::Changed);
        }
        // Nobody else is here.
        let _ = self.sha256.set(sha256);
        Ok(())
    }

    /// Size and digest of at most `limit` bytes; nothing when cancelled.
    fn hash(&self, limit: u64, cancellation: &Cancellation) -> io::Result<Option<(u64, Digest)>> {
        hash(&mut ReadFrom { file: &self.file, offset: 0 }, limit, cancellation)
    }
}

impl Stamp {
    fn of(file: &File) -> io::Result<Stamp> {
        let metadata = file.metadata()?;
        Ok(Stamp {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            changed: {
                use std::os::unix::fs::MetadataExt;
                (metadata.ctime(), metadata.ctime_nsec())
            },
        })
    }

    /// Whether the file had not been written for so long at that time that a later write must show in its stamp.
    fn is_older_than(&self, time: SystemTime) -> bool {
        self.modified.is_some_and(|modified| {
            time.duration_since(modified).is_ok_and(|age| age > STAMP_GRANULARITY)
        })
    }
}

fn open_ambient(path: &Path, limit: u64) -> Result<Input, InputProblem> {
    digested(open_ambient_undigested(path, limit)?)
}

fn open_ambient_undigested(path: &Path, limit: u64) -> Result<Input, InputProblem> {
    if is_address(path) {
        return Err(InputProblem::Address);
    }
    let Some(name) = path.file_name() else {
        return Err(if path.is_dir() { InputProblem::Folder } else { InputProblem::NoFileName });
    };
    let folder = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Err(InputProblem::NoFileName),
    };
    let folder = Dir::open_ambient_dir(folder, ambient_authority()).map_err(classify)?;
    open_beneath_undigested(&folder, Path::new(name), limit)
}

fn open_beneath(folder: &Dir, path: &Path, limit: u64) -> Result<Input, InputProblem> {
    digested(open_beneath_undigested(folder, path, limit)?)
}

/// The input with its digest.
fn digested(input: Input) -> Result<Input, InputProblem> {
    if let Contents::Open(open) = &*input.0.contents {
        open.digest(input.0.size, &Cancellation::new()).map_err(|problem| match problem {
            NoDigest::Unreadable(error) => InputProblem::Unreadable(error),
            NoDigest::Changed | NoDigest::Cancelled => InputProblem::Changed,
        })?;
        if Stamp::of(&open.file).map_err(InputProblem::Unreadable)? != open.stamp {
            return Err(InputProblem::Changed);
        }
    }
    Ok(input)
}

fn open_beneath_undigested(folder: &Dir, path: &Path, limit: u64) -> Result<Input, InputProblem> {
    let name = path.file_name().ok_or(InputProblem::NoFileName)?.to_string_lossy().into_owned();
    let (file, size) = open_regular(folder, path).map_err(|problem| match problem {
        InputProblem::LeadsOut => absolute_target(folder, path)
            .map_or(InputProblem::LeadsOut, |target| InputProblem::AbsoluteLink { target }),
        other => other,
    })?;
    if size > limit {
        return Err(InputProblem::TooLarge { size, limit });
    }
    freeze_undigested(name, file, size)
}

/// Opens a regular file beneath a folder, without waiting for anything; gives its size as well.
pub(crate) fn open_regular(folder: &Dir, path: &Path) -> Result<(File, u64), InputProblem> {
    // Before opening, because opening some devices does something; after it, because a path may have changed hands.
    refuse_special(folder.metadata(path).map_err(classify)?.file_type())?;
    let file = folder.open_with(path, &options()).map_err(classify)?.into_std();
    let metadata = file.metadata().map_err(classify)?;
    if !metadata.is_file() {
        return Err(InputProblem::Special("not a regular file"));
    }
    Ok((file, metadata.len()))
}

/// The absolute path that a link beneath the folder leads to, be it through further links.
fn absolute_target(folder: &Dir, path: &Path) -> Option<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let target = folder.read_link_contents(&path).ok()?;
        if target.is_absolute() {
            return Some(target);
        }
        path = path.parent()?.join(target);
    }
    None
}

fn freeze_undigested(name: String, file: File, size: u64) -> Result<Input, InputProblem> {
    let opened_at = SystemTime::now();
    let stamp = Stamp::of(&file).map_err(InputProblem::Unreadable)?;
    let contents = if size <= HELD_BYTES {
        let mut bytes = Vec::with_capacity(size as usize);
        // One byte more than there should be shows growth.
        (&file).take(size + 1).read_to_end(&mut bytes).map_err(InputProblem::Unreadable)?;
        if bytes.len() as u64 != size {
            return Err(InputProblem::Changed);
        }
        Contents::Held { sha256: Digest::of(&bytes), bytes }
    } else {
        let (sha256, digesting) = (OnceLock::new(), Mutex::new(()));
        Contents::Open(OpenFile { file, stamp, opened_at, sha256, digesting })
    };
    Ok(Input(Arc::new(Frozen { name, size, contents: Arc::new(contents) })))
}

/// Size and digest of what a reader gives, up to `limit` bytes; nothing when cancelled.
fn hash(
    reader: &mut impl Read,
    limit: u64,
    cancellation: &Cancellation,
) -> io::Result<Option<(u64, Digest)>> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; HASHED_BYTES];
    let mut reader = reader.take(limit);
    let mut size = 0;
    while !cancellation.is_cancelled() {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(Some((size, Digest::from(<[u8; 32]>::from(hasher.finalize()))))),
            Ok(read) => {
                hasher.update(&buffer[..read]);
                size += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Reads a file by its own offset, whatever the file's is: clones share it.
struct ReadFrom<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for ReadFrom<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::os::unix::fs::FileExt;
    FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::os::windows::fs::FileExt;
    FileExt::seek_read(file, buffer, offset)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        // A pipe that takes the file's place after it was looked at must not make the host wait for a writer.
        options.custom_flags(without_waiting());
    }
    options
}

/// What the path leads to has to be a regular file.
fn refuse_special(file_type: cap_std::fs::FileType) -> Result<(), InputProblem> {
    if file_type.is_file() {
        return Ok(());
    }
    if file_type.is_dir() {
        return Err(InputProblem::Folder);
    }
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt;
        for (is, what) in [
            (file_type.is_fifo(), "a pipe"),
            (file_type.is_socket(), "a socket"),
            (file_type.is_char_device() || file_type.is_block_device(), "a device"),
        ] {
            if is {
                return Err(InputProblem::Special(what));
            }
        }
    }
    Err(InputProblem::Special("not a regular file"))
}

/// Turns what the operating system or cap-std says into what a person wants to know.
fn classify(error: io::Error) -> InputProblem {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => InputProblem::Missing,
        io::ErrorKind::IsADirectory => InputProblem::Folder,
        // cap-std makes this error itself when a path leads out of its folder; the operating system's own refusals
        // carry a code.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => InputProblem::LeadsOut,
        #[cfg(unix)]
        _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            InputProblem::LinkLoop
        }
        _ => InputProblem::Unreadable(error),
    }
}

/// Whether a path begins like `https://`.
fn is_address(path: &Path) -> bool {
    path.to_str().and_then(|text| text.split_once("://")).is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    })
}

#[cfg(test)]
mod tests;
