//! `podium grader`: what it makes builds, passes its own check, and what is wrong is told.

use std::fs;

use podium_tests::toolchain::Toolchain;
use podium_tests::workbench::{EXAMPLE_GRADE, Ran, Workbench, example_grader};
use serde_json::Value;

fn run(workbench: &Workbench, arguments: &[&str]) -> Ran {
    let mut command = workbench.podium(arguments.iter().copied());
    Ran::of(command.envs(Toolchain::environment()).env("PODIUM_CACHE", workbench.path("cache")))
}

/// The names of the checks that ended so.
fn checks(ran: &Ran, state: &str) -> Vec<String> {
    let checks = ran.json();
    let checks = checks.as_array().unwrap();
    let of_state = checks.iter().filter(|check| check["state"] == state);
    of_state.map(|check| check["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_made_in_python_is_graded_like_any_other() {
    made_is_graded(Toolchain::Python);
}

#[test]
fn what_is_made_in_c_is_graded_like_any_other() {
    made_is_graded(Toolchain::C);
}

/// A grader in C ends where there is no memory, and says that its sources are newer than it is.
#[test]
fn what_is_made_in_c_does_not_go_on_without_memory() {
    if !Toolchain::C.is_there() {
        return;
    }
    let workbench = Workbench::new();
    let into = ["--into", "competitions"];
    let new = ["grader", "new", "seals", "--language", "c"];
    run(&workbench, &[&new[..], &into[..]].concat()).ends_with(0);
    run(&workbench, &["grader", "build", "competitions/seals"]).ends_with(0);
    workbench.write("data/seals/prepared/private/answers.csv", "id,label\n1,cat\n2,dog\n");
    let long = format!("id,label\n1,{}\n2,cat\n", "x".repeat(3 << 20));
    workbench.write("submission.csv", long);
    let grade = ["grade-sample", "submission.csv", "seals", "--json", "--memory", "2MiB"];
    let ran = run(&workbench, &grade).ends_with(4);
    assert_eq!(ran.json()["failure"], "out-of-memory", "{}", ran.stdout);

    let source = "competitions/seals/grader/grader.c";
    let text = fs::read_to_string(workbench.path(source)).unwrap();
    workbench.write(source, text);
    let ran = run(&workbench, &["grader", "test", "competitions/seals"]).ends_with(0);
    assert!(ran.stderr.contains("grader.c was changed after"), "{}", ran.stderr);
    let ran = run(&workbench, &["grader", "check", "competitions/seals", "--json"]).ends_with(0);
    assert_eq!(checks(&ran, "warning"), ["sources"], "{}", ran.stdout);
}

/// A grader that does not end is tried once, under a limit that can be chosen.
#[test]
fn a_trial_stops_at_the_first_hang() {
    let workbench = Workbench::with_example();
    let loops = example_grader(&[(EXAMPLE_GRADE, "(loop $on (br $on)) (unreachable)")]);
    workbench.write("graders/example.wasm", loops);
    let example = "competitions/example/example";
    workbench.write(format!("{example}/answers.csv"), "id,value\n1,1\n2,2\n");
    for name in ["first", "second"] {
        workbench.write(format!("{example}/submissions/{name}.csv"), "id,value\n1,1\n2,2\n");
    }
    let earns = r#"{"outcome": "scored", "score": 0.5, "medal": "silver"}"#;
    let expected = format!("{{\"first\": {earns}, \"second\": {earns}}}");
    workbench.write(format!("{example}/expected.json"), expected);
    let component = workbench.path("graders/example.wasm");
    let check = ["grader", "check", component.to_str().unwrap(), "--json", "--fuel", "3M"];
    let ran = run(&workbench, &check).ends_with(4);
    assert_eq!(checks(&ran, "problem"), ["example"], "{}", ran.stdout);
    assert!(ran.stdout.contains("the fuel limit of 3000000"), "{}", ran.stdout);
    assert!(ran.stdout.contains("nothing more was graded"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("determinism"), "{}", ran.stdout);
    let test = ["grader", "test", "competitions/example", "--fuel", "3M"];
    let ran = run(&workbench, &test).ends_with(4);
    assert!(ran.stdout.contains("first") && !ran.stdout.contains("second"), "{}", ran.stdout);
    assert!(ran.stderr.contains("1 more submission of the example not graded"), "{}", ran.stderr);
}

/// What lies in a folder of components and is none is named.
#[test]
fn what_is_passed_over_is_said() {
    let workbench = Workbench::with_example();
    workbench.write("graders/notes.txt", "");
    workbench.write("graders/.hidden", "");
    let ran = run(&workbench, &["grader", "add", "graders"]).ends_with(0);
    assert!(ran.stderr.contains("passed over notes.txt, neither"), "{}", ran.stderr);
}

#[test]
fn a_component_that_is_not_there_is_missing() {
    let workbench = Workbench::new();
    run(&workbench, &["grader", "check", "missing.wasm"]).ends_with(3);
    workbench.write("text.wasm", "no component");
    run(&workbench, &["grader", "check", "text.wasm"]).ends_with(4);
}

fn made_is_graded(toolchain: Toolchain) {
    if !toolchain.is_there() {
        return;
    }
    let workbench = Workbench::new();
    let language = toolchain.language();
    let into = ["--into", "competitions"];
    let new = ["grader", "new", "seals", "--language", language];
    let made = run(&workbench, &[&new[..], &into[..]].concat()).ends_with(0);
    assert!(made.stdout.contains("podium grader build competitions/seals"), "{}", made.stdout);
    run(&workbench, &["grader", "build", "competitions/seals"]).ends_with(0);
    let tested = run(&workbench, &["grader", "test", "competitions/seals"]).ends_with(0);
    assert!(tested.stdout.contains("good: scored 0.75"), "{}", tested.stdout);
    let checked =
        run(&workbench, &["grader", "check", "competitions/seals", "--json"]).ends_with(0);
    assert_eq!(
        checks(&checked, "ok"),
        ["contract", "imports", "description", "example", "limits", "messages", "determinism"],
        "{}",
        checked.stdout
    );

    // On the search path it is a competition like any other.
    workbench.write("data/seals/prepared/private/answers.csv", "id,label\n1,cat\n2,dog\n");
    workbench.write("submission.csv", "id,label\n1,cat\n2,cat\n");
    let graded = run(&workbench, &["grade-sample", "submission.csv", "seals", "--json"]);
    assert_eq!(graded.ends_with(0).json()["score"], 0.5);
    let listed = run(&workbench, &["list"]).ends_with(0);
    assert!(listed.stdout.contains("seals"), "{}", listed.stdout);
}

#[test]
fn nothing_is_made_of_a_wrong_id_or_over_what_is_there() {
    let workbench = Workbench::new();
    // The last would end the text that it is written into, and go on with another.
    for (id, says) in [
        ("../seals", "no competition id"),
        ("", "never empty"),
        ("-x", "unexpected"),
        ("y\"\n#/../../esc", "no competition id"),
    ] {
        let ran = run(&workbench, &["grader", "new", id, "--language", "c"]).ends_with(2);
        assert!(ran.stderr.contains(says), "{id}: {}", ran.stderr);
    }
    workbench.write("seals/mine.txt", "mine");
    let ran = run(&workbench, &["grader", "new", "seals", "--language", "c"]).ends_with(2);
    assert!(ran.stderr.contains("is there already"), "{}", ran.stderr);
    assert_eq!(workbench.files("seals"), ["mine.txt"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", workbench.path("walrus")).unwrap();
        let ran = run(&workbench, &["grader", "new", "walrus", "--language", "c"]).ends_with(2);
        assert!(ran.stderr.contains("is there already"), "{}", ran.stderr);
    }
}

#[test]
fn a_missing_compiler_and_missing_sources_are_named() {
    let workbench = Workbench::new();
    let ran = run(&workbench, &["grader", "build", "."]).ends_with(3);
    assert!(ran.stderr.contains("competition.toml"), "{}", ran.stderr);
    for (language, says) in [
        ("rust", "rustup target add wasm32-unknown-unknown"),
        ("python", "pip install componentize-py"),
        ("c", "wasi-libc"),
    ] {
        run(&workbench, &["grader", "new", language, "--language", language]).ends_with(0);
        let mut command = workbench.podium(["grader", "build", language]);
        let ran = Ran::of(command.env("PATH", workbench.path("home"))).ends_with(3);
        assert!(ran.stderr.contains("cannot be started"), "{}", ran.stderr);
        assert!(ran.stderr.contains(says), "{language}: {}", ran.stderr);
    }
    fs::remove_file(workbench.path("c/grader/grader.c")).unwrap();
    let ran = run(&workbench, &["grader", "build", "c"]).ends_with(3);
    assert!(ran.stderr.contains("no Cargo.toml, grader.py or grader.c"), "{}", ran.stderr);
    fs::copy(workbench.path("rust/grader/Cargo.toml"), workbench.path("python/grader/Cargo.toml"))
        .unwrap();
    let ran = run(&workbench, &["grader", "build", "python"]).ends_with(2);
    assert!(ran.stderr.contains("several languages"), "{}", ran.stderr);
}

#[test]
fn sources_that_do_not_compile_end_with_the_compilers_words() {
    if !Toolchain::C.is_there() {
        return;
    }
    let workbench = Workbench::new();
    run(&workbench, &["grader", "new", "seals", "--language", "c"]).ends_with(0);
    workbench.write("seals/grader/grader.c", "int grade(void) { return nonsense; }\n");
    let ran = run(&workbench, &["grader", "build", "seals"]).ends_with(4);
    assert!(ran.stderr.contains("nonsense") && ran.stderr.contains("error: "), "{}", ran.stderr);
    // The compiler is there.
    assert!(!ran.stderr.contains("install"), "{}", ran.stderr);
    workbench.write("seals/grader/grader.c", "#include <no-such-part.h>\n");
    let ran = run(&workbench, &["grader", "build", "seals"]).ends_with(4);
    assert!(ran.stderr.contains("install clang"), "{}", ran.stderr);
    // One that does nothing made nothing.
    let mut command = workbench.podium(["grader", "build", "seals"]);
    let ran = Ran::of(command.env("PODIUM_CLANG", "/bin/true")).ends_with(4);
    assert!(ran.stderr.contains("made no grader"), "{}", ran.stderr);
    // It compiles, but is no grader.
    workbench.write("seals/grader/grader.c", "int grade(void) { return 1; }\n");
    let ran = run(&workbench, &["grader", "build", "seals"]).ends_with(4);
    assert!(ran.stderr.contains("grader"), "{}", ran.stderr);
    assert!(!workbench.path("seals/grader.wasm").exists());
}

/// A grader that gives everything one half is caught by each of the checks that it fails.
#[test]
fn a_grader_that_accepts_everything_does_not_pass() {
    let workbench = Workbench::with_example();
    let example = "competitions/example/example";
    workbench.write(format!("{example}/answers.csv"), "id,value\n1,1\n2,2\n");
    workbench.write(format!("{example}/submissions/good.csv"), "id,value\n1,1\n2,2\n");
    let expected = |score: &str| {
        format!(
            "{{\"good\": {{\"outcome\": \"scored\", \"score\": {score}, \"medal\": \"silver\"}}}}"
        )
    };
    workbench.write(format!("{example}/expected.json"), expected("0.5"));
    let component = workbench.path("graders/example.wasm");
    let check = ["grader", "check", component.to_str().unwrap(), "--json"];
    let ran = run(&workbench, &check).ends_with(4);
    assert_eq!(checks(&ran, "problem"), ["messages"; 3], "{}", ran.stdout);
    assert!(ran.stdout.contains("without its last column: accepted"), "{}", ran.stdout);

    // What an example expects is compared.
    run(&workbench, &["grader", "test", "competitions/example"]).ends_with(0);
    workbench.write(format!("{example}/expected.json"), expected("0.75"));
    let ran = run(&workbench, &["grader", "test", "competitions/example"]).ends_with(4);
    assert!(ran.stdout.contains("differs"), "{}", ran.stdout);
    let ran = run(&workbench, &["grader", "test", "competitions/example", "--json"]).ends_with(4);
    let difference = &ran.json()[0]["differences"][0];
    assert_eq!(difference, &Value::from("score 0.5 instead of 0.75"));
    let ran = run(&workbench, &check).ends_with(4);
    assert!(checks(&ran, "problem").contains(&"example".to_owned()), "{}", ran.stdout);

    // One that ranks the other way round, one for another competition, one that is none.
    for replaced in [
        (r#"\04\00\00\00" "\00")"#, r#"\04\00\00\00" "\01")"#),
        (r#"100) "example""#, r#"100) "elpmaxe""#),
    ] {
        workbench.write("graders/example.wasm", example_grader(&[replaced]));
        let folder = ["--competition", "competitions/example"];
        let ran = run(&workbench, &[&check[..], &folder[..]].concat()).ends_with(4);
        assert!(checks(&ran, "problem").contains(&"description".to_owned()), "{}", ran.stdout);
        // It was never run, so nothing is known of it.
        for unknown in ["limits", "determinism"] {
            assert!(checks(&ran, "warning").contains(&unknown.to_owned()), "{}", ran.stdout);
        }
    }
    workbench.write("graders/example.wasm", "(component)");
    let ran = run(&workbench, &check).ends_with(4);
    assert_eq!(checks(&ran, "problem"), ["component"], "{}", ran.stdout);
}
