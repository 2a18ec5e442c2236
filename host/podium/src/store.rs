//! The component store: a folder of components under their digests, and which of them are pinned.
//!
//! ```text
//! <store>/<sha256>.wasm            a component; nobody may write to the file
//! <store>/<sha256>.wasm.minisig    its signature, where it came with one
//! <store>/pins.toml                which component grades which competition, whatever lies elsewhere
//! ```
//!
//! A receipt names its component by its digest, so an old receipt is checked with the component that graded it. Nothing
//! that lies here is believed: what is read is held against its name. Files are written beside their place and moved
//! into it, and whoever changes the store holds its lock, so that any number of processes may add, remove and pin at
//! once; reading needs no lock. Relies on cap-std: no link in the folder leads a reader out of it.

mod pins;
mod problem;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::atomic_write::{remove_left_behind, write_over, write_read_only};
use crate::competition_id;
use crate::component_file::ComponentFile;
use crate::digest::Digest;
use crate::error::Error;
use crate::input::{InputProblem, open_regular};
use crate::inspection::{ComponentLimits, GraderProblem};
use crate::signature::{Signature, SignatureProblem};
use crate::trust::TrustPolicy;

pub use pins::Pins;
pub use problem::StoreProblem;

/// The file that says which component is pinned for which competition.
const PINS_FILE: &str = "pins.toml";

/// The file whose lock whoever changes the store holds.
const LOCK_FILE: &str = ".lock";

/// What the names of components end with.
const COMPONENT_SUFFIX: &str = ".wasm";

/// No file of pins, and no signature, is larger.
const MOST_TEXT_BYTES: u64 = 16 << 20;

/// The fewest digits that stand for a digest.
const FEWEST_DIGITS: usize = 4;

/// A folder of components. The folder need not be there: then the store is empty, and adding makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentStore {
    folder: PathBuf,
}

/// A component in a store, by what its name and its size say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredComponent {
    /// The digest that it is stored under.
    pub sha256: Digest,
    /// The size in bytes.
    pub size: u64,
    /// Where it lies.
    pub path: PathBuf,
}

/// What adding a component came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// The digest of the component.
    pub sha256: Digest,
    /// What became of the component.
    pub component: AddedFile,
    /// What became of the signature; `None` where there was none to add.
    pub signature: Option<AddedFile>,
}

/// What adding a file came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddedFile {
    /// It was not there, and is now.
    New,
    /// The same was there already.
    AlreadyThere,
    /// Another was there (a damaged component, a signature that is worth less), and this one took its place.
    Replaced,
    /// Another signature was there, and stayed: nothing says that this one is worth more.
    Kept,
}

impl ComponentStore {
    /// The store in a folder, which need not be there yet.
    pub fn at(folder: impl Into<PathBuf>) -> ComponentStore {
        ComponentStore { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the component of a digest lies, if it is there. What is read there without [`ComponentStore::read`] is not
    /// held against its name.
    pub fn path_of(&self, sha256: &Digest) -> PathBuf {
        self.folder.join(file_name(sha256))
    }

    /// Whether there is a file for a digest. What is in it is not looked at.
    pub fn holds(&self, sha256: &Digest) -> bool {
        self.path_of(sha256).symlink_metadata().is_ok()
    }

    /// Stores a component and, where it has one, its signature. Another signature that is there gives way only to one by a
    /// signer whom the policy names, or where the policy finds that it does not hold. Whether it is a component that this
    /// host loads is for whoever adds it to check before ([`inspect`](crate::inspect)).
    ///
    /// # Errors
    /// [`Error::Write`], [`Error::Read`]. Nothing is half-written.
    pub fn add(
        &self,
        component: &ComponentFile,
        policy: Option<&TrustPolicy>,
    ) -> Result<Added, Error> {
        let sha256 = component.sha256;
        let _lock = self.lock()?;
        let path = self.path_of(&sha256);
        let stored = match self.read_up_to(&sha256, component.bytes.len() as u64) {
            Ok(_) => AddedFile::AlreadyThere,
            Err(Error::Store { problem: StoreProblem::NotStored { .. }, .. }) => AddedFile::New,
            Err(
                Error::Store { problem: StoreProblem::Damaged { .. }, .. }
                | Error::Grader { problem: GraderProblem::TooLarge { .. }, .. },
            ) => AddedFile::Replaced,
            Err(error) => return Err(error),
        };
        // The signature first: once the component is there, everything is.
        let signature = match &component.signature {
            Ok(Some(signature)) => Some(add_signature(&path, &component.bytes, signature, policy)?),
            _ => None,
        };
        if stored != AddedFile::AlreadyThere {
            write_read_only(&path, &component.bytes)?;
        }
        Ok(Added { sha256, component: stored, signature })
    }

    /// Reads a component, and holds it against its digest.
    ///
    /// # Errors
    /// [`Error::Store`] where it is not there, or damaged; [`Error::Grader`] where it cannot be read, or is too large.
    pub fn read(&self, sha256: &Digest, limits: &ComponentLimits) -> Result<ComponentFile, Error> {
        self.read_up_to(sha256, limits.bytes)
    }

    fn read_up_to(&self, sha256: &Digest, limit: u64) -> Result<ComponentFile, Error> {
        let path = self.path_of(sha256);
        let unusable = |problem| Error::Grader { grader: path.display().to_string(), problem };
        let missing = || self.error(StoreProblem::NotStored { sha256: *sha256 });
        let folder = self.open()?.ok_or_else(missing)?;
        let name = file_name(sha256);
        let bytes = match read_regular(&folder, Path::new(&name), limit) {
            Ok(bytes) => bytes,
            Err(InputProblem::Missing) => return Err(missing()),
            Err(InputProblem::TooLarge { size, limit }) => {
                return Err(unusable(GraderProblem::TooLarge { size, limit }));
            }
            Err(InputProblem::Unreadable(error)) => {
                return Err(unusable(GraderProblem::Unreadable(error)));
            }
            Err(other) => {
                let error = io::Error::other(other.to_string());
                return Err(unusable(GraderProblem::Unreadable(error)));
            }
        };
        let found = Digest::of(&bytes);
        if found != *sha256 {
            return Err(self.error(StoreProblem::Damaged { sha256: *sha256, found }));
        }
        let signature = read_signature(&folder, &Signature::path_beside(Path::new(&name)));
        Ok(ComponentFile { path, bytes, sha256: found, signature })
    }

    /// All components, by their digests. Other files are passed over.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn list(&self) -> Result<Vec<StoredComponent>, Error> {
        let Some(folder) = self.open()? else { return Ok(Vec::new()) };
        let unreadable = |source| Error::read(&self.folder, source);
        let mut components = Vec::new();
        for entry in folder.entries().map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let Some(sha256) = name.to_str().and_then(digest_of_name) else { continue };
            // Removed since the folder was read: as good as never there.
            let Ok(metadata) = entry.metadata() else { continue };
            let path = self.path_of(&sha256);
            components.push(StoredComponent { sha256, size: metadata.len(), path });
        }
        components.sort_by_key(|component| component.sha256);
        Ok(components)
    }

    /// The component that a digest, or the beginning of one, stands for; `sha256:` may stand before it.
    ///
    /// # Errors
    /// [`Error::Store`]: no digest, none such, several; [`Error::Read`].
    pub fn resolve(&self, text: &str) -> Result<Digest, Error> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text).to_ascii_lowercase();
        let is_prefix = (FEWEST_DIGITS..=64).contains(&digits.len())
            && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !is_prefix {
            let text = text.escape_debug().to_string();
            return Err(self.error(StoreProblem::NotADigest { text }));
        }
        if let Ok(sha256) = digits.parse() {
            return Ok(sha256);
        }
        let mut candidates: Vec<Digest> = self
            .list()?
            .into_iter()
            .map(|component| component.sha256)
            .filter(|sha256| sha256.to_string().starts_with(&digits))
            .collect();
        match candidates.len() {
            0 => Err(self.error(StoreProblem::UnknownPrefix { prefix: digits })),
            1 => Ok(candidates.remove(0)),
            _ => Err(self.error(StoreProblem::Ambiguous { prefix: digits, candidates })),
        }
    }

    /// Whether [`ComponentStore::remove`] would remove all of these, to be asked before any of them is.
    ///
    /// # Errors
    /// [`Error::Store`] where one is not there, or pinned.
    pub fn check_removable(&self, components: &[Digest], force: bool) -> Result<(), Error> {
        let pins = self.pins()?;
        for sha256 in components {
            if !self.holds(sha256) {
                return Err(self.error(StoreProblem::NotStored { sha256: *sha256 }));
            }
            let competitions = pins.competitions_of(sha256);
            if !competitions.is_empty() && !force {
                return Err(self.error(StoreProblem::Pinned { sha256: *sha256, competitions }));
            }
        }
        Ok(())
    }

    /// Removes a component and its signature; one that is pinned only by `force`. The pins stay, so that nothing else
    /// grades these competitions unnoticed. Gives the competitions that are left with a pin to nothing.
    ///
    /// # Errors
    /// [`Error::Store`] where it is not there, or pinned; [`Error::Write`].
    pub fn remove(&self, sha256: &Digest, force: bool) -> Result<Vec<String>, Error> {
        let path = self.path_of(sha256);
        // Before the lock, which would make the folder of a store that is not there.
        self.check_removable(&[*sha256], force)?;
        let _lock = self.lock()?;
        self.check_removable(&[*sha256], force)?;
        let competitions = self.pins()?.competitions_of(sha256);
        for path in [path.clone(), Signature::path_beside(&path)] {
            match std::fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::write(&path, source));
                }
                _ => {}
            }
        }
        Ok(competitions)
    }

    /// Which components are pinned.
    ///
    /// # Errors
    /// [`Error::Store`] with what is wrong with `pins.toml`; [`Error::Read`].
    pub fn pins(&self) -> Result<Pins, Error> {
        let Some(folder) = self.open()? else { return Ok(Pins::default()) };
        let wrong = |message| self.error(StoreProblem::Pins { message });
        let unread = |source| Error::read(&self.folder.join(PINS_FILE), source);
        let bytes = match read_regular(&folder, Path::new(PINS_FILE), MOST_TEXT_BYTES) {
            Ok(bytes) => bytes,
            // A link that leads nowhere is there, and no reason to do without pins.
            Err(InputProblem::Missing) if folder.symlink_metadata(PINS_FILE).is_err() => {
                return Ok(Pins::default());
            }
            Err(InputProblem::Missing) => {
                return Err(unread(io::Error::other("this is a link that leads nowhere")));
            }
            Err(InputProblem::Unreadable(source)) => return Err(unread(source)),
            Err(problem) => return Err(unread(io::Error::other(problem.to_string()))),
        };
        let text = String::from_utf8(bytes).map_err(|_| wrong("this is no text".to_owned()))?;
        Pins::parse(&text).map_err(wrong)
    }

    /// Lets a competition be graded with a component of this store from now on, whatever lies elsewhere. Gives the
    /// component that it was pinned to before.
    ///
    /// # Errors
    /// [`Error::Store`] where the component is not there; [`Error::CompetitionId`] for what is no id of a competition;
    /// [`Error::Write`].
    pub fn pin(&self, competition: &str, sha256: &Digest) -> Result<Option<Digest>, Error> {
        competition_id::check(competition).map_err(|message| Error::CompetitionId { message })?;
        if !self.holds(sha256) {
            return Err(self.error(StoreProblem::NotStored { sha256: *sha256 }));
        }
        let _lock = self.lock()?;
        // It may have been removed until the lock was there.
        if !self.holds(sha256) {
            return Err(self.error(StoreProblem::NotStored { sha256: *sha256 }));
        }
        let mut pins = self.pins()?;
        let before = pins.set(competition, *sha256);
        if before != Some(*sha256) {
            write_over(&self.folder.join(PINS_FILE), pins.to_text().as_bytes())?;
        }
        Ok(before)
    }

    /// Ends the pin of a competition. Gives the component that it was pinned to; `None` where there was no pin.
    ///
    /// # Errors
    /// [`Error::Store`] with what is wrong with `pins.toml`; [`Error::Write`].
    pub fn unpin(&self, competition: &str) -> Result<Option<Digest>, Error> {
        // Without a pin there is nothing to write, nor a folder to make.
        if self.pins()?.get(competition).is_none() {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let mut pins = self.pins()?;
        let before = pins.remove(competition);
        if before.is_some() {
            write_over(&self.folder.join(PINS_FILE), pins.to_text().as_bytes())?;
        }
        Ok(before)
    }

    pub(crate) fn error(&self, problem: StoreProblem) -> Error {
        Error::Store { folder: self.folder.clone(), problem }
    }

    /// The folder, as far as it is there.
    fn open(&self) -> Result<Option<Dir>, Error> {
        match Dir::open_ambient_dir(&self.folder, ambient_authority()) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::read(&self.folder, source)),
        }
    }

    /// Makes the folder if need be, and waits until nobody else changes the store. A file system without locks is good
    /// enough: files are whole even so, and the worst is a pin that another one undoes.
    fn lock(&self) -> Result<File, Error> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|source| Error::write(&self.folder, source))?;
        let path = self.folder.join(LOCK_FILE);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|source| Error::write(&path, source))?;
        let _ = file.lock();
        remove_left_behind(&self.folder);
        Ok(file)
    }
}

fn add_signature(
    component: &Path,
    bytes: &[u8],
    signature: &Signature,
    policy: Option<&TrustPolicy>,
) -> Result<AddedFile, Error> {
    let path = Signature::path_beside(component);
    let added = match Signature::beside(component) {
        Ok(Some(there)) if there == *signature => return Ok(AddedFile::AlreadyThere),
        Ok(Some(there)) => {
            let gives_way = policy.is_some_and(|policy| {
                policy.finds_signed(bytes, signature) || policy.finds_changed(bytes, &there)
            });
            if !gives_way {
                return Ok(AddedFile::Kept);
            }
            AddedFile::Replaced
        }
        Ok(None) => AddedFile::New,
        Err(_) => AddedFile::Replaced,
    };
    write_read_only(&path, signature.text().as_bytes())?;
    Ok(added)
}

fn file_name(sha256: &Digest) -> String {
    format!("{sha256}{COMPONENT_SUFFIX}")
}

/// The digest that a file of the store is named by; only the one spelling that [`file_name`] gives.
fn digest_of_name(name: &str) -> Option<Digest> {
    let sha256 = name.strip_suffix(COMPONENT_SUFFIX)?.parse().ok()?;
    (file_name(&sha256) == name).then_some(sha256)
}

/// Reads a regular file of the folder, never waiting for anything and never more than `limit` bytes.
fn read_regular(folder: &Dir, name: &Path, limit: u64) -> Result<Vec<u8>, InputProblem> {
    let (file, size) = open_regular(folder, name)?;
    if size > limit {
        return Err(InputProblem::TooLarge { size, limit });
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(InputProblem::Unreadable)?;
    let size = bytes.len() as u64;
    if size > limit { Err(InputProblem::TooLarge { size, limit }) } else { Ok(bytes) }
}

fn read_signature(folder: &Dir, name: &Path) -> Result<Option<Signature>, SignatureProblem> {
    match read_regular(folder, name, MOST_TEXT_BYTES) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| SignatureProblem::NotASignature)?;
            Signature::parse(&text).map(Some)
        }
        Err(InputProblem::Missing) => Ok(None),
        Err(problem) => Err(SignatureProblem::Unreadable(problem.to_string())),
    }
}
