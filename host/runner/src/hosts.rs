//! The machines whose engines run agents: a hosts file, or what `DOCKER_HOST` and its like say of one.
//!
//! Plain data, and a part of `run.toml`: a group that goes on finds its containers where they were made. A key's path is
//! kept there, the key is not.

mod context;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::context::Context;
use crate::configuration::RunConfiguration;
use crate::definition_file;
use crate::engine::Engine;
use crate::error::Error;
use crate::size::Size;

/// Where an engine listens unless somebody says otherwise.
const LOCAL_SOCKET: &str = "/var/run/docker.sock";

/// The name of the only host where there is no hosts file.
const ONLY_HOST: &str = "docker";

/// The most runs at once on one host.
const MOST_WORKERS: usize = 4096;

/// The hosts of a run group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hosts {
    /// How long a host that does not answer is waited for, in seconds, before its runs are given to others.
    pub gone_after_seconds: GoneAfter,
    /// The hosts.
    pub hosts: Vec<HostDefinition>,
}

/// Seconds, five minutes where nobody says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GoneAfter(pub u64);

impl Default for GoneAfter {
    fn default() -> GoneAfter {
        GoneAfter(300)
    }
}

/// A machine with an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostDefinition {
    /// Its name, in the journal and in records.
    pub name: String,
    /// `unix:///path`, `tcp://host:port` or `ssh://user@host:port/path`.
    pub address: String,
    /// The certificates with which `tcp://` is encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// A configuration file for the `ssh` program; its own where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssh_configuration: Option<PathBuf>,
    /// How many runs go on at once; as many as fit where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<usize>,
    /// CPUs for all runs together; those of the machine where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<f64>,
    /// Memory for all runs together; that of the machine where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// The GPUs that runs may get, by id.
    #[serde(default)]
    pub gpu_devices: Vec<String>,
    /// The data folder on that machine. Where it is not given, public data are uploaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<PathBuf>,
    /// Whether the engine sees the files of this machine; where nobody says it, an engine behind `unix://` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares_files: Option<bool>,
}

/// Files in PEM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// Whose engines are believed. Nobody else's are, whatever this machine believes otherwise.
    pub ca: PathBuf,
    /// The certificate of this machine.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// How an engine is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// A host and port.
    Tcp(String),
    /// A Unix socket of another machine.
    Ssh {
        /// `user@host` or `host`, as `ssh` takes it.
        destination: String,
        /// The port, where it is not what `ssh` would take.
        port: Option<u16>,
        /// The socket on that machine.
        socket: PathBuf,
    },
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// What addresses look like.
    pub fn parse(text: &str) -> Result<Address, String> {
        let wrong = || {
            format!(
                "`{}` is no address of an engine: write unix:///path, tcp://host:2376 or ssh://user@host",
                text.escape_debug()
            )
        };
        if text.chars().any(|character| character.is_control() || character == ' ') {
            return Err(wrong());
        }
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        match scheme {
            "unix" if rest.starts_with('/') => Ok(Address::Unix(PathBuf::from(rest))),
            "tcp" => {
                let rest = rest.trim_end_matches('/');
                let (host, port) = rest.rsplit_once(':').ok_or_else(wrong)?;
                let is_host = !host.is_empty() && !host.contains(['/', '@', '?', '#']);
                port.parse::<u16>().ok().filter(|_| is_host).ok_or_else(wrong)?;
                Ok(Address::Tcp(rest.to_owned()))
            }
            "ssh" => {
                let (host, socket) = match rest.split_once('/') {
                    Some((host, path)) if !path.is_empty() => (host, format!("/{path}")),
                    Some((host, _)) => (host, LOCAL_SOCKET.to_owned()),
                    None => (rest, LOCAL_SOCKET.to_owned()),
                };
                let (destination, port) = match host.rsplit_once(':') {
                    Some((host, port)) => (host, Some(port.parse().map_err(|_| wrong())?)),
                    None => (host, None),
                };
                // What begins with a hyphen would be an option of the `ssh` program, and a colon would end the path.
                if destination.is_empty() || destination.starts_with('-') || socket.contains(':') {
                    return Err(wrong());
                }
                Ok(Address::Ssh {
                    destination: destination.to_owned(),
                    port,
                    socket: PathBuf::from(socket),
                })
            }
            _ => Err(wrong()),
        }
    }
}

impl Hosts {
    /// Reads a hosts file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Hosts`].
    pub fn load(path: &Path) -> Result<Hosts, Error> {
        let text = definition_file::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let folder = std::fs::canonicalize(folder).map_err(Error::file(folder))?;
        Hosts::parse(&text, &folder)
            .map_err(|message| Error::Hosts { place: path.display().to_string(), message })
    }

    /// Parses a hosts file whose paths are relative to this folder.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str, folder: &Path) -> Result<Hosts, String> {
        let mut hosts: Hosts =
            toml::from_str(text).map_err(|error| podium::explain_toml(&error, text))?;
        if hosts.hosts.is_empty() {
            return Err("there is no `[[hosts]]`".to_owned());
        }
        let mut names = BTreeSet::new();
        for host in &mut hosts.hosts {
            host.check().map_err(|message| format!("the host `{}`: {message}", host.name))?;
            if !names.insert(host.name.clone()) {
                return Err(format!("there are two hosts `{}`", host.name));
            }
            if let Some(tls) = &mut host.tls {
                for path in [&mut tls.ca, &mut tls.certificate, &mut tls.key] {
                    *path = folder.join(&*path);
                }
            }
            if let Some(path) = &mut host.ssh_configuration {
                *path = folder.join(&*path);
            }
        }
        Ok(hosts)
    }

    /// The one host that the `docker` program would ask: that of `DOCKER_HOST`, else of the context in use, else the engine
    /// of this machine.
    ///
    /// # Errors
    /// [`Error::Hosts`] for variables and contexts that are not understood.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Hosts, Error> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (address, tls, place) = match variable("DOCKER_HOST") {
            Some(address) => {
                let is_verified = variable("DOCKER_TLS_VERIFY").is_some();
                let tls = (is_verified && address.starts_with("tcp://")).then(|| {
                    let folder = match variable("DOCKER_CERT_PATH") {
                        Some(folder) => PathBuf::from(folder),
                        None => Path::new(&variable("HOME").unwrap_or_default()).join(".docker"),
                    };
                    Tls {
                        ca: folder.join("ca.pem"),
                        certificate: folder.join("cert.pem"),
                        key: folder.join("key.pem"),
                    }
                });
                (address, tls, "in DOCKER_HOST".to_owned())
            }
            None => match context::in_use(variable)? {
                Some(Context { name, address, tls }) => {
                    let tls = tls.filter(|_| address.starts_with("tcp://"));
                    (address, tls, format!("of the Docker context `{}`", name.escape_debug()))
                }
                None => (format!("unix://{LOCAL_SOCKET}"), None, "of this machine".to_owned()),
            },
        };
        let host = HostDefinition {
            name: ONLY_HOST.to_owned(),
            address,
            tls,
            ssh_configuration: None,
            workers: None,
            cpus: None,
            memory: None,
            gpu_devices: Vec::new(),
            data: None,
            shares_files: None,
        };
        host.check().map_err(|message| Error::Hosts { place, message })?;
        Ok(Hosts { gone_after_seconds: GoneAfter::default(), hosts: vec![host] })
    }

    /// Hosts that name no GPUs have these.
    pub(crate) fn lend(&mut self, devices: &[String]) {
        for host in self.hosts.iter_mut().filter(|host| host.gpu_devices.is_empty()) {
            host.gpu_devices = devices.to_vec();
        }
    }

    /// Looks before anything is made whether the engines have what runs need.
    ///
    /// # Errors
    /// What one of them lacks; an error of the connection where none answers. Others may be silent.
    pub async fn check(&self, configuration: &RunConfiguration) -> Result<(), Error> {
        let mut hosts = self.clone();
        hosts.lend(&configuration.gpu_devices);
        let (mut silent, mut answered) = (None, false);
        for host in &hosts.hosts {
            let facts = match Engine::of(host)?.facts().await {
                Ok(facts) => facts,
                Err(error) => {
                    silent = Some(error);
                    continue;
                }
            };
            answered = true;
            let place = || format!("for the host `{}`", host.name);
            facts.check(configuration).map_err(|error| match error {
                Error::Configuration { message, .. } if hosts.hosts.len() > 1 => {
                    Error::Configuration { place: place(), message }
                }
                other => other,
            })?;
            host.room(configuration, facts.cpus, facts.memory)
                .map_err(|message| Error::Hosts { place: place(), message })?;
        }
        match silent {
            Some(error) if !answered => Err(error),
            _ => Ok(()),
        }
    }
}

impl HostDefinition {
    /// How its engine is reached.
    ///
    /// # Errors
    /// An address that is not understood.
    pub fn address(&self) -> Result<Address, String> {
        Address::parse(&self.address)
    }

    /// Whether its engine sees the files of this machine.
    pub fn shares_files(&self) -> bool {
        self.shares_files.unwrap_or_else(|| matches!(self.address(), Ok(Address::Unix(_))))
    }

    /// How many runs of this kind go on at once. What the engine says of its machine counts where the host's definition
    /// names no number of workers.
    ///
    /// # Errors
    /// Why not even one fits.
    pub fn room(
        &self,
        configuration: &RunConfiguration,
        machine_cpus: Option<i64>,
        machine_memory: Option<i64>,
    ) -> Result<usize, String> {
        let mut room = self.workers.unwrap_or(MOST_WORKERS);
        let mut is_bounded = self.workers.is_some();
        let machine_cpus = machine_cpus.filter(|_| self.workers.is_none());
        let machine_memory = machine_memory.filter(|_| self.workers.is_none());
        let cpus = self.cpus.or(machine_cpus.map(|cpus| cpus as f64));
        if let (Some(cpus), Some(each)) = (cpus, configuration.cpus) {
            // A hair more, so that 0.3 / 0.1 are three.
            room = room.min((cpus / each + 1e-6) as usize);
            is_bounded = true;
            if room == 0 {
                return Err(format!("a run takes {each} CPUs, and the host has {cpus} for runs"));
            }
        }
        let memory = self.memory.map(|memory| memory.0);
        let memory = memory.or(machine_memory.and_then(|memory| u64::try_from(memory).ok()));
        if let (Some(memory), Some(each)) = (memory, configuration.memory) {
            room = room.min(usize::try_from(memory / each.0).unwrap_or(MOST_WORKERS));
            is_bounded = true;
            if room == 0 {
                return Err(format!(
                    "a run takes {} bytes of memory, and the host has {memory} for runs",
                    each.0
                ));
            }
        }
        if let (false, Ok(each @ 1..)) =
            (self.gpu_devices.is_empty(), usize::try_from(configuration.gpus))
        {
            room = room.min(self.gpu_devices.len() / each);
            is_bounded = true;
            if room == 0 {
                return Err(format!(
                    "a run takes {each} GPUs, and the host has {} for runs",
                    self.gpu_devices.len()
                ));
            }
        }
        Ok(if is_bounded { room } else { 1 })
    }

    fn check(&self) -> Result<(), String> {
        let simple = |character: char| {
            character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
        };
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(simple) {
            return Err(
                "a name is made of letters, digits, hyphens, underscores and dots".to_owned()
            );
        }
        let address = self.address()?;
        if self.tls.is_some() && !matches!(address, Address::Tcp(_)) {
            return Err("`tls` is for tcp:// alone".to_owned());
        }
        if self.ssh_configuration.is_some() && !matches!(address, Address::Ssh { .. }) {
            return Err("`ssh_configuration` is for ssh:// alone".to_owned());
        }
        if self.workers.is_some_and(|workers| !(1..=MOST_WORKERS).contains(&workers)) {
            return Err(format!("`workers` is a number from 1 to {MOST_WORKERS}"));
        }
        if self.cpus.is_some_and(|cpus| !(0.01..=65536.0).contains(&cpus)) {
            return Err("`cpus` has to be between 0.01 and 65536".to_owned());
        }
        if self.data.as_ref().is_some_and(|data| !data.is_absolute()) {
            return Err("`data` is an absolute path on that host".to_owned());
        }
        let distinct: BTreeSet<&String> = self.gpu_devices.iter().collect();
        if distinct.len() < self.gpu_devices.len() {
            return Err("`gpu_devices` names one twice".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_the_docker_program_reads_them() {
        let ssh = |destination: &str, port, socket: &str| Address::Ssh {
            destination: destination.into(),
            port,
            socket: socket.into(),
        };
        for (text, expected) in [
            ("unix:///run/d.sock", Some(Address::Unix("/run/d.sock".into()))),
            ("tcp://host:2376", Some(Address::Tcp("host:2376".into()))),
            ("tcp://[::1]:2376/", Some(Address::Tcp("[::1]:2376".into()))),
            ("ssh://me@host", Some(ssh("me@host", None, LOCAL_SOCKET))),
            ("ssh://host:2222/run/d.sock", Some(ssh("host", Some(2222), "/run/d.sock"))),
            ("unix://d.sock", None),
            ("tcp://host", None),
            ("tcp://user@host:1", None),
            ("ssh://-oProxyCommand=x", None),
            ("ssh://host/a:b", None),
            ("ssh://host name", None),
            ("http://host:1", None),
            ("host", None),
        ] {
            assert_eq!(Address::parse(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn the_variables_of_the_docker_program_are_understood() {
        let of = |variables: &'static [(&str, &str)]| {
            let look_up =
                |name: &str| variables.iter().find(|one| one.0 == name).map(|one| one.1.to_owned());
            Hosts::from_environment(look_up).map(|mut hosts| hosts.hosts.remove(0))
        };
        let local = of(&[]).unwrap();
        assert_eq!(
            (local.address.as_str(), local.shares_files()),
            ("unix:///var/run/docker.sock", true)
        );
        let remote = of(&[
            ("DOCKER_HOST", "tcp://host:2376"),
            ("DOCKER_TLS_VERIFY", "1"),
            ("DOCKER_CERT_PATH", "/c"),
        ])
        .unwrap();
        assert!(!remote.shares_files());
        assert_eq!(remote.tls.unwrap().ca, Path::new("/c/ca.pem"));
        assert!(of(&[("DOCKER_HOST", "nonsense")]).is_err());

        // A context counts where DOCKER_HOST says nothing.
        let home = tempfile::tempdir().unwrap();
        let folder =
            home.path().join(format!(".docker/contexts/meta/{}", podium::Digest::of(b"far")));
        std::fs::create_dir_all(&folder).unwrap();
        let meta = r#"{"Name":"far","Endpoints":{"docker":{"Host":"ssh://me@far"}}}"#;
        std::fs::write(folder.join("meta.json"), meta).unwrap();
        let with_context = |host: Option<&str>| {
            let variables = Hosts::from_environment(|name| match name {
                "HOME" => Some(home.path().display().to_string()),
                "DOCKER_CONTEXT" => Some("far".to_owned()),
                "DOCKER_HOST" => host.map(str::to_owned),
                _ => None,
            });
            variables.unwrap().hosts.remove(0).address
        };
        assert_eq!(with_context(None), "ssh://me@far");
        assert_eq!(with_context(Some("")), "ssh://me@far");
        assert_eq!(with_context(Some("unix:///d.sock")), "unix:///d.sock");
    }

    #[test]
    fn what_is_wrong_with_a_hosts_file_is_said() {
        let host = "[[hosts]]\nname = \"a\"\naddress = \"unix:///d.sock\"\n";
        for (text, part) in [
            (String::new(), "no `[[hosts]]`"),
            (format!("{host}{host}"), "two hosts"),
            (host.replace("\"a\"", "\"a b\""), "letters"),
            (host.replace("unix", "ftp"), "no address"),
            (format!("{host}colour = 1\n"), "unknown key `colour`"),
            (format!("{host}workers = 0\n"), "workers"),
            (format!("{host}data = \"here\"\n"), "absolute"),
            (format!("{host}gpu_devices = [\"0\", \"0\"]\n"), "twice"),
            (format!("{host}tls = {{ ca = \"a\", certificate = \"b\", key = \"c\" }}\n"), "tcp://"),
        ] {
            let message = Hosts::parse(&text, Path::new("/")).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
        let tls = "tls = { ca = \"a\", certificate = \"/b\", key = \"c\" }\n";
        let text =
            format!("gone_after_seconds = 7\n{}{tls}", host.replace("unix:///d.sock", "tcp://h:1"));
        let hosts = Hosts::parse(&text, Path::new("/folder")).unwrap();
        assert_eq!(hosts.gone_after_seconds, GoneAfter(7));
        let tls = hosts.hosts[0].tls.clone().unwrap();
        assert_eq!((tls.ca, tls.certificate), ("/folder/a".into(), PathBuf::from("/b")));
    }

    #[test]
    fn as_many_runs_as_the_budget_holds() {
        let host = |more: &str| {
            let text = format!("[[hosts]]\nname = \"a\"\naddress = \"unix:///d.sock\"\n{more}");
            Hosts::parse(&text, Path::new("/")).unwrap().hosts.remove(0)
        };
        let run = |text: &str| RunConfiguration::parse_toml(text).unwrap();
        let gpus = "gpus = 2\ngpu_devices = [\"0\", \"1\"]";
        for (of_host, of_run, expected) in [
            ("", "", Some(1)),
            ("workers = 5", "", Some(5)),
            ("", "cpus = 4.0", Some(8)),
            ("cpus = 0.3", "cpus = 0.1", Some(3)),
            ("workers = 2", "cpus = 4.0", Some(2)),
            ("workers = 9", "cpus = 4.0", Some(9)),
            ("workers = 9\ncpus = 32", "cpus = 4.0", Some(8)),
            ("memory = \"10G\"", "memory = \"3G\"", Some(3)),
            ("", "memory = \"3G\"", Some(21)),
            ("cpus = 2", "cpus = 4.0", None),
            ("memory = \"1G\"", "memory = \"3G\"", None),
            ("gpu_devices = [\"0\", \"1\", \"2\", \"3\", \"4\"]", gpus, Some(2)),
            ("gpu_devices = [\"0\"]", gpus, None),
        ] {
            let room = host(of_host).room(&run(of_run), Some(32), Some(64 << 30));
            assert_eq!(room.ok(), expected, "{of_host} {of_run}");
        }
    }
}
