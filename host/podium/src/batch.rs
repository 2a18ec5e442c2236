//! Many submissions at once: a list is graded over all cores, and the reports come out in the order of the list.
//!
//! Each grader is loaded and each file of answers hashed once. Gradings of large inputs wait until there is memory for
//! them, in their turn, so that a batch needs no more than its share of the machine.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cancellation::Cancellation;
use crate::catalog::Catalog;
use crate::competition::Competition;
use crate::error::Error;
use crate::grading::{GradedSubmission, GradingContext, GradingOptions};
use crate::memory_share::{self, Memory};
use crate::run_group::RunGroupReport;
use crate::submission_list::ListedSubmission;

/// How a list is graded.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// How many gradings run at once; by default one for each core.
    pub threads: Option<NonZeroUsize>,
    /// How much memory the gradings may need together, in bytes, by an estimate from the sizes of their inputs. By
    /// default three quarters of what is available. A grading that needs more runs alone.
    pub memory_bytes: Option<u64>,
    /// Ends the batch early: nothing new is begun, what is running is stopped and left out of the report.
    pub cancellation: Cancellation,
}

/// Is told how a batch goes on, from the threads that grade. What it does is no part of any result.
pub trait BatchObserver: Sync {
    /// A submission of the list is being graded; `index` is its place in the list, from 0 on.
    fn started(&self, index: usize, submission: &ListedSubmission) {
        let _ = (index, submission);
    }

    /// A submission of the list has been graded. Comes in the order in which gradings end.
    fn finished(&self, index: usize, submission: &ListedSubmission, graded: &GradedSubmission) {
        let _ = (index, submission, graded);
    }
}

/// An observer that looks away.
impl BatchObserver for () {}

/// A graded list.
#[derive(Clone, Debug)]
pub struct Batch {
    /// What was graded, in the order of the list; `None` for what was not, after a cancellation.
    pub submissions: Vec<Option<GradedSubmission>>,
}

impl Batch {
    /// Whether the whole list was graded.
    pub fn is_complete(&self) -> bool {
        self.submissions.iter().all(Option::is_some)
    }

    /// What was graded, in the order of the list.
    pub fn graded(&self) -> impl Iterator<Item = &GradedSubmission> {
        self.submissions.iter().flatten()
    }

    /// The report of the run group over what was graded.
    pub fn report(&self) -> RunGroupReport {
        let reports = self.graded().map(|graded| graded.report.clone()).collect();
        RunGroupReport::new(reports, self.is_complete())
    }
}

/// Grades a list of submissions.
///
/// A grading that fails, for whatever reason, is a report like any other and does not stop the rest.
///
/// # Errors
/// [`Error::ListedCompetitions`], before anything is graded, if the list names competitions that the catalog does not
/// have or that cannot be read.
pub fn grade_list(
    context: &GradingContext,
    catalog: &Catalog,
    list: &[ListedSubmission],
    options: &BatchOptions,
    observer: &dyn BatchObserver,
) -> Result<Batch, Error> {
    let competitions = competitions_of(catalog, list)?;
    let threads = options
        .threads
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
        .min(list.len().max(1));
    let memory =
        Memory::new(options.memory_bytes.unwrap_or_else(memory_share::default_memory_bytes));
    let next = Mutex::new(0);
    let graded = Mutex::new(vec![None; list.len()]);
    let work = || {
        loop {
            // Held while waiting for memory, so that a large grading is not overtaken for ever.
            let mut turn = lock(&next);
            let index = *turn;
            let Some(submission) = list.get(index) else { break };
            let competition = &competitions[submission.competition_id.as_str()];
            let _share = memory.take(estimate(context, competition, submission));
            if options.cancellation.is_cancelled() {
                break;
            }
            *turn += 1;
            drop(turn);
            observer.started(index, submission);
            let one = grade_one(context, competition, submission, &options.cancellation);
            if !one.is_cancelled() {
                observer.finished(index, submission, &one);
                lock(&graded)[index] = Some(one);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    Ok(Batch { submissions: graded.into_inner().unwrap_or_else(PoisonError::into_inner) })
}

fn grade_one(
    context: &GradingContext,
    competition: &Competition,
    submission: &ListedSubmission,
    cancellation: &Cancellation,
) -> GradedSubmission {
    let options = GradingOptions {
        grader: None,
        run: submission.run.clone(),
        cancellation: cancellation.clone(),
    };
    let grade = || match &submission.submission_path {
        Some(path) => context.grade(competition, path, &options),
        None => context.no_submission(competition, &options),
    };
    // A bug of ours in one grading must not take the others with it.
    catch_unwind(AssertUnwindSafe(grade))
        .unwrap_or_else(|_| context.panicked(competition, submission, &options))
}

/// The competitions of a list, each read once.
fn competitions_of(
    catalog: &Catalog,
    list: &[ListedSubmission],
) -> Result<HashMap<String, Competition>, Error> {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for submission in list {
        lines.entry(&submission.competition_id).or_insert(submission.line);
    }
    let mut competitions = HashMap::new();
    let mut problems = Vec::new();
    for (id, line) in lines {
        match catalog.get(id) {
            Ok(competition) => {
                competitions.insert(id.to_owned(), competition);
            }
            Err(error) => problems.push((line, error)),
        }
    }
    problems.sort_by_key(|(line, _)| *line);
    if problems.is_empty() { Ok(competitions) } else { Err(Error::ListedCompetitions { problems }) }
}

/// About how many bytes of memory a grading needs.
fn estimate(
    context: &GradingContext,
    competition: &Competition,
    submission: &ListedSubmission,
) -> u64 {
    let size = |path: &std::path::Path| path.metadata().map_or(0, |metadata| metadata.len());
    let submission = submission.submission_path.as_deref().map_or(0, size);
    let answers: u64 =
        competition.answers_in(context.data_folder()).iter().map(|path| size(path)).sum();
    memory_share::estimate(submission.saturating_add(answers))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::outcome::Outcome;
    use crate::submission_list::parse_submission_list;
    use crate::testing_competition::TestingCompetition;

    /// A list of submissions with these contents; `-` is a missing file.
    fn list(world: &TestingCompetition, contents: &[&str]) -> Vec<ListedSubmission> {
        let lines: Vec<String> = contents
            .iter()
            .enumerate()
            .map(|(index, content)| {
                let path = match *content {
                    "-" => world.path("missing.csv"),
                    content => world.submission(&format!("{index}.csv"), content),
                };
                let path = serde_json::Value::from(path.to_str().unwrap());
                format!("{{\"competition_id\": \"tiny\", \"submission_path\": {path}, \"seed\": {index}}}")
            })
            .collect();
        parse_submission_list(&lines.join("\n")).unwrap().submissions
    }

    fn grade(
        world: &TestingCompetition,
        list: &[ListedSubmission],
        options: &BatchOptions,
    ) -> Batch {
        grade_list(&world.context(), &world.catalog(), list, options, &()).unwrap()
    }

    /// A report without the time at which it was made.
    fn timeless(batch: &Batch) -> Vec<String> {
        batch
            .graded()
            .map(|graded| {
                let mut report = graded.report.clone();
                report.created_at.clear();
                crate::to_json(&report)
            })
            .collect()
    }

    #[test]
    fn reports_come_in_the_order_of_the_list_however_many_threads_grade() {
        let world = TestingCompetition::new();
        let contents = ["1", "t", "-", "9", "n", "s", "a", "2", "l", "i", "3", "4", "5"].repeat(5);
        let list = list(&world, &contents);
        let on = |threads, memory_bytes| {
            let threads = NonZeroUsize::new(threads);
            grade(&world, &list, &BatchOptions { threads, memory_bytes, ..BatchOptions::default() })
        };
        let one = on(1, None);
        assert!(one.is_complete());
        let seeds: Vec<_> = one.graded().map(|graded| graded.report.run["seed"].as_u64()).collect();
        assert_eq!(seeds, (0..contents.len() as u64).map(Some).collect::<Vec<_>>());
        for other in [on(8, None), on(8, Some(1)), on(3, Some(40 << 20))] {
            assert_eq!(timeless(&other), timeless(&one));
        }
        let report = one.report();
        assert!(report.complete);
        assert_eq!(report.totals.total_runs, 65);
        assert_eq!(report.totals.total_runs_with_submissions, 60);
        assert_eq!(report.total_by_outcome[&Outcome::GraderFailed], 10);
        assert_eq!(report.total_by_outcome[&Outcome::NoSubmission], 5);
        assert_eq!(report.totals.total_medals, 15);
        assert_eq!(report.totals_without_known_issues.unwrap().total_runs, 0);
    }

    #[test]
    fn unknown_competitions_are_an_error_before_anything_is_graded() {
        let world = TestingCompetition::new();
        let text = r#"{"competition_id": "tiny", "submission_path": "x.csv"}
            {"competition_id": "tinny", "submission_path": "x.csv"}
            {"competition_id": "tinny", "submission_path": "y.csv"}
            {"competition_id": "another", "submission_path": "x.csv"}"#;
        let list = parse_submission_list(text).unwrap().submissions;
        let options = BatchOptions::default();
        let error =
            grade_list(&world.context(), &world.catalog(), &list, &options, &()).unwrap_err();
        let Error::ListedCompetitions { problems } = &error else { panic!("{error}") };
        assert_eq!(problems.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
        assert!(error.to_string().contains("line 2: there is no competition `tinny`"), "{error}");
        assert!(error.to_string().contains("did you mean `tiny`"), "{error}");
    }

    #[test]
    fn an_empty_list_is_an_empty_report() {
        let world = TestingCompetition::new();
        let batch = grade(&world, &[], &BatchOptions::default());
        assert!(batch.is_complete());
        assert_eq!(batch.report().totals.total_runs, 0);
    }

    #[test]
    fn an_unprepared_competition_does_not_stop_the_rest() {
        let world = TestingCompetition::new();
        let definition = std::fs::read_to_string(world.path("competitions/tiny/competition.toml"));
        let definition = definition.unwrap().replace("\"tiny\"", "\"bare\"");
        world.write("competitions/bare/competition.toml", definition);
        let mut list = list(&world, &["1", "1", "2"]);
        list[1].competition_id = "bare".to_owned();
        let batch = grade(&world, &list, &BatchOptions::default());
        let outcomes: Vec<_> = batch.graded().map(|graded| graded.report.outcome).collect();
        assert_eq!(outcomes, [Outcome::Scored, Outcome::NotPrepared, Outcome::Scored]);
    }

    /// Cancels after so many gradings, and counts what it is told.
    struct Stopping {
        cancellation: Cancellation,
        after: u64,
        started: AtomicU64,
        finished: AtomicU64,
    }

    impl BatchObserver for Stopping {
        fn started(&self, _: usize, _: &ListedSubmission) {
            self.started.fetch_add(1, Ordering::SeqCst);
        }

        fn finished(&self, index: usize, submission: &ListedSubmission, graded: &GradedSubmission) {
            assert_eq!(submission.run["seed"], index);
            assert_eq!(graded.report.run["seed"], index);
            if self.finished.fetch_add(1, Ordering::SeqCst) + 1 == self.after {
                self.cancellation.cancel();
            }
        }
    }

    #[test]
    fn what_was_done_before_a_cancellation_is_kept_and_nothing_half() {
        let world = TestingCompetition::new();
        let list = list(&world, &["1"].repeat(40));
        for (threads, after) in [(1, 3), (4, 5), (4, u64::MAX)] {
            let options =
                BatchOptions { threads: NonZeroUsize::new(threads), ..BatchOptions::default() };
            let observer = Stopping {
                cancellation: options.cancellation.clone(),
                after,
                started: AtomicU64::new(0),
                finished: AtomicU64::new(0),
            };
            let batch = grade_list(&world.context(), &world.catalog(), &list, &options, &observer);
            let batch = batch.unwrap();
            let done = batch.graded().count() as u64;
            assert_eq!(done, observer.finished.load(Ordering::SeqCst));
            assert!(done <= observer.started.load(Ordering::SeqCst));
            assert!(batch.graded().all(|graded| graded.report.outcome == Outcome::Scored));
            let stopped = after < 40;
            assert_eq!(batch.is_complete(), !stopped);
            assert_eq!(batch.report().complete, !stopped);
            assert!(if stopped { done >= after && done < 40 } else { done == 40 });
        }
    }

    #[test]
    fn a_cancelled_batch_begins_nothing() {
        let world = TestingCompetition::new();
        let list = list(&world, &["1", "l"]);
        let options = BatchOptions::default();
        options.cancellation.cancel();
        assert_eq!(grade(&world, &list, &options).graded().count(), 0);
    }
}
