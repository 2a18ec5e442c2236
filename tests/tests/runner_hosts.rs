//! Runs of agents over several engines, one of them started and killed by the test.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use podium_tests::container_engine as engine;
use podium_tests::run_bench::{RunBench, SECRET_ANSWER};
use podium_tests::second_engine::SecondEngine;
use podium_tests::workbench::Ran;
use serde_json::Value;

/// The engine of this machine, as a host that runs so many agents.
fn first(workers: usize) -> String {
    let address = std::env::var("DOCKER_HOST");
    let address = address.unwrap_or_else(|_| "unix:///var/run/docker.sock".to_owned());
    format!("[[hosts]]\nname = \"first\"\naddress = \"{address}\"\nworkers = {workers}\n")
}

/// The second engine, reached with certificates.
fn over_tls(second: &SecondEngine, more: &str) -> String {
    let files = second.certificates();
    format!(
        "[[hosts]]\nname = \"second\"\naddress = \"{}\"\n\
         tls = {{ ca = {:?}, certificate = {:?}, key = {:?} }}\n{more}\n",
        second.tls_address(),
        files.ca,
        files.certificate,
        files.key
    )
}

/// The second engine, by its socket.
fn by_socket(second: &SecondEngine, more: &str) -> String {
    format!("[[hosts]]\nname = \"second\"\naddress = \"{}\"\n{more}\n", second.address())
}

fn hosts(bench: &RunBench, gone_after: u64, hosts: &[String]) {
    let text = format!("gone_after_seconds = {gone_after}\n{}", hosts.concat());
    bench.workbench.write("hosts.toml", text);
}

/// How many finished runs each host has.
fn by_host(bench: &RunBench) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record in bench.records() {
        *counts.entry(record["host"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

/// What becomes of a command with one more variable.
fn ran(mut command: Command, name: &str, value: &str) -> Ran {
    command.env(name, value);
    Ran::of(&mut command.into())
}

/// Every run has one record, and its submission is there.
fn each_is_done_once(bench: &RunBench, count: usize) {
    assert_eq!(bench.events("finished"), count);
    for record in bench.records() {
        assert_eq!(record["ending"], "completed", "{record}");
        let run = record["run"].as_str().unwrap();
        assert!(bench.group().join(run).join("submission/submission.csv").is_file(), "{record}");
    }
}

/// Threat 1: what reaches another machine is the public data and nothing else of this one.
/// Threat 14: 64 uploads at once each get their own right answer there, too.
#[test]
fn two_engines_share_a_queue_and_one_of_them_sees_no_file_of_this_machine() {
    let Some(bench) = RunBench::new() else { return };
    let Some(second) = SecondEngine::start() else { return };
    hosts(&bench, 300, &[first(1), over_tls(&second, "workers = 2")]);
    bench.configure("time_limit_seconds = 120\n[validation]\neach_minute = 1000\n");
    let find = format!("find={SECRET_ANSWER}");
    bench.agent(
        &[
            "environment=API_KEY",
            &find,
            "validate-at-once=64",
            "submit=id,value\\n1,1\\n",
            "script",
            "health",
            "sleep=3000",
        ],
        "user = \"0\"\nenvironment = { API_KEY = \"${{ secrets.API_KEY }}\" }",
    );
    let mut runner = bench.spawn_with(&["--seeds", "6", "--hosts", "hosts.toml"]);
    let containers = second.wait_for_containers(2);
    for container in &containers {
        let inspected: Value =
            serde_json::from_str(&second.docker(&["inspect", container])).unwrap();
        let mounts = inspected[0]["Mounts"].as_array().unwrap();
        assert_eq!(mounts.len(), 1, "{mounts:?}");
        assert_eq!((&mounts[0]["Type"], &mounts[0]["RW"]), (&"volume".into(), &false.into()));
        assert!(!inspected.to_string().contains("hush-hush"), "the engine knows the secret");
    }
    assert!(runner.wait().unwrap().success());
    each_is_done_once(&bench, 6);
    let counts = by_host(&bench);
    assert_eq!(counts.values().sum::<usize>(), 6);
    assert!(counts["first"] >= 1 && counts["second"] >= 2, "{counts:?}");
    for record in bench.records() {
        let run = record["run"].as_str().unwrap();
        let log = fs::read_to_string(bench.group().join(run).join("agent.log")).unwrap();
        assert!(log.contains("right answers: 64 of 64"), "{log}");
        assert!(log.contains("API_KEY=***") && log.contains("{\"status\":\"running\"}"), "{log}");
        assert!(log.contains("script: {\"result\":\"Submission is valid.\"}"), "{log}");
        assert!(log.contains("searched all") && !log.contains("found in"), "{log}");
        assert_eq!(record["validation"]["calls"], 65, "{record}");
        assert_eq!(record["validation"]["valid"], 33, "{record}");
    }
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
    assert_eq!(second.containers(true), [""; 0]);
    let definition = fs::read_to_string(bench.group().join("run.toml")).unwrap();
    assert!(definition.contains(&second.tls_address()) && !definition.contains("PRIVATE KEY"));

    // The data stay for the next group, and go when somebody says so.
    let volumes = second.docker(&["volume", "ls", "--quiet"]);
    assert_eq!(volumes.lines().count(), 2, "{volumes}");
    bench.workbench.run(["run", "clean", "runs/group", "--data", "--json"]).ends_with(0);
    assert_eq!(second.docker(&["volume", "ls", "--quiet"]), "");
}

#[test]
fn a_root_that_is_read_only_and_a_runner_that_is_killed_work_elsewhere_too() {
    let Some(bench) = RunBench::new() else { return };
    let Some(second) = SecondEngine::start() else { return };
    // The data folder of that machine, which here is this one.
    let data = format!("data = {:?}", bench.workbench.path("data"));
    hosts(&bench, 300, &[over_tls(&second, &data)]);
    bench.agent(
        &[
            "environment=API_KEY",
            "submit=id,value\\n1,1\\n",
            "sleep=8000",
            "validate=id,value\\n1,1\\n",
        ],
        "read_only_root = true\nenvironment = { API_KEY = \"${{ secrets.API_KEY }}\" }",
    );
    let mut runner = bench.spawn_with(&["--hosts", "hosts.toml"]);
    bench.wait_for_events("started", 1);
    let container = second.wait_for_containers(1).remove(0);
    let inspected: Value = serde_json::from_str(&second.docker(&["inspect", &container])).unwrap();
    assert_eq!(inspected[0]["HostConfig"]["ReadonlyRootfs"], true);
    wait_for_log(&second, &container, "API_KEY=");
    runner.kill().unwrap();
    runner.wait().unwrap();
    bench.resume().ends_with(0);
    each_is_done_once(&bench, 1);
    assert_eq!((bench.events("starting"), bench.events("reattached")), (1, 1));
    let log = bench.log();
    assert!(log.contains("API_KEY=***") && log.contains("Submission is valid."), "{log}");
    assert_eq!(second.containers(true), [""; 0]);
    assert_eq!(second.docker(&["volume", "ls", "--quiet"]), "");
}

fn wait_for_log(second: &SecondEngine, container: &str, part: &str) {
    for _ in 0..300 {
        if second.docker(&["logs", container]).contains(part) {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("`{part}` is not in the log of {container}");
}

/// Threat 21: what a host that was gone still has is removed when it is back, and counts for nothing.
#[test]
fn a_host_that_goes_away_loses_its_runs_to_another_and_is_cleaned_when_it_is_back() {
    let Some(bench) = RunBench::new() else { return };
    let Some(mut second) = SecondEngine::start() else { return };
    hosts(&bench, 3, &[first(1), by_socket(&second, "workers = 2")]);
    bench.agent(&["sleep=6000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn_with(&["--seeds", "5", "--hosts", "hosts.toml"]);
    second.wait_for_containers(2);
    second.kill();
    bench.wait_for_events("host-gone", 1);
    bench.wait_for_events("lost", 2);
    // Its containers run on: nobody has told them.
    second.come_back(&["--live-restore"]);
    bench.wait_for_events("host-back", 1);
    assert!(runner.wait().unwrap().success());
    each_is_done_once(&bench, 5);
    for lost in bench.list_events("lost") {
        assert_eq!((&lost["host"], &lost["attempt"]), (&"second".into(), &1.into()));
        let record = bench.records().into_iter().find(|one| one["run"] == lost["run"]).unwrap();
        assert_eq!(record["attempt"], 2, "{record}");
    }
    assert_eq!(engine::left_of(&bench.group()), [""; 0]);
    assert_eq!(second.containers(true), [""; 0]);
}

#[test]
fn an_engine_that_is_started_again_ends_no_group() {
    for (option, survives) in [(None, false), (Some("--live-restore"), true)] {
        let Some(bench) = RunBench::new() else { return };
        let Some(mut second) = SecondEngine::start() else { return };
        let options: Vec<&str> = option.into_iter().collect();
        if survives {
            second.kill();
            second.come_back(&options);
        }
        hosts(&bench, 300, &[by_socket(&second, "workers = 2")]);
        bench.agent(&["print=begun", "sleep=5000", "submit=id,value\\n1,1\\n", "print=done"], "");
        let mut runner = bench.spawn_with(&["--seeds", "4", "--hosts", "hosts.toml"]);
        second.wait_for_containers(2);
        bench.wait_for_events("started", 2);
        second.kill();
        second.come_back(&options);
        assert!(runner.wait().unwrap().success());
        each_is_done_once(&bench, 4);
        let lost = bench.events("lost");
        assert_eq!(bench.events("starting"), 4 + lost, "retries are not spent on it");
        assert_eq!(lost == 0, survives, "{lost} lost, live-restore: {survives}");
        for record in bench.records() {
            let run = record["run"].as_str().unwrap();
            let log = fs::read_to_string(bench.group().join(run).join("agent.log")).unwrap();
            assert_eq!(log, "begun\ndone\n");
        }
        assert_eq!(second.containers(true), [""; 0]);
    }
}

#[test]
fn a_group_whose_only_host_stays_away_can_be_gone_on_with() {
    let Some(bench) = RunBench::new() else { return };
    let Some(mut second) = SecondEngine::start() else { return };
    hosts(&bench, 2, &[by_socket(&second, "workers = 1")]);
    bench.agent(&["sleep=6000", "submit=id,value\\n1,1\\n"], "");
    let mut runner = bench.spawn_with(&["--seeds", "2", "--hosts", "hosts.toml"]);
    second.wait_for_containers(1);
    bench.wait_for_events("started", 1);
    second.kill();
    assert_eq!(runner.wait().unwrap().code(), Some(7));
    assert_eq!(bench.events("finished"), 0);
    let refused = bench.workbench.run(["run", "resume", "runs/group"]).ends_with(7);
    assert!(refused.stderr.contains("could not be reached"), "{}", refused.stderr);
    second.come_back(&["--live-restore"]);
    bench.workbench.run(["run", "resume", "runs/group"]).ends_with(0);
    each_is_done_once(&bench, 2);
    // The first went on while nobody was there.
    assert_eq!((bench.events("starting"), bench.events("reattached")), (2, 1));
    assert_eq!(second.containers(true), [""; 0]);
}

#[test]
fn certificates_decide_who_is_believed() {
    let Some(bench) = RunBench::new() else { return };
    let Some(second) = SecondEngine::start() else { return };
    bench.agent(&["submit=id,value\\n1,1\\n"], "");
    let right = over_tls(&second, "workers = 1");
    for (what, wrong) in [
        ("an engine of another authority", right.replace("/ca.pem", "/other-ca.pem")),
        ("a client of another authority", right.replace("/client", "/other-client")),
        (
            "no encryption",
            right
                .lines()
                .filter(|line| !line.starts_with("tls"))
                .map(|line| format!("{line}\n"))
                .collect(),
        ),
    ] {
        hosts(&bench, 300, &[wrong]);
        let refused = bench.start(&["--hosts", "hosts.toml"]).ends_with(7);
        assert!(refused.stderr.contains("could not"), "{what}: {}", refused.stderr);
        assert!(!bench.group().exists(), "{what}");
    }
    hosts(&bench, 300, &[right.replace("/client-key.pem", "/not-there.pem")]);
    let refused = bench.start(&["--hosts", "hosts.toml"]).ends_with(2);
    assert!(refused.stderr.contains("not-there.pem"), "{}", refused.stderr);

    // The variables of the `docker` program say the same.
    let files = second.certificates();
    let folder = bench.workbench.path("certificates");
    fs::create_dir(&folder).unwrap();
    for (from, to) in
        [(&files.ca, "ca.pem"), (&files.certificate, "cert.pem"), (&files.key, "key.pem")]
    {
        fs::copy(from, folder.join(to)).unwrap();
    }
    let mut command = bench.start_command("tester", &[]);
    command
        .env("DOCKER_HOST", second.tls_address())
        .env("DOCKER_TLS_VERIFY", "1")
        .env("DOCKER_CERT_PATH", &folder);
    Ran::of(&mut command.into()).ends_with(0);
    each_is_done_once(&bench, 1);
    assert_eq!(second.containers(true), [""; 0]);

    // So does a context of the same program, unless DOCKER_HOST says otherwise.
    bench.forget_group();
    let id = podium::Digest::of(b"far");
    let contexts = "home/.docker/contexts";
    bench.workbench.write(
        format!("{contexts}/meta/{id}/meta.json"),
        format!(
            "{{\"Name\":\"far\",\"Endpoints\":{{\"docker\":{{\"Host\":\"{}\"}}}}}}",
            second.tls_address()
        ),
    );
    for name in ["ca.pem", "cert.pem", "key.pem"] {
        let pem = fs::read(folder.join(name)).unwrap();
        bench.workbench.write(format!("{contexts}/tls/{id}/docker/{name}"), pem);
    }
    bench.workbench.write("home/.docker/config.json", "{\"currentContext\":\"far\"}");
    bench.start(&[]).ends_with(0);
    let definition = fs::read_to_string(bench.group().join("run.toml")).unwrap();
    assert!(definition.contains(&second.tls_address()), "{definition}");
    bench.forget_group();
    let command = bench.start_command("tester", &[]);
    let refused = ran(command, "DOCKER_CONTEXT", "other").ends_with(2);
    assert!(refused.stderr.contains("no such context"), "{}", refused.stderr);
    let command = bench.start_command("tester", &[]);
    let refused = ran(command, "DOCKER_HOST", "unix:///nowhere").ends_with(7);
    assert!(refused.stderr.contains("could not be reached"), "{}", refused.stderr);
}

#[test]
fn a_budget_that_holds_no_run_is_said_at_once() {
    let Some(bench) = RunBench::new() else { return };
    bench.agent(&["submit=x"], "");
    let host = first(4);
    for (of_host, of_run, part) in [
        ("memory = \"1G\"\n", "memory = \"2G\"\n", "the host has 1073741824 for runs"),
        ("cpus = 0.5\n", "cpus = 1.0\n", "the host has 0.5 for runs"),
        ("colour = 1\n", "", "unknown key `colour`"),
    ] {
        hosts(&bench, 300, &[format!("{host}{of_host}")]);
        bench.configure(of_run);
        let refused = bench.start(&["--hosts", "hosts.toml"]).ends_with(2);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
        assert!(!bench.group().exists());
    }
}

/// A server for `ssh` on a port of this machine; none where there is none.
struct SshServer {
    process: Child,
    port: u16,
}

impl SshServer {
    /// Everything that it needs lies in a folder, with a configuration for clients.
    fn start(folder: &Path) -> Option<SshServer> {
        let program =
            ["/usr/sbin/sshd", "/usr/bin/sshd"].into_iter().find(|path| Path::new(path).is_file());
        let Some(program) = program else {
            assert!(
                !std::env::var("PODIUM_REQUIRE_DOCKER").is_ok_and(|value| value == "1"),
                "there is no sshd: install openssh-server"
            );
            eprintln!("skipped: there is no sshd");
            return None;
        };
        fs::create_dir_all(folder).unwrap();
        let path = |name: &str| folder.join(name).display().to_string();
        for key in ["host-key", "key"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)])
                .status();
            assert!(made.unwrap().success());
        }
        fs::copy(path("key.pub"), path("authorized")).unwrap();
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        fs::write(
            path("sshd"),
            format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
                 StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nMaxSessions 1\n",
                path("host-key"),
                path("authorized")
            ),
        )
        .unwrap();
        let host_key = fs::read_to_string(path("host-key.pub")).unwrap();
        fs::write(path("known"), format!("[127.0.0.1]:{port} {host_key}")).unwrap();
        fs::write(
            path("client"),
            format!(
                "IdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\nStrictHostKeyChecking yes\n",
                path("key"),
                path("known")
            ),
        )
        .unwrap();
        // It drops what it may do in this folder.
        fs::create_dir_all("/run/sshd").unwrap();
        let process = Command::new(program)
            .args(["-D", "-e", "-f", &path("sshd")])
            .stdin(Stdio::null())
            .stderr(fs::File::create(path("log")).unwrap())
            .spawn()
            .unwrap();
        let server = SshServer { process, port };
        for _ in 0..300 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(server);
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("sshd does not listen: {}", fs::read_to_string(path("log")).unwrap());
    }
}

impl Drop for SshServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn an_engine_is_reached_through_ssh() {
    let Some(bench) = RunBench::new() else { return };
    let Some(second) = SecondEngine::start() else { return };
    let Some(server) = SshServer::start(&bench.workbench.path("ssh")) else { return };
    let user = Command::new("id").arg("-un").output().unwrap();
    let user = String::from_utf8(user.stdout).unwrap();
    let host = format!(
        "[[hosts]]\nname = \"far\"\naddress = \"ssh://{}@127.0.0.1:{}{}\"\nssh_configuration = \"ssh/client\"\nworkers = 2\n",
        user.trim(),
        server.port,
        second.socket().display()
    );
    hosts(&bench, 300, &[host]);
    bench.agent(
        &["environment=API_KEY", "validate-at-once=16", "submit=id,value\\n1,1\\n"],
        "environment = { API_KEY = \"${{ secrets.API_KEY }}\" }",
    );
    let mut runner = bench.spawn_with(&["--seeds", "3", "--hosts", "hosts.toml"]);
    assert!(runner.wait().unwrap().success());
    each_is_done_once(&bench, 3);
    assert_eq!(by_host(&bench), BTreeMap::from([("far".to_owned(), 3)]));
    for record in bench.records() {
        let run = record["run"].as_str().unwrap();
        let log = fs::read_to_string(bench.group().join(run).join("agent.log")).unwrap();
        assert!(log.contains("right answers: 16 of 16") && log.contains("API_KEY=***"), "{log}");
    }
    assert_eq!(second.containers(true), [""; 0]);
}

/// A server that answers every request with its first line, and keeps what says nothing.
fn server(address: &str) -> u16 {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut read = Vec::new();
                let mut buffer = [0; 4096];
                while !read.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(count @ 1..) => read.extend_from_slice(&buffer[..count]),
                        _ => return,
                    }
                }
                let line = String::from_utf8_lossy(&read).lines().next().unwrap().to_owned();
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{line}",
                    line.len()
                );
            });
        }
    });
    port
}

/// What is listed is reached from an engine that sees no file of this machine, and nothing else; also by the next runner.
#[test]
fn an_allow_list_is_kept_where_the_proxy_is_on_another_machine() {
    let Some(bench) = RunBench::new() else { return };
    let Some(second) = SecondEngine::start() else { return };
    hosts(&bench, 300, &[over_tls(&second, "workers = 1")]);
    let listed = format!("127.0.0.2:{}", server("127.0.0.2"));
    let other = format!("127.0.0.2:{}", server("127.0.0.2"));
    bench.configure(&format!(
        "time_limit_seconds = 120\nnetwork = \"allow-list\"\n[egress]\nallow = [\"{listed}\"]\n"
    ));
    for more in ["", "read_only_root = true"] {
        bench.agent(
            &[
                &format!("fetch=http://{listed}/a"),
                &format!("tunnel={listed}"),
                &format!("fetch=http://{other}/b"),
                &format!("tunnel={other}"),
                &format!("validate-beside-tunnels={listed}"),
                "environment=https_proxy",
                "print=half",
                "sleep=5000",
                &format!("fetch=http://{listed}/c"),
                "submit=id,value\\n1,1\\n",
            ],
            more,
        );
        let mut runner = bench.spawn_with(&["--hosts", "hosts.toml"]);
        bench.wait_for_events("started", 1);
        let container = second.wait_for_containers(1).remove(0);
        wait_for_log(&second, &container, "half");
        runner.kill().unwrap();
        runner.wait().unwrap();
        bench.resume().ends_with(0);
        each_is_done_once(&bench, 1);
        let log = bench.log();
        for part in [
            format!("fetch http://{listed}/a: GET /a HTTP/1.1"),
            format!("tunnel {listed}: GET /through HTTP/1.1"),
            format!("tunnel {other}: refused"),
            "beside: true".to_owned(),
            "tunnels: 60".to_owned(),
            "https_proxy=http://127.0.0.1:3128".to_owned(),
            format!("fetch http://{listed}/c: GET /c HTTP/1.1"),
        ] {
            assert!(log.contains(&part), "{part}: {log}");
        }
        let refused = log.lines().find(|line| line.starts_with(&format!("fetch http://{other}")));
        assert!(refused.unwrap().contains("is not on the list"), "{log}");
        let record = bench.record();
        assert_eq!(record["egress"]["connected"], 63, "{record}");
        assert_eq!(record["egress"]["refused"], 2, "{record}");
        assert_eq!(record["validation"]["valid"], 1, "{record}");
        assert_eq!(second.containers(true), [""; 0]);
        bench.forget_group();
    }

    // Who is given no list finds no proxy.
    bench.configure("time_limit_seconds = 120\n");
    bench.agent(&["port=5000", "port=3128", "submit=id,value\\n1,1\\n"], "");
    bench.start(&["--hosts", "hosts.toml"]).ends_with(0);
    assert_eq!(bench.log(), "port 5000: open\nport 3128: closed\n");
}

/// A program of a test's own.
fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The toolkit and `nvidia-smi` are stood in for; the engine that is asked for GPUs is a real one.
#[test]
fn each_run_has_its_own_gpu_and_its_usage() {
    let Some(bench) = RunBench::new() else { return };
    let programs = bench.workbench.path("programs");
    script(&programs.join("nvidia-container-runtime-hook"), "cat >/dev/null");
    script(
        &programs.join("nvidia-smi"),
        "echo '0, GPU-aa, 11, 1024, 24564'; echo '1, GPU-bb, 97, 2048, 24564'; echo '2, GPU-cc, 3, 4, 5'",
    );
    let Some(second) = SecondEngine::with_gpus(&programs) else { return };
    hosts(&bench, 300, &[by_socket(&second, "gpu_devices = [\"0\", \"1\"]")]);
    bench.configure("time_limit_seconds = 120\ngpus = 1\nusage_interval_seconds = 1\n");
    bench.agent(
        &["environment=NVIDIA_VISIBLE_DEVICES", "sleep=3000", "submit=id,value\\n1,1\\n"],
        "",
    );
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let command = bench.start_command("tester", &["--seeds", "2", "--hosts", "hosts.toml"]);
    ran(command, "PATH", &path).ends_with(0);
    each_is_done_once(&bench, 2);
    let mut seen = Vec::new();
    for record in bench.records() {
        let folder = bench.group().join(record["run"].as_str().unwrap());
        let device = record["container"]["devices"][0].as_str().unwrap().to_owned();
        let log = fs::read_to_string(folder.join("agent.log")).unwrap();
        assert_eq!(log, format!("NVIDIA_VISIBLE_DEVICES={device}\n"));
        let usage = fs::read_to_string(folder.join("usage.jsonl")).unwrap();
        let first: Value = serde_json::from_str(usage.lines().next().unwrap()).unwrap();
        let gpus = first["gpus"].as_array().unwrap_or_else(|| panic!("{first}"));
        assert_eq!(gpus.len(), 1, "{first}");
        assert_eq!(gpus[0]["index"].to_string(), device, "{first}");
        let expected = if device == "0" { (11_u64, 1_u64 << 30) } else { (97, 2 << 30) };
        assert_eq!(gpus[0]["utilization_percent"], expected.0, "{first}");
        assert_eq!(gpus[0]["memory_bytes"], expected.1, "{first}");
        seen.push(device);
    }
    seen.sort();
    assert_eq!(seen, ["0", "1"]);

    // Where there is no such program nothing is said of GPUs, and the run is none the worse for it.
    bench.forget_group();
    bench.start(&["--hosts", "hosts.toml"]).ends_with(0);
    assert!(!bench.read("usage.jsonl").contains("gpus"));

    let doctor = bench.command(["doctor", "--json", "--hosts", "hosts.toml"]);
    let checks = ran(doctor, "PATH", &path).json();
    let host = checks.as_array().unwrap().iter().find(|check| check["name"] == "host").unwrap();
    assert_eq!(host["state"], "ok", "{host}");
    assert!(host["found"].as_str().unwrap().contains("GPUs: runtime nvidia"), "{host}");
}

#[test]
fn doctor_says_of_each_host_what_it_is_or_why_it_cannot_be_used() {
    let Some(bench) = RunBench::new() else { return };
    let Some(second) = SecondEngine::start() else { return };
    let right = over_tls(&second, "");
    let lines = |hosts_of_file: &[String], code: i32| {
        hosts(&bench, 300, hosts_of_file);
        let ran = bench.workbench.run(["doctor", "--json", "--hosts", "hosts.toml"]);
        let checks = ran.ends_with(code).json();
        let checks = checks.as_array().unwrap().clone();
        assert!(checks.iter().all(|check| check["name"] != "docker"), "{checks:?}");
        let of_hosts = checks.into_iter().filter(|check| check["name"] == "host");
        of_hosts
            .map(|check| {
                let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
                (text("state"), text("found"), text("advice"))
            })
            .collect::<Vec<_>>()
    };
    let fine = lines(&[first(1), right.clone()], 0);
    assert_eq!(fine.len(), 2);
    for (state, found, _) in &fine {
        assert_ne!(state, "problem", "{found}");
        for part in ["engine ", "runtimes ", "runc", "CPUs", "disk ", "GPUs: none"] {
            assert!(found.contains(part), "{part}: {found}");
        }
    }
    assert!(fine[0].1.contains("GiB free") && fine[1].1.contains("not seen from here"), "{fine:?}");

    let gone = "[[hosts]]\nname = \"gone\"\naddress = \"unix:///nowhere/d.sock\"\n".to_owned();
    let ssh = "[[hosts]]\nname = \"far\"\naddress = \"ssh://nobody@127.0.0.1:1\"\n".to_owned();
    let gpus = over_tls(&second, "gpu_devices = [\"0\"]").replace("\"second\"", "\"gpus\"");
    let strange = right.replace("/ca.pem", "/other-ca.pem").replace("\"second\"", "\"strange\"");
    let checks = lines(&[right, gone, ssh, gpus, strange], 3);
    let states: Vec<&str> = checks.iter().map(|check| check.0.as_str()).collect();
    assert_eq!(states, ["ok", "problem", "problem", "problem", "problem"], "{checks:?}");
    for (check, found, advice) in [
        (1, "gone at unix:///nowhere/d.sock", "start the engine"),
        (2, "far at ssh://", "ssh -o BatchMode=yes nobody@127.0.0.1 docker version"),
        (3, "`gpu_devices` are 0", "Container Toolkit"),
        (4, "strange at tcp://", "certificates"),
    ] {
        assert!(checks[check].1.contains(found), "{:?}", checks[check]);
        assert!(checks[check].2.contains(advice), "{:?}", checks[check]);
    }
}
