//! What a run may use: CPU, memory, GPUs, network, time, output. A TOML or JSON file; the container configuration of
//! MLE-bench (`mem_limit`, `shm_size`, `nano_cpus`, `gpus`, `runtime`) is read as well.

use std::path::Path;
use std::time::Duration;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition_file;
use crate::egress::{AllowList, Destination};
use crate::error::Error;
use crate::size::Size;

/// The least number of processes and threads that a container starts with: the engine's first process, the forwarder with
/// its connections, and the agent.
const LEAST_PIDS: u32 = 16;

/// What a run may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfiguration {
    /// How long the agent may run, in seconds. Counted on the host.
    pub time_limit_seconds: u64,
    /// How long the agent has between SIGTERM and SIGKILL, in seconds.
    pub grace_seconds: u64,
    /// CPUs; all where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<f64>,
    /// Memory, swap included; all where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// Shared memory: `/dev/shm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shm: Option<Size>,
    /// Processes and threads at once.
    pub pids: u32,
    /// What the container may write on its own file system, where the storage driver can limit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Size>,
    /// GPUs of each run: a number, -1 for all.
    pub gpus: i64,
    /// The GPUs of this machine that runs may get, by id; each run gets `gpus` of its own.
    pub gpu_devices: Vec<String>,
    /// The engine's runtime: `runc`, `runsc`, `sysbox-runc` …; the engine's default where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// What the agent reaches besides the validation endpoint.
    pub network: Network,
    /// What it reaches with the policy `allow-list`.
    pub egress: Egress,
    /// How often the submission that lies there is kept, in seconds; 0 for never.
    pub snapshot_interval_seconds: u64,
    /// How often resource usage is noted, in seconds.
    pub usage_interval_seconds: u64,
    /// How often a run is tried again after an error of the infrastructure.
    pub retries: u32,
    /// Limits on what is copied out.
    pub output: OutputLimits,
    /// Limits on validation.
    pub validation: ValidationLimits,
}

/// What an agent reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// Nothing.
    #[default]
    None,
    /// A network of the run's own that leads nowhere.
    Internal,
    /// A network of the run's own that leads to the internet.
    Bridge,
    /// No network, and a proxy that leads to the hosts of a list.
    AllowList,
}

/// What an agent reaches with the policy `allow-list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Egress {
    /// Hosts with their ports.
    pub allow: Vec<Destination>,
    /// Networks that are not on the public internet, and to which the names of these hosts may lead all the same.
    pub private_networks: Vec<IpNet>,
    /// Requests and tunnels in a run.
    pub each_run: u64,
}

/// Limits on what is copied out of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutputLimits {
    /// Bytes of each of the folders submission, logs and code.
    pub folder: Size,
    /// Files and folders in each of them.
    pub entries: u64,
    /// Bytes of the log that the agent prints.
    pub log: Size,
}

/// Limits on validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValidationLimits {
    /// Bytes of a submission.
    pub submission: Size,
    /// Validations within a minute.
    pub each_minute: u32,
    /// Validations in a run.
    pub each_run: u64,
}

impl Default for RunConfiguration {
    fn default() -> RunConfiguration {
        RunConfiguration {
            time_limit_seconds: 24 * 60 * 60,
            grace_seconds: 30,
            cpus: None,
            memory: None,
            shm: None,
            pids: 16_384,
            disk: None,
            gpus: 0,
            gpu_devices: Vec::new(),
            runtime: None,
            network: Network::None,
            egress: Egress::default(),
            snapshot_interval_seconds: 0,
            usage_interval_seconds: 10,
            retries: 2,
            output: OutputLimits::default(),
            validation: ValidationLimits::default(),
        }
    }
}

impl Default for Egress {
    fn default() -> Egress {
        Egress { allow: Vec::new(), private_networks: Vec::new(), each_run: 100_000 }
    }
}

impl Egress {
    /// The list, as the proxy asks it.
    pub(crate) fn list(&self) -> AllowList {
        AllowList {
            destinations: self.allow.clone(),
            private_networks: self.private_networks.clone(),
        }
    }
}

impl Default for OutputLimits {
    fn default() -> OutputLimits {
        OutputLimits { folder: Size(16 << 30), entries: 100_000, log: Size(1 << 30) }
    }
}

impl Default for ValidationLimits {
    fn default() -> ValidationLimits {
        ValidationLimits { submission: Size(1 << 30), each_minute: 60, each_run: 10_000 }
    }
}

/// The container configuration of MLE-bench.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContainerConfiguration {
    mem_limit: Option<Size>,
    shm_size: Option<Size>,
    nano_cpus: Option<f64>,
    #[serde(default)]
    gpus: i64,
    runtime: Option<String>,
}

impl RunConfiguration {
    /// Reads a configuration: `.json` as JSON, all else as TOML.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Configuration`].
    pub fn load(path: &Path) -> Result<RunConfiguration, Error> {
        let text = definition_file::read(path)?;
        let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        let parsed = if is_json {
            RunConfiguration::parse_json(&text)
        } else {
            RunConfiguration::parse_toml(&text)
        };
        parsed
            .map_err(|message| Error::Configuration { place: path.display().to_string(), message })
    }

    /// Parses TOML.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse_toml(text: &str) -> Result<RunConfiguration, String> {
        let read: RunConfiguration =
            toml::from_str(text).map_err(|error| podium::explain_toml(&error, text))?;
        read.checked()
    }

    /// Parses JSON: of this kind, or a container configuration of MLE-bench.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse_json(text: &str) -> Result<RunConfiguration, String> {
        const OF_THE_REFERENCE: [&str; 3] = ["mem_limit", "shm_size", "nano_cpus"];
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if OF_THE_REFERENCE.iter().any(|key| value.get(key).is_some()) {
            let read: ContainerConfiguration =
                serde_json::from_value(value).map_err(|error| error.to_string())?;
            return RunConfiguration {
                memory: read.mem_limit,
                shm: read.shm_size,
                cpus: read.nano_cpus.map(|cpus| cpus / 1e9),
                gpus: read.gpus,
                runtime: read.runtime,
                ..RunConfiguration::default()
            }
            .checked();
        }
        let read: RunConfiguration =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        read.checked()
    }

    fn checked(self) -> Result<RunConfiguration, String> {
        if self.time_limit_seconds == 0 {
            return Err("`time_limit_seconds` has to be at least 1".to_owned());
        }
        if self.time_limit_seconds > 366 * 24 * 60 * 60 || self.grace_seconds > 24 * 60 * 60 {
            return Err(
                "a run of more than a year, or a grace of more than a day, is hardly meant"
                    .to_owned(),
            );
        }
        if self.cpus.is_some_and(|cpus| !(0.01..=4096.0).contains(&cpus)) {
            return Err("`cpus` has to be between 0.01 and 4096".to_owned());
        }
        if self.memory.is_some_and(|memory| memory.0 < 6 << 20) {
            return Err(
                "`memory` has to be at least 6MiB, which is the least that the engine takes"
                    .to_owned(),
            );
        }
        if self.shm.is_some_and(|shm| shm.0 == 0) {
            return Err(
                "`shm` has to be more than nothing; leave it out for what the engine gives"
                    .to_owned(),
            );
        }
        if self.gpus < -1 {
            return Err("`gpus` is a number of GPUs, or -1 for all".to_owned());
        }
        if !self.gpu_devices.is_empty() && self.gpus < 1 {
            return Err("`gpu_devices` needs `gpus`: how many of them each run gets".to_owned());
        }
        if usize::try_from(self.gpus)
            .is_ok_and(|gpus| !self.gpu_devices.is_empty() && gpus > self.gpu_devices.len())
        {
            return Err("`gpus` is more than there are `gpu_devices`".to_owned());
        }
        if (self.network == Network::AllowList) == self.egress.allow.is_empty() {
            return Err("`network = \"allow-list\"` and hosts in `egress.allow` belong together: there is one of them without \
                        the other"
                .to_owned());
        }
        if self.pids < LEAST_PIDS {
            return Err(format!(
                "`pids` has to be at least {LEAST_PIDS}: Podium's own processes in the container are among them"
            ));
        }
        if self.usage_interval_seconds == 0 || self.validation.each_minute == 0 {
            return Err(
                "`usage_interval_seconds` and `each_minute` have to be at least 1".to_owned()
            );
        }
        Ok(self)
    }

    /// How long the agent may run.
    pub fn time_limit(&self) -> Duration {
        Duration::from_secs(self.time_limit_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_configuration_of_the_reference_is_read() {
        let text = r#"{"mem_limit": null, "shm_size": "4G", "nano_cpus": 4e9, "gpus": -1, "runtime": "sysbox-runc"}"#;
        let read = RunConfiguration::parse_json(text).unwrap();
        assert_eq!(read.shm, Some(Size(4 << 30)));
        assert_eq!(read.memory, None);
        assert_eq!(read.cpus, Some(4.0));
        assert_eq!(read.gpus, -1);
        assert_eq!(read.runtime.as_deref(), Some("sysbox-runc"));
        assert_eq!(read.time_limit_seconds, 86_400);
    }

    #[test]
    fn toml_and_json_say_the_same() {
        let toml = "time_limit_seconds = 60\nmemory = \"2G\"\nnetwork = \"allow-list\"\n[output]\nfolder = \"1M\"\n\
                    [egress]\nallow = [\"api.example.org\"]\nprivate_networks = [\"10.0.0.0/8\"]\n";
        let json = r#"{"time_limit_seconds": 60, "memory": "2G", "network": "allow-list", "output": {"folder": "1M"},
                       "egress": {"allow": ["api.example.org:443"], "private_networks": ["10.0.0.0/8"]}}"#;
        let read = RunConfiguration::parse_toml(toml).unwrap();
        assert_eq!(read, RunConfiguration::parse_json(json).unwrap());
        let written = toml::to_string(&read).unwrap();
        assert_eq!(read, RunConfiguration::parse_toml(&written).unwrap());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, part) in [
            ("time_limit_seconds = 0", "at least 1"),
            ("cpus = -1.0", "cpus"),
            ("memory = \"1k\"", "6MiB"),
            ("gpus = -2", "-1 for all"),
            ("gpu_devices = [\"0\"]", "how many"),
            ("gpus = 2\ngpu_devices = [\"0\"]", "more than"),
            ("pids = 15", "`pids` has to be at least 16"),
            ("privileged = true", "unknown key"),
            ("network = \"host\"", "unknown value"),
            ("network = \"allow-list\"", "belong together"),
            ("[egress]\nallow = [\"example.org\"]", "belong together"),
            ("network = \"allow-list\"\n[egress]\nallow = [\"http://a\"]", "without `https://`"),
            ("network = \"allow-list\"\n[egress]\nallow = [\"a:99999\"]", "from 1 to 65535"),
            ("network = \"allow-list\"\n[egress]\nallow = [\"a b\"]", "no host"),
        ] {
            let message = RunConfiguration::parse_toml(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
        assert!(RunConfiguration::parse_json(r#"{"nano_cpus": 1, "volumes": []}"#).is_err());
    }
}
