//! Gradings of a regrade over all cores: one thread reads the archive, the others grade what it hands over.
//!
//! The queue between them is short, and small submissions are held in memory, so that memory stays flat however many
//! there are. The same submission to the same competition is graded once: whoever comes while it is being graded leaves
//! its place in a list and gets the result.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::catalog::Catalog;
use crate::competition::Competition;
use crate::digest::Digest;
use crate::error::Error;
use crate::grading::{GradedSubmission, GradingContext, GradingOptions, is_csv};
use crate::input::{Input, InputProblem};
use crate::medals::Medal;
use crate::memory_share::{self, Memory};
use crate::outcome::Outcome;
use crate::report::GradingReport;

use super::comparison::{self, Comparison, Graded, Recorded, RegradeVerdict, RegradedRun};
use super::journal::{Journal, Key};
use super::records::RecordedReceipt;
use super::resolver::why_missing;
use super::set::RegradeSet;
use super::statement::{Field, Said, Statement};
use super::subject::RegradeSubject;
use super::submissions::{self, Content, Job};
use super::survey::{ArchivedRun, SubmissionPlace, Survey};
use super::{RegradeObserver, RegradeOptions};

/// A run that has been looked at, with its report where there is a competition to report on.
pub(super) struct Finished {
    pub(super) run: RegradedRun,
    pub(super) report: Option<GradingReport>,
}

/// Grades the runs of a survey; gives them with their places in it, in any order. Those that an interruption left are
/// not among them.
///
/// # Errors
/// [`Error::Write`] where a receipt cannot be written, [`Error::Read`] where the set cannot be read.
pub(super) fn grade_all(
    context: &GradingContext,
    catalog: &Catalog,
    subject: &RegradeSubject,
    survey: &Survey,
    set: &RegradeSet,
    options: &RegradeOptions,
    observer: &dyn RegradeObserver,
) -> Result<Vec<(usize, Finished)>, Error> {
    let threads = options
        .threads
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
        .min(survey.runs.len().max(1));
    let memory = options.memory_bytes.unwrap_or_else(memory_share::default_memory_bytes);
    let queue = Queue {
        context,
        survey,
        options,
        observer,
        competitions: competitions(catalog, survey),
        is_archive: subject.archive().is_some(),
        journal: Journal::read(set.folder(), &options.others, set.key())?,
        memory: Memory::new(memory),
        slots: Mutex::default(),
        finished: Mutex::default(),
        failure: Mutex::default(),
    };
    let to_grade = queue.settle();
    let (sender, receiver) = sync_channel(threads);
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| queue.work(&receiver));
        }
        let limit = |run: usize| match &queue.competitions[&survey.runs[run].competition_id] {
            Ok(competition) => context.limits_of(competition).input_bytes,
            Err(_) => 0,
        };
        let send = |job| !queue.is_over() && sender.send(job).is_ok();
        submissions::send_all(subject, survey, &to_grade, &limit, &send);
        drop(sender);
    });
    match queue.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(queue.finished.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// The competitions of a survey, each read once; or why there is none.
fn competitions(
    catalog: &Catalog,
    survey: &Survey,
) -> HashMap<String, Result<Competition, String>> {
    let mut competitions = HashMap::new();
    for run in &survey.runs {
        competitions
            .entry(run.competition_id.clone())
            .or_insert_with(|| catalog.get(&run.competition_id).map_err(|error| error.to_string()));
    }
    competitions
}

struct Queue<'a> {
    context: &'a GradingContext,
    survey: &'a Survey,
    options: &'a RegradeOptions,
    observer: &'a dyn RegradeObserver,
    competitions: HashMap<String, Result<Competition, String>>,
    /// Whether the runs are those of an archive, and not of a single report or list.
    is_archive: bool,
    journal: Journal,
    memory: Memory,
    slots: Mutex<HashMap<Key, Slot>>,
    finished: Mutex<Vec<(usize, Finished)>>,
    /// The first receipt that could not be written.
    failure: Mutex<Option<Error>>,
}

/// A submission that is being graded, with the runs that wait for it, or has been.
enum Slot {
    Running(Vec<usize>),
    Done(Arc<GradingResult>),
}

/// What came out of a grading.
struct GradingResult {
    report: GradingReport,
    receipt: Option<RecordedReceipt>,
    submission: Option<Digest>,
}

impl Queue<'_> {
    /// Settles the runs that need no grading, and gives the others.
    fn settle(&self) -> Vec<usize> {
        let mut to_grade = Vec::new();
        for (at, run) in self.survey.runs.iter().enumerate() {
            let competition = match &self.competitions[&run.competition_id] {
                Ok(competition) => competition,
                Err(message) => {
                    self.not_graded(at, RegradeVerdict::UnknownCompetition, message);
                    continue;
                }
            };
            match &run.submission {
                SubmissionPlace::None => self.without_submission(at, competition),
                // As in a list: what is no CSV by its name is no submission.
                SubmissionPlace::Beside(path) | SubmissionPlace::Named(path) if !is_csv(path) => {
                    self.without_submission(at, competition);
                }
                SubmissionPlace::Missing(path) => {
                    let message = match &self.survey.broken {
                        Some(broken) => format!("it is not among what could be read: {broken}"),
                        None => why_missing(path, self.is_archive),
                    };
                    self.not_graded(at, RegradeVerdict::SubmissionMissing, &message);
                }
                SubmissionPlace::Unusable { reason, .. } => {
                    self.not_graded(at, RegradeVerdict::SubmissionUnusable, reason);
                }
                _ => to_grade.push(at),
            }
        }
        to_grade
    }

    fn without_submission(&self, at: usize, competition: &Competition) {
        let archived = &self.survey.runs[at];
        let report = self.context.no_submission(competition, &self.grading(archived)).report;
        let new = Statement::of(&report);
        let Comparison { verdict, changed_fields, .. } =
            comparison::without_submission(archived.recorded.as_ref(), &new);
        let run = RegradedRun {
            old: archived.recorded.as_ref().map(Statement::standing),
            new: Some(new.standing()),
            changed_fields,
            message: report.message.clone(),
            ..blank(archived, verdict)
        };
        self.add(at, run, Some(report));
    }

    /// Takes jobs until there are no more.
    fn work(&self, receiver: &Mutex<Receiver<Job>>) {
        loop {
            // Held while waiting for memory, so that a large grading is not overtaken for ever.
            let turn = lock(receiver);
            let Ok(Job { run, content }) = turn.recv() else { return };
            if self.is_over() {
                // The reader may be waiting for room in the queue.
                continue;
            }
            let Ok(competition) = &self.competitions[&self.survey.runs[run].competition_id] else {
                continue;
            };
            match content {
                Content::Input(input) => {
                    let _share = self.memory.take(self.estimate(competition, &input));
                    drop(turn);
                    self.take(run, competition, &input);
                }
                Content::Refused { size, limit } => {
                    drop(turn);
                    let archived = &self.survey.runs[run];
                    let path = archived.submission.path().unwrap_or_default();
                    let problem = InputProblem::TooLarge { size, limit };
                    let options = self.grading(archived);
                    let graded = self.context.refused(competition, &path, problem, &options);
                    let result =
                        GradingResult { report: graded.report, receipt: None, submission: None };
                    self.finish(run, &result, Graded::Now);
                }
                Content::Unusable(reason) => {
                    drop(turn);
                    self.not_graded(run, RegradeVerdict::SubmissionUnusable, &reason);
                }
            }
        }
    }

    fn estimate(&self, competition: &Competition, submission: &Input) -> u64 {
        let answers: u64 = competition
            .answers_in(self.context.data_folder())
            .iter()
            .map(|path| path.metadata().map_or(0, |metadata| metadata.len()))
            .sum();
        memory_share::estimate(submission.size().saturating_add(answers))
    }

    /// Grades a submission, unless it was graded or is being graded.
    fn take(&self, run: usize, competition: &Competition, submission: &Input) {
        let archived = &self.survey.runs[run];
        let options = self.grading(archived);
        let key = self
            .context
            .material(competition, &options)
            .map(|(component, answers)| Key::of(&component, submission, &answers));
        let Some(key) = key else {
            // Without a grader or answers there is nothing that could be the same.
            if let Some((result, graded)) = self.grade(run, competition, submission, None) {
                self.finish(run, &result, graded);
            }
            return;
        };
        let done = match lock(&self.slots).entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(Slot::Running(Vec::new()));
                None
            }
            Entry::Occupied(mut occupied) => match occupied.get_mut() {
                Slot::Running(waiting) => return waiting.push(run),
                Slot::Done(result) => Some(Arc::clone(result)),
            },
        };
        if let Some(result) = done {
            return self.finish(run, &result, Graded::AsDuplicate);
        }
        let Some((result, graded)) = self.grade(run, competition, submission, Some(&key)) else {
            return;
        };
        let result = Arc::new(result);
        let slot = lock(&self.slots).insert(key, Slot::Done(Arc::clone(&result)));
        self.finish(run, &result, graded);
        if let Some(Slot::Running(waiting)) = slot {
            for run in waiting {
                self.finish(run, &result, Graded::AsDuplicate);
            }
        }
    }

    /// Grades a submission, or takes its receipt from the set. `None` after an interruption.
    fn grade(
        &self,
        run: usize,
        competition: &Competition,
        submission: &Input,
        key: Option<&Key>,
    ) -> Option<(GradingResult, Graded)> {
        let archived = &self.survey.runs[run];
        let options = self.grading(archived);
        let path = archived.submission.path().unwrap_or_default();
        let limits = self.context.limits_of(competition);
        let known = key.and_then(|key| self.journal.find(key, &limits));
        let (receipt, report, graded) = match known {
            Some((receipt, false)) => (Some(receipt), None, Graded::Before),
            // Another archive has the same submission.
            Some((receipt, true)) => (Some(receipt), None, Graded::AsDuplicate),
            None => {
                let graded = self.run_grader(competition, submission, &path, &options);
                if graded.is_cancelled() {
                    return None;
                }
                (graded.receipt, Some(graded.report), Graded::Now)
            }
        };
        let report = match (&receipt, report) {
            // From the receipt in any case, so that a set is the same however often it was interrupted.
            (Some(receipt), _) => {
                if graded != Graded::Before
                    && let Err(error) = self.journal.add(receipt)
                {
                    lock(&self.failure).get_or_insert(error);
                    return None;
                }
                self.context.report_of(competition, receipt, &path, &options)
            }
            (None, Some(report)) => report,
            (None, None) => return None,
        };
        let receipt = receipt.as_ref().and_then(RecordedReceipt::of);
        Some((GradingResult { report, receipt, submission: Some(*submission.sha256()) }, graded))
    }

    fn run_grader(
        &self,
        competition: &Competition,
        submission: &Input,
        path: &str,
        options: &GradingOptions,
    ) -> GradedSubmission {
        let grade = || self.context.grade_input(competition, submission, path, options);
        // A bug of ours in one grading must not take the others with it.
        catch_unwind(AssertUnwindSafe(grade))
            .unwrap_or_else(|_| self.context.panicked_over(competition, path, true, options))
    }

    /// How a run is graded, and what its report says of it.
    fn grading(&self, run: &ArchivedRun) -> GradingOptions {
        let mut said = run.run.clone();
        for (key, value) in [
            ("run_group", &run.run_group),
            ("run_id", &run.run_id),
            ("experiment", &run.experiment),
        ] {
            if let Some(value) = value {
                said.insert(key.to_owned(), Value::from(value.as_str()));
            }
        }
        GradingOptions {
            grader: self.options.graders.get(&run.competition_id).cloned(),
            run: said,
            cancellation: self.options.cancellation.clone(),
        }
    }

    /// Compares a graded run with what was recorded.
    fn finish(&self, at: usize, result: &GradingResult, graded: Graded) {
        let archived = &self.survey.runs[at];
        let mut report = result.report.clone();
        report.submission_path = archived.submission.path().unwrap_or_default();
        report.run = self.grading(archived).run;
        let new = Statement::of(&report);
        let receipts = &self.survey.receipts;
        let named = archived.receipt.and_then(|id| receipts.by_id(&id));
        let receipt =
            named.or_else(|| receipts.of_submission(&archived.competition_id, &result.submission?));
        let of_receipt = receipt.and_then(|receipt| {
            let competition = self.competitions[&archived.competition_id].as_ref().ok()?;
            Some(statement_of(receipt, competition))
        });
        let old = archived.recorded.as_ref().or(of_receipt.as_ref());
        let recorded = Recorded {
            statement: old,
            receipt,
            of_named_receipt: of_receipt
                .as_ref()
                .filter(|_| named.is_some() && archived.recorded.is_some()),
        };
        let Comparison { verdict, difference, changed_fields, remarks } =
            comparison::compare(recorded, &new, result.receipt.as_ref());
        let run = RegradedRun {
            submission_sha256: result.submission,
            old: old.map(Statement::standing),
            difference,
            changed_fields,
            remarks,
            message: report.message.clone(),
            failure: report.failure.clone(),
            receipt_id: report.receipt_id,
            graded,
            new: Some(new.standing()),
            ..blank(archived, verdict)
        };
        self.add(at, run, Some(report));
    }

    fn not_graded(&self, at: usize, verdict: RegradeVerdict, message: &str) {
        let archived = &self.survey.runs[at];
        let run = RegradedRun {
            old: archived.recorded.as_ref().map(Statement::standing),
            message: Some(message.to_owned()),
            ..blank(archived, verdict)
        };
        self.add(at, run, None);
    }

    fn add(&self, at: usize, run: RegradedRun, report: Option<GradingReport>) {
        self.observer.finished(&run);
        lock(&self.finished).push((at, Finished { run, report }));
    }

    fn is_over(&self) -> bool {
        self.options.cancellation.is_cancelled() || lock(&self.failure).is_some()
    }
}

/// What a receipt says, in the fields of a report. It does not say which medal lines there were.
fn statement_of(receipt: &RecordedReceipt, competition: &Competition) -> Statement {
    let score = receipt.score.filter(|_| receipt.kind.is_valid_submission());
    let rounded = score.map(|score| competition.rounding().round(score));
    let number = |number: Option<f64>| number.map_or(Said::Nothing, Said::Number);
    let mut statement = Statement::by(Some(receipt.component));
    for (field, said) in [
        (Field::Outcome, Said::Outcome(receipt.kind)),
        (Field::SubmissionExists, Said::Flag(receipt.kind != Outcome::NoSubmission)),
        (Field::ValidSubmission, Said::Flag(receipt.kind.is_valid_submission())),
        (Field::Score, number(rounded)),
        (Field::UnroundedScore, number(score.filter(|score| score.is_finite()))),
    ] {
        statement.say(field, said);
    }
    if let Some((score, lines)) = rounded.zip(competition.thresholds) {
        let award = lines.award(score, competition.direction());
        let has = |medal: Medal| Said::Flag(award.medal == Some(medal));
        statement.say(Field::GoldMedal, has(Medal::Gold));
        statement.say(Field::SilverMedal, has(Medal::Silver));
        statement.say(Field::BronzeMedal, has(Medal::Bronze));
        statement.say(Field::AnyMedal, Said::Flag(award.medal.is_some()));
        statement.say(Field::AboveMedian, Said::Flag(award.above_median));
    }
    statement
}

fn blank(archived: &ArchivedRun, verdict: RegradeVerdict) -> RegradedRun {
    RegradedRun {
        run_group: archived.run_group.clone(),
        group: archived.group.as_str().to_owned(),
        run_id: archived.run_id.clone(),
        experiment: archived.experiment.clone(),
        competition_id: archived.competition_id.clone(),
        seed: archived.seed().cloned(),
        submission: archived.submission.path(),
        submission_sha256: None,
        verdict,
        old: None,
        new: None,
        difference: None,
        changed_fields: Vec::new(),
        remarks: Vec::new(),
        message: None,
        failure: None,
        receipt_id: None,
        graded: Graded::Not,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
