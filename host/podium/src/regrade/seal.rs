//! What tells the sets that a person made from those that came with an archive: a seal, made with a key that nobody else
//! has.
//!
//! A seal is an HMAC-SHA-256 over what is sealed and what it is for. A receipt that carries one was made here, by a
//! grading that really ran: wherever it lies now, it is as true as it was. So nothing has to be remembered of where sets
//! are, and an archive can be moved together with its sets.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::Sha256;

use crate::digest::Digest;
use crate::error::Error;
use crate::regular_file;
use crate::run_group::to_json;

const KEY_BYTES: usize = 32;

/// No file of a key is larger.
const MOST_BYTES: u64 = 1 << 10;

/// The member of a sealed JSON object that holds the seal.
const SEAL: &str = "seal";

/// What a seal is for: one of one kind is none of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Set,
    Current,
    Receipt,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::Set => "podium regrade set",
            Purpose::Current => "podium regrade current",
            Purpose::Receipt => "podium regrade receipt",
        }
    }
}

/// The key of a person.
#[derive(Clone)]
pub struct SealingKey([u8; KEY_BYTES]);

impl fmt::Debug for SealingKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealingKey(…)")
    }
}

impl SealingKey {
    /// The key in this file, which is made, for its owner alone, where there is none.
    ///
    /// # Errors
    /// [`Error::Read`] for a file that is no key, or that others may read; [`Error::Write`] where none can be made.
    pub fn at(path: &Path) -> Result<SealingKey, Error> {
        match SealingKey::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            read => return read.map_err(|source| Error::read(path, source)),
        }
        let key = SealingKey::for_this_process()?;
        key.keep(path).map_err(|source| Error::write(path, source))?;
        // Another process may have been faster: what lies there now is the key.
        SealingKey::read(path).map_err(|source| Error::read(path, source))
    }

    /// A key that nobody keeps: what it seals is believed by this process alone.
    ///
    /// # Errors
    /// [`Error::Read`] where the system has no random numbers.
    pub fn for_this_process() -> Result<SealingKey, Error> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|error| {
            Error::read(Path::new("random numbers"), io::Error::other(error.to_string()))
        })?;
        Ok(SealingKey(key))
    }

    fn read(path: &Path) -> io::Result<SealingKey> {
        let text = regular_file::read_text(path, MOST_BYTES)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if path.metadata()?.permissions().mode() & 0o077 != 0 {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "others may read or change this key, so that it proves nothing: remove it and a new one is made, \
                     or take their rights away (chmod 600)",
                ));
            }
        }
        let digits: Digest = text.trim_end().parse().map_err(|_| {
            let what = "this is no key: remove it, and a new one is made";
            io::Error::new(io::ErrorKind::InvalidData, what)
        })?;
        Ok(SealingKey(*digits.as_bytes()))
    }

    /// Writes the key, unless one lies there. A temporary file is private to its owner from the beginning.
    fn keep(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(file, "{}", Digest::from(self.0))?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Err(taken) if taken.error.kind() != io::ErrorKind::AlreadyExists => Err(taken.error),
            _ => Ok(()),
        }
    }

    /// The seal of these bytes.
    pub(super) fn seal(&self, purpose: Purpose, bytes: &[u8]) -> Digest {
        let sealed: [u8; 32] = self.mac(purpose, bytes).finalize().into_bytes().into();
        Digest::from(sealed)
    }

    /// Whether that is the seal of these bytes.
    pub(super) fn fits(&self, seal: &Digest, purpose: Purpose, bytes: &[u8]) -> bool {
        self.mac(purpose, bytes).verify_slice(seal.as_bytes()).is_ok()
    }

    fn mac(&self, purpose: Purpose, bytes: &[u8]) -> Hmac<Sha256> {
        // As the standard pads a key that is shorter than a block.
        let mut block = [0; 64];
        block[..KEY_BYTES].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        mac.update(purpose.name().as_bytes());
        mac.update(&[0]);
        mac.update(bytes);
        mac
    }

    /// The JSON of a value, with its seal.
    pub(super) fn sealed_json(&self, purpose: Purpose, value: &impl Serialize) -> String {
        // Of such values there are none without a JSON: their paths are written by `path_text`.
        let mut value = serde_json::to_value(value).unwrap_or_default();
        let seal = canonical(&value).map(|bytes| self.seal(purpose, &bytes));
        if let (Value::Object(fields), Some(seal)) = (&mut value, seal) {
            fields.insert(SEAL.to_owned(), seal.to_string().into());
        }
        to_json(&value)
    }

    /// The value of a sealed JSON, and whether its seal is of this key.
    ///
    /// # Errors
    /// Text that is no JSON, or not of such a value.
    pub(super) fn open_json<T: DeserializeOwned>(
        &self,
        purpose: Purpose,
        text: &str,
    ) -> Result<(T, bool), serde_json::Error> {
        let mut value: Value = serde_json::from_str(text)?;
        let seal = value.as_object_mut().and_then(|fields| fields.shift_remove(SEAL));
        let seal = seal.as_ref().and_then(Value::as_str).and_then(|seal| seal.parse().ok());
        let sealed: Option<(Digest, Vec<u8>)> = seal.zip(canonical(&value));
        let is_own = sealed.is_some_and(|(seal, bytes)| self.fits(&seal, purpose, &bytes));
        Ok((serde_json::from_value(value)?, is_own))
    }
}

/// The bytes of a JSON that a seal covers, however it is spaced and sorted; `None` for one that has no such form.
fn canonical(value: &Value) -> Option<Vec<u8>> {
    serde_json_canonicalizer::to_vec(value).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(byte: u8) -> SealingKey {
        SealingKey([byte; KEY_BYTES])
    }

    #[test]
    fn a_seal_is_of_a_key_a_purpose_and_bytes() {
        let seal = key(1).seal(Purpose::Set, b"abc");
        assert!(key(1).fits(&seal, Purpose::Set, b"abc"));
        assert!(!key(2).fits(&seal, Purpose::Set, b"abc"));
        assert!(!key(1).fits(&seal, Purpose::Receipt, b"abc"));
        assert!(!key(1).fits(&seal, Purpose::Set, b"abd"));
        // Python: hmac.new(b"\x01" * 32, b"podium regrade set\0abc", hashlib.sha256).hexdigest()
        let known = "39bfef9a8c3aa4a0b5680db9911612c1057a9b6af5f6edc605131505dc1bc2e2";
        assert_eq!(seal.to_string(), known);
        assert!(!format!("{:?}", key(1)).contains('1'));
    }

    #[test]
    fn json_is_sealed_whatever_its_form() {
        let text = key(1).sealed_json(Purpose::Set, &json!({"b": 1, "a": [0.5, "x"]}));
        let open = |text: &str| key(1).open_json::<Value>(Purpose::Set, text).unwrap();
        let (value, is_own) = open(&text);
        assert!(is_own && value == json!({"b": 1, "a": [0.5, "x"]}), "{value}");
        let reordered = text.replace("\n", " ");
        assert!(open(&reordered).1);
        for forged in
            [text.replace("0.5", "0.6"), text.replace("\"b\": 1,", ""), "{\"b\": 1}".into()]
        {
            assert!(!open(&forged).1, "{forged}");
        }
        assert!(!key(1).open_json::<Value>(Purpose::Current, &text).unwrap().1);
    }

    #[test]
    fn a_key_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/regrade.key");
        let keys: Vec<SealingKey> = std::thread::scope(|scope| {
            let made: Vec<_> =
                (0..8).map(|_| scope.spawn(|| SealingKey::at(&path).unwrap())).collect();
            made.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| key.0 == keys[0].0 && key.0 != [0; KEY_BYTES]));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(), 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let refused = SealingKey::at(&path).unwrap_err().to_string();
            assert!(refused.contains("chmod 600"), "{refused}");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        fs::write(&path, "half").unwrap();
        let refused = SealingKey::at(&path).unwrap_err().to_string();
        assert!(refused.contains("this is no key"), "{refused}");
        let other = SealingKey::for_this_process().unwrap();
        assert_ne!(other.0, keys[0].0);
    }
}
