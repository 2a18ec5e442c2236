//! A host while a runner works: whether its engine answers, what it is, and which containers and GPUs are in use.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::configuration::RunConfiguration;
use crate::container::DataSource;
use crate::delivery::{self, Filler};
use crate::devices::DevicePool;
use crate::engine::{Engine, EngineFacts};
use crate::error::Error;
use crate::hosts::HostDefinition;
use crate::image::{self, Image, Programs};

/// A host.
pub(crate) struct Host {
    pub(crate) definition: HostDefinition,
    pub(crate) engine: Engine,
    pub(crate) devices: DevicePool,
    state: Mutex<State>,
    /// Whether the engine answered when it was last asked.
    answers: AtomicBool,
    /// Whether it did not at some time, since it was last looked for what it has of runs.
    was_silent: AtomicBool,
    is_gone: AtomicBool,
    /// Volumes with public data that are there, by competition; whoever fills one holds this.
    data: tokio::sync::Mutex<BTreeMap<String, DataSource>>,
}

struct State {
    ready: Option<Ready>,
    answered: Instant,
}

/// What a host that runs agents has.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    pub(crate) facts: EngineFacts,
    pub(crate) image: Image,
    /// How many runs go on at once.
    pub(crate) room: usize,
}

impl Host {
    /// A host that nothing was asked of yet.
    pub(crate) fn new(definition: HostDefinition) -> Result<Host, Error> {
        Ok(Host {
            engine: Engine::of(&definition)?,
            devices: DevicePool::new(&definition.gpu_devices),
            definition,
            state: Mutex::new(State { ready: None, answered: Instant::now() }),
            answers: AtomicBool::new(true),
            was_silent: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            data: tokio::sync::Mutex::default(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.definition.name
    }

    /// What the host has, if it can run agents now.
    pub(crate) fn ready(&self) -> Option<Ready> {
        self.state().ready.clone()
    }

    /// Whether it was silent for so long that its runs are given to others.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    pub(crate) fn set_gone(&self, is_gone: bool) {
        self.is_gone.store(is_gone, Ordering::Relaxed);
    }

    /// Whether runs can be started.
    pub(crate) fn is_there(&self) -> bool {
        self.answers.load(Ordering::Relaxed) && !self.is_gone()
    }

    /// Whether there may be something that could not be removed.
    pub(crate) fn was_silent(&self) -> bool {
        self.was_silent.load(Ordering::Relaxed)
    }

    pub(crate) fn forget_silence(&self) {
        self.was_silent.store(false, Ordering::Relaxed);
    }

    /// Asks the engine whether it is there; how long it was silent.
    pub(crate) async fn ask(&self) -> Duration {
        let answers = self.engine.answers().await;
        self.answers.store(answers, Ordering::Relaxed);
        if answers {
            self.state().answered = Instant::now();
            return Duration::ZERO;
        }
        self.was_silent.store(true, Ordering::Relaxed);
        // At least something: it did not answer.
        self.silence().max(Duration::from_millis(1))
    }

    /// How long the engine was silent when it was last asked.
    pub(crate) fn silence(&self) -> Duration {
        self.state().answered.elapsed()
    }

    /// Makes the host ready: looks whether it has what runs need, and finds or builds the image.
    ///
    /// # Errors
    /// What it lacks, or that it does not answer.
    pub(crate) async fn make_ready(
        &self,
        agent: &Agent,
        agent_folder: &Path,
        configuration: &RunConfiguration,
        programs: &Programs,
    ) -> Result<(), Error> {
        let facts = self.engine.facts().await?;
        facts.check(configuration)?;
        let room = self.definition.room(configuration, facts.cpus, facts.memory);
        let room = room.map_err(|message| Error::Hosts {
            place: format!("for the host `{}`", self.name()),
            message,
        })?;
        let image = image::find_or_build(&self.engine, agent, agent_folder, programs).await?;
        agent.check_command(&image.command, agent_folder)?;
        let mut state = self.state();
        state.ready = Some(Ready { facts, image, room });
        state.answered = Instant::now();
        Ok(())
    }

    /// Where the engine finds the public data of a competition, where it does not see those of this machine.
    pub(crate) async fn data(
        &self,
        competition_id: &str,
        public_data: &Path,
        filler: &Filler<'_>,
    ) -> Result<DataSource, Error> {
        if let Some(folder) = &self.definition.data {
            return Ok(DataSource::Folder(
                folder.join(competition_id).join("prepared").join("public"),
            ));
        }
        let mut known = self.data.lock().await;
        if let Some(found) = known.get(competition_id) {
            return Ok(found.clone());
        }
        let made = delivery::data_volume(&self.engine, filler, competition_id, public_data).await?;
        known.insert(competition_id.to_owned(), made.clone());
        Ok(made)
    }

    /// What was found out about the engine is found out again: it may have been put up anew.
    pub(crate) async fn forget_data(&self) {
        self.data.lock().await.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
