//! Paths in JSON, whatever bytes they hold.
//!
//! JSON holds text, and a path need not be text. One that is stands there as it is. In another, every byte that is no part
//! of UTF-8 stands as `\xNN`; and so that nothing is taken for such a byte that is none, a backslash before what would look
//! like one stands as `\x5c`. So a path comes back from its text as it was, and two paths never have the same text.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serializer};

/// The text of a path.
pub fn text(path: &Path) -> Cow<'_, str> {
    match path.to_str() {
        Some(text) if !text.contains("\\x") => Cow::Borrowed(text),
        _ => Cow::Owned(escaped(&bytes_of(path))),
    }
}

/// The path of a text.
pub fn path(text: &str) -> PathBuf {
    if !text.contains("\\x") {
        return PathBuf::from(text);
    }
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match escape_at(&bytes[at..]) {
            Some(escaped) => {
                plain.push(escaped);
                at += ESCAPE_BYTES;
            }
            None => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    path_of(plain)
}

/// For serde's `serialize_with` and `with`.
///
/// # Errors
/// As the serializer.
pub fn serialize<S: Serializer>(path: impl AsRef<Path>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(path.as_ref()))
}

/// For serde's `with`.
///
/// # Errors
/// As the deserializer.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(path(&String::deserialize(deserializer)?))
}

/// Paths that need not be there, for serde's `with`.
pub mod option {
    use super::*;

    /// For serde's `serialize_with` and `with`.
    ///
    /// # Errors
    /// As the serializer.
    pub fn serialize<P: AsRef<Path>, S: Serializer>(
        path: &Option<P>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match path {
            Some(path) => super::serialize(path, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// For serde's `with`.
    ///
    /// # Errors
    /// As the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map(|text| path(&text)))
    }
}

/// Several paths, for serde's `with`.
pub mod list {
    use super::*;

    /// For serde's `serialize_with` and `with`.
    ///
    /// # Errors
    /// As the serializer.
    pub fn serialize<P: AsRef<Path>, S: Serializer>(
        paths: &[P],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| text(path.as_ref())))
    }

    /// For serde's `with`.
    ///
    /// # Errors
    /// As the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        Ok(texts.iter().map(|text| path(text)).collect())
    }
}

const BACKSLASH: u8 = b'\\';

/// The bytes of `\xNN`.
const ESCAPE_BYTES: usize = 4;

fn escaped(bytes: &[u8]) -> String {
    let mut escaped = String::with_capacity(bytes.len() + 16);
    let escape = |escaped: &mut String, byte: u8| escaped.push_str(&format!("\\x{byte:02x}"));
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        for (at, character) in text.char_indices() {
            match escape_at(&text.as_bytes()[at..]) {
                Some(_) => escape(&mut escaped, BACKSLASH),
                None => escaped.push(character),
            }
        }
        chunk.invalid().iter().for_each(|byte| escape(&mut escaped, *byte));
    }
    escaped
}

/// The byte that is escaped at the beginning of these bytes: a backslash, or one that is no ASCII.
fn escape_at(bytes: &[u8]) -> Option<u8> {
    let [BACKSLASH, b'x', digits @ ..] = bytes else { return None };
    let digits = std::str::from_utf8(digits.get(..2)?).ok()?;
    let is_lower_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    let byte = u8::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(is_lower_hex))?;
    (byte == BACKSLASH || !byte.is_ascii()).then_some(byte)
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(path.as_os_str().as_bytes())
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(path.to_string_lossy().into_owned().into_bytes())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(all(test, unix))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_are_text_wherever_they_can_be() {
        for (bytes, expected) in [
            (&b"runs/2026 \xc3\xa9.tar"[..], "runs/2026 é.tar"),
            (b"a\\b", "a\\b"),
            (b"a\\x41", "a\\x41"),
            (b"r\xff\xfe/x", "r\\xff\\xfe/x"),
            // What looks like an escaped byte, and is none.
            (b"a\\xff", "a\\x5cxff"),
            (b"a\\x5c", "a\\x5cx5c"),
            (b"\\\\xff\xff", "\\\\x5cxff\\xff"),
        ] {
            let path = path_of(bytes.to_vec());
            assert_eq!(text(&path), expected);
            assert_eq!(super::path(expected), path, "{expected}");
        }
    }

    proptest! {
        #[test]
        fn every_path_comes_back(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..4),
                    Just(b"\\x".to_vec()),
                    Just(b"\\x5c".to_vec()),
                    Just(b"\\xff".to_vec()),
                    Just(b"\\".to_vec()),
                    Just(b"\xff".to_vec()),
                    Just(b"x5c".to_vec()),
                ],
                0..8,
            ),
        ) {
            let path = path_of(pieces.concat());
            let text = text(&path).into_owned();
            prop_assert_eq!(super::path(&text), path);
        }
    }
}
