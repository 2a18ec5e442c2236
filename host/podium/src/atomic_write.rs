//! Files that are there whole or not at all: written beside their place, synced, then moved into it.
//!
//! A process that is killed while it writes leaves the file beside the place behind. While it lives it holds a lock on
//! that file, so that whoever comes next can tell what was left behind from what is being written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::Error;
use crate::regular_file;

/// What the names of files that are being written begin and end with.
const BEING_WRITTEN: (&str, &str) = (".podium-", ".partial");

/// Whether a file is one that is being written, or was left behind so, by its name.
pub(crate) fn is_being_written(name: &str) -> bool {
    let (begin, end) = BEING_WRITTEN;
    name.starts_with(begin) && name.ends_with(end)
}

/// Removes what processes that were killed left half-written in a folder. What others are writing at the moment stays,
/// and so does all of which that is not known: on some file systems there are no locks.
pub fn remove_left_behind(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if is_being_written(&entry.file_name().to_string_lossy())
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = regular_file::open(&entry.path())
            && file.try_lock().is_ok()
        {
            // It may be in its place by now, or removed by somebody else: either is fine.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes a file that must not exist yet.
///
/// # Errors
/// [`Error::Write`]; with [`io::ErrorKind::AlreadyExists`] where something lies at `path` already.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = beside(path, bytes).map_err(|source| Error::write(path, source))?;
    written.persist_noclobber(path).map_err(|failed| Error::write(path, failed.error))?;
    sync_folder(path);
    Ok(())
}

/// As [`write_over`], but leaves it to the system when the content reaches the disk: for files that are many, can be
/// checked and can be made again. After a power failure the file may be empty; a process that dies does no harm.
pub(crate) fn write_over_unsynced(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = beside_unsynced(path, bytes).map_err(|source| Error::write(path, source))?;
    written.persist(path).map_err(|failed| Error::write(path, failed.error))?;
    Ok(())
}

/// Writes a file, in the place of what may lie there.
///
/// # Errors
/// [`Error::Write`]; what lay there is untouched then. So it is where it is no file of its own: a device, a pipe and a link
/// are not replaced.
pub fn write_over(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    may_be_replaced(path).map_err(|source| Error::write(path, source))?;
    let written = beside(path, bytes).map_err(|source| Error::write(path, source))?;
    written.persist(path).map_err(|failed| Error::write(path, failed.error))?;
    sync_folder(path);
    Ok(())
}

/// As [`write_over`], and nobody may write to the file from then on; it can still be replaced and removed.
///
/// # Errors
/// As [`write_over`].
pub(crate) fn write_read_only(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = beside(path, bytes).map_err(|source| Error::write(path, source))?;
    let closed = written.as_file().metadata().and_then(|metadata| {
        let mut permissions = metadata.permissions();
        permissions.set_readonly(true);
        written.as_file().set_permissions(permissions)
    });
    closed.map_err(|source| Error::write(path, source))?;
    written.persist(path).map_err(|failed| Error::write(path, failed.error))?;
    sync_folder(path);
    Ok(())
}

/// Writes a new file under the first name that is free: `name(1)`, `name(2)` … in `folder`, which is made if it is
/// missing. Safe beside others that do the same.
///
/// # Errors
/// [`Error::Write`].
pub fn write_under_free_name(
    folder: &Path,
    name: impl Fn(u32) -> String,
    bytes: &[u8],
) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(folder).map_err(|source| Error::write(folder, source))?;
    let first = folder.join(name(1));
    let mut written = beside(&first, bytes).map_err(|source| Error::write(&first, source))?;
    for attempt in 1..=u32::MAX {
        let path = folder.join(name(attempt));
        match written.persist_noclobber(&path) {
            Ok(_) => {
                sync_folder(&path);
                return Ok(path);
            }
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => {
                written = taken.file
            }
            Err(failed) => return Err(Error::write(&path, failed.error)),
        }
    }
    Err(Error::write(&first, io::Error::from(io::ErrorKind::AlreadyExists)))
}

/// Whether nothing is lost that is more than a file when another takes this place.
fn may_be_replaced(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => {
            let kind = if there.is_dir() {
                "a folder"
            } else if there.is_symlink() {
                "a link"
            } else {
                "a device, a pipe or a socket"
            };
            Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{kind} lies there, and only files are written over; name another path"),
            ))
        }
        // Writing says what else is wrong.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn beside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let file = beside_unsynced(path, bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn beside_unsynced(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let (begin, end) = BEING_WRITTEN;
    let mut builder = Builder::new();
    builder.prefix(begin).suffix(end);
    loop {
        // Opened here and not by the builder, whose files are private and whose errors name the temporary file.
        let mut file = builder.make_in(folder_of(path), |path| {
            OpenOptions::new().read(true).write(true).create_new(true).open(path)
        })?;
        if is_held(file.as_file())? {
            file.as_file_mut().write_all(bytes)?;
            return Ok(file);
        }
    }
}

/// Takes the lock that says that a file is being written. False where somebody took the new file for one that was left
/// behind; a file system without locks is good enough.
fn is_held(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(false),
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(file.metadata()?.nlink() > 0)
    }
    #[cfg(not(unix))]
    Ok(true)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the new name durable. Not every file system can do that for a folder, and the file is whole without it.
fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_never_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        write_new(&path, b"first").unwrap();
        let Error::Write { source, .. } = write_new(&path, b"second").unwrap_err() else {
            panic!()
        };
        assert_eq!(source.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        write_over(&path, b"third").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"third");
        write_over_unsynced(&path, b"fourth").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"fourth");
        assert_eq!(names(folder.path()), ["report.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_files_are_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("input.csv"), "kept").unwrap();
        std::os::unix::fs::symlink("input.csv", path("link")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        for (name, said) in [("link", "a link"), ("folder", "a folder"), ("socket", "a socket")] {
            let error = write_over(&path(name), b"new").unwrap_err();
            assert!(
                matches!(&error, Error::Write { source, .. } if source.to_string().contains(said))
            );
            assert!(!std::fs::symlink_metadata(path(name)).unwrap().is_file(), "{name}");
        }
        assert_eq!(std::fs::read(path("input.csv")).unwrap(), b"kept");
        assert_eq!(names(folder.path()), ["folder", "input.csv", "link", "socket"]);
    }

    #[test]
    fn free_names_are_found_and_the_folder_is_made() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("deep/inside");
        let name = |attempt| format!("report-{attempt}.json");
        for content in ["a", "b", "c"] {
            write_under_free_name(&folder, name, content.as_bytes()).unwrap();
        }
        assert_eq!(names(&folder), ["report-1.json", "report-2.json", "report-3.json"]);
        assert_eq!(std::fs::read(folder.join("report-2.json")).unwrap(), b"b");
    }

    #[test]
    fn many_writers_at_once_each_get_their_own_name() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..16 {
                let folder = folder.path();
                scope.spawn(move || {
                    let name = |attempt| format!("{attempt}.json");
                    write_under_free_name(folder, name, format!("{writer}").as_bytes()).unwrap();
                });
            }
        });
        let mut contents: Vec<u32> = (1..=16)
            .map(|number| folder.path().join(format!("{number}.json")))
            .map(|path| std::fs::read_to_string(path).unwrap().parse().unwrap())
            .collect();
        contents.sort_unstable();
        assert_eq!(contents, (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_left_behind_where_writing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/report.json");
        let message = write_new(&path, b"x").unwrap_err().to_string();
        assert!(message.contains("missing/report.json: cannot be written"), "{message}");
        assert!(!message.contains("partial"), "{message}");
        let taken = folder.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        assert!(matches!(write_over(&taken, b"x"), Err(Error::Write { .. })));
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_the_umask_lets_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain");
        std::fs::write(&plain, b"x").unwrap();
        let ours = folder.path().join("ours");
        write_new(&ours, b"x").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn what_was_left_behind_is_removed_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let writing = beside(&path, b"half").unwrap();
        let left_behind = folder.path().join(".podium-xyz.partial");
        std::fs::write(&left_behind, b"ha").unwrap();
        std::fs::write(folder.path().join("other.partial"), b"x").unwrap();
        std::fs::create_dir(folder.path().join(".podium-folder.partial")).unwrap();
        remove_left_behind(folder.path());
        remove_left_behind(&folder.path().join("missing"));
        assert!(!left_behind.exists());
        writing.persist(&path).unwrap();
        assert_eq!(
            names(folder.path()),
            [".podium-folder.partial", "other.partial", "report.json"]
        );
        remove_left_behind(folder.path());
        assert_eq!(std::fs::read(&path).unwrap(), b"half");
    }

    #[test]
    fn writers_and_removers_do_not_harm_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                scope.spawn(move || {
                    for number in 0..50 {
                        write_over_unsynced(&folder.join(format!("{writer}-{number}")), b"whole")
                            .unwrap();
                    }
                });
                scope.spawn(move || {
                    for _ in 0..200 {
                        remove_left_behind(folder);
                    }
                });
            }
        });
        assert_eq!(names(folder).len(), 200);
    }
}
