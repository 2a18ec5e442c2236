//! A Docker engine of a test's own, which can be killed and started again: the machine's own must not be.
//!
//! It takes a `dockerd` on this machine and the right to start one. Without these, tests are skipped, and say so;
//! `PODIUM_REQUIRE_DOCKER=1` turns that into a failure.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

static COUNT: AtomicU32 = AtomicU32::new(0);

/// An engine that listens on a Unix socket, and with certificates on a port.
pub struct SecondEngine {
    folder: TempDir,
    port: u16,
    name: String,
    /// The name of its bridge. A daemon without one removes `docker0`, which is that of the machine's engine.
    bridge: String,
    /// Where its daemon looks for programs first.
    programs: Option<PathBuf>,
    daemon: Option<Child>,
}

/// Files in PEM.
pub struct Certificates {
    /// Of the authority.
    pub ca: PathBuf,
    /// Of a client.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

impl SecondEngine {
    /// An engine that runs; none where this machine cannot have one.
    ///
    /// # Panics
    /// When there should be one, and it does not come up.
    pub fn start() -> Option<SecondEngine> {
        SecondEngine::start_with(None, "{}")
    }

    /// One that gives GPUs to containers, as far as it knows: a hook in this folder that does nothing stands in for the
    /// toolkit's.
    ///
    /// # Panics
    /// As [`SecondEngine::start`].
    pub fn with_gpus(programs: &Path) -> Option<SecondEngine> {
        SecondEngine::start_with(Some(programs), r#"{"runtimes": {"nvidia": {"path": "runc"}}}"#)
    }

    fn start_with(programs: Option<&Path>, configuration: &str) -> Option<SecondEngine> {
        let can = Command::new("dockerd")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
            && is_root();
        if !can {
            assert!(
                !std::env::var("PODIUM_REQUIRE_DOCKER").is_ok_and(|value| value == "1"),
                "a second dockerd cannot be started: it takes the program and root, and PODIUM_REQUIRE_DOCKER=1"
            );
            eprintln!("skipped: a second dockerd cannot be started");
            return None;
        }
        // Short, because the names of sockets are.
        let folder = tempfile::Builder::new().prefix("pe-").tempdir_in("/tmp").expect("a folder");
        let port = TcpListener::bind(("127.0.0.1", 0))
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let name =
            format!("podium-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        make_certificates(folder.path());
        fs::write(folder.path().join("daemon.json"), configuration).expect("a file");
        let programs = programs.map(Path::to_owned);
        let mut engine =
            SecondEngine { folder, port, bridge: bridge(), name, programs, daemon: None };
        engine.come_back(&[]);
        Some(engine)
    }

    /// The address of its socket.
    pub fn address(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("d.sock")
    }

    /// The address that takes certificates.
    pub fn tls_address(&self) -> String {
        format!("tcp://127.0.0.1:{}", self.port)
    }

    /// The certificates that it believes.
    pub fn certificates(&self) -> Certificates {
        let path = |name: &str| self.folder.path().join(name);
        Certificates {
            ca: path("ca.pem"),
            certificate: path("client.pem"),
            key: path("client-key.pem"),
        }
    }

    /// What `docker` prints when it asks this engine.
    ///
    /// # Panics
    /// When it fails.
    pub fn docker(&self, arguments: &[&str]) -> String {
        let output = Command::new("docker")
            .args(["--host", &self.address()])
            .args(arguments)
            .output()
            .expect("the docker program");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "docker {arguments:?}: {stderr}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The names of the containers that run, or of all.
    pub fn containers(&self, all: bool) -> Vec<String> {
        let mut arguments = vec!["ps", "--format", "{{.Names}}"];
        if all {
            arguments.push("--all");
        }
        self.docker(&arguments).lines().map(str::to_owned).collect()
    }

    /// Waits until so many containers run.
    ///
    /// # Panics
    /// When they do not after two minutes.
    pub fn wait_for_containers(&self, count: usize) -> Vec<String> {
        for _ in 0..600 {
            let names = self.containers(false);
            if names.len() >= count {
                return names;
            }
            thread::sleep(Duration::from_millis(200));
        }
        panic!("{count} containers do not run on {}", self.name);
    }

    /// Kills the daemon as a power failure would; what runs in containers goes on.
    ///
    /// # Panics
    /// When it does not run.
    pub fn kill(&mut self) {
        let mut daemon = self.daemon.take().expect("a daemon that runs");
        daemon.kill().expect("a daemon that can be killed");
        daemon.wait().expect("a daemon that ended");
        // A containerd of its own dies with it, and must be dead before the next one looks for it.
        if let Some(process) = self.containerd()
            && wait_for_end(&process)
        {
            // Nobody may have taken note of its end yet, and then the next daemon believes that it runs.
            let _ = fs::remove_file(self.containerd_file());
        }
    }

    /// The process of the containerd that the daemon has started, where the machine has none of its own.
    fn containerd(&self) -> Option<String> {
        Some(fs::read_to_string(self.containerd_file()).ok()?.trim().to_owned())
    }

    fn containerd_file(&self) -> PathBuf {
        self.folder.path().join("exec/containerd/containerd.pid")
    }

    /// Starts the daemon, with more options.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn come_back(&mut self, more: &[&str]) {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.path().join("log"))
            .expect("a log");
        let _ = fs::remove_file(self.folder.path().join("pid"));
        let path_variable = std::env::var("PATH").unwrap_or_default();
        let path_variable = match &self.programs {
            Some(programs) => format!("{}:{path_variable}", programs.display()),
            None => path_variable,
        };
        let daemon = Command::new("dockerd")
            .env("PATH", path_variable)
            .args(["--config-file", &path("daemon.json")])
            .args(["--data-root", &path("data"), "--exec-root", &path("exec")])
            .args(["--pidfile", &path("pid"), "--host", &self.address()])
            .args(["--host", &self.tls_address(), "--tlsverify"])
            .args(["--tlscacert", &path("ca.pem"), "--tlscert", &path("server.pem")])
            .args(["--tlskey", &path("server-key.pem")])
            .args(["--bridge", &self.bridge, "--iptables=false", "--storage-driver", "vfs"])
            .args(["--containerd-namespace", &self.name])
            .args(["--containerd-plugins-namespace", &format!("{}-plugins", self.name)])
            .args(more)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("the log"))
            .stderr(log)
            .spawn()
            .expect("the dockerd program");
        self.daemon = Some(daemon);
        for _ in 0..300 {
            let asked = Command::new("docker")
                .args(["--host", &self.address(), "version"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if asked.is_ok_and(|status| status.success()) {
                return;
            }
            thread::sleep(Duration::from_millis(200));
        }
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        panic!("the second dockerd does not come up: {log}");
    }
}

impl Drop for SecondEngine {
    fn drop(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            // Nothing here may panic: the test may have failed already.
            let ask = |arguments: &[&str]| {
                let mut command = Command::new("docker");
                command.args(["--host", &self.address()]).args(arguments).output()
            };
            if let Ok(listed) = ask(&["ps", "--all", "--quiet"]) {
                for id in String::from_utf8_lossy(&listed.stdout).lines() {
                    let _ = ask(&["rm", "--force", "--volumes", id]);
                }
            }
            kill(&daemon.id().to_string(), "-TERM");
            let _ = daemon.wait();
        }
        // What runs in containers that no daemon knows any more ends when the process above it does.
        for (process, command) in processes() {
            if command.contains("containerd-shim") && command.contains(&self.name) {
                let children = format!("/proc/{process}/task/{process}/children");
                for child in fs::read_to_string(children).unwrap_or_default().split(' ') {
                    kill(child, "-KILL");
                }
                kill(&process, "-KILL");
            }
        }
        if let Some(process) = self.containerd() {
            kill(&process, "-TERM");
            wait_for_end(&process);
        }
        let _ = Command::new("ip").args(["link", "delete", &self.bridge]).status();
        // What a daemon that was killed has left mounted would keep the folder.
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let folder = self.folder.path().display().to_string();
        let mounted = mounts.lines().filter_map(|line| line.split(' ').nth(1));
        for place in mounted.filter(|place| place.starts_with(&folder)) {
            let _ = Command::new("umount").args(["--lazy", place]).status();
        }
    }
}

/// Makes a bridge that leads nowhere; its name is as short as those of interfaces have to be.
fn bridge() -> String {
    let name =
        format!("pe{:x}-{:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed) & 0xff);
    let made = Command::new("ip").args(["link", "add", &name, "type", "bridge"]).status();
    assert!(
        made.expect("the program `ip`, of iproute2").success(),
        "the bridge {name} cannot be made"
    );
    name
}

fn kill(process: &str, signal: &str) {
    let _ = Command::new("kill").args([signal, process]).stderr(Stdio::null()).status();
}

/// Whether a process ends within a few seconds.
fn wait_for_end(process: &str) -> bool {
    for _ in 0..50 {
        let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if status.is_empty() || status.contains(") Z ") {
            return true;
        }
        thread::sleep(Duration::from_millis(100));
    }
    false
}

/// All processes with their command lines.
fn processes() -> Vec<(String, String)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    ids.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|id| {
            let command = fs::read(format!("/proc/{id}/cmdline")).ok()?;
            Some((id, String::from_utf8_lossy(&command).replace('\0', " ")))
        })
        .collect()
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
}

/// An authority, with a certificate for the engine and one for its clients; and another authority that it does not know.
fn make_certificates(folder: &Path) {
    for (authority, prefix) in [("ca.pem", ""), ("other-ca.pem", "other-")] {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = parameters.self_signed(&key).expect("a certificate");
        fs::write(folder.join(authority), certificate.pem()).expect("a file");
        let issuer = Issuer::new(parameters, key);
        for (name, usage) in [
            ("server", ExtendedKeyUsagePurpose::ServerAuth),
            ("client", ExtendedKeyUsagePurpose::ClientAuth),
        ] {
            let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
            let mut parameters = CertificateParams::new(names).expect("names");
            parameters.extended_key_usages = vec![usage];
            let key = KeyPair::generate().expect("a key");
            let certificate = parameters.signed_by(&key, &issuer).expect("a certificate");
            let path = |ending: &str| folder.join(format!("{prefix}{name}{ending}.pem"));
            fs::write(path(""), certificate.pem()).expect("a file");
            fs::write(path("-key"), key.serialize_pem()).expect("a file");
        }
    }
}
