//! The way to an engine: a Unix socket, TCP, TCP with certificates, or a socket of another machine through `ssh`.

use std::io::BufReader;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bollard::errors::Error as DockerError;
use bollard::{API_DEFAULT_VERSION, BollardRequest, Docker};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use hyperlocal::UnixConnector;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;
use tokio::sync::Mutex;

use crate::error::Error;
use crate::hosts::{Address, HostDefinition, Tls};

/// How long the engine may take to answer a request, in seconds.
const PATIENCE: u64 = 120;

/// The way to an engine, and what keeps it open.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) docker: Docker,
    /// Where it leads, as it was given.
    pub(crate) address: String,
    tunnel: Option<Arc<Tunnel>>,
}

impl Connection {
    /// Prepares the way; nothing is sent before the first request.
    pub(crate) fn to(host: &HostDefinition) -> Result<Connection, Error> {
        let wrong = |message: String| Error::Hosts {
            place: format!("for the host `{}`", host.name),
            message,
        };
        let (docker, tunnel) = match (&host.address().map_err(wrong)?, &host.tls) {
            (Address::Unix(path), _) => (unix(path), None),
            (Address::Tcp(address), None) => {
                (over(HttpConnector::new(), &format!("http://{address}")), None)
            }
            (Address::Tcp(address), Some(tls)) => {
                let connector = HttpsConnectorBuilder::new()
                    .with_tls_config(encryption(tls).map_err(wrong)?)
                    .https_only()
                    .enable_http1()
                    .build();
                (over(connector, &format!("https://{address}")), None)
            }
            (Address::Ssh { destination, port, socket }, _) => {
                let tunnel =
                    Tunnel::new(destination, *port, socket, host.ssh_configuration.clone())?;
                (unix(&tunnel.socket()), Some(Arc::new(tunnel)))
            }
        };
        let docker = docker.map_err(|error| wrong(error.to_string()))?;
        Ok(Connection { docker, address: host.address.clone(), tunnel })
    }

    /// What the program said that the way leads through, where there is one that said anything.
    pub(crate) fn says(&self) -> Option<String> {
        self.tunnel.as_ref()?.says()
    }

    /// Opens again what has broken, where the way needs something that is open.
    pub(crate) async fn open(&self) {
        if let Some(tunnel) = &self.tunnel {
            tunnel.open().await;
        }
    }
}

fn unix(path: &Path) -> Result<Docker, DockerError> {
    // In an address, the path of a socket is written in hexadecimal digits.
    let path: String =
        path.as_os_str().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    over(UnixConnector, &format!("unix://{path}"))
}

/// Requests over connections that this connector makes, one each.
fn over<C>(connector: C, address: &str) -> Result<Docker, DockerError>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
    let client = Arc::new(client);
    let transport = move |request: BollardRequest| {
        let client = Arc::clone(&client);
        async move { client.request(request).await.map_err(DockerError::from) }
    };
    Docker::connect_with_custom_transport(transport, Some(address), PATIENCE, API_DEFAULT_VERSION)
}

/// TLS with certificates on both sides. Only the named authority is believed, as the `docker` program does it.
fn encryption(tls: &Tls) -> Result<rustls::ClientConfig, String> {
    let read = |path: &Path| {
        let file = std::fs::File::open(path);
        file.map(BufReader::new).map_err(|error| format!("{}: {error}", path.display()))
    };
    let certificates = |path: &Path| {
        CertificateDer::pem_reader_iter(read(path)?)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("{}: {error}", path.display()))
            .and_then(|found| match found.is_empty() {
                true => Err(format!("{} holds no certificate", path.display())),
                false => Ok(found),
            })
    };
    let mut authorities = rustls::RootCertStore::empty();
    for certificate in certificates(&tls.ca)? {
        authorities.add(certificate).map_err(|error| format!("{}: {error}", tls.ca.display()))?;
    }
    let key = PrivateKeyDer::from_pem_reader(read(&tls.key)?)
        .map_err(|error| format!("{}: {error}", tls.key.display()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(authorities)
        .with_client_auth_cert(certificates(&tls.certificate)?, key)
        .map_err(|error| format!("{}: {error}", tls.certificate.display()))
}

/// A process of `ssh` that leads from a socket here to the engine's socket there.
///
/// Not a process a request, as the `docker` program has it: an agent's run takes several connections at once, and servers
/// limit the sessions of a client, but not what is led through one.
#[derive(Debug)]
struct Tunnel {
    folder: TempDir,
    arguments: Vec<String>,
    process: Mutex<Option<Child>>,
}

impl Tunnel {
    fn new(
        destination: &str,
        port: Option<u16>,
        socket: &Path,
        configuration: Option<PathBuf>,
    ) -> Result<Tunnel, Error> {
        // Only its owner can look into the folder. The path has to be short.
        let folder = tempfile::Builder::new()
            .prefix("podium-")
            .tempdir()
            .map_err(Error::file(&std::env::temp_dir()))?;
        let mut arguments = Vec::new();
        if let Some(configuration) = configuration {
            arguments.extend(["-F".to_owned(), configuration.to_string_lossy().into_owned()]);
        }
        for option in [
            "BatchMode=yes",
            "ConnectTimeout=15",
            "ServerAliveInterval=10",
            "ServerAliveCountMax=3",
            "ExitOnForwardFailure=yes",
            "StreamLocalBindUnlink=yes",
            "ControlPath=none",
        ] {
            arguments.extend(["-o".to_owned(), option.to_owned()]);
        }
        if let Some(port) = port {
            arguments.extend(["-p".to_owned(), port.to_string()]);
        }
        let local = folder.path().join("docker.sock");
        let forward = format!("{}:{}", local.display(), socket.display());
        arguments.extend(["-T", "-L", &forward, "--", destination].map(str::to_owned));
        // Ends when its input does: with this process, however that ends.
        arguments.push("cat".to_owned());
        Ok(Tunnel { folder, arguments, process: Mutex::new(None) })
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// The last line that the process wrote.
    fn says(&self) -> Option<String> {
        let log = std::fs::read(self.log()).ok()?;
        let log = String::from_utf8_lossy(&log);
        let line = log.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(format!("ssh: {}", line.chars().take(300).collect::<String>()))
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("docker.sock")
    }

    /// Starts the process where there is none, and waits a moment for its socket.
    async fn open(&self) {
        let mut process = self.process.lock().await;
        if let Some(running) = process.as_mut()
            && matches!(running.try_wait(), Ok(None))
        {
            return;
        }
        let _ = std::fs::remove_file(self.socket());
        let started = Command::new("ssh")
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(self.log()).map_or(Stdio::null(), Stdio::from))
            // Ctrl-C asks this process to stop; what runs goes on, and so does the way to it.
            .process_group(0)
            .spawn();
        // That it cannot be started is seen by whoever finds no socket.
        *process = started.ok();
        for _ in 0..150 {
            let is_running =
                process.as_mut().is_some_and(|running| matches!(running.try_wait(), Ok(None)));
            if self.socket().exists() || !is_running {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.get_mut().take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
