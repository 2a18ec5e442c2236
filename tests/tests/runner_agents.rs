//! Agents with a shell and Python, and those that come along, on the real Docker engine: what they find, what they may use,
//! what they can reach, and that nothing which they leave behind is believed or executed.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use podium_tests::debian_image::{agent_base, debian};
use podium_tests::run_bench::{RunBench, SAMPLE};
use podium_tests::{artifacts, container_engine as engine};
use serde_json::Value;

const SH: &str = r#"["sh", "/home/agent/start"]"#;

/// The lines of a log that begin with a word, without it.
fn said<'a>(log: &'a str, word: &str) -> Vec<&'a str> {
    let start = format!("{word}: ");
    log.lines().filter_map(|line| line.strip_prefix(&start)).collect()
}

/// What an agent with a shell, curl and Python does in its first minute, whoever it is and whatever it was told.
const FIRST_MINUTE: &str = r#"
set -u
echo "user: $(id -u)"
echo "told: $(cat /home/instructions.txt | tr '\n' ' ')"
grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\t' ' '
echo "variables: $COMPETITION_ID $SUBMISSION_DIR $LOGS_DIR $CODE_DIR $AGENT_DIR $TIME_LIMIT_SECS $SAMPLE_SUBMISSION"
echo "interfaces: $(ls /sys/class/net | tr '\n' ' ')"
touch /home/data/new 2>/dev/null && echo "wrote: /home/data"
touch /home/instructions.txt 2>/dev/null && echo "wrote: instructions"
echo x 2>/dev/null >>/home/validate_submission.sh && echo "wrote: script"
touch /podium/forwarder /podium/socket/new 2>/dev/null && echo "wrote: podium"

printf 'id,value\n1,1\n' >$SUBMISSION_DIR/submission.csv
: >/tmp/empty.csv
cp $SUBMISSION_DIR/submission.csv /tmp/submission.txt
for shell in sh bash; do
    echo "script: $($shell /home/validate_submission.sh $SUBMISSION_DIR/submission.csv)"
    echo "script: $($shell /home/validate_submission.sh /tmp/empty.csv)"
    out=$($shell /home/validate_submission.sh); echo "usage: $out; $?"
    out=$($shell /home/validate_submission.sh /nowhere.csv); echo "missing: $out; $?"
done
echo "direct: $(/home/validate_submission.sh $SUBMISSION_DIR/submission.csv)"
echo "curl: $(curl --silent -X POST -F "file=@$SUBMISSION_DIR/submission.csv" http://localhost:5000/validate)"
echo "curl: $(curl --silent -X POST -F "file=@/tmp/empty.csv" http://localhost:5000/validate)"
echo "curl: $(curl --silent -X POST -F "file=@/tmp/submission.txt" http://localhost:5000/validate)"
echo "health: $(curl --silent http://127.0.0.1:5000/health)"
echo "status: $(curl --silent --output /dev/null --write-out '%{http_code} %{content_type}' -X POST -F "other=1" http://localhost:5000/validate)"
python3 - <<'END'
import urllib.request, uuid
boundary = uuid.uuid4().hex
body = (
    f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="s.csv"\r\n'
    f'Content-Type: text/csv\r\n\r\n'
).encode() + open("/home/submission/submission.csv", "rb").read() + f"\r\n--{boundary}--\r\n".encode()
request = urllib.request.Request(
    "http://localhost:5000/validate", data=body,
    headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
)
print("python:", urllib.request.urlopen(request).read().decode().strip())
END
mkdir -p $CODE_DIR/below
echo 'print(1)' >$CODE_DIR/below/solution.py
echo done >$LOGS_DIR/agent.txt
"#;

#[test]
fn an_agent_finds_what_it_knows_whoever_it_is() {
    let Some(debian) = debian() else { return };
    let valid = r#"{"result":"Submission is valid."}"#;
    let empty = r#"{"result":"Submission invalid! the submission is empty"}"#;
    for (user, obfuscated) in [("1000:1000", false), ("0", true)] {
        let Some(bench) = RunBench::new() else { return };
        let more = format!("user = \"{user}\"\nobfuscated = {obfuscated}\n");
        bench.script_agent(&debian, SH, FIRST_MINUTE, &more);
        let result = bench.start(&[]).ends_with(0).json();
        assert_eq!(result["endings"]["completed"], 1, "{}", bench.log());
        let log = bench.log();
        assert_eq!(said(&log, "user"), [user.split(':').next().unwrap()], "{log}");
        assert_eq!(said(&log, "told").len(), 1, "{log}");
        let told = said(&log, "told")[0];
        assert_eq!(told.contains("MLE-bench"), !obfuscated, "{told}");
        assert!(told.contains("/home/data/description.md") && told.contains("0 h 5 min 0 s"));
        // Root or not: no capability that it has or could get, and the engine's filter of system calls.
        for (name, value) in [
            ("CapEff", "0000000000000000"),
            ("CapBnd", "0000000000000000"),
            ("NoNewPrivs", "1"),
            ("Seccomp", "2"),
        ] {
            assert_eq!(said(&log, name), [value], "{log}");
        }
        assert_eq!(
            said(&log, "variables"),
            [
                "example /home/submission /home/logs /home/code /home/agent 300 /home/data/sample_submission.csv"
            ]
        );
        assert_eq!(said(&log, "interfaces"), ["lo "]);
        assert_eq!(said(&log, "wrote"), [""; 0], "what is the host's cannot be written");

        assert_eq!(said(&log, "script"), [valid, empty, valid, empty], "{log}");
        assert_eq!(said(&log, "direct"), [valid]);
        let no_csv = r#"{"result":"Submission invalid! Submission file must be a CSV file."}"#;
        assert_eq!(said(&log, "curl"), [valid, empty, no_csv], "{log}");
        assert_eq!(said(&log, "python"), [valid]);
        assert_eq!(said(&log, "health"), [r#"{"status":"running"}"#]);
        assert_eq!(said(&log, "status"), ["400 application/json"]);
        let usage = "Usage: /home/validate_submission.sh SUBMISSION; 1";
        assert_eq!(said(&log, "usage"), [usage, usage]);
        let missing = "The file /nowhere.csv does not exist.; 1";
        assert_eq!(said(&log, "missing"), [missing, missing]);

        assert_eq!(bench.read("submission/submission.csv"), "id,value\n1,1\n");
        assert_eq!(bench.read("code/below/solution.py"), "print(1)\n");
        assert_eq!(bench.read("logs/agent.txt"), "done\n");
        let validation = &bench.record()["validation"];
        assert_eq!(
            (
                &validation["calls"],
                &validation["valid"],
                &validation["invalid"],
                &validation["refused"]
            ),
            (&10.into(), &5.into(), &4.into(), &1.into())
        );
    }
}

#[test]
fn a_start_script_in_python_gets_its_arguments() {
    let Some(debian) = debian() else { return };
    let Some(mut bench) = RunBench::new() else { return };
    bench.secrets = vec![("KEY", "hush-hush-4711")];
    bench.script_agent(
        &debian,
        r#"["python3", "/home/agent/start"]"#,
        "import os, shutil, sys\nprint('arguments:', sys.argv[1:])\nprint('secret:', os.environ['KEY'])\n\
         shutil.copy(os.environ['SAMPLE_SUBMISSION'], '/home/submission/submission.csv')\n",
        "user = \"1000\"\nenvironment = { KEY = \"<${{ secrets.KEY }}>\" }\n\
         [arguments]\nstyle = \"key-value\"\nvalues = { \"agent.steps\" = 5, model = \"a b\" }\n\
         [variants.\"more-1.5\"]\narguments = { \"agent.steps\" = 500 }\n",
    );
    bench.start_agent("tester/more-1.5").ends_with(0);
    let log = bench.log();
    assert_eq!(said(&log, "arguments"), ["['agent.steps=500', 'model=a b']"], "{log}");
    assert_eq!(said(&log, "secret"), ["<***>"], "{log}");
    let record = bench.record();
    assert_eq!(record["agent"], "tester/more-1.5");
    assert_eq!(record["submission"]["is_sample_submission"], true);
    let metadata = fs::read_to_string(bench.group().join("metadata.json")).unwrap();
    assert!(metadata.contains("tester/more-1.5"), "{metadata}");

    bench.forget_group();
    let refused = bench.start_agent("tester/other").ends_with(2);
    assert!(refused.stderr.contains("no variant `other`; it has more-1.5"), "{}", refused.stderr);
}

/// What each bundled agent is started with, and what it is told.
#[test]
fn the_bundled_agents_are_built_and_started_as_they_expect() {
    let Some(base) = agent_base() else { return };
    for (agent, variant, expected) in [
        (
            "aide",
            "",
            &[
                "data_dir=/home/data",
                "desc_file=/home/agent/task.txt",
                "exp_name=exp",
                "agent.steps=500",
                "agent.time_limit=300",
                "agent.code.model=gpt-4o-2024-08-06",
                "agent.feedback.model=gpt-4o-2024-08-06",
                "agent.search.debug_prob=1",
                "agent.search.max_debug_depth=20",
                "copy_data=false",
                "exec.timeout=32400",
            ] as &[&str],
        ),
        ("aide", "/obfuscated", &["agent.obfuscate=true", "agent.steps=500"]),
        ("aide", "/dev", &["agent.steps=8"]),
        (
            "mlab",
            "/dev",
            &[
                "--python",
                "/opt/agent/bin/python",
                "--task",
                "podium",
                "--device",
                "0",
                "--log-dir",
                "/home/agent/logs",
                "--work-dir",
                "/home/agent/work",
                "--max-steps",
                "8",
                "--agent-max-steps",
                "8",
                "--max-time",
                "300",
                "--edit-script-llm-name",
                "gpt-4o-2024-08-06",
                "--fast-llm-name",
                "gpt-4o-2024-08-06",
                "--llm-name",
                "gpt-4o-2024-08-06",
                "--max-retries",
                "10",
                "--max-tokens",
                "16384",
            ],
        ),
        (
            "openhands",
            "",
            &[
                "-m",
                "openhands.core.main",
                "--file",
                "/home/agent/task.txt",
                "--max-iterations",
                "500",
                "--agent-cls",
                "CodeActAgent",
            ],
        ),
    ] {
        let called = format!("{agent}{variant}");
        let bench = bundled(agent, &base, "");
        let result = bench.start_agent(&called).ends_with(0).json();
        assert_eq!(result["endings"]["completed"], 1, "{called}: {}", bench.log());
        assert_eq!(result["report"]["competition_reports"][0]["score"], 0.5, "{called}");
        assert_eq!(bench.record()["agent"], called);
        let call = bench.lines("logs/calls.jsonl").pop().unwrap();
        let arguments: Vec<&str> =
            call["arguments"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        for argument in expected {
            assert!(arguments.contains(argument), "{called}: no {argument} in {arguments:?}");
        }
        assert_eq!(call["user"], 1000, "{called}");
        let task = call["task"].as_str().unwrap();
        assert!(
            task.contains("Guess well.") && task.contains("0 h 5 min 0 s from now on"),
            "{task}"
        );
        assert_eq!(task.contains("MLE-bench"), variant != "/obfuscated", "{called}: {task}");
        assert_eq!(bench.read("logs/task.txt"), task, "{called}");
        // aide and mlab work in folders of their own, in which the places have no /home before them.
        assert_eq!(task.contains("/home/"), agent == "openhands", "{called}: {task}");
        let variables = &call["environment"];
        let key = if agent == "openhands" { "LLM_API_KEY" } else { "OPENAI_API_KEY" };
        assert_eq!(variables[key], "hush-hush-4711", "{called}: {variables}");
        if agent == "openhands" {
            assert_eq!(
                (&variables["RUNTIME"], &variables["WORKSPACE_BASE"], &variables["LLM_MODEL"]),
                (&"local".into(), &"/home/code".into(), &"openai/gpt-4o".into())
            );
        }
        let (code, log) = match agent {
            "aide" => ("code/solution.py", "logs/aide.log"),
            "mlab" => ("code/train.py", "logs/main_log"),
            _ => ("code/solution.py", "logs/sessions.log"),
        };
        assert_eq!(bench.read(code), "print('solved')\n", "{called}");
        assert_eq!(bench.read(log), "worked\n", "{called}");
        assert_eq!(bench.read("submission/submission.csv"), SAMPLE, "{called}");
    }
}

/// At the end of its time an agent is asked to end, through its start script, and what it has by then is kept.
#[test]
fn the_bundled_agents_end_when_they_are_asked_to() {
    let Some(base) = agent_base() else { return };
    for agent in ["aide", "mlab", "openhands"] {
        let bench = bundled(agent, &base, "STAND_IN = \"stays\"\n");
        bench.configure("time_limit_seconds = 6\ngrace_seconds = 60\n");
        let result = bench.start_agent(agent).ends_with(0).json();
        let log = bench.log();
        assert_eq!(result["endings"]["timed-out"], 1, "{agent}: {log}");
        assert!(log.contains("asked to end"), "{agent}: {log}");
        let code = if agent == "mlab" { "code/train.py" } else { "code/solution.py" };
        assert_eq!(bench.read(code), "print('solved')\n", "{agent}");
        assert_eq!(result["report"]["competition_reports"][0]["score"], 0.5, "{agent}");
    }
}

/// A bench with a bundled agent over the image `base`, with further lines of its `[environment]`.
fn bundled(agent: &str, base: &str, environment: &str) -> RunBench {
    let mut bench = RunBench::new().expect("an engine, which has the base");
    bench.secrets = vec![("OPENAI_API_KEY", "hush-hush-4711")];
    let from = artifacts::root().join("agents").join(agent);
    bench.bundle(agent);
    let definition = fs::read_to_string(from.join("agent.toml")).unwrap();
    let line = definition.lines().find(|line| line.starts_with("base = ")).unwrap();
    let definition = definition
        .replace(line, &format!("base = \"{base}\""))
        .replace("[environment]\n", &format!("[environment]\n{environment}"));
    bench.workbench.write(format!("agents/{agent}/agent.toml"), definition);
    bench.configure("time_limit_seconds = 300\n");
    bench
}

#[test]
fn a_missing_base_image_is_said_with_what_to_do() {
    if !engine::is_there() {
        return;
    }
    let bench = bundled("aide", "podium-test-never-built:1", "");
    let refused = bench.start_agent("aide").ends_with(7);
    assert!(refused.stderr.contains("podium-test-never-built:1"), "{}", refused.stderr);
    assert!(refused.stderr.contains("docker build"), "{}", refused.stderr);
}

/// Waits until the test says go, so that the container can be looked at meanwhile.
const WAIT: &str = "until [ -e /tmp/go ]; do sleep 0.1; done\n";

fn go(container: &str) {
    engine::docker(&["exec", "--user", "0", container, "touch", "/tmp/go"]);
}

/// Every limit, as the engine has it and as the agent feels it.
#[test]
fn limits_are_the_engines_and_are_felt() {
    let Some(debian) = debian() else { return };
    let script = r#"
echo "shm: $(df --output=size -B 1 /dev/shm | tail -1 | tr -d ' ')"
if [ -e /sys/fs/cgroup/memory.max ]; then
    echo "memory: $(cat /sys/fs/cgroup/memory.max)"
    echo "pids: $(cat /sys/fs/cgroup/pids.max)"
    echo "cpu: $(cat /sys/fs/cgroup/cpu.max)"
else
    echo "memory: $(cat /sys/fs/cgroup/memory/memory.limit_in_bytes)"
    echo "pids: $(cat /sys/fs/cgroup/pids/pids.max)"
    echo "cpu: $(cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us) $(cat /sys/fs/cgroup/cpu/cpu.cfs_period_us)"
fi
for folder in /etc /usr /home /srv /var/tmp; do
    touch $folder/new 2>/dev/null && echo "wrote: $folder"
done
for folder in /tmp $SUBMISSION_DIR $LOGS_DIR $CODE_DIR; do
    touch $folder/new && echo "writable: $folder"
done
cp $SAMPLE_SUBMISSION $SUBMISSION_DIR/submission.csv
"#;
    let Some(bench) = RunBench::new() else { return };
    bench.script_agent(&debian, SH, &format!("{script}{WAIT}"), "read_only_root = true\n");
    bench.configure(
        "cpus = 0.5\nmemory = \"128M\"\nshm = \"16M\"\npids = 50\nruntime = \"runc\"\ntime_limit_seconds = 300\n",
    );
    let mut runner = bench.spawn();
    let container = engine::wait_for_container(&bench.group());
    let inspected = engine::inspect(&container);
    go(&container);
    assert!(runner.wait().unwrap().success());
    let host = &inspected["HostConfig"];
    for (name, expected) in [
        ("NanoCpus", Value::from(500_000_000)),
        ("Memory", (128 << 20).into()),
        ("MemorySwap", (128 << 20).into()),
        ("ShmSize", (16 << 20).into()),
        ("PidsLimit", 50.into()),
        ("ReadonlyRootfs", true.into()),
        ("Privileged", false.into()),
        ("Runtime", "runc".into()),
        ("NetworkMode", "none".into()),
        ("IpcMode", "private".into()),
        ("PidMode", "".into()),
        ("DeviceRequests", Value::Null),
        ("Binds", Value::Null),
    ] {
        assert_eq!(host[name], expected, "{name}");
    }
    assert_eq!(host["SecurityOpt"][0], "no-new-privileges");
    assert_eq!(
        (&host["CapDrop"][0], host["CapAdd"].as_array().map_or(0, Vec::len)),
        (&"ALL".into(), 0)
    );
    let log = bench.log();
    assert_eq!(said(&log, "shm"), [(16 << 20).to_string()], "{log}");
    assert_eq!(said(&log, "memory"), [(128 << 20).to_string()], "{log}");
    assert_eq!(said(&log, "pids"), ["50"], "{log}");
    assert_eq!(said(&log, "cpu"), ["50000 100000"], "{log}");
    assert_eq!(said(&log, "wrote"), [""; 0], "{log}");
    assert_eq!(
        said(&log, "writable"),
        ["/tmp", "/home/submission", "/home/logs", "/home/code"],
        "{log}"
    );
    let record = &bench.record()["container"];
    assert_eq!(
        (&record["memory"], &record["nano_cpus"]),
        (&(128 << 20).into(), &500_000_000.into())
    );
    assert_eq!((&record["runtime"], &record["network"]), (&"runc".into(), &"none".into()));
    // The volumes in the place of the folders are gone with the container.
    for mount in
        inspected["Mounts"].as_array().unwrap().iter().filter(|mount| mount["Type"] == "volume")
    {
        let name = mount["Name"].as_str().unwrap();
        assert_eq!(
            engine::docker(&["volume", "ls", "--quiet", "--filter", &format!("name={name}")]),
            ""
        );
    }
}

/// A user who is not root writes in the folders of a root that cannot be written, where the image has them for the user.
#[test]
fn a_read_only_root_suits_a_user_whose_folders_the_image_has() {
    let Some(debian) = debian() else { return };
    let Some(bench) = RunBench::new() else { return };
    bench.script_agent(
        &debian,
        SH,
        "cp $SAMPLE_SUBMISSION $SUBMISSION_DIR/submission.csv\necho x >$CODE_DIR/code.py\ntouch /home/agent/x || echo refused\n",
        "read_only_root = true\nuser = \"1000:1000\"\n",
    );
    let image = "agents/tester/image";
    let dockerfile = fs::read_to_string(bench.workbench.path(image).join("Dockerfile")).unwrap();
    let dockerfile = dockerfile + "COPY --chown=1000:1000 kept /home/\n";
    bench.workbench.write(format!("{image}/Dockerfile"), dockerfile);
    for folder in ["submission", "logs", "code"] {
        bench.workbench.write(format!("{image}/kept/{folder}/.keep"), "");
    }
    let result = bench.start(&[]).ends_with(0).json();
    assert_eq!(result["endings"]["completed"], 1, "{}", bench.log());
    assert!(bench.log().contains("refused"), "{}", bench.log());
    assert_eq!(bench.read("code/code.py"), "x\n");
    assert_eq!(result["report"]["competition_reports"][0]["score"], 0.5);
}

/// Root has the capabilities that its definition names, and no other.
#[test]
fn capabilities_are_those_that_are_named() {
    let Some(debian) = debian() else { return };
    let Some(bench) = RunBench::new() else { return };
    let script = "grep -E '^Cap(Eff|Bnd):' /proc/self/status | tr -s '\\t' ' '\n\
                  touch /tmp/a; chown 5 /tmp/a && echo chowned\nmount -t tmpfs none /mnt || echo unmounted\n\
                  mknod /tmp/device c 1 3 || echo no-device\n";
    bench.script_agent(&debian, SH, script, "user = \"0\"\ncapabilities = [\"CHOWN\"]\n");
    bench.start(&[]).ends_with(0);
    let log = bench.log();
    assert_eq!(
        (said(&log, "CapEff"), said(&log, "CapBnd")),
        (vec!["0000000000000001"], vec!["0000000000000001"])
    );
    assert!(
        log.contains("chowned") && log.contains("unmounted") && log.contains("no-device"),
        "{log}"
    );
}

/// The container configuration of MLE-bench, with every key that it has.
#[test]
fn the_container_configuration_of_the_reference_reaches_the_engine() {
    let Some(debian) = debian() else { return };
    let Some(mut bench) = RunBench::new() else { return };
    bench.configuration = ["--container-config", "configuration.json"];
    bench.script_agent(&debian, SH, WAIT, "");
    let configure = |runtime: &str, gpus: i64| {
        bench.configure(&format!(
            r#"{{"mem_limit": "256m", "shm_size": "32M", "nano_cpus": 1e9, "gpus": {gpus}, "runtime": "{runtime}"}}"#
        ));
        bench.forget_group();
        bench.start_command("tester", &[])
    };
    let output = configure("sysbox-runc", 0).output().unwrap();
    let known = engine::docker(&["info", "--format", "{{json .Runtimes}}"]);
    if !known.contains("sysbox-runc") {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("no runtime `sysbox-runc`") && stderr.contains("runc"), "{stderr}");
    }
    if !known.contains("nvidia") {
        let output = configure("runc", -1).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("`nvidia`") && stderr.contains("gpus = 0"), "{stderr}");
    }
    let mut command = configure("runc", 0);
    let mut runner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let container = engine::wait_for_container(&bench.group());
    let inspected = engine::inspect(&container);
    go(&container);
    assert!(runner.wait().unwrap().code().is_some());
    let host = &inspected["HostConfig"];
    assert_eq!((&host["Memory"], &host["ShmSize"]), (&(256 << 20).into(), &(32 << 20).into()));
    assert_eq!((&host["NanoCpus"], &host["Runtime"]), (&1_000_000_000.into(), &"runc".into()));
}

/// A limit on the disk that the engine's storage driver cannot keep is an error before anything runs, or it is kept.
#[test]
fn a_limit_on_the_disk_is_kept_or_refused() {
    let Some(debian) = debian() else { return };
    let Some(bench) = RunBench::new() else { return };
    let script = "head -c 200000000 /dev/zero >/home/agent/large 2>/dev/null && echo large\n\
                  cp $SAMPLE_SUBMISSION $SUBMISSION_DIR/submission.csv\n";
    bench.script_agent(&debian, SH, script, "");
    bench.configure("disk = \"100M\"\n");
    let ran = bench.start(&[]);
    if ran.code == 0 {
        assert!(!bench.log().contains("large"), "the limit is there and does nothing");
        return;
    }
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("`disk`") && ran.stderr.contains("storage driver"),
        "{}",
        ran.stderr
    );
    assert!(!bench.group().exists());
}

/// gVisor, where the engine has it: the same agent, in another kernel.
#[test]
fn an_agent_runs_under_gvisor() {
    let Some(debian) = debian() else { return };
    if !engine::docker(&["info", "--format", "{{json .Runtimes}}"]).contains("\"runsc\"") {
        eprintln!("skipped: the engine has no runtime `runsc`");
        return;
    }
    let Some(bench) = RunBench::new() else { return };
    bench.script_agent(&debian, SH, FIRST_MINUTE, "user = \"1000:1000\"\n");
    bench.configure("runtime = \"runsc\"\ntime_limit_seconds = 300\n");
    let result = bench.start(&[]).ends_with(0).json();
    let log = bench.log();
    assert_eq!(result["endings"]["completed"], 1, "{log}");
    let valid = r#"{"result":"Submission is valid."}"#;
    assert_eq!((said(&log, "direct"), said(&log, "python")), (vec![valid], vec![valid]), "{log}");
    assert_eq!(bench.record()["container"]["runtime"], "runsc");
    assert_eq!(bench.read("code/below/solution.py"), "print(1)\n");
    assert_eq!(result["report"]["competition_reports"][0]["score"], 0.5);

    let server = Server::new();
    bench.forget_group();
    bench.configure(&format!(
        "runtime = \"runsc\"\nnetwork = \"allow-list\"\n[egress]\nallow = [\"{SERVER_ADDRESS}:{}\"]\n",
        server.port
    ));
    let script = format!(
        "curl --silent http://{SERVER_ADDRESS}:{}/a; echo\ncurl --silent http://{SERVER_ADDRESS}:1/; echo\n",
        server.port
    );
    bench.script_agent(&debian, SH, &script, "");
    bench.start(&[]).ends_with(0);
    let log = bench.log();
    assert!(log.contains("GET /a HTTP/1.1") && log.contains("is not on the list"), "{log}");
}

/// A server of this machine that says what it was asked for, for ever.
struct Server {
    port: u16,
}

/// An address of the server that no program takes for "do not use a proxy", as 127.0.0.1 is. It is at that one as well, to
/// which the name `localhost` leads.
const SERVER_ADDRESS: &str = "127.0.0.2";

impl Server {
    fn new() -> Server {
        let (first, second, port) = (0..100)
            .find_map(|_| {
                let first = TcpListener::bind((SERVER_ADDRESS, 0)).unwrap();
                let port = first.local_addr().unwrap().port();
                Some((first, TcpListener::bind(("127.0.0.1", port)).ok()?, port))
            })
            .expect("a port that is free at both addresses");
        for listener in [first, second] {
            thread::spawn(move || listener.incoming().flatten().for_each(Server::answer));
        }
        Server { port }
    }

    fn answer(mut stream: TcpStream) {
        let mut read = Vec::new();
        let mut buffer = [0; 4096];
        while !read.windows(4).any(|end| end == b"\r\n\r\n") {
            match stream.read(&mut buffer) {
                Ok(count @ 1..) => read.extend_from_slice(&buffer[..count]),
                _ => break,
            }
        }
        let line = String::from_utf8_lossy(&read).lines().next().unwrap_or_default().to_owned();
        let (status, more) = match line.contains("/away") {
            true => ("302 Found", "Location: http://169.254.169.254/latest\r\n"),
            false => ("200 OK", ""),
        };
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n{line}",
            line.len()
        );
    }
}

/// What an agent reaches is what the list names, by any way that it tries.
#[test]
fn an_agent_reaches_what_is_listed_and_nothing_else() {
    let Some(debian) = debian() else { return };
    let (listed, other) = (Server::new(), Server::new());
    let script = format!(
        r#"
ask() {{ word=$1; shift; echo "$word: $(curl --silent --show-error --max-time 60 "$@" 2>&1 | tr '\n' ' ')"; }}
python() {{ echo "$1: $(python3 -c "import urllib.request as r; print(r.urlopen('$2').read().decode())" 2>&1 | tail -1)"; }}
A={SERVER_ADDRESS}; P={listed}; Q={other}; X=http://127.0.0.1:3128
ask plain http://$A:$P/a
python python http://$A:$P/b
ask tunnel --proxytunnel http://$A:$P/c
ask other-port http://$A:$Q/d
ask other-port-tunnel --proxytunnel http://$A:$Q/d
ask other-host http://127.0.0.3:$P/d
ask mapped "http://[::ffff:127.0.0.3]:$P/d"
ask number --proxytunnel -x $X http://2130706435:$P/d
ask name --noproxy '' -x $X http://localhost:$P/d
ask metadata http://169.254.169.254/latest
ask unknown http://nothing.invalid/d
ask redirect --location http://$A:$P/away
ask without-proxy --noproxy '*' http://$A:$P/e
ask direct-name --noproxy '*' http://localhost:$P/e
ask wrong-proxy -x http://127.0.0.1:5000 http://$A:$P/e
ask socket --unix-socket /podium/socket/egress.sock http://localhost/validate
ask socket-start --unix-socket /podium/socket/egress.sock -X POST http://localhost/start
ask validation http://localhost:5000/health
echo "interfaces: $(ls /sys/class/net | tr '\n' ' ')"
echo "proxies: $http_proxy $https_proxy $HTTP_PROXY $HTTPS_PROXY $no_proxy"
cp $SAMPLE_SUBMISSION $SUBMISSION_DIR/submission.csv
"#,
        listed = listed.port,
        other = other.port,
    );
    let Some(bench) = RunBench::new() else { return };
    bench.script_agent(&debian, SH, &script, "user = \"1000:1000\"\n");
    let allow = format!(
        "\"{SERVER_ADDRESS}:{port}\", \"localhost:{port}\", \"nothing.invalid:80\"",
        port = listed.port
    );
    bench.configure(&format!("network = \"allow-list\"\n[egress]\nallow = [{allow}]\n"));
    bench.start(&[]).ends_with(0);
    let log = bench.log();
    let one = |word: &str| {
        let lines = said(&log, word);
        assert_eq!(lines.len(), 1, "{word}: {log}");
        lines[0].trim()
    };
    assert_eq!(one("plain"), "GET /a HTTP/1.1", "{log}");
    assert_eq!(one("python"), "GET /b HTTP/1.1", "{log}");
    assert_eq!(one("tunnel"), "GET /c HTTP/1.1", "{log}");
    for word in ["other-port", "other-host", "mapped", "metadata", "redirect"] {
        assert!(
            one(word).contains("is not on the list of what this run may reach"),
            "{word}: {log}"
        );
    }
    for word in ["other-port-tunnel", "number"] {
        assert!(one(word).contains("CONNECT tunnel failed, response 403"), "{word}: {log}");
    }
    assert!(one("name").contains("which is not on the public internet"), "{log}");
    assert!(one("unknown").contains("could not be looked up"), "{log}");
    for word in ["without-proxy", "direct-name"] {
        assert!(one(word).contains("curl: (7)"), "{word}: {log}");
    }
    assert!(one("wrong-proxy").contains("there are /validate and /health"), "{log}");
    for word in ["socket", "socket-start"] {
        assert!(one(word).contains("this is a proxy"), "{word}: {log}");
    }
    assert_eq!(one("validation"), r#"{"status":"running"}"#);
    assert_eq!(one("interfaces"), "lo");
    assert_eq!(
        one("proxies"),
        format!("{0} {0} {0} {0} localhost,127.0.0.1,::1", "http://127.0.0.1:3128")
    );

    let record = bench.record();
    assert_eq!(record["container"]["network"], "allow-list");
    let egress = &record["egress"];
    let lines = bench.lines("egress.jsonl");
    let decided = |decision: &str| {
        let decided = lines.iter().filter(|line| line["decision"] == decision);
        decided.map(|line| line["host"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(decided("connected"), [SERVER_ADDRESS; 4], "{lines:?}");
    assert_eq!(decided("failed"), ["nothing.invalid"]);
    assert_eq!(egress["connected"], 4);
    assert_eq!(egress["failed"], 1);
    assert_eq!(egress["refused"], decided("refused").len());
    assert_eq!(egress["requests"], 5 + decided("refused").len());
    assert!(egress["received_bytes"].as_u64().unwrap() > 0);
    assert_eq!(lines.iter().filter(|line| line["ended"] == true).count(), 4, "{lines:?}");

    // With its network listed the name leads there; and what was not asked for is not there at all.
    bench.forget_group();
    bench.configure(&format!(
        "network = \"allow-list\"\n[egress]\nallow = [{allow}]\nprivate_networks = [\"127.0.0.0/8\", \"::1/128\"]\n"
    ));
    let script = format!(
        "for host in localhost {SERVER_ADDRESS}; do\n\
         curl --silent --noproxy '' -x http://127.0.0.1:3128 http://$host:{}/f; echo \" from $host\"\ndone\n",
        listed.port
    );
    bench.script_agent(&debian, SH, &script, "");
    bench.start(&[]).ends_with(0);
    let log = bench.log();
    for host in ["localhost", SERVER_ADDRESS] {
        assert!(log.contains(&format!("GET /f HTTP/1.1 from {host}")), "{log}");
    }
    assert_eq!(bench.record()["egress"]["connected"], 2, "{log}");

    bench.forget_group();
    bench.configure("");
    bench.script_agent(&debian, SH, "curl --silent --show-error http://127.0.0.1:3128\n", "");
    bench.start(&[]).ends_with(0);
    assert!(bench.log().contains("curl: (7)"), "{}", bench.log());
    assert_eq!(bench.record()["egress"], Value::Null);
}

/// An agent whose runner is killed finds the proxy again when the next runner has taken over, and the counting goes on.
#[test]
fn egress_goes_on_with_the_next_runner() {
    let Some(debian) = debian() else { return };
    let server = Server::new();
    let script = format!(
        "curl --silent http://{SERVER_ADDRESS}:{port}/one; echo\n{WAIT}curl --silent http://{SERVER_ADDRESS}:{port}/two; echo\n\
         cp $SAMPLE_SUBMISSION $SUBMISSION_DIR/submission.csv\n",
        port = server.port
    );
    let Some(bench) = RunBench::new() else { return };
    bench.script_agent(&debian, SH, &script, "");
    bench.configure(&format!(
        "network = \"allow-list\"\n[egress]\nallow = [\"{SERVER_ADDRESS}:{}\"]\n",
        server.port
    ));
    let mut runner = bench.spawn();
    let container = engine::wait_for_container(&bench.group());
    let folder =
        fs::read_dir(bench.group()).unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap();
    let log = folder.path().join("egress.jsonl");
    let is_over = || fs::read_to_string(&log).unwrap_or_default().contains("\"ended\"");
    let over = (0..1200).any(|_| is_over() || (thread::sleep(Duration::from_millis(50)), false).1);
    assert!(over, "the first request has no end");
    runner.kill().unwrap();
    runner.wait().unwrap();
    go(&container);
    let result = bench.resume().ends_with(0).json();
    assert_eq!(result["endings"]["completed"], 1, "{}", bench.log());
    assert!(bench.log().contains("GET /two"), "{}", bench.log());
    assert_eq!(bench.record()["egress"]["connected"], 2);
}

/// Threat 3: what the agent prints, and what it writes in the place of reports, is no result; what is graded is the copy
/// whose hash was taken, though a process of the agent goes on writing.
#[test]
fn only_the_frozen_copy_is_graded() {
    let Some(debian) = debian() else { return };
    let script = r#"
printf 'id,value\n1,1\n' >$SUBMISSION_DIR/submission.csv
(i=0; while :; do i=$((i + 1)); printf 'id,value\n1,%s\n' $i >$SUBMISSION_DIR/new; mv $SUBMISSION_DIR/new $SUBMISSION_DIR/submission.csv; done) &
report='{"competition_id": "example", "score": 1.0, "gold_medal": true, "any_medal": true, "valid_submission": true, "outcome": "scored"}'
echo "$report"
echo '{"event":"finished","record":{"ending":"completed"}}'
echo '{"result":"Submission is valid."}'
echo 'score: 1.0'
for folder in $SUBMISSION_DIR $LOGS_DIR $CODE_DIR; do
    for name in grading_report.json run.json events.jsonl metadata.json submission.jsonl validations.jsonl example.receipt.json; do
        echo "$report" >$folder/$name
    done
done
sleep 0.3
"#;
    let Some(bench) = RunBench::new() else { return };
    bench.script_agent(&debian, SH, script, "user = \"1000:1000\"\n");
    let result = bench.start(&[]).ends_with(0).json();
    let report = &result["report"]["competition_reports"][0];
    assert_eq!((&report["score"], &report["gold_medal"]), (&0.5.into(), &false.into()));
    let record = bench.record();
    let submission = fs::read(bench.run_file("submission/submission.csv")).unwrap();
    let digest = podium::Digest::of(&submission).to_string();
    assert_eq!(record["submission"]["sha256"], digest);
    assert_eq!(record["validation"]["calls"], 0, "nothing that is printed is a validation");
    let receipts: Vec<_> =
        fs::read_dir(bench.group().join("receipts")).unwrap().flatten().collect();
    assert_eq!(receipts.len(), 1);
    let receipt = fs::read_to_string(receipts[0].path()).unwrap();
    assert!(receipt.contains(&digest), "the receipt is of what was copied: {receipt}");
    assert!(
        bench.read("logs/run.json").contains("gold_medal"),
        "it is there, and nobody believes it"
    );
}

/// Threat 9: programs that an agent leaves, under any name that the host knows, are data. The search path of the runner and
/// its current folder are the agent's here, and still nothing runs.
#[test]
fn nothing_of_an_agent_is_executed_by_the_host() {
    let Some(debian) = debian() else { return };
    let Some(bench) = RunBench::new() else { return };
    let marker = bench.workbench.path("marker");
    let script = format!(
        r#"
cp $SAMPLE_SUBMISSION $SUBMISSION_DIR/submission.csv
for folder in $SUBMISSION_DIR $LOGS_DIR $CODE_DIR /usr/local/bin /usr/local/sbin; do
    for name in sh bash python python3 podium docker dockerd runc tar git curl cc compile-component conftest.py \
        sitecustomize.py setup.py .envrc Makefile start.sh validate_submission.sh ld.so.preload forwarder; do
        printf '#!/bin/sh\necho ran >>{marker}\n' >$folder/$name
        chmod 4755 $folder/$name
    done
    printf 'id = "tester"\nimage = "other"\n' >$folder/agent.toml
    for name in grader.wasm example.wasm; do printf 'wasm' >$folder/$name; done
done
"#,
        marker = marker.display()
    );
    bench.script_agent(&debian, SH, &script, "user = \"0\"\n");
    let result = bench.start(&[]).ends_with(0).json();
    assert_eq!(result["report"]["competition_reports"][0]["score"], 0.5);
    let run = bench.run_file("");
    for folder in ["submission", "logs", "code"] {
        let mode = fs::metadata(run.join(folder).join("sh")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7111, 0, "{folder}/sh is a program: {mode:o}");
    }
    for (folder, arguments) in [
        ("code", &["run", "status", "../.."] as &[&str]),
        ("code", &["run", "resume", "../.."]),
        ("logs", &["grade", "--submission", "../../submission.jsonl", "--output-dir", "out"]),
        ("submission", &["validate", "submission.csv", "example"]),
    ] {
        let here = run.join(folder);
        for entry in fs::read_dir(&here).unwrap().flatten().filter(|entry| entry.path().is_file()) {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = bench.workbench.podium(arguments.iter().copied());
        let output = command
            .current_dir(&here)
            .env("PATH", format!("{}:/usr/bin:/bin", here.display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert!(!marker.exists(), "{arguments:?} ran something");
    }
    // That the trap works at all.
    assert!(std::process::Command::new(run.join("code/sh")).status().unwrap().success());
    assert!(marker.exists());
}

/// The page for whoever makes an agent: what it says works when it is pasted.
#[test]
fn an_agent_is_made_from_nothing_as_its_page_says() {
    let Some(debian) = debian() else { return };
    let page = fs::read_to_string(artifacts::root().join("docs/agents.md")).unwrap();
    let (_, section) = page.split_once("\n## An agent of your own\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let tour: String =
        section.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    // The image and the competition that are there.
    let tour = tour.replace("python:3.11-slim", &debian).replace("spaceship-titanic", "example");
    assert!(tour.contains(&debian) && tour.contains("--competition example"), "{tour}");
    let Some(bench) = RunBench::new() else { return };
    let tour = bench.marked(&tour);
    assert!(tour.contains("\nLABEL podium.test="), "{tour}");
    let programs = artifacts::podium().parent().unwrap().to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = bench
        .start_command("none", &[])
        .get_envs()
        .fold(&mut std::process::Command::new("bash"), |command, (name, value)| {
            command.env(name, value.unwrap_or_default())
        })
        .args(["-euo", "pipefail", "-c", &tour])
        .current_dir(bench.workbench.path(""))
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    for part in [
        "I was told ['guesses=3'] and have 86400 seconds; my mood is good",
        "Submission is valid.",
        "completed",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}\n{stderr}");
    }
    assert!(bench.workbench.path("runs/first").is_dir());
}
