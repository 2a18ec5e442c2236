//! The component store: `podium grader add`, `list`, `remove`, `pin`, `unpin`, and what grades because of it.

use std::fs;

use podium::Digest;
use podium_tests::workbench::{EXAMPLE_GRADE, Workbench, example_grader};
use serde_json::Value;

/// The example's grader with a quarter in the place of a half.
fn quarter() -> Vec<u8> {
    example_grader(&[(r"\e0\3f", r"\d0\3f")])
}

fn digest(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

/// A workbench whose store holds both graders, and whose graders' folder holds the half.
fn with_store() -> Workbench {
    let workbench = Workbench::with_example();
    workbench.write("quarter.wasm", quarter());
    workbench.run(["grader", "add", "graders", "quarter.wasm"]).ends_with(0);
    workbench
}

const STORE: &str = "home/.local/share/podium/store";

/// The report of the example's submission.
fn report(workbench: &Workbench) -> Value {
    workbench.run(["grade-sample", "submission.csv", "example", "--json"]).ends_with(0).json()
}

#[test]
fn what_is_added_is_kept_under_its_digest_and_adding_again_says_so() {
    let workbench = Workbench::with_example();
    let half = digest(&example_grader(&[]));
    let ran = workbench.run(["grader", "add", "graders/example.wasm"]).ends_with(0);
    assert!(
        ran.stdout.starts_with(&format!("sha256:{half} added: graders/example.wasm")),
        "{ran:?}"
    );
    assert_eq!(workbench.files(STORE), [".lock".to_owned(), format!("{half}.wasm")]);
    let ran = workbench.run(["grader", "add", "graders/example.wasm"]).ends_with(0);
    assert!(ran.stdout.contains("already there"), "{ran:?}");
    let ran = workbench.run(["grader", "add", "graders/example.wasm", "--json"]).ends_with(0);
    assert_eq!(ran.json()[0]["component"], "already-there");
    assert_eq!(ran.json()[0]["sha256"], half);

    let list = workbench.run(["grader", "list"]).ends_with(0);
    for part in [half.as_str(), "example", "1.0.0", "1 component in"] {
        assert!(list.stdout.contains(part), "{part}: {}", list.stdout);
    }
    let listed = workbench.run(["grader", "list", "--json"]).ends_with(0).json();
    let one = &listed[0];
    assert_eq!(one["description"]["competition"], "example");
    assert_eq!((&one["sealed"], &one["signed"]), (&true.into(), &false.into()));
    assert_eq!(one["pinned_for"], Value::Array(Vec::new()));
    // Another store is another store.
    let other = ["--store", "other-store"];
    workbench.run(["grader", "list"].into_iter().chain(other)).ends_with(3);
    workbench.run(["grader", "add", "graders/example.wasm"].into_iter().chain(other)).ends_with(0);
    let listed = workbench.run(["grader", "list", "--json"].into_iter().chain(other)).ends_with(0);
    assert_eq!(listed.json().as_array().unwrap().len(), 1);
}

#[test]
fn folders_are_added_whole_and_what_is_no_grader_does_not_stop_the_rest() {
    let workbench = Workbench::with_example();
    // A folder of graders, a competition folder, a folder of competition folders.
    workbench.write("mixed/broken.wasm", "not a component");
    workbench.write("mixed/half.wasm", example_grader(&[]));
    workbench.write("mixed/notes.txt", "x");
    let ran = workbench.run(["grader", "add", "mixed", "--json"]).ends_with(4);
    let added = ran.json();
    assert_eq!(added.as_array().unwrap().len(), 2);
    assert!(added[0]["error"]["message"].as_str().unwrap().contains("not WebAssembly"), "{added}");
    assert_eq!(added[1]["component"], "new");
    let none = workbench.run(["grader", "add", "competitions/example"]).ends_with(3);
    assert!(none.stderr.contains("there is no grader.wasm"), "{none:?}");
    workbench.write("competitions/example/grader.wasm", quarter());
    for folder in ["competitions/example", "competitions"] {
        let ran = workbench.run(["grader", "add", folder]).ends_with(0);
        assert!(ran.stdout.contains("competitions/example/grader.wasm"), "{ran:?}");
    }
    for (named, code, part) in [
        ("home", 3, "there is no component in it"),
        ("missing.wasm", 3, "missing.wasm"),
        ("submission.csv", 4, "not WebAssembly"),
        ("/dev/zero", 6, "this is a device"),
    ] {
        let ran = workbench.run(["grader", "add", named]).ends_with(code);
        assert!(ran.stderr.contains(part), "{named}: {ran:?}");
    }
    let wrong_version = podium_tests::hostile::other_version();
    workbench.write("newer.wasm", wrong_version);
    let ran = workbench.run(["grader", "add", "newer.wasm"]).ends_with(4);
    assert!(ran.stderr.contains("built for podium:grading 2.0.0"), "{ran:?}");
    assert_eq!(workbench.files(STORE).len(), 3, "{:?}", workbench.files(STORE));
}

#[test]
fn a_pin_decides_whatever_lies_elsewhere() {
    let workbench = with_store();
    let (half, quarter_digest) = (digest(&example_grader(&[])), digest(&quarter()));
    let before = report(&workbench);
    assert_eq!((&before["score"], &before["grader_origin"]), (&0.5.into(), &"folder".into()));
    let pin = ["grader", "pin", "example", &quarter_digest[..8]];
    let ran = workbench.run(pin).ends_with(0);
    assert!(ran.stdout.contains("example is pinned to it now"), "{ran:?}");
    assert!(workbench.run(pin).ends_with(0).stdout.contains("already"));
    // Even its own grader does not go before.
    workbench.write("competitions/example/grader.wasm", example_grader(&[]));
    let pinned = report(&workbench);
    assert_eq!((&pinned["score"], &pinned["grader_origin"]), (&0.25.into(), &"pinned".into()));
    assert_eq!(pinned["grader_sha256"], quarter_digest.as_str());
    let words = workbench.run(["grade-sample", "submission.csv", "example"]).ends_with(0);
    let says = format!("pinned: sha256:{quarter_digest}");
    assert!(words.stdout.contains(&says), "{}", words.stdout);
    workbench.write(
        "runs.jsonl",
        "{\"competition_id\": \"example\", \"submission_path\": \"submission.csv\"}\n",
    );
    let group = workbench
        .run(["grade", "--submission", "runs.jsonl", "--output-dir", "out", "--json"])
        .ends_with(0)
        .json();
    assert_eq!(group["competition_reports"][0]["score"], 0.25);
    // Whoever names a grader gets it.
    let named = ["--grader", &format!("sha256:{}", &half[..8])];
    let arguments = ["grade-sample", "submission.csv", "example", "--json"];
    let graded = workbench.run(arguments.into_iter().chain(named)).ends_with(0).json();
    assert_eq!((&graded["score"], &graded["grader_origin"]), (&0.5.into(), &"named".into()));

    let shown = workbench.run(["show", "example"]).ends_with(0);
    assert!(shown.stdout.contains(&format!("pinned to sha256:{quarter_digest}")), "{shown:?}");
    let shown = workbench.run(["show", "example", "--json"]).ends_with(0).json();
    assert_eq!(shown["pinned"], quarter_digest.as_str());
    let listed = workbench.run(["list", "--json"]).ends_with(0).json();
    assert_eq!(listed[0]["pinned"], quarter_digest.as_str());
    assert!(workbench.run(["list"]).ends_with(0).stdout.contains("pinned"));
    let stored = workbench.run(["grader", "list", "--json"]).ends_with(0).json();
    let pins: Vec<&Value> =
        stored.as_array().unwrap().iter().map(|one| &one["pinned_for"]).collect();
    assert!(pins.contains(&&serde_json::json!(["example"])), "{stored}");

    let ran = workbench.run(["grader", "unpin", "example"]).ends_with(0);
    assert!(ran.stdout.contains("not pinned any more"), "{ran:?}");
    let after = report(&workbench);
    assert_eq!((&after["score"], &after["grader_origin"]), (&0.5.into(), &"competition".into()));
    workbench.run(["grader", "unpin", "example"]).ends_with(3);
}

#[test]
fn a_pin_to_nothing_stops_and_falls_back_to_nothing() {
    let workbench = with_store();
    let quarter_digest = digest(&quarter());
    workbench.run(["grader", "pin", "example", &quarter_digest]).ends_with(0);
    let refused = workbench.run(["grader", "remove", &quarter_digest[..10]]).ends_with(2);
    assert!(refused.stderr.contains("is pinned for example"), "{refused:?}");
    assert!(refused.stderr.contains("--force"), "{refused:?}");
    let forced = workbench.run(["grader", "remove", &quarter_digest, "--force"]).ends_with(0);
    assert!(forced.stderr.contains("podium grader unpin example"), "{forced:?}");

    let ran = workbench.run(["grade-sample", "submission.csv", "example", "--json"]).ends_with(3);
    let report = ran.json();
    assert_eq!(report["outcome"], "grader-failed");
    assert_eq!(report["failure"], "pinned-grader-missing");
    assert_eq!(report["score"], Value::Null);
    assert!(ran.stderr.contains("podium grader unpin example"), "{ran:?}");
    workbench.run(["validate", "submission.csv", "example"]).ends_with(3);
    let listed = workbench.run(["list", "--ready", "--json"]).ends_with(0).json();
    assert_eq!(listed, Value::Array(Vec::new()));
    let shown = workbench.run(["show", "example"]).ends_with(0);
    assert!(shown.stdout.contains("which is not in the component store"), "{shown:?}");
    // Whoever looks at the store sees it.
    let listed = workbench.run(["grader", "list", "--json"]).ends_with(3);
    let pin = &listed.json()[1];
    assert_eq!(pin["sha256"], quarter_digest.as_str(), "{pin}");
    assert_eq!((&pin["pinned_for"], &pin["size"]), (&serde_json::json!(["example"]), &Value::Null));
    assert_eq!(pin["error"]["kind"], "missing", "{pin}");
    let listed = workbench.run(["grader", "list"]).ends_with(3);
    assert!(listed.stderr.contains("example: pinned to sha256:"), "{listed:?}");
    let checks = workbench.run(["doctor", "--grading-only", "--json"]).ends_with(3).json();
    let store = checks.as_array().unwrap().iter().find(|check| check["name"] == "store").unwrap();
    assert_eq!(store["state"], "warning", "{store}");
    assert!(store["found"].as_str().unwrap().contains("`example` is pinned to sha256:"), "{store}");
    workbench.run(["grader", "add", "quarter.wasm"]).ends_with(0);
    assert_eq!(self::report(&workbench)["score"], 0.25);
}

#[test]
fn pins_of_competitions_that_are_not_known_are_shown() {
    let workbench = with_store();
    let other = example_grader(&[("\"example\"", "\"elsewhe\"")]);
    workbench.write("other.wasm", &other);
    workbench.run(["grader", "add", "other.wasm"]).ends_with(0);
    workbench.run(["grader", "pin", "elsewhe", &digest(&other)]).ends_with(0);
    let said = "the pin of `elsewhe`";
    let listed = workbench.run(["grader", "list"]).ends_with(0);
    assert!(listed.stderr.contains(said), "{listed:?}");
    let checks = workbench.run(["doctor", "--grading-only", "--json"]).ends_with(0).json();
    let store = checks.as_array().unwrap().iter().find(|check| check["name"] == "store").unwrap();
    assert!(store["found"].as_str().unwrap().contains(said), "{store}");
    assert_eq!(store["state"], "warning", "{store}");
}

#[test]
fn only_what_fits_is_pinned() {
    let workbench = with_store();
    let other = example_grader(&[("\"example\"", "\"elsewhe\"")]);
    workbench.write("other.wasm", &other);
    workbench.run(["grader", "add", "other.wasm"]).ends_with(0);
    for (competition, component, code, part) in [
        ("example", digest(&other), 4, "it grades `elsewhe`, not `example`"),
        ("unknown", digest(&other), 4, "it grades `elsewhe`, not `unknown`"),
        ("example", "0".repeat(64), 3, "it holds no component"),
        ("example", "zz".to_owned(), 2, "no digest"),
        ("../example", digest(&quarter()), 4, "not `../example`"),
    ] {
        let ran = workbench.run(["grader", "pin", competition, &component]).ends_with(code);
        assert!(ran.stderr.contains(part), "{competition}: {ran:?}");
    }
    // A competition need not be here.
    workbench.run(["grader", "pin", "elsewhe", &digest(&other)]).ends_with(0);
}

#[test]
fn damaged_components_are_said_to_be_and_never_run() {
    let workbench = with_store();
    let (half, quarter_digest) = (digest(&example_grader(&[])), digest(&quarter()));
    workbench.run(["grader", "pin", "example", &quarter_digest]).ends_with(0);
    // Another whole grader under that name: only the digest tells.
    let stored = workbench.path(STORE).join(format!("{quarter_digest}.wasm"));
    fs::remove_file(&stored).unwrap();
    fs::write(&stored, example_grader(&[])).unwrap();
    let ran = workbench.run(["grade-sample", "submission.csv", "example", "--json"]).ends_with(4);
    assert_eq!(ran.json()["failure"], "grader-damaged");
    let says = format!("sha256:{quarter_digest} is damaged: its bytes have the digest {half}");
    assert!(ran.stderr.contains(&says), "{ran:?}");
    let listed = workbench.run(["grader", "list"]).ends_with(4);
    assert!(listed.stdout.contains("cannot be used"), "{listed:?}");
    assert!(listed.stderr.contains(&says), "{listed:?}");
    for arguments in [
        ["inspect", &format!("sha256:{quarter_digest}")].as_slice(),
        &["grader", "check", &format!("sha256:{quarter_digest}")],
        &["grader", "pin", "example", &quarter_digest],
    ] {
        let ran = workbench.run(arguments.iter().copied()).ends_with(4);
        assert!(ran.stderr.contains("is damaged"), "{arguments:?}: {ran:?}");
    }
    let ran = workbench.run(["grader", "add", "quarter.wasm"]).ends_with(0);
    assert!(ran.stdout.contains("put right"), "{ran:?}");
    assert_eq!(report(&workbench)["score"], 0.25);
}

/// With `--json` there is one JSON value, whatever happens.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_adding_and_listing_in_good_order() {
    let workbench = Workbench::with_example();
    // Much to compile, and much to read.
    for number in 0..60 {
        let score = format!("(i32.const {})", 64 + number % 2 * 8);
        let more = format!("(drop (i32.const {number})) {score}");
        workbench.write(format!("many/{number}.wasm"), example_grader(&[(EXAMPLE_GRADE, &more)]));
    }
    workbench.run(["grader", "add", "many"]).ends_with(0);
    let add = ["grader", "add", "--json"].into_iter().chain(std::iter::repeat_n("many", 100));
    for (command, most) in
        [(vec!["grader", "list", "--json", "--no-cache"], 60), (add.collect(), 6_000)]
    {
        let ran = workbench.run_until_it_is_ended(command.iter().copied(), &[]).ends_with(130);
        let listed = ran.json();
        let [done @ .., last] = listed.as_array().unwrap().as_slice() else { panic!("{ran:?}") };
        assert_eq!(last["error"]["kind"], "interrupted", "{last}");
        assert_eq!((&last["error"]["exit_code"], &last["sha256"]), (&130.into(), &Value::Null));
        assert!(done.len() < most, "{}", done.len());
        assert!(done.iter().all(|one| one["sha256"].is_string() && one["error"].is_null()));
        assert!(ran.stderr.contains("stopped after"), "{}", ran.stderr);
    }
}

#[test]
fn a_prefix_has_to_be_one_of_a_component() {
    let workbench = with_store();
    for (text, code, part) in [
        ("sha256:", 2, "no digest"),
        ("abc", 2, "at least 4"),
        ("grader.wasm", 2, "no digest"),
        ("00000000", 3, "no component in it begins with"),
    ] {
        let ran = workbench.run(["grader", "remove", text]).ends_with(code);
        assert!(ran.stderr.contains(part), "{text}: {ran:?}");
    }
    // Nothing is removed where one of them is not there.
    let half = digest(&example_grader(&[]));
    workbench.run(["grader", "remove", &half, &"0".repeat(64)]).ends_with(3);
    assert_eq!(workbench.files(STORE).len(), 3);
    workbench.run(["grader", "remove", &half[..6], &half]).ends_with(0);
    assert_eq!(workbench.files(STORE).len(), 2);
    let inspected = ["inspect", &format!("sha256:{}", &digest(&quarter())[..6])];
    let ran = workbench.run(inspected).ends_with(0);
    assert!(ran.stdout.contains(&digest(&quarter())), "{ran:?}");
}

#[test]
fn pins_that_cannot_be_read_stop_everything() {
    let workbench = with_store();
    workbench.write(format!("{STORE}/pins.toml"), "[pins]\nexample = \"sha256:12\"\n");
    for command in [
        &["grade-sample", "submission.csv", "example"][..],
        &["validate", "submission.csv", "example"],
        &["list"],
        &["show", "example"],
        &["grader", "list"],
    ] {
        let ran = workbench.run(command.iter().copied()).ends_with(2);
        assert!(ran.stderr.contains("pins.toml: `example`: not a SHA-256"), "{command:?}: {ran:?}");
    }
    let checks = workbench.run(["doctor", "--grading-only", "--json"]).ends_with(3).json();
    let store = checks.as_array().unwrap().iter().find(|check| check["name"] == "store").unwrap();
    assert_eq!(store["state"], "problem", "{checks}");
    // What is no file cannot be read, as everywhere.
    #[cfg(unix)]
    {
        let pins = workbench.path(format!("{STORE}/pins.toml"));
        fs::remove_file(&pins).unwrap();
        for made in [true, false] {
            if made {
                let status = std::process::Command::new("mkfifo").arg(&pins).status().unwrap();
                assert!(status.success());
            } else {
                std::os::unix::fs::symlink("nowhere", &pins).unwrap();
            }
            let ran = workbench.run(["grade-sample", "submission.csv", "example"]).ends_with(6);
            assert!(ran.stderr.contains("pins.toml: cannot be read: this is a "), "{ran:?}");
            fs::remove_file(&pins).unwrap();
        }
    }
    // A store that somebody named has to be there: its pins were meant.
    let ran = workbench.run(["list", "--store", "nowhere"]).ends_with(3);
    assert!(ran.stderr.contains("--store: nowhere does not exist"), "{ran:?}");
    workbench.run(["list", "--store", "submission.csv"]).ends_with(6);
}

#[test]
fn an_old_receipt_is_verified_with_the_component_of_the_store() {
    let workbench = with_store();
    let arguments = ["grade-sample", "submission.csv", "example", "--receipt", "old.receipt.json"];
    workbench.run(arguments).ends_with(0);
    // The grader was replaced since, and another one is pinned.
    workbench.write("graders/example.wasm", quarter());
    workbench.run(["grader", "pin", "example", &digest(&quarter())]).ends_with(0);
    workbench.run(["verify", "old.receipt.json"]).ends_with(0);
    let half = digest(&example_grader(&[]));
    workbench.run(["grader", "remove", &half]).ends_with(0);
    let ran = workbench.run(["verify", "old.receipt.json"]).ends_with(5);
    assert!(ran.stdout.contains("component.sha256"), "{ran:?}");
}

#[test]
fn whole_folders_and_files_of_receipts_are_verified() {
    let workbench = with_store();
    let mut runs = String::new();
    for number in 0..5 {
        let path = format!("runs/{number}/submission.csv");
        workbench.write(&path, format!("id,value\n1,0.{number}\n"));
        runs.push_str(&format!(
            "{{\"competition_id\": \"example\", \"submission_path\": \"{path}\"}}\n"
        ));
    }
    workbench.write("runs.jsonl", runs);
    workbench.run(["grade", "--submission", "runs.jsonl", "--output-dir", "out"]).ends_with(0);
    let ran = workbench.run(["verify", "out"]).ends_with(0);
    assert!(ran.stdout.ends_with("5 receipts: 5 identical\n"), "{ran:?}");
    workbench.run(["verify", "out/receipts"]).ends_with(0);

    // One a line, in a file beside the report.
    let names = workbench.files("out/receipts");
    let lines: String = names
        .iter()
        .map(|name| {
            let text = fs::read_to_string(workbench.path("out/receipts").join(name)).unwrap();
            format!("{}\n", serde_json::from_str::<Value>(&text).unwrap())
        })
        .collect();
    workbench.write("out/all-receipts.jsonl", &lines);
    let ran = workbench.run(["verify", "out/all-receipts.jsonl", "--json"]).ends_with(0);
    let verified = ran.json();
    assert_eq!(verified.as_array().unwrap().len(), 5);
    assert_eq!((&verified[4]["result"], &verified[4]["line"]), (&"identical".into(), &5.into()));
    workbench.write("out/all-receipts.jsonl", lines.replacen("\"0.5\"", "\"0.9\"", 1));
    let ran = workbench.run(["verify", "out"]).ends_with(5);
    assert!(ran.stdout.contains("all-receipts.jsonl:1: not-checked: "), "{ran:?}");
    assert!(ran.stdout.contains("10 receipts: 9 identical, 1 not-checked"), "{ran:?}");
    // A submission that changed since.
    workbench.write("runs/2/submission.csv", "id,value\n1,9\n");
    let ran = workbench.run(["verify", "out/receipts"]).ends_with(5);
    assert!(ran.stdout.contains("4 identical, 1 other-material"), "{ran:?}");
    let ran = workbench.run(["verify", "home"]).ends_with(3);
    assert!(ran.stdout.contains("there are no receipts"), "{ran:?}");
}

#[test]
fn many_processes_may_use_a_store_at_once() {
    let workbench = Workbench::with_example();
    let graders: Vec<(String, String)> = (0..6_u8)
        .map(|number| {
            // The exponent of the score: six graders that differ in it.
            let bytes = example_grader(&[(r"\e0\3f", &format!(r"\e{number}\3f"))]);
            let path = format!("more/{number}.wasm");
            workbench.write(&path, &bytes);
            (path, digest(&bytes))
        })
        .collect();
    std::thread::scope(|scope| {
        for (path, sha256) in &graders {
            let workbench = &workbench;
            scope.spawn(move || {
                workbench.run(["grader", "add", path, "graders"]).ends_with(0);
                workbench.run(["grader", "remove", sha256]).ends_with(0);
                workbench.run(["grader", "add", "more"]).ends_with(0);
            });
        }
    });
    let listed = workbench.run(["grader", "list", "--json"]).ends_with(0).json();
    // The half is one of the six that are not 0x3fe0…: all are whole.
    assert!(listed.as_array().unwrap().iter().all(|one| one.get("error").is_none()), "{listed}");
    assert!(workbench.files(STORE).iter().all(|name| !name.contains("partial")));
}

/// Competitions of others are found on a search path, each with its own grader.
#[test]
fn competitions_of_others_are_found_on_a_search_path() {
    let workbench = Workbench::with_example();
    let definition = fs::read_to_string(workbench.path("competitions/example/competition.toml"));
    let definition = definition.unwrap();
    let theirs = example_grader(&[("\"example\"", "\"elsewhe\"")]);
    workbench
        .write("theirs/elsewhe/competition.toml", definition.replace("\"example\"", "\"elsewhe\""));
    workbench.write("theirs/elsewhe/grader.wasm", theirs);
    workbench.write("theirs/example/competition.toml", definition.replace("An Example", "Theirs"));
    workbench.write("data/elsewhe/prepared/private/answers.csv", "id,value\n1,1\n");
    let path = |folders: [&str; 2]| {
        let folders = folders.map(|folder| workbench.path(folder));
        std::env::join_paths(folders).unwrap()
    };
    let listed = |folders| {
        let mut command = workbench.podium(["list", "--json"]);
        podium_tests::workbench::Ran::of(command.env("PODIUM_COMPETITIONS", path(folders)))
            .ends_with(0)
            .json()
    };
    let named = |listed: Value| -> Vec<(String, String)> {
        let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
        listed.as_array().unwrap().iter().map(|one| (text(one, "id"), text(one, "name"))).collect()
    };
    let pair = |id: &str, name: &str| (id.to_owned(), name.to_owned());
    // The earlier folder wins.
    assert_eq!(
        named(listed(["competitions", "theirs"])),
        [pair("elsewhe", "An Example"), pair("example", "An Example")]
    );
    assert_eq!(
        named(listed(["theirs", "competitions"])),
        [pair("elsewhe", "An Example"), pair("example", "Theirs")]
    );
    let flags = ["--competitions", "competitions", "--competitions", "theirs"];
    let arguments = ["grade-sample", "submission.csv", "elsewhe", "--json"];
    let graded = workbench.run(arguments.into_iter().chain(flags)).ends_with(0).json();
    assert_eq!((&graded["score"], &graded["grader_origin"]), (&0.5.into(), &"competition".into()));
}
