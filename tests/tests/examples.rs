//! The examples of all competitions are graded as they say, and however they are graded, the receipts are the same.

use std::num::NonZeroUsize;

use podium::{
    Batch, BatchOptions, CacheLocation, Cancellation, CodeGeneration, Engine, EngineSettings,
    ExampleSubmission, GradingContext, GradingOptions, Input, LimitOverrides, ListedSubmission,
    Outcome, Verification,
};
use podium_tests::examples::{self, CompetitionExample};
use tempfile::TempDir;

/// The examples, laid out in a data folder.
struct Prepared {
    examples: Vec<CompetitionExample>,
    data: TempDir,
}

impl Prepared {
    fn new() -> Prepared {
        let prepared = Prepared { examples: examples::all(), data: tempfile::tempdir().unwrap() };
        assert!(!prepared.examples.is_empty());
        for example in &prepared.examples {
            example.prepare(prepared.data.path());
        }
        prepared
    }

    fn context(&self, settings: EngineSettings) -> GradingContext {
        let engine = Engine::new(settings).unwrap();
        GradingContext::new(engine, self.data.path(), LimitOverrides::default())
    }

    fn listed(&self) -> Vec<ListedSubmission> {
        self.examples.iter().flat_map(CompetitionExample::listed).collect()
    }

    fn grade(&self, settings: EngineSettings, list: &[ListedSubmission], threads: usize) -> Batch {
        let options =
            BatchOptions { threads: NonZeroUsize::new(threads), ..BatchOptions::default() };
        podium::grade_list(&self.context(settings), &examples::catalog(), list, &options, &())
            .unwrap()
    }
}

/// What must be the same whoever grades: the receipts' ids, and the fuel that was used.
fn provable(batch: &Batch) -> Vec<(String, u64)> {
    batch
        .graded()
        .map(|graded| {
            let receipt = graded.receipt.as_ref().unwrap_or_else(|| {
                panic!("{}: no receipt: {:?}", graded.report.competition_id, graded.report.message)
            });
            (receipt.id.to_string(), receipt.made_by.fuel)
        })
        .collect()
}

#[test]
fn examples_are_graded_as_they_say() {
    let prepared = Prepared::new();
    let context = prepared.context(EngineSettings::default());
    let mut problems = Vec::new();
    for example in &prepared.examples {
        let mut scored = 0;
        let mut refused = 0;
        for (name, submission) in &example.example.submissions {
            let options = GradingOptions::default();
            let graded = context.grade(&example.competition, &submission.path, &options);
            scored += u32::from(graded.report.outcome == Outcome::Scored);
            refused += u32::from(graded.report.outcome == Outcome::InvalidSubmission);
            for difference in submission.expected.differences(&graded.report) {
                problems.push(format!("{}, {name}: {difference}", example.competition.id()));
            }
        }
        if scored == 0 || refused == 0 {
            problems.push(format!(
                "{}: an example shows a submission that is scored and one that is refused",
                example.competition.id()
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Threat 13: what only one way of running or compiling shows is garbage that happened to pass.
#[test]
fn receipts_do_not_depend_on_threads_order_or_code_generation() {
    let prepared = Prepared::new();
    let list = prepared.listed();
    let cached = EngineSettings::default;
    let one_thread = provable(&prepared.grade(cached(), &list, 1));
    assert_eq!(one_thread.len(), list.len());

    let many_threads = provable(&prepared.grade(cached(), &list, 8));
    assert_eq!(one_thread, many_threads, "one thread and eight");

    let reversed: Vec<ListedSubmission> = list.iter().rev().cloned().collect();
    let mut from_behind = provable(&prepared.grade(cached(), &reversed, 3));
    from_behind.reverse();
    assert_eq!(one_thread, from_behind, "in the list's order and in the opposite one");

    let plain = EngineSettings {
        cache: CacheLocation::Off,
        code: CodeGeneration::Plain,
        ..EngineSettings::default()
    };
    let plain = provable(&prepared.grade(plain, &list, 2));
    assert_eq!(one_thread, plain, "optimised and plain code");
}

#[test]
fn receipts_of_examples_verify() {
    let prepared = Prepared::new();
    let context = prepared.context(EngineSettings::default());
    for example in &prepared.examples {
        let grader = context.grader(&example.competition, None).unwrap().0.grader;
        let answers: Vec<_> = example
            .competition
            .answers_in(prepared.data.path())
            .iter()
            .map(|path| Input::open(path, u64::MAX).unwrap())
            .collect();
        for (name, ExampleSubmission { path, .. }) in &example.example.submissions {
            let graded = context.grade(&example.competition, path, &GradingOptions::default());
            let receipt = graded.receipt.unwrap();
            let submission = Input::open(path, u64::MAX).unwrap();
            let verification =
                receipt.verify(&grader, &submission, &answers, &Cancellation::default());
            assert_eq!(
                verification,
                Verification::Identical { made_by: Vec::new() },
                "{}, {name}",
                example.competition.id()
            );
        }
    }
}
