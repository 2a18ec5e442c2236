//! Finding receipts: in one file, in a file of many, below a folder.
//!
//! What is found is read one by one, later, so that a damaged receipt does not stop the others, and an archive of many
//! thousands does not lie in memory.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use crate::error::Error;
use crate::receipt::Receipt;
use crate::regular_file;

/// What the names of files of one receipt end with.
const ONE: &str = ".receipt.json";

/// What the names of files of many receipts end with: one a line.
const MANY: &str = ".jsonl";

/// What the names of files of many receipts end with, where folders are searched for them.
const MANY_RECEIPTS: &str = "receipts.jsonl";

/// No file of receipts is larger.
const MOST_BYTES: u64 = 1 << 30;

/// Where a receipt was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundReceipt {
    /// The file.
    pub path: PathBuf,
    /// The line in it, from 1 on, where the file holds one receipt a line.
    pub line: Option<usize>,
    /// The text of that line.
    text: Option<String>,
}

impl FoundReceipt {
    /// Reads it.
    ///
    /// # Errors
    /// As [`Receipt::read`].
    pub fn read(&self) -> Result<Receipt, Error> {
        match &self.text {
            None => Receipt::read(&self.path),
            Some(text) => Receipt::parse(text).map_err(|message| Error::Receipt {
                path: self.path.clone(),
                message: match self.line {
                    Some(line) => format!("line {line}: {message}"),
                    None => message,
                },
            }),
        }
    }
}

impl fmt::Display for FoundReceipt {
    /// The path, and the line where there is one: `receipts.jsonl:3`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.path.display())?;
        self.line.map_or(Ok(()), |line| write!(formatter, ":{line}"))
    }
}

/// The receipts at a path: of a file, the one that it holds, or one a line; of a folder, those in all files below it
/// that are called `….receipt.json` or `…receipts.jsonl`, in the order of their paths. Links are not followed.
///
/// A file is always found, be it there or not: what is wrong with it shows when it is read.
///
/// # Errors
/// [`Error::Read`] for a folder that cannot be read.
pub fn find_receipts(path: &Path) -> Result<Vec<FoundReceipt>, Error> {
    if !path.is_dir() {
        return Ok(in_file(path));
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| Error::read(&folder, source);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && (name.ends_with(ONE) || name.ends_with(MANY_RECEIPTS)) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files.iter().flat_map(|file| in_file(file)).collect())
}

fn in_file(path: &Path) -> Vec<FoundReceipt> {
    let whole = || vec![FoundReceipt { path: path.to_owned(), line: None, text: None }];
    // One receipt is read when it is its turn.
    if path.to_string_lossy().ends_with(ONE) {
        return whole();
    }
    match regular_file::read_text(path, MOST_BYTES) {
        Ok(text) if has_lines(path, &text) => text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(index, line)| FoundReceipt {
                path: path.to_owned(),
                line: Some(index + 1),
                text: Some(line.to_owned()),
            })
            .collect(),
        // What is wrong with it is said when it is read.
        _ => whole(),
    }
}

/// Whether a file holds a value a line: it is called so, or its first line is one and there is another.
fn has_lines(path: &Path, text: &str) -> bool {
    if path.to_string_lossy().ends_with(MANY) {
        return true;
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    lines.next().is_some() && serde_json::from_str::<IgnoredAny>(first).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &Path) -> Vec<String> {
        find_receipts(path).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_holds_one_receipt_or_one_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let shown = |name: &str, lines: &[usize]| -> Vec<String> {
            lines.iter().map(|line| format!("{}:{line}", path(name).display())).collect()
        };
        for (name, text, lines) in [
            ("one.json", "{\n  \"id\": 1\n}\n", None),
            ("short.json", "{\"id\": 1}\n\n", None),
            ("empty.json", "", None),
            ("broken.json", "{\n", None),
            ("many.json", "{\"id\": 1}\n\n{\"id\": 2}\n", Some(&[1, 3][..])),
            ("half.json", "{\"id\": 1}\n{\"id\"\n", Some(&[1, 2])),
            ("one.jsonl", "{\"id\": 1}\n", Some(&[1])),
            ("none.jsonl", "\n", Some(&[])),
            ("broken.jsonl", "{\n{\"id\": 1}", Some(&[1, 2])),
        ] {
            fs::write(path(name), text).unwrap();
            let expected = match lines {
                None => vec![path(name).display().to_string()],
                Some(lines) => shown(name, lines),
            };
            assert_eq!(found(&path(name)), expected, "{name}");
        }
        let missing = &find_receipts(&path("missing.json")).unwrap()[0];
        assert!(matches!(missing.read(), Err(Error::Read { .. })));
        let broken = &find_receipts(&path("broken.jsonl")).unwrap()[1];
        let message = broken.read().unwrap_err().to_string();
        assert!(message.contains("broken.jsonl: ") && message.contains("line 2: "), "{message}");
    }

    #[test]
    fn below_a_folder_all_are_found_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["b/receipts/2.receipt.json", "a.receipt.json", "b/1.receipt.json"] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), "{}").unwrap();
        }
        fs::write(path("b/receipts.jsonl"), "{}\n{}\n").unwrap();
        for other in ["runs.jsonl", "b/x_grading_report.json", "b/receipt.json.txt"] {
            fs::write(path(other), "{}\n").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("..", path("b/up")).unwrap();
        let expected: Vec<String> = [
            "a.receipt.json",
            "b/1.receipt.json",
            "b/receipts.jsonl:1",
            "b/receipts.jsonl:2",
            "b/receipts/2.receipt.json",
        ]
        .iter()
        .map(|name| path(name).display().to_string())
        .collect();
        let mut found = found(folder.path());
        found.sort();
        assert_eq!(found, expected);
        assert_eq!(find_receipts(&path("b/receipts")).unwrap().len(), 1);
    }
}
