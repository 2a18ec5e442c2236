//! `podium verify` and the receipts that `grade-sample` and `grade` write.

use std::fs;
use std::io::{Cursor, Write};

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

#[test]
fn an_archive_is_verified_whatever_it_is_packed_as_and_submissions_are_found_by_their_bytes() {
    let workbench = with_receipt();
    let receipt = fs::read(workbench.path("receipt.json")).unwrap();
    workbench.write("runs/proofs/1.receipt.json", &receipt);
    workbench.write("runs/g/example_1/submission/submission.csv", "id,value\n1,0.5\n");
    workbench.write("runs/g/example_2/submission/submission.csv", "id,value\n1,0.9\n");
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("runs", workbench.path("runs")).unwrap();
    let tar = tar.into_inner().unwrap();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["runs/proofs/1.receipt.json", "runs/g/example_1/submission/submission.csv"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(workbench.path(name)).unwrap()).unwrap();
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&tar).unwrap();
    workbench.write("runs.tar", &tar);
    workbench.write("runs.tar.gz", gzip.finish().unwrap());
    workbench.write("runs.tar.zst", zstd::encode_all(&*tar, 1).unwrap());
    workbench.write("runs.zip", zip.finish().unwrap().into_inner());
    fs::remove_file(workbench.path("submission.csv")).unwrap();
    for archive in ["runs", "runs.tar", "runs.tar.gz", "runs.tar.zst", "runs.zip"] {
        let ran = workbench.run(["verify", archive]).ends_with(0);
        assert!(ran.stdout.contains("1.receipt.json: identical"), "{archive}: {}", ran.stdout);
        let json = workbench.run(["verify", archive, "--json"]).ends_with(0).json();
        assert!(json[0]["receipt"].as_str().unwrap().starts_with(archive), "{archive}");
        assert_eq!(json[0]["entry"].is_string(), archive != "runs", "{archive}");
    }
    // Without the submission nothing is graded; of an archive that is cut off, that is said.
    workbench.write("cut.tar", &tar[..tar.len() - 1_024]);
    let ran = workbench.run(["verify", "cut.tar"]).ends_with(6);
    assert!(ran.stderr.contains("cut off"), "{}", ran.stderr);
    fs::remove_dir_all(workbench.path("runs/g/example_1")).unwrap();
    workbench.run(["verify", "runs"]).ends_with(3);
    let mut without = tar::Builder::new(Vec::new());
    without.append_dir_all("runs", workbench.path("runs")).unwrap();
    workbench.write("without.tar", without.into_inner().unwrap());
    let ran = workbench.run(["verify", "without.tar"]).ends_with(3);
    assert!(ran.stdout.contains("no file of the archive has the bytes"), "{}", ran.stdout);
    workbench.write("none.tar", tar_of_nothing());
    workbench.run(["verify", "none.tar"]).ends_with(3);
}

fn tar_of_nothing() -> Vec<u8> {
    vec![0; 1_024]
}

#[test]
fn the_receipts_of_a_set_are_verified_with_the_submissions_of_its_archive() {
    let workbench = Workbench::with_example();
    for (run, content) in [("example_1", "id,value\n1,0.5\n"), ("example_2", "id,value\n1,0.9\n")] {
        workbench.write(format!("runs/g/{run}/submission/submission.csv"), content);
    }
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("runs", workbench.path("runs")).unwrap();
    workbench.write("runs.tar", tar.into_inner().unwrap());
    for archive in ["runs", "runs.tar"] {
        let printed = workbench.run(["regrade", archive, "--json"]).ends_with(5).json();
        let set = printed["archives"][0]["set"].as_str().unwrap().to_owned();
        for path in [set.clone(), format!("{set}/receipts")] {
            let ran = workbench.run(["verify", &path]).ends_with(0);
            assert!(ran.stdout.contains("2 receipts: 2 identical"), "{path}: {}", ran.stdout);
        }
        let one = workbench.files(format!("{set}/receipts")).remove(0);
        workbench.run(["verify", &format!("{set}/receipts/{one}")]).ends_with(0);
    }
    // A set that lies elsewhere is of the archive that it was made for, if one made it oneself.
    workbench.run(["regrade", "runs.tar", "--set", "elsewhere"]).ends_with(5);
    workbench.run(["verify", "elsewhere"]).ends_with(0);
    let set = fs::read_to_string(workbench.path("elsewhere/set.json")).unwrap();
    workbench.write("elsewhere/set.json", set.replace("runs.tar", "runs"));
    workbench.run(["verify", "elsewhere"]).ends_with(3);
    fs::remove_dir_all(workbench.path("elsewhere")).unwrap();
    // With the sets of an archive that is a folder.
    let ran = workbench.run(["verify", "runs"]).ends_with(0);
    assert!(ran.stdout.contains("2 receipts: 2 identical"), "{}", ran.stdout);
}

#[test]
fn a_file_of_several_receipts_is_one_whatever_it_is_called() {
    let workbench = with_receipt();
    let receipt = fs::read_to_string(workbench.path("receipt.json")).unwrap();
    let line = serde_json::from_str::<Value>(&receipt).unwrap().to_string();
    for name in ["two.receipt.json", "two.jsonl", "two.txt", "two"] {
        for text in [format!("{line}\n{line}\n"), format!("{receipt}{receipt}")] {
            if name == "two.jsonl" && text.starts_with("{\n") {
                continue;
            }
            workbench.write(name, text);
            let ran = workbench.run(["verify", name]).ends_with(0);
            assert!(ran.stdout.contains("2 receipts: 2 identical"), "{name}: {}", ran.stdout);
        }
    }
}

#[test]
fn one_archive_without_receipts_silences_no_other() {
    let workbench = with_receipt();
    workbench.write("none.tar", tar_of_nothing());
    fs::create_dir(workbench.path("empty")).unwrap();
    let ran = workbench.run(["verify", "none.tar", "receipt.json", "empty"]).ends_with(3);
    for part in
        ["none.tar: not-checked: there are no receipts", "receipt.json: identical", "empty: not"]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let verified =
        workbench.run(["verify", "none.tar", "receipt.json", "--json"]).ends_with(3).json();
    assert_eq!(
        (&verified[0]["receipt"], &verified[1]["result"]),
        (&"none.tar".into(), &"identical".into())
    );
    assert_eq!(verified[0]["error"]["exit_code"], 3);
}

#[test]
fn what_an_archive_that_is_cut_off_does_not_hold_may_lie_in_the_rest() {
    let workbench = Workbench::with_example();
    workbench.write("runs/g/example_1/submission/submission.csv", "id,value\n1,0.5\n");
    workbench.write("runs/g/example_2/submission/submission.csv", "id,value\n1,0.25\n");
    let mut tar = tar::Builder::new(Vec::new());
    for run in ["example_1", "example_2"] {
        let name = format!("g/{run}/submission/submission.csv");
        tar.append_path_with_name(workbench.path(format!("runs/{name}")), &name).unwrap();
    }
    let whole = tar.into_inner().unwrap();
    workbench.write("runs.tar", &whole);
    let printed = workbench.run(["regrade", "runs.tar", "--json"]).ends_with(5).json();
    let set = printed["archives"][0]["set"].as_str().unwrap().to_owned();
    workbench.run(["verify", &set]).ends_with(0);
    // Within the header of the second one.
    workbench.write("runs.tar", &whole[..1_024 + 100]);
    let ran = workbench.run(["verify", &set]).ends_with(6);
    for part in ["1 identical", "as far as that could be read", "cut off"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    // Without any receipt in what is left of it.
    let ran = workbench.run(["verify", "runs.tar"]).ends_with(6);
    assert!(ran.stdout.contains("no receipts in what could be read"), "{}", ran.stdout);
}

#[test]
fn what_is_damaged_spoils_no_receipt_before_or_after_it() {
    let workbench = with_receipt();
    let receipt = fs::read_to_string(workbench.path("receipt.json")).unwrap();
    let mut cut = receipt.as_bytes()[..receipt.len() / 2].to_vec();
    cut.push(0xc3);
    let tail = [receipt.as_bytes(), b"\n", &cut].concat();
    let middle = [receipt.as_bytes(), b"\n", &cut, b"\n", receipt.as_bytes()].concat();
    for name in ["r.jsonl", "r.receipt.json", "receipts.jsonl", "r"] {
        for (content, summary) in [
            (&tail, "2 receipts: 1 identical, 1 not-checked"),
            (&middle, "3 receipts: 2 identical, 1 not-checked"),
        ] {
            workbench.write(name, content);
            let ran = workbench.run(["verify", name]).ends_with(5);
            assert!(ran.stdout.contains(summary), "{name}: {}", ran.stdout);
        }
    }
    // What is no text at all is one file, and not many damaged receipts.
    workbench.write("r", [0xff, b'\n', 0xfe, b'\n', 0xfd]);
    let verified = workbench.run(["verify", "r", "--json"]).json();
    assert_eq!(verified.as_array().unwrap().len(), 1);
}
