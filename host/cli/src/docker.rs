//! What Docker engines say of themselves, asked for a moment at most.
//!
//! Relies on the runner, so that what is looked at is what agents would run on: `DOCKER_HOST`, else the Docker context in
//! use, else the local socket. Where there is no runner, bollard finds the engine.

use std::time::Duration;

/// How long the engine of this machine has to answer, and one that is reached through `ssh` or with certificates.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(20));

/// An engine that answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DockerEngine {
    /// Its version.
    pub(crate) version: Option<String>,
    /// The names of its runtimes, sorted.
    pub(crate) runtimes: Vec<String>,
    /// The devices that it offers to containers: `nvidia.com/gpu=0`.
    pub(crate) devices: Vec<String>,
    /// Its machine's CPUs.
    pub(crate) cpus: Option<i64>,
    /// Its machine's memory in bytes.
    pub(crate) memory: Option<i64>,
    /// How it stores what containers write, and in which folder.
    pub(crate) storage: (Option<String>, Option<String>),
    /// The bytes that are free there, where the folder is one of this machine.
    pub(crate) free_bytes: Option<u64>,
}

impl DockerEngine {
    /// Asks the engine that the `docker` program would ask.
    ///
    /// # Errors
    /// Why there is no answer, in words.
    pub(crate) fn ask() -> Result<DockerEngine, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("could not start to ask: {error}"))?;
        runtime.block_on(ask())
    }

    /// Asks the engines of hosts, all at once, each by its name.
    ///
    /// # Errors
    /// The asking cannot be started.
    #[cfg(unix)]
    pub(crate) fn ask_all(
        hosts: &podium_runner::Hosts,
    ) -> Result<Vec<Result<DockerEngine, String>>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("could not start to ask: {error}"))?;
        Ok(runtime.block_on(async {
            let asking: Vec<_> =
                hosts.hosts.iter().map(|host| tokio::task::spawn(ask_host(host.clone()))).collect();
            let mut answers = Vec::with_capacity(asking.len());
            for one in asking {
                answers.push(one.await.map_err(|error| error.to_string()).flatten());
            }
            answers
        }))
    }

    /// Whether containers can get NVIDIA GPUs: by the runtime of NVIDIA's toolkit, or by devices that were found.
    pub(crate) fn offers_gpus(&self) -> bool {
        self.runtimes.iter().any(|runtime| runtime == "nvidia")
            || self.devices.iter().any(|device| device.starts_with("nvidia.com/gpu"))
    }
}

#[cfg(unix)]
async fn ask() -> Result<DockerEngine, String> {
    let hosts = podium_runner::Hosts::from_environment(|name| std::env::var(name).ok());
    let host = hosts.map_err(|error| error.to_string())?.hosts.into_iter().next();
    ask_host(host.ok_or("there is no host")?).await
}

#[cfg(unix)]
async fn ask_host(host: podium_runner::hosts::HostDefinition) -> Result<DockerEngine, String> {
    use podium_runner::hosts::Address;
    let engine = podium_runner::Engine::of(&host).map_err(|error| error.to_string())?;
    let patience = match host.address() {
        Ok(Address::Unix(_)) => PATIENCE.0,
        _ => PATIENCE.1,
    };
    let facts = match tokio::time::timeout(patience, engine.facts()).await {
        Err(_) => return Err(format!("no answer within {} seconds", patience.as_secs())),
        Ok(facts) => facts.map_err(|error| error.to_string())?,
    };
    // The folder of another machine may have the same name as one of this.
    let folder = facts.root_folder.as_deref().filter(|_| host.shares_files());
    let free_bytes = folder.and_then(|folder| rustix::fs::statvfs(folder).ok());
    Ok(DockerEngine {
        version: facts.version,
        runtimes: facts.runtimes,
        devices: facts.devices,
        cpus: facts.cpus,
        memory: facts.memory,
        storage: (facts.storage_driver, facts.root_folder),
        free_bytes: free_bytes.map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize)),
    })
}

#[cfg(not(unix))]
async fn ask() -> Result<DockerEngine, String> {
    let docker = bollard::Docker::connect_with_defaults().map_err(|error| error.to_string())?;
    match tokio::time::timeout(PATIENCE.0, docker.info()).await {
        Err(_) => Err(format!("no answer within {} seconds", PATIENCE.0.as_secs())),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(info)) => {
            let mut runtimes: Vec<String> = info.runtimes.unwrap_or_default().into_keys().collect();
            runtimes.sort();
            let devices = info.discovered_devices.unwrap_or_default();
            Ok(DockerEngine {
                version: info.server_version,
                runtimes,
                devices: devices.into_iter().filter_map(|device| device.id).collect(),
                ..DockerEngine::default()
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DockerEngine;

    #[test]
    fn gpus_come_by_runtime_or_by_device() {
        let engine = |runtimes: &[&str], devices: &[&str]| DockerEngine {
            runtimes: runtimes.iter().map(ToString::to_string).collect(),
            devices: devices.iter().map(ToString::to_string).collect(),
            ..DockerEngine::default()
        };
        assert!(engine(&["nvidia", "runc"], &[]).offers_gpus());
        assert!(engine(&["runc"], &["nvidia.com/gpu=0"]).offers_gpus());
        assert!(!engine(&["runc", "runsc"], &["example.com/fpga=0"]).offers_gpus());
    }
}
