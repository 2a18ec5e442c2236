//! One attempt of one run: from making the container to the record of what came of it.
//!
//! The container and its network are removed once it is written down what came of it. What is copied out is copied from a stopped container, so that
//! what is graded no longer changes.

mod container_output;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bollard::models::{ContainerInspectResponse, ContainerState};
use bollard::query_parameters::CreateContainerOptionsBuilder;
use jiff::Timestamp;
use podium::{Competition, GradingContext, Input};

use crate::carriage::Services;
use crate::configuration::Network;
use crate::container::{
    ContainerPlan, Delivery, FOLDER_LABEL, GROUP_LABEL, KEPT_FOLDERS, MACHINE_LABEL, RUN_LABEL,
};
use crate::copy_out::{self, Copied};
use crate::delivery::{self, Filler};
use crate::egress::{self, Proxy};
use crate::error::Error;
use crate::event::{ContainerRecord, Ending, EventKind, RunRecord, SubmissionRecord};
use crate::exchange;
use crate::group::{RunGroup, RunPlan, StopRequest};
use crate::host::{Host, Ready};
use crate::machine;
use crate::scheduler::Observer;
use crate::secrets::Resolved;
use crate::snapshots::Snapshots;
use crate::validation::{Validator, serve};

/// What all runs of a group share.
pub(crate) struct Context {
    pub(crate) group: RunGroup,
    pub(crate) forwarder: PathBuf,
    pub(crate) competitions: BTreeMap<String, Prepared>,
    pub(crate) grading: Arc<GradingContext>,
    pub(crate) environment: Resolved,
    pub(crate) stop: StopRequest,
    pub(crate) observer: Arc<dyn Observer>,
}

/// A competition whose data are there.
pub(crate) struct Prepared {
    pub(crate) competition: Competition,
    /// The public data, an absolute path.
    pub(crate) public_data: PathBuf,
    /// Where the sample submission lies among them.
    pub(crate) sample_submission: Option<PathBuf>,
    /// The competition's own description.
    pub(crate) description: String,
}

/// What an attempt came to.
pub(crate) enum Attempted {
    /// The run is over, or this attempt failed for reasons of the infrastructure: the record says which.
    Over(Box<RunRecord>),
    /// Somebody stopped it.
    Interrupted,
    /// The engine was gone, and the agent with it: says nothing about either. The reason.
    Lost(String),
}

/// One attempt.
pub(crate) struct Attempt<'a> {
    pub(crate) context: &'a Context,
    pub(crate) host: &'a Host,
    /// What the host has.
    pub(crate) ready: &'a Ready,
    pub(crate) plan: &'a RunPlan,
    /// From 1 on.
    pub(crate) number: u32,
    pub(crate) devices: &'a [String],
    /// Whether there is a container already, of a runner that ended.
    pub(crate) takes_over: bool,
}

impl Context {
    /// Writes an event into the journal, then tells the observer.
    pub(crate) fn emit(&self, run: Option<&str>, kind: EventKind) -> Result<(), Error> {
        let event = self.group.journal.add(run, kind)?;
        self.observer.event(&event);
        Ok(())
    }

    /// The name of the group.
    pub(crate) fn group_name(&self) -> String {
        self.group.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// What the name of a container ends with that data are uploaded through for an attempt.
pub(crate) const FILLER: &str = "-data";

/// The name of the container, and network, of an attempt. The engine refuses a second one of the same name.
pub(crate) fn container_name(run: &str, attempt: u32) -> String {
    format!("podium-{run}-{attempt}")
}

impl Attempt<'_> {
    /// Removes what the attempt has left on its host, once it is written down what came of it.
    ///
    /// # Errors
    /// An engine that does not answer, or refuses.
    pub(crate) async fn leave(&self) -> Result<(), Error> {
        let engine = &self.host.engine;
        let name = self.name();
        let removed = engine.remove_container(&name).await;
        let network = engine.remove_network(&name).await;
        exchange::remove(&self.folder());
        removed.and(network)
    }

    fn name(&self) -> String {
        container_name(&self.plan.id, self.number)
    }

    fn folder(&self) -> PathBuf {
        self.context.group.folder.join(&self.plan.id)
    }

    /// Makes the attempt. Its container is still there afterwards, so that nothing is lost where the result cannot be
    /// written down.
    ///
    /// # Errors
    /// What the engine or the disk refuses.
    pub(crate) async fn run(&self) -> Result<Attempted, Error> {
        let Context { group, environment, grading, .. } = self.context;
        let configuration = &group.definition.configuration;
        let agent = &group.definition.agent;
        let folder = self.folder();
        if !self.takes_over {
            // What an attempt that counts for nothing has left.
            match std::fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::file(&folder)(error));
                }
                _ => std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?,
            }
        }
        let prepared = self.prepared()?;
        let content = exchange::Content {
            obfuscated: agent.obfuscated,
            time_limit_seconds: configuration.time_limit_seconds,
            description_in_data: prepared.public_data.join("description.md").is_file(),
            description: &prepared.description,
        };
        let exchange = exchange::prepare(&folder, &content)?;
        let validator = Arc::new(Validator::new(
            Arc::clone(grading),
            prepared.competition.clone(),
            configuration.validation,
            Snapshots::open(&folder, configuration.output.folder.0)?,
            &folder,
            &exchange,
            launch_environment(&environment.secret),
        ));
        let serving = match self.host.definition.shares_files() {
            true => serve(&validator, &exchange)?,
            false => validator.serving_elsewhere(),
        };
        let proxy = (configuration.network == Network::AllowList).then(|| {
            let egress = &configuration.egress;
            Arc::new(Proxy::new(egress.list(), egress.each_run, &folder))
        });
        // Where the engine does not see the sockets, both are carried while the container is watched.
        let proxying = proxy
            .as_ref()
            .filter(|_| self.host.definition.shares_files())
            .map(|proxy| egress::serve(proxy, &exchange))
            .transpose()?;
        if !self.takes_over {
            self.start(prepared, &exchange).await?;
        }
        let services = Services { validator: Arc::clone(&validator), proxy: proxy.clone() };
        let watched = watch::until_the_end(self, &services, &folder, &exchange).await?;
        drop((serving, proxying));
        let watched = match watched {
            Some(watched) => watched,
            None => return Ok(Attempted::Interrupted),
        };
        if watched.was_lost() {
            let why = "the engine was gone, and the container ended meanwhile";
            return Ok(Attempted::Lost(why.to_owned()));
        }
        let copied = self.copy_out(&folder).await?;
        let submission = submission(&folder, prepared, self.context)?;
        let (ending, message) = watched.ending(validator.has_started(), self.takes_over, &folder);
        let state = watched.inspected.state.clone().unwrap_or_default();
        Ok(Attempted::Over(Box::new(RunRecord {
            run: self.plan.id.clone(),
            competition_id: self.plan.competition_id.clone(),
            seed: self.plan.seed,
            agent: agent.full_id(),
            host: Some(self.host.name().to_owned()),
            attempt: self.number,
            ending,
            exit_code: state.exit_code,
            message,
            started_at: state.started_at,
            ended_at: state.finished_at,
            over_time_seconds: watched.over_time_seconds,
            submission,
            copied,
            validation: validator.record(),
            egress: proxy.map(|proxy| proxy.record()),
            container: Some(self.container_record(&watched.inspected)),
        })))
    }

    fn prepared(&self) -> Result<&Prepared, Error> {
        let id = &self.plan.competition_id;
        self.context.competitions.get(id).ok_or_else(|| Error::Group {
            path: self.context.group.folder.clone(),
            message: format!(
                "the run `{}` is of a competition that is not there: `{id}`",
                self.plan.id
            ),
        })
    }

    /// Makes and starts the container.
    async fn start(&self, prepared: &Prepared, exchange: &Path) -> Result<(), Error> {
        let Context { group, environment, forwarder, .. } = self.context;
        let engine = &self.host.engine;
        let image = &self.ready.image;
        let definition = &group.definition;
        let configuration = &definition.configuration;
        let name = self.name();
        let labels: BTreeMap<String, String> = [
            (GROUP_LABEL, self.context.group_name()),
            (RUN_LABEL, self.plan.id.clone()),
            (FOLDER_LABEL, group.folder.to_string_lossy().into_owned()),
            (MACHINE_LABEL, machine::id()),
        ]
        .into_iter()
        .map(|(label, value)| (label.to_owned(), value))
        .collect();
        let network = match configuration.network {
            Network::None | Network::AllowList => None,
            kind => {
                let internal = kind == Network::Internal;
                engine
                    .create_network(&name, internal, labels.clone().into_iter().collect())
                    .await?;
                Some(name.clone())
            }
        };
        let public_data = &prepared.public_data;
        let shares_files = self.host.definition.shares_files();
        let data = match shares_files {
            true => None,
            false => {
                let filler = Filler {
                    container: format!("{name}{FILLER}"),
                    image: &image.id,
                    labels: labels.clone(),
                };
                Some(self.host.data(&self.plan.competition_id, public_data, &filler).await?)
            }
        };
        let delivery = match &data {
            None => Delivery::Mounted { public_data, exchange, forwarder },
            Some(public_data) => Delivery::Carried { public_data },
        };
        let request = ContainerPlan {
            agent: &definition.agent,
            configuration,
            image: &image.id,
            command: definition.agent.command(image.command.clone()),
            environment: &environment.plain,
            devices: self.devices,
            privileged: definition.agent.privileged && definition.allow_privileged,
            competition_id: &self.plan.competition_id,
            delivery,
            sample_submission: prepared.sample_submission.clone(),
            network,
            labels,
        }
        .request();
        let docker = engine.docker();
        let options = CreateContainerOptionsBuilder::default().name(&name).build();
        docker
            .create_container(Some(options), request)
            .await
            .map_err(Error::engine(format!("make the container `{name}`")))?;
        let read_only_root = definition.agent.read_only_root;
        if !read_only_root {
            delivery::make_kept_folders(engine, &name).await?;
        }
        if !shares_files {
            delivery::put_files(engine, &name, exchange, forwarder, read_only_root).await?;
        }
        docker
            .start_container(&name, None)
            .await
            .map_err(Error::engine(format!("start the container `{name}`")))?;
        self.context.emit(Some(&self.plan.id), EventKind::Started { attempt: self.number })
    }

    /// Copies the kept folders out of the stopped container.
    async fn copy_out(&self, folder: &Path) -> Result<BTreeMap<String, Copied>, Error> {
        let output = self.context.group.definition.configuration.output;
        let limits = copy_out::Limits { bytes: output.folder.0, entries: output.entries };
        let mut copied = BTreeMap::new();
        for name in KEPT_FOLDERS {
            let one = container_output::copy(self.host, &self.name(), folder, name, limits).await?;
            copied.insert(name.to_owned(), one);
        }
        Ok(copied)
    }

    fn container_record(&self, inspected: &ContainerInspectResponse) -> ContainerRecord {
        let host = inspected.host_config.clone().unwrap_or_default();
        let facts = &self.ready.facts;
        ContainerRecord {
            image: inspected.image.clone(),
            runtime: host.runtime,
            privileged: host.privileged.unwrap_or_default(),
            network: self.context.group.definition.configuration.network,
            nano_cpus: host.nano_cpus.filter(|cpus| *cpus > 0),
            memory: host.memory.filter(|memory| *memory > 0),
            pids: host.pids_limit.filter(|pids| *pids > 0),
            shm: host.shm_size,
            read_only_root: host.readonly_rootfs,
            devices: self.devices.to_vec(),
            host_cpus: facts.cpus,
            host_memory: facts.memory,
            engine: facts.version.clone(),
            kernel: facts.kernel.clone(),
            operating_system: facts.operating_system.clone(),
            architecture: facts.architecture.clone(),
        }
    }
}

/// When a container was started; the engine writes the year one where it never was.
pub(crate) fn started_at(state: &ContainerState) -> Option<Timestamp> {
    time_of(state.started_at.as_deref())
}

/// When it had ended, if it has.
fn finished_at(state: &ContainerState) -> Option<Timestamp> {
    time_of(state.finished_at.as_deref())
}

fn time_of(text: Option<&str>) -> Option<Timestamp> {
    let at: Timestamp = text?.parse().ok()?;
    (at > Timestamp::UNIX_EPOCH).then_some(at)
}

/// The variables as the launcher reads them: each ends with a zero byte.
fn launch_environment(variables: &BTreeMap<String, String>) -> Vec<u8> {
    variables.iter().flat_map(|(name, value)| format!("{name}={value}\0").into_bytes()).collect()
}

/// The submission that was copied out.
fn submission(
    folder: &Path,
    prepared: &Prepared,
    context: &Context,
) -> Result<Option<SubmissionRecord>, Error> {
    let path = folder.join("submission/submission.csv");
    let most = context.group.definition.configuration.output.folder.0;
    if !path.is_file() {
        return Ok(None);
    }
    let input = Input::open(&path, most)?;
    let sample =
        prepared.sample_submission.as_ref().map(|sample| prepared.public_data.join(sample));
    let sample = sample.and_then(|sample| Input::open(sample, most).ok());
    Ok(Some(SubmissionRecord {
        bytes: input.size(),
        sha256: *input.sha256(),
        is_sample_submission: sample.is_some_and(|sample| sample.sha256() == input.sha256()),
    }))
}

/// A record of a run that never came to a container.
pub(crate) fn never_run(plan: &RunPlan, agent: &str, attempt: u32, why: String) -> RunRecord {
    RunRecord {
        run: plan.id.clone(),
        competition_id: plan.competition_id.clone(),
        seed: plan.seed,
        agent: agent.to_owned(),
        host: None,
        attempt,
        ending: Ending::Infrastructure,
        exit_code: None,
        message: Some(why),
        started_at: None,
        ended_at: None,
        over_time_seconds: None,
        submission: None,
        copied: BTreeMap::new(),
        validation: crate::event::ValidationRecord::default(),
        egress: None,
        container: None,
    }
}
