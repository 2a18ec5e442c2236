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
    /// Why it cannot be used.
    pub reason: String,
}

impl EntryProblem {
    /// The characters of a name that are kept.
    const NAME_CHARACTERS: usize = 300;

    /// A problem of what is called so.
    pub(crate) fn new(name: impl AsRef<str>, reason: impl Into<String>) -> EntryProblem {
        EntryProblem {
            entry: message::fit(name.as_ref(), EntryProblem::NAME_CHARACTERS),
            reason: reason.into(),
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
    seen: HashSet<[u8; 16]>,
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
                self.last = Some(message::fit(&shown, EntryProblem::NAME_CHARACTERS));
                None
            }
        }
    }

    /// Whether this is the first file of its path; refuses another.
    pub(super) fn is_first(&mut self, path: &EntryPath) -> bool {
        let digest: [u8; 32] = Sha256::digest(path.as_str()).into();
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        if self.seen.insert(short) {
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

    pub(super) fn refuses(&mut self, name: &str, reason: impl Into<String>) {
        self.refused_in_all += 1;
        let problem = EntryProblem::new(name, reason);
        self.cannot_use(name, &problem.reason);
        if self.refused.len() < Passage::KEPT {
            self.refused.push(problem);
        }
    }

    pub(super) fn leaves_out(&mut self, name: &str, what: &str) {
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
                format!("{reason}; it was read up to `{last}`, what comes after is missing")
            }
            None => format!("{reason}; nothing of it could be read"),
        });
    }
}
