//! What was seen on the way through an archive, besides the files that were handed over.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::entry_path::{EntryPath, EntryPathProblem};
use super::limits::ArchiveLimits;
use crate::message;

/// Something in an archive that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryProblem {
    /// Its name, fit to be shown; cut where it is long.
    pub entry: String,
    /// Why it cannot be used, fit to be shown.
    pub reason: String,
}

impl EntryProblem {
    /// The characters of a name that are kept.
    const NAME_CHARACTERS: usize = 300;

    /// The characters of a reason that are kept.
    const REASON_CHARACTERS: usize = 2_000;

    /// A problem of what is called so.
    pub(crate) fn new(name: impl AsRef<str>, reason: impl AsRef<str>) -> EntryProblem {
        EntryProblem {
            entry: message::fit_line(name.as_ref(), EntryProblem::NAME_CHARACTERS),
            reason: message::fit_line(reason.as_ref(), EntryProblem::REASON_CHARACTERS),
        }
    }
}

/// What was seen on the way through an archive.
#[derive(Clone, Debug, Default)]
pub struct Passage {
    /// Files, folders and all else, as far as it was read.
    pub entries: u64,
    /// What no honest archive holds: paths that lead out, names that occur twice, sizes that lie. At most
    /// [`Passage::KEPT`]; `refused_in_all` counts them.
    pub refused: Vec<EntryProblem>,
    /// How many entries were refused.
    pub refused_in_all: u64,
    /// What is no regular file: links, devices, pipes. Honest archives hold such, and nothing follows them. At most
    /// [`Passage::KEPT`]; `left_out_in_all` counts them.
    pub left_out: Vec<EntryProblem>,
    /// How many entries were left out.
    pub left_out_in_all: u64,
    /// Why the archive was not read to its end, and after which entry; what came before was used.
    pub broken: Option<String>,
    /// Why files at these paths cannot be used: all that were refused or left out and have a path that can be asked for.
    pub(crate) unusable: HashMap<EntryPath, String>,
    repeated: HashSet<EntryPath>,
    last: Option<String>,
    /// The files that were handed over, and the folders that they lie in, each by a short digest of its path.
    seen: HashSet<[u8; 16]>,
    folders: HashSet<[u8; 16]>,
}

/// A short digest of a path: two paths with the same one cannot be made.
fn short(path: &EntryPath) -> [u8; 16] {
    let digest: [u8; 32] = Sha256::digest(path.as_str()).into();
    let mut short = [0; 16];
    short.copy_from_slice(&digest[..16]);
    short
}

impl Passage {
    /// How many problems of a kind are kept.
    pub const KEPT: usize = 1_000;

    /// Counts an entry. False where there are more than allowed.
    pub(super) fn counts(&mut self, limits: &ArchiveLimits) -> bool {
        self.entries += 1;
        if self.entries > limits.entries {
            self.breaks(format!("it has more than the limit of {} entries", limits.entries));
            return false;
        }
        true
    }

    /// Checks the name of an entry; refuses it where it leads out.
    pub(super) fn checks(&mut self, name: &[u8]) -> Option<EntryPath> {
        let shown = String::from_utf8_lossy(name);
        match EntryPath::parse(name) {
            Ok(path) => {
                self.last = Some(path.as_str().to_owned());
                Some(path)
            }
            // The archive itself: `./` begins many.
            Err(EntryPathProblem::Empty) if !name.is_empty() => None,
            Err(problem) => {
                self.refuses(&shown, problem.to_string());
                self.last = Some(shown.into_owned());
                None
            }
        }
    }

    /// Whether this is the first file of its path, in folders that are no files; refuses another.
    pub(super) fn is_first(&mut self, path: &EntryPath) -> bool {
        if !self.lies_in_folders(path) {
            return false;
        }
        let digest = short(path);
        if self.folders.contains(&digest) {
            self.is_both(path);
            return false;
        }
        if self.seen.insert(digest) {
            return true;
        }
        if self.repeated.insert(path.clone()) {
            self.refuses(
                path.as_str(),
                "the archive holds it more than once: none of them is used",
            );
        }
        false
    }

    /// Notes a folder of its own entry; refuses what is a file as well.
    pub(super) fn is_folder(&mut self, path: &EntryPath) {
        if !self.lies_in_folders(path) {
            return;
        }
        let digest = short(path);
        if self.seen.contains(&digest) {
            self.is_both(path);
        } else {
            self.folders.insert(digest);
        }
    }

    /// Whether all that a path lies in are folders; notes them, and refuses what is a file as well.
    fn lies_in_folders(&mut self, path: &EntryPath) -> bool {
        for above in path.ancestors().skip(1).filter(|above| !above.is_root()) {
            let digest = short(&above);
            if self.seen.contains(&digest) {
                self.is_both(&above);
                return false;
            }
            if !self.folders.insert(digest) {
                break;
            }
        }
        true
    }

    fn is_both(&mut self, path: &EntryPath) {
        if self.repeated.insert(path.clone()) {
            self.refuses(
                path.as_str(),
                "the archive holds a file and a folder of this name: neither is used",
            );
        }
    }

    pub(crate) fn refuses(&mut self, name: &str, reason: impl AsRef<str>) {
        self.refused_in_all += 1;
        let problem = EntryProblem::new(name, reason);
        self.cannot_use(name, &problem.reason);
        if self.refused.len() < Passage::KEPT {
            self.refused.push(problem);
        }
    }

    pub(crate) fn leaves_out(&mut self, name: &str, what: &str) {
        self.left_out_in_all += 1;
        let problem = EntryProblem::new(name, format!("it is {what}"));
        self.cannot_use(name, &problem.reason);
        if self.left_out.len() < Passage::KEPT {
            self.left_out.push(problem);
        }
    }

    fn cannot_use(&mut self, name: &str, reason: &str) {
        if let Ok(path) = EntryPath::parse(name.as_bytes()) {
            self.unusable.insert(path, reason.to_owned());
        }
    }

    /// The archive ends here, for this reason.
    pub(super) fn breaks(&mut self, reason: impl AsRef<str>) {
        let reason = reason.as_ref();
        self.broken = Some(match &self.last {
            Some(last) => {
                let last = message::fit_line(last, EntryProblem::NAME_CHARACTERS);
                format!("{reason}; it was read up to `{last}`, what comes after is missing")
            }
            None => format!("{reason}; nothing of it could be read"),
        });
    }
}
