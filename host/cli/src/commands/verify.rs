//! `podium verify`: grades again what receipts state, and says exactly what differs.
//!
//! A receipt names its grader, submission and answers by digest, not by path. They are looked for where they probably
//! are, and whatever is found is compared with the digests before anything is graded.

use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;
use podium::{
    Cancellation, Catalog, Difference, Engine, Grader, Input, Receipt, RunGroupReport, Verification,
};
use serde::{Serialize, Serializer};

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::{engine, interrupt, output};

/// What `podium verify` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The receipts
    #[arg(required = true, value_name = "RECEIPT")]
    receipts: Vec<PathBuf>,
    /// The submission that was graded [default: as the grading report beside the receipt says, else a file beside it]
    #[arg(long, value_name = "FILE")]
    submission: Option<PathBuf>,
    /// The grader [default: the one with the right digest among the graders, else the competition's]
    #[arg(long, value_name = "FILE.wasm")]
    grader: Option<PathBuf>,
    /// The answers, in their order; may be repeated [default: the competition's, in the data folder]
    #[arg(long, value_name = "FILE")]
    answers: Vec<PathBuf>,
}

/// What became of one receipt.
#[derive(Serialize)]
struct Verified {
    receipt: PathBuf,
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
/// A stdout that cannot be written to. A receipt that does not hold, or cannot be checked, does not stop the rest.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    let verifier = Verifier {
        arguments,
        catalog: places.catalog(),
        engine: engine::start(shared)?,
        cancellation: interrupt::cancellation()?,
        places,
    };
    let mut all = Vec::new();
    for path in &arguments.receipts {
        let verified = verifier.verify(path);
        if !shared.json {
            output::print(&in_words(&verified))?;
        }
        all.push(verified);
    }
    if shared.json {
        output::print_json(&all)?;
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

struct Verifier<'a> {
    arguments: &'a Arguments,
    places: Places,
    catalog: Catalog,
    engine: Engine,
    cancellation: Cancellation,
}

impl Verifier<'_> {
    fn verify(&self, path: &Path) -> Verified {
        let holds = |made_by| Verified {
            receipt: path.to_owned(),
            result: "identical",
            differences: Vec::new(),
            made_by,
            failure: None,
        };
        let fails = |result, differences, failure| Verified {
            receipt: path.to_owned(),
            result,
            differences,
            made_by: Vec::new(),
            failure: Some(failure),
        };
        let checked = match self.cancellation.is_cancelled() {
            true => Err(interrupted()),
            false => self.check(path),
        };
        match checked {
            Ok(Verification::Inconclusive(_)) if self.cancellation.is_cancelled() => {
                fails("not-checked", Vec::new(), interrupted())
            }
            Err(failure) => fails("not-checked", Vec::new(), failure),
            Ok(Verification::Identical { made_by }) => holds(made_by),
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

    fn check(&self, path: &Path) -> Result<Verification, Failure> {
        let receipt = Receipt::read(path)?;
        let limit = receipt.made_by.limits.input_bytes;
        let grader = self.grader(&receipt)?;
        let submission = Input::open(self.submission(&receipt, path)?, limit)?;
        let answers = self
            .answers(&receipt)?
            .iter()
            .map(|path| Ok(Input::open(path, limit)?))
            .collect::<Result<Vec<_>, Failure>>()?;
        Ok(receipt.verify(&grader, &submission, &answers, &self.cancellation))
    }

    fn grader(&self, receipt: &Receipt) -> Result<Grader, Failure> {
        let claimed = &receipt.claim.component;
        if let Some(path) = &self.arguments.grader {
            return Ok(Grader::from_file(&self.engine, path)?);
        }
        // An old receipt needs its old grader, which is kept under its digest.
        let by_digest = self
            .catalog
            .grader_folders()
            .iter()
            .map(|folder| folder.join(format!("{}.wasm", claimed.sha256)))
            .find(|path| path.is_file());
        let path = match by_digest {
            Some(path) => path,
            None => {
                let competition = self.catalog.get(&claimed.competition)?;
                competition.grader()?.to_owned()
            }
        };
        Ok(Grader::from_file(&self.engine, path)?)
    }

    fn submission(&self, receipt: &Receipt, receipt_path: &Path) -> Result<PathBuf, Failure> {
        if let Some(path) = &self.arguments.submission {
            return Ok(path.clone());
        }
        let folder = match receipt_path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let reported = [folder, &folder.join("..")]
            .into_iter()
            .find_map(|folder| reported_in(folder, receipt));
        if let Some(path) = reported.as_deref().filter(|path| path.is_file()) {
            return Ok(path.to_owned());
        }
        let name = receipt.claim.submission().map(|input| input.name.as_str()).unwrap_or_default();
        // A name is one step, or it would lead anywhere.
        let beside =
            Path::new(name).file_name().map(|name| folder.join(name)).filter(|path| path.is_file());
        beside.ok_or_else(|| {
            let name = output::harmless(name);
            match reported {
                None => Failure::new(
                    Exit::Missing,
                    format!("it is not known where the submission `{name}` lies"),
                )
                .hint("name it with --submission FILE"),
                Some(path) => Failure::new(
                    Exit::Missing,
                    format!(
                        "the submission `{name}` is not where the report says, at {}",
                        output::harmless(&path.display().to_string())
                    ),
                )
                .hint(
                    "name it with --submission FILE, or verify from the folder from which it was graded",
                ),
            }
        })
    }

    fn answers(&self, receipt: &Receipt) -> Result<Vec<PathBuf>, Failure> {
        if !self.arguments.answers.is_empty() {
            return Ok(self.arguments.answers.clone());
        }
        let competition = self.catalog.get(&receipt.claim.component.competition)?;
        let answers = competition.answers_in(&self.places.data);
        if let Some(missing) = answers.iter().find(|path| !path.exists()) {
            return Err(Failure::new(
                Exit::Missing,
                format!(
                    "the data of `{}` are not prepared: {} is not there",
                    competition.id(),
                    missing.display()
                ),
            )
            .hint("name the data folder with --data-dir, or the answers with --answers"));
        }
        // Whoever set the data folder up is trusted: links in it may lead wherever they like.
        Ok(answers.into_iter().map(|path| path.canonicalize().unwrap_or(path)).collect())
    }
}

/// That somebody stopped the program before a receipt was checked.
fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, "stopped before it was checked")
        .hint("run the command again to check it")
}

/// Where the submission of a receipt lies or lay, by the reports of run groups in a folder.
fn reported_in(folder: &Path, receipt: &Receipt) -> Option<PathBuf> {
    let mut reports: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().ends_with("_grading_report.json"))
        })
        .collect();
    reports.sort();
    reports.iter().rev().find_map(|path| {
        let group = RunGroupReport::read(path).ok()?;
        let report = group
            .competition_reports
            .into_iter()
            .find(|report| report.receipt_id == Some(receipt.id))?;
        Some(PathBuf::from(report.submission_path))
    })
}

fn in_words(verified: &Verified) -> String {
    let result = match verified.exit() {
        Exit::Success => verified.result.green().to_string(),
        Exit::Differs => verified.result.red().to_string(),
        _ => verified.result.yellow().to_string(),
    };
    let receipt = verified.receipt.display().to_string();
    let mut text = format!("{}: {result}", output::harmless(&receipt));
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
