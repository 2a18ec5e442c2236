//! Receipts: what can be proven of a grading.
//!
//! A receipt has two parts. Its *claim* says what was graded by what, and what came out, and nothing else: no time, no
//! path, no machine. The same grading gives the same claim, byte for byte, under any version of Podium, and the
//! receipt's id is the SHA-256 digest of these bytes. Beside it *made by* says with what the receipt was made, which
//! may differ from one receipt of the same grading to the next.
//!
//! The bytes of a claim are its canonical JSON (RFC 8785: keys sorted, no spaces, shortest numbers). Scores are in it
//! twice, as the shortest decimal and as the 64 bits of the double, so that people can read it and nothing is lost.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::atomic_write::write_over_unsynced;
use crate::cancellation::Cancellation;
use crate::code_generation::CodeGeneration;
use crate::contract::{CONTRACT_VERSION, ContractVersion};
use crate::digest::Digest;
use crate::engine::WASMTIME_VERSION;
use crate::error::Error;
use crate::float_text::shortest;
use crate::grader::Grader;
use crate::input::Input;
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::regular_file;
use crate::run_group::to_json;
use crate::serde_message::plain;
use crate::verdict::{GraderFailure, Grading, Measure, ReachedLimit, Verdict};

/// What a claim is: the first thing in it that changes when its form does.
const CLAIM_FORMAT: &str = "podium grading claim 1";

/// A receipt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
// Nothing may stand beside the claim that looks like one.
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The SHA-256 digest of the claim's canonical JSON.
    pub id: Digest,
    /// What is claimed.
    pub claim: Claim,
    /// What the receipt was made with.
    pub made_by: MadeBy,
}

/// No receipt is larger: ten thousand measures take a few megabytes.
const MOST_BYTES: u64 = 64 << 20;

/// What a receipt claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The form of the claim.
    pub format: String,
    /// What graded.
    pub component: ClaimedComponent,
    /// What was graded: the submission, then the answers in their order.
    pub inputs: Vec<ClaimedInput>,
    /// What came out.
    pub outcome: ClaimedOutcome,
}

/// The component of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedComponent {
    /// Its digest.
    pub sha256: Digest,
    /// The version of the contract that it was built for.
    pub contract: ContractVersion,
    /// The competition that it says it grades.
    pub competition: String,
}

/// An input of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedInput {
    /// What the grader takes it for.
    pub role: InputRole,
    /// Its name without any folder, as the grader got to know it.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its digest.
    pub sha256: Digest,
}

/// What a grader takes an input for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputRole {
    /// The submission.
    Submission,
    /// A file of answers.
    Answers,
}

/// The outcome of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedOutcome {
    /// How the grading ended.
    pub kind: Outcome,
    /// The score as the grader gave it, unrounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ExactNumber>,
    /// How the score came about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<ClaimedMeasure>,
    /// The kind of failure where the grader failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The limit that was reached, where it was one. Absent from claims that were made before limits were claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<ReachedLimit>,
    /// Why there is no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A double, readable and exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactNumber {
    /// The shortest decimal that reads back as the same double; `nan`, `inf`, `-inf`.
    pub decimal: String,
    /// The 64 bits in hexadecimal, the sign first: `3fe0000000000000` is one half. All NaNs are
    /// `7ff8000000000000`.
    pub bits: String,
}

impl ExactNumber {
    /// Of a double.
    pub fn new(value: f64) -> ExactNumber {
        let bits = if value.is_nan() { f64::NAN.to_bits() & !(1 << 63) } else { value.to_bits() };
        ExactNumber { decimal: shortest(value), bits: format!("{bits:016x}") }
    }

    /// The double.
    pub fn value(&self) -> Option<f64> {
        u64::from_str_radix(&self.bits, 16).ok().map(f64::from_bits)
    }
}

/// A measure of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedMeasure {
    /// What the value is of.
    pub name: String,
    /// The value.
    pub value: ExactNumber,
}

impl From<&Measure> for ClaimedMeasure {
    fn from(measure: &Measure) -> ClaimedMeasure {
        ClaimedMeasure { name: measure.name.clone(), value: ExactNumber::new(measure.value) }
    }
}

/// With what a receipt was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeBy {
    /// The version of Podium.
    pub podium: String,
    /// The version of wasmtime.
    pub wasmtime: String,
    /// How the engine generated code: the one setting of it that can differ, and that no result depends on.
    #[serde(default)]
    pub code: CodeGeneration,
    /// The newest version of the contract that this Podium speaks.
    pub contract: ContractVersion,
    /// The limits of the grading.
    pub limits: Limits,
    /// The fuel that the grading used.
    pub fuel: u64,
}

impl Claim {
    /// What can be claimed of a grading; `None` where it ended for reasons of the machine or the moment (see
    /// [`GraderFailure::is_deterministic`]).
    pub fn new(
        grader: &Grader,
        submission: &Input,
        answers: &[Input],
        grading: &Grading,
    ) -> Option<Claim> {
        let nothing = |kind| ClaimedOutcome {
            kind,
            score: None,
            measures: Vec::new(),
            failure: None,
            limit: None,
            message: None,
        };
        let outcome = match &grading.verdict {
            Verdict::Scored { value, measures } => ClaimedOutcome {
                score: Some(ExactNumber::new(*value)),
                measures: measures.iter().map(ClaimedMeasure::from).collect(),
                ..nothing(if value.is_nan() { Outcome::Undefined } else { Outcome::Scored })
            },
            Verdict::InvalidSubmission(message) => ClaimedOutcome {
                message: Some(message.clone()),
                ..nothing(Outcome::InvalidSubmission)
            },
            Verdict::InvalidAnswers(message) => ClaimedOutcome {
                message: Some(message.clone()),
                ..nothing(Outcome::InvalidAnswers)
            },
            Verdict::GraderFailed(failure) if failure.is_deterministic() => ClaimedOutcome {
                failure: Some(failure.kind().to_owned()),
                limit: failure.limit(),
                message: Some(failure.to_string()),
                ..nothing(Outcome::GraderFailed)
            },
            Verdict::GraderFailed(_) => return None,
        };
        let input = |role, input: &Input| ClaimedInput {
            role,
            name: input.name().to_owned(),
            size: input.size(),
            sha256: *input.sha256(),
        };
        Some(Claim {
            format: CLAIM_FORMAT.to_owned(),
            component: ClaimedComponent {
                sha256: *grader.sha256(),
                contract: grader.inspection().contract.unwrap_or(CONTRACT_VERSION),
                competition: grader.description().competition.clone(),
            },
            inputs: std::iter::once(input(InputRole::Submission, submission))
                .chain(answers.iter().map(|answers| input(InputRole::Answers, answers)))
                .collect(),
            outcome,
        })
    }

    /// The canonical JSON (RFC 8785) of the claim.
    pub fn canonical(&self) -> Vec<u8> {
        // A claim holds text and whole numbers below 2^53 only; writing to memory does not fail.
        serde_json_canonicalizer::to_vec(self).unwrap_or_default()
    }

    /// The digest of the canonical JSON.
    pub fn id(&self) -> Digest {
        Digest::of(&self.canonical())
    }

    /// The submission.
    pub fn submission(&self) -> Option<&ClaimedInput> {
        self.inputs.iter().find(|input| input.role == InputRole::Submission)
    }

    /// The answers, in their order.
    pub fn answers(&self) -> impl Iterator<Item = &ClaimedInput> {
        self.inputs.iter().filter(|input| input.role == InputRole::Answers)
    }
}

impl Receipt {
    /// The receipt of a grading; `None` where there is nothing to claim (see [`Claim::new`]).
    pub fn new(
        grader: &Grader,
        submission: &Input,
        answers: &[Input],
        limits: &Limits,
        grading: &Grading,
    ) -> Option<Receipt> {
        let claim = Claim::new(grader, submission, answers, grading)?;
        Some(Receipt {
            id: claim.id(),
            claim,
            made_by: MadeBy {
                podium: crate::VERSION.to_owned(),
                wasmtime: WASMTIME_VERSION.to_owned(),
                code: grader.code_generation(),
                contract: CONTRACT_VERSION,
                limits: limits.clone(),
                fuel: grading.fuel,
            },
        })
    }

    /// Reads a receipt from a file.
    ///
    /// # Errors
    /// [`Error::Read`] if there is none, [`Error::Receipt`] if it is not one or its id does not match its claim.
    pub fn read(path: &Path) -> Result<Receipt, Error> {
        let wrong = |message: String| Error::Receipt { path: path.to_owned(), message };
        let text =
            regular_file::read_text(path, MOST_BYTES).map_err(|source| match source.kind() {
                io::ErrorKind::InvalidData => wrong("it is not text".to_owned()),
                io::ErrorKind::FileTooLarge => {
                    wrong(format!("it has more than {MOST_BYTES} bytes"))
                }
                _ => Error::read(path, source),
            })?;
        Receipt::parse(&text).map_err(wrong)
    }

    /// Parses the JSON of a receipt and checks its id against its claim.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Receipt, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let claim = value.get("claim").ok_or("it has no `claim`")?;
        // The id covers the claim as it is written, even if it is of a form that is unknown here.
        let canonical = serde_json_canonicalizer::to_vec(claim)
            .map_err(|error| format!("its claim has no canonical form: {error}"))?;
        let is = Digest::of(&canonical);
        let id = value.get("id").and_then(Value::as_str).ok_or("it has no `id`")?;
        if id != is.to_string() {
            return Err(format!(
                "its claim was changed: the id is {}, but the claim's digest is {is}",
                id.escape_debug()
            ));
        }
        let format = claim.get("format").and_then(Value::as_str).unwrap_or_default();
        if format != CLAIM_FORMAT {
            return Err(format!(
                "its claim has the form `{}`, this Podium reads `{CLAIM_FORMAT}`: use the Podium that made it",
                format.escape_debug()
            ));
        }
        // From the text once more: a member that stands there twice must not show one thing to people and another here.
        let receipt: Receipt =
            serde_json::from_str(text).map_err(|error| plain(&error.to_string()))?;
        if receipt.claim.canonical() != canonical {
            return Err("its claim is not in canonical form".to_owned());
        }
        Ok(receipt)
    }

    /// The name of the file that a receipt is kept in: `<id>.receipt.json`.
    pub fn file_name(&self) -> String {
        format!("{}.receipt.json", self.id)
    }

    /// Writes the receipt into a folder (made if missing). A receipt of the same claim that lies there already stays;
    /// anything else of that name is no receipt (any more) and is replaced.
    ///
    /// The file is there whole or not at all, but is not forced to the disk: a batch writes thousands, and each can be
    /// checked by its id and made again.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write_to(&self, folder: &Path) -> Result<PathBuf, Error> {
        let path = folder.join(self.file_name());
        if Receipt::read(&path).is_ok_and(|there| there.id == self.id) {
            return Ok(path);
        }
        std::fs::create_dir_all(folder).map_err(|source| Error::write(folder, source))?;
        write_over_unsynced(&path, to_json(self).as_bytes())?;
        Ok(path)
    }
}

/// Something that is not as a receipt claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Where in the claim: `component.sha256`, `inputs[1].size`, `outcome.score.bits`.
    pub field: String,
    /// What the receipt claims; `None` where it claims nothing.
    pub claimed: Option<String>,
    /// What it is now; `None` where there is nothing.
    pub found: Option<String>,
}

/// What came out of checking a receipt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verification {
    /// The same grading gave the same claim.
    Identical {
        /// What `made_by` says otherwise than was found, though it should be the same: the fuel, under the same versions
        /// of Podium and wasmtime. It is no part of the claim, and decides nothing.
        made_by: Vec<Difference>,
    },
    /// The grader or the inputs are not those of the receipt, so nothing was graded.
    OtherMaterial(Vec<Difference>),
    /// The same grader with the same inputs gave something else.
    Differs(Vec<Difference>),
    /// The grading ended for reasons of the machine or the moment; try again.
    Inconclusive(GraderFailure),
}

impl Receipt {
    /// Grades again what the receipt is of, under the limits that it was made with, and compares.
    ///
    /// Digests are compared first: nothing is graded unless grader and inputs are those of the claim. Inputs may go by
    /// another name than in the claim; the grader is told the claimed one.
    pub fn verify(
        &self,
        grader: &Grader,
        submission: &Input,
        answers: &[Input],
        cancellation: &Cancellation,
    ) -> Verification {
        let inputs: Vec<&Input> = std::iter::once(submission).chain(answers).collect();
        let material = self.material_differences(grader, &inputs);
        if !material.is_empty() {
            return Verification::OtherMaterial(material);
        }
        let mut renamed = inputs
            .into_iter()
            .zip(&self.claim.inputs)
            .map(|(input, claimed)| input.renamed(&claimed.name));
        let Some(submission) = renamed.next() else {
            return Verification::OtherMaterial(Vec::new());
        };
        let answers: Vec<Input> = renamed.collect();
        let grading =
            grader.grade_cancellable(&submission, &answers, &self.made_by.limits, cancellation);
        let Some(found) = Claim::new(grader, &submission, &answers, &grading) else {
            return match grading.verdict {
                Verdict::GraderFailed(failure) => Verification::Inconclusive(failure),
                _ => Verification::Differs(Vec::new()),
            };
        };
        let differences = differences(&self.claim, &as_claimed(&self.claim, found));
        if differences.is_empty() {
            Verification::Identical { made_by: self.made_by_differences(grading.fuel) }
        } else {
            Verification::Differs(differences)
        }
    }

    /// What was noted beside the claim and is not so. Another version of wasmtime or of Podium may count fuel otherwise.
    fn made_by_differences(&self, fuel: u64) -> Vec<Difference> {
        let same_versions =
            self.made_by.podium == crate::VERSION && self.made_by.wasmtime == WASMTIME_VERSION;
        if !same_versions || self.made_by.fuel == fuel {
            return Vec::new();
        }
        vec![Difference {
            field: "made_by.fuel".to_owned(),
            claimed: Some(self.made_by.fuel.to_string()),
            found: Some(fuel.to_string()),
        }]
    }

    fn material_differences(&self, grader: &Grader, inputs: &[&Input]) -> Vec<Difference> {
        let mut differences = Vec::new();
        let mut compare = |field: String, claimed: Option<String>, found: Option<String>| {
            if claimed != found {
                differences.push(Difference { field, claimed, found });
            }
        };
        let claimed = self.claim.component.sha256.to_string();
        compare("component.sha256".to_owned(), Some(claimed), Some(grader.sha256().to_string()));
        for index in 0..self.claim.inputs.len().max(inputs.len()) {
            let claimed = self.claim.inputs.get(index);
            let found = inputs.get(index);
            // The same bytes have the same size; it is named to show by how much another file differs.
            compare(
                format!("inputs[{index}].sha256"),
                claimed.map(|input| input.sha256.to_string()),
                found.map(|input| input.sha256().to_string()),
            );
            compare(
                format!("inputs[{index}].size"),
                claimed.map(|input| input.size.to_string()),
                found.map(|input| input.size().to_string()),
            );
        }
        differences
    }
}

/// What was found, in the form of a claim that was made before limits were claimed, where it is one: its message names
/// the limit all the same.
fn as_claimed(claimed: &Claim, mut found: Claim) -> Claim {
    if claimed.outcome.limit.is_none() && claimed.outcome.failure == found.outcome.failure {
        found.outcome.limit = None;
    }
    found
}

/// Where two claims differ, field by field.
fn differences(claimed: &Claim, found: &Claim) -> Vec<Difference> {
    let value = |claim: &Claim| serde_json::to_value(claim).unwrap_or_default();
    let mut differences = Vec::new();
    compare("", Some(&value(claimed)), Some(&value(found)), &mut differences);
    differences
}

fn compare(
    field: &str,
    claimed: Option<&Value>,
    found: Option<&Value>,
    differences: &mut Vec<Difference>,
) {
    match (claimed, found) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            let added = right.keys().filter(|key| !left.contains_key(*key));
            for key in left.keys().chain(added) {
                let inner = if field.is_empty() { key.clone() } else { format!("{field}.{key}") };
                compare(&inner, left.get(key), right.get(key), differences);
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for index in 0..left.len().max(right.len()) {
                compare(
                    &format!("{field}[{index}]"),
                    left.get(index),
                    right.get(index),
                    differences,
                );
            }
        }
        (left, right) if left == right => {}
        (left, right) => {
            let text = |value: &Value| match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            differences.push(Difference {
                field: field.to_owned(),
                claimed: left.map(text),
                found: right.map(text),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claim() -> Claim {
        let input = |role, name: &str, content: &[u8]| ClaimedInput {
            role,
            name: name.to_owned(),
            size: content.len() as u64,
            sha256: Digest::of(content),
        };
        Claim {
            format: CLAIM_FORMAT.to_owned(),
            component: ClaimedComponent {
                sha256: Digest::of(b"component"),
                contract: CONTRACT_VERSION,
                competition: "seals".to_owned(),
            },
            inputs: vec![
                input(InputRole::Submission, "my \"seals\" é.csv", b"abc"),
                input(InputRole::Answers, "test.csv", b""),
            ],
            outcome: ClaimedOutcome {
                kind: Outcome::Scored,
                score: Some(ExactNumber::new(0.1 + 0.2)),
                measures: vec![
                    ClaimedMeasure { name: "zero".to_owned(), value: ExactNumber::new(-0.0) },
                    ClaimedMeasure { name: "none".to_owned(), value: ExactNumber::new(f64::NAN) },
                ],
                failure: None,
                limit: None,
                message: None,
            },
        }
    }

    fn receipt(claim: Claim) -> Receipt {
        Receipt {
            id: claim.id(),
            claim,
            made_by: MadeBy {
                podium: "0.1.0".to_owned(),
                wasmtime: "48.0.8".to_owned(),
                code: CodeGeneration::Optimised,
                contract: CONTRACT_VERSION,
                limits: Limits::default(),
                fuel: 12_345,
            },
        }
    }

    /// These bytes are what ids are digests of: they never change, or every receipt ever made is void.
    #[test]
    fn the_canonical_bytes_of_a_claim_are_pinned() {
        let expected = concat!(
            r#"{"component":{"competition":"seals","contract":"1.0.0","#,
            r#""sha256":"6985ca1f4daa5a584a28eae043a239cb96689af1337ea13afb63e00c2bf512fa"},"#,
            r#""format":"podium grading claim 1","inputs":["#,
            r#"{"name":"my \"seals\" é.csv","role":"submission","#,
            r#""sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","size":3},"#,
            r#"{"name":"test.csv","role":"answers","#,
            r#""sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":0}],"#,
            r#""outcome":{"kind":"scored","measures":["#,
            r#"{"name":"zero","value":{"bits":"8000000000000000","decimal":"-0"}},"#,
            r#"{"name":"none","value":{"bits":"7ff8000000000000","decimal":"nan"}}],"#,
            r#""score":{"bits":"3fd3333333333334","decimal":"0.30000000000000004"}}}"#,
        );
        assert_eq!(String::from_utf8(claim().canonical()).unwrap(), expected);
        assert_eq!(claim().id(), Digest::of(expected.as_bytes()));
    }

    #[test]
    fn the_canonical_bytes_of_a_claim_of_a_reached_limit_are_pinned() {
        let mut claim = claim();
        claim.inputs.clear();
        claim.outcome = ClaimedOutcome {
            kind: Outcome::GraderFailed,
            score: None,
            measures: Vec::new(),
            failure: Some("out-of-fuel".to_owned()),
            limit: Some(ReachedLimit { name: "fuel".to_owned(), value: 5 }),
            message: Some("no".to_owned()),
        };
        let expected = concat!(
            r#""outcome":{"failure":"out-of-fuel","kind":"grader-failed","#,
            r#""limit":{"name":"fuel","value":5},"message":"no"}}"#,
        );
        let text = String::from_utf8(claim.canonical()).unwrap();
        assert!(text.ends_with(expected), "{text}");
        // Claims without a limit were made, and are read.
        claim.outcome.limit = None;
        let old = receipt(claim);
        assert_eq!(Receipt::parse(&to_json(&old)), Ok(old));
    }

    #[test]
    fn every_nan_is_the_same_and_every_number_is_exact() {
        for bits in [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001] {
            assert_eq!(ExactNumber::new(f64::from_bits(bits)).bits, "7ff8000000000000");
        }
        for value in [0.0, -0.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, 5e-324, f64::MAX] {
            let number = ExactNumber::new(value);
            assert_eq!(number.value().unwrap().to_bits(), value.to_bits());
            assert_eq!(number.decimal.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn a_receipt_survives_its_file_and_a_second_writing() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("receipts");
        let receipt = receipt(claim());
        let path = receipt.write_to(&folder).unwrap();
        assert_eq!(path.file_name().unwrap().to_str().unwrap(), receipt.file_name());
        assert_eq!(Receipt::read(&path).unwrap(), receipt);
        let made_elsewhere = Receipt {
            made_by: MadeBy { podium: "9.9.9".to_owned(), ..receipt.made_by.clone() },
            ..receipt.clone()
        };
        assert_eq!(made_elsewhere.write_to(&folder).unwrap(), path);
        assert_eq!(Receipt::read(&path).unwrap(), receipt);
        std::fs::write(&path, "{}").unwrap();
        receipt.write_to(&folder).unwrap();
        assert_eq!(Receipt::read(&path).unwrap(), receipt);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(receipt.write_to(&folder), Err(Error::Write { .. })));
    }

    #[test]
    fn a_receipt_that_was_touched_is_refused() {
        let text = to_json(&receipt(claim()));
        let touch = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Receipt::parse(&text.replace(from, to)).unwrap_err()
        };
        for (from, to, part) in [
            ("0.30000000000000004", "0.9", "its claim was changed"),
            ("\"size\": 3", "\"size\": 4", "its claim was changed"),
            ("\"kind\": \"scored\"", "\"kind\": \"scored\", \"more\": 1", "its claim was changed"),
            ("\"claim\"", "\"claims\"", "no `claim`"),
            ("\"id\"", "\"name\"", "no `id`"),
            // What people read must be what is checked.
            (
                "\"claim\": {",
                "\"claim\": {\"format\": \"\"}, \"claim\": {",
                "missing key `component`",
            ),
            ("\"size\": 3", "\"size\": 4, \"size\": 3", "repeated key `size`"),
            ("\"decimal\":", "\"decimal\": \"0.9\", \"decimal\":", "repeated key `decimal`"),
            ("\"claim\": {", "\"score\": 0.9, \"claim\": {", "unknown key `score`"),
            (
                "\"fuel\": 12345",
                "\"fuel\": \"much\"",
                "found the text \"much\", expected a whole number",
            ),
        ] {
            let message = touch(from, to);
            assert!(message.contains(part), "{to}: {message}");
        }
        assert!(Receipt::parse("nonsense").unwrap_err().contains("not JSON"));
        // Made-by is no part of the id; neither is how the JSON is laid out.
        assert!(Receipt::parse(&text.replace("48.0.8", "49.0.0")).is_ok());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(Receipt::parse(&value.to_string()).is_ok());
    }

    #[test]
    fn a_claim_of_a_later_form_is_refused_by_name() {
        let later = Claim { format: "podium grading claim 2".to_owned(), ..claim() };
        let message = Receipt::parse(&to_json(&receipt(later))).unwrap_err();
        assert!(message.contains("`podium grading claim 2`"), "{message}");
    }

    #[test]
    fn an_unreadable_receipt_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.receipt.json");
        assert!(matches!(Receipt::read(&path), Err(Error::Read { .. })));
        std::fs::write(&path, b"\xff\xfe").unwrap();
        let message = Receipt::read(&path).unwrap_err().to_string();
        assert!(message.contains("x.receipt.json") && message.contains("not text"), "{message}");
    }

    #[test]
    fn differences_name_fields_and_both_values() {
        let mut other = claim();
        other.outcome.score = Some(ExactNumber::new(0.5));
        other.outcome.measures.pop();
        other.outcome.message = Some("new".to_owned());
        let found = differences(&claim(), &other);
        let find = |field: &str| {
            let difference = found.iter().find(|difference| difference.field == field);
            let difference = difference.unwrap_or_else(|| panic!("{field} in {found:?}"));
            (difference.claimed.as_deref(), difference.found.as_deref())
        };
        assert_eq!(found.len(), 4);
        assert_eq!(find("outcome.score.decimal"), (Some("0.30000000000000004"), Some("0.5")));
        assert_eq!(
            find("outcome.score.bits"),
            (Some("3fd3333333333334"), Some("3fe0000000000000"))
        );
        assert_eq!(find("outcome.message"), (None, Some("new")));
        assert_eq!(find("outcome.measures[1]").1, None);
        assert!(differences(&claim(), &claim()).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_in_a_claim_comes_back(name in ".*", message in ".*", value in any::<f64>()) {
            let mut claim = claim();
            claim.inputs[0].name = name;
            claim.outcome.message = Some(message);
            claim.outcome.score = Some(ExactNumber::new(value));
            let receipt = receipt(claim);
            prop_assert_eq!(Receipt::parse(&to_json(&receipt)), Ok(receipt));
        }

        #[test]
        fn any_text_is_a_receipt_or_an_error(text in ".{0,200}") {
            let _ = Receipt::parse(&text);
        }
    }
}
