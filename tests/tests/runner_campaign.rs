//! Many runs, and many kills: no run is lost, none counts twice, and nothing is left behind.
//!
//! The short campaigns are among the ordinary tests. `cargo xtask runner-campaign` runs the long ones, which print figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use podium_tests::container_engine as engine;
use podium_tests::run_bench::RunBench;

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What a process takes.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    descriptors: usize,
    memory_kib: u64,
}

impl Taken {
    /// None once the process has ended.
    fn by(process: u32) -> Option<Taken> {
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count();
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(Taken { descriptors, memory_kib: peak.trim().trim_end_matches(" kB").parse().ok()? })
    }
}

fn volumes() -> BTreeSet<String> {
    let listed = engine::docker(&["volume", "ls", "--quiet", "--filter", "dangling=true"]);
    listed.lines().map(str::to_owned).collect()
}

/// Every run has ended well, once.
fn each_is_done_once(bench: &RunBench, runs: usize) {
    let finished = bench.list_events("finished");
    let distinct: BTreeSet<&str> =
        finished.iter().map(|event| event["run"].as_str().unwrap()).collect();
    assert_eq!((finished.len(), distinct.len()), (runs, runs));
    let records = bench.records();
    assert_eq!(records.len(), runs);
    for record in &records {
        assert_eq!(record["ending"], "completed", "{record}");
        let run = record["run"].as_str().unwrap();
        let folder = bench.group().join(run);
        assert!(folder.join("submission/submission.csv").is_file(), "{record}");
        let log = fs::read_to_string(folder.join("agent.log")).unwrap();
        let journal = fs::read_to_string(bench.group().join("events.jsonl")).unwrap();
        let of_run: Vec<&str> = journal.lines().filter(|line| line.contains(run)).collect();
        assert_eq!(log, "done\n", "{of_run:#?}");
        assert!(!folder.join(".podium").exists(), "{run}");
    }
    let list = fs::read_to_string(bench.group().join("submission.jsonl")).unwrap();
    assert_eq!(list.lines().count(), runs);
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

/// Runs a group to its end, undisturbed.
fn leaks_nothing(runs: &'static str, workers: &'static str) {
    let Some(bench) = RunBench::new() else { return };
    bench.agent(&["submit=id,value\\n1,1\\n", "print=done"], "");
    let count: usize = runs.parse().unwrap();
    let begun = Instant::now();
    let mut runner = bench.spawn_with(&["--seeds", runs, "--workers", workers]);
    let (mut early, mut late) = (Taken::default(), Taken::default());
    while runner.try_wait().unwrap().is_none() {
        if let Some(taken) = Taken::by(runner.id()) {
            let finished = match bench.group().join("events.jsonl").is_file() {
                true => bench.events("finished"),
                false => 0,
            };
            match finished * 4 < count {
                true => early.descriptors = early.descriptors.max(taken.descriptors),
                false => late.descriptors = late.descriptors.max(taken.descriptors),
            }
            late.memory_kib = late.memory_kib.max(taken.memory_kib);
        }
        thread::sleep(Duration::from_millis(100));
    }
    assert!(runner.wait().unwrap().success());
    println!(
        "{runs} runs over {workers} workers took {:.1} s; the runner had {} KiB at most, and {} open files, {} in the first quarter",
        begun.elapsed().as_secs_f64(),
        late.memory_kib,
        late.descriptors,
        early.descriptors
    );
    each_is_done_once(&bench, count);
    assert_eq!(bench.events("starting"), count);
    // A file that stayed open for each run would be one for each of the last three quarters.
    assert!(
        late.descriptors < early.descriptors + count / 2,
        "{} open files, {} in the first quarter",
        late.descriptors,
        early.descriptors
    );
}

/// Kills runners and containers at random while a group is worked on.
fn survives_kills(runs: &'static str, workers: &'static str, kills: usize, seed: u64) {
    let Some(bench) = RunBench::new() else { return };
    bench.configure("time_limit_seconds = 600\nretries = 1000\n");
    bench.agent(&["sleep=1500", "submit=id,value\\n1,1\\n", "print=done"], "");
    let count: usize = runs.parse().unwrap();
    let mut numbers = Numbers(seed);
    let resume = |bench: &RunBench| bench.spawn_resume();
    let mut runner: Child = bench.spawn_with(&["--seeds", runs, "--workers", workers]);
    bench.wait_for_events("starting", 1);
    let (mut of_runner, mut of_container) = (0, 0);
    while of_runner + of_container < kills {
        thread::sleep(Duration::from_millis(100 + numbers.below(900)));
        if let Some(status) = runner.try_wait().unwrap() {
            assert!(status.success(), "{status} after {of_runner} and {of_container} kills");
            break;
        }
        no_run_has_two_containers(&bench);
        if numbers.below(2) == 0 {
            runner.kill().unwrap();
            runner.wait().unwrap();
            runner = resume(&bench);
            of_runner += 1;
        } else {
            let running = engine::running_of(&bench.group());
            if running.is_empty() {
                continue;
            }
            let place = numbers.below(running.len() as u64);
            // It may have ended by itself just now.
            of_container += usize::from(engine::kill(&running[usize::try_from(place).unwrap()]));
        }
    }
    let status = runner.wait().unwrap();
    println!(
        "{runs} runs over {workers} workers, seed {seed}: the runner was killed {of_runner} times, a container \
         {of_container} times; {} attempts, {} taken over, {} run again",
        bench.events("starting"),
        bench.events("reattached"),
        bench.events("retrying")
    );
    assert!(status.success(), "{status}");
    assert_eq!(of_runner + of_container, kills, "the group was over too soon for all kills");
    each_is_done_once(&bench, count);
}

fn no_run_has_two_containers(bench: &RunBench) {
    let mut by_run: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for container in engine::running_of(&bench.group()) {
        let run = container.rsplit_once('-').unwrap().0.to_owned();
        by_run.entry(run).or_default().push(container);
    }
    let doubled: Vec<_> = by_run.values().filter(|containers| containers.len() > 1).collect();
    assert!(doubled.is_empty(), "{doubled:?}");
}

#[test]
fn many_runs_leak_nothing() {
    leaks_nothing("24", "8");
}

#[test]
fn kills_lose_no_run_and_double_none() {
    survives_kills("24", "4", 10, 7);
}

// The long campaigns are ignored because a quarter of an hour is too much for every run of the tests, and because they
// compare what the whole engine has before and after, which other tests change. Their short forms above are not.

/// `cargo xtask runner-campaign`
#[test]
#[ignore = "takes minutes, and an engine for itself"]
fn two_hundred_runs_leak_nothing() {
    let before = volumes();
    leaks_nothing("200", "8");
    assert_eq!(volumes(), before);
}

/// `cargo xtask runner-campaign`
#[test]
#[ignore = "takes minutes, and an engine for itself"]
fn a_hundred_kills_lose_no_run_and_double_none() {
    let before = volumes();
    survives_kills("200", "8", 100, 1);
    assert_eq!(volumes(), before);
}

/// `cargo xtask runner-campaign`
#[test]
#[ignore = "takes minutes, and an engine for itself"]
fn one_worker_shows_what_a_run_takes() {
    leaks_nothing("20", "1");
}
