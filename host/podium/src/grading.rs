//! One submission end to end: from a path to a report and a receipt.
//!
//! Brings together the competition, its grader, its answers and the submission, and turns whatever happens into exactly
//! one [`Outcome`]. Nothing here fails: what cannot be graded is a report that says why.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cancellation::Cancellation;
use crate::competition::Competition;
use crate::digest::Digest;
use crate::engine::Engine;
use crate::error::Error;
use crate::grader::Grader;
use crate::graders::{ChosenGrader, GraderOrigin, GraderSource, Graders, TrustedGrader};
use crate::input::{Input, InputProblem};
use crate::inspection::GraderProblem;
use crate::limits::{LimitOverrides, Limits, Usage};
use crate::once_map::OnceMap;
use crate::outcome::Outcome;
use crate::receipt::{ExactNumber, Receipt};
use crate::report::GradingReport;
use crate::run_group::utc;
use crate::store::StoreProblem;
use crate::submission_hint;
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
    choice: Graders,
    graders: OnceMap<(GraderSource, String), TrustedGrader>,
    answers: OnceMap<(Vec<PathBuf>, u64), Arc<[Input]>>,
}

/// How one grading differs from others.
#[derive(Clone, Debug, Default)]
pub struct GradingOptions {
    /// A component to grade with in the place of the one that [`Graders::choose`] gives.
    pub grader: Option<GraderSource>,
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
    /// How long the grader took on this machine, where one was run.
    pub wall_clock: Option<Duration>,
}

impl GradedSubmission {
    /// Whether the grading was stopped before it came to a result.
    pub fn is_cancelled(&self) -> bool {
        self.report.failure.as_deref() == Some(GraderFailure::Cancelled.kind())
    }
}

/// What a submitter may learn before the end: whether the submission can be graded, and why not. Never a score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Validation {
    /// Whether the submission can be graded to a score.
    pub valid: bool,
    /// How it ended: [`Outcome::Scored`] stands for a valid submission, defined metric or not.
    pub outcome: Outcome,
    /// The kind of failure where the grader failed or a limit was reached, as in a report.
    pub failure: Option<String>,
    /// Why it is not valid.
    pub message: Option<String>,
    /// What is probably wrong with it, told by how its file begins.
    pub hint: Option<String>,
    /// The grader's remarks.
    pub warnings: Vec<String>,
}

/// Kinds of failure besides those of [`GraderFailure::kind`], as the `failure` of a report names them.
pub mod failure_kind {
    /// There is no component for the competition.
    pub const NO_GRADER: &str = "no-grader";
    /// The file of the component cannot be read.
    pub const GRADER_UNREADABLE: &str = "grader-unreadable";
    /// The component cannot be loaded.
    pub const NOT_LOADABLE: &str = "not-loadable";
    /// The competition is pinned to a component that is not in the store.
    pub const PINNED_GRADER_MISSING: &str = "pinned-grader-missing";
    /// The trust policy does not allow the component to grade the competition.
    pub const NOT_TRUSTED: &str = "not-trusted";
    /// The component in the store is not what its name says.
    pub const GRADER_DAMAGED: &str = "grader-damaged";
    /// The component is another competition's, or ranks scores the other way round.
    pub const WRONG_GRADER: &str = "wrong-grader";
    /// A validation reached a limit; which, is not told.
    pub const LIMIT_REACHED: &str = "limit-reached";
    /// Podium itself panicked.
    pub const PODIUM_PANICKED: &str = "podium-panicked";
    /// The answers are there, but cannot be read.
    pub const ANSWERS_UNREADABLE: &str = "answers-unreadable";
    /// The submission cannot be read, for reasons of the machine.
    pub const SUBMISSION_UNREADABLE: &str = "submission-unreadable";
    /// A submission or a file of answers is larger than the limit; also a [`GraderFailure::kind`].
    ///
    /// [`GraderFailure::kind`]: crate::GraderFailure::kind
    pub const INPUT_TOO_LARGE: &str = "input-too-large";
}

/// What a report says where a grader refused a submission, or the answers, without a word.
pub const NO_REASON: &str = "the grader gave no reason; ask whoever made it to say what is wrong";

/// What is said of a submission where grading it reached a limit.
const NOT_VALIDATED: &str = "the submission could not be validated: grading it reached a limit, which says nothing about \
                             it; whoever has the answers sees with `grade-sample` which limit it was";

/// What ended a grading before or after the grader ran, other than a score.
struct Ending {
    outcome: Outcome,
    failure: Option<String>,
    message: String,
    hint: Option<String>,
}

impl Ending {
    fn new(outcome: Outcome, message: impl Into<String>) -> Ending {
        Ending { outcome, failure: None, message: message.into(), hint: None }
    }

    fn failed(kind: &str, message: impl Into<String>) -> Ending {
        Ending::new(Outcome::GraderFailed, message).because(kind)
    }

    /// The ending with a kind of failure.
    fn because(self, kind: &str) -> Ending {
        Ending { failure: Some(kind.to_owned()), ..self }
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
            choice: Graders::default(),
            graders: OnceMap::default(),
            answers: OnceMap::default(),
        }
    }

    /// The context with a component store and a trust policy.
    #[must_use]
    pub fn with_graders(self, choice: Graders) -> GradingContext {
        GradingContext { choice, graders: OnceMap::default(), ..self }
    }

    /// What chooses the graders.
    pub fn graders(&self) -> &Graders {
        &self.choice
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The data folder.
    pub fn data_folder(&self) -> &Path {
        &self.data_folder
    }

    /// The grader that a competition is graded with, or another one for it; loaded at most once.
    ///
    /// # Errors
    /// Those of [`Graders::choose`] and [`Graders::load`].
    pub fn grader(
        &self,
        competition: &Competition,
        named: Option<&GraderSource>,
    ) -> Result<(TrustedGrader, GraderOrigin), Error> {
        let ChosenGrader { source, origin } = match named {
            Some(source) => ChosenGrader { source: source.clone(), origin: GraderOrigin::Named },
            None => self.choice.choose(competition)?,
        };
        let id = competition.id();
        let loaded = self
            .graders
            .get((source.clone(), id.to_owned()), || self.choice.load(&self.engine, id, &source))?;
        Ok((loaded, origin))
    }

    /// Grades the submission at `submission`.
    pub fn grade(
        &self,
        competition: &Competition,
        submission: &Path,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let limits = competition.limits(&self.limits);
        self.grade_within(competition, submission, options, limits)
    }

    fn grade_within(
        &self,
        competition: &Competition,
        submission: &Path,
        options: &GradingOptions,
        limits: Limits,
    ) -> GradedSubmission {
        let exists = is_csv(submission) && submission.is_file();
        let report = self.blank_report(
            competition,
            submission.to_string_lossy().into_owned(),
            exists,
            options,
        );
        match open_submission(submission, limits.input_bytes) {
            Ok(submission) => self.grade_opened(competition, &submission, report, options, limits),
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
        let limits = competition.limits(&self.limits);
        self.grade_opened(competition, submission, report, options, limits)
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

    /// The report of a submission that cannot be an input; `submission_path` is what the report says of where it lies.
    pub(crate) fn refused(
        &self,
        competition: &Competition,
        submission_path: &str,
        problem: InputProblem,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let report = self.blank_report(competition, submission_path.to_owned(), true, options);
        let message = format!("{submission_path}: {problem}");
        ended(report, unusable(&problem, message))
    }

    /// The report that a receipt gives: all but what no receipt holds, such as the grader's remarks. Measures are left
    /// to the receipt.
    pub(crate) fn report_of(
        &self,
        competition: &Competition,
        receipt: &Receipt,
        submission_path: &str,
        options: &GradingOptions,
    ) -> GradingReport {
        let mut report = self.blank_report(competition, submission_path.to_owned(), true, options);
        let outcome = &receipt.claim.outcome;
        report.grader_sha256 = Some(receipt.claim.component.sha256);
        report.receipt_id = Some(receipt.id);
        if let Ok((loaded, origin)) = self.grader(competition, options.grader.as_ref())
            && *loaded.grader.sha256() == receipt.claim.component.sha256
        {
            report.grader_origin = Some(origin);
            report.grader_trusted_by = loaded.trusted_by;
        }
        match outcome.score.as_ref().and_then(ExactNumber::value) {
            Some(value) if outcome.kind.is_valid_submission() => {
                score(&mut report, competition, value, Vec::new());
                report
            }
            _ => {
                let message = outcome.message.clone().unwrap_or_else(|| outcome.kind.name().into());
                let failure = outcome.failure.clone();
                ended(report, Ending { failure, ..Ending::new(outcome.kind, message) }).report
            }
        }
    }

    /// What a submission to this competition is graded by and against: the digest of the grader and the answers; `None`
    /// where a grading would not come as far.
    pub(crate) fn material(
        &self,
        competition: &Competition,
        options: &GradingOptions,
    ) -> Option<(Digest, Arc<[Input]>)> {
        let answers = self.answers(competition).ok()?;
        let (loaded, _) = self.grader(competition, options.grader.as_ref()).ok()?;
        Some((*loaded.grader.sha256(), answers))
    }

    /// The limits of a grading of this competition.
    pub(crate) fn limits_of(&self, competition: &Competition) -> Limits {
        competition.limits(&self.limits)
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
        self.panicked_over(competition, &path, exists, options)
    }

    /// As [`GradingContext::panicked`], of a submission that lies wherever the report says.
    pub(crate) fn panicked_over(
        &self,
        competition: &Competition,
        submission_path: &str,
        exists: bool,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let report = self.blank_report(competition, submission_path.to_owned(), exists, options);
        let message = "Podium itself panicked while it graded this; please report what it printed";
        ended(report, Ending::failed(failure_kind::PODIUM_PANICKED, message))
    }

    /// Says whether a submission can be graded, by grading it, and keeps the score to itself, as well as which limit was
    /// reached, if one was. The limits are [`Competition::validation_limits`].
    pub fn validate(
        &self,
        competition: &Competition,
        submission: &Path,
        options: &GradingOptions,
    ) -> Validation {
        let limits = competition.validation_limits(&self.limits);
        Validation::of(self.grade_within(competition, submission, options, limits))
    }

    /// As [`GradingContext::validate`], of a submission that is open already.
    pub fn validate_input(
        &self,
        competition: &Competition,
        submission: &Input,
        options: &GradingOptions,
    ) -> Validation {
        let limits = competition.validation_limits(&self.limits);
        let report = self.blank_report(competition, submission.name().to_owned(), true, options);
        Validation::of(self.grade_opened(competition, submission, report, options, limits))
    }

    fn grade_opened(
        &self,
        competition: &Competition,
        submission: &Input,
        mut report: GradingReport,
        options: &GradingOptions,
        limits: Limits,
    ) -> GradedSubmission {
        let answers = match self.answers(competition) {
            Ok(answers) => answers,
            Err(ending) => return ended(report, ending),
        };
        let (TrustedGrader { grader, trusted_by }, origin) =
            match self.grader(competition, options.grader.as_ref()) {
                Ok(loaded) => loaded,
                Err(error) => return ended(report, not_loaded(&error)),
            };
        report.grader_sha256 = Some(*grader.sha256());
        report.grader_origin = Some(origin);
        report.grader_trusted_by = trusted_by;
        if let Some(ending) = mismatch(competition, &grader) {
            return ended(report, ending);
        }
        let grading =
            grader.grade_cancellable(submission, &answers, &limits, &options.cancellation);
        let receipt = Receipt::new(&grader, submission, &answers, &limits, &grading);
        report.receipt_id = receipt.as_ref().map(|receipt| receipt.id);
        let Grading { verdict, warnings, log, fuel, peak_memory_bytes, wall_clock } = grading;
        report.warnings = warnings;
        report.log = log;
        report.usage = verdict.is_counted().then_some(Usage { fuel, peak_memory_bytes });
        report.limits = Some(limits);
        let wall_clock = Some(wall_clock);
        match verdict {
            Verdict::Scored { value, measures } => {
                score(&mut report, competition, value, measures);
                GradedSubmission { report, receipt, wall_clock }
            }
            Verdict::InvalidSubmission(message) => {
                let hint = hint(submission, &message);
                let ending = Ending { hint, ..Ending::new(Outcome::InvalidSubmission, message) };
                GradedSubmission { receipt, wall_clock, ..ended(report, ending) }
            }
            Verdict::InvalidAnswers(message) => {
                let ending = Ending::new(Outcome::InvalidAnswers, message);
                GradedSubmission { receipt, wall_clock, ..ended(report, ending) }
            }
            Verdict::GraderFailed(cause) => {
                if let GraderFailure::Trapped { backtrace, .. } = &cause {
                    report.failure_backtrace.clone_from(backtrace);
                }
                let ending = Ending::failed(cause.kind(), cause.to_string());
                GradedSubmission { receipt, wall_clock, ..ended(report, ending) }
            }
        }
    }

    /// The files of answers, opened and hashed at most once. What they are is decided by their paths and the limit on
    /// their size; what was really read, by the digests in the receipt.
    fn answers(&self, competition: &Competition) -> Result<Arc<[Input]>, Ending> {
        let paths = competition.answers_in(&self.data_folder);
        let limit = competition.limits(&self.limits).input_bytes;
        self.answers.get((paths.clone(), limit), || paths.iter().map(|path| open_answers(path, limit)).collect())
            .map_err(|(path, problem): (PathBuf, InputProblem)| {
                let place = path.display();
                let kind = match problem {
                    InputProblem::Missing => {
                        return Ending::new(
                            Outcome::NotPrepared,
                            format!(
                                "the data of `{}` are not prepared: there are no answers at {place}; prepare the \
                                 competition, or name the data folder that holds it",
                                competition.id(),
                            ),
                        );
                    }
                    InputProblem::TooLarge { .. } => failure_kind::INPUT_TOO_LARGE,
                    _ => failure_kind::ANSWERS_UNREADABLE,
                };
                let message = format!("the answers at {place} cannot be used: {problem}");
                Ending::new(Outcome::InvalidAnswers, message).because(kind)
            })
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
            hint: None,
            score_text: None,
            unrounded_score: None,
            distances: None,
            rounding_decides: false,
            leaderboard_rank: None,
            leaderboard_teams: competition.leaderboard.as_ref().map(|board| board.teams()),
            warnings: Vec::new(),
            log: None,
            measures: Vec::new(),
            known_issues: competition.definition.known_issues.clone(),
            grader_sha256: None,
            grader_origin: None,
            grader_trusted_by: None,
            receipt_id: None,
            limits: Some(competition.limits(&self.limits)),
            usage: None,
            run: options.run.clone(),
        }
    }
}

impl Validation {
    fn of(graded: GradedSubmission) -> Validation {
        let report = graded.report;
        // How much a grading takes may depend on the answers, so which limit it was, and how high, is not told either.
        if report.failure.as_deref().is_some_and(GraderFailure::is_kind_of_limit) {
            return Validation {
                valid: false,
                outcome: report.outcome,
                failure: Some(failure_kind::LIMIT_REACHED.to_owned()),
                message: Some(NOT_VALIDATED.to_owned()),
                hint: None,
                warnings: Vec::new(),
            };
        }
        // That a metric is not defined is a fact about the answers, too: not for the submitter to learn.
        let outcome = match report.outcome {
            Outcome::Undefined => Outcome::Scored,
            outcome => outcome,
        };
        Validation {
            valid: outcome.is_valid_submission(),
            outcome,
            failure: report.failure,
            message: report.message.filter(|_| !outcome.is_valid_submission()),
            hint: report.hint,
            warnings: report.warnings,
        }
    }
}

/// That there is no grader, in the words and with the kind that a report has for it.
fn not_loaded(error: &Error) -> Ending {
    let kind = match error {
        Error::NoGrader { .. } | Error::NoStore { .. } => failure_kind::NO_GRADER,
        Error::Grader { problem: GraderProblem::Unreadable(source), .. } => match source.kind() {
            io::ErrorKind::NotFound => failure_kind::NO_GRADER,
            _ => failure_kind::GRADER_UNREADABLE,
        },
        Error::Read { .. } => failure_kind::GRADER_UNREADABLE,
        Error::Store { problem: StoreProblem::Damaged { .. }, .. } => failure_kind::GRADER_DAMAGED,
        Error::Store { problem: StoreProblem::PinnedIsMissing { .. }, .. } => {
            failure_kind::PINNED_GRADER_MISSING
        }
        Error::Store { .. } => failure_kind::NO_GRADER,
        Error::NotTrusted(_) => failure_kind::NOT_TRUSTED,
        _ => failure_kind::NOT_LOADABLE,
    };
    Ending::failed(kind, error.to_string())
}

/// What is probably wrong with a submission that was refused with this message.
fn hint(submission: &Input, message: &str) -> Option<String> {
    submission_hint::hint(&submission.head(submission_hint::HEAD_BYTES), message)
}

/// Whether a path has the extension that the reference asks for, in any case.
pub(crate) fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

fn open_submission(path: &Path, limit: u64) -> Result<Input, Ending> {
    let shown = path.display();
    if path.is_file() && !is_csv(path) {
        let message =
            format!("{shown}: a submission has to be a CSV file; give it the extension .csv");
        // Nothing but another name would make no CSV of, say, an archive.
        let hint = Input::open(path, limit).ok().and_then(|input| hint(&input, &message));
        return Err(Ending { hint, ..Ending::new(Outcome::NoSubmission, message) });
    }
    Input::open_undigested(path, limit).map_err(|error| {
        let message = error.to_string();
        match &error {
            Error::Input { problem, .. } => unusable(problem, message),
            _ => Ending::failed(failure_kind::SUBMISSION_UNREADABLE, message),
        }
    })
}

/// How a grading ends whose submission cannot be an input.
fn unusable(problem: &InputProblem, message: String) -> Ending {
    match problem {
        InputProblem::Missing
        | InputProblem::Address
        | InputProblem::NoFileName
        | InputProblem::Folder
        | InputProblem::LinkLoop
        | InputProblem::Special(_) => Ending::new(Outcome::NoSubmission, message),
        InputProblem::LeadsOut | InputProblem::AbsoluteLink { .. } => {
            Ending::new(Outcome::InvalidSubmission, message)
        }
        InputProblem::TooLarge { .. } => {
            Ending::new(Outcome::InvalidSubmission, message).because(failure_kind::INPUT_TOO_LARGE)
        }
        _ => Ending::failed(failure_kind::SUBMISSION_UNREADABLE, message),
    }
}

/// Opens a file of answers. Whoever set the data folder up is trusted: links may lead wherever they like.
fn open_answers(path: &Path, limit: u64) -> Result<Input, (PathBuf, InputProblem)> {
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let input = Input::open_undigested(&place, limit).map_err(|error| match error {
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
    let message = competition.mismatch(grader.description())?;
    Some(Ending::failed(failure_kind::WRONG_GRADER, message))
}

fn ended(mut report: GradingReport, ending: Ending) -> GradedSubmission {
    report.outcome = ending.outcome;
    report.failure = ending.failure;
    let says_something = !ending.message.trim().is_empty();
    report.message = Some(if says_something { ending.message } else { NO_REASON.to_owned() });
    report.hint = ending.hint;
    GradedSubmission { report, receipt: None, wall_clock: None }
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

#[cfg(test)]
mod tests;
