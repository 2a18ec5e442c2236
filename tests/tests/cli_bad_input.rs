//! What people do wrong, and what they are told: a clear error on stderr, the right exit code, nothing half-written.

use std::fs;

use podium_tests::artifacts;
use podium_tests::workbench::{Workbench, example_grader};

/// Answers of a real competition, whose real grader these tests need.
const ANSWERS: &str = "\
PassengerId,HomePlanet,Transported
0013_01,Earth,True
0018_01,Earth,False
0019_01,Europa,True
0021_01,Mars,False
";

const GOOD: &str =
    "PassengerId,Transported\n0013_01,True\n0018_01,False\n0019_01,False\n0021_01,False\n";

fn with_spaceship_titanic() -> Workbench {
    let workbench = Workbench::new();
    workbench.write("data/spaceship-titanic/prepared/private/test.csv", ANSWERS);
    fs::copy(
        artifacts::grader("spaceship-titanic"),
        workbench.path("graders/spaceship-titanic.wasm"),
    )
    .unwrap();
    for file in ["competition.toml", "description.md", "leaderboard.csv"] {
        let content =
            fs::read(artifacts::competitions().join("spaceship-titanic").join(file)).unwrap();
        workbench.write(format!("competitions/spaceship-titanic/{file}"), content);
    }
    workbench
}

#[test]
fn a_good_submission_is_scored() {
    let workbench = with_spaceship_titanic();
    workbench.write("submission.csv", GOOD);
    let report = workbench
        .run(["grade-sample", "submission.csv", "spaceship-titanic", "--json"])
        .ends_with(0)
        .json();
    assert_eq!(report["score"], 0.75);
    assert_eq!(report["any_medal"], false);
}

#[test]
fn bad_submissions_are_told_what_is_wrong() {
    let rows = |text: &str| format!("PassengerId,Transported\n{text}").into_bytes();
    // The content of the file, and words that the message has to hold.
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("empty file", Vec::new(), &["empty"]),
        ("header alone", rows(""), &["4"]),
        ("not a CSV", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0".to_vec(), &[]),
        (
            "wrong columns",
            b"id,value\n0013_01,True\n0018_01,True\n0019_01,True\n0021_01,True\n".to_vec(),
            &["Transported"],
        ),
        ("a row missing", rows("0013_01,True\n0018_01,True\n0019_01,True\n"), &["4"]),
        (
            "wrong ids",
            rows("0013_01,True\n0018_01,True\n0019_01,True\n9999_01,True\n"),
            &["PassengerId"],
        ),
        (
            "duplicated ids",
            rows("0013_01,True\n0013_01,True\n0019_01,True\n0021_01,True\n"),
            &["PassengerId"],
        ),
        (
            "a prediction missing",
            rows("0013_01,True\n0018_01,\n0019_01,True\n0021_01,True\n"),
            &["Transported"],
        ),
        ("ragged rows", rows("0013_01,True\n0018_01,True,1,2\n0019_01,True\n0021_01,True\n"), &[]),
        (
            "invalid UTF-8",
            rows("0013_01,True\n").into_iter().chain(*b"\xff\xfe,True\n").collect(),
            &["UTF-8"],
        ),
        ("gzip, cut off", b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x0b\x48\x2c\x2e\x4e\x4c".to_vec(), &[]),
    ];
    let workbench = with_spaceship_titanic();
    for (what, content, words) in cases {
        workbench.write("submission.csv", content);
        let ran =
            workbench.run(["grade-sample", "submission.csv", "spaceship-titanic"]).ends_with(1);
        assert!(ran.stdout.contains("invalid-submission"), "{what}: {}", ran.stdout);
        assert!(ran.stderr.starts_with("error: "), "{what}: {}", ran.stderr);
        for word in words {
            assert!(ran.stderr.contains(word), "{what}: `{word}` is not in {}", ran.stderr);
        }
        assert!(
            !ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\0'),
            "{what}: {:?}",
            ran.stderr
        );
        let ran = workbench.run(["validate", "submission.csv", "spaceship-titanic"]).ends_with(1);
        assert!(ran.stdout.starts_with("Submission invalid! "), "{what}: {}", ran.stdout);
    }
}

#[test]
fn text_in_a_column_of_truth_values_does_not_match() {
    let workbench = with_spaceship_titanic();
    workbench.write("submission.csv", GOOD.replace("True", "perhaps"));
    let ran = workbench.run(["grade-sample", "submission.csv", "spaceship-titanic", "--json"]);
    // As in the reference: words and truth values either never match, or cannot be compared at all.
    assert!(ran.code == 0 || ran.code == 1, "{ran:?}");
    assert!(ran.json()["score"].as_f64().unwrap_or_default() <= 0.5, "{ran:?}");
}

#[test]
fn paths_that_are_no_submissions_are_refused() {
    let workbench = Workbench::with_example();
    fs::create_dir(workbench.path("folder.csv")).unwrap();
    workbench.write("submission.txt", "id,value\n1,0.5\n");
    for (path, word) in [
        ("missing.csv", "no such file"),
        ("folder.csv", "folder"),
        ("submission.txt", ".csv"),
        ("https://example.org/submission.csv", "address"),
        ("no/such/folder/submission.csv", "no such file"),
    ] {
        let ran = workbench.run(["grade-sample", path, "example"]).ends_with(1);
        assert!(ran.stderr.contains(word), "{path}: {}", ran.stderr);
        assert!(ran.stdout.contains("no-submission"), "{path}: {}", ran.stdout);
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_and_pipes_are_refused() {
    use std::os::unix::fs::symlink;

    let workbench = Workbench::with_example();
    fs::create_dir(workbench.path("run")).unwrap();
    symlink(
        workbench.path("data/example/prepared/private/answers.csv"),
        workbench.path("run/submission.csv"),
    )
    .unwrap();
    symlink("/dev/zero", workbench.path("run/endless.csv")).unwrap();
    symlink("real.csv", workbench.path("run/inside.csv")).unwrap();
    workbench.write("run/real.csv", "id,value\n1,0.5\n");
    let pipe = workbench.path("run/pipe.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in ["run/submission.csv", "run/endless.csv", "run/pipe.csv", "/dev/stdin"] {
        let ran = workbench.run(["grade-sample", path, "example"]).ends_with(1);
        assert!(ran.stderr.starts_with("error: "), "{path}: {}", ran.stderr);
        assert!(ran.stderr.contains(path), "{path}: {}", ran.stderr);
    }
    workbench.run(["grade-sample", "run/inside.csv", "example"]).ends_with(0);
}

#[cfg(unix)]
#[test]
fn four_gigabytes_of_nothing_are_refused_by_size_alone() {
    let workbench = Workbench::with_example();
    // A file with a hole takes no space.
    fs::File::create(workbench.path("huge.csv")).unwrap().set_len(4 << 30).unwrap();
    let ran =
        workbench.run(["grade-sample", "huge.csv", "example", "--max-input", "1GiB"]).ends_with(1);
    for word in ["huge.csv", "4 GiB", "1 GiB"] {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
    }
}

#[test]
fn components_that_are_no_graders_are_refused_with_the_reason() {
    let wat = |text: &str| wat::parse_str(text).unwrap();
    let sockets = example_grader(&[(
        "(component\n",
        "(component (import \"wasi:sockets/instance-network@0.2.0\" (instance))\n",
    )]);
    let other_version = example_grader(&[("@1.0.0", "@2.0.0")]);
    let whole = example_grader(&[]);
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("empty", Vec::new(), &["empty"]),
        ("not WebAssembly", b"#!/bin/sh\nexit 0\n".to_vec(), &["not WebAssembly"]),
        ("compressed", b"\x1f\x8b\x08\0".to_vec(), &["gzip"]),
        ("a core module", wat("(module)"), &["core WebAssembly module"]),
        ("another world", wat("(component)"), &["podium:grading/grader"]),
        ("sockets", sockets, &["not sealed", "wasi:sockets/instance-network@0.2.0"]),
        ("another contract", other_version, &["2.0.0", "1.x"]),
        ("cut off", whole[..whole.len() / 2].to_vec(), &["cut off"]),
    ];
    let workbench = Workbench::with_example();
    for (what, bytes, words) in cases {
        workbench.write("grader.wasm", bytes);
        let graded =
            workbench.run(["grade-sample", "submission.csv", "example", "--grader", "grader.wasm"]);
        let validated =
            workbench.run(["validate", "submission.csv", "example", "--grader", "grader.wasm"]);
        let inspected = workbench.run(["inspect", "grader.wasm"]);
        for ran in [graded, validated, inspected] {
            let ran = ran.ends_with(4);
            for word in ["error: ", "grader.wasm"].iter().chain(words) {
                assert!(ran.stderr.contains(word), "{what}: `{word}` is not in {}", ran.stderr);
            }
        }
    }
    let arguments = ["grade-sample", "submission.csv", "example", "--grader", "missing.wasm"];
    let ran = workbench.run(arguments).ends_with(4);
    assert!(ran.stderr.contains("missing.wasm"), "{}", ran.stderr);
    workbench.run(["inspect", "missing.wasm"]).ends_with(3);
    // A device may never end.
    workbench.run(["inspect", "/dev/zero"]).ends_with(6);
}

#[test]
fn a_competition_that_is_not_there_is_guessed() {
    let workbench = Workbench::with_example();
    for command in [
        vec!["grade-sample", "submission.csv", "exampel"],
        vec!["validate", "submission.csv", "Example"],
        vec!["show", "exmple"],
    ] {
        let ran = workbench.run(command.iter().copied()).ends_with(3);
        assert!(ran.stderr.contains("did you mean `example`?"), "{command:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{command:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    for id in ["../example", "/etc", "", "a\u{1b}[31mb", "quite-something-else"] {
        let ran = workbench.run(["show", id]).ends_with(3);
        assert!(ran.stderr.starts_with("error: there is no competition"), "{id}: {}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'), "{id}: {:?}", ran.stderr);
    }
}

#[test]
fn data_that_are_not_prepared_are_named_with_their_place() {
    let workbench = Workbench::with_example();
    fs::remove_dir_all(workbench.path("data/example")).unwrap();
    for command in ["grade-sample", "validate"] {
        let ran = workbench.run([command, "submission.csv", "example"]).ends_with(3);
        let place = workbench.path("data/example/prepared/private/answers.csv");
        assert!(ran.stderr.contains(&*place.to_string_lossy()), "{}", ran.stderr);
        assert!(ran.stderr.contains("name the data folder"), "{}", ran.stderr);
    }
}

#[test]
fn lists_that_are_not_understood_name_the_line_and_grade_nothing() {
    let good = "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n";
    for (line, code, words) in [
        ("{", 2, ["line 2", "not JSON"]),
        ("{\"competition_id\": \"example\"}", 2, ["line 2", "submission_path"]),
        ("[]", 2, ["line 2", "list"]),
        (
            "{\"competition_id\": \"exampel\", \"submission_path\": \"x.csv\"}",
            3,
            ["line 2", "did you mean `example`"],
        ),
    ] {
        let workbench = Workbench::with_example();
        workbench.write("runs.jsonl", format!("{good}{line}\n"));
        let ran = workbench
            .run(["grade", "--submission", "runs.jsonl", "--output-dir", "out"])
            .ends_with(code);
        for word in words {
            assert!(ran.stderr.contains(word), "{line}: {}", ran.stderr);
        }
        assert_eq!(workbench.files("out"), [""; 0], "{line}");
        assert_eq!(ran.stdout, "");
    }
    let workbench = Workbench::with_example();
    workbench.run(["grade", "--submission", "missing.jsonl", "--output-dir", "out"]).ends_with(3);
    assert!(!workbench.path("out").exists());
}

#[test]
fn places_that_cannot_be_written_are_said_before_anything_is_graded() {
    let workbench = Workbench::with_example();
    workbench.write(
        "runs.jsonl",
        "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n",
    );
    workbench.write("out", "a file");
    let ran =
        workbench.run(["grade", "--submission", "runs.jsonl", "--output-dir", "out"]).ends_with(6);
    assert!(ran.stderr.contains("could not write out"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(workbench.path("out")).unwrap(), "a file");

    let arguments =
        ["grade-sample", "submission.csv", "example", "--receipt", "no/such/folder/receipt.json"];
    let ran = workbench.run(arguments).ends_with(6);
    assert!(ran.stderr.contains("no/such/folder/receipt.json"), "{}", ran.stderr);
}

#[test]
fn command_lines_that_make_no_sense_end_with_two() {
    let workbench = Workbench::with_example();
    for arguments in [
        vec![],
        vec!["grad"],
        vec!["grade-sample", "submission.csv"],
        vec!["grade", "--submission", "runs.jsonl"],
        vec!["grade-sample", "submission.csv", "example", "--memory", "lots"],
        vec!["grade-sample", "submission.csv", "example", "--wall-clock", "0"],
        vec!["list", "--split", "huge"],
        vec!["--competitions", "no/such/folder", "list"],
        vec!["--graders", "submission.csv", "list"],
    ] {
        let ran = workbench.run(arguments.iter().copied()).ends_with(2);
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    let ran = workbench.run(["grad"]).ends_with(2);
    assert!(ran.stderr.contains("grade"), "{}", ran.stderr);
}

#[test]
fn a_broken_competition_names_file_and_key() {
    let workbench = Workbench::with_example();
    let definition =
        fs::read_to_string(workbench.path("competitions/example/competition.toml")).unwrap();
    workbench.write(
        "competitions/example/competition.toml",
        definition.replace("direction", "driection"),
    );
    for command in [vec!["show", "example"], vec!["grade-sample", "submission.csv", "example"]] {
        let ran = workbench.run(command).ends_with(2);
        for word in ["competition.toml", "driection", "did you mean `direction`"] {
            assert!(ran.stderr.contains(word), "{}", ran.stderr);
        }
    }
}
