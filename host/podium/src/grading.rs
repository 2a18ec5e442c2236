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
        let limits = competition.limits(&self.limits);
        let grading =
            grader.grade_cancellable(submission, &answers, &limits, &options.cancellation);
        let receipt = Receipt::new(&grader, submission, &answers, &limits, &grading);
        report.receipt_id = receipt.as_ref().map(|receipt| receipt.id);
        let Grading { verdict, warnings, log, fuel, peak_memory_bytes, wall_clock } = grading;
        report.warnings = warnings;
        report.log = log;
        report.usage = Some(Usage { fuel, peak_memory_bytes });
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
    report.message = Some(ending.message);
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
mod tests {
    use std::fs;

    use super::*;
    use crate::medals::Medal;
    use crate::receipt::{Difference, Verification};
    use crate::testing_competition::TestingCompetition;

    fn grade(world: &TestingCompetition, submission: &Path) -> GradedSubmission {
        world.context().grade(&world.competition(), submission, &GradingOptions::default())
    }

    #[test]
    fn every_verdict_becomes_its_outcome() {
        use Outcome::{GraderFailed, InvalidAnswers, InvalidSubmission, Scored, Undefined};
        let world = TestingCompetition::new();
        let (competition, context) = (world.competition(), world.context());
        let cases: &[(&str, Outcome, Option<f64>, Option<Medal>, Option<&str>)] = &[
            ("0", Scored, Some(0.0), Some(Medal::Gold), None),
            ("1", Scored, Some(0.1), Some(Medal::Gold), None),
            ("2", Scored, Some(0.2), Some(Medal::Silver), None),
            ("3", Scored, Some(0.3), Some(Medal::Bronze), None),
            ("4", Scored, Some(0.4), None, None),
            ("9", Scored, Some(0.9), None, None),
            ("m", Scored, Some(f64::NEG_INFINITY), Some(Medal::Gold), None),
            ("i", Scored, Some(f64::INFINITY), None, None),
            ("n", Undefined, Some(f64::NAN), None, None),
            ("", InvalidSubmission, None, None, None),
            ("s", InvalidSubmission, None, None, None),
            ("a", InvalidAnswers, None, None, None),
            ("t", GraderFailed, None, None, Some("trapped")),
            ("l", GraderFailed, None, None, Some("out-of-fuel")),
        ];
        for &(content, outcome, score, medal, failure) in cases {
            let path = world.submission("submission.csv", content);
            let graded = context.grade(&competition, &path, &GradingOptions::default());
            let report = &graded.report;
            assert_eq!(report.outcome, outcome, "{content}");
            let found = report.score_value();
            assert!(found == score || found.is_some_and(f64::is_nan), "{content}: {found:?}");
            assert_eq!((report.medal(), report.any_medal), (medal, medal.is_some()), "{content}");
            assert_eq!(report.failure.as_deref(), failure, "{content}");
            assert_eq!(report.valid_submission, score.is_some(), "{content}");
            assert_eq!(report.above_median, score.is_some_and(|score| score < 0.5), "{content}");
            assert_eq!(report.message.is_some(), outcome != Scored, "{content}");
            assert!(report.submission_exists && report.is_lower_better);
            assert_eq!(report.submission_path, path.to_string_lossy());
            assert_eq!(report.known_issues.len(), 1);
            let receipt = graded.receipt.as_ref().unwrap();
            assert_eq!(report.receipt_id, Some(receipt.id));
            assert_eq!(report.grader_sha256, Some(receipt.claim.component.sha256));
            assert_eq!(receipt.claim.outcome.kind, outcome);
            assert_eq!(receipt.claim.inputs.len(), 2);
            assert!(graded.report.usage.unwrap().fuel > 0);
        }
    }

    #[test]
    fn ranks_distances_and_rounding_are_told() {
        let world = TestingCompetition::new();
        let two = grade(&world, &world.submission("two.csv", "2")).report;
        assert_eq!((two.leaderboard_rank, two.leaderboard_teams), (Some(2), Some(6)));
        assert_eq!(two.distances.unwrap().silver, 0.0);
        assert!(two.distances.unwrap().gold < 0.0 && two.distances.unwrap().median > 0.0);
        assert!(!two.rounding_decides);
        let rounded = grade(&world, &world.submission("rounded.csv", "h")).report;
        assert_eq!((rounded.score, rounded.unrounded_score), (Some(0.2), Some(0.200004)));
        assert!(rounded.silver_medal && rounded.rounding_decides);
        let undefined = grade(&world, &world.submission("undefined.csv", "n")).report;
        assert_eq!((undefined.score, undefined.score_text.as_deref()), (None, Some("nan")));
        assert_eq!((undefined.leaderboard_rank, undefined.distances), (None, None));
        let warned = grade(&world, &world.submission("warned.csv", "w")).report;
        assert_eq!(warned.warnings, ["hello"]);
    }

    #[test]
    fn what_is_no_csv_file_is_no_submission() {
        let world = TestingCompetition::new();
        fs::create_dir(world.path("folder.csv")).unwrap();
        let cases = [
            (world.path("missing.csv"), "no such file"),
            (world.path("missing/deep.csv"), "no such file"),
            (world.path("folder.csv"), "a folder"),
            (world.submission("submission.txt", "1"), "has to be a CSV file"),
            (world.submission("submission", "1"), "has to be a CSV file"),
            (world.submission(".csv", "1"), "has to be a CSV file"),
            (PathBuf::from("https://example.org/submission.csv"), "an address"),
        ];
        for (path, part) in cases {
            let graded = grade(&world, &path);
            let message = graded.report.message.as_deref().unwrap();
            assert_eq!(graded.report.outcome, Outcome::NoSubmission, "{message}");
            assert!(message.contains(part), "{message}");
            assert!(!graded.report.submission_exists && !graded.report.valid_submission);
            assert!(graded.receipt.is_none() && graded.report.receipt_id.is_none());
        }
        let upper = grade(&world, &world.submission("submission.CSV", "1")).report;
        assert_eq!((upper.outcome, upper.submission_exists), (Outcome::Scored, true));
        let none = world.context().no_submission(&world.competition(), &GradingOptions::default());
        assert_eq!(none.report.outcome, Outcome::NoSubmission);
        assert_eq!(none.report.submission_path, "None");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_a_folder_only_and_everywhere_for_answers() {
        use std::os::unix::fs::symlink;
        let world = TestingCompetition::new();
        let target = world.submission("target.csv", "1");
        symlink("target.csv", world.path("submissions/inside.csv")).unwrap();
        assert_eq!(grade(&world, &world.path("submissions/inside.csv")).report.score, Some(0.1));
        fs::create_dir(world.path("elsewhere")).unwrap();
        let outside = world.path("elsewhere/outside.csv");
        symlink(&target, &outside).unwrap();
        let refused = grade(&world, &outside).report;
        assert_eq!(refused.outcome, Outcome::InvalidSubmission);
        assert!(
            refused.submission_exists && refused.message.unwrap().contains("an absolute target")
        );

        let private = world.path("data/tiny/prepared/private");
        fs::rename(private.join("test.csv"), world.path("elsewhere/kept-here.csv")).unwrap();
        symlink(world.path("elsewhere/kept-here.csv"), private.join("test.csv")).unwrap();
        let graded = grade(&world, &target);
        assert_eq!(graded.report.outcome, Outcome::Scored);
        assert_eq!(graded.receipt.unwrap().claim.inputs[1].name, "test.csv");
    }

    #[test]
    fn missing_answers_are_looked_for_by_name() {
        let world = TestingCompetition::new();
        let submission = world.submission("submission.csv", "1");
        let context = world.context();
        let answers = world.path("data/tiny/prepared/private/test.csv");
        fs::remove_file(&answers).unwrap();
        let grade =
            || context.grade(&world.competition(), &submission, &GradingOptions::default()).report;
        let report = grade();
        assert_eq!(report.outcome, Outcome::NotPrepared);
        assert!(report.submission_exists && !report.valid_submission);
        let message = report.message.unwrap();
        assert!(message.contains(answers.to_str().unwrap()), "{message}");
        // Prepared in the meantime: the same context finds them.
        fs::write(&answers, "id\n").unwrap();
        assert_eq!(grade().outcome, Outcome::Scored);
    }

    #[test]
    fn a_grader_that_is_missing_broken_or_anothers_fails_the_grading() {
        let world = TestingCompetition::new();
        let submission = world.submission("submission.csv", "1");
        let grader = world.path("competitions/tiny/grader.wasm");
        let bytes = fs::read(&grader).unwrap();
        let fails = |kind: &str, part: &str| {
            let report = grade(&world, &submission).report;
            let message = report.message.unwrap_or_default();
            assert_eq!(report.outcome, Outcome::GraderFailed, "{message}");
            assert_eq!(report.failure.as_deref(), Some(kind), "{message}");
            assert!(message.contains(part), "{message}");
        };
        fs::write(&grader, b"nonsense").unwrap();
        fails("not-loadable", "grader.wasm");
        fs::remove_file(&grader).unwrap();
        fails("no-grader", "grader.wasm");
        fs::write(&grader, &bytes).unwrap();
        let definition = world.path("competitions/tiny/competition.toml");
        let text = fs::read_to_string(&definition).unwrap();
        let (before_medals, _) = text.split_once("[medals]").unwrap();
        fs::remove_file(world.path("competitions/tiny/leaderboard.csv")).unwrap();
        fs::write(&definition, before_medals.replace("\"lower\"", "\"higher\"")).unwrap();
        fails("wrong-grader", "lower is better");
        let other = world.path("competitions/other");
        fs::rename(world.path("competitions/tiny"), &other).unwrap();
        fs::write(other.join("competition.toml"), before_medals.replace("\"tiny\"", "\"other\""))
            .unwrap();
        fs::rename(world.path("data/tiny"), world.path("data/other")).unwrap();
        let competition = world.catalog().get("other").unwrap();
        let report =
            world.context().grade(&competition, &submission, &GradingOptions::default()).report;
        assert_eq!(report.failure.as_deref(), Some("wrong-grader"));
        assert!(report.message.unwrap().contains("it grades `tiny`, not `other`"));
    }

    #[test]
    fn another_grader_can_be_named_and_the_run_is_passed_through() {
        let world = TestingCompetition::new();
        let submission = world.submission("submission.csv", "1");
        let grader = world.path("other.wasm");
        fs::write(&grader, crate::testing::component("(call $score (f64.const 0.25))")).unwrap();
        let mut options =
            GradingOptions { grader: Some(grader.into()), ..GradingOptions::default() };
        options.run.insert("seed".to_owned(), 7.into());
        let report = world.context().grade(&world.competition(), &submission, &options).report;
        assert_eq!(report.score, Some(0.25));
        assert_eq!(report.run["seed"], 7);
    }

    #[test]
    fn a_competition_without_lines_awards_nothing() {
        let world = TestingCompetition::new();
        let mut competition = world.competition();
        (competition.thresholds, competition.leaderboard) = (None, None);
        let submission = world.submission("submission.csv", "0");
        let report =
            world.context().grade(&competition, &submission, &GradingOptions::default()).report;
        assert_eq!((report.outcome, report.gold_threshold), (Outcome::Scored, None));
        assert!(!report.any_medal && !report.above_median && report.distances.is_none());
    }

    #[test]
    fn cancelled_gradings_say_so_and_have_no_receipt() {
        let world = TestingCompetition::new();
        let options = GradingOptions::default();
        options.cancellation.cancel();
        let submission = world.submission("submission.csv", "1");
        let graded = world.context().grade(&world.competition(), &submission, &options);
        assert!(graded.is_cancelled() && graded.receipt.is_none());
    }

    /// Threat 5: any two well-formed submissions get the same reply.
    #[test]
    fn validation_keeps_the_score_to_itself() {
        let world = TestingCompetition::new();
        let validate = |content: &str| {
            let submission = world.submission("submission.csv", content);
            world.context().validate(&world.competition(), &submission, &GradingOptions::default())
        };
        let good = validate("0");
        assert!(good.valid && good.message.is_none());
        for content in ["1", "9", "n", "i", "m"] {
            assert_eq!(validate(content), good, "{content}");
        }
        let bad = validate("s");
        assert!(!bad.valid);
        assert_eq!(
            (bad.outcome, bad.message.as_deref()),
            (Outcome::InvalidSubmission, Some("hello"))
        );
        let input = Input::from_bytes("uploaded.csv", "s");
        let context = world.context();
        let uploaded =
            context.validate_input(&world.competition(), &input, &GradingOptions::default());
        assert_eq!(uploaded, bad);
    }

    #[test]
    fn a_receipt_is_verified_by_grading_again() {
        let world = TestingCompetition::new();
        let (context, competition) = (world.context(), world.competition());
        let path = world.submission("submission.csv", "2");
        let receipt = grade(&world, &path).receipt.unwrap();
        assert_eq!(grade(&world, &path).receipt.unwrap(), receipt);
        let grader = context.grader(&competition, None).unwrap().0.grader;
        let answers = Input::from_bytes("kept-under-another-name.csv", "id,label\n1,0\n");
        let verify = |grader: &Grader, submission: &str, answers: &[Input]| {
            let submission = Input::from_bytes("x.csv", submission);
            receipt.verify(grader, &submission, answers, &Cancellation::new())
        };
        let answers = [answers];
        let identical = Verification::Identical { made_by: Vec::new() };
        assert_eq!(verify(&grader, "2", &answers), identical);
        let fields = |verification| {
            let Verification::OtherMaterial(differences) = verification else {
                panic!("{verification:?}")
            };
            differences.into_iter().map(|Difference { field, .. }| field).collect::<Vec<_>>()
        };
        assert_eq!(fields(verify(&grader, "3", &answers)), ["inputs[0].sha256"]);
        assert_eq!(fields(verify(&grader, "22", &answers)), ["inputs[0].sha256", "inputs[0].size"]);
        assert_eq!(fields(verify(&grader, "2", &[])), ["inputs[1].sha256", "inputs[1].size"]);
        let other = crate::testing::component("(call $score (f64.const 0.25))");
        let other = Grader::from_bytes(context.engine(), "other", &other).unwrap();
        assert_eq!(fields(verify(&other, "2", &answers)), ["component.sha256"]);

        // A claim that was forged with all its digests in order still fails: the grading gives something else.
        let mut forged = receipt.clone();
        forged.claim.outcome.score = Some(crate::receipt::ExactNumber::new(0.1));
        forged.id = forged.claim.id();
        let submission = Input::from_bytes("submission.csv", "2");
        let Verification::Differs(differences) =
            forged.verify(&grader, &submission, &answers, &Cancellation::new())
        else {
            panic!()
        };
        assert_eq!(differences.len(), 2);
        assert_eq!(differences[0].claimed.as_deref(), Some("0.1"));
        assert_eq!(differences[0].found.as_deref(), Some("0.2"));
        let cancelled = Cancellation::new();
        cancelled.cancel();
        assert_eq!(
            receipt.verify(&grader, &submission, &answers, &cancelled),
            Verification::Inconclusive(GraderFailure::Cancelled)
        );
    }

    #[test]
    fn receipts_from_before_limits_were_claimed_still_hold() {
        let world = TestingCompetition::new();
        let (context, competition) = (world.context(), world.competition());
        let receipt = grade(&world, &world.submission("submission.csv", "l")).receipt.unwrap();
        let limit = receipt.claim.outcome.limit.clone().unwrap();
        assert_eq!((limit.name.as_str(), limit.value), ("fuel", 1_000_000));
        let grader = context.grader(&competition, None).unwrap().0.grader;
        let submission = Input::from_bytes("submission.csv", "l");
        let answers = [Input::from_bytes("test.csv", "id,label\n1,0\n")];
        let verify = |receipt: &Receipt| {
            receipt.verify(&grader, &submission, &answers, &Cancellation::new())
        };
        let identical = Verification::Identical { made_by: Vec::new() };
        assert_eq!(verify(&receipt), identical);
        let mut old = receipt.clone();
        old.claim.outcome.limit = None;
        old.id = old.claim.id();
        assert_eq!(verify(&old), identical);
        // Another limit than the one that was reached is no way to say none.
        let mut forged = receipt.clone();
        forged.claim.outcome.limit.as_mut().unwrap().value += 1;
        forged.id = forged.claim.id();
        assert!(matches!(verify(&forged), Verification::Differs(_)));
    }

    /// The digest of a large file is taken while it is graded; a receipt must not name another one than of what was graded.
    #[cfg(unix)]
    #[test]
    fn a_receipt_names_the_digest_of_what_was_graded() {
        use std::os::unix::fs::PermissionsExt;
        let world = TestingCompetition::new();
        let (context, competition) = (world.context(), world.competition());
        let content = |first: &str| format!("{first}{}", "x".repeat(5 << 20));
        let long_ago = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let set_old = |path: &Path| {
            let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            file.set_modified(long_ago).unwrap();
        };
        let grade = |changed: &dyn Fn(&Path)| {
            let path = world.submission("large.csv", &content("1"));
            set_old(&path);
            let input = Input::open_undigested(&path, 1 << 30).unwrap();
            assert!(!input.is_digested());
            changed(&path);
            context.grade_input(&competition, &input, "large.csv", &GradingOptions::default())
        };
        let claimed =
            |graded: &GradedSubmission| graded.receipt.as_ref().unwrap().claim.inputs[0].sha256;

        let unchanged = grade(&|_| ());
        assert_eq!(unchanged.report.score, Some(0.1));
        assert_eq!(claimed(&unchanged), crate::Digest::of(content("1").as_bytes()));

        // Another change time and nothing else: graded again, and the same as ever.
        let touched = grade(&|path| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
        });
        assert_eq!(touched.receipt, unchanged.receipt);

        let with_the_time_set_back = grade(&|path| {
            world.submission("large.csv", &content("2"));
            set_old(path);
        });
        assert_eq!(with_the_time_set_back.report.score, Some(0.2));
        assert_eq!(claimed(&with_the_time_set_back), crate::Digest::of(content("2").as_bytes()));

        let written = grade(&|_| {
            world.submission("large.csv", &content("2"));
        });
        assert_eq!(written.report.failure.as_deref(), Some("input-changed"));
        assert!(written.receipt.is_none() && written.report.score.is_none());
    }

    /// Threat 15: nothing is remembered of a submission, and answers are remembered by where they lie.
    #[test]
    fn changed_inputs_are_graded_as_they_are() {
        let world = TestingCompetition::new();
        let (context, competition) = (world.context(), world.competition());
        let grade = |content: &str| {
            let path = world.submission("submission.csv", content);
            context.grade(&competition, &path, &GradingOptions::default())
        };
        let (first, second) = (grade("1"), grade("2"));
        assert_eq!((first.report.score, second.report.score), (Some(0.1), Some(0.2)));
        assert_ne!(first.receipt.unwrap().id, second.receipt.unwrap().id);
        world.write("more/tiny/prepared/private/test.csv", "other answers");
        let elsewhere = GradingContext::new(
            context.engine().clone(),
            world.path("more"),
            LimitOverrides::default(),
        );
        let path = world.submission("submission.csv", "2");
        let third = elsewhere.grade(&competition, &path, &GradingOptions::default());
        assert_ne!(
            third.receipt.unwrap().claim.inputs[1],
            grade("2").receipt.unwrap().claim.inputs[1]
        );
    }
}
