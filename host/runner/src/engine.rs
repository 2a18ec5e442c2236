//! The Docker engine, as the runner needs it: found, asked what it is, and searched for what runs have left behind.

use std::collections::HashMap;
use std::time::Duration;

use bollard::Docker;
use bollard::models::{ContainerInspectResponse, NetworkCreateRequest};
use bollard::query_parameters::{
    ListContainersOptionsBuilder, ListNetworksOptionsBuilder, RemoveContainerOptionsBuilder,
};

use crate::connection::Connection;
use crate::container::{FOLDER_LABEL, GROUP_LABEL, MACHINE_LABEL, RUN_LABEL};
use crate::error::Error;
use crate::hosts::HostDefinition;
use crate::{delivery, machine};

/// How long an engine may take to say that it is there.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The option of the bridge driver with which the engine's machine has no address on a network: an internal network alone
/// still leads to every service of the machine that listens on all of its addresses.
const WITHOUT_HOST: (&str, &str) = ("com.docker.network.bridge.inhibit_ipv4", "true");

/// A Docker engine, whether it answers or not.
#[derive(Clone, Debug)]
pub struct Engine {
    connection: Connection,
}

/// What an engine says of itself.
#[derive(Clone, Debug, Default)]
pub struct EngineFacts {
    /// Its version.
    pub version: Option<String>,
    /// The names of its runtimes, sorted.
    pub runtimes: Vec<String>,
    /// The devices that it offers to containers: `nvidia.com/gpu=0`.
    pub devices: Vec<String>,
    /// How it keeps what containers write, and where.
    pub storage_driver: Option<String>,
    /// The folder of all that it keeps.
    pub root_folder: Option<String>,
    /// The CPUs of its machine.
    pub cpus: Option<i64>,
    /// The memory of its machine in bytes.
    pub memory: Option<i64>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// The operating system of its machine.
    pub operating_system: Option<String>,
    /// The processors of its machine.
    pub architecture: Option<String>,
}

/// A container or network that a run made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Whether it is a network; else it is a container.
    pub is_network: bool,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The run group.
    pub group: String,
    /// The run.
    pub run: String,
    /// The folder of the run group.
    pub folder: String,
    /// The machine of the runner; nothing where it is not known.
    pub machine: String,
    /// What it does: `running`, `exited` …; nothing for networks.
    pub state: String,
}

impl Stray {
    /// Whether a runner of this machine made it.
    pub fn is_of_this_machine(&self) -> bool {
        self.machine.is_empty() || self.machine == machine::id()
    }
}

impl Engine {
    /// The engine of a host. Nothing is sent to it yet.
    ///
    /// # Errors
    /// [`Error::Hosts`] where the host's definition names files that cannot be used.
    pub fn of(host: &HostDefinition) -> Result<Engine, Error> {
        Ok(Engine { connection: Connection::to(host)? })
    }

    /// Asks the engine what it is.
    ///
    /// # Errors
    /// [`Error::Engine`] where it does not answer.
    pub async fn facts(&self) -> Result<EngineFacts, Error> {
        self.connection.open().await;
        // The version is shared by all that use the connection.
        let docker = self.docker().clone();
        let docker = match docker.negotiate_version().await {
            Ok(docker) => docker,
            Err(source) => {
                let why = self.connection.says().map_or(String::new(), |said| format!(" ({said})"));
                let what = format!("be reached at {}{why}", self.connection.address);
                return Err(Error::Engine { what, source });
            }
        };
        let info = docker.info().await.map_err(Error::engine("say what it is"))?;
        let mut runtimes: Vec<String> = info.runtimes.unwrap_or_default().into_keys().collect();
        runtimes.sort();
        Ok(EngineFacts {
            version: info.server_version,
            runtimes,
            devices: info
                .discovered_devices
                .unwrap_or_default()
                .into_iter()
                .filter_map(|device| device.id)
                .collect(),
            storage_driver: info.driver,
            root_folder: info.docker_root_dir,
            cpus: info.ncpu,
            memory: info.mem_total,
            kernel: info.kernel_version,
            operating_system: info.operating_system,
            architecture: info.architecture,
        })
    }

    /// Whether the engine answers within a few seconds.
    pub(crate) async fn answers(&self) -> bool {
        let asked = async {
            self.connection.open().await;
            self.docker().ping().await
        };
        match tokio::time::timeout(ANSWER_WITHIN, asked).await {
            Ok(Ok(_)) => true,
            // It would like to be asked in another way.
            Ok(Err(error)) => status_of(&error).is_some(),
            Err(_) => false,
        }
    }

    /// The connection.
    pub(crate) fn docker(&self) -> &Docker {
        &self.connection.docker
    }

    /// What the engine says of a container; `None` where there is none.
    pub(crate) async fn inspect(
        &self,
        container: &str,
    ) -> Result<Option<ContainerInspectResponse>, Error> {
        match self.docker().inspect_container(container, None).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if status_of(&error) == Some(404) => Ok(None),
            Err(error) => Err(Error::engine(format!("say how `{container}` is"))(error)),
        }
    }

    /// Removes a container with its volumes, running or not. That it is gone is fine.
    pub(crate) async fn remove_container(&self, container: &str) -> Result<(), Error> {
        let options = RemoveContainerOptionsBuilder::default().v(true).force(true).build();
        match self.docker().remove_container(container, Some(options)).await {
            Err(error) if !matches!(status_of(&error), Some(404 | 409)) => {
                Err(Error::engine(format!("remove the container `{container}`"))(error))
            }
            _ => Ok(()),
        }
    }

    /// Makes a network of a run's own. One that is internal leads nowhere, and not to the engine's machine either.
    pub(crate) async fn create_network(
        &self,
        name: &str,
        internal: bool,
        labels: HashMap<String, String>,
    ) -> Result<(), Error> {
        self.remove_network(name).await?;
        let request = NetworkCreateRequest {
            name: name.to_owned(),
            driver: Some("bridge".to_owned()),
            internal: Some(internal),
            // Some engines are set to give every network addresses of version 6, the machine's own among them.
            enable_ipv6: internal.then_some(false),
            options: internal.then(|| {
                let (name, value) = WITHOUT_HOST;
                HashMap::from([(name.to_owned(), value.to_owned())])
            }),
            labels: Some(labels),
            ..NetworkCreateRequest::default()
        };
        let made = self.docker().create_network(request).await;
        made.map(|_| ()).map_err(Error::engine(format!("make the network `{name}`")))
    }

    /// Removes a network. That it is gone is fine.
    pub(crate) async fn remove_network(&self, name: &str) -> Result<(), Error> {
        match self.docker().remove_network(name).await {
            Err(error) if status_of(&error) != Some(404) => {
                Err(Error::engine(format!("remove the network `{name}`"))(error))
            }
            _ => Ok(()),
        }
    }

    /// All containers and networks of runs, of one group or of all.
    ///
    /// # Errors
    /// [`Error::Engine`].
    pub async fn strays(&self, group: Option<&str>) -> Result<Vec<Stray>, Error> {
        let label = match group {
            Some(group) => format!("{GROUP_LABEL}={group}"),
            None => GROUP_LABEL.to_owned(),
        };
        let filters = HashMap::from([("label".to_owned(), vec![label])]);
        let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
        let containers = self
            .docker()
            .list_containers(Some(options))
            .await
            .map_err(Error::engine("list its containers"))?;
        let options = ListNetworksOptionsBuilder::default().filters(&filters).build();
        let networks = self
            .docker()
            .list_networks(Some(options))
            .await
            .map_err(Error::engine("list its networks"))?;
        let stray = |is_network,
                     id: Option<String>,
                     name: String,
                     state: String,
                     labels: Option<HashMap<String, String>>| {
            let labels = labels.unwrap_or_default();
            let label = |name: &str| labels.get(name).cloned().unwrap_or_default();
            Stray {
                is_network,
                id: id.unwrap_or_default(),
                name,
                group: label(GROUP_LABEL),
                run: label(RUN_LABEL),
                folder: label(FOLDER_LABEL),
                machine: label(MACHINE_LABEL),
                state,
            }
        };
        let mut strays: Vec<Stray> = containers
            .into_iter()
            .map(|container| {
                let name =
                    container.names.and_then(|names| names.into_iter().next()).unwrap_or_default();
                let state = container.state.map(|state| state.to_string()).unwrap_or_default();
                stray(
                    false,
                    container.id,
                    name.trim_start_matches('/').to_owned(),
                    state,
                    container.labels,
                )
            })
            .collect();
        strays.extend(networks.into_iter().map(|network| {
            stray(true, network.id, network.name.unwrap_or_default(), String::new(), network.labels)
        }));
        Ok(strays)
    }

    /// The volumes with public data that were uploaded for runs.
    ///
    /// # Errors
    /// [`Error::Engine`].
    pub async fn data_volumes(&self) -> Result<Vec<String>, Error> {
        delivery::data_volumes(self).await
    }

    /// Removes a volume with public data; whether it is gone, which it is not where a container uses it.
    ///
    /// # Errors
    /// [`Error::Engine`].
    pub async fn remove_data_volume(&self, name: &str) -> Result<bool, Error> {
        delivery::remove_data_volume(self, name).await
    }

    /// Removes what a run has left behind.
    ///
    /// # Errors
    /// [`Error::Engine`].
    pub async fn remove(&self, stray: &Stray) -> Result<(), Error> {
        match stray.is_network {
            true => self.remove_network(&stray.id).await,
            false => self.remove_container(&stray.id).await,
        }
    }
}

impl EngineFacts {
    /// Says what the engine lacks for these resources, before hours of waiting.
    ///
    /// # Errors
    /// [`Error::Configuration`].
    pub fn check(&self, configuration: &crate::RunConfiguration) -> Result<(), Error> {
        let lacking =
            |message| Error::Configuration { place: "for this engine".to_owned(), message };
        let has = |name: &str| self.runtimes.iter().any(|runtime| runtime == name);
        if let Some(runtime) = configuration.runtime.as_deref().filter(|runtime| !has(runtime)) {
            let known = self.runtimes.join(", ");
            return Err(lacking(format!("the engine has no runtime `{runtime}`; it has {known}")));
        }
        if let (Some(wanted), Some(there)) = (configuration.cpus, self.cpus)
            && wanted > there as f64
        {
            return Err(lacking(format!(
                "a run takes {wanted} CPUs, and the engine's machine has {there}: lower `cpus`"
            )));
        }
        if let (Some(wanted), Some(there)) = (configuration.memory, self.memory)
            && wanted.signed() > there
        {
            return Err(lacking(format!(
                "a run takes {} bytes of memory, and the engine's machine has {there}: lower `memory`",
                wanted.0
            )));
        }
        if configuration.gpus != 0 && !has("nvidia") {
            return Err(lacking(
                "GPUs are asked for, and the engine has no runtime `nvidia`: install NVIDIA's container toolkit, or set \
                 `gpus = 0`"
                    .to_owned(),
            ));
        }
        Ok(())
    }
}

/// Whether an error says that the engine was not reached, or was lost in the middle: not what it decided.
pub(crate) fn is_of_connection(error: &Error) -> bool {
    use bollard::errors::Error as Docker;
    let Error::Engine { source, .. } = error else { return false };
    matches!(
        source,
        Docker::HyperLegacyError { .. }
            | Docker::HyperResponseError { .. }
            | Docker::IOError { .. }
            | Docker::RequestTimeoutError
    )
}

/// The status with which the engine refused.
pub(crate) fn status_of(error: &bollard::errors::Error) -> Option<u16> {
    match error {
        bollard::errors::Error::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}
