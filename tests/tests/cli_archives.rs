//! Archives as `podium regrade` reads them: every format, made by libraries and by the programs that people have, and
//! archives that are damaged or made to do harm. And `podium make-submission`.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use podium_tests::workbench::Workbench;
use serde_json::{Value, json};
use tar::{Builder, EntryType, Header};
use zip::write::SimpleFileOptions;

const GROUP: &str = "2026-01-01T00-00-00-GMT_run-group_dummy";

/// The files of an archive: a run group with four runs, one of them without a submission and one invalid.
fn files() -> Vec<(String, Vec<u8>)> {
    let metadata = json!({
        "run_group": GROUP,
        "runs": {
            "example_0": {"success": true},
            "example_1": {"success": true},
            "example_2": {"success": false},
            "example_3": {"success": true},
        },
    });
    let submission = |run: u32, content: &str| {
        (format!("{GROUP}/example_{run}/submission/submission.csv"), content.as_bytes().to_vec())
    };
    vec![
        submission(0, "id,value\n1,0.5\n"),
        (format!("{GROUP}/example_0/logs/agent.log"), b"hello\n".to_vec()),
        submission(1, "id,value\n1,0.25\n"),
        (format!("{GROUP}/example_2/code/train.py"), b"pass\n".to_vec()),
        submission(3, ""),
        (format!("{GROUP}/metadata.json"), metadata.to_string().into_bytes()),
    ]
}

const VERDICTS: [&str; 4] = ["first-grading", "first-grading", "no-submission", "first-grading"];

fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for (name, content) in files {
        append(&mut tar, name, EntryType::Regular, content);
    }
    tar.into_inner().unwrap()
}

/// As [`VERDICTS`], of an archive that breaks off: that there is no submission is not known.
const OF_A_BROKEN_ONE: [&str; 4] =
    ["first-grading", "first-grading", "submission-missing", "first-grading"];

/// Appends an entry under any name, even one that the tar crate would not write.
fn append(tar: &mut Builder<Vec<u8>>, name: &str, kind: EntryType, content: &[u8]) {
    let mut header = Header::new_gnu();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    header.set_cksum();
    tar.append(&header, content).unwrap();
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Regrades an archive; gives what was printed, and insists on the exit code.
fn regrade(workbench: &Workbench, archive: &str, code: i32) -> Value {
    workbench.run(["regrade", archive, "--json"]).ends_with(code).json()
}

fn verdicts(printed: &Value) -> Vec<&str> {
    let runs = printed["archives"][0]["runs"].as_array().expect("runs");
    runs.iter().map(|run| run["verdict"].as_str().unwrap()).collect()
}

#[test]
fn every_format_is_read_whatever_it_is_called() {
    let workbench = Workbench::with_example();
    let files = files();
    for (name, content) in &files {
        workbench.write(Path::new("folder").join(name), content);
    }
    let plain = tar(&files);
    workbench.write("runs.tar", &plain);
    workbench.write("runs.tar.gz", gzip(&plain));
    workbench.write("runs.tar.zst", zstd::encode_all(&*plain, 3).unwrap());
    workbench.write("runs.zip", zip(&files));
    // Told by its content.
    workbench.write("called-otherwise.bin", gzip(&plain));
    for (archive, format) in [
        ("folder", "folder"),
        ("runs.tar", "tar"),
        ("runs.tar.gz", "tar.gz"),
        ("runs.tar.zst", "tar.zst"),
        ("runs.zip", "zip"),
        ("called-otherwise.bin", "tar.gz"),
    ] {
        let printed = regrade(&workbench, archive, 5);
        let regraded = &printed["archives"][0];
        assert_eq!(regraded["format"], format, "{archive}");
        assert_eq!(verdicts(&printed), VERDICTS, "{archive}");
        assert_eq!(regraded["broken"], Value::Null, "{archive}");
        assert_eq!(regraded["problems"], json!([]), "{archive}");
        assert_eq!(regraded["runs"][0]["run_id"], "example_0", "{archive}");
        assert_eq!(regraded["runs"][0]["new"]["score"], 0.5, "{archive}");
        assert_eq!(regraded["runs"][3]["new"]["valid"], false, "{archive}");
    }
}

#[test]
fn archives_of_the_usual_programs_are_read() {
    let workbench = Workbench::with_example();
    for (name, content) in files() {
        workbench.write(Path::new("made").join(name), content);
    }
    // A long name is stored otherwise, and each program does it its own way.
    let long = format!(
        "made/{GROUP}/{}/submission/submission.csv",
        format_args!("example_{}", "x".repeat(150))
    );
    workbench.write(long, "id,value\n1,0.75\n");
    let python = "import shutil; shutil.make_archive('python', 'gztar', 'made'); shutil.make_archive('python', 'zip', 'made')";
    let mut made = Vec::new();
    for (program, arguments, archives) in [
        ("tar", vec!["-C", "made", "-cf", "gnu.tar", GROUP], vec!["gnu.tar"]),
        ("tar", vec!["-C", "made", "--format=pax", "-czf", "pax.tar.gz", "."], vec!["pax.tar.gz"]),
        ("tar", vec!["-C", "made", "--zstd", "-cf", "gnu.tar.zst", "."], vec!["gnu.tar.zst"]),
        ("zip", vec!["-qr", "info.zip", "made"], vec!["info.zip"]),
        ("python3", vec!["-c", python], vec!["python.tar.gz", "python.zip"]),
    ] {
        let run = Command::new(program).args(&arguments).current_dir(workbench.path("")).output();
        // What is not there cannot be tried; a tar without zstandard is none of ours.
        if run.is_ok_and(|output| output.status.success()) {
            made.extend(archives);
        }
    }
    assert!(!made.is_empty(), "there is a tar at least");
    for archive in made {
        let printed = regrade(&workbench, archive, 5);
        let mut found = verdicts(&printed);
        assert_eq!(found.pop(), Some("first-grading"), "{archive}");
        assert_eq!(found, VERDICTS, "{archive}");
        assert_eq!(printed["archives"][0]["problems"], json!([]), "{archive}");
        assert_eq!(printed["archives"][0]["broken"], Value::Null, "{archive}");
    }
}

/// Threat 16: archives that write outside (.., absolute paths, links, PAX sizes, bombs) are refused with the entry's
/// name, and nothing is written but the set.
#[test]
fn hostile_archives_are_refused_by_entry_and_write_nothing() {
    type Make = Box<dyn Fn(&mut Builder<Vec<u8>>)>;
    let of = |name: &'static str, kind: EntryType| -> Make {
        Box::new(move |tar| append(tar, name, kind, b""))
    };
    let submission = format!("{GROUP}/example_9/submission/submission.csv");
    let twice = submission.clone();
    let lying = submission.clone();
    // What is made, what is said of it, whether that ends the program with an error, the verdict of run 9 if it is one.
    let cases: Vec<(&str, Make, &str, bool, Option<&str>)> = vec![
        ("upwards", of("../escaped.csv", EntryType::Regular), "leads out", true, None),
        ("absolute", of("/tmp/podium-escaped.csv", EntryType::Regular), "absolute", true, None),
        ("within", of("a/../../escaped.csv", EntryType::Regular), "leads out", true, None),
        ("control", of("a\u{1b}[31m.csv", EntryType::Regular), "control character", true, None),
        ("symbolic link", of("escaped.csv", EntryType::Symlink), "symbolic link", false, None),
        ("hard link", of("escaped.csv", EntryType::Link), "hard link", false, None),
        ("device", of("escaped.csv", EntryType::Char), "device", false, None),
        ("pipe", of("escaped.csv", EntryType::Fifo), "a pipe", false, None),
        (
            "submission that is a link",
            {
                let submission = submission.clone();
                Box::new(move |tar| append(tar, &submission, EntryType::Symlink, b""))
            },
            "symbolic link",
            false,
            Some("submission-unusable"),
        ),
        (
            "submission that is there twice",
            Box::new(move |tar| {
                append(tar, &twice, EntryType::Regular, b"id,value\n1,1\n");
                append(tar, &twice, EntryType::Regular, b"id,value\n1,0\n");
            }),
            "more than once",
            true,
            Some("submission-unusable"),
        ),
        (
            "size that lies",
            Box::new(move |tar| {
                tar.append_pax_extensions([("size", b"3".as_slice())]).unwrap();
                append(tar, &lying, EntryType::Regular, b"id,value\n1,1\n");
            }),
            "two sizes",
            true,
            Some("submission-unusable"),
        ),
    ];
    for (what, make, part, is_error, verdict) in cases {
        let workbench = Workbench::with_example();
        let mut tar = Builder::new(Vec::new());
        for (name, content) in files() {
            append(&mut tar, &name, EntryType::Regular, &content);
        }
        make(&mut tar);
        workbench.write("inner/runs.tar", tar.into_inner().unwrap());
        let before = workbench.files("");
        let ran = workbench.run(["regrade", "inner/runs.tar", "--json"]);
        let printed = ran.json();
        let expected = if is_error || verdict.is_some() { 6 } else { 5 };
        assert_eq!(ran.code, expected, "{what}: {ran:?}");
        let expected = if what == "size that lies" { OF_A_BROKEN_ONE } else { VERDICTS };
        assert_eq!(verdicts(&printed)[..4], expected, "{what}");
        assert_eq!(verdicts(&printed).get(4).copied(), verdict, "{what}");
        let list = if is_error { "problems" } else { "left_out" };
        let problems = printed["archives"][0][list].to_string();
        assert!(problems.contains(part), "{what}: {problems}");
        assert_eq!(workbench.files(""), before, "{what}: nothing is written outside");
        assert_eq!(workbench.files("inner"), ["runs.tar"], "{what}");
        assert!(!Path::new("/tmp/podium-escaped.csv").exists());
        let shown = workbench.run(["regrade", "inner/runs.tar"]);
        assert!(!shown.stdout.contains('\u{1b}'), "{what}: {}", shown.stdout);
    }
}

/// Threat 16: bombs. The limits can be set, and what came before is used.
#[test]
fn bombs_end_the_reading_at_the_limit() {
    let workbench = Workbench::with_example();
    let mut files = files();
    files.push((format!("{GROUP}/example_1/logs/bomb"), vec![0; 20 << 20]));
    let plain = tar(&files);
    workbench.write("bomb.tar.gz", gzip(&plain));
    workbench.write("bomb.tar.zst", zstd::encode_all(&*plain, 3).unwrap());
    for archive in ["bomb.tar.gz", "bomb.tar.zst"] {
        let limits = ["regrade", archive, "--json", "--max-unpacked", "1MiB"];
        let printed = workbench.run(limits).ends_with(6).json();
        let broken = printed["archives"][0]["broken"].as_str().unwrap().to_owned();
        assert!(broken.contains("limit of 1 MiB") && broken.contains("bomb"), "{broken}");
        assert_eq!(verdicts(&printed), OF_A_BROKEN_ONE, "{archive}");
    }
    let printed = workbench
        .run(["regrade", "bomb.tar.gz", "--json", "--max-entries", "3"])
        .ends_with(6)
        .json();
    assert!(printed["archives"][0]["broken"].as_str().unwrap().contains("3 entries"), "{printed}");
    // A submission of more than the limit is an invalid one, as it is in a list.
    let printed = workbench
        .run(["regrade", "bomb.tar.gz", "--json", "--max-input", "15"])
        .ends_with(5)
        .json();
    let run = &printed["archives"][0]["runs"][1];
    assert_eq!((&run["failure"], &run["new"]["valid"]), (&json!("input-too-large"), &json!(false)));
}

#[test]
fn of_an_archive_that_is_cut_off_the_beginning_is_graded_and_the_exit_code_says_so() {
    let workbench = Workbench::with_example();
    // Noise, which packs to nothing less, so that a cut is where it seems to be.
    let mut state = 7_u32;
    let noise: Vec<u8> = (0..600_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    let mut files = files();
    // metadata.json first, as only this much is certain to be there.
    files.rotate_right(1);
    files.push((format!("{GROUP}/example_3/logs/agent.log"), noise));
    files.push((
        format!("{GROUP}/example_2/submission/submission.csv"),
        b"id,value\n1,1\n".to_vec(),
    ));
    let plain = tar(&files);
    for (archive, bytes) in [
        ("cut.tar", plain.clone()),
        ("cut.tar.gz", gzip(&plain)),
        ("cut.tar.zst", zstd::encode_all(&*plain, 3).unwrap()),
        ("cut.zip", zip(&files)),
    ] {
        workbench.write(archive, &bytes[..bytes.len() / 2]);
        let ran = workbench.run(["regrade", archive, "--json"]).ends_with(6);
        let printed = ran.json();
        assert_eq!(verdicts(&printed), OF_A_BROKEN_ONE, "{archive}");
        let broken = printed["archives"][0]["broken"].as_str().unwrap();
        assert!(broken.contains("cut off") && broken.contains("agent.log"), "{archive}: {broken}");
        let says_where = archive == "cut.zip" || broken.contains("ends early, after");
        assert!(says_where, "{archive}: {broken}");
        assert!(ran.stderr.contains("cut off"), "{archive}: {}", ran.stderr);
    }
}

#[test]
fn what_is_no_archive_or_holds_nothing_is_said_to_be() {
    let workbench = Workbench::with_example();
    fs::create_dir(workbench.path("empty")).unwrap();
    workbench.write(
        "pointer.json",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
    );
    workbench.write("half_grading_report.json", "{\"competition_reports\": [{\"compet");
    for (archive, code, part) in [
        ("submission.csv", 2, "this is no archive"),
        ("missing.tar", 3, "cannot be read"),
        ("empty", 2, "nothing to grade"),
        ("pointer.json", 2, "git lfs pull"),
        ("half_grading_report.json", 2, "no JSON"),
    ] {
        let ran = workbench.run(["regrade", archive, "--json"]).ends_with(code);
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(part), "{archive}: {message}");
        assert_eq!(workbench.files("empty"), [""; 0]);
    }
    // One that cannot be read does not stop the others.
    workbench.write("runs.tar", tar(&files()));
    let ran = workbench.run(["regrade", "missing.tar", "runs.tar", "--json"]).ends_with(5);
    let printed = ran.json();
    assert_eq!(printed["archives"][0]["error"]["kind"], "missing");
    assert_eq!(printed["archives"][1]["runs"].as_array().unwrap().len(), 4);
    assert_eq!(printed["summary"]["runs"], 4);
}

#[test]
fn make_submission_writes_the_lines_of_the_reference_and_they_can_be_graded() {
    let workbench = Workbench::with_example();
    for (name, content) in files() {
        workbench.write(Path::new("runs").join(name), content);
    }
    let metadata = format!("./runs/{GROUP}/metadata.json");
    let ran = workbench
        .run(["make-submission", "--metadata", &metadata, "--output", "list.jsonl"])
        .ends_with(0);
    assert!(ran.stdout.contains("example_2"), "{}", ran.stdout);
    let text = fs::read_to_string(workbench.path("list.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let run = |run: u32, file: &str| json!(format!("runs/{GROUP}/example_{run}/{file}"));
    assert_eq!(
        lines[0],
        json!({
            "competition_id": "example", "submission_path": run(0, "submission/submission.csv"),
            "logs_path": run(0, "logs/agent.log"), "code_path": null,
        })
    );
    assert_eq!(lines[2]["submission_path"], Value::Null);
    assert_eq!(lines[2]["code_path"], run(2, "code/train.py"));
    let graded =
        workbench.run(["grade", "--submission", "list.jsonl", "--output-dir", "out", "--json"]);
    assert_eq!(graded.ends_with(0).json()["total_runs"], 4);

    // Ids that are none break nothing.
    let odd = json!({"runs": {"example_0": {}, "": {}, "..": {}, "a/b_1": {}, "no-underscore": {}, "x_y_z": {}}});
    workbench.write("odd/metadata.json", odd.to_string());
    let arguments =
        ["make-submission", "--metadata", "odd/metadata.json", "--output", "odd.jsonl", "--json"];
    let printed = workbench.run(arguments).ends_with(0).json();
    let competitions: Vec<&str> = printed["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["competition_id"].as_str().unwrap())
        .collect();
    assert_eq!(competitions, ["example", "", "..", "a/b", "no-underscore", "x"]);
    for (arguments, code) in [
        (["--metadata", "missing.json"], 3),
        (["--metadata", "submission.csv"], 2),
        (["--metadata", "list.jsonl"], 2),
    ] {
        workbench.run(["make-submission"].into_iter().chain(arguments)).ends_with(code);
    }
}

/// Threat 26: what an archive only says that it holds is no submission of more than the limit.
#[test]
fn a_size_that_is_declared_and_not_there_is_the_archives_fault() {
    let workbench = Workbench::with_example();
    let mut bytes = tar(&files());
    bytes.truncate(bytes.len() - 1_024);
    let mut header = Header::new_gnu();
    let name = format!("{GROUP}/example_9/submission/submission.csv");
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_size(1 << 40);
    header.set_cksum();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(b"id,value\n1,1\n");
    workbench.write("huge.tar", &bytes);
    workbench.write("huge.tar.gz", gzip(&bytes));
    for archive in ["huge.tar", "huge.tar.gz"] {
        let printed = regrade(&workbench, archive, 6);
        assert_eq!(verdicts(&printed)[4], "submission-unusable", "{archive}");
        let message = printed["archives"][0]["runs"][4]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("cut off"), "{archive}: {message}");
    }
}

/// Threat 20: names and texts out of an archive reach a terminal and a page without what steers them.
#[test]
fn names_and_texts_of_an_archive_are_shown_without_what_steers() {
    const STEERING: &str = "x\u{202e}y\u{2028}z\u{feff}";
    let workbench = Workbench::with_example();
    let submission = |run: &str| format!("g/{run}/submission/submission.csv");
    let run = format!("example_{STEERING}");
    let metadata = json!({"run_group": format!("g\n{STEERING}\u{1b}[2J"), "runs": {&run: {}}});
    let report = json!({"competition_reports": [
        {"competition_id": format!("c\n\u{9b}{STEERING}"), "score": 0.5, "valid_submission": true,
         "submission_path": format!("{STEERING}\n/a.csv")},
        {"competition_id": "example", "score": format!("\u{1b}\n{STEERING}"), "valid_submission": true},
    ]});
    let named = format!("{STEERING}_grading_report.json");
    let mut files = vec![
        ("g/metadata.json".to_owned(), metadata.to_string().into_bytes()),
        (submission(&run), b"a".to_vec()),
        (format!("g/{named}"), report.to_string().into_bytes()),
        (format!("h/{named}"), b"nonsense".to_vec()),
        (format!("../{STEERING}\n\u{1b}[31m"), b"x".to_vec()),
    ];
    files
        .push((format!("{STEERING}/set.json"), b"{\"format\": \"podium regrade set 1\"}".to_vec()));
    let bytes = tar(&files);
    workbench.write(format!("{STEERING}\n.tar"), &bytes);
    workbench.write(format!("{STEERING}\n.cut.tar"), &bytes[..bytes.len() - 1_300]);
    let steers = |text: &str| text.chars().find(|c| *c != '\n' && podium::told::steers(*c));
    for archive in [format!("{STEERING}\n.tar"), format!("{STEERING}\n.cut.tar")] {
        let arguments = ["regrade", &archive, "--html", "page.html"];
        let shown = workbench.run(arguments).ends_with(6);
        let json = workbench.run(["regrade", &archive, "--json"]).ends_with(6);
        let list = workbench.run(["regrade", "list", &archive]).ends_with(0);
        let page = fs::read_to_string(workbench.path("page.html")).unwrap();
        for text in [shown.stdout, shown.stderr, json.stdout, json.stderr, list.stdout, page] {
            assert_eq!(steers(&text), None, "{text}");
            // Nor does a name make a line of its own.
            assert!(!text.contains("\ny"), "{text}");
        }
    }
}
