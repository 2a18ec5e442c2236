//! `podium verify`: grades again what receipts state, and says exactly what differs.
//!
//! A receipt names its grader, submission and answers by digest, not by path. They are looked for where they probably
//! are ([`material`]), and whatever is found is compared with the digests before anything is graded. Submissions that are
//! not found so are looked for in the archive that the receipts are in, or are of, by their bytes.

mod material;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;
use podium::{
    ArchiveLimits, Cancellation, Difference, Digest, EntryProblem, FoundReceipt, FoundReceipts,
    Input, Receipt, RegradeSet, Sets, Verification,
};
use serde::{Serialize, Serializer};

use self::material::Material;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graders::GraderArgument;
use crate::progress::Progress;
use crate::{interrupt, number, output, sealing};

/// What `podium verify` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Receipts: files of one or of several; folders, .tar, .tar.gz, .tar.zst and .zip, in which they are looked for
    #[arg(required = true, value_name = "RECEIPT|ARCHIVE")]
    receipts: Vec<PathBuf>,
    /// The submission that was graded [default: as the grading report beside the receipt says, else a file beside it, else
    /// the file in the archive that has its bytes]
    #[arg(long, value_name = "FILE")]
    submission: Option<PathBuf>,
    /// The grader [default: the one with the right digest in the store or among the graders, else the competition's]
    #[arg(long, value_name = "FILE.wasm|DIGEST")]
    grader: Option<GraderArgument>,
    /// The answers, in their order; may be repeated [default: the competition's, in the data folder]
    #[arg(long, value_name = "FILE")]
    answers: Vec<PathBuf>,
}

/// What became of one receipt.
#[derive(Serialize)]
struct Verified {
    #[serde(serialize_with = "podium::path_text::serialize")]
    receipt: PathBuf,
    /// The file in the archive that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    /// The line in that file, where it holds many.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    result: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<Difference>,
    /// What is noted beside the claim and is not so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    made_by: Vec<Difference>,
    #[serde(rename = "error", skip_serializing_if = "Option::is_none", serialize_with = "in_json")]
    failure: Option<Failure>,
}

impl Verified {
    fn exit(&self) -> Exit {
        self.failure.as_ref().map_or(Exit::Success, Failure::exit)
    }
}

fn in_json<S: Serializer>(failure: &Option<Failure>, serializer: S) -> Result<S::Ok, S::Error> {
    failure.as_ref().map(Failure::to_json).serialize(serializer)
}

/// Verifies all receipts and prints what became of each.
///
/// # Errors
/// A folder that cannot be read or has no receipts; a policy or a store that cannot be used; a stdout that cannot be
/// written to. A receipt that does not hold, or cannot be checked, does not stop the rest.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let limits = ArchiveLimits::default();
    let sources: Vec<Result<Source, Failure>> =
        arguments.receipts.iter().map(|path| Source::find(path, &limits)).collect();
    let count = sources.iter().flatten().map(|source| source.receipts.len()).sum();
    // On a terminal the lines themselves show how it goes on.
    let shows_progress = count > 1 && (shared.json || !output::stdout_is_terminal());
    let mut verifier = Verifier {
        material: Material::new(arguments, shared)?,
        cancellation: interrupt::cancellation()?,
        progress: shows_progress.then(|| Progress::of(count, "verified")),
        prints: !shared.json,
        failure: None,
    };
    let mut all = Vec::new();
    let mut problems: Vec<EntryProblem> = Vec::new();
    for (path, source) in arguments.receipts.iter().zip(sources) {
        match source {
            Ok(source) => {
                all.extend(verifier.verify_all(&source, &limits));
                problems.extend(source.problems);
            }
            // One that holds none silences no other.
            Err(failure) => all.push(verifier.conclude_without_receipts(path, failure)),
        }
        if let Some(failure) = verifier.failure.take() {
            return Err(failure);
        }
    }
    if let Some(progress) = &verifier.progress {
        progress.finish();
    }
    if shared.json {
        output::print_json(&all)?;
    } else if all.len() > 1 {
        output::print(&summary(&all))?;
    }
    for EntryProblem { entry, reason } in &problems {
        output::warning_line(&format!("{entry}: {reason}"));
    }
    if verifier.cancellation.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    // That a receipt does not hold is the worst that there is to say.
    let unread = (!problems.is_empty()).then_some(Exit::Files);
    let exits = || all.iter().map(Verified::exit).chain(unread);
    Ok(exits()
        .find(|exit| *exit == Exit::Differs)
        .or_else(|| exits().max())
        .unwrap_or(Exit::Success))
}

/// Receipts that were named together, and the archive that holds their submissions.
struct Source {
    receipts: Vec<FoundReceipt>,
    archive: Option<PathBuf>,
    problems: Vec<EntryProblem>,
}

impl Source {
    fn find(path: &Path, limits: &ArchiveLimits) -> Result<Source, Failure> {
        let FoundReceipts { receipts, is_packed, problems } = podium::find_receipts(path, limits)?;
        let itself = || (is_packed || path.is_dir()).then(|| path.to_owned());
        // The receipts of a set are of submissions in the archive that the set is of.
        let of_set = match Sets::set_around(path) {
            Some(set) => RegradeSet::open(&set, &sealing::key()?)?.archive(),
            None => None,
        };
        let archive = of_set.or_else(itself);
        if receipts.is_empty() {
            return Err(without_receipts(path, &problems));
        }
        Ok(Source { receipts, archive, problems })
    }
}

/// That there is nothing to verify at a path: something could be there that could not be read, or there is nothing.
fn without_receipts(path: &Path, problems: &[EntryProblem]) -> Failure {
    const SHOWN: usize = 20;
    let path = output::path(path);
    let failure = match problems.is_empty() {
        true => Failure::new(Exit::Missing, format!("{path}: there are no receipts in it")),
        false => Failure::new(
            Exit::Files,
            format!("{path}: there are no receipts in what could be read of it"),
        ),
    };
    let failure = failure.hint(
        "in a folder or an archive, files called ….receipt.json and …receipts.jsonl are looked for",
    );
    problems.iter().take(SHOWN).fold(failure, |failure, EntryProblem { entry, reason }| {
        failure.hint(format!("{entry}: {reason}"))
    })
}

/// How many receipts came to what: `12 receipts: 11 identical, 1 differs`.
fn summary(all: &[Verified]) -> String {
    let results = ["identical", "differs", "other-material", "inconclusive", "not-checked"];
    let counts: Vec<String> = results
        .iter()
        .map(|result| (all.iter().filter(|one| one.result == *result).count(), result))
        .filter(|(count, _)| *count > 0)
        .map(|(count, result)| format!("{} {result}", number::count(count as u64)))
        .collect();
    format!("{}: {}", number::counted(all.len(), "receipt"), counts.join(", "))
}

struct Verifier<'a> {
    material: Material<'a>,
    cancellation: Cancellation,
    progress: Option<Progress>,
    prints: bool,
    /// That stdout cannot be written to.
    failure: Option<Failure>,
}

/// A receipt whose submission is still to be found.
struct Waiting {
    index: usize,
    receipt: Receipt,
    /// Why it was not found where it probably lies.
    failure: Failure,
}

impl Verifier<'_> {
    /// Verifies the receipts of a source, in their order; those whose submissions lie anywhere in an archive after the
    /// others, in the order of the archive.
    fn verify_all(&mut self, source: &Source, limits: &ArchiveLimits) -> Vec<Verified> {
        let mut all: Vec<Option<Verified>> = source.receipts.iter().map(|_| None).collect();
        let mut waiting: HashMap<Digest, Vec<Waiting>> = HashMap::new();
        let mut sizes = HashMap::new();
        for (index, found) in source.receipts.iter().enumerate() {
            match self.submission_of(found, source.archive.is_some()) {
                Ok(Found::Here(receipt, submission)) => {
                    let checked = self.check(&receipt, &submission);
                    all[index] = Some(self.conclude(found, checked));
                }
                Ok(Found::InArchive(receipt, failure)) => {
                    match receipt.claim.submission().map(|claimed| (claimed.sha256, claimed.size)) {
                        None => all[index] = Some(self.conclude(found, Err(failure))),
                        Some((sha256, size)) => {
                            sizes.insert(sha256, size);
                            let waits = waiting.entry(sha256).or_default();
                            waits.push(Waiting { index, receipt: *receipt, failure });
                        }
                    }
                }
                Err(failure) => all[index] = Some(self.conclude(found, Err(failure))),
            }
        }
        let mut unread = None;
        let mut broken = None;
        if let Some(archive) = source.archive.as_ref().filter(|_| !waiting.is_empty()) {
            let read =
                podium::find_by_digest(archive, limits, &sizes, &mut |digest, submission| {
                    for Waiting { index, receipt, .. } in waiting.remove(digest).unwrap_or_default()
                    {
                        let checked = self.check(&receipt, &submission);
                        all[index] = Some(self.conclude(&source.receipts[index], checked));
                    }
                    !self.cancellation.is_cancelled() && self.failure.is_none()
                });
            match read {
                Ok(why) => broken = why,
                Err(error) => unread = Some(error),
            }
        }
        let mut left: Vec<Waiting> = waiting.into_values().flatten().collect();
        left.sort_by_key(|waiting| waiting.index);
        for Waiting { index, failure, .. } in left {
            let failure = match (&unread, self.cancellation.is_cancelled()) {
                (_, true) => interrupted(),
                (Some(error), _) => Failure::from(error),
                // It may lie in what could not be read.
                (None, _) => match &broken {
                    Some(broken) => Failure::new(
                        Exit::Files,
                        format!(
                            "{failure}, as far as that could be read: {}",
                            output::harmless_name(broken)
                        ),
                    )
                    .hint("name it with --submission FILE, or verify with the whole archive"),
                    None => failure,
                },
            };
            all[index] = Some(self.conclude(&source.receipts[index], Err(failure)));
        }
        all.into_iter().flatten().collect()
    }

    /// A receipt and its submission, or why that is looked for in the archive.
    fn submission_of(&mut self, found: &FoundReceipt, has_archive: bool) -> Result<Found, Failure> {
        if self.cancellation.is_cancelled() {
            return Err(interrupted());
        }
        let receipt = Box::new(found.read()?);
        if found.entry.is_some() && !self.material.names_submission() {
            let name = receipt.claim.submission().map_or("", |input| input.name.as_str());
            let message = format!(
                "no file of the archive has the bytes of the submission `{}`",
                output::short_name(name)
            );
            let failure =
                Failure::new(Exit::Missing, message).hint("name it with --submission FILE");
            return Ok(Found::InArchive(receipt, failure));
        }
        match self.material.submission(&receipt, &found.path) {
            Ok(submission) => Ok(Found::Here(receipt, submission)),
            Err(failure) if has_archive && failure.exit() == Exit::Missing => {
                Ok(Found::InArchive(receipt, failure))
            }
            Err(failure) => Err(failure),
        }
    }

    fn check(&mut self, receipt: &Receipt, submission: &Input) -> Result<Verification, Failure> {
        let grader = self.material.grader(receipt)?;
        let answers = self.material.answers(receipt)?;
        Ok(receipt.verify(&grader, submission, &answers, &self.cancellation))
    }

    /// That there are no receipts where some were named, printed.
    fn conclude_without_receipts(&mut self, path: &Path, failure: Failure) -> Verified {
        let verified = Verified {
            receipt: path.to_owned(),
            entry: None,
            line: None,
            result: "not-checked",
            differences: Vec::new(),
            made_by: Vec::new(),
            failure: Some(failure),
        };
        let text = in_words(&output::path(path), &verified);
        self.show(&text);
        verified
    }

    fn show(&mut self, text: &str) {
        if self.prints
            && let Err(failure) = output::print(text)
        {
            self.failure.get_or_insert(failure);
        }
    }

    /// What became of a receipt, printed.
    fn conclude(
        &mut self,
        found: &FoundReceipt,
        checked: Result<Verification, Failure>,
    ) -> Verified {
        let verified = self.verified(found, checked);
        self.show(&in_words(&found.to_string(), &verified));
        if let Some(progress) = &self.progress {
            progress.step();
        }
        verified
    }

    fn verified(&self, found: &FoundReceipt, checked: Result<Verification, Failure>) -> Verified {
        let ended = |result, differences, made_by, failure| Verified {
            receipt: found.path.clone(),
            entry: found.entry.clone().map(String::from),
            line: found.line,
            result,
            differences,
            made_by,
            failure,
        };
        let fails =
            |result, differences, failure| ended(result, differences, Vec::new(), Some(failure));
        match checked {
            Ok(Verification::Inconclusive(_)) if self.cancellation.is_cancelled() => {
                fails("not-checked", Vec::new(), interrupted())
            }
            Err(failure) => fails("not-checked", Vec::new(), failure),
            Ok(Verification::Identical { made_by }) => {
                ended("identical", Vec::new(), made_by, None)
            }
            Ok(Verification::OtherMaterial(differences)) => fails(
                "other-material",
                differences,
                Failure::new(
                    Exit::Differs,
                    "nothing was graded: grader or inputs are not those of the receipt",
                )
                .hint("name the right ones with --grader, --submission and --answers"),
            ),
            Ok(Verification::Differs(differences)) => fails(
                "differs",
                differences,
                Failure::new(
                    Exit::Differs,
                    "the same grader with the same inputs gives something else",
                ),
            ),
            Ok(Verification::Inconclusive(failure)) => fails(
                "inconclusive",
                Vec::new(),
                Failure::new(Exit::GraderFailed, output::harmless(&failure.to_string())),
            ),
            Ok(_) => fails(
                "inconclusive",
                Vec::new(),
                Failure::new(Exit::GraderFailed, "this program does not know what came of it"),
            ),
        }
    }
}

/// A receipt that was read.
enum Found {
    /// With its submission.
    Here(Box<Receipt>, Input),
    /// Whose submission is looked for in the archive; why it was not found elsewhere.
    InArchive(Box<Receipt>, Failure),
}

/// That somebody stopped the program before a receipt was checked.
fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, "stopped before it was checked")
        .hint("run the command again to check it")
}

fn in_words(place: &str, verified: &Verified) -> String {
    let result = match verified.exit() {
        Exit::Success => verified.result.green().to_string(),
        Exit::Differs => verified.result.red().to_string(),
        _ => verified.result.yellow().to_string(),
    };
    let mut text = format!("{place}: {result}");
    if let Some(failure) = &verified.failure {
        // Errors about the receipt's own file begin with its name, which is there already.
        let message = failure.to_string();
        let name = format!("{}: ", output::path(&verified.receipt));
        let message = message.strip_prefix(&name).unwrap_or(&message);
        text.push_str(&format!(": {}", output::harmless_name(message)));
    }
    for difference in &verified.differences {
        text.push_str(&format!("\n  {}", difference_in_words(difference)));
    }
    for difference in &verified.made_by {
        let note = "beside the claim, which holds";
        text.push_str(&format!("\n  {note}: {}", difference_in_words(difference)));
    }
    for hint in verified.failure.iter().flat_map(Failure::hints) {
        text.push_str(&format!("\n  {} {hint}", "hint:".cyan()));
    }
    text
}

fn difference_in_words(difference: &Difference) -> String {
    let Difference { field, claimed, found } = difference;
    let or_nothing =
        |value: &Option<String>| output::harmless_name(value.as_deref().unwrap_or("nothing"));
    let field = output::short_name(field);
    format!("{field}: claimed {}, found {}", or_nothing(claimed), or_nothing(found))
}
