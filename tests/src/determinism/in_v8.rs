//! Grading in another engine, V8, which shares no code with the product's.
//!
//! The component that the product runs is taken apart by js-component-bindgen into its WebAssembly, which stays as it is,
//! and JavaScript that passes values in and out of it. Node runs that with `in_v8.mjs`, which lends the grader the
//! contract's functions and says what it said; what becomes of that is up to the product's own code again
//! ([`podium::told`]). V8 counts no fuel, and makes NaNs as the processor does. A score that is NaN becomes canonical in
//! the claim, whatever engine it came from.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use js_component_bindgen::{InstantiationMode, TranspileOpts, transpile};
use podium::{Direction, Grader, GraderFailure, Grading, Input, Limits, Verdict, told};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::evidence::Evidence;
use super::run::{Graded, NotGraded};
use super::work::{CompetitionWork, Held, Work};

/// What runs under Node.
const DRIVER: &str = include_str!("in_v8.mjs");

/// Node, where there is one.
#[derive(Debug, Clone)]
pub struct Node {
    program: OsString,
    /// The version of Node, without the `v`.
    pub version: String,
    /// The version of V8.
    pub v8: String,
}

impl Node {
    /// The Node that `PODIUM_NODE` names, else the one on the search path.
    ///
    /// # Errors
    /// Why there is none, and what to do.
    pub fn find() -> Result<Node, String> {
        let program = env::var_os("PODIUM_NODE").unwrap_or_else(|| "node".into());
        let missing = |why: &dyn std::fmt::Display| {
            format!(
                "there is no Node to run V8 in ({}: {why}); install Node 18 or newer, or name it in PODIUM_NODE",
                program.display()
            )
        };
        let output = Command::new(&program)
            .args(["-p", "process.versions.node + ' ' + process.versions.v8"])
            .stderr(Stdio::null())
            .output()
            .map_err(|error| missing(&error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        match text.trim().split_once(' ') {
            Some((version, v8)) if output.status.success() => {
                let (version, v8) = (version.to_owned(), v8.to_owned());
                Ok(Node { program, version, v8 })
            }
            _ => Err(missing(&output.status)),
        }
    }

    /// Grades all cases; calls `graded` after each. `graders` are the same components in the product's engine, which
    /// knows what a claim says of them.
    pub(super) fn grade(
        &self,
        options: &[&str],
        work: &Work,
        graders: &[Grader],
        graded: &(dyn Fn() + Sync),
    ) -> Graded {
        let competitions = work.competitions.par_iter().zip(graders).with_max_len(1);
        let each = |(competition, grader)| {
            self.grade_competition(options, competition, grader, graded)
                .map_err(|error| format!("{error:#}"))
        };
        competitions.map(each).collect::<Vec<Result<Vec<Evidence>, NotGraded>>>()
    }

    fn grade_competition(
        &self,
        options: &[&str],
        work: &CompetitionWork,
        grader: &Grader,
        graded: &(dyn Fn() + Sync),
    ) -> Result<Vec<Evidence>> {
        let component = fs::read(&work.component)
            .with_context(|| format!("could not read {}", work.component.display()))?;
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        take_apart(&component, folder.path())?;
        let node = Command::new(&self.program)
            .args(["--expose-gc", "--no-warnings"])
            .args(options)
            .arg("driver.mjs")
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("could not start Node")?;
        let submissions: Vec<&Held> = work.cases.iter().map(|(_, submission)| submission).collect();
        let answers = work.answer_inputs();
        let replies = ask(node, &work.answers, &submissions, graded)?;
        let mut replies = replies.into_iter();
        match replies.next() {
            Some(Reply::Described(description)) => description.check(grader)?,
            reply => bail!("it did not say what it grades: {reply:?}"),
        }
        let evidence: Vec<Evidence> = replies
            .zip(submissions)
            .map(|(reply, submission)| reply.evidence(grader, &submission.input, &answers))
            .collect::<Result<_>>()?;
        ensure!(evidence.len() == work.cases.len(), "it did not answer for every case");
        Ok(evidence)
    }
}

/// Writes the parts of a component, with the driver beside them.
fn take_apart(component: &[u8], folder: &Path) -> Result<()> {
    let options = TranspileOpts {
        name: "grader".to_owned(),
        no_typescript: true,
        instantiation_mode: Some(InstantiationMode::Sync),
        ..TranspileOpts::default()
    };
    let parts = transpile(component, options).context("it cannot be taken apart")?;
    for (name, bytes) in parts.files {
        let name = if name == "grader.js" { "grader.mjs" } else { &name };
        fs::write(folder.join(name), bytes).with_context(|| format!("could not write {name}"))?;
    }
    fs::write(folder.join("driver.mjs"), DRIVER).context("could not write the driver")
}

/// Hands over answers and submissions, one a line, and takes what comes back, one a line.
fn ask(
    mut node: Child,
    answers: &[Held],
    submissions: &[&Held],
    graded: &(dyn Fn() + Sync),
) -> Result<Vec<Reply>> {
    let (Some(mut request), Some(reply), Some(mut complaint)) =
        (node.stdin.take(), node.stdout.take(), node.stderr.take())
    else {
        bail!("Node has no pipes");
    };
    let answers: Vec<_> = answers.iter().map(file).collect();
    let first = json!({ "answers": answers, "most_bytes_read": Limits::READ_BYTES });
    let (replies, complaint) = thread::scope(|scope| {
        scope.spawn(move || -> Result<()> {
            // That Node does not read to the end shows in its replies.
            writeln!(request, "{first}")?;
            for submission in submissions {
                writeln!(request, "{}", file(submission))?;
            }
            Ok(())
        });
        let complaint = scope.spawn(move || {
            let mut text = Vec::new();
            let _ = complaint.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut replies = Vec::new();
        for line in BufReader::new(reply).lines() {
            let parsed = line.map_err(anyhow::Error::from).and_then(|line| {
                serde_json::from_str::<Reply>(&line)
                    .with_context(|| format!("Node said something else than it should: {line}"))
            });
            if !matches!(parsed, Ok(Reply::Described(_))) {
                graded();
            }
            replies.push(parsed);
        }
        (replies, complaint.join().unwrap_or_default())
    });
    let status = node.wait().context("Node did not end")?;
    ensure!(status.success(), "Node failed ({status}): {}", complaint.trim());
    replies.into_iter().collect()
}

/// A file as the driver reads it.
fn file(held: &Held) -> serde_json::Value {
    json!({ "name": held.input.name(), "content": BASE64_STANDARD.encode(&held.bytes) })
}

/// A line that the driver prints.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Reply {
    Described(Described),
    Graded { outcome: Outcome, warnings: Vec<String> },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    competition: String,
    metric: String,
    direction: String,
}

/// What a grader said, or what became of it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Outcome {
    Score {
        value: Bits,
        measures: Vec<(String, Bits)>,
    },
    InvalidSubmission(String),
    InvalidAnswers(String),
    /// It did not end as a grader should: the text of its panic, if it told one, and V8's name and words for it.
    Failed {
        panic: Option<String>,
        error: String,
        words: String,
    },
}

/// The 64 bits of a double in hexadecimal: JSON has no NaN.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Bits(f64);

impl TryFrom<String> for Bits {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Bits, Self::Error> {
        u64::from_str_radix(&text, 16).map(f64::from_bits).map(Bits)
    }
}

impl Described {
    /// Whether the grader says the same of itself as in the product's engine.
    fn check(&self, grader: &Grader) -> Result<()> {
        let expected = grader.description();
        let direction = match expected.direction {
            Direction::HigherIsBetter => "higher-is-better",
            Direction::LowerIsBetter => "lower-is-better",
        };
        let same = self.competition == expected.competition
            && self.metric == expected.metric
            && self.direction == direction;
        ensure!(same, "it says of itself {self:?} and not {expected:?}");
        Ok(())
    }
}

impl Reply {
    /// What that means for the product.
    fn evidence(self, grader: &Grader, submission: &Input, answers: &[Input]) -> Result<Evidence> {
        let Reply::Graded { outcome, warnings } = self else {
            bail!("it said twice what it grades");
        };
        let warnings = warnings.iter().take(Limits::WARNINGS).map(|text| told::message(text));
        let warnings: Vec<String> = warnings.collect();
        let verdict = match outcome {
            Outcome::Score { value, measures } => {
                told::scored(value.0, measures.into_iter().map(|(name, value)| (name, value.0)))
            }
            Outcome::InvalidSubmission(text) => told::invalid_submission(&text),
            Outcome::InvalidAnswers(text) => told::invalid_answers(&text),
            Outcome::Failed { panic, error, words } => match (error.as_str(), panic) {
                // As in the product: where calls nest too deeply, a panic is no cause.
                ("RangeError", _) if words.contains("call stack") => {
                    return Ok(Evidence::failed("out-of-stack", words, warnings));
                }
                (_, Some(text)) => {
                    Verdict::GraderFailed(GraderFailure::Panicked { message: told::message(&text) })
                }
                ("RuntimeError", None) => return Ok(Evidence::failed("trapped", words, warnings)),
                (_, None) => {
                    let words = format!("{error}: {words}");
                    return Ok(Evidence::failed("broken-contract", words, warnings));
                }
            },
        };
        let grading = Grading {
            verdict,
            warnings,
            log: None,
            fuel: 0,
            peak_memory_bytes: 0,
            wall_clock: Duration::ZERO,
        };
        Ok(Evidence::uncounted(grader, submission, answers, grading))
    }
}
