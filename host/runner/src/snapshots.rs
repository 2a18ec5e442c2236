//! Every distinct submission of a run that was seen before its end, with the time: a score-over-time curve can be graded
//! from them afterwards.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use podium::Digest;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::event;

/// How many are kept.
const MOST: usize = 10_000;

/// The folder in a run's folder.
const FOLDER: &str = "snapshots";

/// The list of snapshots, a JSON object a line.
const LIST: &str = "snapshots.jsonl";

/// A line of the list.
#[derive(Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) at: String,
    pub(crate) sha256: Digest,
    bytes: u64,
    pub(crate) file: String,
    /// `validated` or `interval`.
    why: String,
}

/// The snapshots in a run's folder, in the order in which they were taken, with their files.
pub(crate) fn list(run_folder: &Path) -> Vec<(Snapshot, PathBuf)> {
    let folder = run_folder.join(FOLDER);
    let text = fs::read_to_string(folder.join(LIST)).unwrap_or_default();
    // A line that was cut short by a kill is passed over.
    let snapshots = text.lines().filter_map(|line| serde_json::from_str::<Snapshot>(line).ok());
    snapshots
        .filter(|snapshot| {
            Path::new(&snapshot.file).file_name().is_some_and(|name| name == snapshot.file.as_str())
        })
        .map(|snapshot| {
            let path = folder.join(&snapshot.file);
            (snapshot, path)
        })
        .collect()
}

/// The snapshots of a run.
#[derive(Debug)]
pub(crate) struct Snapshots {
    folder: PathBuf,
    most_bytes: u64,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    digests: HashSet<Digest>,
    bytes: u64,
    left_out: Option<LeftOut>,
}

/// What was seen and not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// How often.
    pub(crate) count: u64,
    /// Why it was the first time.
    pub(crate) why: String,
}

impl Snapshots {
    /// The snapshots in a run's folder, those that are there already included.
    pub(crate) fn open(run_folder: &Path, most_bytes: u64) -> Result<Snapshots, Error> {
        let folder = run_folder.join(FOLDER);
        let mut seen = Seen::default();
        for (snapshot, _) in list(run_folder) {
            seen.digests.insert(snapshot.sha256);
            seen.bytes += snapshot.bytes;
        }
        Ok(Snapshots { folder, most_bytes, seen: Mutex::new(seen) })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).digests.len() as u64
    }

    /// What this runner did not keep.
    pub(crate) fn left_out(&self) -> Option<LeftOut> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).left_out.clone()
    }

    /// Notes that something was seen and not kept.
    pub(crate) fn leave_out(&self, why: impl FnOnce() -> String) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).leave_out(why);
    }

    /// Keeps a file that lies on the same file system, if its content is new. Tells whether it was moved.
    pub(crate) fn keep(
        &self,
        file: &Path,
        sha256: Digest,
        bytes: u64,
        why: &str,
    ) -> Result<bool, Error> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.digests.contains(&sha256) {
            return Ok(false);
        }
        if seen.digests.len() >= MOST {
            seen.leave_out(|| format!("there are {MOST} already"));
            return Ok(false);
        }
        if seen.bytes.saturating_add(bytes) > self.most_bytes {
            let most = self.most_bytes;
            seen.leave_out(|| {
                format!("all together would have more than {most} bytes, which is `output.folder`")
            });
            return Ok(false);
        }
        fs::create_dir_all(&self.folder).map_err(Error::file(&self.folder))?;
        let at = event::now();
        let name = format!("{}-{}.csv", at.replace(':', "-"), &sha256.to_string()[..12]);
        let path = self.folder.join(&name);
        fs::rename(file, &path).map_err(Error::file(&path))?;
        let line = Snapshot { at, sha256, bytes, file: name, why: why.to_owned() };
        let line = serde_json::to_string(&line).unwrap_or_default();
        let list = self.folder.join(LIST);
        fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&list)
            .and_then(|mut list| writeln!(list, "{line}"))
            .map_err(Error::file(&list))?;
        seen.digests.insert(sha256);
        seen.bytes += bytes;
        Ok(true)
    }
}

impl Seen {
    fn leave_out(&mut self, why: impl FnOnce() -> String) {
        match &mut self.left_out {
            Some(left_out) => left_out.count += 1,
            None => self.left_out = Some(LeftOut { count: 1, why: why() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_is_kept_once_even_by_another_runner() {
        let run = tempfile::tempdir().unwrap();
        let keep = |snapshots: &Snapshots, content: &str| {
            let file = run.path().join("received");
            fs::write(&file, content).unwrap();
            let digest = Digest::of(content.as_bytes());
            snapshots.keep(&file, digest, content.len() as u64, "validated").unwrap()
        };
        let first = Snapshots::open(run.path(), 10).unwrap();
        assert!(keep(&first, "a,b"));
        assert!(!keep(&first, "a,b"));
        assert!(keep(&first, "a,c"));
        let second = Snapshots::open(run.path(), 10).unwrap();
        assert_eq!(second.count(), 2);
        assert!(!keep(&second, "a,c"));
        assert_eq!(second.left_out(), None);
        assert!(!keep(&second, "too large"), "beyond the limit of all together");
        assert!(!keep(&second, "also too large"));
        let left_out = second.left_out().unwrap();
        assert_eq!(left_out.count, 2);
        assert!(left_out.why.contains("more than 10 bytes"), "{left_out:?}");
    }
}
