//! The folder of a report: all of its files are there, or none of them.
//!
//! They are written into a folder of their own beside the place. A new report is there once that folder has its name; the
//! files of one that takes the place of another are moved one after the other. While a process lives it holds a lock on its
//! folder, so that what a killed one left behind is told from what is being written: it is removed, and whoever runs the
//! same command again finds the place as it was.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use podium::write_new;

use crate::error::Error;
use crate::study_files::StudyFile;

/// What the names of folders that are being written begin and end with.
const BEING_WRITTEN: (&str, &str) = (".podium-report-", ".partial");

/// Writes the files of a report into a folder: a new one, an empty one, or, where they may replace others, any. Folders that
/// are missing are made.
///
/// # Errors
/// [`podium::Error::Write`]; where something is in the folder that may not be replaced, nothing is written.
pub fn write_files(
    files: &[StudyFile],
    folder: &Path,
    replace: bool,
) -> Result<Vec<PathBuf>, Error> {
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file.name)).collect();
    match fs::read_dir(folder) {
        Ok(entries) => {
            let (left_behind, others) =
                sorted_out(entries).map_err(|source| failed(folder, source))?;
            // What a killed process may replace, whoever goes on may replace as well.
            if !(replace || others.is_empty() || !left_behind.is_empty()) {
                return Err(taken(folder, "it is not empty"));
            }
            if let Some(path) = paths.iter().find(|path| is_no_file(path)) {
                return Err(taken(path, "it is no file"));
            }
            write_into(files, folder, &paths)?;
            left_behind.iter().for_each(LeftBehind::remove);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if folder.symlink_metadata().is_ok() {
                return Err(taken(folder, "it is a link that leads nowhere"));
            }
            write_anew(files, folder)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let message =
                "a file is where a folder has to be, and nothing was written: name another folder";
            return Err(failed(folder, io::Error::new(io::ErrorKind::AlreadyExists, message)));
        }
        Err(source) => return Err(failed(folder, source)),
    }
    Ok(paths)
}

/// Writes a folder that is not there yet.
fn write_anew(files: &[StudyFile], folder: &Path) -> Result<(), Error> {
    let above = match folder.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    fs::create_dir_all(above).map_err(|source| failed(above, source))?;
    let entries = fs::read_dir(above).map_err(|source| failed(above, source))?;
    let (left_behind, _) = sorted_out(entries).map_err(|source| failed(above, source))?;
    left_behind.iter().for_each(LeftBehind::remove);
    let mut unfinished = Unfinished::make_in(above).map_err(|source| failed(folder, source))?;
    unfinished.write(files, folder)?;
    fs::rename(&unfinished.path, folder).map_err(|source| match source.kind() {
        // Somebody else was faster.
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
            taken(folder, "it is not empty any more")
        }
        io::ErrorKind::NotADirectory => taken(folder, "a file is there now"),
        _ => failed(folder, source),
    })?;
    unfinished.is_moved = true;
    sync(above);
    Ok(())
}

/// Writes into a folder that is there.
fn write_into(files: &[StudyFile], folder: &Path, paths: &[PathBuf]) -> Result<(), Error> {
    let unfinished = Unfinished::make_in(folder).map_err(|source| failed(folder, source))?;
    unfinished.write(files, folder)?;
    for (file, path) in files.iter().zip(paths) {
        let from = unfinished.path.join(file.name);
        fs::rename(from, path).map_err(|source| failed(path, source))?;
    }
    sync(folder);
    Ok(())
}

/// A folder that is being written; removed with whatever is in it, unless it was moved.
struct Unfinished {
    path: PathBuf,
    is_moved: bool,
    /// Held for its lock. Where a folder cannot be opened or locked, nobody takes it for one that was left behind.
    _lock: Option<File>,
}

impl Unfinished {
    fn make_in(folder: &Path) -> io::Result<Unfinished> {
        let (begin, end) = BEING_WRITTEN;
        let process = std::process::id();
        for number in 0..u32::MAX {
            let path = folder.join(format!("{begin}{process}-{number}{end}"));
            match fs::create_dir(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            // Somebody may take the new folder for one that was left behind, until it is locked.
            let lock = match File::open(&path) {
                Ok(folder) => match folder.try_lock() {
                    Ok(()) if is_still_there(&folder, &path) => Some(folder),
                    Ok(()) | Err(TryLockError::WouldBlock) => continue,
                    Err(TryLockError::Error(_)) => None,
                },
                Err(_) if path.is_dir() => None,
                Err(_) => continue,
            };
            return Ok(Unfinished { path, is_moved: false, _lock: lock });
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    /// Writes all files; what goes wrong is said of the place that they are for.
    fn write(&self, files: &[StudyFile], folder: &Path) -> Result<(), Error> {
        for file in files {
            write_new(&self.path.join(file.name), &file.bytes).map_err(|error| match error {
                podium::Error::Write { source, .. } => failed(&folder.join(file.name), source),
                other => other.into(),
            })?;
        }
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_moved {
            remove(&self.path);
        }
    }
}

/// Whether a folder that was opened is still the one of that name.
fn is_still_there(folder: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |there: fs::Metadata| (there.dev(), there.ino());
        let (ours, there) = (folder.metadata().map(identity), path.metadata().map(identity));
        ours.ok().zip(there.ok()).is_some_and(|(ours, there)| ours == there)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        path.is_dir()
    }
}

/// A folder that a killed process left behind; nobody else takes it for one as long as this lives.
struct LeftBehind {
    path: PathBuf,
    _lock: File,
}

impl LeftBehind {
    /// The folder of this path, if it is one.
    fn at(path: &Path) -> Option<LeftBehind> {
        let (begin, end) = BEING_WRITTEN;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_named = name.starts_with(begin) && name.ends_with(end);
        if !is_named || !path.symlink_metadata().is_ok_and(|there| there.is_dir()) {
            return None;
        }
        let folder = File::open(path).ok()?;
        folder.try_lock().ok()?;
        is_still_there(&folder, path).then(|| LeftBehind { path: path.to_owned(), _lock: folder })
    }

    fn remove(&self) {
        remove(&self.path);
    }
}

/// The folders among these entries that killed processes left behind, and all other entries.
fn sorted_out(entries: fs::ReadDir) -> io::Result<(Vec<LeftBehind>, Vec<PathBuf>)> {
    let (mut left_behind, mut others) = (Vec::new(), Vec::new());
    for entry in entries {
        let path = entry?.path();
        match LeftBehind::at(&path) {
            Some(left) => left_behind.push(left),
            None => others.push(path),
        }
    }
    Ok((left_behind, others))
}

/// Removes a folder that was being written. What cannot be removed harms nobody.
fn remove(path: &Path) {
    let _ = fs::remove_dir_all(path);
}

fn is_no_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| !there.is_file())
}

/// Makes new names durable. Not every file system can do that for a folder, and the files are whole without it.
fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn failed(path: &Path, source: io::Error) -> Error {
    podium::Error::Write { path: path.to_owned(), source }.into()
}

fn taken(path: &Path, why: &str) -> Error {
    let message = format!(
        "{why}, and nothing was written: name another folder, or replace a report that is there with --force"
    );
    failed(path, io::Error::new(io::ErrorKind::AlreadyExists, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 2] = ["report.html", "runs.csv"];

    fn files(content: &str) -> Vec<StudyFile> {
        let file = |name| StudyFile { name, bytes: content.as_bytes().to_vec() };
        FILES.map(file).to_vec()
    }

    /// All that is in a folder, by name, sorted.
    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn content(folder: &Path) -> [String; 2] {
        FILES.map(|name| fs::read_to_string(folder.join(name)).unwrap())
    }

    #[test]
    fn a_report_gets_a_folder_of_its_own() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("deep/out");
        assert_eq!(write_files(&files("a"), &folder, false).unwrap().len(), 2);
        assert_eq!(
            (names(&folder), content(&folder)),
            (FILES.map(str::to_owned).to_vec(), ["a", "a"].map(str::to_owned))
        );
        assert_eq!(names(&above.path().join("deep")), ["out"]);
        let empty = above.path().join("empty");
        fs::create_dir(&empty).unwrap();
        write_files(&files("b"), &empty, false).unwrap();
        assert_eq!(content(&empty), ["b", "b"].map(str::to_owned));

        // What is there stays, unless it may be replaced; then so does all that is no file of the report.
        fs::write(folder.join("notes.md"), "mine").unwrap();
        let message = write_files(&files("c"), &folder, false).unwrap_err().to_string();
        assert!(message.contains("is not empty") && message.contains("--force"), "{message}");
        assert_eq!(content(&folder), ["a", "a"].map(str::to_owned));
        write_files(&files("c"), &folder, true).unwrap();
        assert_eq!(content(&folder), ["c", "c"].map(str::to_owned));
        assert_eq!(names(&folder), ["notes.md", "report.html", "runs.csv"]);
    }

    #[test]
    fn of_those_who_write_at_the_same_time_one_is_first() {
        const WRITERS: usize = 4;
        let above = tempfile::tempdir().unwrap();
        for round in 0..50 {
            let folder = above.path().join(round.to_string());
            let barrier = std::sync::Barrier::new(WRITERS);
            let write = || {
                barrier.wait();
                write_files(&files("a"), &folder, false)
            };
            let results: Vec<_> = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
                writers.into_iter().map(|writer| writer.join().unwrap()).collect()
            });
            assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
            for error in results.into_iter().filter_map(Result::err) {
                let message = error.to_string();
                assert!(message.contains("it is not empty"), "{message}");
                assert!(message.contains("nothing was written"), "{message}");
            }
            assert_eq!(names(&folder), FILES);
        }
    }

    #[test]
    fn what_is_no_folder_and_no_file_is_not_written_over() {
        let above = tempfile::tempdir().unwrap();
        let file = above.path().join("file");
        fs::write(&file, "mine").unwrap();
        for replace in [false, true] {
            let error = write_files(&files("a"), &file, replace).unwrap_err();
            assert!(
                error.to_string().contains("file: cannot be written: a file is where"),
                "{error}"
            );
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        let folder = above.path().join("out");
        fs::create_dir_all(folder.join("runs.csv/inside")).unwrap();
        let message = write_files(&files("a"), &folder, true).unwrap_err().to_string();
        assert!(message.contains("runs.csv") && message.contains("no file"), "{message}");
        assert_eq!(names(&folder), ["runs.csv"]);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", above.path().join("link")).unwrap();
            let message =
                write_files(&files("a"), &above.path().join("link"), true).unwrap_err().to_string();
            assert!(message.contains("a link that leads nowhere"), "{message}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_process_left_behind_is_in_nobodys_way() {
        let above = tempfile::tempdir().unwrap();
        let left = |folder: &Path| {
            let left = folder.join(".podium-report-1-0.partial");
            fs::create_dir_all(&left).unwrap();
            fs::write(left.join("runs.csv"), "half").unwrap();
        };
        // Killed while it wrote a new folder, or while it moved files into one that was there.
        let folder = above.path().join("out");
        left(above.path());
        write_files(&files("a"), &folder, false).unwrap();
        assert_eq!(names(above.path()), ["out"]);
        left(&folder);
        fs::write(folder.join("report.html"), "of the killed one").unwrap();
        write_files(&files("b"), &folder, false).unwrap();
        assert_eq!(names(&folder), FILES);
        assert_eq!(content(&folder), ["b", "b"].map(str::to_owned));
        // What is being written is none.
        let unfinished = Unfinished::make_in(&folder).unwrap();
        assert!(write_files(&files("c"), &folder, false).is_err());
        write_files(&files("d"), &folder, true).unwrap();
        assert!(unfinished.path.is_dir());
        drop(unfinished);
        assert_eq!(names(&folder), FILES);
    }
}
