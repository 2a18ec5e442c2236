//! What went wrong in other harnesses, tried with the program as a whole; `docs/threats.md` has the list.

use std::fs;

use podium_tests::workbench::{Ran, Workbench, example_grader};
use serde_json::Value;

/// A list of the one submission at this path.
fn list_of(path: &str) -> String {
    format!("{{\"competition_id\": \"example\", \"submission_path\": \"{path}\"}}\n")
}

/// All that the program said and wrote about a run: stdout, stderr, and the files of these folders.
fn everything(workbench: &Workbench, ran: &Ran, folders: &[&str]) -> String {
    let mut said = format!("{}\n{}", ran.stdout, ran.stderr);
    for folder in folders {
        for name in workbench.files(folder) {
            said.push_str(&fs::read_to_string(workbench.path(folder).join(name)).unwrap());
        }
    }
    said
}

/// Threat 8: the answers are not to be had by naming them, by a link, a pipe, a device, the standard input or an address.
#[cfg(unix)]
#[test]
fn no_submission_leads_anywhere_else() {
    use std::os::unix::fs::symlink;
    let workbench = Workbench::with_example();
    let answers = workbench.path("data/example/prepared/private/answers.csv");
    fs::create_dir_all(workbench.path("run/deep")).unwrap();
    let pipe = workbench.path("run/pipe.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let up = "../data/example/prepared/private/answers.csv";
    for (name, target) in [
        ("absolute.csv", answers.to_str().unwrap()),
        ("relative.csv", up),
        ("by-another.csv", "relative.csv"),
        ("device.csv", "/dev/zero"),
        ("stdin.csv", "/dev/stdin"),
        ("process.csv", "/proc/self/fd/0"),
        ("loop.csv", "loop.csv"),
        ("folder.csv", "deep"),
    ] {
        symlink(target, workbench.path("run").join(name)).unwrap();
    }
    let refused = [
        "run/absolute.csv",
        "run/relative.csv",
        "run/by-another.csv",
        "run/device.csv",
        "run/stdin.csv",
        "run/process.csv",
        "run/loop.csv",
        "run/folder.csv",
        "run/pipe.csv",
        "/dev/stdin",
        "file:///etc/passwd.csv",
        "https://example.org/submission.csv",
    ];
    let content = fs::read_to_string(&answers).unwrap();
    let mut list = String::new();
    for path in refused {
        for command in ["grade-sample", "validate"] {
            let ran = workbench.run([command, path, "example"]).ends_with(1);
            assert!(!ran.stdout.contains(content.trim()), "{path}: {ran:?}");
        }
        list.push_str(&list_of(path));
    }
    workbench.write("runs.jsonl", list);
    let group = workbench
        .run(["grade", "--submission", "runs.jsonl", "--output-dir", "out", "--json"])
        .ends_with(0)
        .json();
    assert_eq!(group["total_valid_submissions"], 0, "{group}");
    assert_eq!(group["competition_reports"].as_array().unwrap().len(), refused.len());
}

/// Threat 9: nothing that lies beside a submission, and not the submission itself, is ever run, imported, or taken for a
/// grader, a policy or a competition.
#[cfg(unix)]
#[test]
fn nothing_of_a_submission_is_executed() {
    use std::os::unix::fs::PermissionsExt;
    let workbench = Workbench::with_example();
    let marker = workbench.path("marker");
    let trojan = format!("#!/bin/sh\necho ran >> {}\n", marker.display());
    let programs = [
        "submission.csv",
        "sh",
        "bash",
        "python",
        "python3",
        "podium",
        "git",
        "curl",
        "cc",
        "node",
        "compile-component",
        "conftest.py",
        "sitecustomize.py",
        "setup.py",
        ".envrc",
        "Makefile",
    ];
    for name in programs {
        let path = workbench.write(format!("agent/{name}"), &trojan);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // It would score otherwise, were it looked at.
    let quarter = example_grader(&[(r"\e0\3f", r"\d0\3f")]);
    for name in ["grader.wasm", "example.wasm", "graders/example.wasm", "example/grader.wasm"] {
        workbench.write(format!("agent/{name}"), &quarter);
    }
    let definition = fs::read(workbench.path("competitions/example/competition.toml")).unwrap();
    for name in
        ["competition.toml", "example/competition.toml", "competitions/example/competition.toml"]
    {
        workbench.write(format!("agent/{name}"), &definition);
    }
    workbench.write("agent/trust.toml", "default = \"refuse\"\n");
    workbench.write("agent/pins.toml", "[pins]\n");
    workbench.write("agent/runs.jsonl", list_of("submission.csv"));
    let agent = workbench.path("agent");
    let path = format!("{}:/usr/bin:/bin", agent.display());
    for arguments in [
        &["grade-sample", "submission.csv", "example", "--receipt", "a.receipt.json"][..],
        &["validate", "submission.csv", "example"],
        &["grade", "--submission", "runs.jsonl", "--output-dir", "out"],
        &["verify", "a.receipt.json"],
        &["verify", "out"],
        &["list"],
        &["show", "example"],
    ] {
        let mut command = workbench.podium(arguments.iter().copied());
        let ran = Ran::of(command.current_dir(&agent).env("PATH", &path)).ends_with(0);
        assert!(!marker.exists(), "{arguments:?} ran something: {ran:?}");
        assert!(!ran.stdout.contains("0.25"), "{arguments:?}: {ran:?}");
    }
    let report = workbench.run(["grade-sample", "agent/submission.csv", "example", "--json"]);
    assert_eq!(report.ends_with(0).json()["score"], 0.5);
    // That the trap works at all.
    assert!(std::process::Command::new(agent.join("sh")).status().unwrap().success());
    assert!(marker.exists());
}

/// Threat 15: whatever a receipt names by its digest, changed where it lies, is graded as it is now, although compiled
/// graders are kept from one run to the next.
#[test]
fn what_changed_on_disk_is_graded_anew() {
    let workbench = Workbench::with_example();
    let grade = || {
        let arguments = ["grade-sample", "submission.csv", "example", "--json"];
        workbench.run(arguments.into_iter().chain(["--receipt", "a.receipt.json"])).ends_with(0);
        let receipt = fs::read_to_string(workbench.path("a.receipt.json")).unwrap();
        let claim = serde_json::from_str::<Value>(&receipt).unwrap()["claim"].take();
        fs::remove_file(workbench.path("a.receipt.json")).unwrap();
        let digests = [
            claim["component"]["sha256"].clone(),
            claim["inputs"][0]["sha256"].clone(),
            claim["inputs"][1]["sha256"].clone(),
        ];
        (digests, claim["outcome"]["score"]["decimal"].clone())
    };
    let (before, score) = grade();
    assert_eq!((&grade().0, score), (&before, "0.5".into()));
    let quarter = example_grader(&[(r"\e0\3f", r"\d0\3f")]);
    let changes: [(&str, Vec<u8>, usize, &str); 3] = [
        ("graders/example.wasm", quarter, 0, "0.25"),
        ("submission.csv", b"id,value\n1,0.6\n".to_vec(), 1, "0.5"),
        ("data/example/prepared/private/answers.csv", b"id,value\n1,0\n".to_vec(), 2, "0.5"),
    ];
    for (path, content, changed, scores) in changes {
        let original = fs::read(workbench.path(path)).unwrap();
        workbench.write(path, &content);
        let (after, score) = grade();
        for (index, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(before != after, index == changed, "{path}: digest {index}");
        }
        assert_eq!(score, scores, "{path}");
        workbench.write(path, original);
        assert_eq!(grade().0, before, "{path} as it was");
    }
}

/// Threat 20: what a grader says is cut and escaped before a terminal, a report or a receipt has it.
#[test]
fn what_a_grader_says_steers_nothing_and_is_short() {
    let workbench = Workbench::with_example();
    let text = "\"the submission is empty\"";
    // A title, a bell, a change of direction, a carriage return and the control sequence introducer, in 23 bytes.
    let steering = r#""\1b]0;x\07\e2\80\aegone\0d\c2\9b31mevil""#;
    let length = r#""\8c\00\00\00\17\00\00\00""#;
    for (what, replaced, part) in [
        ("steering", vec![(text, steering), ("\"none\"", r#""\1b[2J""#)], "evil"),
        ("long", vec![(length, r#""\8c\00\00\00\00\f0\00\00""#)], "…"),
    ] {
        workbench.write("graders/example.wasm", example_grader(&replaced));
        workbench.write("empty.csv", "");
        workbench.write("runs.jsonl", list_of("empty.csv"));
        workbench.run(["grader", "add", "graders"]).ends_with(0);
        for (arguments, code, says) in [
            (&["grade-sample", "empty.csv", "example"][..], 1, true),
            (
                &["grade-sample", "empty.csv", "example", "--json", "--receipt", "a.receipt.json"],
                1,
                true,
            ),
            (&["validate", "empty.csv", "example"], 1, true),
            (&["validate", "empty.csv", "example", "--json"], 1, true),
            (&["grade", "--submission", "runs.jsonl", "--output-dir", "out"], 0, true),
            (&["verify", "a.receipt.json", "--submission", "empty.csv"], 0, false),
            (&["inspect", "graders/example.wasm"], 0, false),
            (&["grader", "list"], 0, false),
            (&["doctor", "--grading-only"], 0, false),
        ] {
            let ran = workbench.run(arguments.iter().copied()).ends_with(code);
            let said = everything(&workbench, &ran, &["out", "out/receipts"]);
            let steers = |character: char| {
                (character.is_control() && !matches!(character, '\n' | '\t'))
                    || character == '\u{202e}'
            };
            assert!(!said.contains(steers), "{what}, {arguments:?}: {said:?}");
            assert!(said.len() < 64 << 10, "{what}, {arguments:?}: {} bytes", said.len());
            assert!(!says || said.contains(part), "{what}, {arguments:?}: {said}");
        }
        let receipt = fs::read_to_string(workbench.path("a.receipt.json")).unwrap();
        assert!(receipt.len() < 32 << 10 && !receipt.contains('\u{1b}'), "{receipt}");
        fs::remove_dir_all(workbench.path("out")).unwrap();
        fs::remove_file(workbench.path("a.receipt.json")).unwrap();
    }
}

/// Threat 24: the version of the GPU toolkit is shown, with a warning where an image could take over the host; nothing but
/// the toolkit's own programs is asked for it.
#[cfg(unix)]
#[test]
fn doctor_warns_of_a_gpu_toolkit_that_is_too_old() {
    use std::os::unix::fs::PermissionsExt;
    let old = "CVE-2025-23266";
    for (programs, state, part) in [
        (&[("nvidia-ctk", "NVIDIA Container Toolkit CLI version 1.17.7")][..], "warning", old),
        (&[("nvidia-ctk", "NVIDIA Container Toolkit CLI version 1.9.0")], "warning", old),
        (&[("nvidia-ctk", "NVIDIA Container Toolkit CLI version 1.17.8")], "ok", "1.17.8"),
        (
            &[("nvidia-container-toolkit", "NVIDIA Container Runtime Hook version 1.17.8-1")],
            "ok",
            "1.17.8-1",
        ),
        (
            &[("nvidia-container-toolkit", "version 1.17.7"), ("nvidia-ctk", "2.0.0")],
            "warning",
            old,
        ),
        (&[("nvidia-ctk", "segfault")], "warning", "unknown version"),
        (&[], "warning", "not installed"),
    ] {
        let workbench = Workbench::with_example();
        let program = |name: &str, text: String| {
            let path = workbench.write(format!("bin/{name}"), text);
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        for (name, said) in programs {
            program(name, format!("#!/bin/sh\necho '{said}'\necho 'commit: 9.9.9'\n"));
        }
        let told = workbench.path("told");
        for name in ["nvidia-smi", "nvidia-container-cli", "nvidia-container-runtime", "docker"] {
            program(name, format!("#!/bin/sh\necho {name} >> '{}'\n", told.display()));
        }
        let mut command = workbench.podium(["doctor", "--json"]);
        command.env("PATH", workbench.path("bin"));
        command.env("DOCKER_HOST", format!("unix://{}", workbench.path("no.sock").display()));
        let checks = Ran::of(&mut command).ends_with(0).json();
        let mut checks = checks.as_array().unwrap().iter();
        let toolkit = checks.find(|check| check["name"] == "gpu toolkit").unwrap();
        assert_eq!(toolkit["state"], state, "{programs:?}: {toolkit}");
        assert!(toolkit["found"].as_str().unwrap().contains(part), "{programs:?}: {toolkit}");
        assert!(!told.exists(), "{programs:?}: {}", fs::read_to_string(told).unwrap());
    }
}
