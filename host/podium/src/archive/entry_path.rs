//! The path of a file in an archive: relative, and never leading out.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most bytes of a path, of one of its steps, and the most steps: what file systems allow.
const LONGEST: usize = 4_096;
const LONGEST_STEP: usize = 255;
const MOST_STEPS: usize = 64;

/// A relative path with `/` between its steps, none of them empty, `.` or `..`. The empty path is the archive itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntryPath(String);

/// What is wrong with the path of a file in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryPathProblem {
    /// It has no step.
    #[error("it has no name")]
    Empty,
    /// It begins at the root, or with the letter of a drive.
    #[error("its path is absolute")]
    Absolute,
    /// It has a step `..`.
    #[error("its path leads out of its folder by `..`")]
    LeadsOut,
    /// A character that means something else on another system, or steers a terminal.
    #[error("its path has a backslash or a control character")]
    Character,
    /// Bytes that are no text.
    #[error("its path is not UTF-8 text")]
    NotText,
    /// Longer than file systems allow.
    #[error("its path is too long or too deep")]
    TooLong,
}

impl EntryPath {
    /// Checks a path as an archive spells it. Steps that are empty or `.` are dropped: `./a//b` is `a/b`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<EntryPath, EntryPathProblem> {
        let text = std::str::from_utf8(bytes).map_err(|_| EntryPathProblem::NotText)?;
        let path = EntryPath::within(text)?;
        if path.0.is_empty() { Err(EntryPathProblem::Empty) } else { Ok(path) }
    }

    /// As [`EntryPath::parse`], but a path without steps is the archive itself.
    fn within(text: &str) -> Result<EntryPath, EntryPathProblem> {
        if text.len() > LONGEST {
            return Err(EntryPathProblem::TooLong);
        }
        if text.contains('\\') || text.chars().any(char::is_control) {
            return Err(EntryPathProblem::Character);
        }
        if text.starts_with('/') {
            return Err(EntryPathProblem::Absolute);
        }
        let mut steps = Vec::new();
        for step in text.split('/') {
            match step {
                "" | "." => {}
                ".." => return Err(EntryPathProblem::LeadsOut),
                step if step.len() > LONGEST_STEP => return Err(EntryPathProblem::TooLong),
                step => steps.push(step),
            }
        }
        if steps.len() > MOST_STEPS {
            return Err(EntryPathProblem::TooLong);
        }
        let path = steps.join("/");
        // Only now is it known what the path begins with: `./b:` is `b:`.
        if let [letter, b':', ..] = path.as_bytes()
            && letter.is_ascii_alphabetic()
        {
            return Err(EntryPathProblem::Absolute);
        }
        Ok(EntryPath(path))
    }

    /// The archive itself.
    pub fn root() -> EntryPath {
        EntryPath::default()
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the archive itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The last step; nothing for the archive itself.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path without its last step; `None` for the archive itself.
    pub fn parent(&self) -> Option<EntryPath> {
        if self.is_root() {
            return None;
        }
        Some(EntryPath(
            self.0.rsplit_once('/').map_or_else(String::new, |(above, _)| above.to_owned()),
        ))
    }

    /// This path and all above it, the archive itself last.
    pub fn ancestors(&self) -> impl Iterator<Item = EntryPath> {
        std::iter::successors(Some(self.clone()), EntryPath::parent)
    }

    /// The path with further steps.
    ///
    /// # Errors
    /// As [`EntryPath::parse`].
    pub fn join(&self, further: &str) -> Result<EntryPath, EntryPathProblem> {
        let further = EntryPath::within(further)?;
        match (self.is_root(), further.is_root()) {
            (true, _) => Ok(further),
            (_, true) => Ok(self.clone()),
            _ => EntryPath::within(&format!("{}/{}", self.0, further.0)),
        }
    }

    /// Whether this path lies in that folder, at any depth.
    pub fn is_beneath(&self, folder: &EntryPath) -> bool {
        folder.is_root() && !self.is_root()
            || self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl fmt::Display for EntryPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl TryFrom<String> for EntryPath {
    type Error = EntryPathProblem;

    fn try_from(text: String) -> Result<EntryPath, EntryPathProblem> {
        EntryPath::within(&text)
    }
}

impl From<EntryPath> for String {
    fn from(path: EntryPath) -> String {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_are_relative_and_plain() {
        for (text, path) in [
            ("a", "a"),
            ("a/b.csv", "a/b.csv"),
            ("./a//b/./c", "a/b/c"),
            ("a/", "a"),
            ("...", "..."),
            ("a..b/..c", "a..b/..c"),
            ("ab:c", "ab:c"),
        ] {
            assert_eq!(EntryPath::parse(text.as_bytes()).unwrap().as_str(), path);
        }
    }

    /// Threat 16: archives that write outside.
    #[test]
    fn paths_that_lead_out_are_refused() {
        use EntryPathProblem::{Absolute, Character, Empty, LeadsOut, NotText, TooLong};
        for (bytes, problem) in [
            (b"".as_slice(), Empty),
            (b"./", Empty),
            (b"/etc/passwd", Absolute),
            (b"//a", Absolute),
            (b"C:/a", Absolute),
            (b"c:a", Absolute),
            (b"./c:a", Absolute),
            (b"./c:", Absolute),
            (b"..", LeadsOut),
            (b"../a", LeadsOut),
            (b"a/../../b", LeadsOut),
            (b"a/..", LeadsOut),
            (b"a\\..\\b", Character),
            (b"a\0b", Character),
            (b"a\nb", Character),
            (b"a\x1b[2J", Character),
            (b"\xff", NotText),
        ] {
            assert_eq!(EntryPath::parse(bytes), Err(problem), "{bytes:?}");
        }
        assert_eq!(EntryPath::parse("x/".repeat(65).as_bytes()), Err(TooLong));
        assert_eq!(EntryPath::parse("x".repeat(256).as_bytes()), Err(TooLong));
        assert_eq!(EntryPath::parse("xx/".repeat(2_000).as_bytes()), Err(TooLong));
    }

    #[test]
    fn steps_are_taken_apart_and_put_together() {
        let path = EntryPath::parse(b"a/b/c.csv").unwrap();
        let above: Vec<String> = path.ancestors().map(String::from).collect();
        assert_eq!(above, ["a/b/c.csv", "a/b", "a", ""]);
        assert_eq!((path.name(), EntryPath::root().name()), ("c.csv", ""));
        let folder = path.parent().unwrap();
        assert_eq!(folder.join("c.csv").unwrap(), path);
        assert_eq!(EntryPath::root().join("./a/b").unwrap(), folder);
        assert_eq!(folder.join("../x"), Err(EntryPathProblem::LeadsOut));
        assert!(path.is_beneath(&folder) && path.is_beneath(&EntryPath::root()));
        assert!(
            !folder.is_beneath(&folder) && !path.is_beneath(&EntryPath::parse(b"a/b/c").unwrap())
        );
    }

    proptest! {
        #[test]
        fn whatever_is_taken_stays_inside(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(path) = EntryPath::parse(&bytes) {
                stays_inside(&path)?;
            }
        }

        #[test]
        fn whatever_looks_like_a_path_stays_inside(text in "[a-c./\\\\:]{0,24}", further in "[a-c./]{0,12}") {
            if let Ok(path) = EntryPath::parse(text.as_bytes()) {
                stays_inside(&path)?;
                if let Ok(joined) = path.join(&further) {
                    stays_inside(&joined)?;
                    prop_assert!(joined == path || joined.is_beneath(&path));
                }
            }
        }
    }

    fn stays_inside(path: &EntryPath) -> Result<(), TestCaseError> {
        use std::path::{Component, Path};
        let components: Vec<Component<'_>> = Path::new(path.as_str()).components().collect();
        prop_assert!(!components.is_empty());
        prop_assert!(
            components.iter().all(|step| matches!(step, Component::Normal(_))),
            "{}",
            path
        );
        // A second check changes nothing.
        prop_assert_eq!(&EntryPath::parse(path.as_str().as_bytes()).unwrap(), path);
        Ok(())
    }
}
