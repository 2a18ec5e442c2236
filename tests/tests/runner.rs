//! Runs of agents on the real Docker engine, through the `podium` program.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use podium_tests::container_engine as engine;
use podium_tests::run_bench::{PUBLIC_LABEL, RunBench as Bench, SECRET_ANSWER};
use podium_tests::workbench::Ran;
use serde_json::Value;

/// Threat 4: no way to a score before the end.
#[test]
fn the_dummy_agent_is_run_and_graded() {
    let Some(bench) = Bench::new() else { return };
    bench.bundle("dummy");
    let ran = Ran::of(
        bench
            .workbench
            .podium([
                "run",
                "start",
                "--agent",
                "dummy",
                "--competition",
                "example",
                "--name",
                "group",
                "--json",
            ])
            .env("PODIUM_AGENTS", bench.workbench.path("agents")),
    )
    .ends_with(0);
    let result = ran.json();
    assert_eq!(result["endings"]["completed"], 1);
    assert_eq!(result["report"]["competition_reports"][0]["score"], 0.5);
    assert_eq!(result["report"]["competition_reports"][0]["outcome"], "scored");
    let record = bench.record();
    assert_eq!(record["submission"]["is_sample_submission"], true);
    assert_eq!(record["validation"]["calls"], 1);
    assert_eq!(record["validation"]["valid"], 1);
    assert_eq!(record["validation"]["scores_given"], 0);
    // What it was and where, as the engine says it; and what was graded.
    let container = &record["container"];
    assert!(container["image"].as_str().unwrap().starts_with("sha256:"), "{container}");
    assert_eq!((&container["network"], &container["pids"]), (&"none".into(), &16384.into()));
    for known in [
        "runtime",
        "host_cpus",
        "host_memory",
        "engine",
        "kernel",
        "operating_system",
        "architecture",
        "shm",
    ] {
        assert!(!container[known].is_null(), "{known}: {container}");
    }
    // However short it was.
    let usage = bench.lines("usage.jsonl");
    let first = usage.first().expect("a line");
    assert!(first["memory_bytes"].is_u64() || first["missing"].is_string(), "{first}");
    let shown = bench.workbench.run(["run", "logs", "runs/group", record["run"].as_str().unwrap()]);
    assert_eq!(shown.ends_with(0).stdout, bench.log());
    let submitted = fs::read(bench.run_file("submission/submission.csv")).unwrap();
    assert_eq!(record["submission"]["sha256"], podium::Digest::of(&submitted).to_string());
    assert!(
        bench.log().contains("Validation says: {\"result\":\"Submission is valid.\"}"),
        "{}",
        bench.log()
    );
    assert_eq!(
        fs::read_to_string(bench.run_file("submission/submission.csv")).unwrap(),
        "id,value\n1,0\n"
    );
    assert!(
        bench.run_file("code/README.txt").is_file() && bench.run_file("logs/dummy.log").is_file()
    );
    assert!(bench.group().join("metadata.json").is_file());
    assert_eq!(fs::read_dir(bench.group().join("receipts")).unwrap().count(), 1);
    assert!(!bench.run_file(".podium").exists());
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

/// Threat 1: root in the container finds no byte of the answers.
/// Threat 2: nor the engine's socket, nor any power.
/// Threat 24: what the image preloads is taken out.
#[test]
fn the_answers_are_not_in_the_container() {
    let Some(bench) = Bench::new() else { return };
    let find = format!("find={SECRET_ANSWER}");
    let find_public = format!("find={PUBLIC_LABEL}");
    bench.agent(
        &[
            &find_public,
            &find,
            "status",
            "mounts",
            "environment=LD_PRELOAD",
            "submit=id,value\\n1,1\\n",
        ],
        "user = \"0\"",
    );
    bench.start(&[]).ends_with(0);
    let log = bench.log();
    assert_eq!(log.matches("searched all").count(), 2, "{log}");
    let found: Vec<&str> = log.lines().filter(|line| line.starts_with("found in")).collect();
    assert_eq!(
        found,
        ["found in /home/data/train.csv"],
        "the public label, and nothing for the answer"
    );
    let field = |name: &str| {
        let line = log.lines().find(|line| line.starts_with(name)).expect("a line of the status");
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    assert_eq!(u64::from_str_radix(&field("CapEff:"), 16).unwrap(), 0);
    assert_eq!(field("NoNewPrivs:"), "1");
    assert!(!log.contains("docker.sock") && !log.contains("prepared/private"), "{log}");
    assert!(log.contains("LD_PRELOAD=(unset)"), "{log}");
}

/// Threat 5: the same reply to any two valid submissions, headers included but for the time.
/// Threat 14: each upload has its own file and gets its own answer.
#[test]
fn validation_answers_as_agents_know_it_in_an_image_without_anything() {
    let Some(bench) = Bench::new() else { return };
    bench.configure("time_limit_seconds = 120\n[validation]\neach_minute = 1000\n");
    bench.agent(
        &[
            "health",
            "validate=id,value\\n1,1\\n",
            "validate=id,value\\n1,0\\n",
            "validate=",
            "request=GET /score HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n",
            "request=POST /start HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\n\\r\\n",
            "request=nonsense\\r\\n\\r\\n",
            "validate-at-once=64",
            "submit=id,value\\n1,1\\n",
            "script",
        ],
        "",
    );
    bench.start(&[]).ends_with(0);
    let log = bench.log();
    assert!(log.contains("{\"status\":\"running\"}"), "{log}");
    let replies: Vec<&str> = log.matches("{\"result\":\"Submission is valid.\"}").collect();
    assert_eq!(replies.len(), 3, "{log}");
    assert!(log.contains("{\"result\":\"Submission invalid! the submission is empty\"}"), "{log}");
    assert!(
        log.contains("404 Not Found")
            && log.contains("403 Forbidden")
            && log.contains("400 Bad Request"),
        "{log}"
    );
    assert!(log.contains("right answers: 64 of 64"), "{log}");
    assert!(log.contains("script: {\"result\":\"Submission is valid.\"}"), "{log}");
    assert!(!log.contains("0.5"), "no score: {log}");
    let record = bench.record();
    assert_eq!(record["validation"]["calls"], 68);
    assert_eq!(record["validation"]["invalid"], 33);
    let validations = fs::read_to_string(bench.run_file("validations.jsonl")).unwrap();
    assert_eq!(validations.lines().count(), 68);
    // Distinct contents: 32 valid ones, two by hand of which one is among the 32 or not, and the empty one.
    let snapshots = fs::read_to_string(bench.run_file("snapshots/snapshots.jsonl")).unwrap();
    let mut digests: Vec<String> = snapshots
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["sha256"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(record["validation"]["snapshots"], digests.len());
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), snapshots.lines().count());
    assert!(digests.len() >= 33);
}

/// Threat 6: what can be asked is limited in number and size.
#[test]
fn validation_is_limited() {
    let Some(bench) = Bench::new() else { return };
    bench.configure("[validation]\neach_minute = 3\nsubmission = \"40\"\n");
    let long = format!("validate={}", "x".repeat(100));
    bench.agent(&["validate=a\\n1\\n", &long, "validate=a\\n1\\n", "validate=a\\n1\\n"], "");
    bench.start(&[]).ends_with(0);
    let log = bench.log();
    assert!(
        log.contains("413 Payload Too Large") && log.contains("429 Too Many Requests"),
        "{log}"
    );
    let validation = &bench.record()["validation"];
    assert_eq!((&validation["calls"], &validation["refused"]), (&4.into(), &2.into()));
    assert_eq!(bench.lines("validations.jsonl").len(), 4);

    // Of those beyond all that a run has, the first is a line, and none after it.
    bench.forget_group();
    bench.configure("[validation]\neach_run = 2\n");
    bench.agent(&["validate=a\\n1\\n"; 6], "");
    bench.start(&[]).ends_with(0);
    let validation = &bench.record()["validation"];
    assert_eq!((&validation["calls"], &validation["refused"]), (&6.into(), &4.into()));
    let lines = bench.lines("validations.jsonl");
    assert_eq!(lines.len(), 3);
    assert!(lines[2]["refused"].as_str().unwrap().contains("has 2 validations"), "{lines:?}");
}

/// Threat 21: what an agent has when its time is over is copied out, and nothing is left behind.
/// Threat 22: the limit is the host's; the image has no program that could keep it.
#[test]
fn an_agent_that_does_not_end_is_ended_and_graded() {
    let Some(bench) = Bench::new() else { return };
    bench.configure("time_limit_seconds = 2\ngrace_seconds = 1\nsnapshot_interval_seconds = 1\n");
    bench.agent(&["submit=id,value\\n1,1\\n", "sleep=600000"], "");
    let result = bench.start(&[]).ends_with(0).json();
    assert_eq!(result["endings"]["timed-out"], 1);
    assert_eq!(result["report"]["competition_reports"][0]["score"], 0.5);
    assert_eq!(bench.record()["validation"]["snapshots"], 1);
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

/// Threat 8: links of an agent are not followed.
/// Threat 16: nor are they copied.
/// Threat 23: the agent's own failures are its own, and are not tried again.
#[test]
fn links_are_refused_and_failures_of_the_agent_are_its_own() {
    let Some(bench) = Bench::new() else { return };
    bench.configure("[output]\nfolder = \"1M\"\n");
    bench.agent(&["links", "exit=3"], "");
    let result = bench.start(&[]).ends_with(0).json();
    assert_eq!(result["endings"]["agent-failed"], 1);
    assert_eq!(result["report"]["competition_reports"][0]["outcome"], "no-submission");
    let record = bench.record();
    assert_eq!((&record["exit_code"], &record["attempt"]), (&3.into(), &1.into()));
    assert_eq!(
        record["copied"]["submission"]["refused"][0]["why"],
        "it is a symbolic link, and links are not followed"
    );
    assert_eq!(record["copied"]["code"]["files"], 1);
    assert_eq!(record["copied"]["code"]["refused_in_all"], 2);
    assert_eq!(fs::read_dir(bench.run_file("submission")).unwrap().count(), 0);
    assert_eq!(bench.events("retrying"), 0);
}

/// A snapshot that is too large is not kept, and that is said while the run goes on and afterwards.
#[test]
fn a_snapshot_that_is_not_kept_is_noted() {
    let Some(bench) = Bench::new() else { return };
    bench.configure("snapshot_interval_seconds = 1\n[validation]\nsubmission = \"40\"\n");
    bench.agent(&["submit-bytes=41", "sleep=3500", "submit=id,value\\n1,1\\n", "sleep=1500"], "");
    bench.start(&["--no-grade"]).ends_with(0);
    let noted = bench.list_events("snapshot-left-out");
    assert_eq!(noted.len(), 1);
    assert!(noted[0]["reason"].as_str().unwrap().contains("had 41 bytes"), "{noted:?}");
    let validation = &bench.record()["validation"];
    assert_eq!(validation["snapshots"], 1);
    assert!(validation["snapshots_left_out"].as_u64().unwrap() >= 1, "{validation}");
    assert_eq!(validation["snapshots_left_out_because"], noted[0]["reason"]);
}

#[test]
fn limits_of_output_hold() {
    let Some(bench) = Bench::new() else { return };
    bench.configure("[output]\nfolder = \"1M\"\n");
    // As large as it looks, or mostly a hole.
    for verb in ["large=2000000", "sparse=900000000000"] {
        bench.forget_group();
        bench.agent(&[verb, "submit=id,value\\n1,1\\n"], "");
        bench.start(&["--no-grade"]).ends_with(0);
        let code = &bench.record()["copied"]["code"];
        let cut_short = code["cut_short"].as_str().unwrap();
        assert!(cut_short.contains("more than 1048576 bytes"), "{verb}: {code}");
        assert_eq!(fs::read_dir(bench.run_file("code")).unwrap().count(), 0, "{verb}");
        assert!(bench.run_file("submission/submission.csv").exists(), "{verb}");
    }
}

/// Threat 27: a service that listens on all addresses of the engine's machine is not there for an agent on an internal
/// network, by whichever of them it is asked for.
#[test]
fn an_internal_network_does_not_lead_to_the_machine() {
    let Some(bench) = Bench::new() else { return };
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // Asked from here, nobody is sent anything.
    let asking = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let own = asking.connect("192.0.2.77:9").and_then(|()| asking.local_addr());
    let mut addresses = vec!["gateway".to_owned()];
    addresses.extend(own.ok().map(|own| own.ip().to_string()));
    let verbs: Vec<String> =
        addresses.iter().map(|address| format!("reach={address}:{port}")).collect();
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    bench.agent(&verbs, "");
    for (network, expected) in [("bridge", "open"), ("internal", "closed")] {
        bench.forget_group();
        bench.configure(&format!("network = \"{network}\"\n"));
        bench.start(&["--no-grade"]).ends_with(0);
        let log = bench.log();
        for address in &addresses {
            let line = format!("reach {address}:{port}: {expected}");
            assert!(log.contains(&line), "{network}: {line}: {log}");
        }
    }
}

/// Threat 25: eight runs over four workers share nothing that can be written. All are done, none is done twice.
#[test]
fn many_runs_are_each_done_once() {
    let Some(bench) = Bench::new() else { return };
    bench.agent(&["sleep=200", "submit=id,value\\n1,1\\n", "validate=id,value\\n1,1\\n"], "");
    let result = bench.start(&["--seeds", "8", "--workers", "4"]).ends_with(0).json();
    assert_eq!(result["endings"]["completed"], 8);
    assert_eq!(bench.events("started"), 8);
    assert_eq!(bench.events("finished"), 8);
    let seeds: Vec<u64> =
        bench.records().iter().map(|record| record["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, (0..8).collect::<Vec<_>>());
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

/// What the engine really made, not what it was asked for; then a runner that is killed, and another that goes on.
#[test]
fn a_killed_runner_is_followed_by_another_that_takes_over() {
    let Some(bench) = Bench::new() else { return };
    bench.configure("memory = \"64M\"\ncpus = 0.5\npids = 64\nnetwork = \"internal\"\n");
    bench.agent(
        &[
            "environment=API_KEY",
            "sleep=8000",
            "validate=id,value\\n1,1\\n",
            "submit=id,value\\n1,1\\n",
            "unfinished=no line break",
        ],
        "environment = { API_KEY = \"${{ secrets.API_KEY }}\" }",
    );
    let mut runner = bench.spawn();
    let container = engine::wait_for_container(&bench.group());
    let inspected = engine::inspect(&container);
    let host = &inspected["HostConfig"];
    assert_eq!((&host["Privileged"], &host["CapDrop"][0]), (&false.into(), &"ALL".into()));
    assert_eq!(host["SecurityOpt"][0], "no-new-privileges");
    assert_eq!((&host["Memory"], &host["NanoCpus"]), (&(64 << 20).into(), &500_000_000.into()));
    assert_eq!(host["PidsLimit"], 64);
    for mount in inspected["Mounts"].as_array().unwrap() {
        assert_eq!(mount["RW"], false, "{mount}");
        let source = mount["Source"].as_str().unwrap();
        assert!(!source.contains("private") && !source.contains("docker.sock"), "{mount}");
    }
    assert_eq!(inspected["Mounts"].as_array().unwrap().len(), 6);
    assert!(!inspected.to_string().contains("hush-hush"), "the engine knows the secret");

    runner.kill().unwrap();
    runner.wait().unwrap();
    let result = bench.resume().ends_with(0).json();
    assert_eq!(result["endings"]["completed"], 1);
    assert_eq!((bench.events("starting"), bench.events("reattached")), (1, 1));
    let log = bench.log();
    assert!(log.contains("API_KEY=***") && log.contains("Submission is valid."), "{log}");
    assert!(log.ends_with("\nno line break"), "{log}");
    let usage = fs::read_to_string(bench.run_file("usage.jsonl")).unwrap();
    assert!(usage.contains("\"memory_bytes\""), "{usage}");
    for file in ["events.jsonl", "run.toml", "metadata.json", "submission.jsonl"] {
        assert!(
            !fs::read_to_string(bench.group().join(file)).unwrap().contains("hush-hush"),
            "{file}"
        );
    }
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);

    // What is finished is not run again, and nobody is asked for a secret that no run would get.
    let mut command = bench.command(["run", "resume", "runs/group", "--json"]);
    command.env_remove("API_KEY");
    let again = Ran::of(&mut command.into()).ends_with(0).json();
    assert_eq!(again["endings"]["completed"], 1);
    assert_eq!(bench.events("starting"), 1);
}

/// The engine's word counts for a container that ended while no runner watched: in time is in time, however late somebody
/// looks, and over time is marked wherever the run is named.
#[test]
fn what_an_agent_did_while_no_runner_watched_is_in_time_or_marked() {
    let Some(bench) = Bench::new() else { return };
    for (sleep, ending) in [("sleep=2500", "completed"), ("sleep=13000", "timed-out")] {
        bench.forget_group();
        bench.configure("time_limit_seconds = 4\ngrace_seconds = 1\n");
        bench.agent(&[sleep, "submit=id,value\\n1,1\\n"], "");
        let mut runner = bench.spawn();
        let container = engine::wait_for_container(&bench.group());
        bench.wait_for_events("started", 1);
        runner.kill().unwrap();
        runner.wait().unwrap();
        engine::docker(&["wait", &container]);
        std::thread::sleep(std::time::Duration::from_secs(3));
        let result = bench.resume().ends_with(0).json();
        assert_eq!(result["endings"][ending], 1, "{sleep}: {result}");
        let graded = &result["report"]["competition_reports"][0];
        assert_eq!(graded["score"], 0.5, "{sleep}");
        let record = bench.record();
        let is_over = ending == "timed-out";
        assert_eq!(
            record["over_time_seconds"].as_u64().is_some_and(|seconds| seconds >= 7),
            is_over
        );
        assert_eq!(bench.events("over-time"), usize::from(is_over));
        assert_eq!(graded["run"]["over_time_seconds"], record["over_time_seconds"], "{graded}");
        let metadata = fs::read_to_string(bench.group().join("metadata.json")).unwrap();
        let metadata: Value = serde_json::from_str(&metadata).unwrap();
        let run = &metadata["runs"][record["run"].as_str().unwrap()];
        assert_eq!(run["over_time_seconds"], record["over_time_seconds"]);
        let status = bench.workbench.run(["run", "status", "runs/group"]).ends_with(0);
        assert_eq!(status.stdout.contains("beyond its time"), is_over, "{}", status.stdout);
    }
}

/// Threat 23: a container that somebody kills says nothing about the agent, and is tried again.
#[test]
fn a_container_killed_from_outside_is_run_again() {
    let Some(bench) = Bench::new() else { return };
    bench.agent(&["sleep=5000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn();
    let container = engine::wait_for_container(&bench.group());
    engine::docker(&["kill", &container]);
    assert!(runner.wait().unwrap().success());
    assert_eq!(bench.events("retrying"), 1);
    let record = bench.record();
    assert_eq!((&record["ending"], &record["attempt"]), (&"completed".into(), &2.into()));
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

#[test]
fn a_group_that_is_stopped_goes_on_later_and_strays_are_cleaned() {
    let Some(bench) = Bench::new() else { return };
    bench.agent(&["sleep=4000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn();
    engine::wait_for_container(&bench.group());
    bench.workbench.run(["run", "stop", "runs/group", "--now"]).ends_with(0);
    assert_eq!(runner.wait().unwrap().code(), Some(130));
    assert_eq!((bench.events("interrupted"), bench.events("finished")), (1, 0));
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
    bench.workbench.run(["run", "stop", "runs/group"]).ends_with(3);

    let result = bench.workbench.run(["run", "resume", "runs/group", "--json"]).ends_with(0).json();
    assert_eq!(result["endings"]["completed"], 1);
    let finished = bench.workbench.run(["run", "stop", "runs/group"]).ends_with(3);
    assert!(finished.stderr.contains("is finished"), "{}", finished.stderr);
    assert!(!finished.stderr.contains("clean"), "{}", finished.stderr);

    // A stray of a runner that was killed; `clean` sees it, and takes it away.
    fs::remove_dir_all(bench.group()).unwrap();
    let mut runner = bench.spawn();
    let container = engine::wait_for_container(&bench.group());
    runner.kill().unwrap();
    runner.wait().unwrap();
    let seen = bench.workbench.run(["run", "clean", "--dry-run", "--json"]).ends_with(0).json();
    assert!(
        seen.as_array().unwrap().iter().any(|stray| stray["name"] == container.as_str()),
        "{seen}"
    );
    engine::docker(&["rm", "--force", &container]);
    let result = bench.workbench.run(["run", "resume", "runs/group", "--json"]).ends_with(0).json();
    assert_eq!(result["endings"]["completed"], 1);
    assert_eq!(bench.record()["attempt"], 2);
}

/// Threat 23: what the agent's definition gets wrong is neither the machine's failure nor tried again.
#[test]
fn a_user_that_the_image_does_not_have_is_the_definitions_fault() {
    let Some(bench) = Bench::new() else { return };
    bench.agent(&["submit=id,value\\n1,1\\n"], "user = \"nobody-of-this-name\"");
    let result = bench.start(&[]).ends_with(7).json();
    assert_eq!(result["endings"]["definition"], 1);
    let record = bench.record();
    assert_eq!((&record["ending"], &record["attempt"]), (&"definition".into(), &1.into()));
    let message = record["message"].as_str().unwrap();
    assert!(message.contains("nobody-of-this-name") && message.contains("`user`"), "{message}");
    assert_eq!(bench.events("retrying"), 0);
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
}

/// What agents will not find of the public data is said before they start: a warning where they are mounted, an error where
/// they would be copied.
#[test]
fn what_agents_will_miss_of_the_public_data_is_said() {
    let Some(bench) = Bench::new() else { return };
    bench.agent(&["submit=id,value\\n1,1\\n"], "");
    let public = bench.workbench.path("data/example/prepared/public");
    std::os::unix::fs::symlink("../private/answers.csv", public.join("link.csv")).unwrap();
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(public.join("train.csv"), mode(0o600)).unwrap();
    let ran = bench.start(&["--no-grade"]).ends_with(0);
    for part in ["link.csv: this link leads out", "train.csv has the mode 0600", "warning:"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    bench.forget_group();
    let hosts = "[[hosts]]\nname = \"h\"\naddress = \"unix:///var/run/docker.sock\"\nshares_files = false\n";
    bench.workbench.write("hosts.toml", hosts);
    let ran = bench.start(&["--no-grade", "--hosts", "hosts.toml"]).ends_with(6);
    assert!(ran.stderr.contains("link.csv: this link leads out"), "{}", ran.stderr);
    assert!(!bench.group().exists());
}

/// Threat 2: a privileged container only where somebody allowed it, and it is in the record.
#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let Some(bench) = Bench::new() else { return };
    bench.agent(&["submit=x"], "privileged = true");
    let refused = bench.start(&[]).ends_with(2);
    assert!(refused.stderr.contains("--allow-privileged"), "{}", refused.stderr);
    assert!(!bench.group().exists(), "the same command can be given again");
    let allowed = bench.start(&["--allow-privileged", "--no-grade"]);
    if allowed.code == 0 {
        assert_eq!(bench.record()["container"]["privileged"], true);
    } else {
        // An engine that cannot make one at all, inside another container say.
        assert_eq!(allowed.code, 7, "{allowed:?}");
    }

    let mut cases = vec![
        ("runtime", "runtime = \"nonsense\"\n", "", 2, "no runtime `nonsense`"),
        ("key", "colour = 1\n", "", 2, "unknown key `colour`"),
        ("negative", "grace_seconds = -1\n", "", 2, "line 1: found the number"),
        ("table", "output = 3\n", "", 2, "line 1: found the number"),
        ("nothing", "shm = \"0\"\n", "", 2, "`shm`"),
        ("cpus", "cpus = 4096.0\n", "", 2, "a run takes 4096 CPUs"),
        ("memory", "memory = \"900T\"\n", "", 2, "lower `memory`"),
        ("pids", "pids = 1\n", "", 2, "at least 16"),
        ("port", "network = \"allow-list\"\negress.allow = [\"x.org:99999\"]\n", "", 2, "65535"),
        ("capability", "", "capabilities = [\"SYS_MAGIC\"]", 2, "no capability `SYS_MAGIC`"),
        ("variable", "", "environment = { TIME_LIMIT_SECS = \"1\" }", 2, "set by Podium"),
        ("command", "", "", 2, "there is nothing to run"),
        ("image", "", "image = \"podium-test-nowhere:1\"", 7, "podium-test-nowhere:1"),
        ("secret", "", "environment = { K = \"${{ secrets.NOT_THERE }}\" }", 3, "NOT_THERE"),
    ];
    if !engine::docker(&["info", "--format", "{{json .Runtimes}}"]).contains("nvidia") {
        cases.push(("gpus", "gpus = 1\n", "", 2, "no runtime `nvidia`"));
    }
    for (what, configuration, extra, code, part) in cases {
        let _ = fs::remove_dir_all(bench.group());
        bench.configure(configuration);
        bench.agent(&["submit=x"], extra);
        if what == "command" {
            let text =
                fs::read_to_string(bench.workbench.path("agents/tester/agent.toml")).unwrap();
            let (_, build) = text.split_once("[build]").unwrap();
            let definition = format!("id = \"tester\"\n[build]{build}");
            bench.workbench.write("agents/tester/agent.toml", definition);
        }
        if what == "image" {
            let definition = format!("id = \"tester\"\nstart = [\"/x\"]\n{extra}\n");
            bench.workbench.write("agents/tester/agent.toml", definition);
        }
        let ran = bench.start(&[]).ends_with(code);
        assert!(ran.stderr.contains(part), "{what}: {}", ran.stderr);
        assert!(!bench.group().exists(), "{what}: the same command can be given again");
    }
    // What the program that failed in a build has said.
    bench.configure("");
    bench.agent(&["submit=x"], "");
    let dockerfile = bench.workbench.path("agents/tester/image/Dockerfile");
    let mut text = fs::read_to_string(&dockerfile).unwrap();
    text.push_str(
        "RUN [\"/podium-test-agent\", \"print=a reason\", \"print=and another\", \"exit=3\"]\n",
    );
    fs::write(&dockerfile, text).unwrap();
    let ran = bench.start(&[]).ends_with(7);
    assert!(ran.stderr.contains("  a reason\n  and another"), "{}", ran.stderr);
    fs::remove_file(&dockerfile).unwrap();
    let ran = bench.start(&[]).ends_with(7);
    assert!(
        ran.stderr.contains("there is no") && ran.stderr.contains("image/Dockerfile"),
        "{}",
        ran.stderr
    );
    assert!(!bench.group().exists());
    let named = ["--agent", "./agents/tester", "--competition", "example", "--name", "a\nb"];
    let ran = bench.workbench.run(["run", "start"].into_iter().chain(named)).ends_with(2);
    assert!(ran.stderr.contains("`a\\nb` is no name"), "{}", ran.stderr);
    for arguments in [["run", "status", "runs/none"], ["run", "resume", "data"]] {
        let ran = bench.workbench.run(arguments).ends_with(3);
        assert!(ran.stderr.contains("is no run group"), "{}", ran.stderr);
    }
    let mut command = bench.start_command("tester", &[]);
    command.env("DOCKER_HOST", "unix:///nowhere/d.sock");
    bench.configure("");
    let ran = Ran::of(&mut command.into()).ends_with(7);
    for part in ["could not be reached at unix:///nowhere/d.sock", "No such file or directory"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }

    // A group has its own hosts, whatever the variable names.
    bench.agent(&["submit=id,value\\n1,1\\n"], "");
    bench.start(&[]).ends_with(0);
    let mut command = bench.command(["run", "clean", "runs/group"]);
    command.env("PODIUM_HOSTS", "nowhere.toml");
    Ran::of(&mut command.into()).ends_with(0);
    let mut command = bench.command(["run", "clean"]);
    command.env("PODIUM_HOSTS", "nowhere.toml");
    Ran::of(&mut command.into()).ends_with(3);
}
