//! What of a set is graded already: its receipts, found by what they are of.
//!
//! A receipt names the digests of its grader and of every input, so nothing else has to be remembered. Only receipts that
//! carry this person's seal are believed: whoever lays others into a set's folder gains nothing. A file that is no
//! receipt (any more) is as good as not there, and is written over.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use crate::atomic_write::write_over_unsynced;
use crate::digest::Digest;
use crate::error::Error;
use crate::input::Input;
use crate::limits::Limits;
use crate::receipt::Receipt;
use crate::regular_file;
use crate::run_group::to_json;

use super::seal::{Purpose, SealingKey};

/// The file of a set that holds the seals of its receipts: a line each, the receipt's id and the seal.
pub(super) const SEALS_FILE: &str = "seals";

/// The folder of a set that holds its receipts.
pub(super) const RECEIPTS_FOLDER: &str = "receipts";

/// No receipt, and no file of seals, is larger.
const MOST_BYTES: u64 = 64 << 20;
const MOST_BYTES_OF_SEALS: u64 = 1 << 30;

/// What a grading is of, in one digest: the grader, and name, size and digest of every input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(Digest);

impl Key {
    /// The key of a grading that is about to be done.
    pub(super) fn of(component: &Digest, submission: &Input, answers: &[Input]) -> Key {
        let inputs = std::iter::once(submission).chain(answers);
        Key::from(component, inputs.map(|input| (input.name(), input.size(), *input.sha256())))
    }

    fn of_receipt(receipt: &Receipt) -> Key {
        let inputs = receipt.claim.inputs.iter();
        Key::from(
            &receipt.claim.component.sha256,
            inputs.map(|input| (input.name.as_str(), input.size, input.sha256)),
        )
    }

    fn from<'a>(component: &Digest, inputs: impl Iterator<Item = (&'a str, u64, Digest)>) -> Key {
        // JSON, because names may hold anything.
        let inputs: Vec<_> = inputs.collect();
        Key(Digest::of(json!([component, inputs]).to_string().as_bytes()))
    }
}

/// Where the receipt of a grading lies, with its seal.
struct Place {
    path: PathBuf,
    seal: Digest,
    /// Whether it lies in another set.
    is_elsewhere: bool,
}

/// The receipts of a set, and of others whose gradings need not be done again.
pub(super) struct Journal {
    folder: PathBuf,
    key: SealingKey,
    known: HashMap<Key, Place>,
    seals: Mutex<Option<File>>,
}

impl Journal {
    /// Reads what is there of the set in `folder`, and of `others`; what is missing holds nothing.
    ///
    /// # Errors
    /// [`Error::Read`] where a folder is there and cannot be read.
    pub(super) fn read(
        folder: &Path,
        others: &[PathBuf],
        key: &SealingKey,
    ) -> Result<Journal, Error> {
        let mut journal = Journal {
            folder: folder.to_owned(),
            key: key.clone(),
            known: HashMap::new(),
            seals: Mutex::default(),
        };
        for (folder, is_elsewhere) in
            others.iter().map(|other| (other.as_path(), true)).chain([(folder, false)])
        {
            // What is not proven is graded again.
            for_each_sealed(folder, key, |path, seal, receipt| {
                let place = Place { path, seal, is_elsewhere };
                journal.known.insert(Key::of_receipt(&receipt), place);
            })?;
        }
        Ok(journal)
    }

    /// The receipt of a grading that was done before under the same limits, and whether that was in another set.
    pub(super) fn find(&self, key: &Key, limits: &Limits) -> Option<(Receipt, bool)> {
        let Place { path, seal, is_elsewhere } = self.known.get(key)?;
        let receipt = read_sealed(path, seal, &self.key)?;
        let is_it = receipt.made_by.limits == *limits && Key::of_receipt(&receipt) == *key;
        is_it.then_some((receipt, *is_elsewhere))
    }

    /// Writes the receipt of a grading that has ended.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(super) fn add(&self, receipt: &Receipt) -> Result<(), Error> {
        let text = to_json(receipt);
        let seal = self.key.seal(Purpose::Receipt, text.as_bytes());
        // The seal goes first: a receipt without one would be of no use, a seal without its receipt does no harm.
        self.append(&format!("{} {seal}\n", receipt.id))?;
        let folder = self.folder.join(RECEIPTS_FOLDER);
        write_over_unsynced(&folder.join(receipt.file_name()), text.as_bytes())
    }

    fn append(&self, line: &str) -> Result<(), Error> {
        let path = self.folder.join(SEALS_FILE);
        let mut seals = self.seals.lock().unwrap_or_else(PoisonError::into_inner);
        let appended = match &mut *seals {
            Some(file) => file.write_all(line.as_bytes()),
            none => open_seals(&path).and_then(|file| none.insert(file).write_all(line.as_bytes())),
        };
        appended.map_err(|source| Error::write(&path, source))
    }
}

/// Opens the file of seals for writing at its end. A line that a process was killed over is ended.
fn open_seals(path: &Path) -> io::Result<File> {
    match path.symlink_metadata() {
        Ok(there) if !there.is_file() => {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "this is no regular file"));
        }
        _ => {}
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if file.metadata()?.len() > 0 {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// Hands over the receipts of a set that carry a seal of this key. Gives the names of the files that do not, each with what
/// is wrong.
///
/// # Errors
/// [`Error::Read`] where the folder is there and cannot be read.
pub(super) fn for_each_sealed(
    set: &Path,
    key: &SealingKey,
    mut take: impl FnMut(PathBuf, Digest, Receipt),
) -> Result<Vec<(String, &'static str)>, Error> {
    let seals = read_seals(&set.join(SEALS_FILE))?;
    let mut unproven = Vec::new();
    for path in receipt_files(set)? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let id: Option<Digest> = name.strip_suffix(RECEIPT).and_then(|id| id.parse().ok());
        let Some(seal) = id.and_then(|id| seals.get(&id)) else {
            unproven.push((name, "it has no seal of yours: it is not compared with"));
            continue;
        };
        match read_sealed(&path, seal, key) {
            Some(receipt) => take(path, *seal, receipt),
            None => {
                unproven.push((name, "it was changed since it was sealed: it is not compared with"))
            }
        }
    }
    Ok(unproven)
}

/// Seals every receipt of a set as one of this key, whoever made it.
///
/// # Errors
/// [`Error::Read`] and [`Error::Write`].
pub(super) fn seal_all(set: &Path, key: &SealingKey) -> Result<(), Error> {
    let journal = Journal::read(set, &[], key)?;
    for path in receipt_files(set)? {
        if let Ok(receipt) = Receipt::read(&path) {
            journal.add(&receipt)?;
        }
    }
    Ok(())
}

/// What the names of files of one receipt end with.
pub(super) const RECEIPT: &str = ".receipt.json";

/// The name of the file of a receipt.
pub(super) fn receipt_file_name(id: &Digest) -> String {
    format!("{id}{RECEIPT}")
}

fn receipt_files(set: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = set.join(RECEIPTS_FOLDER);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(Error::read(&folder, source)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|source| Error::read(&folder, source))?;
        let is_receipt = entry.file_name().to_string_lossy().ends_with(RECEIPT);
        if is_receipt && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn read_seals(path: &Path) -> Result<HashMap<Digest, Digest>, Error> {
    let bytes = match regular_file::read(path, MOST_BYTES_OF_SEALS) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(source) => return Err(Error::read(path, source)),
    };
    // The last line may be half a line.
    let text = String::from_utf8_lossy(&bytes);
    let pair = |line: &str| {
        let (id, seal) = line.split_once(' ')?;
        Some((id.parse().ok()?, seal.parse().ok()?))
    };
    Ok(text.lines().filter_map(pair).collect())
}

fn read_sealed(path: &Path, seal: &Digest, key: &SealingKey) -> Option<Receipt> {
    let text = regular_file::read_text(path, MOST_BYTES).ok()?;
    key.fits(seal, Purpose::Receipt, text.as_bytes()).then(|| Receipt::parse(&text).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grading::GradingOptions;
    use crate::testing_competition::TestingCompetition;

    /// Threat 15: every key covers every digest in the receipt.
    #[test]
    fn keys_cover_everything_that_is_graded() {
        let component = Digest::of(b"component");
        let submission = Input::from_bytes("submission.csv", "1");
        let answers = [Input::from_bytes("a.csv", "x"), Input::from_bytes("b.csv", "y")];
        let key = Key::of(&component, &submission, &answers);
        let others = [
            Key::of(&Digest::of(b"another"), &submission, &answers),
            Key::of(&component, &Input::from_bytes("submission.csv", "2"), &answers),
            Key::of(&component, &Input::from_bytes("other.csv", "1"), &answers),
            Key::of(&component, &submission, &answers[..1]),
            Key::of(&component, &submission, &[answers[1].clone(), answers[0].clone()]),
            Key::of(
                &component,
                &submission,
                &[answers[0].clone(), Input::from_bytes("b.csv", "z")],
            ),
        ];
        assert!(others.iter().all(|other| *other != key));
        assert_eq!(key, Key::of(&component, &submission.clone(), &answers));
    }

    #[test]
    fn what_was_graded_is_found_and_what_is_half_written_is_not() {
        let world = TestingCompetition::new();
        let (context, competition) = (world.context(), world.competition());
        let submission = Input::from_bytes("submission.csv", "3");
        let options = GradingOptions::default();
        let graded = context.grade_input(&competition, &submission, "x", &options);
        let receipt = graded.receipt.unwrap();
        let (component, answers) = context.material(&competition, &options).unwrap();
        let key = Key::of(&component, &submission, &answers);
        let limits = context.limits_of(&competition);

        let folder = world.path("set");
        std::fs::create_dir_all(folder.join(RECEIPTS_FOLDER)).unwrap();
        let own = SealingKey::for_this_process().unwrap();
        let read = |key: &SealingKey| Journal::read(&folder, &[], key).unwrap();
        assert_eq!(read(&own).find(&key, &limits), None);
        read(&own).add(&receipt).unwrap();
        let journal = read(&own);
        assert_eq!(journal.find(&key, &limits), Some((receipt.clone(), false)));
        assert_eq!(journal.find(&key, &Limits { fuel: 7, ..limits.clone() }), None);
        // Another set may take it from here, and knows where it was made.
        let other = Journal::read(&world.path("other"), std::slice::from_ref(&folder), &own);
        assert_eq!(other.unwrap().find(&key, &limits), Some((receipt.clone(), true)));
        // Somebody else's key makes nothing of it, nor does a receipt without its seal.
        let stranger = SealingKey::for_this_process().unwrap();
        assert!(read(&stranger).known.is_empty());
        let seals = std::fs::read_to_string(folder.join(SEALS_FILE)).unwrap();
        std::fs::write(folder.join(SEALS_FILE), &seals[..seals.len() / 2]).unwrap();
        assert!(read(&own).known.is_empty());
        read(&own).add(&receipt).unwrap();
        assert_eq!(read(&own).known.len(), 1, "after half a line");
        // Whoever adopts a set believes all of its receipts.
        seal_all(&folder, &stranger).unwrap();
        assert_eq!(read(&stranger).known.len(), 1);
        seal_all(&folder, &own).unwrap();
        let journal = read(&own);
        let path = folder.join(RECEIPTS_FOLDER).join(receipt.file_name());
        let text = std::fs::read_to_string(&path).unwrap();
        for changed in [&text[..text.len() / 2], &text.replace("\"fuel\": ", "\"fuel\": 1")] {
            std::fs::write(&path, changed).unwrap();
            assert_eq!(journal.find(&key, &limits), None);
            assert!(read(&own).known.is_empty());
        }
    }
}
