//! One submission end to end: from a path to a report and a receipt.
//!
//! Brings together the competition, its grader, its answers and the submission, and turns whatever happens into exactly
//! one [`Outcome`]. Nothing here fails: what cannot be graded is a report that says why.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cancellation::Cancellation;
use crate::competition::Competition;
use crate::engine::Engine;
use crate::error::Error;
use crate::grader::Grader;
use crate::input::{Input, InputProblem};
use crate::limits::LimitOverrides;
use crate::once_map::OnceMap;
use crate::outcome::Outcome;
use crate::receipt::Receipt;
use crate::report::GradingReport;
use crate::run_group::utc;
use crate::submission_list::ListedSubmission;
use crate::verdict::{GraderFailure, Grading, Measure, Verdict};

/// What gradings share: the engine, the data folder, the limits, and every grader and every file of answers that was
/// needed so far, loaded and hashed once.
///
/// A context is a snapshot: a grader or a file of answers that is replaced on disk is noticed by a new context. Each
/// receipt names what was really used.
pub struct GradingContext {
    engine: Engine,
    data_folder: PathBuf,
    limits: LimitOverrides,
    graders: OnceMap<PathBuf, Grader>,
    answers: OnceMap<(Vec<PathBuf>, u64), Arc<[Input]>>,
}

/// How one grading differs from others.
#[derive(Clone, Debug, Default)]
pub struct GradingOptions {
    /// A component to grade with in the place of the competition's own.
    pub grader: Option<PathBuf>,
    /// What to say of the run in the report: seed, run id, whatever there is.
    pub run: Map<String, Value>,
    /// Ends the grading early.
    pub cancellation: Cancellation,
}

/// A graded submission.
#[derive(Clone, Debug)]
pub struct GradedSubmission {
    /// The report.
    pub report: GradingReport,
    /// The receipt, where a grader came to a result that can be proven.
    pub receipt: Option<Receipt>,
    /// What the grading took, where a grader was run.
    pub usage: Option<Usage>,
}

impl GradedSubmission {
    /// Whether the grading was stopped before it came to a result.
    pub fn is_cancelled(&self) -> bool {
        self.report.failure.as_deref() == Some(GraderFailure::Cancelled.kind())
    }
}

/// What a grading took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Fuel.
    pub fuel: u64,
    /// The most linear memory in use at once, in bytes.
    pub peak_memory_bytes: u64,
    /// How long it took on this machine.
    #[serde(skip)]
    pub wall_clock: Duration,
}

/// What a submitter may learn before the end: whether the submission can be graded, and why not. Never a score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Validation {
    /// Whether the submission can be graded to a score.
    pub valid: bool,
    /// How it ended: [`Outcome::Scored`] stands for a valid submission, defined metric or not.
    pub outcome: Outcome,
    /// Why it is not valid.
    pub message: Option<String>,
    /// The grader's remarks.
    pub warnings: Vec<String>,
}

/// Kinds of failure besides those of [`GraderFailure::kind`], as reports name them.
mod failure {
    /// There is no component for the competition.
    pub(super) const NO_GRADER: &str = "no-grader";
    /// The component cannot be loaded.
    pub(super) const NOT_LOADABLE: &str = "not-loadable";
    /// The component is another competition's, or ranks scores the other way round.
    pub(super) const WRONG_GRADER: &str = "wrong-grader";
    /// Podium itself panicked.
    pub(super) const PODIUM_PANICKED: &str = "podium-panicked";
    /// The submission cannot be read, for reasons of the machine.
    pub(super) const SUBMISSION_UNREADABLE: &str = "submission-unreadable";
}

/// What ended a grading before or after the grader ran, other than a score.
struct Ending {
    outcome: Outcome,
    failure: Option<String>,
    message: String,
}

impl Ending {
    fn new(outcome: Outcome, message: impl Into<String>) -> Ending {
        Ending { outcome, failure: None, message: message.into() }
    }

    fn failed(kind: &str, message: impl Into<String>) -> Ending {
        let failure = Some(kind.to_owned());
        Ending { outcome: Outcome::GraderFailed, failure, message: message.into() }
    }
}

impl GradingContext {
    /// A context over a data folder (which holds `<competition id>/…`); `limits` go before the competitions' own.
    pub fn new(
        engine: Engine,
        data_folder: impl Into<PathBuf>,
        limits: LimitOverrides,
    ) -> GradingContext {
        GradingContext {
            engine,
            data_folder: data_folder.into(),
            limits,
            graders: OnceMap::default(),
            answers: OnceMap::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The data folder.
    pub fn data_folder(&self) -> &Path {
        &self.data_folder
    }

    /// The grader in a file, loaded at most once.
    ///
    /// # Errors
    /// [`Error::Grader`] says what is wrong with the component.
    pub fn grader(&self, path: &Path) -> Result<Grader, Error> {
        self.graders.get(path.to_owned(), || Grader::from_file(&self.engine, path))
    }

    /// Grades the submission at `submission`.
    pub fn grade(
        &self,
        competition: &Competition,
        submission: &Path,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let exists = is_csv(submission) && submission.is_file();
        let report = self.blank_report(
            competition,
            submission.to_string_lossy().into_owned(),
            exists,
            options,
        );
        let limit = competition.limits(&self.limits).input_bytes;
        match open_submission(submission, limit) {
            Ok(submission) => self.grade_opened(competition, &submission, report, options),
            Err(ending) => ended(report, ending),
        }
    }

    /// Grades a submission that is open already; `submission_path` is what the report says of where it came from.
    pub fn grade_input(
        &self,
        competition: &Competition,
        submission: &Input,
        submission_path: impl Into<String>,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let report = self.blank_report(competition, submission_path.into(), true, options);
        self.grade_opened(competition, submission, report, options)
    }

    /// The report of a run that made no submission.
    pub fn no_submission(
        &self,
        competition: &Competition,
        options: &GradingOptions,
    ) -> GradedSubmission {
        // The reference writes Python's None as text here, and scripts expect a text.
        let report = self.blank_report(competition, "None".to_owned(), false, options);
        ended(report, Ending::new(Outcome::NoSubmission, "the run made no submission"))
    }

    /// The report of a grading during which Podium itself panicked.
    pub(crate) fn panicked(
        &self,
        competition: &Competition,
        submission: &ListedSubmission,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let path = submission.submission_path.as_deref();
        let exists = path.is_some_and(|path| is_csv(path) && path.is_file());
        let path = path.map_or("None".into(), |path| path.to_string_lossy());
        let report = self.blank_report(competition, path.into_owned(), exists, options);
        let message = "Podium itself panicked while it graded this; please report what it printed";
        ended(report, Ending::failed(failure::PODIUM_PANICKED, message))
    }

    /// Says whether a submission can be graded, by grading it, and keeps the score to itself.
    pub fn validate(
        &self,
        competition: &Competition,
        submission: &Path,
        options: &GradingOptions,
    ) -> Validation {
        Validation::of(self.grade(competition, submission, options))
    }

    /// As [`GradingContext::validate`], of a submission that is open already.
    pub fn validate_input(
        &self,
        competition: &Competition,
        submission: &Input,
        options: &GradingOptions,
    ) -> Validation {
        Validation::of(self.grade_input(competition, submission, submission.name(), options))
    }

    fn grade_opened(
        &self,
        competition: &Competition,
        submission: &Input,
        mut report: GradingReport,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let answers = match self.answers(competition) {
            Ok(answers) => answers,
            Err(ending) => return ended(report, ending),
        };
        let grader = match self.grader_of(competition, options) {
            Ok(grader) => grader,
            Err(ending) => return ended(report, ending),
        };
        report.grader_sha256 = Some(*grader.sha256());
        if let Some(ending) = mismatch(competition, &grader) {
            return ended(report, ending);
        }
        let limits = competition.limits(&self.limits);
        let grading =
            grader.grade_cancellable(submission, &answers, &limits, &options.cancellation);
        let receipt = Receipt::new(&grader, submission, &answers, &limits, &grading);
        report.receipt_id = receipt.as_ref().map(|receipt| receipt.id);
        let Grading { verdict, warnings, fuel, peak_memory_bytes, wall_clock } = grading;
        report.warnings = warnings;
        let usage = Some(Usage { fuel, peak_memory_bytes, wall_clock });
        match verdict {
            Verdict::Scored { value, measures } => {
                score(&mut report, competition, value, measures);
                GradedSubmission { report, receipt, usage }
            }
            Verdict::InvalidSubmission(message) => {
                let ending = Ending::new(Outcome::InvalidSubmission, message);
                GradedSubmission { receipt, usage, ..ended(report, ending) }
            }
            Verdict::InvalidAnswers(message) => {
                let ending = Ending::new(Outcome::InvalidAnswers, message);
                GradedSubmission { receipt, usage, ..ended(report, ending) }
            }
            Verdict::GraderFailed(cause) => {
                if let GraderFailure::Trapped { backtrace, .. } = &cause {
                    report.failure_backtrace.clone_from(backtrace);
                }
                let ending = Ending::failed(cause.kind(), cause.to_string());
                GradedSubmission { receipt, usage, ..ended(report, ending) }
            }
        }
    }

    /// The files of answers, opened and hashed at most once. What they are is decided by their paths and the limit on
    /// their size; what was really read, by the digests in the receipt.
    fn answers(&self, competition: &Competition) -> Result<Arc<[Input]>, Ending> {
        let paths = competition.answers_in(&self.data_folder);
        let limit = competition.limits(&self.limits).input_bytes;
        self.answers.get((paths.clone(), limit), || paths.iter().map(|path| open_answers(path, limit)).collect())
            .map_err(|(path, problem): (PathBuf, InputProblem)| match problem {
                InputProblem::Missing | InputProblem::Folder => Ending::new(
                    Outcome::NotPrepared,
                    format!(
                        "the data of `{}` are not prepared: there are no answers at {}; prepare the competition, or name \
                         the data folder that holds it",
                        competition.id(),
                        path.display(),
                    ),
                ),
                problem => Ending::new(
                    Outcome::InvalidAnswers,
                    format!("the answers at {} cannot be used: {problem}", path.display()),
                ),
            })
    }

    fn grader_of(
        &self,
        competition: &Competition,
        options: &GradingOptions,
    ) -> Result<Grader, Ending> {
        let path = match &options.grader {
            Some(path) => path.as_path(),
            None => competition
                .grader()
                .map_err(|error| Ending::failed(failure::NO_GRADER, error.to_string()))?,
        };
        self.grader(path).map_err(|error| Ending::failed(failure::NOT_LOADABLE, error.to_string()))
    }

    /// A report that says all there is to say before a submission is looked at.
    fn blank_report(
        &self,
        competition: &Competition,
        submission_path: String,
        submission_exists: bool,
        options: &GradingOptions,
    ) -> GradingReport {
        let lines = competition.thresholds;
        GradingReport {
            competition_id: competition.id().to_owned(),
            score: None,
            gold_threshold: lines.map(|lines| lines.gold),
            silver_threshold: lines.map(|lines| lines.silver),
            bronze_threshold: lines.map(|lines| lines.bronze),
            median_threshold: lines.map(|lines| lines.median),
            any_medal: false,
            gold_medal: false,
            silver_medal: false,
            bronze_medal: false,
            above_median: false,
            submission_exists,
            valid_submission: false,
            is_lower_better: competition.direction().is_lower_better(),
            created_at: utc(Timestamp::now()),
            submission_path,
            outcome: Outcome::NoSubmission,
            failure: None,
            failure_backtrace: Vec::new(),
            message: None,
            score_text: None,
            unrounded_score: None,
            distances: None,
            rounding_decides: false,
            leaderboard_rank: None,
            leaderboard_teams: competition.leaderboard.as_ref().map(|board| board.teams()),
            warnings: Vec::new(),
            measures: Vec::new(),
            known_issues: competition.definition.known_issues.clone(),
            grader_sha256: None,
            receipt_id: None,
            run: options.run.clone(),
        }
    }
}

impl Validation {
    fn of(graded: GradedSubmission) -> Validation {
        let report = graded.report;
        // That a metric is not defined is a fact about the answers, too: not for the submitter to learn.
        let outcome = match report.outcome {
            Outcome::Undefined => Outcome::Scored,
            outcome => outcome,
        };
        Validation {
            valid: outcome.is_valid_submission(),
            outcome,
            message: report.message,
            warnings: report.warnings,
        }
    }
}

/// Whether a path has the extension that the reference asks for, in any case.
fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

fn open_submission(path: &Path, limit: u64) -> Result<Input, Ending> {
    let shown = path.display();
    if path.is_file() && !is_csv(path) {
        return Err(Ending::new(
            Outcome::NoSubmission,
            format!("{shown}: a submission has to be a CSV file; give it the extension .csv"),
        ));
    }
    Input::open(path, limit).map_err(|error| {
        let message = error.to_string();
        let Error::Input { problem, .. } = error else {
            return Ending::failed(failure::SUBMISSION_UNREADABLE, message);
        };
        match problem {
            InputProblem::Missing
            | InputProblem::Address
            | InputProblem::NoFileName
            | InputProblem::Folder
            | InputProblem::Special(_) => Ending::new(Outcome::NoSubmission, message),
            InputProblem::LeadsOut | InputProblem::TooLarge { .. } => {
                Ending::new(Outcome::InvalidSubmission, message)
            }
            _ => Ending::failed(failure::SUBMISSION_UNREADABLE, message),
        }
    })
}

/// Opens a file of answers. Whoever set the data folder up is trusted: links may lead wherever they like.
fn open_answers(path: &Path, limit: u64) -> Result<Input, (PathBuf, InputProblem)> {
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let input = Input::open(&place, limit).map_err(|error| match error {
        Error::Input { problem, .. } => (path.to_owned(), problem),
        other => {
            (path.to_owned(), InputProblem::Unreadable(std::io::Error::other(other.to_string())))
        }
    })?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(input.renamed(&name))
}

/// Whether a grader says of itself something else than the competition says.
fn mismatch(competition: &Competition, grader: &Grader) -> Option<Ending> {
    let says = grader.description();
    let message = if says.competition != competition.id() {
        format!(
            "the grader says that it grades `{}`, not `{}`: put the right component in its place",
            says.competition,
            competition.id(),
        )
    } else if says.direction != competition.direction() {
        format!(
            "the grader says that {}, the definition of `{}` that {}: one of the two has to be corrected",
            says.direction,
            competition.id(),
            competition.direction(),
        )
    } else {
        return None;
    };
    Some(Ending::failed(failure::WRONG_GRADER, message))
}

fn ended(mut report: GradingReport, ending: Ending) -> GradedSubmission {
    report.outcome = ending.outcome;
    report.failure = ending.failure;
    report.message = Some(ending.message);
    GradedSubmission { report, receipt: None, usage: None }
}

fn score(
    report: &mut GradingReport,
    competition: &Competition,
    value: f64,
    measures: Vec<Measure>,
) {
    let direction = competition.direction();
    let rounded = competition.rounding().round(value);
    report.outcome = if value.is_nan() { Outcome::Undefined } else { Outcome::Scored };
    report.valid_submission = true;
    report.set_score(rounded);
    report.unrounded_score = value.is_finite().then_some(value);
    report.measures = measures;
    if let Some(lines) = &competition.thresholds {
        let award = lines.award(rounded, direction);
        report.set_award(award);
        report.rounding_decides = award != lines.award(value, direction);
        report.distances = lines.distances(rounded, direction);
    }
    report.leaderboard_rank =
        competition.leaderboard.as_ref().and_then(|board| board.rank(rounded, direction));
    if value.is_nan() {
        report.message =
            Some("the metric is not defined on this submission; it earns nothing".to_owned());
    }
}
