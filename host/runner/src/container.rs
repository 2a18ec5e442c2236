//! What the engine is asked to create: a pure function of the definitions, so that a test sees what an agent gets.
//!
//! Mounted are the public data, the instructions and Podium's forwarder, all read-only; nothing else of the host. The
//! private data has no place in a [`ContainerPlan`], so that no mistake can mount it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use bollard::models::{
    ContainerCreateBody, DeviceRequest, HostConfig, HostConfigLogConfig, Mount, MountType,
};

use crate::agent::Agent;
use crate::configuration::{Network, RunConfiguration};
use crate::egress;

/// Variables that no container gets, whatever its image says: the engine's hooks on the host read some of them, and
/// programs that the runner starts in a container would load what they name.
pub const SCRUBBED: [&str; 6] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_PROFILE",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "CUDA_INJECTION64_PATH",
];

/// Variables that every container gets, and no definition may give another value.
pub const SET_BY_PODIUM: [&str; 7] = [
    "COMPETITION_ID",
    "SUBMISSION_DIR",
    "LOGS_DIR",
    "CODE_DIR",
    "AGENT_DIR",
    "SAMPLE_SUBMISSION",
    "TIME_LIMIT_SECS",
];

/// Variables that name the proxy, where there is one. Some programs read the small names alone, some the large ones.
pub const SET_FOR_THE_PROXY: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"];

/// The folders that are copied out at the end, in this order.
pub const KEPT_FOLDERS: [&str; 3] = ["submission", "logs", "code"];

/// The label that names the run group of a container or network.
pub const GROUP_LABEL: &str = "podium.run-group";
/// The label that names the run.
pub const RUN_LABEL: &str = "podium.run";
/// The label that names the folder of the run group.
pub const FOLDER_LABEL: &str = "podium.folder";

/// The label that names the machine of the runner, for engines that several machines use.
pub const MACHINE_LABEL: &str = "podium.machine";

/// Where the files that an agent needs come from.
#[derive(Clone, Copy, Debug)]
pub enum Delivery<'a> {
    /// The engine sees the files of this machine, so they are mounted.
    Mounted {
        /// The public data.
        public_data: &'a Path,
        /// The folder with the files that the host hands to the agent, and with the host's socket.
        exchange: &'a Path,
        /// The forwarder, a static program.
        forwarder: &'a Path,
    },
    /// The engine does not see them: they are put into the container before it starts, and the sockets are carried.
    Carried {
        /// Where the public data lie for the engine.
        public_data: &'a DataSource,
    },
}

/// Public data on a machine whose files are not seen from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataSource {
    /// A folder of that machine.
    Folder(PathBuf),
    /// A volume of its engine.
    Volume(String),
}

/// All that decides how a container is made.
#[derive(Clone, Debug)]
pub struct ContainerPlan<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// Its resources.
    pub configuration: &'a RunConfiguration,
    /// The image, by digest.
    pub image: &'a str,
    /// The command, without the launcher.
    pub command: Vec<String>,
    /// The variables that hold no secret.
    pub environment: &'a BTreeMap<String, String>,
    /// The GPUs of this run, where each run has its own.
    pub devices: &'a [String],
    /// Whether the container is privileged: the agent wants it, and whoever started the run allowed it.
    pub privileged: bool,
    /// The competition's id.
    pub competition_id: &'a str,
    /// Where its files come from.
    pub delivery: Delivery<'a>,
    /// Where the sample submission lies among the public data.
    pub sample_submission: Option<PathBuf>,
    /// The network of this run, where it has one.
    pub network: Option<String>,
    /// Labels.
    pub labels: BTreeMap<String, String>,
}

impl ContainerPlan<'_> {
    /// What the engine is asked to create.
    pub fn request(&self) -> ContainerCreateBody {
        ContainerCreateBody {
            image: Some(self.image.to_owned()),
            user: self.agent.user.clone(),
            entrypoint: Some(vec!["/podium/forwarder".to_owned(), self.launch_verb().to_owned()]),
            cmd: Some(self.command.clone()),
            env: Some(self.variables()),
            labels: Some(self.labels.clone().into_iter().collect()),
            stop_signal: Some("SIGTERM".to_owned()),
            attach_stdin: Some(false),
            open_stdin: Some(false),
            tty: Some(false),
            host_config: Some(self.host_configuration()),
            ..ContainerCreateBody::default()
        }
    }

    fn launch_verb(&self) -> &'static str {
        match (self.delivery, self.configuration.network) {
            (Delivery::Mounted { .. }, _) => "launch",
            (Delivery::Carried { .. }, Network::AllowList) => "launch-carried-with-egress",
            (Delivery::Carried { .. }, _) => "launch-carried",
        }
    }

    fn variables(&self) -> Vec<String> {
        let mut variables: BTreeMap<&str, String> = [
            ("COMPETITION_ID", self.competition_id),
            ("SUBMISSION_DIR", "/home/submission"),
            ("LOGS_DIR", "/home/logs"),
            ("CODE_DIR", "/home/code"),
            ("AGENT_DIR", "/home/agent"),
        ]
        .map(|(name, value)| (name, value.to_owned()))
        .into();
        if let Some(sample) = &self.sample_submission {
            let sample = Path::new("/home/data").join(sample);
            variables.insert("SAMPLE_SUBMISSION", sample.display().to_string());
        }
        variables.insert("TIME_LIMIT_SECS", self.configuration.time_limit_seconds.to_string());
        if self.configuration.network == Network::AllowList {
            let proxy = format!("http://127.0.0.1:{}", egress::PORT);
            for name in SET_FOR_THE_PROXY {
                let value = match name.eq_ignore_ascii_case("NO_PROXY") {
                    true => "localhost,127.0.0.1,::1".to_owned(),
                    false => proxy.clone(),
                };
                variables.insert(name, value);
            }
        }
        variables.extend(self.environment.iter().map(|(name, value)| (&**name, value.clone())));
        let mut variables: Vec<String> =
            variables.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        // A name alone takes a variable of the image away.
        variables.extend(SCRUBBED.map(str::to_owned));
        variables
    }

    fn mounts(&self) -> Vec<Mount> {
        let read_only = |source: PathBuf, target: &str| Mount {
            target: Some(target.to_owned()),
            source: Some(source.to_string_lossy().into_owned()),
            typ: Some(MountType::BIND),
            read_only: Some(true),
            ..Mount::default()
        };
        let volume = |target: String| Mount {
            target: Some(target),
            typ: Some(MountType::VOLUME),
            ..Mount::default()
        };
        match self.delivery {
            Delivery::Mounted { public_data, exchange, forwarder } => {
                let mut mounts = vec![
                    read_only(public_data.to_owned(), "/home/data"),
                    read_only(exchange.join("instructions.txt"), "/home/instructions.txt"),
                    read_only(exchange.join("description.md"), "/home/description.md"),
                    read_only(
                        exchange.join("validate_submission.sh"),
                        "/home/validate_submission.sh",
                    ),
                    read_only(forwarder.to_owned(), "/podium/forwarder"),
                    read_only(exchange.join("socket"), "/podium/socket"),
                ];
                if self.agent.read_only_root {
                    mounts.extend(KEPT_FOLDERS.map(|folder| volume(format!("/home/{folder}"))));
                }
                mounts
            }
            Delivery::Carried { public_data } => {
                let data = match public_data {
                    DataSource::Folder(path) => read_only(path.clone(), "/home/data"),
                    DataSource::Volume(name) => Mount {
                        source: Some(name.clone()),
                        read_only: Some(true),
                        ..volume("/home/data".to_owned())
                    },
                };
                let mut mounts = vec![data];
                if self.agent.read_only_root {
                    // Nothing can be put into a root that is read-only; what the image has there is copied by the engine.
                    mounts.extend(["/home", "/podium"].map(|path| volume(path.to_owned())));
                }
                mounts
            }
        }
    }

    fn host_configuration(&self) -> HostConfig {
        let configuration = self.configuration;
        let memory = configuration.memory.map(crate::size::Size::signed);
        HostConfig {
            mounts: Some(self.mounts()),
            init: Some(true),
            privileged: Some(self.privileged),
            cap_drop: (!self.privileged).then(|| vec!["ALL".to_owned()]),
            cap_add: (!self.privileged).then(|| self.agent.capabilities.clone()),
            security_opt: (!self.privileged).then(|| vec!["no-new-privileges".to_owned()]),
            readonly_rootfs: Some(self.agent.read_only_root),
            tmpfs: self
                .agent
                .read_only_root
                .then(|| HashMap::from([("/tmp".to_owned(), "mode=1777".to_owned())])),
            network_mode: Some(match (configuration.network, &self.network) {
                (Network::None | Network::AllowList, _) | (_, None) => "none".to_owned(),
                (_, Some(network)) => network.clone(),
            }),
            nano_cpus: configuration.cpus.map(|cpus| (cpus * 1e9).round() as i64),
            memory,
            memory_swap: memory,
            shm_size: configuration.shm.map(crate::size::Size::signed),
            pids_limit: Some(i64::from(configuration.pids)),
            storage_opt: configuration
                .disk
                .map(|disk| HashMap::from([("size".to_owned(), disk.0.to_string())])),
            device_requests: self.device_requests(),
            runtime: configuration.runtime.clone(),
            ipc_mode: Some("private".to_owned()),
            // Read as it comes; what is kept by the engine meanwhile is bounded.
            log_config: Some(HostConfigLogConfig {
                typ: Some("json-file".to_owned()),
                config: Some(HashMap::from([
                    ("max-size".to_owned(), "256m".to_owned()),
                    ("max-file".to_owned(), "2".to_owned()),
                ])),
            }),
            ..HostConfig::default()
        }
    }

    fn device_requests(&self) -> Option<Vec<DeviceRequest>> {
        let gpus = self.configuration.gpus;
        if gpus == 0 {
            return None;
        }
        let by_id = !self.devices.is_empty();
        Some(vec![DeviceRequest {
            count: (!by_id).then_some(gpus),
            device_ids: by_id.then(|| self.devices.to_vec()),
            capabilities: Some(vec![vec!["gpu".to_owned()]]),
            ..DeviceRequest::default()
        }])
    }
}

#[cfg(test)]
mod tests;
