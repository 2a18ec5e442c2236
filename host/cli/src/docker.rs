//! What the Docker engine of this machine says of itself, asked for a few seconds at most.
//!
//! Relies on bollard, which finds the engine as the `docker` program does (`DOCKER_HOST`, else the local socket).

use std::time::Duration;

use bollard::Docker;

/// How long the engine has to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// An engine that answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DockerEngine {
    /// Its version.
    pub(crate) version: Option<String>,
    /// The names of its runtimes, sorted.
    pub(crate) runtimes: Vec<String>,
    /// The devices that it offers to containers: `nvidia.com/gpu=0`.
    pub(crate) devices: Vec<String>,
}

impl DockerEngine {
    /// Asks the engine.
    ///
    /// # Errors
    /// Why there is no answer, in words.
    pub(crate) fn ask() -> Result<DockerEngine, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("could not start to ask: {error}"))?;
        runtime.block_on(async {
            let docker = Docker::connect_with_defaults().map_err(|error| error.to_string())?;
            match tokio::time::timeout(PATIENCE, docker.info()).await {
                Err(_) => Err(format!("no answer within {} seconds", PATIENCE.as_secs())),
                Ok(Err(error)) => Err(error.to_string()),
                Ok(Ok(info)) => {
                    let mut runtimes: Vec<String> =
                        info.runtimes.unwrap_or_default().into_keys().collect();
                    runtimes.sort();
                    let devices = info.discovered_devices.unwrap_or_default();
                    Ok(DockerEngine {
                        version: info.server_version,
                        runtimes,
                        devices: devices.into_iter().filter_map(|device| device.id).collect(),
                    })
                }
            }
        })
    }

    /// Whether containers can get NVIDIA GPUs: by the runtime of NVIDIA's toolkit, or by devices that were found.
    pub(crate) fn offers_gpus(&self) -> bool {
        self.runtimes.iter().any(|runtime| runtime == "nvidia")
            || self.devices.iter().any(|device| device.starts_with("nvidia.com/gpu"))
    }
}

#[cfg(test)]
mod tests {
    use super::DockerEngine;

    #[test]
    fn gpus_come_by_runtime_or_by_device() {
        let engine = |runtimes: &[&str], devices: &[&str]| DockerEngine {
            version: None,
            runtimes: runtimes.iter().map(ToString::to_string).collect(),
            devices: devices.iter().map(ToString::to_string).collect(),
        };
        assert!(engine(&["nvidia", "runc"], &[]).offers_gpus());
        assert!(engine(&["runc"], &["nvidia.com/gpu=0"]).offers_gpus());
        assert!(!engine(&["runc", "runsc"], &["example.com/fpga=0"]).offers_gpus());
    }
}
