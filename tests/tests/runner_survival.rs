//! Accidents that runs have to survive: whatever is left behind, `podium run resume` goes on from it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use podium_tests::container_engine as engine;
use podium_tests::run_bench::RunBench;

/// A small file system of its own, which can grow; none where this machine allows none.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: PathBuf, size: &str) -> Option<SmallDisk> {
        fs::create_dir_all(&folder).unwrap();
        let options = format!("size={size},mode=755");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "podium-test"])
            .arg(&folder)
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(SmallDisk(folder));
        }
        assert!(
            !std::env::var("PODIUM_REQUIRE_DOCKER").is_ok_and(|value| value == "1"),
            "a small file system cannot be mounted, which takes root, and PODIUM_REQUIRE_DOCKER=1"
        );
        eprintln!("skipped: a small file system cannot be mounted");
        None
    }

    fn grow(&self, size: &str) {
        let options = format!("remount,size={size}");
        let status = Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Threat 21: what cannot be copied out stays where it is until it can.
#[test]
fn a_full_disk_costs_no_run() {
    let Some(bench) = RunBench::new() else { return };
    let Some(disk) = SmallDisk::mount(bench.workbench.path("runs"), "1M") else { return };
    bench.agent(&["print=once", "large=3000000", "submit=id,value\\n1,1\\n", "print=done"], "");
    let stopped = bench.start(&["--seeds", "2"]).ends_with(6);
    for part in ["No space left", "waits in its container", "podium run resume"] {
        assert!(stopped.stderr.contains(part), "{part}: {}", stopped.stderr);
    }
    assert_eq!((bench.events("starting"), bench.events("finished")), (1, 0));
    assert_eq!(engine::left_of(&bench.group()).len(), 1, "what the agent has made is there");

    // Still full: nothing gets worse.
    bench.workbench.run(["run", "resume", "runs/group"]).ends_with(6);
    assert_eq!((bench.events("starting"), bench.events("finished")), (1, 0));

    disk.grow("64M");
    bench.workbench.run(["run", "resume", "runs/group"]).ends_with(0);
    assert_eq!((bench.events("starting"), bench.events("finished")), (2, 2), "none was run twice");
    for record in bench.records() {
        assert_eq!((&record["ending"], &record["attempt"]), (&"completed".into(), &1.into()));
        assert_eq!(record["copied"]["code"]["bytes"], 3_000_000);
        let run = record["run"].as_str().unwrap();
        let log = fs::read_to_string(bench.group().join(run).join("agent.log")).unwrap();
        assert_eq!(log, "once\ndone\n");
    }
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

#[test]
fn a_disk_without_room_for_the_journal_costs_no_run() {
    let Some(bench) = RunBench::new() else { return };
    let Some(disk) = SmallDisk::mount(bench.workbench.path("runs"), "1M") else { return };
    bench.agent(&["sleep=3000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn_with(&["--seeds", "2"]);
    bench.wait_for_events("started", 1);
    // Everything that is left, to the last page.
    let filler = bench.workbench.path("runs/filler");
    let _ = fs::write(&filler, vec![0; 2 << 20]);
    assert_eq!(runner.wait().unwrap().code(), Some(6));
    fs::remove_file(&filler).unwrap();
    disk.grow("64M");
    bench.workbench.run(["run", "resume", "runs/group"]).ends_with(0);
    assert_eq!((bench.events("starting"), bench.events("finished")), (2, 2), "none was run twice");
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

/// A disk that is too small for the plan, and a runner that is killed while it plans: there is no folder, and the same
/// command works once there is room.
#[test]
fn a_group_that_could_not_be_planned_is_not_there() {
    let Some(bench) = RunBench::new() else { return };
    let Some(disk) = SmallDisk::mount(bench.workbench.path("runs"), "40k") else { return };
    bench.agent(&["submit=id,value\\n1,1\\n"], "");
    let seeds = ["--seeds", "500", "--no-grade"];
    let stopped = bench.start(&seeds).ends_with(6);
    assert!(stopped.stderr.contains("No space left"), "{}", stopped.stderr);
    assert_eq!(fs::read_dir(bench.workbench.path("runs")).unwrap().count(), 0);
    disk.grow("64M");
    for wait in [5, 20, 40, 60, 80] {
        let mut runner = bench.spawn_with(&seeds);
        std::thread::sleep(std::time::Duration::from_millis(wait));
        runner.kill().unwrap();
        runner.wait().unwrap();
        if bench.group().exists() {
            assert!(bench.group().join("run.toml").is_file(), "after {wait} ms");
            break;
        }
    }
    bench.forget_group();
    bench.start(&["--seeds", "2"]).ends_with(0);
    let left: Vec<_> = fs::read_dir(bench.workbench.path("runs")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!((bench.events("planned"), bench.events("finished")), (2, 2));
}

#[test]
fn a_container_that_somebody_removes_is_made_again() {
    let Some(bench) = RunBench::new() else { return };
    bench.agent(&["sleep=4000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn();
    let container = engine::wait_for_container(&bench.group());
    bench.wait_for_events("started", 1);
    engine::docker(&["rm", "--force", &container]);
    assert!(runner.wait().unwrap().success());
    let retried = bench.list_events("retrying");
    assert_eq!(retried.len(), 1);
    // It is killed first, which may be seen before it is gone.
    assert!(retried[0]["reason"].as_str().unwrap().contains("somebody"), "{retried:?}");
    assert_eq!((bench.events("finished"), &bench.record()["attempt"]), (1, &2.into()));
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

#[test]
fn an_image_that_is_missing_can_be_brought_back() {
    let Some(bench) = RunBench::new() else { return };
    bench.agent(&["sleep=3000", "submit=id,value\\n1,1\\n"], "");
    // An image by name, which nobody but its owner can make again.
    let image = format!("podium-test-missing:{}", std::process::id());
    let program = podium_tests::artifacts::root().join("target/runner/podium-test-agent");
    let context = bench.workbench.path("agents/tester/image");
    fs::copy(program, context.join("podium-test-agent")).unwrap();
    let build = || {
        engine::docker(&["build", "--quiet", "--tag", &image, &context.display().to_string()]);
    };
    build();
    let definition = fs::read_to_string(bench.workbench.path("agents/tester/agent.toml")).unwrap();
    let (before, _) = definition.split_once("[build]").unwrap();
    bench.workbench.write("agents/tester/agent.toml", format!("image = {image:?}\n{before}"));

    let mut runner = bench.spawn_with(&["--seeds", "2"]);
    bench.wait_for_events("started", 1);
    bench.workbench.run(["run", "stop", "runs/group"]).ends_with(0);
    assert_eq!(runner.wait().unwrap().code(), Some(130));
    engine::docker(&["rmi", "--force", &image]);
    let refused = bench.workbench.run(["run", "resume", "runs/group"]).ends_with(7);
    assert!(
        refused.stderr.contains("no image") && refused.stderr.contains("docker build"),
        "{}",
        refused.stderr
    );
    assert_eq!((bench.events("starting"), bench.events("finished")), (1, 1));
    build();
    bench.workbench.run(["run", "resume", "runs/group"]).ends_with(0);
    assert_eq!((bench.events("starting"), bench.events("finished")), (2, 2));
    engine::docker(&["rmi", "--force", &image]);
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

#[test]
fn a_network_that_was_left_behind_is_in_nobodys_way() {
    let Some(bench) = RunBench::new() else { return };
    bench.configure("network = \"internal\"\n");
    bench.agent(&["sleep=6000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn();
    let container = engine::wait_for_container(&bench.group());
    bench.wait_for_events("started", 1);
    runner.kill().unwrap();
    runner.wait().unwrap();
    engine::docker(&["rm", "--force", &container]);
    assert_eq!(engine::left_of(&bench.group()), [container.as_str()], "the network");
    // One that the next attempt would make, of somebody who was killed just then.
    let next = container.strip_suffix("-1").map(|name| format!("{name}-2")).unwrap();
    engine::docker(&["network", "create", &next]);
    bench.workbench.run(["run", "resume", "runs/group"]).ends_with(0);
    assert_eq!((bench.events("finished"), &bench.record()["attempt"]), (1, &2.into()));
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
    assert!(!engine::docker(&["network", "ls", "--format", "{{.Name}}"]).contains(&next));
}
