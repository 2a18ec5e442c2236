//! What is seen of runs while they run, and what of them is graded afterwards.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use podium_tests::artifacts;
use podium_tests::container_engine as engine;
use podium_tests::run_bench::RunBench;
use serde_json::Value;

/// A command in a terminal, with what it has written there.
fn in_terminal(bench: &RunBench, arguments: &[&str]) -> String {
    let program = artifacts::podium();
    let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    let command =
        format!("stty rows 40 columns 220; exec '{}' {}", program.display(), words.join(" "));
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(bench.workbench.path(""))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TERM", "xterm")
        .env("HOME", bench.workbench.path("home"))
        .env("PODIUM_COMPETITIONS", bench.workbench.path("competitions"))
        .env("PODIUM_GRADERS", bench.workbench.path("graders"))
        .env("PODIUM_DATA", bench.workbench.path("data"))
        .stdin(Stdio::null())
        .output()
        .expect("the `script` program of util-linux");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn a_terminal_shows_a_table_of_what_runs() {
    let Some(bench) = RunBench::new() else { return };
    bench.configure("time_limit_seconds = 3600\nusage_interval_seconds = 1\n");
    bench.agent(
        &[
            "validate=id,value\\n1,1\\n",
            "print=thinking hard",
            "sleep=4000",
            "submit=id,value\\n1,1\\n",
        ],
        "",
    );
    let arguments = bench.start_arguments("tester", &["--seeds", "2"]);
    let arguments: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| *argument != "--json").collect();
    let seen = in_terminal(&bench, &arguments);
    for part in [
        "1 running, 1 waiting",
        "thinking hard",
        "1 valid",
        "0:59:",
        "MiB",
        "docker",
        "1 completed",
        "(2 of 2 in this call)",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert_eq!(bench.events("finished"), 2);
}

#[test]
fn another_terminal_and_programs_see_the_same() {
    let Some(bench) = RunBench::new() else { return };
    bench.agent(&["print=thinking hard", "sleep=5000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn();
    engine::wait_for_container(&bench.group());
    bench.wait_for_events("started", 1);
    thread::scope(|scope| {
        let watched = scope
            .spawn(|| bench.workbench.run(["run", "status", "runs/group", "--watch", "--json"]));
        let lines = scope.spawn(|| bench.workbench.run(["run", "status", "runs/group", "--watch"]));
        let table = in_terminal(&bench, &["run", "status", "runs/group", "--watch"]);
        assert!(
            table.contains("1 running, 0 waiting") && table.contains("thinking hard"),
            "{table}"
        );
        let watched = watched.join().unwrap().ends_with(0);
        let events: Vec<Value> =
            watched.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<&str> =
            events.iter().map(|event| event["event"].as_str().unwrap()).collect();
        assert_eq!(
            kinds,
            ["planned", "runner-started", "starting", "started", "finished", "group-finished"]
        );
        let lines = lines.join().unwrap().ends_with(0);
        assert!(
            lines.stdout.contains(": started\n") && lines.stdout.contains("no runner works on it"),
            "{lines:?}"
        );
    });
    assert!(runner.wait().unwrap().success());
    // A group on which nobody works is said to be so, and not waited for.
    thread::sleep(Duration::from_millis(10));
    bench.workbench.run(["run", "status", "runs/group", "--watch"]).ends_with(0);
}

#[test]
fn programs_read_events_as_they_come() {
    let Some(bench) = RunBench::new() else { return };
    bench.agent(&["submit=id,value\\n1,1\\n"], "");
    let ran = bench.start(&[]).ends_with(0);
    let events = ran.stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let kinds: Vec<String> =
        events.map(|event| event["event"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["runner-started", "starting", "started", "finished", "group-finished"]);
}

#[test]
fn what_a_run_had_at_each_time_can_be_graded_into_a_curve() {
    let Some(bench) = RunBench::new() else { return };
    bench.agent(
        &[
            "validate=id,value\\n1,7\\n",
            "sleep=1200",
            "validate=",
            "sleep=1200",
            "submit=id,value\\n1,1\\n",
        ],
        "",
    );
    bench.start(&["--seeds", "2", "--workers", "2"]).ends_with(0);
    let report =
        bench.workbench.run(["run", "grade-snapshots", "runs/group", "--json"]).ends_with(0).json();
    let gradings = report["competition_reports"].as_array().unwrap();
    // Two that were validated, and what the run ended with: none of them twice.
    assert_eq!(gradings.len(), 6);
    for seed in 0..2 {
        let of_seed: Vec<&Value> =
            gradings.iter().filter(|grading| grading["run"]["seed"] == seed).collect();
        let times: Vec<Option<f64>> =
            of_seed.iter().map(|grading| grading["run"]["elapsed_seconds"].as_f64()).collect();
        let outcomes: Vec<&str> =
            of_seed.iter().map(|grading| grading["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, ["scored", "invalid-submission", "scored"]);
        let times: Vec<f64> = times.into_iter().flatten().collect();
        assert!(
            times.is_sorted() && times[1] - times[0] > 1.0 && times[2] - times[1] > 1.0,
            "{times:?}"
        );
    }
    bench
        .workbench
        .run([
            "experiment",
            "report",
            "runs/group/over-time",
            "--out",
            "study",
            "--incomplete",
            "pad",
        ])
        .ends_with(0);
    let curve = fs::read_to_string(bench.workbench.path("study/over-time.csv")).unwrap();
    // A line for each time of both runs, the last of which is of what both came to.
    let lines: Vec<&str> = curve.lines().collect();
    assert_eq!(lines.len(), 1 + 6, "{curve}");
    assert!(
        lines[6].starts_with("over-time,false,2.") && lines[6].ends_with(",100,0,100"),
        "{curve}"
    );

    let nothing = bench.workbench.run(["run", "grade-snapshots", "runs"]);
    assert_ne!(nothing.code, 0);
}
