//! `podium list`, `show`, `inspect`, `doctor`, `completions` and the help.

use std::fs;

use podium_tests::artifacts;
use podium_tests::workbench::{Ran, Workbench, example_grader};
use serde_json::Value;

/// A workbench over the built-in competitions.
fn run_over_built_in<'a>(
    workbench: &Workbench,
    arguments: impl IntoIterator<Item = &'a str>,
) -> Ran {
    Ran::of(workbench.podium(arguments).env("PODIUM_COMPETITIONS", artifacts::competitions()))
}

#[test]
fn all_built_in_competitions_are_listed() {
    let workbench = Workbench::new();
    let list = |arguments: &[&str]| {
        let ran =
            run_over_built_in(&workbench, ["list", "--json"].iter().chain(arguments).copied())
                .ends_with(0);
        ran.json().as_array().unwrap().clone()
    };
    assert_eq!(list(&[]).len(), 82);
    for (split, count) in
        [("low", 22), ("lite", 22), ("medium", 38), ("high", 15), ("development", 7), ("all75", 75)]
    {
        assert_eq!(list(&["--split", split]).len(), count, "{split}");
    }
    assert_eq!(list(&["--ready"]).len(), 0);
    let tabular = list(&["--category", "tabular"]);
    assert!(
        tabular.len() > 3 && tabular.iter().all(|competition| competition["category"] == "Tabular")
    );

    let ran = run_over_built_in(&workbench, ["list"]).ends_with(0);
    assert!(
        ran.stdout.contains("spaceship-titanic") && ran.stdout.contains("82 competitions"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_variable_that_is_set_to_nothing_is_not_set() {
    let workbench = Workbench::with_example();
    for name in ["PODIUM_DATA", "PODIUM_CACHE"] {
        Ran::of(workbench.podium(["list"]).env(name, "")).ends_with(0);
    }
    // A cache that a variable names can be done without.
    let folder = workbench.path("named-cache");
    let grading = ["grade-sample", "submission.csv", "example", "--no-cache"];
    Ran::of(workbench.podium(grading).env("PODIUM_CACHE", &folder)).ends_with(0);
    assert!(!folder.exists());
}

#[test]
fn list_says_what_can_be_graded_here() {
    let workbench = Workbench::with_example();
    let listed = workbench.run(["list", "--ready", "--json"]).ends_with(0).json();
    assert_eq!(listed[0]["id"], "example");
    assert_eq!(listed[0]["data_prepared"], true);
    assert!(listed[0]["grader"].as_str().unwrap().ends_with("graders/example.wasm"));
    fs::remove_file(workbench.path("graders/example.wasm")).unwrap();
    assert_eq!(
        workbench.run(["list", "--ready", "--json"]).ends_with(0).json(),
        Value::Array(Vec::new())
    );
}

#[test]
fn a_broken_folder_is_named_and_the_rest_is_listed() {
    let workbench = Workbench::with_example();
    workbench.write("competitions/broken/competition.toml", "id = 3\n");
    workbench.write("competitions/no-competition/notes.txt", "hello\n");
    let ran = workbench.run(["list"]).ends_with(2);
    assert!(ran.stdout.contains("example"), "{}", ran.stdout);
    assert!(ran.stderr.contains("broken"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("no-competition"), "{}", ran.stderr);
}

#[test]
fn nothing_to_list_says_where_it_was_looked_for() {
    let workbench = Workbench::new();
    let ran = workbench.run(["list"]).ends_with(3);
    assert!(ran.stderr.contains("--competitions"), "{}", ran.stderr);
}

#[test]
fn every_built_in_competition_can_be_shown() {
    let workbench = Workbench::new();
    let listed = run_over_built_in(&workbench, ["list", "--json"]).ends_with(0).json();
    for competition in listed.as_array().unwrap() {
        let id = competition["id"].as_str().unwrap();
        let shown = run_over_built_in(&workbench, ["show", id, "--json"]).ends_with(0).json();
        assert_eq!(shown["definition"]["id"], id);
        assert!(shown["description"].as_str().unwrap().starts_with("# "), "{id}");
        assert!(shown["thresholds"]["gold"].is_number(), "{id}");
    }
}

#[test]
fn show_prints_description_and_facts() {
    let workbench = Workbench::with_example();
    let ran = workbench.run(["show", "example"]).ends_with(0);
    for part in [
        "# An Example",
        "gold 0.9",
        "answers.csv",
        "leak: the sample submission",
        "units of fuel",
        "example.wasm",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    workbench.write("competitions/example/description.md", "# Steer\u{1b}[2J\u{7}\n");
    let ran = workbench.run(["show", "example"]).ends_with(0);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{7}'), "{:?}", ran.stdout);
}

#[test]
fn inspect_says_what_a_grader_is() {
    let workbench = Workbench::with_example();
    let ran = workbench.run(["inspect", "graders/example.wasm"]).ends_with(0);
    for part in [
        "sealed       yes",
        "podium:grading 1.0.0",
        "podium:grading/files@1.0.0",
        "example",
        "higher",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let inspected =
        workbench.run(["inspect", "graders/example.wasm", "--json"]).ends_with(0).json();
    assert_eq!(inspected["sealed"], true);
    assert_eq!(inspected["description"]["competition"], "example");
    assert_eq!(inspected["problems"], Value::Array(Vec::new()));

    for (import, code) in [("wasi:clocks/wall-clock@0.2.0", 0), ("wasi:keyvalue/store@0.2.0", 4)] {
        let imports = format!("(component (import \"{import}\" (instance))\n");
        workbench.write("foreign.wasm", example_grader(&[("(component\n", &imports)]));
        let inspected = workbench.run(["inspect", "foreign.wasm", "--json"]).ends_with(code).json();
        assert_eq!(inspected["sealed"], false);
        let (place, list) = if code == 0 { ("wasi", 1) } else { ("problems", 0) };
        assert!(inspected[place][0].as_str().unwrap().contains(import), "{inspected}");
        assert_eq!(inspected["wasi"].as_array().unwrap().len(), list);
    }
}

#[test]
fn doctor_says_what_to_do() {
    let workbench = Workbench::with_example();
    let checks = |code: i32| {
        let ran = workbench.run(["doctor", "--grading-only", "--json"]).ends_with(code);
        ran.json().as_array().unwrap().clone()
    };
    let find = |checks: &[Value], name: &str| {
        checks
            .iter()
            .find(|check| check["name"] == name)
            .unwrap_or_else(|| panic!("{name}"))
            .clone()
    };
    for check in checks(0) {
        assert_eq!(check["state"], "ok", "{check}");
    }

    workbench.write("graders/example.wasm", "not a grader");
    let graders = find(&checks(3), "graders");
    assert_eq!(graders["state"], "problem", "{graders}");
    fs::remove_file(workbench.path("graders/example.wasm")).unwrap();
    let graders = find(&checks(3), "graders");
    assert!(graders["advice"].as_str().unwrap().contains("--graders"), "{graders}");

    workbench.write("graders/example.wasm", example_grader(&[]));
    fs::remove_dir_all(workbench.path("data")).unwrap();
    let data = find(&checks(3), "data");
    assert_eq!(data["state"], "problem");
    assert!(data["advice"].as_str().unwrap().contains("--data-dir"), "{data}");
}

#[test]
fn doctor_notices_a_grader_that_says_something_else_than_its_competition() {
    let direction = (r#""\78\00\00\00\04\00\00\00" "\00""#, r#""\78\00\00\00\04\00\00\00" "\01""#);
    for (what, replaced, state, part) in [
        (
            "another competition's",
            ("\"example\"", "\"elsewhe\""),
            "problem",
            "it grades `elsewhe`, not `example`",
        ),
        ("the other direction", direction, "problem", "lower is better"),
        (
            "another metric",
            ("\"none\"", "\"some\""),
            "warning",
            "its metric is `some`, competition.toml says `none`",
        ),
        ("all the same", ("\"none\"", "\"none\""), "ok", "1 grader in use here"),
    ] {
        let workbench = Workbench::with_example();
        // A third party's folder, whose data need not be prepared.
        fs::remove_file(workbench.path("graders/example.wasm")).unwrap();
        fs::remove_dir_all(workbench.path("data/example")).unwrap();
        workbench.write("competitions/example/grader.wasm", example_grader(&[replaced]));
        let ran = workbench.run(["doctor", "--grading-only", "--json"]).ends_with(3);
        let checks = ran.json();
        let check = checks.as_array().unwrap().iter().find(|check| check["name"] == "descriptions");
        let check = check.unwrap();
        assert_eq!(check["state"], state, "{what}: {check}");
        assert!(check["found"].as_str().unwrap().contains(part), "{what}: {check}");
    }
}

#[test]
fn doctor_does_not_take_a_missing_docker_for_a_problem() {
    let workbench = Workbench::with_example();
    let mut command = workbench.podium(["doctor"]);
    command.env("DOCKER_HOST", format!("unix://{}", workbench.path("no-docker.sock").display()));
    let ran = Ran::of(&mut command).ends_with(0);
    assert!(ran.stdout.contains("docker"), "{}", ran.stdout);
    assert!(ran.stdout.contains("warning"), "{}", ran.stdout);
}

#[test]
fn shells_get_their_completions() {
    let workbench = Workbench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = workbench.run(["completions", shell]).ends_with(0);
        assert!(ran.stdout.contains("grade-sample"), "{shell}");
    }
}

#[test]
fn the_help_explains_the_exit_codes() {
    let workbench = Workbench::new();
    let ran = workbench.run(["--help"]).ends_with(0);
    for part in ["Exit codes:", "130", "grade-sample", "PODIUM_DATA"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    for command in [
        "grade-sample",
        "grade",
        "validate",
        "verify",
        "list",
        "show",
        "inspect",
        "experiment",
        "leaderboard",
        "doctor",
        "completions",
    ] {
        let ran = workbench.run([command, "--help"]).ends_with(0);
        assert!(ran.stdout.contains("Usage: podium"), "{command}");
    }
    let version = workbench.run(["--version"]).ends_with(0);
    assert!(version.stdout.starts_with("podium "), "{}", version.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::Stdio;

    let workbench = Workbench::new();
    let program = workbench.podium(["list", "--json"]);
    let mut command = std::process::Command::new(program.get_program());
    command.args(program.get_args()).env_clear().env("HOME", workbench.path("home"));
    command.env("PODIUM_COMPETITIONS", artifacts::competitions());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !stderr.contains("panicked"), "{stderr}");
}
