//! What people do wrong, and what they are told: a clear error on stderr, the right exit code, nothing half-written.

use std::fs;
use std::time::Duration;

use podium_tests::artifacts;
use podium_tests::workbench::{EXAMPLE_GRADE, Ran, Workbench, example_grader};
use serde_json::Value;

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
    let http = example_grader(&[(
        "(component\n",
        "(component (import \"wasi:http/outgoing-handler@0.2.0\" (instance))\n",
    )]);
    let other_version = example_grader(&[("@1.0.0", "@2.0.0")]);
    let whole = example_grader(&[]);
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("empty", Vec::new(), &["empty"]),
        ("not WebAssembly", b"#!/bin/sh\nexit 0\n".to_vec(), &["not WebAssembly"]),
        ("compressed", b"\x1f\x8b\x08\0".to_vec(), &["gzip"]),
        ("a core module", wat("(module)"), &["core WebAssembly module"]),
        ("another world", wat("(component)"), &["podium:grading/grader"]),
        ("the web", http, &["no grader gets", "wasi:http/outgoing-handler@0.2.0"]),
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
    let ran = workbench.run(arguments).ends_with(3);
    assert!(ran.stderr.contains("missing.wasm"), "{}", ran.stderr);
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
        vec!["grade-sample", "submission.csv", "example", "--fuel", "0"],
        vec!["grade-sample", "submission.csv", "example", "--memory", "99TiB"],
        vec!["grade-sample", "submission.csv", "example", "--max-input", "0"],
        // What it takes to find a submission valid is not for whoever validates to probe.
        vec!["validate", "submission.csv", "example", "--fuel", "1000"],
        vec!["validate", "submission.csv", "example", "--memory", "1MiB"],
        vec!["validate", "submission.csv", "example", "--wall-clock", "1s"],
        vec!["validate", "submission.csv", "example", "--max-input", "1GiB"],
        vec!["list", "--split", "huge"],
    ] {
        let ran = workbench.run(arguments.iter().copied()).ends_with(2);
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    let ran = workbench.run(["grad"]).ends_with(2);
    assert!(ran.stderr.contains("grade"), "{}", ran.stderr);
    let arguments = ["grade-sample", "submission.csv", "example", "--memory", "99TiB"];
    let ran = workbench.run(arguments).ends_with(2);
    assert!(ran.stderr.contains("between 64 KiB and 4 GiB"), "{}", ran.stderr);
}

#[test]
fn folders_that_flags_name_have_to_be_there() {
    let workbench = Workbench::with_example();
    for flag in ["--competitions", "--graders"] {
        for (folder, code, word) in
            [("no/such/folder", 3, "does not exist"), ("submission.csv", 6, "is no folder")]
        {
            for command in ["list", "doctor"] {
                let ran = workbench.run([flag, folder, command]).ends_with(code);
                assert!(ran.stderr.contains(flag) && ran.stderr.contains(word), "{}", ran.stderr);
                assert_eq!(ran.stdout, "");
                let error = workbench.run([flag, folder, command, "--json"]).ends_with(code).json();
                assert_eq!(error["error"]["exit_code"], code, "{error}");
            }
        }
    }
    // A cache that cannot be used is no reason not to grade, but whoever named it wants to know.
    let arguments = ["grade-sample", "submission.csv", "example", "--cache-dir", "submission.csv"];
    let ran = workbench.run(arguments).ends_with(0);
    assert!(ran.stderr.contains("warning: compiled graders are not kept"), "{}", ran.stderr);
}

/// The program with a watchdog: what waits for ever fails the test instead of hanging it.
fn run_watched(workbench: &Workbench, arguments: &[&str]) -> Ran {
    let mut command = workbench.podium(arguments.iter().copied());
    Ran::of(command.timeout(Duration::from_secs(120)))
}

/// What is wrong with a file that a command names.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wrong {
    Missing,
    Folder,
    Pipe,
    Content,
}

/// Puts something wrong at a path.
#[cfg(unix)]
fn spoil(workbench: &Workbench, path: &str, wrong: Wrong) {
    let whole = workbench.path(path);
    match fs::metadata(&whole) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir(&whole).unwrap(),
        Ok(_) => fs::remove_file(&whole).unwrap(),
        Err(_) => {}
    }
    match wrong {
        Wrong::Missing => {}
        Wrong::Folder => fs::create_dir(&whole).unwrap(),
        Wrong::Pipe => {
            assert!(std::process::Command::new("mkfifo").arg(&whole).status().unwrap().success());
        }
        Wrong::Content => drop(workbench.write(path, "id,valu\n\u{1b}[31m{{{")),
    }
}

/// The table of docs/command-line.md: what is wrong with which file, and the code that every command ends with. Each
/// failure is one JSON value on stdout where JSON is asked for, with the same code in it.
#[cfg(unix)]
#[test]
fn every_command_ends_with_the_code_of_the_table() {
    type Commands<'a> = &'a [&'a [&'a str]];
    // The row of the table, the file, the commands that need it, the codes: missing, unreadable, not understood.
    let rows: [(&str, &str, Commands, [i32; 3]); 7] = [
        (
            "a submission",
            "spoilt.csv",
            &[&["grade-sample", "spoilt.csv", "example"], &["validate", "spoilt.csv", "example"]],
            [1, 1, 1],
        ),
        (
            "a list of submissions",
            "spoilt.jsonl",
            &[&["grade", "--submission", "spoilt.jsonl", "--output-dir", "out"]],
            [3, 6, 2],
        ),
        (
            "a competition",
            "competitions/example/competition.toml",
            &[
                &["show", "example"],
                &["grade-sample", "submission.csv", "example"],
                &["validate", "submission.csv", "example"],
                &["grade", "--submission", "runs.jsonl", "--output-dir", "out"],
            ],
            [3, 6, 2],
        ),
        (
            "the answers",
            "data/example/prepared/private/answers.csv",
            &[
                &["grade-sample", "submission.csv", "example"],
                &["validate", "submission.csv", "example"],
                &["grade", "--submission", "runs.jsonl", "--output-dir", "out"],
            ],
            [3, 6, 4],
        ),
        (
            "a grader",
            "spoilt.wasm",
            &[
                &["grade-sample", "submission.csv", "example", "--grader", "spoilt.wasm"],
                &["validate", "submission.csv", "example", "--grader", "spoilt.wasm"],
                &["inspect", "spoilt.wasm"],
                &["verify", "receipt.json", "--grader", "spoilt.wasm"],
            ],
            [3, 6, 4],
        ),
        ("a receipt", "spoilt.json", &[&["verify", "spoilt.json"]], [3, 6, 5]),
        (
            "the trust policy",
            "spoilt.toml",
            &[
                &["grade-sample", "submission.csv", "example", "--trust", "spoilt.toml"],
                &["validate", "submission.csv", "example", "--trust", "spoilt.toml"],
                &["verify", "receipt.json", "--trust", "spoilt.toml"],
                &["show", "example", "--trust", "spoilt.toml"],
            ],
            [2, 2, 2],
        ),
    ];
    let documented = fs::read_to_string(artifacts::root().join("docs/command-line.md")).unwrap();
    let columns = [(Wrong::Missing, 0), (Wrong::Folder, 1), (Wrong::Pipe, 1), (Wrong::Content, 2)];
    for (row, file, commands, codes) in rows {
        let [missing, unreadable, refused] = codes;
        let line = format!("| {row} | {missing} | {unreadable} | {refused} |");
        assert!(documented.contains(&line), "docs/command-line.md has no line `{line}`");
        for (wrong, column) in columns {
            // A folder is searched for receipts.
            if row == "a receipt" && wrong == Wrong::Folder {
                continue;
            }
            let workbench = Workbench::with_example();
            let arguments =
                ["grade-sample", "submission.csv", "example", "--receipt", "receipt.json"];
            workbench.run(arguments).ends_with(0);
            workbench.write(
                "runs.jsonl",
                "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n",
            );
            if wrong == Wrong::Content && matches!(row, "a submission" | "the answers") {
                // What the content means is the grader's to say; this one refuses everything.
                let whose = if row == "a submission" {
                    r#""\00\00\00\00" "\8c"#
                } else {
                    r#""\01\00\00\00" "\8c"#
                };
                let refusing = example_grader(&[
                    (EXAMPLE_GRADE, "(i32.const 64)"),
                    (r#""\00\00\00\00" "\8c"#, whose),
                ]);
                workbench.write("graders/example.wasm", refusing);
            }
            spoil(&workbench, file, wrong);
            for &command in commands {
                let what = format!("{command:?} with {file}: {wrong:?}");
                let code = codes[column];
                let ran = run_watched(&workbench, command);
                assert_eq!(ran.code, code, "{what}: {ran:?}");
                let said = [ran.stdout.as_str(), &ran.stderr].concat();
                assert!(!said.contains('\u{1b}'), "{what}: {ran:?}");
                match wrong {
                    Wrong::Folder => assert!(said.contains("a folder"), "{what}: {ran:?}"),
                    Wrong::Pipe => assert!(said.contains("a pipe"), "{what}: {ran:?}"),
                    Wrong::Missing | Wrong::Content => {}
                }
                let ran = run_watched(&workbench, &[command, &["--json"]].concat());
                assert_eq!(ran.code, code, "{what}: {ran:?}");
                let json = ran.json();
                // `verify` gives a list with a value for each receipt.
                let error = json.get(0).unwrap_or(&json)["error"].clone();
                assert_eq!(error["exit_code"], code, "{what}: {json}");
                for key in ["kind", "message"] {
                    assert!(
                        error[key].as_str().is_some_and(|text| !text.is_empty()),
                        "{what}: {json}"
                    );
                }
                assert!(error["hints"].is_array(), "{what}: {json}");
            }
        }
    }
}

#[test]
fn command_lines_that_make_no_sense_are_said_in_json_as_well() {
    let workbench = Workbench::with_example();
    for (arguments, words) in [
        (vec!["grad", "--json"], ["grad", "grade"]),
        (vec!["--json"], ["COMMAND", "podium --help"]),
        (vec!["grade-sample", "submission.csv", "--json"], ["COMPETITION", "podium --help"]),
        (
            vec!["grade-sample", "submission.csv", "example", "--json", "--fuel", "0"],
            ["out of range", "between 1 unit of fuel"],
        ),
    ] {
        let ran = workbench.run(arguments.iter().copied()).ends_with(2);
        let error = ran.json()["error"].clone();
        assert_eq!((&error["kind"], &error["exit_code"]), (&"usage".into(), &2.into()), "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "{arguments:?}: {error}");
        }
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
    for arguments in [["--help", "--json"], ["--version", "--json"]] {
        let ran = workbench.run(arguments).ends_with(0);
        assert!(ran.stdout.contains("podium"), "{}", ran.stdout);
    }
    workbench.write("competitions/broken/competition.toml", "id = 3\n");
    let listed = workbench.run(["list", "--json"]).ends_with(2).json();
    assert_eq!(listed[0]["id"], "example");
    assert!(listed[1]["error"]["message"].as_str().unwrap().contains("broken"), "{listed}");
}

#[test]
fn files_of_another_kind_are_recognised_beside_the_graders_message() {
    let workbench = with_spaceship_titanic();
    let zip = [b"PK\x03\x04".as_slice(), &[0; 26], b"[Content_Types].xml"].concat();
    let without_header = GOOD.split_once('\n').unwrap().1;
    for (what, content, hint) in [
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x0b\x48".to_vec(), "gzip-compressed"),
        ("Excel", zip, "Excel workbook"),
        ("Parquet", b"PAR1\x15\x04\x15\x10".to_vec(), "Parquet"),
        ("semicolons", GOOD.replace(',', ";").into_bytes(), "a semicolon seems to separate"),
        ("tabs", GOOD.replace(',', "\t").into_bytes(), "a tab seems to separate"),
        ("no header", without_header.as_bytes().to_vec(), "is the header row missing?"),
    ] {
        workbench.write("submission.csv", content);
        let arguments = ["grade-sample", "submission.csv", "spaceship-titanic", "--json"];
        let ran = workbench.run(arguments).ends_with(1);
        let report = ran.json();
        assert!(
            report["hint"].as_str().is_some_and(|text| text.contains(hint)),
            "{what}: {report}"
        );
        assert!(!report["message"].as_str().unwrap().contains(hint), "{what}: {report}");
        assert!(report["receipt_id"].is_string(), "{what}: {report}");
        assert!(
            ran.stderr.contains(&format!("hint: {}", report["hint"].as_str().unwrap())),
            "{what}: {}",
            ran.stderr
        );
        let ran = workbench.run(["validate", "submission.csv", "spaceship-titanic"]).ends_with(1);
        assert!(ran.stderr.contains(hint), "{what}: {}", ran.stderr);
    }
    // What is wrong otherwise gets no hint.
    workbench.write("submission.csv", GOOD.replace("0013_01", "9999_01"));
    let arguments = ["grade-sample", "submission.csv", "spaceship-titanic", "--json"];
    assert_eq!(workbench.run(arguments).ends_with(1).json()["hint"], Value::Null);
    // Another name does not make a CSV of an archive.
    workbench.write("submission.csv.gz", b"\x1f\x8b\x08\0");
    let ran =
        workbench.run(["grade-sample", "submission.csv.gz", "spaceship-titanic"]).ends_with(1);
    assert!(ran.stderr.contains("gzip-compressed"), "{}", ran.stderr);
}

#[test]
fn a_limit_that_was_reached_names_the_flag_that_raises_it() {
    let looping = example_grader(&[(EXAMPLE_GRADE, "(loop $on (br $on)) (unreachable)")]);
    let growing = example_grader(&[(
        EXAMPLE_GRADE,
        "(if (i32.eq (memory.grow (i32.const 100)) (i32.const -1)) (then (unreachable))) (i32.const 40)",
    )]);
    for (what, grader, arguments, code, flag) in [
        ("fuel", Some(&looping), ["--fuel", "1M"], 4, "--fuel"),
        ("memory", Some(&growing), ["--memory", "1MiB"], 4, "--memory"),
        ("time", Some(&looping), ["--wall-clock", "1s"], 4, "--wall-clock"),
        ("a large submission", None, ["--max-input", "5"], 1, "--max-input"),
        ("large answers", None, ["--max-input", "16"], 4, "--max-input"),
    ] {
        let workbench = Workbench::with_example();
        workbench.write("data/example/prepared/private/answers.csv", "id,value\n1,1\n2,1\n");
        if let Some(grader) = grader {
            workbench.write("graders/example.wasm", grader);
        }
        let [limit, value] = arguments;
        let ran = workbench
            .run(["grade-sample", "submission.csv", "example", "--json", limit, value])
            .ends_with(code);
        let hints = ran.json()["error"]["hints"].to_string();
        assert!(hints.contains(flag) && hints.contains("[limits]"), "{what}: {hints}");
        assert!(ran.stderr.contains(&format!("hint: {flag} raises")), "{what}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn links_are_refused_with_what_is_true_of_them() {
    use std::os::unix::fs::symlink;

    let workbench = Workbench::with_example();
    workbench.write("run/real.csv", "id,value\n1,0.5\n");
    symlink(workbench.path("run/real.csv"), workbench.path("run/absolute.csv")).unwrap();
    symlink("../submission.csv", workbench.path("run/out.csv")).unwrap();
    symlink("itself.csv", workbench.path("run/itself.csv")).unwrap();
    symlink("nowhere.csv", workbench.path("run/dangling.csv")).unwrap();
    for (path, words, not) in [
        ("run/absolute.csv", "an absolute target", "leads out"),
        ("run/out.csv", "leads out of its folder", "absolute"),
        ("run/itself.csv", "leads back to itself", "leads out"),
        ("run/dangling.csv", "no such file", "leads out"),
    ] {
        let ran = workbench.run(["grade-sample", path, "example"]).ends_with(1);
        assert!(ran.stderr.contains(words), "{path}: {}", ran.stderr);
        assert!(!ran.stderr.contains(not), "{path}: {}", ran.stderr);
    }
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
