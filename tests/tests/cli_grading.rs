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

/// Threat 7: what is known to be wrong with a competition is in every report.
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

/// Threat 26: a grader's crash is told from an invalid submission.
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
        let definition = "competitions/example/competition.toml";
        let text = fs::read_to_string(workbench.path(definition)).unwrap();
        workbench.write(definition, format!("{text}\n[limits]\nfuel = 10_000_000\n"));
        // The competition's limit does not hold for validation, so that this one would take its time.
        if what != "endless loop" {
            workbench.run(["validate", "submission.csv", "example"]).ends_with(code);
        }
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
        // All that it was given.
        assert_eq!(report["usage"]["fuel"], report["limits"]["fuel"], "{report}");
        report["message"].as_str().unwrap().to_owned()
    };
    assert_ne!(message("1000"), message("2k"));
    let ran = workbench
        .run(["grade-sample", "submission.csv", "example", "--max-input", "4"])
        .ends_with(1);
    assert!(ran.stderr.contains("limit of 4 bytes"), "{}", ran.stderr);
}

#[test]
fn limits_are_shown_wherever_a_grading_is() {
    let workbench = Workbench::with_example();
    let limits = |of: &Value| {
        ["fuel", "memory_bytes", "wall_clock_seconds", "input_bytes"]
            .map(|name| of["limits"][name].as_u64().unwrap_or_default())
    };
    let definition = "competitions/example/competition.toml";
    let text = fs::read_to_string(workbench.path(definition)).unwrap();
    let own = [123_456_789, 64 << 20, 77, 4_096];
    workbench.write(
        definition,
        format!(
            "{text}\n[limits]\nfuel = {}\nmemory_bytes = {}\nwall_clock_seconds = {}\ninput_bytes = {}\n",
            own[0], own[1], own[2], own[3]
        ),
    );
    let shown = workbench.run(["show", "example", "--json"]).ends_with(0).json();
    assert_eq!(limits(&shown), own);
    let listed = workbench.run(["list", "--json"]).ends_with(0).json();
    assert_eq!(limits(&listed[0]), own);
    let in_words = workbench.run(["show", "example"]).ends_with(0).stdout;
    assert!(in_words.contains("123,456,789 units of fuel, 64.0 MiB of memory, 77 s"), "{in_words}");

    for (flags, expected) in [
        (&[][..], own),
        (&["--fuel", "5M", "--wall-clock", "1h"], [5_000_000, own[1], 3_600, own[3]]),
    ] {
        let grade = ["grade-sample", "submission.csv", "example"];
        let flags = grade.iter().chain(flags).copied();
        let receipt = ["--json", "--receipt", "receipt.json"];
        let report = workbench.run(flags.clone().chain(receipt)).ends_with(0).json();
        assert_eq!(limits(&report), expected);
        let receipt = fs::read_to_string(workbench.path("receipt.json")).unwrap();
        let receipt: Value = serde_json::from_str(&receipt).unwrap();
        assert_eq!(limits(&receipt["made_by"]), expected);
        assert_eq!(report["usage"]["fuel"], receipt["made_by"]["fuel"]);
        assert!(report["usage"]["peak_memory_bytes"].as_u64() > Some(0), "{report}");
        let in_words = workbench.run(flags).ends_with(0).stdout;
        let fuel = format!(
            "of {} units of fuel",
            if expected == own { "123,456,789" } else { "5,000,000" }
        );
        assert!(
            in_words.contains(&fuel) && in_words.contains("of 64.0 MiB of memory"),
            "{in_words}"
        );
    }
    // What a submission took may depend on the answers, and is not for its maker.
    let validated = workbench.run(["validate", "submission.csv", "example", "--json"]).ends_with(0);
    assert!(!validated.stdout.contains("fuel"), "{}", validated.stdout);
}

#[test]
fn a_component_can_be_given_in_the_place_of_the_competitions_own() {
    let workbench = Workbench::with_example();
    fs::remove_file(workbench.path("graders/example.wasm")).unwrap();
    workbench.run(["grade-sample", "submission.csv", "example"]).ends_with(3);
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

/// Threat 5: neither a score nor anything that tells of one.
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
    assert_eq!(keys, ["valid", "outcome", "failure", "message", "hint", "warnings"]);
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
    assert_eq!(ran.stderr.matches("error: ").count(), 1, "{}", ran.stderr);
    for part in [
        "3 of 4 gradings came to no result",
        "line 1 (broken) and 1 more: the grader crashed",
        "line 3 (unprepared): the data of `unprepared` are not prepared",
        "--data-dir",
    ] {
        assert_eq!(ran.stderr.matches(part).count(), 1, "`{part}` is said once: {}", ran.stderr);
    }
    assert_eq!(ran.json()["error"]["exit_code"], 4);
    let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("line 3 (unprepared)"), "{message}");

    // Causes without end are counted, not listed.
    let many: Vec<String> = (0..8).map(|index| format!("unprepared-{index}")).collect();
    for id in &many {
        workbench.write(
            format!("competitions/{id}/competition.toml"),
            definition.replace("id = \"example\"", &format!("id = \"{id}\"")),
        );
    }
    workbench.write("runs.jsonl", many.iter().map(|id| line(id)).collect::<String>());
    let ran =
        workbench.run(["grade", "--submission", "runs.jsonl", "--output-dir", "c"]).ends_with(3);
    for (part, count) in [
        ("8 of 8 gradings came to no result", 1),
        ("unprepared-4", 3),
        ("unprepared-5", 0),
        ("and 3 other causes", 1),
    ] {
        assert_eq!(ran.stderr.matches(part).count(), count, "{part}: {}", ran.stderr);
    }
}

#[test]
fn what_is_hardly_meant_in_a_list_is_warned_of_and_graded() {
    let line = "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n";
    let twice =
        "{\"competition_id\": \"example\", \"seed\": 1, \"seed\": 2, \"submission_path\": null}\n";
    for (list, runs, warnings) in [
        (String::new(), 0, vec!["the list names no submission"]),
        (line.repeat(2), 2, vec!["line 2: the same submission as in line 1"]),
        (twice.to_owned(), 1, vec!["line 1: the key `seed` is there twice"]),
        (line.to_owned(), 1, vec![]),
    ] {
        let workbench = Workbench::with_example();
        workbench.write("runs.jsonl", &list);
        let ran = workbench
            .run(["grade", "--submission", "runs.jsonl", "--output-dir", "out", "--json"])
            .ends_with(0);
        let group = ran.json();
        assert_eq!(group["total_runs"], runs, "{list}");
        let written = group["warnings"].as_array().unwrap();
        assert_eq!(written.len(), warnings.len(), "{list}: {written:?}");
        assert_eq!(ran.stderr.matches("warning: ").count(), warnings.len(), "{}", ran.stderr);
        for (found, part) in written.iter().zip(warnings) {
            assert!(found.as_str().unwrap().contains(part), "{found}");
            assert!(ran.stderr.contains(part), "{}", ran.stderr);
        }
    }
}

#[test]
fn what_a_killed_run_left_behind_is_cleared_away_by_the_next() {
    let workbench = Workbench::with_example();
    workbench.write(
        "runs.jsonl",
        "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n",
    );
    workbench.write("out/.podium-abc.partial", "{\"total_ru");
    workbench.write("out/receipts/.podium-def.partial", "");
    // A receipt that was cut off is none, and is written again.
    let grade = || {
        workbench.run(["grade", "--submission", "runs.jsonl", "--output-dir", "out"]).ends_with(0)
    };
    grade();
    let receipts = workbench.files("out/receipts");
    let [receipt] = receipts.as_slice() else { panic!("{receipts:?}") };
    let path = workbench.path("out/receipts").join(receipt);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    grade();
    assert_eq!(fs::read(&path).unwrap(), whole);
    let reports = workbench.files("out");
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert!(reports.iter().all(|name| name.ends_with("_grading_report.json")), "{reports:?}");
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_can_be_run_again() {
    use std::process::{Command, Stdio};

    let workbench = Workbench::with_example();
    let list: String = (0..200)
        .map(|number| {
            workbench.write(format!("runs/{number}.csv"), format!("id,value\n1,0.{number}\n"));
            format!(
                "{{\"competition_id\": \"example\", \"submission_path\": \"runs/{number}.csv\"}}\n"
            )
        })
        .collect();
    workbench.write("runs.jsonl", list);
    let arguments = ["grade", "--submission", "runs.jsonl", "--output-dir", "out", "--jobs", "1"];
    let program = workbench.podium(arguments);
    let mut command = Command::new(program.get_program());
    command
        .args(program.get_args())
        .current_dir(workbench.path(""))
        .env_clear()
        .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while workbench.files("out/receipts").len() < 5 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let group = workbench.run(arguments.into_iter().chain(["--json"])).ends_with(0).json();
    assert_eq!(
        (group["total_runs"].as_u64(), group["complete"].as_bool()),
        (Some(200), Some(true))
    );
    let receipts = workbench.files("out/receipts");
    assert_eq!(receipts.len(), 200);
    let paths: Vec<String> = receipts.iter().map(|name| format!("out/receipts/{name}")).collect();
    workbench.run(["verify"].into_iter().chain(paths.iter().map(String::as_str))).ends_with(0);
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
    // As `nohup` starts it: a hangup does not reach it.
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
        .arg(program.get_program())
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
    let send = |signal: &str| {
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    };
    if cfg!(target_os = "linux") {
        send("-HUP");
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(child.try_wait().unwrap(), None, "a hangup was not to end it");
    }
    send("-INT");
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

#[cfg(target_os = "linux")]
#[test]
fn results_are_shown_even_where_no_report_can_be_written() {
    let workbench = Workbench::with_example();
    workbench.write(
        "runs.jsonl",
        "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n",
    );
    // Nothing can be made in this folder, whoever tries.
    let grading = ["grade", "--submission", "runs.jsonl", "--no-receipts", "--output-dir"];
    let nowhere = ["/proc/self", "--json"];
    let ran = workbench.run(grading.iter().chain(&nowhere).copied()).ends_with(6);
    assert_eq!(ran.json()["total_runs"], 1);
    assert_eq!(ran.json()["error"]["exit_code"], 6);
    let ran = workbench.run(grading.into_iter().chain(["/proc/self"])).ends_with(6);
    assert!(ran.stdout.contains("gradings"), "{}", ran.stdout);
}
