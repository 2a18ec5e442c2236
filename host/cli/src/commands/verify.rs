//! `podium verify`: grades again what receipts state, and says exactly what differs.
//!
//! A receipt names its grader, submission and answers by digest, not by path. They are looked for where they probably
//! are ([`material`]), and whatever is found is compared with the digests before anything is graded.

mod material;

use std::path::PathBuf;

use owo_colors::OwoColorize;
use podium::{Cancellation, Difference, FoundReceipt, Verification};
use serde::{Serialize, Serializer};

use self::material::Material;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graders::GraderArgument;
use crate::progress::Progress;
use crate::{interrupt, number, output};

/// What `podium verify` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Receipts: files of one or of many (one a line), or folders, in which they are looked for
    #[arg(required = true, value_name = "RECEIPT|DIR")]
    receipts: Vec<PathBuf>,
    /// The submission that was graded [default: as the grading report beside the receipt says, else a file beside it]
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
    receipt: PathBuf,
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
    let mut found = Vec::new();
    for path in &arguments.receipts {
        let receipts = podium::find_receipts(path)?;
        if receipts.is_empty() {
            let message = format!("{}: there are no receipts in it", path.display());
            return Err(Failure::new(Exit::Missing, message).hint(
                "in a folder, files called ….receipt.json and …receipts.jsonl are looked for",
            ));
        }
        found.extend(receipts);
    }
    let mut verifier = Verifier {
        material: Material::new(arguments, shared)?,
        cancellation: interrupt::cancellation()?,
    };
    // On a terminal the lines themselves show how it goes on.
    let shows_progress = found.len() > 1 && (shared.json || !output::stdout_is_terminal());
    let progress = shows_progress.then(|| Progress::of(found.len(), "verified"));
    let mut all = Vec::new();
    for receipt in &found {
        let verified = verifier.verify(receipt);
        if !shared.json {
            output::print(&in_words(&verified))?;
        }
        all.push(verified);
        if let Some(progress) = &progress {
            progress.step();
        }
    }
    if let Some(progress) = progress {
        progress.finish();
    }
    if shared.json {
        output::print_json(&all)?;
    } else if all.len() > 1 {
        output::print(&summary(&all))?;
    }
    if verifier.cancellation.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    // That a receipt does not hold is the worst that there is to say.
    let exits = || all.iter().map(Verified::exit);
    Ok(exits()
        .find(|exit| *exit == Exit::Differs)
        .or_else(|| exits().max())
        .unwrap_or(Exit::Success))
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
}

impl Verifier<'_> {
    fn verify(&mut self, found: &FoundReceipt) -> Verified {
        let ended = |result, differences, made_by, failure| Verified {
            receipt: found.path.clone(),
            line: found.line,
            result,
            differences,
            made_by,
            failure,
        };
        let fails =
            |result, differences, failure| ended(result, differences, Vec::new(), Some(failure));
        let checked = match self.cancellation.is_cancelled() {
            true => Err(interrupted()),
            false => self.check(found),
        };
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
                Failure::new(Exit::GraderFailed, failure.to_string()),
            ),
            Ok(_) => fails(
                "inconclusive",
                Vec::new(),
                Failure::new(Exit::GraderFailed, "this program does not know what came of it"),
            ),
        }
    }

    fn check(&mut self, found: &FoundReceipt) -> Result<Verification, Failure> {
        let receipt = found.read()?;
        let grader = self.material.grader(&receipt)?;
        let submission = self.material.submission(&receipt, &found.path)?;
        let answers = self.material.answers(&receipt)?;
        Ok(receipt.verify(&grader, &submission, &answers, &self.cancellation))
    }
}

/// That somebody stopped the program before a receipt was checked.
fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, "stopped before it was checked")
        .hint("run the command again to check it")
}

fn in_words(verified: &Verified) -> String {
    let result = match verified.exit() {
        Exit::Success => verified.result.green().to_string(),
        Exit::Differs => verified.result.red().to_string(),
        _ => verified.result.yellow().to_string(),
    };
    let receipt = verified.receipt.display().to_string();
    let line = verified.line.map(|line| format!(":{line}")).unwrap_or_default();
    let mut text = format!("{}{line}: {result}", output::harmless(&receipt));
    if let Some(failure) = &verified.failure {
        // Errors about the receipt's own file begin with its name, which is there already.
        let message = failure.to_string();
        let message = message.strip_prefix(&format!("{receipt}: ")).unwrap_or(&message);
        text.push_str(&format!(": {}", output::harmless(message)));
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
        |value: &Option<String>| output::harmless(value.as_deref().unwrap_or("nothing"));
    let field = output::harmless(field);
    format!("{field}: claimed {}, found {}", or_nothing(claimed), or_nothing(found))
}
