//! A grader: a component, loaded and asked what it grades, ready to grade.

use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cancellation::Cancellation;
use crate::code_generation::CodeGeneration;
use crate::competition_id;
use crate::contract::v1;
use crate::contract::v1::exports::podium::grading::grader as exported;
use crate::digest::Digest;
use crate::engine::{Engine, Run, instantiation_failed};
use crate::error::Error;
use crate::input::Input;
use crate::inspection::{GraderProblem, Inspection, read_component};
use crate::limits::Limits;
use crate::message;
use crate::sandbox::Sandbox;
use crate::told;
use crate::verdict::{Bytes, GraderFailure, Grading, Verdict};

/// Which of two scores wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// The larger score wins. Serialised as `higher`.
    #[serde(rename = "higher")]
    HigherIsBetter,
    /// The smaller score wins. Serialised as `lower`.
    #[serde(rename = "lower")]
    LowerIsBetter,
}

impl Direction {
    /// Whether the smaller score wins.
    pub fn is_lower_better(self) -> bool {
        self == Direction::LowerIsBetter
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Direction::HigherIsBetter => "higher is better",
            Direction::LowerIsBetter => "lower is better",
        })
    }
}

/// What a grader says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// The id of the competition that it grades.
    pub competition: String,
    /// The name of the metric, for people.
    pub metric: String,
    /// Which of two scores wins.
    pub direction: Direction,
}

/// A loaded grader. Cloning is cheap; one grader grades on any number of threads at once, each grading in an instance
/// of its own.
#[derive(Clone)]
pub struct Grader(Arc<Loaded>);

struct Loaded {
    engine: Engine,
    instance: v1::CompetitionPre<Sandbox>,
    description: Description,
    inspection: Inspection,
}

/// What `describe` may use: it has nothing to compute.
const DESCRIBING: Limits = Limits {
    fuel: 100_000_000,
    memory_bytes: 256 << 20,
    wall_clock: Duration::from_secs(60),
    input_bytes: 0,
    table_elements: 1_000_000,
    output_bytes: 1 << 20,
};

impl Grader {
    /// Loads a component from a file; compiles it unless that was done before.
    ///
    /// # Errors
    /// [`Error::Grader`] with the path and what is wrong with the component.
    pub fn from_file(engine: &Engine, path: impl AsRef<Path>) -> Result<Grader, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match read_component(path, engine.component_limits()) {
            Ok(bytes) => Grader::from_bytes(engine, name, &bytes),
            Err(problem) => Err(Error::Grader { grader: name, problem }),
        }
    }

    /// Loads a component from memory; compiles it unless that was done before. `name` stands for it in errors.
    ///
    /// # Errors
    /// [`Error::Grader`] with the name and what is wrong with the component.
    pub fn from_bytes(
        engine: &Engine,
        name: impl Into<String>,
        bytes: &[u8],
    ) -> Result<Grader, Error> {
        load(engine, bytes)
            .map(|loaded| Grader(Arc::new(loaded)))
            .map_err(|problem| Error::Grader { grader: name.into(), problem })
    }

    /// What it says that it grades. That this is so is for whoever loads it for a competition to check.
    pub fn description(&self) -> &Description {
        &self.0.description
    }

    /// The digest of the component.
    pub fn sha256(&self) -> &Digest {
        &self.0.inspection.sha256
    }

    /// How the engine that loaded it generates code.
    pub fn code_generation(&self) -> CodeGeneration {
        self.0.engine.code_generation()
    }

    /// What is known of the component without running it.
    pub fn inspection(&self) -> &Inspection {
        &self.0.inspection
    }

    /// Grades a submission against the answers, in the order in which the competition lists them.
    ///
    /// Blocks until there is a result, at most a little longer than [`Limits::wall_clock`]. Never panics on what a
    /// component or a file does.
    pub fn grade(&self, submission: &Input, answers: &[Input], limits: &Limits) -> Grading {
        self.grade_cancellable(submission, answers, limits, &Cancellation::new())
    }

    /// As [`Grader::grade`], but ends early when cancelled.
    pub fn grade_cancellable(
        &self,
        submission: &Input,
        answers: &[Input],
        limits: &Limits,
        cancellation: &Cancellation,
    ) -> Grading {
        let inputs: Vec<Input> = [submission].into_iter().chain(answers).cloned().collect();
        let mut run = if cancellation.is_cancelled() {
            Run::failed(GraderFailure::Cancelled)
        } else if let Some(too_large) = too_large(&inputs, limits) {
            Run::failed(too_large)
        } else {
            self.run_beside_digests(&inputs, limits, cancellation)
        };
        // A result over bytes that are not those that were hashed is no result.
        if let Err(changed) = inputs.iter().try_for_each(Input::verify_unchanged) {
            run.outcome = Err(changed);
        }
        Grading {
            verdict: run
                .outcome
                .unwrap_or_else(|failure| blame(failure, submission, answers, limits)),
            warnings: run.warnings,
            log: run.log,
            fuel: run.fuel,
            peak_memory_bytes: run.peak_memory_bytes,
            wall_clock: run.wall_clock,
        }
    }

    /// Runs the grader while another thread takes the digests that are still missing.
    fn run_beside_digests(
        &self,
        inputs: &[Input],
        limits: &Limits,
        cancellation: &Cancellation,
    ) -> Run<Verdict> {
        let run = || self.run(inputs.to_vec(), limits, cancellation);
        let undigested: Vec<&Input> = inputs.iter().filter(|input| !input.is_digested()).collect();
        if undigested.is_empty() {
            return run();
        }
        let digest = || undigested.iter().try_for_each(|input| input.digest(cancellation));
        let (graded, digested) = std::thread::scope(|scope| {
            match std::thread::Builder::new().spawn_scoped(scope, digest) {
                Ok(digesting) => {
                    let graded = run();
                    (graded, digesting.join().unwrap_or_else(|panic| resume_unwind(panic)))
                }
                // Without another thread it takes a little longer.
                Err(_) => {
                    let digested = digest();
                    (run(), digested)
                }
            }
        });
        if let Err(failure) = digested {
            return Run { outcome: Err(failure), ..graded };
        }
        let is_certain = undigested.iter().all(|input| input.is_as_opened());
        let is_changed = || inputs.iter().any(|input| input.verify_unchanged().is_err());
        if is_certain || cancellation.is_cancelled() || is_changed() {
            return graded;
        }
        // What was read while the digest was taken may be something else than what the digest is of. There is a digest now,
        // and whatever differs from it after another run is noticed.
        run()
    }

    fn run(
        &self,
        inputs: Vec<Input>,
        limits: &Limits,
        cancellation: &Cancellation,
    ) -> Run<Verdict> {
        let sandbox = Sandbox::new(limits.clone(), inputs);
        self.0.engine.run(sandbox, limits, cancellation, async |store| {
            let mut handles = store.data().handles().into_iter();
            let instance = self
                .0
                .instance
                .instantiate_async(&mut *store)
                .await
                .map_err(|error| instantiation_failed(error, store.data()))?;
            let submission = handles.next();
            let answers: Vec<_> = handles.collect();
            let Some(submission) = submission else { unreachable!("there is a submission") };
            let grader = instance.podium_grading_grader();
            let result = grader.call_grade(&mut *store, submission, &answers).await?;
            Ok(verdict(result))
        })
    }
}

impl fmt::Debug for Grader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Grader")
            .field("description", &self.0.description)
            .field("sha256", &self.0.inspection.sha256)
            .finish_non_exhaustive()
    }
}

fn load(engine: &Engine, bytes: &[u8]) -> Result<Loaded, GraderProblem> {
    let (component, inspection) = engine.load(bytes)?;
    let not_compilable = |error: wasmtime::Error| {
        let reason = message::fit(&format!("{error:#}"), Limits::MESSAGE_CHARACTERS);
        GraderProblem::NotCompilable(reason)
    };
    let instance = engine.link(&component, &inspection).map_err(not_compilable)?;
    let instance = v1::CompetitionPre::new(instance).map_err(not_compilable)?;
    let sandbox = Sandbox::new(DESCRIBING, Vec::new());
    let run = engine.run(sandbox, &DESCRIBING, &Cancellation::new(), async |store| {
        let instance = instance
            .instantiate_async(&mut *store)
            .await
            .map_err(|error| instantiation_failed(error, store.data()))?;
        instance.podium_grading_grader().call_describe(&mut *store).await
    });
    let described = run.outcome.map_err(GraderProblem::NotDescribing)?;
    let description = description(described)?;
    Ok(Loaded { engine: engine.clone(), instance, description, inspection })
}

fn description(described: exported::Description) -> Result<Description, GraderProblem> {
    let competition = described.competition;
    if let Err(why) = competition_id::check(&competition) {
        return Err(GraderProblem::InvalidCompetition { why: message::fit(&why, 500) });
    }
    Ok(Description {
        competition,
        metric: message::fit(&described.metric, Limits::MEASURE_NAME_CHARACTERS),
        direction: match described.direction {
            exported::Direction::HigherIsBetter => Direction::HigherIsBetter,
            exported::Direction::LowerIsBetter => Direction::LowerIsBetter,
        },
    })
}

fn too_large(inputs: &[Input], limits: &Limits) -> Option<GraderFailure> {
    let limit = limits.input_bytes;
    let input = inputs.iter().find(|input| input.size() > limit)?;
    Some(GraderFailure::InputTooLarge {
        name: message::fit(input.name(), Limits::MEASURE_NAME_CHARACTERS),
        size: input.size(),
        limit,
    })
}

/// Whose fault it is that there is no result. A grader has to withstand any bytes, but not any number of them: a
/// huge submission that takes more memory than there is for any grader, and is larger than the answers that it is held
/// against, is not what the competition asks for.
fn blame(
    failure: GraderFailure,
    submission: &Input,
    answers: &[Input],
    limits: &Limits,
) -> Verdict {
    /// A grader that runs out of memory over less has a fault of its own.
    const HUGE: u64 = Limits::MOST_MEMORY_BYTES / 256;
    let expected: u64 = answers.iter().map(Input::size).sum();
    let is_out_of_memory = matches!(failure, GraderFailure::OutOfMemory { .. })
        && limits.memory_bytes >= Limits::MOST_MEMORY_BYTES;
    if !is_out_of_memory || submission.size() <= expected.max(HUGE) {
        return Verdict::GraderFailed(failure);
    }
    Verdict::InvalidSubmission(format!(
        "{} is too large to be graded: it has {} where the answers have {}, and takes more than {} of memory; submit \
         what the competition asks for and nothing else",
        message::fit(submission.name(), Limits::MEASURE_NAME_CHARACTERS),
        Bytes(submission.size()),
        Bytes(expected),
        Bytes(Limits::MOST_MEMORY_BYTES),
    ))
}

fn verdict(result: Result<exported::Score, exported::Failure>) -> Verdict {
    match result {
        Ok(exported::Score { value, measures }) => {
            told::scored(value, measures.into_iter().map(|measure| (measure.name, measure.value)))
        }
        Err(exported::Failure::InvalidSubmission(text)) => told::invalid_submission(&text),
        Err(exported::Failure::InvalidAnswers(text)) => told::invalid_answers(&text),
    }
}

#[cfg(test)]
mod tests;
