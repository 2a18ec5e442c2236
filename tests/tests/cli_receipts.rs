//! `podium verify` and the receipts that `grade-sample` and `grade` write.

use std::fs;

use podium_tests::workbench::{EXAMPLE_GRADE, Ran, Workbench, example_grader};
use serde_json::Value;

/// A workbench with a receipt of the example's submission in `receipt.json`.
fn with_receipt() -> Workbench {
    let workbench = Workbench::with_example();
    let ran = workbench
        .run(["grade-sample", "submission.csv", "example", "--receipt", "receipt.json"])
        .ends_with(0);
    assert!(ran.stderr.contains("receipt.json"), "{}", ran.stderr);
    workbench
}

#[test]
fn a_receipt_holds_as_long_as_nothing_changes() {
    let workbench = with_receipt();
    let ran = workbench.run(["verify", "receipt.json"]).ends_with(0);
    assert_eq!(ran.stdout, "receipt.json: identical\n");
    let verified = workbench.run(["verify", "receipt.json", "--json"]).ends_with(0).json();
    assert_eq!(verified[0]["result"], "identical");

    // The submission may have moved, even under another name.
    fs::create_dir(workbench.path("archive")).unwrap();
    fs::rename(workbench.path("submission.csv"), workbench.path("archive/other.csv")).unwrap();
    let ran = workbench.run(["verify", "receipt.json"]).ends_with(3);
    assert!(ran.stdout.contains("submission.csv"), "{}", ran.stdout);
    assert!(ran.stdout.contains("hint: name it with --submission"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("receipt.json").count(), 1, "{}", ran.stdout);
    let ran = workbench.run(["verify", "no-such-receipt.json"]).ends_with(3);
    assert_eq!(ran.stdout.matches("no-such-receipt.json").count(), 1, "{}", ran.stdout);
    workbench.run(["verify", "receipt.json", "--submission", "archive/other.csv"]).ends_with(0);
}

#[test]
fn receipts_tell_nothing_of_paths_and_times() {
    let workbench = with_receipt();
    let first = fs::read_to_string(workbench.path("receipt.json")).unwrap();
    let other = with_receipt();
    assert_eq!(first, fs::read_to_string(other.path("receipt.json")).unwrap());
    for path in [workbench.path(""), other.path("")] {
        assert!(!first.contains(&*path.to_string_lossy()));
    }
}

#[test]
fn whatever_differs_is_named() {
    let cases: [(&str, fn(&Workbench), &str); 3] = [
        (
            "submission",
            |bench| drop(bench.write("submission.csv", "id,value\n1,0.6\n")),
            "inputs[0].sha256",
        ),
        (
            "answers",
            |bench| {
                drop(bench.write("data/example/prepared/private/answers.csv", "id,value\n1,0\n"))
            },
            "inputs[1].sha256",
        ),
        (
            "grader",
            |bench| {
                let quarter = example_grader(&[(r"\e0\3f", r"\d0\3f")]);
                drop(bench.write("graders/example.wasm", quarter));
            },
            "component.sha256",
        ),
    ];
    for (what, change, field) in cases {
        let workbench = with_receipt();
        change(&workbench);
        let ran = workbench.run(["verify", "receipt.json"]).ends_with(5);
        assert!(ran.stdout.contains(field), "{what}: {}", ran.stdout);
        let verified = workbench.run(["verify", "receipt.json", "--json"]).ends_with(5).json();
        assert_eq!(verified[0]["result"], "other-material", "{what}");
        assert_eq!(verified[0]["differences"][0]["field"], field, "{what}");
    }
}

#[test]
fn answers_that_are_not_there_are_told_from_those_that_cannot_be_read() {
    let answers = "data/example/prepared/private/answers.csv";
    let workbench = with_receipt();
    fs::remove_file(workbench.path(answers)).unwrap();
    let ran = workbench.run(["verify", "receipt.json"]).ends_with(3);
    assert!(ran.stdout.contains("hint: name the data folder with --data-dir"), "{}", ran.stdout);
    fs::create_dir(workbench.path(answers)).unwrap();
    let ran = workbench.run(["verify", "receipt.json"]).ends_with(6);
    assert!(ran.stdout.contains("this is a folder"), "{}", ran.stdout);
}

#[test]
fn an_old_grader_is_found_by_its_digest() {
    let workbench = with_receipt();
    let receipt: Value =
        serde_json::from_str(&fs::read_to_string(workbench.path("receipt.json")).unwrap()).unwrap();
    let sha256 = receipt["claim"]["component"]["sha256"].as_str().unwrap();
    fs::rename(
        workbench.path("graders/example.wasm"),
        workbench.path(format!("graders/{sha256}.wasm")),
    )
    .unwrap();
    workbench.write("graders/example.wasm", example_grader(&[(r"\e0\3f", r"\d0\3f")]));
    workbench.run(["verify", "receipt.json"]).ends_with(0);
}

#[test]
fn a_receipt_is_written_over_nothing_but_a_receipt() {
    let workbench = with_receipt();
    let submission = fs::read(workbench.path("submission.csv")).unwrap();
    for (file, code) in [("receipt.json", 0), ("submission.csv", 6)] {
        let arguments = ["grade-sample", "submission.csv", "example", "--receipt", file];
        workbench.run(arguments).ends_with(code);
    }
    assert_eq!(fs::read(workbench.path("submission.csv")).unwrap(), submission);
}

#[test]
fn a_forged_receipt_does_not_hold() {
    let workbench = with_receipt();
    let receipt = fs::read_to_string(workbench.path("receipt.json")).unwrap();

    // Changing the claim breaks the id.
    workbench.write("forged.json", receipt.replace("\"0.5\"", "\"0.9\""));
    let ran = workbench.run(["verify", "forged.json"]).ends_with(5);
    assert!(ran.stdout.contains("its claim was changed"), "{}", ran.stdout);

    for (name, content) in [("text.json", "hello"), ("other.json", "{}"), ("empty.json", "")] {
        workbench.write(name, content);
        workbench.run(["verify", name]).ends_with(5);
    }
    // A device may never end.
    workbench.run(["verify", "/dev/zero"]).ends_with(6);
    workbench.run(["verify", "no-such-receipt.json"]).ends_with(3);
}

#[test]
fn what_is_noted_beside_a_claim_and_is_not_so_is_said() {
    let workbench = with_receipt();
    let receipt = fs::read_to_string(workbench.path("receipt.json")).unwrap();
    let parsed: Value = serde_json::from_str(&receipt).unwrap();
    let fuel = parsed["made_by"]["fuel"].as_u64().unwrap();
    let edited =
        receipt.replace(&format!("\"fuel\": {fuel}\n"), &format!("\"fuel\": {}\n", fuel + 1));
    assert_ne!(edited, receipt);
    workbench.write("edited.json", &edited);
    // The claim is what decides, and it holds.
    let ran = workbench.run(["verify", "edited.json"]).ends_with(0);
    let said = format!("made_by.fuel: claimed {}, found {fuel}", fuel + 1);
    assert!(ran.stdout.contains("identical") && ran.stdout.contains(&said), "{}", ran.stdout);
    let verified = workbench.run(["verify", "edited.json", "--json"]).ends_with(0).json();
    assert_eq!(verified[0]["made_by"][0]["field"], "made_by.fuel");
    // Another version of the engine may need another amount.
    workbench.write("older.json", edited.replace("\"wasmtime\": \"", "\"wasmtime\": \"0."));
    let ran = workbench.run(["verify", "older.json"]).ends_with(0);
    assert_eq!(ran.stdout, "older.json: identical\n");
}

#[test]
fn a_limit_that_ended_a_grading_is_part_of_the_claim() {
    let workbench = Workbench::with_example();
    let looping = example_grader(&[(EXAMPLE_GRADE, "(loop $on (br $on)) (unreachable)")]);
    workbench.write("graders/example.wasm", looping);
    let arguments =
        ["grade-sample", "submission.csv", "example", "--fuel", "1M", "--receipt", "receipt.json"];
    workbench.run(arguments).ends_with(4);
    let receipt: Value =
        serde_json::from_str(&fs::read_to_string(workbench.path("receipt.json")).unwrap()).unwrap();
    let limit = &receipt["claim"]["outcome"]["limit"];
    assert_eq!(*limit, serde_json::json!({"name": "fuel", "value": 1_000_000}));
    workbench.run(["verify", "receipt.json"]).ends_with(0);
}

#[test]
fn one_receipt_that_does_not_hold_does_not_stop_the_rest() {
    let workbench = with_receipt();
    workbench.write("forged.json", "{}");
    let ran = workbench
        .run(["verify", "missing.json", "forged.json", "receipt.json", "--json"])
        .ends_with(5);
    let results: Vec<Value> =
        ran.json().as_array().unwrap().iter().map(|one| one["result"].clone()).collect();
    assert_eq!(results, ["not-checked", "not-checked", "identical"]);
}

#[test]
fn receipts_of_a_list_are_verified_by_the_report_beside_them() {
    let workbench = Workbench::with_example();
    workbench.write("runs/1/submission.csv", "id,value\n1,0.25\n");
    workbench.write(
        "runs.jsonl",
        "{\"competition_id\": \"example\", \"submission_path\": \"runs/1/submission.csv\"}\n",
    );
    workbench.run(["grade", "--submission", "runs.jsonl", "--output-dir", "out"]).ends_with(0);
    let receipts = workbench.files("out/receipts");
    let [receipt] = receipts.as_slice() else { panic!("{receipts:?}") };
    let path = format!("out/receipts/{receipt}");
    workbench.run(["verify", path.as_str()]).ends_with(0);

    // From another folder, the path in the report leads nowhere.
    let path = workbench.path(&path);
    let mut command = workbench.podium(["verify", path.to_str().unwrap()]);
    let ran = Ran::of(command.current_dir(workbench.path("home"))).ends_with(3);
    for part in
        ["not where the report says, at runs/1/submission.csv", "hint: name it with --submission"]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn what_cannot_be_proven_gets_no_receipt() {
    let workbench = Workbench::with_example();
    let ran = workbench
        .run(["grade-sample", "missing.csv", "example", "--receipt", "receipt.json"])
        .ends_with(1);
    assert!(ran.stderr.contains("no receipt"), "{}", ran.stderr);
    assert!(!workbench.path("receipt.json").exists());
}
