//! `podium grade-sample`, `validate` and `grade`: what they print, write and end with.

use std::fs;

use podium_tests::workbench::{EXAMPLE_GRADE, Workbench, example_grader};
use serde_json::{Value, json};

/// The fields of the reference's report, in its order.
const REFERENCE_FIELDS: [&str; 16] = [
    "competition_id",
    "score",
    "gold_threshold",
    "silver_threshold",
    "bronze_threshold",
    "median_threshold",
    "any_medal",
    "gold_medal",
    "silver_medal",
    "bronze_medal",
    "above_median",
    "submission_exists",
    "valid_submission",
    "is_lower_better",
    "created_at",
    "submission_path",
];

#[test]
fn grade_sample_prints_the_report_for_people() {
    let workbench = Workbench::with_example();
    let ran = workbench.run(["grade-sample", "submission.csv", "example"]).ends_with(0);
    for part in ["scored", "0.5", "silver", "known issue", "above", "units of fuel"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains('\u{1b}'), "styles are for terminals: {}", ran.stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn grade_sample_prints_json_with_the_references_fields_first() {
    let workbench = Workbench::with_example();
    let report =
        workbench.run(["grade-sample", "submission.csv", "example", "--json"]).ends_with(0).json();
    let fields: Vec<&String> =
        report.as_object().unwrap().keys().take(REFERENCE_FIELDS.len()).collect();
    assert_eq!(fields, REFERENCE_FIELDS);
    for (field, value) in [
        ("competition_id", json!("example")),
        ("score", json!(0.5)),
        ("silver_medal", json!(true)),
        ("gold_medal", json!(false)),
        ("any_medal", json!(true)),
        ("above_median", json!(true)),
        ("valid_submission", json!(true)),
        ("is_lower_better", json!(false)),
        ("submission_path", json!("submission.csv")),
        ("outcome", json!("scored")),
    ] {
        assert_eq!(report[field], value, "{field}");
    }
    assert_eq!(report["known_issues"][0]["kind"], "leak");
}

#[test]
fn scores_that_json_cannot_hold_are_text_beside_null() {
    let half = r#""\00\00\00\00\00\00\e0\3f""#;
    for (bits, text, outcome, medal) in [
        (r#""\00\00\00\00\00\00\f0\7f""#, "inf", "scored", true),
        (r#""\00\00\00\00\00\00\f0\ff""#, "-inf", "scored", false),
        (r#""\00\00\00\00\00\00\f8\7f""#, "nan", "undefined", false),
    ] {
        let workbench = Workbench::with_example();
        workbench.write("graders/example.wasm", example_grader(&[(half, bits)]));
        let report = workbench
            .run(["grade-sample", "submission.csv", "example", "--json"])
            .ends_with(0)
            .json();
        assert_eq!(report["score"], Value::Null, "{text}");
        assert_eq!(report["score_text"], text);
        assert_eq!(report["outcome"], outcome, "{text}");
        assert_eq!(report["any_medal"], medal, "{text}");
        let ran = workbench.run(["validate", "submission.csv", "example"]).ends_with(0);
        assert_eq!(ran.stdout, "Submission is valid.\n", "{text}");
    }
}

#[test]
fn the_exit_code_says_who_has_to_act() {
    let fault = r#""\00\00\00\00" "\8c"#;
    let always_refused = (EXAMPLE_GRADE, "(i32.const 64)");
    for (what, replaced, outcome, code) in [
        ("scored", vec![], "scored", 0),
        ("refused", vec![always_refused], "invalid-submission", 1),
        (
            "answers refused",
            vec![always_refused, (fault, r#""\01\00\00\00" "\8c"#)],
            "invalid-answers",
            4,
        ),
        ("trap", vec![(EXAMPLE_GRADE, "(unreachable)")], "grader-failed", 4),
        (
            "endless loop",
            vec![(EXAMPLE_GRADE, "(loop $on (br $on)) (unreachable)")],
            "grader-failed",
            4,
        ),
        ("another competition's", vec![("\"example\"", "\"elsewhe\"")], "grader-failed", 4),
        (
            "the other direction",
            vec![(r#""\78\00\00\00\04\00\00\00" "\00""#, r#""\78\00\00\00\04\00\00\00" "\01""#)],
            "grader-failed",
            4,
        ),
    ] {
        let workbench = Workbench::with_example();
        workbench.write("graders/example.wasm", example_grader(&replaced));
        let arguments = ["grade-sample", "submission.csv", "example", "--json", "--fuel", "10M"];
        let ran = workbench.run(arguments).ends_with(code);
        let report = ran.json();
        assert_eq!(report["outcome"], outcome, "{what}");
        assert_eq!(ran.stderr.contains("error: "), code != 0, "{what}: {}", ran.stderr);
        assert_eq!(report["score"].is_number(), code == 0, "{what}");
        let arguments = ["validate", "submission.csv", "example", "--fuel", "10M"];
        workbench.run(arguments).ends_with(code);
    }
}

#[test]
fn limits_on_the_command_line_go_before_the_competitions_own() {
    let workbench = Workbench::with_example();
    let loops = example_grader(&[(EXAMPLE_GRADE, "(loop $on (br $on)) (unreachable)")]);
    workbench.write("graders/example.wasm", loops);
    let message = |fuel| {
        let ran = workbench
            .run(["grade-sample", "submission.csv", "example", "--json", "--fuel", fuel])
            .ends_with(4);
        let report = ran.json();
        assert_eq!(report["failure"], "out-of-fuel");
        report["message"].as_str().unwrap().to_owned()
    };
    assert_ne!(message("1000"), message("2k"));
    let ran = workbench
        .run(["grade-sample", "submission.csv", "example", "--max-input", "4"])
        .ends_with(1);
    assert!(ran.stderr.contains("limit of 4 bytes"), "{}", ran.stderr);
}

#[test]
fn a_component_can_be_given_in_the_place_of_the_competitions_own() {
    let workbench = Workbench::with_example();
    fs::remove_file(workbench.path("graders/example.wasm")).unwrap();
    workbench.run(["grade-sample", "submission.csv", "example"]).ends_with(4);
    workbench.write("mine.wasm", example_grader(&[]));
    workbench
        .run(["grade-sample", "submission.csv", "example", "--grader", "mine.wasm"])
        .ends_with(0);
    workbench.run(["validate", "submission.csv", "example", "--grader", "mine.wasm"]).ends_with(0);
}

#[test]
fn a_third_partys_folder_brings_its_own_grader() {
    let workbench = Workbench::with_example();
    let folder = workbench.path("elsewhere");
    fs::create_dir(&folder).unwrap();
    fs::rename(workbench.path("competitions/example"), folder.join("example")).unwrap();
    fs::rename(workbench.path("graders/example.wasm"), folder.join("example/grader.wasm")).unwrap();
    workbench.run(["grade-sample", "submission.csv", "example"]).ends_with(3);
    let arguments = [
        "--competitions",
        "elsewhere",
        "--competitions",
        "competitions",
        "grade-sample",
        "submission.csv",
        "example",
    ];
    workbench.run(arguments).ends_with(0);
}

#[test]
fn validate_never_tells_of_a_score() {
    let workbench = Workbench::with_example();
    let ran = workbench.run(["validate", "submission.csv", "example"]).ends_with(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("Submission is valid.\n", ""));
    workbench.write("empty.csv", "");
    let ran = workbench.run(["validate", "empty.csv", "example"]).ends_with(1);
    assert_eq!(ran.stdout, "Submission invalid! the submission is empty\n");
    let ran = workbench.run(["validate", "missing.csv", "example"]).ends_with(1);
    assert!(ran.stdout.starts_with("Submission invalid! "), "{}", ran.stdout);

    let valid =
        workbench.run(["validate", "submission.csv", "example", "--json"]).ends_with(0).json();
    assert_eq!(valid["valid"], true);
    assert!(!valid.to_string().contains("0.5"), "{valid}");
    let keys: Vec<&String> = valid.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["valid", "outcome", "message", "warnings"]);
}

const LIST: &str = r#"# runs of the first group
{"competition_id": "example", "submission_path": "submission.csv", "seed": 1, "run_id": "a"}
// {"competition_id": "no-such-competition", "submission_path": "submission.csv"}

{"competition_id": "example", "submission_path": "missing.csv", "seed": 2}
{"competition_id": "example", "submission_path": "empty.csv", "seed": 3}
{"competition_id": "example", "submission_path": null, "seed": 4}
"#;

#[test]
fn grade_writes_one_report_in_the_order_of_the_list() {
    let workbench = Workbench::with_example();
    workbench.write("empty.csv", "");
    workbench.write("runs.jsonl", LIST);
    let ran = workbench
        .run(["grade", "--submission", "runs.jsonl", "--output-dir", "reports/new"])
        .ends_with(0);
    assert!(ran.stdout.contains("invalid-submission"), "{}", ran.stdout);

    let files = workbench.files("reports/new");
    let [file] = files.as_slice() else { panic!("{files:?}") };
    assert!(file.ends_with("_grading_report.json"), "{file}");
    assert!(ran.stderr.contains(file.as_str()), "{}", ran.stderr);
    let text = fs::read_to_string(workbench.path("reports/new").join(file)).unwrap();
    let group: Value = serde_json::from_str(&text).unwrap();
    for (field, total) in [
        ("total_runs", 4),
        ("total_runs_with_submissions", 2),
        ("total_valid_submissions", 1),
        ("total_medals", 1),
        ("total_gold_medals", 0),
        ("total_silver_medals", 1),
        ("total_bronze_medals", 0),
        ("total_above_median", 1),
    ] {
        assert_eq!(group[field], total, "{field}");
    }
    assert_eq!(group["totals_without_known_issues"]["total_runs"], 0);
    let reports = group["competition_reports"].as_array().unwrap();
    let outcomes: Vec<_> =
        reports.iter().map(|report| report["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["scored", "no-submission", "invalid-submission", "no-submission"]);
    let seeds: Vec<_> =
        reports.iter().map(|report| report["run"]["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [1, 2, 3, 4]);
    assert_eq!(reports[0]["run"]["run_id"], "a");

    let receipts = workbench.files("reports/new/receipts");
    assert_eq!(receipts.len(), 2, "{receipts:?}");
    let id = reports[0]["receipt_id"].as_str().unwrap();
    assert!(receipts.iter().any(|name| name.starts_with(id)), "{id} in {receipts:?}");
}

#[test]
fn grade_prints_json_and_nothing_else() {
    let workbench = Workbench::with_example();
    workbench.write("empty.csv", "");
    workbench.write("runs.jsonl", LIST);
    let arguments = [
        "grade",
        "--submission",
        "runs.jsonl",
        "--output-dir",
        "reports",
        "--no-receipts",
        "--json",
    ];
    let printed = workbench.run(arguments).ends_with(0).json();
    let files = workbench.files("reports");
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let written = fs::read_to_string(workbench.path("reports").join(file)).unwrap();
    assert_eq!(printed, serde_json::from_str::<Value>(&written).unwrap());
    assert!(!workbench.path("reports/receipts").exists());
}

#[test]
fn reports_never_take_each_others_place() {
    let workbench = Workbench::with_example();
    workbench.write(
        "runs.jsonl",
        "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n",
    );
    for _ in 0..3 {
        workbench
            .run(["grade", "--submission", "runs.jsonl", "--output-dir", "reports"])
            .ends_with(0);
    }
    assert_eq!(workbench.files("reports").len(), 3);
    // The same grading has the same receipt, however often it is made.
    assert_eq!(workbench.files("reports/receipts").len(), 1);
}

#[test]
fn what_fails_on_this_side_does_not_stop_the_rest() {
    let workbench = Workbench::with_example();
    let definition =
        fs::read_to_string(workbench.path("competitions/example/competition.toml")).unwrap();
    workbench.write(
        "competitions/unprepared/competition.toml",
        definition.replace("id = \"example\"", "id = \"unprepared\""),
    );
    workbench.write(
        "competitions/broken/competition.toml",
        definition.replace("id = \"example\"", "id = \"broken\""),
    );
    workbench.write("data/broken/prepared/private/answers.csv", "id,value\n1,1\n");
    let broken = example_grader(&[
        ("\"example\"", "\"broken\""),
        (r#""\64\00\00\00\07"#, r#""\64\00\00\00\06"#),
        (EXAMPLE_GRADE, "(unreachable)"),
    ]);
    workbench.write("graders/broken.wasm", broken);
    let line = |id: &str| {
        format!("{{\"competition_id\": \"{id}\", \"submission_path\": \"submission.csv\"}}\n")
    };

    workbench.write("runs.jsonl", [line("unprepared"), line("example")].concat());
    let ran = workbench
        .run(["grade", "--submission", "runs.jsonl", "--output-dir", "a", "--json"])
        .ends_with(3);
    let outcome =
        |report: &Value, index: usize| report["competition_reports"][index]["outcome"].clone();
    assert_eq!(outcome(&ran.json(), 0), "not-prepared");
    assert_eq!(outcome(&ran.json(), 1), "scored");
    assert!(ran.stderr.contains("data/unprepared/prepared/private/answers.csv"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--data-dir"), "{}", ran.stderr);

    workbench.write(
        "runs.jsonl",
        [line("broken"), line("broken"), line("unprepared"), line("example")].concat(),
    );
    let ran = workbench
        .run(["grade", "--submission", "runs.jsonl", "--output-dir", "b", "--json"])
        .ends_with(4);
    assert_eq!(outcome(&ran.json(), 0), "grader-failed");
    assert_eq!(outcome(&ran.json(), 3), "scored");
    assert_eq!(ran.json()["total_valid_submissions"], 1);
    assert_eq!(ran.stderr.matches("error: ").count(), 2, "each thing is said once: {}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_finished_and_leaves_no_half_file() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let workbench = Workbench::with_example();
    let loops = example_grader(&[
        ("\"example\"", "\"forever\""),
        (EXAMPLE_GRADE, "(loop $on (br $on)) (unreachable)"),
    ]);
    let definition =
        fs::read_to_string(workbench.path("competitions/example/competition.toml")).unwrap();
    workbench.write(
        "competitions/forever/competition.toml",
        definition.replace("id = \"example\"", "id = \"forever\""),
    );
    workbench.write("graders/forever.wasm", loops);
    workbench.write("data/forever/prepared/private/answers.csv", "id,value\n1,1\n");
    let line = |id: &str| {
        format!("{{\"competition_id\": \"{id}\", \"submission_path\": \"submission.csv\"}}\n")
    };
    workbench.write("runs.jsonl", [line("example"), line("forever"), line("example")].concat());

    let program = workbench.podium([
        "grade",
        "--submission",
        "runs.jsonl",
        "--output-dir",
        "out",
        "--jobs",
        "1",
    ]);
    let mut command = Command::new(program.get_program());
    command
        .args(program.get_args())
        .current_dir(workbench.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = command.spawn().unwrap();
    // The first grading's receipt is there: the endless one runs.
    while workbench.files("out/receipts").is_empty() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it was stopped");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    let stderr: Vec<String> =
        BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok).collect();
    assert_eq!(status.code(), Some(130), "{stderr:?}");

    let files = workbench.files("out");
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let group: Value =
        serde_json::from_str(&fs::read_to_string(workbench.path("out").join(file)).unwrap())
            .unwrap();
    assert_eq!(group["complete"], false);
    assert_eq!(group["total_runs"], 1);
}
