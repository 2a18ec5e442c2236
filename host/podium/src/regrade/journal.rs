//! What of a set is graded already: its receipts, found by what they are of.
//!
//! A receipt names the digests of its grader and of every input, so nothing else has to be remembered. A file that is no
//! receipt (any more) is as good as not there, and is written over.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::digest::Digest;
use crate::error::Error;
use crate::input::Input;
use crate::limits::Limits;
use crate::receipt::Receipt;

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

/// The receipts of a set.
pub(super) struct Journal {
    folder: PathBuf,
    known: HashMap<Key, PathBuf>,
}

impl Journal {
    /// Reads what is there; a folder that is missing holds nothing.
    ///
    /// # Errors
    /// [`Error::Read`] where the folder is there and cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Journal, Error> {
        let mut known = HashMap::new();
        match std::fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::read(folder, source)),
            Ok(entries) => {
                for entry in entries {
                    let path = entry.map_err(|source| Error::read(folder, source))?.path();
                    let is_receipt = path
                        .file_name()
                        .is_some_and(|name| name.to_string_lossy().ends_with(".receipt.json"));
                    if is_receipt && let Ok(receipt) = Receipt::read(&path) {
                        known.insert(Key::of_receipt(&receipt), path);
                    }
                }
            }
        }
        Ok(Journal { folder: folder.to_owned(), known })
    }

    /// The receipt of a grading that was done before under the same limits.
    pub(super) fn find(&self, key: &Key, limits: &Limits) -> Option<Receipt> {
        let receipt = Receipt::read(self.known.get(key)?).ok()?;
        (receipt.made_by.limits == *limits && Key::of_receipt(&receipt) == *key).then_some(receipt)
    }

    /// Writes the receipt of a grading that has ended.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(super) fn add(&self, receipt: &Receipt) -> Result<(), Error> {
        receipt.write_to(&self.folder).map(|_| ())
    }
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

        let folder = world.path("receipts");
        let journal = Journal::read(&folder).unwrap();
        assert_eq!(journal.find(&key, &limits), None);
        journal.add(&receipt).unwrap();
        let journal = Journal::read(&folder).unwrap();
        assert_eq!(journal.find(&key, &limits), Some(receipt.clone()));
        assert_eq!(journal.find(&key, &Limits { fuel: 7, ..limits.clone() }), None);
        let path = folder.join(receipt.file_name());
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() / 2]).unwrap();
        assert_eq!(journal.find(&key, &limits), None);
        assert!(Journal::read(&folder).unwrap().known.is_empty());
    }
}
