//! `podium regrade`: what is compared with what, sets, interruptions, graders of others, and exit codes.

use std::fs;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::Duration;

use podium_tests::artifacts;
use podium_tests::workbench::{EXAMPLE_GRADE, Ran, Workbench, example_grader};
use serde_json::{Value, json};

/// Writes a run group with these submissions into the folder `runs`; `None` is a run without one.
fn run_group(workbench: &Workbench, group: &str, submissions: &[Option<&str>]) {
    let mut runs = serde_json::Map::new();
    for (index, submission) in submissions.iter().enumerate() {
        let run = format!("example_{index}");
        if let Some(content) = submission {
            workbench.write(format!("runs/{group}/{run}/submission/submission.csv"), content);
        }
        runs.insert(run, json!({"success": true}));
    }
    let metadata = json!({"run_group": group, "runs": runs});
    workbench.write(format!("runs/{group}/metadata.json"), metadata.to_string());
}

const THREE: [Option<&str>; 3] = [Some("id,value\n1,0.5\n"), Some(""), None];

fn regrade<'a>(workbench: &Workbench, arguments: impl IntoIterator<Item = &'a str>) -> Ran {
    workbench.run(["regrade", "runs", "--json"].into_iter().chain(arguments))
}

fn verdicts(printed: &Value) -> Vec<String> {
    let runs = printed["archives"][0]["runs"].as_array().expect("runs");
    runs.iter().map(|run| run["verdict"].as_str().unwrap().to_owned()).collect()
}

fn set_of(printed: &Value) -> String {
    printed["archives"][0]["set"].as_str().unwrap().to_owned()
}

fn count(printed: &Value, verdict: &str) -> u64 {
    printed["summary"]["by_verdict"][verdict].as_u64().unwrap()
}

#[test]
fn a_set_is_applied_compared_with_and_kept() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let first = regrade(&workbench, []).ends_with(5);
    assert!(first.stderr.contains("podium regrade apply"), "{}", first.stderr);
    let first = first.json();
    assert_eq!(verdicts(&first), ["first-grading", "first-grading", "no-submission"]);
    let set = set_of(&first);
    for file in ["set.json", "comparison.json", "reports/g/grading_report.json"] {
        assert!(workbench.path(&set).join(file).is_file(), "{file}");
    }
    assert_eq!(workbench.files(Path::new(&set).join("receipts")).len(), 2);
    workbench.run(["regrade", "apply", &set]).ends_with(0);
    let again = workbench.run(["regrade", "apply", &set, "--json"]).ends_with(0).json();
    assert_eq!(again["applied"], false);

    let second = regrade(&workbench, []).ends_with(0).json();
    assert_eq!(verdicts(&second), ["identical", "identical", "no-submission"]);
    assert_ne!(set_of(&second), set);
    let name = Path::new(&set).file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(second["archives"][0]["compared_with"], name);

    let listed = workbench.run(["regrade", "list", "runs", "--json"]).ends_with(0).json();
    assert_eq!(listed[0]["sets"].as_array().unwrap().len(), 2);
    assert!(listed[0]["current"].as_str().unwrap().ends_with(&name));
    let shown = workbench.run(["regrade", "show", &set]).ends_with(0);
    assert!(shown.stdout.contains("the current grading"), "{}", shown.stdout);
    workbench.run(["regrade", "discard", &set]).ends_with(2);
    workbench.run(["regrade", "discard", &set_of(&second)]).ends_with(0);
    assert!(!workbench.path(set_of(&second)).exists());
    workbench.run(["regrade", "show", &set_of(&second)]).ends_with(3);
    // A set is named by its name where the archive is the current folder.
    let mut command = workbench.podium(["regrade", "show", &name]);
    assert!(command.current_dir(workbench.path("runs")).output().unwrap().status.success());
}

#[test]
fn what_changed_is_shown_with_both_values() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &[Some("a"), Some("b"), Some(""), Some("c"), None]);
    let first = regrade(&workbench, []).ends_with(5).json();
    workbench.run(["regrade", "apply", &set_of(&first)]).ends_with(0);

    // A grader that gives one, and refuses nothing.
    let one = example_grader(&[
        (r#""\00\00\00\00\00\00\e0\3f""#, r#""\00\00\00\00\00\00\f0\3f""#),
        (EXAMPLE_GRADE, "(i32.const 40)"),
    ]);
    workbench.write("one.wasm", one);
    let page = workbench.path("page.html");
    let arguments = ["--grader", "example=one.wasm", "--html", "page.html"];
    let ran = regrade(&workbench, arguments).ends_with(5);
    let printed = ran.json();
    assert_eq!(
        verdicts(&printed),
        ["changed", "changed", "newly-valid", "changed", "no-submission"]
    );
    let run = &printed["archives"][0]["runs"][0];
    assert_eq!((&run["old"]["score"], &run["new"]["score"]), (&json!(0.5), &json!(1.0)));
    assert_eq!(run["difference"], 0.5);
    assert_eq!((&run["old"]["medal"], &run["new"]["medal"]), (&json!("silver"), &json!("gold")));
    assert!(run["remarks"][0].as_str().unwrap().contains("another grader"), "{run}");
    assert_eq!(printed["summary"]["medal_changes"], 4);
    let html = fs::read_to_string(page).unwrap();
    for part in ["+0.5", "newly valid", "prefers-color-scheme", "example_0"] {
        assert!(html.contains(part), "{part}");
    }
    // The grader of the competition was not touched, and gives what it gave.
    assert_eq!(verdicts(&regrade(&workbench, []).ends_with(0).json())[0], "identical");
    let text = workbench.run(["regrade", "runs", "--grader", "example=one.wasm"]).ends_with(5);
    for part in ["changed", "0.5, silver", "1, gold", "medals that changed"] {
        assert!(text.stdout.contains(part), "{part}: {}", text.stdout);
    }
    for (grader, code) in [("example", 2), ("example=missing.wasm", 3), ("nothing=one.wasm", 3)] {
        regrade(&workbench, ["--grader", grader]).ends_with(code);
    }
}

#[test]
fn a_killed_regrade_is_gone_on_with_and_nothing_is_graded_twice() {
    const RUNS: usize = 60;
    const ENOUGH: usize = 5;
    let workbench = Workbench::with_example();
    // About some hundredths of a second a grading.
    let slow = format!(
        "(loop $on
           (i32.store (i32.const 200) (i32.add (i32.load (i32.const 200)) (i32.const 1)))
           (br_if $on (i32.lt_u (i32.load (i32.const 200)) (i32.const 10000000))))
         {EXAMPLE_GRADE}"
    );
    workbench.write("graders/example.wasm", example_grader(&[(EXAMPLE_GRADE, &slow)]));
    let contents: Vec<String> = (0..RUNS).map(|run| format!("id,value\n1,{run}\n")).collect();
    let contents: Vec<Option<&str>> =
        contents.iter().map(|content| Some(content.as_str())).collect();
    run_group(&workbench, "g", &contents);

    let mut killed = Process::new(artifacts::podium())
        .args(["regrade", "runs", "--jobs", "1", "--no-cache"])
        .current_dir(workbench.path(""))
        .env("HOME", workbench.path("home"))
        .env("PODIUM_COMPETITIONS", workbench.path("competitions"))
        .env("PODIUM_GRADERS", workbench.path("graders"))
        .env("PODIUM_DATA", workbench.path("data"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let receipts = || -> Vec<String> {
        let Ok(sets) = fs::read_dir(workbench.path("runs/regrades")) else { return Vec::new() };
        sets.flatten()
            .flat_map(|set| workbench.files(set.path().join("receipts")))
            .filter(|name| name.ends_with(".receipt.json"))
            .collect()
    };
    while receipts().len() < ENOUGH {
        assert!(killed.try_wait().unwrap().is_none(), "it is done before it could be killed");
        thread::sleep(Duration::from_millis(2));
    }
    // SIGKILL: nothing can be tidied up.
    killed.kill().unwrap();
    killed.wait().unwrap();
    let kept = receipts().len() as u64;
    assert!(kept < RUNS as u64, "it was killed in the middle");
    let sets = workbench.run(["regrade", "list", "runs", "--json"]).ends_with(0).json();
    assert_eq!(sets[0]["sets"][0]["state"], "running");
    let set = format!("runs/regrades/{}", sets[0]["sets"][0]["name"].as_str().unwrap());
    workbench.run(["regrade", "apply", &set]).ends_with(2);

    let resumed = regrade(&workbench, []).ends_with(5).json();
    let summary = &resumed["summary"];
    assert_eq!(summary["graded_before"], kept, "{summary}");
    assert_eq!(summary["graded_now"], RUNS as u64 - kept, "{summary}");
    assert_eq!(receipts().len(), RUNS);
    assert_eq!(set_of(&resumed), set);
    workbench.run(["regrade", "apply", &set]).ends_with(0);
}

#[test]
fn duplicates_are_graded_once_and_counted() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &[Some("same"), Some("same"), Some("other"), Some("same")]);
    let printed = regrade(&workbench, []).ends_with(5).json();
    let summary = &printed["summary"];
    assert_eq!((&summary["graded_now"], &summary["duplicates"]), (&json!(2), &json!(2)));
    assert_eq!(count(&printed, "first-grading"), 4);
    assert_eq!(workbench.files(Path::new(&set_of(&printed)).join("receipts")).len(), 2);
    let text = workbench.run(["regrade", "runs"]).ends_with(5).stdout;
    assert!(text.contains("with the same submission as another"), "{text}");
}

#[test]
fn reports_and_receipts_of_podium_are_compared_exactly() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let metadata = "runs/g/metadata.json";
    workbench
        .run(["make-submission", "--metadata", metadata, "--output", "list.jsonl"])
        .ends_with(0);
    workbench.run(["grade", "--submission", "list.jsonl", "--output-dir", "out"]).ends_with(0);
    for against in ["out", "out/receipts"] {
        let printed = regrade(&workbench, ["--against", against]).ends_with(0).json();
        assert_eq!(verdicts(&printed), ["identical", "identical", "no-submission"], "{against}");
    }
    let report =
        workbench.files("out").into_iter().find(|name| name.ends_with("_grading_report.json"));
    let report = format!("out/{}", report.unwrap());
    regrade(&workbench, ["--against", &report]).ends_with(0);
    // A report is an archive, too: its submissions lie where it says.
    let printed = workbench.run(["regrade", &report, "--json"]).ends_with(0).json();
    assert_eq!(verdicts(&printed), ["identical", "identical", "no-submission"]);
    assert!(workbench.path(format!("{report}.regrades")).is_dir());
    let list = workbench.run(["regrade", "list.jsonl", "--against", "out", "--json"]).ends_with(0);
    assert_eq!(verdicts(&list.json()).len(), 3);

    // One bit more is a change, even where rounding hides it.
    let text = fs::read_to_string(workbench.path(&report)).unwrap();
    let text = text.replace("\"unrounded_score\": 0.5", "\"unrounded_score\": 0.5000000000000001");
    workbench.write("one-bit_grading_report.json", text.replace("\"receipt_id\"", "\"was\""));
    let printed =
        regrade(&workbench, ["--against", "one-bit_grading_report.json"]).ends_with(5).json();
    assert_eq!(verdicts(&printed)[0], "changed");
    // Other bytes under the same name are not what was graded.
    workbench.write("runs/g/example_0/submission/submission.csv", "id,value\n1,0.75\n");
    let printed = regrade(&workbench, ["--against", "out"]).ends_with(5).json();
    let remarks = printed["archives"][0]["runs"][0]["remarks"].to_string();
    assert!(remarks.contains("its bytes differ"), "{remarks}");
    for (against, code) in [("missing", 3), ("submission.csv", 2), ("competitions", 2)] {
        regrade(&workbench, ["--against", against]).ends_with(code);
    }
}

#[test]
fn the_references_runs_tree_is_understood_pointers_included() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 143477\n";
    let report = |score: &str, run: u32| {
        json!({
            "competition_id": "example", "score": score.parse::<f64>().ok(), "gold_threshold": 0.9,
            "silver_threshold": 0.5, "bronze_threshold": 0.4, "median_threshold": 0.3, "any_medal": true,
            "gold_medal": false, "silver_medal": true, "bronze_medal": false, "above_median": true,
            "submission_exists": true, "valid_submission": true, "is_lower_better": false,
            "created_at": "2024-10-04T16:47:51.843542",
            "submission_path": format!("/srv/mle-bench/runs/g/example_{run}/submission/submission.csv"),
        })
    };
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &[Some("a"), Some("b"), Some(pointer)]);
    let reports = json!({"total_runs": 3, "competition_reports": [report("0.5", 0), report("0.75", 1), report("0.5", 2)]});
    workbench.write("runs/g/2024-10-08T15-30-31-GMT_grading_report.json", reports.to_string());
    workbench.write(
        "runs/run_group_experiments.csv",
        "experiment_id,run_group\nscaffolding,g\nscaffolding,h\n",
    );
    // A run group of which the reports are all there is, and one whose report was not fetched.
    let only = json!({"competition_reports": [report("0.5", 7)]});
    workbench.write("runs/h/grading_report_group_1.json", only.to_string());
    workbench.write("runs/i/grading_report_group_2.json", pointer);
    let ran = regrade(&workbench, []).ends_with(6);
    let printed = ran.json();
    assert_eq!(
        verdicts(&printed),
        ["identical", "changed", "submission-unusable", "submission-missing"]
    );
    let runs = &printed["archives"][0]["runs"];
    assert_eq!(runs[0]["experiment"], "scaffolding");
    assert_eq!(runs[1]["difference"], -0.25);
    assert!(runs[2]["message"].as_str().unwrap().contains("git lfs pull"));
    let problems = &printed["archives"][0]["problems"];
    assert_eq!(problems[0]["entry"], "i/grading_report_group_2.json");
    assert!(problems[0]["reason"].as_str().unwrap().contains("git lfs pull"));
}

#[test]
fn reports_that_are_damaged_are_used_as_far_as_they_go() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let good = r#"{"competition_id": "example", "score": 0.5, "submission_exists": true,
        "valid_submission": true, "submission_path": "g/example_0/submission/submission.csv"}"#;
    let unknown = good.replace("\"example\"", "\"unheard-of\"");
    let nan = good.replace("0.5", "NaN");
    for (what, text, verdict, problem, code) in [
        ("fields missing", format!("{{\"competition_reports\": [{good}]}}"), "identical", None, 5),
        ("NaN", format!("{{\"competition_reports\": [{nan}]}}"), "changed", None, 5),
        (
            "half-written",
            format!("{{\"competition_reports\": [{good}, {{\"comp"),
            "identical",
            Some("damaged"),
            6,
        ),
        (
            "a duplicate",
            format!("{{\"competition_reports\": [{good}, {good}]}}"),
            "identical",
            None,
            5,
        ),
        (
            "two opinions",
            format!("{{\"competition_reports\": [{good}, {nan}]}}"),
            "identical",
            Some("two different gradings"),
            6,
        ),
        (
            "no id",
            format!("{{\"competition_reports\": [{good}, {{}}]}}"),
            "identical",
            Some("competition_id"),
            6,
        ),
        ("not JSON", "nonsense".to_owned(), "first-grading", Some("no JSON"), 6),
    ] {
        workbench.write("runs/g/2026_grading_report.json", text);
        let printed = regrade(&workbench, []).ends_with(code).json();
        assert_eq!(verdicts(&printed)[0], verdict, "{what}");
        let problems = printed["archives"][0]["problems"].to_string();
        match problem {
            Some(part) => assert!(problems.contains(part), "{what}: {problems}"),
            None => assert_eq!(problems, "[]", "{what}"),
        }
    }
    workbench.write(
        "runs/g/2026_grading_report.json",
        format!("{{\"competition_reports\": [{unknown}]}}"),
    );
    let ran = regrade(&workbench, []).ends_with(5);
    let printed = ran.json();
    assert_eq!(verdicts(&printed)[3], "unknown-competition");
    assert!(ran.stderr.contains("unheard-of"), "{}", ran.stderr);
}

#[test]
fn the_exit_code_says_who_has_to_act() {
    let unprepared = |workbench: &Workbench| {
        fs::remove_dir_all(workbench.path("data/example")).unwrap();
    };
    let trapping = |workbench: &Workbench| {
        workbench
            .write("graders/example.wasm", example_grader(&[(EXAMPLE_GRADE, "(unreachable)")]));
    };
    let gone = |workbench: &Workbench| {
        fs::remove_file(workbench.path("graders/example.wasm")).unwrap();
    };
    let nothing = |_: &Workbench| {};
    type Change<'a> = &'a dyn Fn(&Workbench);
    for (change, code, verdict) in [
        (&nothing as Change<'_>, 0, "identical"),
        (&unprepared, 3, "no-data"),
        (&trapping, 4, "grader-failed"),
        (&gone, 3, "grader-failed"),
    ] {
        let workbench = Workbench::with_example();
        run_group(&workbench, "g", &[Some("a"), None]);
        let first = regrade(&workbench, []).ends_with(5).json();
        workbench.run(["regrade", "apply", &set_of(&first)]).ends_with(0);
        change(&workbench);
        let ran = regrade(&workbench, []).ends_with(code);
        assert_eq!(verdicts(&ran.json()), [verdict, "no-submission"], "{code}");
        assert_eq!(ran.stderr.contains("error: "), code != 0, "{}", ran.stderr);
    }
    let workbench = Workbench::with_example();
    for (arguments, code) in [
        (vec!["regrade"], 2),
        (vec!["regrade", "a", "b", "--set", "c"], 2),
        (vec!["regrade", "apply", "missing"], 3),
        (vec!["regrade", "apply", "data"], 2),
        (vec!["regrade", "list", "missing"], 3),
        (vec!["regrade", "list"], 0),
    ] {
        workbench.run(arguments).ends_with(code);
    }
}

/// Grades three runs into `out`; gives the text of the report that names its receipts, and its path.
fn graded(workbench: &Workbench) -> (String, String) {
    run_group(workbench, "g", &THREE);
    let metadata = ["--metadata", "runs/g/metadata.json", "--output", "list.jsonl"];
    workbench.run(["make-submission"].into_iter().chain(metadata)).ends_with(0);
    workbench.run(["grade", "--submission", "list.jsonl", "--output-dir", "out"]).ends_with(0);
    let report =
        workbench.files("out").into_iter().find(|name| name.ends_with("_grading_report.json"));
    let path = format!("out/{}", report.unwrap());
    (fs::read_to_string(workbench.path(&path)).unwrap(), path)
}

#[test]
fn a_report_that_was_edited_is_told_by_the_field_though_its_receipts_lie_beside_it() {
    let workbench = Workbench::with_example();
    let (report, path) = graded(&workbench);
    regrade(&workbench, ["--against", "out"]).ends_with(0);
    // What is edited in the report of run 0, 1 or 2; the verdict, and the field that is named.
    for (run, field, value, verdict, code) in [
        (0, "score", json!(0.9), "changed", 6),
        (0, "unrounded_score", json!(0.9), "changed", 5),
        (0, "valid_submission", json!(false), "newly-valid", 6),
        (0, "submission_exists", json!(false), "changed", 6),
        (0, "gold_medal", json!(true), "changed", 6),
        (0, "silver_medal", json!(false), "changed", 6),
        (0, "any_medal", json!(false), "changed", 6),
        (0, "above_median", json!(false), "changed", 6),
        (0, "gold_threshold", json!(0.4), "changed", 6),
        (0, "silver_threshold", json!(null), "changed", 5),
        (0, "bronze_threshold", json!(0.41), "changed", 5),
        (0, "median_threshold", json!(0.31), "changed", 5),
        (0, "is_lower_better", json!(true), "changed", 6),
        (0, "outcome", json!("undefined"), "changed", 5),
        (1, "score", json!(0.5), "changed", 6),
        (1, "valid_submission", json!(true), "newly-invalid", 6),
        (1, "median_threshold", json!(0.31), "changed", 5),
        (2, "score", json!(0.5), "changed", 6),
        (2, "gold_threshold", json!(0.4), "changed", 5),
        (2, "any_medal", json!(true), "changed", 6),
    ] {
        let mut edited: Value = serde_json::from_str(&report).unwrap();
        edited["competition_reports"][run][field] = value.clone();
        // The totals are as they would have been written.
        for (name, _) in edited.clone().as_object().unwrap() {
            if name.starts_with("total_") {
                edited.as_object_mut().unwrap().remove(name);
            }
        }
        workbench.write(&path, edited.to_string());
        let what = format!("{field}: {value} of run {run}");
        let ran = regrade(&workbench, ["--against", "out"]);
        assert_eq!(ran.code, code, "{what}: {}", ran.stderr);
        let printed = ran.json();
        assert_eq!(verdicts(&printed)[run], verdict, "{what}");
        let found = &printed["archives"][0]["runs"][run];
        let changed = found["changed_fields"].as_array().unwrap();
        assert_eq!((changed.len(), &changed[0]["field"]), (1, &json!(field)), "{what}");
        assert_eq!(changed[0]["old"], value, "{what}");
        let problems = printed["archives"][0]["problems"].to_string();
        assert_eq!(problems.contains("contradicts itself"), code == 6, "{what}: {problems}");
        if run == 0 && matches!(field, "score" | "outcome" | "above_median") {
            let remarks = found["remarks"].to_string();
            assert!(remarks.contains("contradicts its receipt"), "{what}: {remarks}");
        }
    }
    let totals = report.replace("\"total_medals\": 1", "\"total_medals\": 2");
    assert_ne!(totals, report);
    workbench.write(&path, totals);
    let ran = regrade(&workbench, ["--against", "out"]).ends_with(6);
    assert!(ran.stderr.contains("`total_medals` is 2, and its gradings make 1"), "{}", ran.stderr);
}

#[test]
fn what_a_report_cannot_mean_is_listed_by_file_and_field_and_the_rest_is_used() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let good = r#""competition_id": "example", "score": 0.5, "any_medal": true, "silver_medal": true,
        "gold_medal": false, "bronze_medal": false, "submission_exists": true, "valid_submission": true,
        "submission_path": "g/example_0/submission/submission.csv""#;
    for (from, to, part) in [
        ("0.5", "\"0.5\"", "`score` is \"0.5\""),
        (
            "\"valid_submission\": true",
            "\"valid_submission\": \"no\"",
            "`valid_submission` is \"no\"",
        ),
        (
            "\"submission_exists\": true",
            "\"submission_exists\": null",
            "`submission_exists` is null",
        ),
        ("\"any_medal\": true", "\"any_medal\": 1", "`any_medal` is 1"),
        (
            "\"score\": 0.5",
            "\"score\": 0.5, \"score\": 0.9",
            "`competition_reports[0].score` is there twice",
        ),
        (
            "\"silver_medal\": true",
            "\"silver_medal\": false",
            "`any_medal` is true, and no medal is",
        ),
        ("\"score\": 0.5", "\"score\": null", "and there is no valid score"),
        ("\"score\"", "\"seed\": 1, \"run\": {\"seed\": 2}, \"score\"", "`run.seed` is 2"),
    ] {
        let report = good.replacen(from, to, 1);
        assert_ne!(report, good, "{part}");
        let text = format!("{{\"competition_reports\": [{{{report}}}]}}");
        workbench.write("runs/g/2026_grading_report.json", text);
        let ran = regrade(&workbench, []).ends_with(6);
        let printed = ran.json();
        let problems = printed["archives"][0]["problems"].as_array().unwrap();
        assert_eq!(problems[0]["entry"], "g/2026_grading_report.json", "{part}");
        let told = problems.iter().any(|one| one["reason"].as_str().unwrap().contains(part));
        assert!(told, "{part}: {problems:?}");
        // The other fields, and the other runs, are compared all the same.
        assert_eq!(
            printed["archives"][0]["runs"][0]["old"]["exists"].is_null(),
            part.contains("exists")
        );
        assert_eq!(verdicts(&printed).len(), 3, "{part}");
        // Why the code is 6 is said where it is looked for.
        assert!(ran.stderr.contains("g/2026_grading_report.json"), "{part}: {}", ran.stderr);
    }
}

/// Threat 16: whoever made an archive makes nobody believe in gradings by laying sets into it.
#[test]
fn sets_that_came_with_an_archive_are_shown_and_not_believed() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let by_stranger = |arguments: &[&str]| {
        let mut command = workbench.podium(arguments.iter().copied());
        Ran::of(command.env("HOME", workbench.path("graders")))
    };
    let forged = set_of(&by_stranger(&["regrade", "runs", "--json"]).ends_with(5).json());
    by_stranger(&["regrade", "apply", &forged]).ends_with(0);
    by_stranger(&["regrade", "runs"]).ends_with(0);
    fs::remove_dir_all(workbench.path("graders/.local")).unwrap();

    let ran = regrade(&workbench, []).ends_with(5);
    assert!(ran.stderr.contains("not compared with"), "{}", ran.stderr);
    assert_eq!(ran.json()["summary"]["graded_before"], 0);
    let own = set_of(&ran.json());
    let listed = workbench.run(["regrade", "list", "runs"]).ends_with(0);
    assert!(listed.stdout.contains("not yours"), "{}", listed.stdout);
    assert!(listed.stderr.contains("somebody else made 2 sets"), "{}", listed.stderr);
    let shown = workbench.run(["regrade", "show", &forged]).ends_with(0);
    assert!(shown.stderr.contains("somebody else made this set"), "{}", shown.stderr);
    let refused = workbench.run(["regrade", "apply", &forged]).ends_with(2);
    assert!(refused.stderr.contains("--adopt"), "{}", refused.stderr);
    workbench.run(["regrade", "runs", "--set", &forged]).ends_with(2);
    // In so many words, it is one's own.
    workbench.run(["regrade", "apply", &forged, "--adopt"]).ends_with(0);
    regrade(&workbench, []).ends_with(0);
    workbench.run(["regrade", "apply", &own]).ends_with(0);
    // Whatever is changed in one's own set is told, and not compared with.
    let report = format!("{own}/reports/g/grading_report.json");
    let text = fs::read_to_string(workbench.path(&report)).unwrap();
    workbench.write(&report, text.replace("0.5", "0.6"));
    let ran = regrade(&workbench, []).ends_with(5);
    assert!(ran.stderr.contains("changed it since"), "{}", ran.stderr);

    // A set of one archive is none of another, and leads to none.
    run_group(&workbench, "h", &[Some("x")]);
    fs::create_dir(workbench.path("other")).unwrap();
    fs::rename(workbench.path("runs/h"), workbench.path("other/h")).unwrap();
    let refused = workbench.run(["regrade", "other", "--set", &own]).ends_with(2);
    assert!(refused.stderr.contains("a set of another archive"), "{}", refused.stderr);
    assert_eq!(workbench.files("other/regrades"), [""; 0]);
}

#[test]
fn outputs_are_written_over_nothing_that_somebody_gave() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let submission = "runs/g/example_0/submission/submission.csv";
    workbench.write("notes.html", "mine");
    let page = |file: &str, more: &[&str]| {
        let arguments = ["regrade", "runs", "--html", file].into_iter();
        workbench.run(arguments.chain(more.iter().copied()))
    };
    page("page.html", &[]).ends_with(5);
    page("page.html", &[]).ends_with(5);
    for (file, more) in [
        ("notes.html", &[][..]),
        (submission, &[]),
        (submission, &["--force"]),
        ("runs", &["--force"]),
        ("missing/page.html", &[]),
    ] {
        let ran = page(file, more).ends_with(6);
        assert!(ran.stderr.contains("hint: "), "{file}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{file}: nothing is graded first: {}", ran.stdout);
    }
    assert_eq!(fs::read_to_string(workbench.path("notes.html")).unwrap(), "mine");
    page("notes.html", &["--force"]).ends_with(5);
    page("notes.html", &[]).ends_with(5);

    let metadata = "runs/g/metadata.json";
    let list = |file: &str, more: &[&str]| {
        let arguments = ["make-submission", "--metadata", metadata, "--output", file].into_iter();
        workbench.run(arguments.chain(more.iter().copied()))
    };
    workbench
        .write("other.jsonl", "{\"competition_id\": \"example\", \"submission_path\": null}\n");
    for (file, more, code) in [
        ("list.jsonl", &[][..], 0),
        ("list.jsonl", &[], 0),
        (metadata, &[], 6),
        (metadata, &["--force"], 6),
        (submission, &["--force"], 6),
        ("other.jsonl", &[], 6),
        ("page.html", &[], 6),
        ("other.jsonl", &["--force"], 0),
    ] {
        list(file, more).ends_with(code);
    }
    let kept = fs::read_to_string(workbench.path(submission)).unwrap();
    assert_eq!(kept, "id,value\n1,0.5\n");
}

#[test]
fn what_fails_leaves_no_set_and_archives_share_what_is_graded() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &[Some("a"), Some("b")]);
    for (against, code) in [("missing", 3), ("submission.csv", 2), ("competitions", 2)] {
        regrade(&workbench, ["--against", against]).ends_with(code);
        regrade(&workbench, ["--against", against, "--set", "set"]).ends_with(code);
        assert!(!workbench.path("runs/regrades").exists(), "{against}");
        assert!(!workbench.path("set").exists(), "{against}");
    }
    workbench.write("more/g/example_7/submission/submission.csv", "b");
    workbench.write("more/g/example_8/submission/submission.csv", "c");
    let printed = workbench.run(["regrade", "runs", "more", "--json"]).ends_with(5).json();
    let summary = &printed["summary"];
    assert_eq!(
        (&summary["graded_now"], &summary["duplicates"]),
        (&json!(3), &json!(1)),
        "{summary}"
    );
    let listed = workbench.run(["regrade", "list", "runs", "missing", "more"]).ends_with(3);
    assert!(listed.stdout.contains("runs") && listed.stdout.contains("more"), "{}", listed.stdout);
    assert!(listed.stderr.contains("no archive missing"), "{}", listed.stderr);
}

#[cfg(unix)]
#[test]
fn a_regrade_that_is_stopped_says_how_much_is_left() {
    const RUNS: u64 = 60;
    let workbench = Workbench::with_example();
    let slow = format!(
        "(loop $on
           (i32.store (i32.const 200) (i32.add (i32.load (i32.const 200)) (i32.const 1)))
           (br_if $on (i32.lt_u (i32.load (i32.const 200)) (i32.const 20000000))))
         {EXAMPLE_GRADE}"
    );
    workbench.write("graders/example.wasm", example_grader(&[(EXAMPLE_GRADE, &slow)]));
    let contents: Vec<String> = (0..RUNS).map(|run| format!("id,value\n1,{run}\n")).collect();
    let contents: Vec<Option<&str>> = contents.iter().map(|one| Some(one.as_str())).collect();
    run_group(&workbench, "g", &contents);
    let stopped = Process::new(artifacts::podium())
        .args(["regrade", "runs", "--json", "--jobs", "1", "--no-cache"])
        .current_dir(workbench.path(""))
        .env("HOME", workbench.path("home"))
        .env("PODIUM_COMPETITIONS", workbench.path("competitions"))
        .env("PODIUM_GRADERS", workbench.path("graders"))
        .env("PODIUM_DATA", workbench.path("data"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let has_begun = || {
        let sets = fs::read_dir(workbench.path("runs/regrades")).into_iter().flatten().flatten();
        sets.map(|set| workbench.files(set.path().join("receipts")).len()).sum::<usize>() > 2
    };
    while !has_begun() {
        thread::sleep(Duration::from_millis(2));
    }
    let interrupt = ["-INT", &stopped.id().to_string()].map(str::to_owned);
    assert!(Process::new("kill").args(interrupt).status().unwrap().success());
    let output = stopped.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (summary, looked_at) = (&printed["summary"], verdicts(&printed).len() as u64);
    assert_eq!(summary["runs"], RUNS, "{summary}");
    assert_eq!(summary["left"], RUNS - looked_at, "{summary}");
    assert_eq!(summary["graded_now"], looked_at, "{summary}");
    assert!(looked_at > 2 && looked_at < RUNS, "{looked_at}");
    let message = printed["error"]["message"].as_str().unwrap();
    assert!(message.contains("stopped before all was regraded"), "{message}");
}

#[cfg(unix)]
#[test]
fn outputs_are_written_over_nothing_that_a_command_finds_for_itself() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    workbench.run(["regrade", "runs", "--set", "elsewhere"]).ends_with(5);
    workbench.run(["regrade", "apply", "elsewhere"]).ends_with(0);
    let added = workbench.run(["grader", "add", "graders/example.wasm", "--json"]).ends_with(0);
    let sha256 = added.json()[0]["sha256"].as_str().unwrap().to_owned();
    workbench.run(["grader", "pin", "example", &sha256]).ends_with(0);
    workbench.write("policy.toml", "default = \"allow\"\n");
    // Wherever a link leads.
    let answers = "data/example/prepared/private/answers.csv";
    fs::create_dir(workbench.path("vault")).unwrap();
    fs::rename(workbench.path(answers), workbench.path("vault/answers.csv")).unwrap();
    std::os::unix::fs::symlink(workbench.path("vault/answers.csv"), workbench.path(answers))
        .unwrap();
    workbench.write("kept/own.csv", "id,value\n1,0.5\n");
    let line = "{\"competition_id\": \"example\", \"submission_path\": \"kept/own.csv\"}\n";
    workbench.write("list.jsonl", line);
    // It is known only on the way through the archive what this one names.
    workbench.write("lists/list.jsonl", line);
    for (archive, file) in [
        ("runs", "vault/answers.csv"),
        ("runs", "graders/example.wasm"),
        ("runs", "competitions/example/competition.toml"),
        ("runs", "home/.local/share/podium/regrade.key"),
        ("runs", "home/.local/share/podium/store/pins.toml"),
        ("runs", "policy.toml"),
        ("runs", "elsewhere/set.json"),
        ("runs", "elsewhere/reports/g/grading_report.json"),
        ("runs", "runs/regrades/current.json"),
        ("list.jsonl", "list.jsonl"),
        ("list.jsonl", "kept/own.csv"),
        ("lists", "kept/own.csv"),
    ] {
        let before = fs::read(workbench.path(file)).unwrap();
        let arguments = ["regrade", archive, "--html", file, "--force", "--trust", "policy.toml"];
        let ran = workbench.run(arguments).ends_with(6);
        assert!(ran.stderr.contains("is what this command reads"), "{file}: {}", ran.stderr);
        assert_eq!(ran.stdout.is_empty(), archive != "lists", "{file}: {}", ran.stdout);
        assert!(fs::read(workbench.path(file)).unwrap() == before, "{file}");
    }
    for file in ["graders/example.wasm", "home/.local/share/podium/regrade.key"] {
        let metadata = ["--metadata", "runs/g/metadata.json", "--output", file, "--force"];
        workbench.run(["make-submission"].into_iter().chain(metadata)).ends_with(6);
    }
}

#[test]
fn a_set_in_which_nothing_was_graded_changes_nothing_and_is_not_applied_unnoticed() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let first = regrade(&workbench, []).ends_with(5).json();
    workbench.run(["regrade", "apply", &set_of(&first)]).ends_with(0);
    let refuse = workbench.write("refuse.toml", "default = \"refuse\"\n");
    for (more, verdict, code) in [
        (["--data-dir", "/nope"], "no-data", 3),
        (["--trust", refuse.to_str().unwrap()], "grader-failed", 4),
    ] {
        let printed = regrade(&workbench, more).ends_with(code).json();
        assert_eq!(verdicts(&printed), [verdict, verdict, "no-submission"]);
        assert_eq!(printed["summary"]["medal_changes"], 0);
        let set = set_of(&printed);
        let refused = workbench.run(["regrade", "apply", &set]).ends_with(2);
        let why = format!("nothing could be graded in it (2 {verdict})");
        assert!(refused.stderr.contains(&why), "{}", refused.stderr);
        let applied = workbench.run(["regrade", "apply", &set, "--incomplete"]).ends_with(0);
        assert!(applied.stderr.contains("have no result"), "{}", applied.stderr);
        let after = regrade(&workbench, []).ends_with(5).json();
        assert_eq!(verdicts(&after), ["first-grading", "first-grading", "no-submission"]);
        let remarks = after["archives"][0]["runs"][0]["remarks"].to_string();
        assert!(remarks.contains("no result was recorded"), "{remarks}");
        assert_eq!(after["summary"]["medal_changes"], 0);
        workbench.run(["regrade", "apply", &set_of(&first)]).ends_with(0);
    }
    // Of one in which some were graded that is said.
    workbench.write("runs/g/unheard-of_1/submission/submission.csv", "x");
    let printed = regrade(&workbench, []).ends_with(3).json();
    let applied = workbench.run(["regrade", "apply", &set_of(&printed)]).ends_with(0);
    assert!(applied.stderr.contains("1 of 4 runs in it have no result"), "{}", applied.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn an_archive_may_be_called_whatever_it_likes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let odd = workbench.path(OsStr::from_bytes(b"my runs\xff"));
    fs::rename(workbench.path("runs"), &odd).unwrap();
    let run = |arguments: &[&OsStr], code: i32| {
        let mut command = workbench.podium(["regrade"]);
        Ran::of(command.args(arguments)).ends_with(code)
    };
    let json = OsStr::new("--json");
    let printed = run(&[odd.as_os_str(), json], 5).json();
    assert!(set_of(&printed).contains("my runs\\xff/regrades/"), "{printed}");
    let set = fs::read_dir(odd.join("regrades")).unwrap().next().unwrap().unwrap().path();
    let summary: Value = serde_json::from_slice(&fs::read(set.join("set.json")).unwrap()).unwrap();
    assert!(summary["archive"].as_str().unwrap().ends_with("my runs\\xff"), "{summary}");
    let applied = run(&[OsStr::new("apply"), set.as_os_str(), json], 0).json();
    assert_eq!(applied["applied"], true);
    let again = run(&[odd.as_os_str(), json], 0).json();
    assert_eq!(verdicts(&again), ["identical", "identical", "no-submission"]);
    // A set elsewhere finds its archive by what is written of it.
    let elsewhere = workbench.path(OsStr::from_bytes(b"set\xfe"));
    run(&[odd.as_os_str(), OsStr::new("--set"), elsewhere.as_os_str(), json], 0);
    run(&[OsStr::new("apply"), elsewhere.as_os_str(), json], 0);
    let listed = run(&[OsStr::new("list"), odd.as_os_str(), json], 0).json();
    assert!(listed[0]["current"].as_str().unwrap().ends_with("set\\xfe"), "{listed}");
    run(&[odd.as_os_str(), json], 0);
    let missing = workbench.path(OsStr::from_bytes(b"missing\xff"));
    let failed = run(&[missing.as_os_str(), odd.as_os_str(), json], 3).json();
    assert!(failed["archives"][0]["archive"].as_str().unwrap().ends_with("missing\\xff"));
    let hint = run(&[odd.as_os_str(), OsStr::new("--fuel"), OsStr::new("900M")], 0);
    assert!(hint.stderr.contains("the set is"), "{}", hint.stderr);
}

#[test]
fn what_is_named_to_compare_with_is_read_as_the_archive_is() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let first = set_of(&regrade(&workbench, []).ends_with(5).json());
    // Neither a set at the root of an archive, nor what an agent wrote, is a record of it.
    let forged = json!({"competition_reports": [{
        "competition_id": "example", "score": 0.9, "valid_submission": true, "submission_exists": true,
        "submission_path": "g/example_0/submission/submission.csv",
    }]});
    let by_agent = "runs/g/example_0/code/x_grading_report.json";
    workbench.write(by_agent, forged.to_string());
    let refused = regrade(&workbench, ["--against", "runs"]).ends_with(2);
    assert!(refused.stderr.contains("no grading report and no receipt"), "{}", refused.stderr);
    workbench.write("runs/g/2026_grading_report.json", forged.to_string().replace("0.9", "0.5"));
    let printed = regrade(&workbench, ["--against", "runs"]).ends_with(5).json();
    assert_eq!(verdicts(&printed), ["identical", "first-grading", "no-submission"]);
    fs::remove_file(workbench.path("runs/g/2026_grading_report.json")).unwrap();
    fs::remove_file(workbench.path(by_agent)).unwrap();
    let refused = regrade(&workbench, ["--against", "runs/regrades"]).ends_with(2);
    assert!(refused.stderr.contains("sets of regrades: name one"), "{}", refused.stderr);

    // A set that is named is believed, and whose it is is said.
    let own = regrade(&workbench, ["--against", &first]).ends_with(0);
    assert!(!own.stderr.contains("somebody else made it"), "{}", own.stderr);
    let mut by_stranger =
        workbench.podium(["regrade", "runs", "--against", &first, "--json", "--no-cache"]);
    let ran = Ran::of(by_stranger.env("HOME", workbench.path("graders"))).ends_with(0);
    assert!(ran.stderr.contains("somebody else made it"), "{}", ran.stderr);
    assert!(ran.json()["archives"][0]["warnings"].to_string().contains("somebody else"));

    // A receipt that was changed is none.
    let receipt = workbench.files(Path::new(&first).join("receipts")).remove(0);
    let path = Path::new(&first).join("receipts").join(&receipt);
    let text = fs::read_to_string(workbench.path(&path)).unwrap();
    let forged = text.replacen("\"size\": ", "\"size\": 1", 1);
    assert_ne!(forged, text);
    for name in ["x.receipt.json", "x.json", "folder/x.receipt.json"] {
        workbench.write(name, &forged);
        let named = name.split('/').next().unwrap();
        let ran = regrade(&workbench, ["--against", named]).ends_with(5);
        assert!(ran.stderr.contains("its claim was changed"), "{name}: {}", ran.stderr);
        assert!(ran.json()["archives"][0]["error"].is_object(), "{name}");
    }
}

#[test]
fn receipts_of_the_current_set_that_do_not_hold_are_told() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let set = set_of(&regrade(&workbench, []).ends_with(5).json());
    workbench.run(["regrade", "apply", &set]).ends_with(0);
    regrade(&workbench, []).ends_with(0);
    let receipts = Path::new(&set).join("receipts");
    let [first, second] = &workbench.files(&receipts)[..] else { panic!() };
    let text = fs::read_to_string(workbench.path(receipts.join(first))).unwrap();
    let other = receipts.join(format!("{}.receipt.json", "0".repeat(64)));
    let changes: [(&str, &dyn Fn(), &str); 3] = [
        (
            first,
            &|| {
                let changed = text.replacen("\"fuel\": ", "\"fuel\": 1", 1);
                drop(workbench.write(receipts.join(first), changed));
            },
            "was changed since it was sealed",
        ),
        (
            second,
            &|| fs::remove_file(workbench.path(receipts.join(second))).unwrap(),
            "is not there any more",
        ),
        ("000000", &|| drop(workbench.write(&other, &text)), "has no seal of yours"),
    ];
    for (count, (name, change, told)) in changes.into_iter().enumerate() {
        change();
        for more in [&[][..], &["--against", &set]] {
            let ran = regrade(&workbench, more.iter().copied()).ends_with(6);
            let printed = ran.json();
            let problems = printed["archives"][0]["problems"].as_array().unwrap();
            assert_eq!(problems.len(), count + 1, "{told}: {problems:?}");
            let is_told = problems.iter().any(|problem| {
                problem["entry"].as_str().unwrap().contains(name)
                    && problem["reason"].as_str().unwrap().contains(told)
            });
            assert!(is_told, "{told}: {problems:?}");
            // The reports of the set hold, and are compared with.
            assert_eq!(verdicts(&printed), ["identical", "identical", "no-submission"]);
        }
    }
}

#[test]
fn a_damaged_current_file_is_told_and_replaced_and_leaves_nothing_behind() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let set = set_of(&regrade(&workbench, []).ends_with(5).json());
    workbench.run(["regrade", "apply", &set]).ends_with(0);
    let current = "runs/regrades/current.json";
    for damaged in [&b""[..], b"{", b"[]", b"\xff", b"{\"set\": 3, \"applied_at\": \"x\"}"] {
        workbench.write(current, damaged);
        let refused = regrade(&workbench, []).ends_with(2);
        assert!(refused.stderr.contains("apply a set again"), "{}", refused.stderr);
        assert!(!refused.stderr.contains("struct"), "{}", refused.stderr);
        let listed = workbench.run(["regrade", "list", "runs", "--json"]).ends_with(2).json();
        assert_eq!(listed[0]["sets"].as_array().unwrap().len(), 1, "{listed}");
        assert_eq!(listed[0]["error"]["exit_code"], 2, "{listed}");
        let shown = workbench.run(["regrade", "show", &set]).ends_with(0);
        assert!(shown.stderr.contains("apply a set again"), "{}", shown.stderr);
        let kept = workbench.run(["regrade", "discard", &set]).ends_with(2);
        assert!(kept.stderr.contains("apply a set again"), "{}", kept.stderr);
        let applied = workbench.run(["regrade", "apply", &set]).ends_with(0);
        assert!(applied.stderr.contains("it is replaced"), "{}", applied.stderr);
        let again = regrade(&workbench, []).ends_with(0).json();
        workbench.run(["regrade", "discard", &set_of(&again)]).ends_with(0);
    }
    let listed =
        workbench.run(["regrade", "list", "runs", "missing", "--json"]).ends_with(3).json();
    assert_eq!(listed[1]["archive"], "missing");
    assert_eq!(listed[1]["error"]["exit_code"], 3);
    assert!(listed[0]["error"].is_null(), "{listed}");
}

#[test]
fn a_number_that_no_double_holds_costs_nothing_but_itself() {
    let workbench = Workbench::with_example();
    run_group(&workbench, "g", &THREE);
    let report = r#"{"competition_reports": [
        {"competition_id": "example", "score": 0.5, "valid_submission": true, "submission_exists": true,
         "gold_threshold": HUGE, "submission_path": "g/example_0/submission/submission.csv"}]}"#;
    for huge in ["1e999", "-1E400", &"9".repeat(400)] {
        workbench.write("runs/g/x_grading_report.json", report.replace("HUGE", huge));
        let ran = regrade(&workbench, []).ends_with(6);
        let printed = ran.json();
        assert_eq!(verdicts(&printed), ["identical", "first-grading", "no-submission"]);
        let problems = printed["archives"][0]["problems"].to_string();
        let told = format!("`gold_threshold` is {}", &huge[..5]);
        assert!(problems.contains(&told), "{problems}");
    }
    fs::remove_file(workbench.path("runs/g/x_grading_report.json")).unwrap();
    workbench.write("x.csv", "1");
    let line = |more: &str| {
        format!("{{\"competition_id\": \"example\", \"submission_path\": \"x.csv\"{more}}}\n")
    };
    let list = [line(", \"seed\": 1e400"), "{\n".to_owned(), line(", \"seed\": 2")].concat();
    workbench.write("list.jsonl", list);
    let ran = workbench.run(["regrade", "list.jsonl", "--json"]).ends_with(6);
    let runs = ran.json()["archives"][0]["runs"].clone();
    assert_eq!((&runs[0]["seed"], &runs[1]["seed"]), (&json!("1e400"), &json!(2)));
    for part in ["line 1: `seed` is 1e400", "line 2: this is not JSON"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn what_a_list_names_and_is_no_file_is_not_called_missing() {
    let workbench = Workbench::with_example();
    fs::create_dir(workbench.path("folder.csv")).unwrap();
    std::os::unix::fs::symlink("nowhere", workbench.path("link.csv")).unwrap();
    let pipe = workbench.path("pipe.csv");
    assert!(Process::new("mkfifo").arg(&pipe).status().unwrap().success());
    let line = |path: &str| {
        format!("{{\"competition_id\": \"example\", \"submission_path\": \"{path}\"}}\n")
    };
    for (path, verdict, part) in [
        ("folder.csv", "submission-unusable", "folder"),
        ("pipe.csv", "submission-unusable", "pipe"),
        ("link.csv", "submission-unusable", ""),
        ("/nope/x.csv", "submission-missing", "there is no `/nope/x.csv`"),
        ("x.csv", "submission-missing", "counted from the file that names it"),
    ] {
        workbench.write("list.jsonl", line(path));
        let printed = workbench.run(["regrade", "list.jsonl", "--json"]).json();
        assert_eq!(verdicts(&printed), [verdict], "{path}");
        let message = printed["archives"][0]["runs"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(part), "{path}: {message}");
        assert!(!message.contains("working folder") || path == "x.csv", "{path}: {message}");
    }
}

#[test]
fn names_of_any_length_are_cut_where_people_read_them() {
    let workbench = Workbench::with_example();
    let long = "x".repeat(100_000);
    let runs = json!({"run_group": long, "runs": {format!("example_{long}"): {}, "example_1": {}, "other_1": {}}});
    workbench.write("runs/g/metadata.json", runs.to_string());
    let report = json!({"competition_reports": [
        {"competition_id": long, "score": 0.5, "valid_submission": true, "submission_path": format!("{long}.csv")},
        {"competition_id": "example", "score": 0.5, "outcome": long, "receipt_id": long, "submission_path": long},
    ]});
    workbench.write("runs/g/x_grading_report.json", report.to_string());
    let line = json!({"competition_id": "example", "submission_path": format!("{long}.csv"), "run_id": long});
    workbench.write("list.jsonl", format!("{line}\n"));
    let metadata = ["--metadata", "runs/g/metadata.json", "--output", "made.jsonl"];
    for arguments in [
        &["regrade", "runs", "--html", "page.html"][..],
        &["regrade", "list.jsonl"],
        &[&["make-submission"][..], &metadata].concat(),
    ] {
        let ran = workbench.run(arguments.iter().copied());
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            let characters = line.chars().count();
            assert!(characters < 3_000, "{arguments:?}: {characters} characters: {}", &line[..300]);
        }
    }
    let page = fs::read_to_string(workbench.path("page.html")).unwrap();
    assert!(page.lines().all(|line| line.len() < 3_000));
}
