//! Names and paths out of files of others, as messages and tables show them: whole paths, names on one line, and nothing of
//! any length.

use std::path::Path;

use podium::told;
use serde::Serializer;

/// The characters of a name that are shown; of a longer one the beginning, and how long it is.
const MOST_CHARACTERS: usize = 200;

/// The characters that a name may have: no file name has more.
pub(crate) const LONGEST_NAME: usize = 255;

/// A name of others as a message shows it: on one line, with everything escaped that could steer a terminal, and cut.
pub fn shown_name(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) else {
        return told::shown_name(text);
    };
    let characters = text.chars().count();
    format!("{}… ({characters} characters)", told::shown_name(&text[..end]))
}

/// A path as a text that says all of it: bytes that are no UTF-8 are escapes (`\xff`), so that different paths are
/// different texts.
pub fn path_text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// A path as a message shows it.
pub(crate) fn shown_path(path: &Path) -> String {
    told::shown_name(&path_text(path))
}

/// Writes a path as its text: not every path is one that JSON can hold.
pub(crate) fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_have_one_line() {
        let long = "é".repeat(MOST_CHARACTERS);
        assert_eq!(shown_name(&long), long);
        let cut = shown_name(&format!("a\nb{}", "é".repeat(100_000)));
        assert!(cut.starts_with("a\\u{a}bé") && cut.ends_with("é… (100003 characters)"), "{cut}");
        assert!(cut.chars().count() < MOST_CHARACTERS + 40);
    }

    #[cfg(unix)]
    #[test]
    fn different_paths_are_different_texts() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let text = |bytes: &[u8]| path_text(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(text(b"a/\xff\xfeb"), "a/\\xff\\xfeb");
        assert_ne!(text(b"\xff"), text(b"\xfe"));
        assert_eq!(text("ä".as_bytes()), "ä");
    }
}
