//! A component as it comes from a file: its bytes, their digest, and the signature beside them.
//!
//! The bytes are read once. What is hashed, held against signatures, compiled and run are the same bytes, whatever
//! becomes of the file meanwhile.

use std::path::{Path, PathBuf};

use crate::digest::Digest;
use crate::error::Error;
use crate::inspection::{ComponentLimits, read_component};
use crate::signature::{Signature, SignatureProblem};

/// A component, read from a file and not looked into.
#[derive(Clone, Debug)]
pub struct ComponentFile {
    /// Where it was read.
    pub path: PathBuf,
    /// The bytes; that they are a component is not said.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub sha256: Digest,
    /// The signature beside the file, where there is one; what is wrong with it, where it is none.
    pub signature: Result<Option<Signature>, SignatureProblem>,
}

impl ComponentFile {
    /// Reads a component and the signature beside it.
    ///
    /// # Errors
    /// [`Error::Grader`] with the path: there is no such file, it cannot be read, or is too large.
    pub fn read(path: &Path, limits: &ComponentLimits) -> Result<ComponentFile, Error> {
        let bytes = read_component(path, limits)
            .map_err(|problem| Error::Grader { grader: path.display().to_string(), problem })?;
        let sha256 = Digest::of(&bytes);
        let signature = Signature::beside(path);
        Ok(ComponentFile { path: path.to_owned(), bytes, sha256, signature })
    }
}
