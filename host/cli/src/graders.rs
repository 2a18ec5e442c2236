//! The component store and the trust policy that a command works with, and graders as a command line names them.
//!
//! Both are looked for where the command line says, else in the user's own folders. A store or a policy that was named has
//! to be there: without them, other graders would be chosen, or more would be trusted, than somebody meant.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use podium::{ComponentFile, ComponentStore, GraderSource, Graders, TrustPolicy};

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;

/// What stands before a digest on the command line.
const DIGEST: &str = "sha256:";

/// The store and the policy for a command that grades.
///
/// # Errors
/// A store that was named and is not there; pins that cannot be read; a policy that is wrong, or was named and is not
/// there.
pub(crate) fn find(shared: &Shared) -> Result<Graders, Failure> {
    if let Some(folder) = shared.store.as_ref().filter(|folder| !folder.is_dir()) {
        let (exit, what) = match folder.exists() {
            true => (Exit::Files, "is no folder"),
            false => (Exit::Missing, "does not exist"),
        };
        return Err(Failure::new(exit, format!("--store: {} {what}", folder.display())).hint(
            "`podium grader add` makes a store; without --store and PODIUM_STORE it is the user's own",
        ));
    }
    Ok(Graders::new(store(shared), policy(shared)?)?)
}

/// The component store, be it there or not; `None` where none was named, and the user has no home folder.
pub(crate) fn store(shared: &Shared) -> Option<ComponentStore> {
    match &shared.store {
        Some(folder) => Some(ComponentStore::at(folder)),
        None => {
            let folders = etcetera::choose_base_strategy().ok()?;
            Some(ComponentStore::at(folders.data_dir().join("podium").join("store")))
        }
    }
}

/// The component store, to put something into it or to take something out.
///
/// # Errors
/// No folder that it could be in.
pub(crate) fn store_to_change(shared: &Shared) -> Result<ComponentStore, Failure> {
    store(shared).ok_or_else(|| {
        Failure::new(Exit::Missing, "there is no home folder for a component store")
            .hint("name a folder with --store or PODIUM_STORE")
    })
}

/// The trust policy; `None` where none was named, and the user has none.
///
/// # Errors
/// One that is wrong, cannot be read, or was named and is not there.
pub(crate) fn policy(shared: &Shared) -> Result<Option<TrustPolicy>, Failure> {
    if let Some(path) = &shared.trust {
        return Ok(Some(TrustPolicy::read(path)?));
    }
    let Some(path) = default_policy() else { return Ok(None) };
    // Whatever else keeps it from being looked at is no proof that there is none.
    match path.symlink_metadata() {
        Err(error) if is_not_there(&error) => Ok(None),
        _ => Ok(Some(TrustPolicy::read(&path)?)),
    }
}

/// Where the user's policy lies, if there is one; `None` for a user without a home folder.
pub(crate) fn default_policy() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.config_dir().join("podium").join("trust.toml"))
}

fn is_not_there(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What is wrong with the signature that lies beside a component, as far as that can be told: it is none, or it does not hold
/// under a key that the policy names.
pub(crate) fn signature_problem(
    component: &ComponentFile,
    policy: Option<&TrustPolicy>,
) -> Option<String> {
    match &component.signature {
        Err(problem) => Some(problem.to_string()),
        Ok(None) => None,
        Ok(Some(signature)) => {
            let is_changed = policy?.finds_changed(&component.bytes, signature);
            is_changed.then(|| {
                "it does not hold: the component or the signature was changed since it was signed"
                    .to_owned()
            })
        }
    }
}

/// A grader on the command line: a file, or a component of the store by the beginning of its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GraderArgument {
    /// A file; in some commands, a folder.
    Path(PathBuf),
    /// `sha256:` and digits.
    Digest(String),
}

impl GraderArgument {
    /// Where the component is taken from.
    ///
    /// # Errors
    /// Digits that stand for no component of the store, or for several.
    pub(crate) fn source(&self, graders: &Graders) -> Result<GraderSource, Failure> {
        match (self, graders.store()) {
            (GraderArgument::Path(path), _) => Ok(GraderSource::File(path.clone())),
            (GraderArgument::Digest(text), Some(store)) => {
                Ok(GraderSource::Stored(store.resolve(text)?))
            }
            (GraderArgument::Digest(text), None) => {
                let message = format!("there is no component store to take {text} from");
                Err(Failure::new(Exit::Missing, message))
            }
        }
    }

    /// The path, where it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            GraderArgument::Path(path) => Some(path),
            GraderArgument::Digest(_) => None,
        }
    }
}

impl From<OsString> for GraderArgument {
    fn from(text: OsString) -> GraderArgument {
        match text.to_str() {
            Some(digest) if digest.starts_with(DIGEST) => GraderArgument::Digest(digest.to_owned()),
            _ => GraderArgument::Path(text.into()),
        }
    }
}

impl From<&str> for GraderArgument {
    fn from(text: &str) -> GraderArgument {
        OsString::from(text).into()
    }
}

impl fmt::Display for GraderArgument {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraderArgument::Path(path) => write!(formatter, "{}", path.display()),
            GraderArgument::Digest(text) => formatter.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_says_that_it_is_one() {
        for (text, is_digest) in [
            ("sha256:12ab", true),
            ("sha256:", true),
            ("12ab", false),
            ("./sha256:12ab", false),
            ("grader.wasm", false),
        ] {
            let argument = GraderArgument::from(text);
            assert_eq!(argument.path().is_none(), is_digest, "{text}");
            assert_eq!(argument.to_string(), text);
        }
    }
}
