//! Regrading end to end within the library: layouts, duplicates, interruptions, and what compares with what.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::archive::ArchiveLimits;
use crate::run_group::to_json;
use crate::testing_competition::TestingCompetition;

/// A competition, an archive that is a folder, and a person who regrades it.
struct World(TestingCompetition, SealingKey);

impl World {
    fn new() -> World {
        World(TestingCompetition::new(), SealingKey::for_this_process().unwrap())
    }

    fn archived(&self, path: &str, content: &str) {
        self.0.write(&format!("archive/{path}"), content);
    }

    /// A run group with a run for each of these contents; `-` makes no submission.
    fn run_group(&self, name: &str, contents: &[&str]) {
        let mut runs = serde_json::Map::new();
        for (index, content) in contents.iter().enumerate() {
            let run = format!("tiny_{index}");
            runs.insert(run.clone(), serde_json::json!({"success": true, "seed": index}));
            match *content {
                "-" => self.archived(&format!("{name}/{run}/logs/agent.log"), "nothing"),
                content => {
                    self.archived(&format!("{name}/{run}/submission/submission.csv"), content);
                }
            }
        }
        let metadata = serde_json::json!({"run_group": name, "runs": runs});
        self.archived(&format!("{name}/metadata.json"), &metadata.to_string());
    }

    fn subject(&self) -> RegradeSubject {
        RegradeSubject::open(&self.0.path("archive"), ArchiveLimits::default()).unwrap()
    }

    fn regrade(&self, options: &RegradeOptions, observer: &dyn RegradeObserver) -> Regrading {
        let subject = self.subject();
        let mut set = self.begin().unwrap();
        regrade(&self.0.context(), &self.0.catalog(), &subject, &mut set, options, observer)
            .unwrap()
    }

    fn begin(&self) -> Result<RegradeSet, Error> {
        let archive = self.0.path("archive");
        RegradeSet::begin(&archive, &SetChoice::default(), &SetSettings::default(), &self.1)
    }

    fn apply(&self, regrading: &Regrading) {
        RegradeSet::open(&regrading.set, &self.1).unwrap().apply(false, false).unwrap();
    }
}

fn verdicts(regrading: &Regrading) -> Vec<&'static str> {
    regrading.runs.iter().map(|run| run.verdict.name()).collect()
}

#[test]
fn a_run_group_is_graded_and_the_current_set_is_compared_with() {
    let world = World::new();
    world.run_group("2026_run-group_x", &["1", "3", "-", "s", "n", "1"]);
    let first = world.regrade(&RegradeOptions::default(), &());
    let expected = [
        "first-grading",
        "first-grading",
        "no-submission",
        "first-grading",
        "first-grading",
        "first-grading",
    ];
    assert_eq!(verdicts(&first), expected);
    assert_eq!((first.summary.graded_now, first.summary.duplicates), (4, 1));
    assert_eq!(first.runs[1].seed, Some(serde_json::json!(1)));
    assert_eq!(first.runs[1].run_id.as_deref(), Some("tiny_1"));
    assert_eq!(first.runs[1].run_group.as_deref(), Some("2026_run-group_x"));
    assert_eq!(first.runs[1].new.as_ref().unwrap().score, Some(Score(0.3)));
    assert!(first.complete && first.problems.is_empty(), "{first:?}");

    // Nothing is compared with before the set is applied.
    let again = world.regrade(&RegradeOptions::default(), &());
    assert_eq!(verdicts(&again), expected);
    assert_ne!(again.set, first.set);
    world.apply(&first);
    let compared = world.regrade(&RegradeOptions::default(), &());
    assert_eq!(compared.compared_with, first.set.file_name().unwrap().to_str().unwrap());
    let identical =
        ["identical", "identical", "no-submission", "identical", "identical", "identical"];
    assert_eq!(verdicts(&compared), identical);
    assert!(compared.summary.holds());

    // What is in the archive is not what was graded.
    world.archived("2026_run-group_x/tiny_0/submission/submission.csv", "2");
    world.archived("2026_run-group_x/tiny_1/submission/submission.csv", "s");
    world.archived("2026_run-group_x/tiny_2/submission/submission.csv", "9");
    world.archived("2026_run-group_x/tiny_3/submission/submission.csv", "9");
    std::fs::remove_file(world.0.path("archive/2026_run-group_x/tiny_4/submission/submission.csv"))
        .unwrap();
    let changed = world.regrade(&RegradeOptions::default(), &());
    assert_eq!(
        verdicts(&changed),
        [
            "changed",
            "newly-invalid",
            "newly-valid",
            "newly-valid",
            "submission-missing",
            "identical"
        ]
    );
    assert!(changed.runs[0].medal_changed() && !changed.summary.holds());
    assert!((changed.runs[0].difference.unwrap().0 - 0.1).abs() < 1e-12);
    assert!(changed.runs[0].remarks[0].contains("its bytes differ"), "{:?}", changed.runs[0]);
}

#[test]
fn an_interrupted_set_is_gone_on_with_and_nothing_is_graded_twice() {
    struct StopAfter(usize, AtomicUsize, Cancellation);
    impl RegradeObserver for StopAfter {
        fn finished(&self, _: &RegradedRun) {
            if self.1.fetch_add(1, Ordering::SeqCst) + 1 >= self.0 {
                self.2.cancel();
            }
        }
    }
    let world = World::new();
    let contents: Vec<String> = (0..30).map(|index| format!("{} {index}", index % 10)).collect();
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    world.run_group("g", &contents);
    let cancellation = Cancellation::new();
    let options = RegradeOptions {
        cancellation: cancellation.clone(),
        threads: NonZeroUsize::new(2),
        ..RegradeOptions::default()
    };
    let observer = StopAfter(7, AtomicUsize::new(0), cancellation);
    let stopped = world.regrade(&options, &observer);
    assert!(!stopped.complete);
    let done = stopped.summary.graded_now;
    assert!((7..30).contains(&done), "{done}");
    // What was not looked at is counted, and no more than that is claimed.
    assert_eq!((stopped.summary.runs, stopped.runs.len() as u64), (30, 30 - stopped.summary.left));
    assert!(stopped.summary.left > 0 && !stopped.summary.holds());
    let mut set = RegradeSet::open(&stopped.set, &world.1).unwrap();
    assert_eq!(set.summary().state, SetState::Running);
    assert!(set.regrading().unwrap().is_none() && set.apply(false, false).is_err());
    drop(set);

    let resumed = world.regrade(&RegradeOptions::default(), &());
    assert_eq!(resumed.set, stopped.set);
    let summary = &resumed.summary;
    assert_eq!((summary.graded_before, summary.graded_now, summary.runs), (done, 30 - done, 30));

    // The set says what one that was never interrupted says.
    let whole = world.regrade(&RegradeOptions::default(), &());
    assert_ne!(whole.set, resumed.set);
    let reports = |regrading: &Regrading| {
        let path = regrading.set.join("reports/g/grading_report.json");
        let mut group = crate::RunGroupReport::read(&path).unwrap();
        group.created_at = None;
        for report in &mut group.competition_reports {
            report.created_at.clear();
        }
        to_json(&group)
    };
    assert_eq!(reports(&whole), reports(&resumed));
}

#[test]
fn a_submission_that_many_runs_share_is_graded_once() {
    struct Count(Mutex<Vec<Graded>>);
    impl RegradeObserver for Count {
        fn finished(&self, run: &RegradedRun) {
            self.0.lock().unwrap().push(run.graded);
        }
    }
    let world = World::new();
    world.run_group("g", &["4"; 40]);
    let count = Count(Mutex::default());
    let options = RegradeOptions { threads: NonZeroUsize::new(4), ..RegradeOptions::default() };
    let regrading = world.regrade(&options, &count);
    assert_eq!((regrading.summary.graded_now, regrading.summary.duplicates), (1, 39));
    let graded = count.0.into_inner().unwrap();
    assert_eq!(graded.iter().filter(|graded| **graded == Graded::Now).count(), 1);
    assert!(regrading.runs.iter().all(|run| run.receipt_id == regrading.runs[0].receipt_id));
}

#[test]
fn reports_of_the_reference_are_compared_by_what_they_hold() {
    let world = World::new();
    world.run_group("g", &["1", "3", "h", "-", "-", "s", "n", "2"]);
    let report = |score: &str, medal: &str, valid: bool, path: &str| {
        let medal = |name: &str| medal == name;
        format!(
            r#"{{"competition_id": "tiny", "score": {score}, "gold_medal": {}, "silver_medal": {},
                "bronze_medal": {}, "any_medal": {}, "above_median": {}, "submission_exists": {},
                "valid_submission": {valid}, "is_lower_better": true,
                "created_at": "2024-10-04T16:47:51", "submission_path": "{path}"}}"#,
            medal("gold"),
            medal("silver"),
            medal("bronze"),
            !medal(""),
            !medal(""),
            path != "None",
        )
    };
    let path = |run: usize| format!("/mnt/runs/g/tiny_{run}/submission/submission.csv");
    let reports = [
        report("0.1", "gold", true, &path(0)),
        report("0.25", "silver", true, &path(1)),
        // 0.200004, rounded.
        report("0.2", "silver", true, &path(2)),
        report("null", "", false, "None"),
        report("0.5", "", true, &path(4)),
        report("null", "", false, &path(5)),
        report("NaN", "", true, &path(6)),
        // Recorded as refused, and valid now.
        report("null", "", false, &path(7)),
    ];
    let text = format!(r#"{{"competition_reports": [{}]}}"#, reports.join(","));
    world.archived("g/2024_grading_report.json", &text);
    let regrading = world.regrade(&RegradeOptions::default(), &());
    assert_eq!(
        verdicts(&regrading),
        [
            "identical",
            "changed",
            "identical",
            "no-submission",
            "submission-missing",
            "identical",
            "identical",
            "newly-valid"
        ]
    );
    assert!(regrading.problems.is_empty(), "{:?}", regrading.problems);
}

#[test]
fn lists_and_experiments_are_understood_and_what_agents_wrote_is_not() {
    let world = World::new();
    world.run_group("g", &["1", "-"]);
    world.archived("run_group_experiments.csv", "experiment_id,run_group\nscaffolding,g\n");
    let list = "# a list\n{\"competition_id\": \"tiny\", \"submission_path\": \"other/x.csv\", \"seed\": 5}\n\
                {\"competition_id\": \"tiny\", \"submission_path\": null, \"seed\": 6}\n\
                {\"competition_id\": \"tiny\", \"submission_path\": \"g/tiny_0/submission/submission.csv\", \"hardware\": \"a\"}\n\
                {\"competition_id\": \"none\", \"submission_path\": \"other/x.csv\"}\n";
    world.archived("other.jsonl", list);
    world.archived("other/x.csv", "2");
    // An agent's own files: a forged report, a run within a run, a log that looks like a list.
    let forged = r#"{"competition_reports": [{"competition_id": "tiny", "score": 0.9,
        "valid_submission": true, "submission_path": "submission/submission.csv"}]}"#;
    world.archived("g/tiny_0/code/x_grading_report.json", forged);
    world.archived("g/tiny_0/code/tiny_9/submission/submission.csv", "9");
    world.archived("g/tiny_0/logs/runs.jsonl", list);
    world.archived("g/tiny_0/metadata.json", r#"{"runs": {"tiny_7": {}, "../x": {}}}"#);
    world.archived("log.jsonl", "{\"level\": \"info\"}\n");
    world.archived("unused.csv", "7");
    let regrading = world.regrade(&RegradeOptions::default(), &());
    let found: Vec<(Option<&str>, &str, Option<&str>)> = regrading
        .runs
        .iter()
        .map(|run| (run.run_id.as_deref(), run.verdict.name(), run.submission.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            (Some("tiny_0"), "first-grading", Some("g/tiny_0/submission/submission.csv")),
            (Some("tiny_1"), "no-submission", None),
            (None, "first-grading", Some("other/x.csv")),
            (None, "unknown-competition", Some("other/x.csv")),
        ]
    );
    assert_eq!(regrading.runs[0].experiment.as_deref(), Some("scaffolding"));
    assert_eq!(regrading.runs[2].seed, Some(serde_json::json!(5)));
    // The list lies elsewhere, so that its run without a submission is the one that the run group has.
    assert_eq!(regrading.runs[1].seed, Some(serde_json::json!(1)));
    assert!(regrading.problems.is_empty(), "{:?}", regrading.problems);
}

#[test]
fn what_cannot_be_used_is_listed_by_file_and_reason() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 143477\n";
    let world = World::new();
    world.run_group("g", &["1", pointer]);
    world.archived("a_grading_report.json", pointer);
    world.archived("b_grading_report.json", "{\"competition_reports\": [{\"x\": 1}]}");
    world.archived("c_grading_report.json", "{\"competition_rep");
    world.archived("h/metadata.json", "{\"runs\": {\"tiny_1\"");
    world.archived("x.receipt.json", "{}");
    world.archived("list.jsonl", "{\"competition_id\": \"tiny\", \"submission_path\": null}\n{\"competition_id\": 3, \"submission_path\": null}\n");
    world.archived("run_group_experiments.csv", pointer);
    world.archived("i/metadata.json", r#"{"runs": {"tiny_7": {}, "tiny_7": {}, "tiny_8": {}}}"#);
    world.archived(
        "twice.jsonl",
        "{\"competition_id\": \"tiny\", \"submission_path\": null, \"seed\": 1, \"seed\": 2}\n",
    );
    let regrading = world.regrade(&RegradeOptions::default(), &());
    let problems: BTreeMap<&str, &str> = regrading
        .problems
        .iter()
        .map(|problem| (problem.entry.as_str(), problem.reason.as_str()))
        .collect();
    for (file, part) in [
        ("a_grading_report.json", "git lfs pull"),
        ("b_grading_report.json", "no `competition_id`"),
        ("c_grading_report.json", "no JSON"),
        ("h/metadata.json", "in the middle"),
        ("x.receipt.json", "no `claim`"),
        ("list.jsonl", "line 2"),
        ("run_group_experiments.csv", "git lfs pull"),
        ("i/metadata.json", "`runs.tiny_7` is there twice"),
        ("twice.jsonl", "line 1: the key `seed` is there twice"),
    ] {
        let reason = problems.get(file).unwrap_or_else(|| panic!("{file} in {problems:?}"));
        assert!(reason.contains(part), "{file}: {reason}");
    }
    assert_eq!(problems.len(), 9, "{problems:?}");
    assert_eq!(verdicts(&regrading), ["first-grading", "submission-unusable", "no-submission"]);
    assert!(regrading.runs[1].message.as_deref().unwrap().contains("git lfs pull"));
}

#[test]
fn an_archive_without_runs_says_what_would_be_one() {
    let world = World::new();
    world.archived("readme.txt", "x");
    world.archived("x_grading_report.json", "nonsense");
    let message = world.subject().survey(None, &Cancellation::new()).err().unwrap().to_string();
    for part in [
        "metadata.json",
        "grading report",
        "list of submissions",
        "x_grading_report.json: this is no JSON",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn a_set_says_what_it_was_completed_with_and_nothing_else_is_believed() {
    let world = World::new();
    world.run_group("g", &["1", "3"]);
    world.run_group("h", &["2"]);
    let first = world.regrade(&RegradeOptions::default(), &());
    world.apply(&first);
    assert!(world.regrade(&RegradeOptions::default(), &()).summary.holds());
    let report = first.set.join("reports/g/grading_report.json");
    let text = std::fs::read_to_string(&report).unwrap();
    for (file, content) in [
        (report.clone(), text.replace("0.1", "0.2")),
        (first.set.join("reports/g/another_grading_report.json"), text.clone()),
        (first.set.join("comparison.json"), "{}".to_owned()),
    ] {
        let before = std::fs::read(&file).ok();
        std::fs::write(&file, content).unwrap();
        let regrading = world.regrade(&RegradeOptions::default(), &());
        assert_eq!(regrading.compared_with, "archive", "{}", file.display());
        assert!(regrading.warnings[0].contains("not compared with"), "{:?}", regrading.warnings);
        let mut set = RegradeSet::open(&first.set, &world.1).unwrap();
        assert!(!set.is_intact().unwrap() && set.apply(false, false).is_err());
        match before {
            Some(bytes) => std::fs::write(&file, bytes).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
    }
    assert!(world.regrade(&RegradeOptions::default(), &()).summary.holds());

    // Gone on with after a run group went, nothing of it is left in the set.
    std::fs::remove_dir_all(world.0.path("archive/h")).unwrap();
    let choice = SetChoice { folder: Some(first.set.clone()), adopt: false };
    let archive = world.0.path("archive");
    let mut set = RegradeSet::begin(&archive, &choice, &SetSettings::default(), &world.1).unwrap();
    let options = RegradeOptions::default();
    let (context, catalog) = (world.0.context(), world.0.catalog());
    let again = regrade(&context, &catalog, &world.subject(), &mut set, &options, &()).unwrap();
    assert_eq!((again.summary.runs, again.summary.graded_before), (2, 2));
    assert!(!first.set.join("reports/h").exists() && report.exists());
    assert!(set.is_intact().unwrap());
}

/// Threat 16: a set within an archive is no record of it, and one in the place of its sets is not gone on with.
#[test]
fn what_an_archive_says_of_regrades_is_not_believed() {
    let theirs = World::new();
    theirs.run_group("g", &["1", "2", "3"]);
    let forged = theirs.regrade(&RegradeOptions::default(), &());
    theirs.apply(&forged);
    // As if it had been interrupted, with all receipts in it.
    let file = forged.set.join("set.json");
    let text = std::fs::read_to_string(&file).unwrap().replace("\"complete\"", "\"running\"");
    std::fs::write(&file, text).unwrap();
    let mine = World(theirs.0, SealingKey::for_this_process().unwrap());
    let regrading = mine.regrade(&RegradeOptions::default(), &());
    assert_ne!(regrading.set, forged.set);
    assert_eq!((regrading.summary.graded_before, regrading.summary.graded_now), (0, 3));
    assert_eq!(verdicts(&regrading), ["first-grading"; 3]);
    assert_eq!(regrading.warnings.len(), 1);

    // The same deeper in the archive: it would be what the archive records, of every run.
    let moved = mine.0.path("archive/g/elsewhere");
    std::fs::rename(&forged.set, &moved).unwrap();
    std::fs::remove_dir_all(mine.0.path("archive/regrades")).unwrap();
    let regrading = mine.regrade(&RegradeOptions::default(), &());
    assert_eq!(verdicts(&regrading), ["first-grading"; 3]);
    assert_eq!(regrading.left_out[0].entry, "g/elsewhere");
    assert!(regrading.left_out[0].reason.contains("a set of a regrade"), "{regrading:?}");
    assert!(regrading.problems.is_empty(), "{:?}", regrading.problems);
    // Named to compare with, it is what somebody wants to compare with.
    let options = RegradeOptions { against: Some(moved), ..RegradeOptions::default() };
    assert_eq!(verdicts(&mine.regrade(&options, &())), ["identical"; 3]);
}

#[cfg(unix)]
#[test]
fn what_lies_in_the_place_of_a_submission_is_no_missing_submission() {
    let world = World::new();
    world.run_group("g", &["1", "-", "-", "-", "-", "-"]);
    world.run_group("h", &["2"]);
    let path = |name: &str| world.0.path(&format!("archive/g/{name}"));
    std::fs::create_dir_all(path("tiny_1/submission/submission.csv")).unwrap();
    world.archived("g/tiny_2/submission/submission.csv/deeper", "x");
    std::fs::create_dir(path("tiny_3/submission")).unwrap();
    let mode = rustix::fs::Mode::RUSR;
    let pipe = path("tiny_3/submission/submission.csv");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    std::os::unix::fs::symlink("../../h/tiny_0/submission", path("tiny_4/submission")).unwrap();
    std::fs::remove_dir_all(path("tiny_5")).unwrap();
    std::os::unix::fs::symlink("../h/tiny_0", path("tiny_5")).unwrap();
    // Called like a run, though nothing names it; and what is called otherwise.
    std::os::unix::fs::symlink("tiny_0", path("tiny_6")).unwrap();
    std::os::unix::fs::symlink("tiny_0", path("latest")).unwrap();
    let regrading = world.regrade(&RegradeOptions::default(), &());
    let found: Vec<_> =
        regrading.runs.iter().map(|run| (run.verdict.name(), run.message.as_deref())).collect();
    let unusable = |reason| ("submission-unusable", Some(reason));
    assert_eq!(
        found,
        [
            ("first-grading", None),
            unusable("it is a folder, and a submission is a file"),
            unusable("it is a folder, and a submission is a file"),
            unusable("it is a pipe"),
            unusable(
                "`g/tiny_4/submission`, which it lies in: it is a symbolic link, and links are not followed"
            ),
            unusable(
                "`g/tiny_5`, which it lies in: it is a symbolic link, and links are not followed"
            ),
            unusable(
                "`g/tiny_6`, which it lies in: it is a symbolic link, and links are not followed"
            ),
            ("first-grading", None),
        ]
    );
    assert_eq!(regrading.problems.len(), 2, "{:?}", regrading.problems);
    assert_eq!(regrading.left_out_in_all, 5);
}

#[test]
fn archives_of_the_same_person_share_their_gradings_and_documents_have_a_limit() {
    let world = World::new();
    world.run_group("g", &["1", "2"]);
    let first = world.regrade(&RegradeOptions::default(), &());
    let other = world.0.path("other/g/tiny_0/submission/submission.csv");
    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "1").unwrap();
    let archive = world.0.path("other");
    let mut set =
        RegradeSet::begin(&archive, &SetChoice::default(), &SetSettings::default(), &world.1)
            .unwrap();
    let subject = RegradeSubject::open(&archive, ArchiveLimits::default()).unwrap();
    let options = RegradeOptions { others: vec![first.set.clone()], ..RegradeOptions::default() };
    let (context, catalog) = (world.0.context(), world.0.catalog());
    let second = regrade(&context, &catalog, &subject, &mut set, &options, &()).unwrap();
    assert_eq!((second.summary.graded_now, second.summary.duplicates), (0, 1));
    // The set is whole without the other one.
    let receipts = second.set.join("receipts");
    assert_eq!(std::fs::read_dir(receipts).unwrap().count(), 1);

    let limits = ArchiveLimits { all_documents_bytes: 10, ..ArchiveLimits::default() };
    let subject = RegradeSubject::open(&world.0.path("archive"), limits).unwrap();
    let survey = subject.survey(None, &Cancellation::new()).unwrap();
    assert!(
        survey.problems[0].reason.contains("more than the limit of 10 bytes"),
        "{:?}",
        survey.problems
    );
    // After a cancellation there is no more of it, and nothing is said to be wrong.
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let survey = world.subject().survey(None, &cancelled).unwrap();
    assert!(survey.problems.is_empty() && survey.broken.is_none());
    let empty = world.0.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = RegradeSubject::open(&empty, ArchiveLimits::default()).unwrap();
    assert!(empty.survey(None, &cancelled).unwrap().runs.is_empty());
    assert!(empty.survey(None, &Cancellation::new()).is_err());
}
