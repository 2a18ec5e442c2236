//! Finding receipts: in one file, in a file of many, below a folder, in a packed archive; and the submissions that they
//! are of, in an archive, by their bytes.
//!
//! What is found on disk is read one by one, later, so that a damaged receipt does not stop the others, and an archive of
//! many thousands does not lie in memory. A packed archive is read once for its receipts, whose texts are kept.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use crate::archive::{
    Archive, ArchiveFormat, ArchiveLimits, EntryPath, EntryProblem, EntryVisitor, Held, Passage,
    hold,
};
use crate::digest::Digest;
use crate::error::Error;
use crate::input::Input;
use crate::limits::Limits;
use crate::message;
use crate::receipt::Receipt;
use crate::regular_file;
use crate::verdict::Bytes;

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
    /// The file, or the packed archive.
    pub path: PathBuf,
    /// The file in the archive.
    pub entry: Option<EntryPath>,
    /// The line in it, from 1 on, where the file holds several receipts.
    pub line: Option<usize>,
    /// The text of the receipt.
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
    /// The path, the file in the archive, and the line, where there are such: `runs.tar:receipts.jsonl:3`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| message::fit_line(text, usize::MAX);
        formatter.write_str(&shown(&self.path.to_string_lossy()))?;
        if let Some(entry) = &self.entry {
            write!(formatter, ":{}", shown(entry.as_str()))?;
        }
        self.line.map_or(Ok(()), |line| write!(formatter, ":{line}"))
    }
}

/// The receipts at a path.
#[derive(Clone, Debug, Default)]
pub struct FoundReceipts {
    /// The receipts, in the order of their files.
    pub receipts: Vec<FoundReceipt>,
    /// Whether the path is that of a packed archive.
    pub is_packed: bool,
    /// What in the archive could not be used.
    pub problems: Vec<EntryProblem>,
}

/// The receipts at a path: of a file, the one that it holds, or several, one a line or one after the other; of a folder or
/// a packed archive, those in all files in it that are called `….receipt.json` or `…receipts.jsonl`. Links are not
/// followed.
///
/// A file is always found, be it there or not: what is wrong with it shows when it is read.
///
/// # Errors
/// [`Error::Read`] for a folder that cannot be read.
pub fn find_receipts(path: &Path, limits: &ArchiveLimits) -> Result<FoundReceipts, Error> {
    if !path.is_dir() {
        return Ok(match Archive::open(path, limits.clone()) {
            Ok(archive) => in_archive(&archive),
            Err(_) => FoundReceipts { receipts: in_file(path), ..FoundReceipts::default() },
        });
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| Error::read(&folder, source);
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && holds_receipts(&entry.file_name().to_string_lossy()) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    let receipts = files.iter().flat_map(|file| in_file(file)).collect();
    Ok(FoundReceipts { receipts, ..FoundReceipts::default() })
}

/// Whether a file in a folder or an archive holds receipts, by its name.
fn holds_receipts(name: &str) -> bool {
    name.ends_with(ONE) || name.ends_with(MANY_RECEIPTS)
}

fn in_file(path: &Path) -> Vec<FoundReceipt> {
    let found = |line, text| FoundReceipt { path: path.to_owned(), entry: None, line, text };
    // What is wrong with it is said when it is read.
    let Ok(bytes) = regular_file::read(path, MOST_BYTES) else {
        return vec![found(None, None)];
    };
    match receipts_in(&path.to_string_lossy(), &text_of(&bytes)) {
        // One receipt is read when it is its turn.
        None => vec![found(None, None)],
        Some(several) => several
            .into_iter()
            .map(|(line, text)| found(Some(line), Some(text.to_owned())))
            .collect(),
    }
}

/// The text of a file. What is none, such as the tail of a file that was cut off within a character, spoils the receipt that
/// it is in, and no other.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The receipts of a file that holds several, each with the line that it begins in: one value after the other, be they one a
/// line or not. `None` for a file that holds one, or none, and is not called as one of many.
///
/// What is no value is a receipt that is damaged, as far as it goes: to the next line that begins as nothing within a
/// receipt does. So what comes before it and after it is found all the same.
fn receipts_in<'a>(name: &str, text: &'a str) -> Option<Vec<(usize, &'a str)>> {
    let mut several = Vec::new();
    let mut budget = Budget(text.len().saturating_mul(2).saturating_add(LEAST_TRIED_BYTES));
    let (mut rest, mut line, mut has_whole) = (text, 1, false);
    loop {
        let trimmed = rest.trim_start();
        line += line_ends(&rest[..rest.len() - trimmed.len()]);
        rest = trimmed;
        if rest.is_empty() {
            break;
        }
        let whole = budget.end_of_value(rest);
        has_whole |= whole.is_some();
        let end = whole.unwrap_or_else(|| end_of_damaged(rest));
        several.push((line, rest[..end].trim_end()));
        line += line_ends(&rest[..end]);
        rest = &rest[end..];
    }
    // What holds no value at all is no file of several.
    (name.ends_with(MANY) || has_whole && several.len() > 1).then_some(several)
}

fn line_ends(text: &str) -> usize {
    text.matches('\n').count()
}

/// Where a receipt ends that is damaged: before the next line that begins as no line within one does.
fn end_of_damaged(text: &str) -> usize {
    let mut end = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let goes_on = line.trim().is_empty()
            || line.starts_with(|first: char| first.is_whitespace() || "}]\",".contains(first));
        if index > 0 && !goes_on {
            break;
        }
        end += line.len();
    }
    end
}

/// The bytes that may be tried in vain beyond those of the text: no honest file needs them.
const LEAST_TRIED_BYTES: usize = 1 << 20;

/// How much may be read in vain, so that text which opens what it never closes is not read again and again to its end.
struct Budget(usize);

impl Budget {
    /// Where the value ends that a text begins with; `None` where it begins with none.
    fn end_of_value(&mut self, text: &str) -> Option<usize> {
        let line = text.find('\n').unwrap_or(text.len());
        // Without a budget only what stands in one line is found.
        let tried = if self.0 == 0 { &text[..line] } else { text };
        let mut values = serde_json::Deserializer::from_str(tried).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(_)) => return Some(values.byte_offset()),
            Some(Err(error)) if error.is_eof() => self.0 = self.0.saturating_sub(tried.len()),
            Some(Err(error)) => {
                let read = tried.split_inclusive('\n').take(error.line()).map(str::len).sum();
                self.0 = self.0.saturating_sub(read);
            }
            None => {}
        }
        None
    }
}

fn in_archive(archive: &Archive) -> FoundReceipts {
    if archive.format() == ArchiveFormat::Folder {
        return FoundReceipts::default();
    }
    let mut collector =
        Collector { archive, bytes: 0, found: FoundReceipts::default(), unread: Vec::new() };
    let Passage { refused, broken, .. } = archive.visit(&mut collector);
    let Collector { mut found, unread, .. } = collector;
    found.is_packed = true;
    found.problems.extend(unread);
    found.problems.extend(refused);
    found.problems.extend(broken.map(|broken| problem_of(archive, &broken)));
    found
}

fn problem_of(archive: &Archive, reason: &str) -> EntryProblem {
    EntryProblem::new(archive.path().to_string_lossy(), reason)
}

/// Keeps the receipts that come by.
struct Collector<'a> {
    archive: &'a Archive,
    bytes: u64,
    found: FoundReceipts,
    unread: Vec<EntryProblem>,
}

impl EntryVisitor for Collector<'_> {
    fn wants(&mut self, path: &EntryPath, size: u64) -> bool {
        if !holds_receipts(path.name()) {
            return false;
        }
        let limits = self.archive.limits();
        let limit = if size > limits.document_bytes {
            limits.document_bytes
        } else if self.bytes.saturating_add(size) > limits.all_documents_bytes {
            limits.all_documents_bytes
        } else {
            self.bytes += size;
            return true;
        };
        let reason = format!("it is not read: there is more than the limit of {}", Bytes(limit));
        self.unread.push(EntryProblem::new(path.as_str(), reason));
        false
    }

    fn read(&mut self, path: &EntryPath, _: u64, content: &mut dyn Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        let text = text_of(&bytes);
        let receipts = receipts_in(path.as_str(), &text);
        let one = || vec![(None, &*text)];
        let receipts = receipts.map_or_else(one, |several| {
            several.into_iter().map(|(line, text)| (Some(line), text)).collect()
        });
        self.found.receipts.extend(receipts.into_iter().map(|(line, text)| FoundReceipt {
            path: self.archive.path().to_owned(),
            entry: Some(path.clone()),
            line,
            text: Some(text.to_owned()),
        }));
        Ok(())
    }
}

/// Finds files in an archive, be it a folder or packed, by their sizes and digests, and hands each over once, until
/// `found` says that no more are wanted. Links are not followed. Gives why the archive was not read to its end, where it was
/// not.
///
/// # Errors
/// As [`Archive::open`].
pub fn find_by_digest(
    archive: &Path,
    limits: &ArchiveLimits,
    wanted: &HashMap<Digest, u64>,
    found: &mut dyn FnMut(&Digest, Input) -> bool,
) -> Result<Option<String>, Error> {
    let archive = Archive::open(archive, limits.clone())?;
    let mut finder = Finder { wanted: wanted.clone(), found, goes_on: true };
    Ok(archive.visit(&mut finder).broken)
}

struct Finder<'a> {
    wanted: HashMap<Digest, u64>,
    found: &'a mut dyn FnMut(&Digest, Input) -> bool,
    goes_on: bool,
}

impl EntryVisitor for Finder<'_> {
    fn wants(&mut self, _: &EntryPath, size: u64) -> bool {
        self.wanted.values().any(|wanted| *wanted == size)
    }

    fn read(&mut self, path: &EntryPath, size: u64, content: &mut dyn Read) -> io::Result<()> {
        // A receipt that was made up may name any size.
        let limit = Limits::default().input_bytes;
        if let Held::Input(input) = hold(path.name(), size, limit, content)?
            && self.wanted.remove(input.sha256()).is_some()
        {
            let sha256 = *input.sha256();
            self.goes_on = (self.found)(&sha256, input);
        }
        Ok(())
    }

    fn goes_on(&self) -> bool {
        self.goes_on && !self.wanted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &Path) -> Vec<String> {
        let found = find_receipts(path, &ArchiveLimits::default()).unwrap();
        found.receipts.iter().map(ToString::to_string).collect()
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
            // Whatever the file is called.
            ("two.receipt.json", "{\"id\": 1}\n{\"id\": 2}\n", Some(&[1, 2])),
            ("two.txt", "{\"id\": 1}\n{\"id\": 2}\n", Some(&[1, 2])),
            ("long.receipt.json", "{\n\"id\": 1\n}\n\n{\n\"id\": 2\n}\n", Some(&[1, 5])),
            ("close.json", "{\"id\": 1}{\"id\": 2}", Some(&[1, 1])),
            ("half-long.json", "{\n\"id\": 1\n}\n{\n\"id\":", Some(&[1, 4])),
            // Whole receipts before and after what is damaged, however they are spaced.
            ("half-long.jsonl", "{\n \"id\": 1\n}\n{\n \"id\":", Some(&[1, 4])),
            ("middle.jsonl", "{\n \"id\": 1\n}\n{\n \"i\n}\n{\n \"id\": 2\n}\n", Some(&[1, 4, 7])),
            ("garbage.jsonl", "{\"id\": 1}\nxyz\nabc\n{\"id\": 2}\n", Some(&[1, 2, 3, 4])),
            ("cut.jsonl", "{\"id\": 1}\n{\"id\": [2,\n{\"id\": 3}\n", Some(&[1, 2, 3])),
            ("nul.json", "{\n \"id\": 1\n}\n\0\0\0", Some(&[1, 4])),
        ] {
            fs::write(path(name), text).unwrap();
            let expected = match lines {
                None => vec![path(name).display().to_string()],
                Some(lines) => shown(name, lines),
            };
            assert_eq!(found(&path(name)), expected, "{name}");
        }
        // Cut off within a character.
        fs::write(path("cut.json"), b"{\n \"id\": 1\n}\n{\n \"name\": \"\xc3").unwrap();
        assert_eq!(found(&path("cut.json")), shown("cut.json", &[1, 4]));
        // What is opened and never closed is not read again and again to its end.
        let open = "[\n".repeat(200_000);
        assert_eq!(receipts_in("open.jsonl", &open).unwrap().len(), 200_000);
        let receipt = |name: &str, index: usize| {
            let found = find_receipts(&path(name), &ArchiveLimits::default()).unwrap();
            found.receipts[index].clone()
        };
        assert!(matches!(receipt("missing.json", 0).read(), Err(Error::Read { .. })));
        let broken = receipt("broken.jsonl", 1);
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
        let inner = find_receipts(&path("b/receipts"), &ArchiveLimits::default()).unwrap();
        assert_eq!(inner.receipts.len(), 1);
    }

    #[test]
    fn in_a_packed_archive_receipts_are_found_and_submissions_by_their_bytes() {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, content) in [
            ("a/1.receipt.json", "{}"),
            ("a/s.csv", "id\n1\n"),
            ("b/same.csv", "id\n1\n"),
            ("b/other.csv", "id\n2\n"),
            ("receipts.jsonl", "{}\n{}\n"),
            ("report.json", "{}"),
        ] {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, name, content.as_bytes()).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.receipt.json");
        let bytes = tar.into_inner().unwrap();
        fs::write(&path, &bytes).unwrap();
        let limits = ArchiveLimits::default();
        let shown = path.display();
        let expected = [":a/1.receipt.json", ":receipts.jsonl:1", ":receipts.jsonl:2"];
        assert_eq!(found(&path), expected.map(|place| format!("{shown}{place}")));
        let wanted = HashMap::from([(Digest::of(b"id\n1\n"), 5), (Digest::of(b"gone"), 4)]);
        let mut handed_over = Vec::new();
        find_by_digest(&path, &limits, &wanted, &mut |digest, input| {
            assert_eq!(digest, input.sha256());
            handed_over.push(input.name().to_owned());
            true
        })
        .unwrap();
        assert_eq!(handed_over, ["s.csv"]);

        fs::write(&path, &bytes[..bytes.len() - 2_048]).unwrap();
        let cut = find_receipts(&path, &limits).unwrap();
        assert!(cut.problems.iter().any(|one| one.reason.contains("cut off")), "{cut:?}");
        let small = ArchiveLimits { all_documents_bytes: 3, ..limits };
        let few = find_receipts(&path, &small).unwrap();
        assert_eq!((few.receipts.len(), few.problems[0].entry.as_str()), (1, "receipts.jsonl"));
    }
}
