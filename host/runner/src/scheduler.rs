//! The runs of a group over several hosts, from the journal as it stands to its end.
//!
//! There is one queue. Each host takes from it what it has room for, and is asked all the time whether it is there. One
//! that was silent for too long is gone: its runs go back into the queue, and whatever it still has of them is removed when
//! it comes back, so that no run counts twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bollard::errors::Error as DockerError;
use bollard::models::{ContainerState, ContainerStateStatusEnum};
use futures_util::StreamExt;
use futures_util::future::{Either, join, join_all, select};
use futures_util::stream::FuturesUnordered;
use podium::{Catalog, GradingContext};
use tokio::sync::Semaphore;

use crate::disk;
use crate::engine::{is_of_connection, status_of};
use crate::error::Error;
use crate::event::{Ending, Event, EventKind, RunRecord};
use crate::exchange;
use crate::group::{RunGroup, RunPlan, StopRequest};
use crate::host::Host;
use crate::hosts::Hosts;
use crate::image::Programs;
use crate::journal::RunState;
use crate::one_run::{self, Attempt, Attempted, Context, Prepared};
use crate::public_data::{self, Missing};
use crate::queue::{Held, Queue, Waiting};
use crate::secrets::{self, Resolved};

/// How often what changes without telling is looked at.
const TICK: Duration = Duration::from_millis(200);

/// How often a host that answers is asked again, and one that does not.
const ASK_AGAIN: (Duration, Duration) = (Duration::from_secs(2), Duration::from_millis(500));

/// How often a run may be lost with its host: an agent that brings engines down does not do so for ever.
const MOST_LOSSES: u32 = 10;

/// Is told what happens.
pub trait Observer: Send + Sync {
    /// Something happened; it is in the journal already.
    fn event(&self, event: &Event);
}

/// Runs a group.
pub struct Scheduler {
    context: Context,
    hosts: Vec<Host>,
    programs: Programs,
    warnings: Vec<String>,
}

/// What a runner leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Finished runs, by how they ended.
    pub endings: BTreeMap<Ending, usize>,
    /// Runs that are still to be done.
    pub waiting: usize,
}

/// What the hosts share while they work.
struct Work<'a> {
    queue: Queue<'a>,
    /// Runs that are not over.
    left: AtomicUsize,
    /// Room for runs on all hosts together.
    room: Semaphore,
    /// Containers of attempts that go on, by host.
    active: Mutex<BTreeSet<(String, String)>>,
    /// Whether a worker had to give up, so that nothing new is started.
    has_failed: AtomicBool,
}

impl Work<'_> {
    fn set_active(&self, host: &Host, container: &str, is_active: bool) {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (host.name().to_owned(), container.to_owned());
        match is_active {
            true => active.insert(key),
            false => active.remove(&key),
        };
    }

    fn is_active(&self, host: &Host, container: &str) -> bool {
        let active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        active.contains(&(host.name().to_owned(), container.to_owned()))
    }
}

impl Scheduler {
    /// Looks for all that the group needs: competitions with their data, secrets, the engines' abilities, the image.
    ///
    /// # Errors
    /// What is missing, before anything is started. Of several hosts, those that do not answer are waited for.
    pub async fn new(
        group: RunGroup,
        programs: &Programs,
        catalog: &Catalog,
        grading: Arc<GradingContext>,
        variable: impl Fn(&str) -> Option<String>,
        stop: StopRequest,
        observer: Arc<dyn Observer>,
    ) -> Result<Scheduler, Error> {
        let definition = &group.definition;
        if definition.agent.privileged && !definition.allow_privileged {
            return Err(Error::Agent {
                path: definition.agent_folder.clone(),
                message: "it wants a privileged container, which is not allowed; whoever accepts that the agent can take \
                          over this machine gives --allow-privileged"
                    .to_owned(),
            });
        }
        // Where no run is left, there is nobody to hand a secret to.
        let states = RunGroup::states(&group.folder)?;
        let is_over = |run: &RunPlan| matches!(states.get(&run.id), Some(RunState::Finished(_)));
        let environment = match definition.runs.iter().all(is_over) {
            true => Resolved::default(),
            false => secrets::resolve(&definition.agent.environment, &variable)?,
        };
        let mut competitions = BTreeMap::new();
        for run in &definition.runs {
            if !competitions.contains_key(&run.competition_id) {
                competitions.insert(
                    run.competition_id.clone(),
                    prepared(catalog, &grading, &run.competition_id)?,
                );
            }
        }
        let mut warnings = Vec::new();
        for competition in competitions.values() {
            warnings.extend(look_over(competition, &definition.hosts)?);
        }
        let forwarder = programs.forwarder()?;
        let mut listed = definition.hosts.clone();
        if listed.hosts.is_empty() {
            listed = Hosts::from_environment(&variable)?;
            listed.hosts[0].workers = definition.workers;
        }
        listed.lend(&definition.configuration.gpu_devices);
        let hosts =
            listed.hosts.into_iter().map(Host::new).collect::<Result<Vec<Host>, Error>>()?;
        let context =
            Context { group, forwarder, competitions, grading, environment, stop, observer };
        let scheduler = Scheduler { context, hosts, programs: programs.clone(), warnings };
        let made = join_all(scheduler.hosts.iter().map(|host| scheduler.make_ready(host))).await;
        let mut silent = None;
        for (host, made) in scheduler.hosts.iter().zip(made) {
            match made {
                Err(error) if is_of_connection(&error) => {
                    let (host, reason) = (host.name().to_owned(), error.to_string());
                    scheduler.context.emit(None, EventKind::HostSilent { host, reason })?;
                    silent = Some(error);
                }
                other => other?,
            }
        }
        match silent {
            Some(error) if scheduler.hosts.iter().all(|host| host.ready().is_none()) => Err(error),
            _ => Ok(scheduler),
        }
    }

    async fn make_ready(&self, host: &Host) -> Result<(), Error> {
        let definition = &self.context.group.definition;
        let made = host
            .make_ready(
                &definition.agent,
                &definition.agent_folder,
                &definition.configuration,
                &self.programs,
            )
            .await;
        let made = match (made, host.ready()) {
            (Ok(()), Some(ready)) => {
                let (limit, folder) = (definition.configuration.disk, &self.context.group.folder);
                disk::check(&host.engine, limit, folder, &ready.image).await
            }
            (made, _) => made,
        };
        match made {
            Err(error) if self.hosts.len() > 1 && !is_of_connection(&error) => Err(Error::Hosts {
                place: format!("for the host `{}`", host.name()),
                message: error.to_string(),
            }),
            other => other,
        }
    }

    /// Works until every run is over, or somebody stops it.
    ///
    /// # Errors
    /// A journal or folder that cannot be written; no host that answers. The group can be gone on with.
    pub async fn run(&self) -> Result<Summary, Error> {
        let context = &self.context;
        let group = &context.group;
        let states = RunGroup::states(&group.folder)?;
        let started = EventKind::RunnerStarted {
            podium: podium::VERSION.to_owned(),
            process: std::process::id(),
        };
        context.emit(None, started)?;
        // What a runner that was killed just after the end of a run could not remove any more.
        for (run, _) in states.iter().filter(|state| matches!(state.1, RunState::Finished(_))) {
            exchange::remove(&group.folder.join(run));
        }
        let work = self.work(&states);
        for host in self.hosts.iter().filter(|host| host.ready().is_some()) {
            self.sweep(host, &work).await?;
        }
        let workers = join_all(self.hosts.iter().map(|host| self.work_on(host, &work)));
        let hosts = join_all(self.hosts.iter().map(|host| self.watch(host, &work)));
        let requests = async {
            let mut draining = false;
            loop {
                group.look_for_request(&context.stop);
                if context.stop.is_draining() && !draining {
                    draining = true;
                    // The request is kept in any case; only the line in the journal is lost.
                    let _ = context.emit(None, EventKind::Draining);
                }
                tokio::time::sleep(TICK).await;
            }
        };
        // Both go on for ever.
        let beside = join(hosts, requests);
        let worked = match select(pin!(workers), pin!(beside)).await {
            Either::Left((worked, _)) => worked,
            Either::Right(((_, never), _)) => never,
        };
        let states = RunGroup::states(&group.folder)?;
        group.write_results(&states)?;
        worked.into_iter().collect::<Result<(), Error>>()?;
        for host in self.hosts.iter().filter(|host| host.ready().is_some() && !host.is_gone()) {
            match self.sweep(host, &work).await {
                // What it has is removed by `clean`, or when the group is gone on with.
                Err(error) if is_of_connection(&error) => {}
                other => other?,
            }
        }
        let mut summary = Summary::default();
        for state in states.values() {
            match state {
                RunState::Finished(record) => {
                    *summary.endings.entry(record.ending).or_default() += 1
                }
                _ => summary.waiting += 1,
            }
        }
        if summary.waiting == 0 {
            context.emit(None, EventKind::GroupFinished)?;
        }
        Ok(summary)
    }

    /// What agents will miss although nothing keeps them from being started.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The folder of the group.
    pub fn folder(&self) -> PathBuf {
        self.context.group.folder.clone()
    }

    /// All runs that are not over, those with a container first.
    fn work(&self, states: &BTreeMap<String, RunState>) -> Work<'_> {
        let definition = &self.context.group.definition;
        let queue = Queue::default();
        let mut left = 0;
        for plan in &definition.runs {
            let (attempts, held) = match states.get(&plan.id) {
                Some(RunState::Finished(_)) => continue,
                Some(RunState::Running { attempt, container, host, devices, .. }) => {
                    let of_run =
                        |one: &&Host| host.as_deref().is_none_or(|name| one.name() == name);
                    // A host that is not among them any more holds nothing.
                    let held = self.hosts.iter().find(of_run).map(|host| Held {
                        host: host.name().to_owned(),
                        container: container.clone(),
                        lease: host.devices.take(devices),
                    });
                    (*attempt, held)
                }
                Some(RunState::Waiting { attempts }) => (*attempts, None),
                None => (0, None),
            };
            left += 1;
            let waiting = Waiting { plan, attempts, failures: 0, losses: 0, held };
            match waiting.held {
                Some(_) => queue.push_front(waiting),
                None => queue.push_back(waiting),
            }
        }
        Work {
            queue,
            left: AtomicUsize::new(left),
            room: Semaphore::new(definition.workers.unwrap_or(Semaphore::MAX_PERMITS)),
            active: Mutex::default(),
            has_failed: AtomicBool::new(false),
        }
    }

    fn is_gone(&self, name: &str) -> bool {
        self.hosts.iter().find(|host| host.name() == name).is_none_or(Host::is_gone)
    }

    /// Takes runs from the queue for as long as there are any, as many at once as the host has room for.
    async fn work_on<'a>(&'a self, host: &'a Host, work: &Work<'a>) -> Result<(), Error> {
        let mut running = FuturesUnordered::new();
        let mut result = Ok(());
        loop {
            let is_ending = self.context.stop.is_draining()
                || work.has_failed.load(Ordering::Relaxed)
                || self.hosts.iter().all(Host::is_gone);
            let room = host.ready().map_or(0, |ready| ready.room);
            while !is_ending && host.is_there() && running.len() < room {
                let Ok(place) = work.room.try_acquire() else { break };
                let next = work.queue.take_for(host.name(), |name| !self.is_gone(name));
                let Some(waiting) = next else { break };
                running.push(async {
                    let finished = self.finish(waiting, host, work).await;
                    drop(place);
                    finished
                });
            }
            if running.is_empty() && (is_ending || work.left.load(Ordering::Relaxed) == 0) {
                let silent_for_too_long =
                    work.left.load(Ordering::Relaxed) > 0 && self.hosts.iter().all(Host::is_gone);
                return match silent_for_too_long {
                    true => result.and_then(|()| Err(self.no_host())),
                    false => result,
                };
            }
            let ticked = tokio::time::sleep(TICK);
            let Either::Left((Some(Err(error)), _)) = select(running.next(), pin!(ticked)).await
            else {
                if running.is_empty() {
                    tokio::time::sleep(TICK / 4).await;
                }
                continue;
            };
            work.has_failed.store(true, Ordering::Relaxed);
            result = result.and(Err(error));
        }
    }

    fn no_host(&self) -> Error {
        let hosts = self
            .hosts
            .iter()
            .map(|host| format!("`{}` is silent for {} s", host.name(), host.silence().as_secs()));
        Error::NoHost { hosts: hosts.collect::<Vec<_>>().join(", ") }
    }

    /// Asks a host for as long as it is polled whether it is there.
    async fn watch(&self, host: &Host, work: &Work<'_>) {
        let gone_after = self.context.group.definition.hosts.gone_after_seconds.0;
        let name = || host.name().to_owned();
        loop {
            let silence = host.ask().await;
            if !silence.is_zero() {
                if silence.as_secs() >= gone_after && !host.is_gone() {
                    host.set_gone(true);
                    let reason = format!("it was silent for {} s", silence.as_secs());
                    let _ = self.context.emit(None, EventKind::HostGone { host: name(), reason });
                }
                tokio::time::sleep(ASK_AGAIN.1).await;
                continue;
            }
            if host.ready().is_none() || host.is_gone() {
                match self.make_ready(host).await {
                    Err(error) if !is_of_connection(&error) && !host.is_gone() => {
                        host.set_gone(true);
                        let reason = error.to_string();
                        let gone = EventKind::HostGone { host: name(), reason };
                        let _ = self.context.emit(None, gone);
                    }
                    Err(_) => {}
                    Ok(()) if host.is_gone() => {
                        host.forget_data().await;
                        if self.sweep(host, work).await.is_ok() {
                            host.set_gone(false);
                            let _ = self.context.emit(None, EventKind::HostBack { host: name() });
                        }
                    }
                    Ok(()) => {}
                }
            } else if host.was_silent() {
                // Containers that could not be removed meanwhile.
                let _ = self.sweep(host, work).await;
            }
            tokio::time::sleep(ASK_AGAIN.0).await;
        }
    }

    /// Removes from a host what it has of this group's runs and nobody works on.
    async fn sweep(&self, host: &Host, work: &Work<'_>) -> Result<(), Error> {
        let folder = self.context.group.folder.to_string_lossy().into_owned();
        let strays = host.engine.strays(Some(&self.context.group_name())).await?;
        // Asked after the list, so that what has begun meanwhile is not in it.
        let held = work.queue.held_on(host.name());
        for stray in strays {
            let name = stray.name.strip_suffix(one_run::FILLER).unwrap_or(&stray.name);
            let is_wanted = work.is_active(host, name) || held.iter().any(|held| held == name);
            if stray.folder == folder && !is_wanted {
                host.engine.remove(&stray).await?;
            }
        }
        host.forget_silence();
        Ok(())
    }

    /// Takes one run to its end, over as many attempts as it may have, or back to the queue where its host is lost.
    async fn finish<'a>(
        &self,
        mut waiting: Waiting<'a>,
        host: &Host,
        work: &Work<'a>,
    ) -> Result<(), Error> {
        let context = &self.context;
        let definition = &context.group.definition;
        let plan = waiting.plan;
        let run = Some(plan.id.as_str());
        let mut takes_over = false;
        let mut lease = None;
        if let Some(held) = waiting.held.take() {
            if held.host == host.name() {
                match self.can_take_over(host, &held.container).await {
                    Ok(true) => (takes_over, lease) = (true, Some(held.lease)),
                    Ok(false) => {}
                    Err(error) if is_of_connection(&error) => {
                        waiting.held = Some(held);
                        work.queue.push_front(waiting);
                        tokio::time::sleep(TICK).await;
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
            } else {
                let (attempt, host) = (waiting.attempts, held.host);
                let reason = "its host is gone".to_owned();
                context.emit(run, EventKind::Lost { attempt, host, reason })?;
            }
        }
        loop {
            let number = if takes_over { waiting.attempts } else { waiting.attempts + 1 };
            let devices = match lease.take() {
                Some(lease) => lease,
                None if host.definition.gpu_devices.is_empty() => host.devices.lend(0).await,
                None => {
                    let count = usize::try_from(definition.configuration.gpus).unwrap_or_default();
                    host.devices.lend(count).await
                }
            };
            let Some(ready) = host.ready() else {
                work.queue.push_front(waiting);
                return Ok(());
            };
            let container = one_run::container_name(&plan.id, number);
            work.set_active(host, &container, true);
            let begun = match takes_over {
                true => EventKind::Reattached { attempt: number },
                false => EventKind::Starting {
                    attempt: number,
                    container: container.clone(),
                    host: Some(host.name().to_owned()),
                    devices: devices.devices.clone(),
                },
            };
            context.emit(run, begun)?;
            waiting.attempts = number;
            let attempt = Attempt {
                context,
                host,
                ready: &ready,
                plan,
                number,
                devices: &devices.devices,
                takes_over,
            };
            let attempted = match select(pin!(attempt.run()), pin!(until_gone(host))).await {
                Either::Left((attempted, _)) => attempted,
                Either::Right(_) => Ok(Attempted::Lost("its host is gone".to_owned())),
            };
            // Where the runner's own disk fails, or no host is left, whoever goes on finds all as it is.
            let outcome = self.outcome(attempted, &attempt, host).await?;
            let next = self.note(outcome, &mut waiting, number, host)?;
            if !host.is_gone() {
                // What cannot be removed now is swept later.
                let _ = attempt.leave().await;
            }
            work.set_active(host, &container, false);
            match next {
                Next::Done => {
                    work.left.fetch_sub(1, Ordering::Relaxed);
                    return Ok(());
                }
                Next::Stopped => return Ok(()),
                Next::Queue => {
                    drop(devices);
                    work.queue.push_front(waiting);
                    return Ok(());
                }
                Next::Again => {}
            }
            drop(devices);
            tokio::time::sleep(Duration::from_secs(1 << waiting.failures.min(6))).await;
            takes_over = false;
        }
    }

    /// What an attempt means for the run.
    async fn outcome(
        &self,
        attempted: Result<Attempted, Error>,
        attempt: &Attempt<'_>,
        host: &Host,
    ) -> Result<Outcome, Error> {
        let definition = &self.context.group.definition;
        let error = match attempted {
            Ok(Attempted::Interrupted) => return Ok(Outcome::Interrupted),
            Ok(Attempted::Over(record)) => return Ok(Outcome::Over(record, false)),
            Ok(Attempted::Lost(reason)) => {
                return match self.hosts.iter().all(Host::is_gone) {
                    // There is nowhere to run it. Whoever goes on finds it as it is.
                    true => Err(self.no_host()),
                    false => Ok(Outcome::Lost(reason)),
                };
            }
            Err(error @ (Error::File { .. } | Error::Group { .. })) => return Err(error),
            Err(error) => error,
        };
        if is_of_connection(&error) && !host.ask().await.is_zero() {
            return Ok(Outcome::Lost(error.to_string()));
        }
        if is_missing_image(&error) {
            // It may be built again; one that was named has to be brought by somebody.
            self.make_ready(host).await?;
        }
        let agent = definition.agent.full_id();
        let never_run = |why: String| one_run::never_run(attempt.plan, &agent, attempt.number, why);
        if let Some(what_to_do) = fault_of_definition(&error) {
            let mut record = never_run(format!("{error}; {what_to_do}"));
            record.ending = Ending::Definition;
            return Ok(Outcome::Over(Box::new(record), true));
        }
        let is_final = is_final(&error);
        Ok(Outcome::Over(Box::new(never_run(error.to_string())), is_final))
    }

    /// Writes down what came of an attempt, and says how the run goes on.
    fn note(
        &self,
        outcome: Outcome,
        waiting: &mut Waiting<'_>,
        number: u32,
        host: &Host,
    ) -> Result<Next, Error> {
        let context = &self.context;
        let run = Some(waiting.plan.id.as_str());
        let (record, is_final) = match outcome {
            Outcome::Interrupted => {
                context.emit(run, EventKind::Interrupted)?;
                return Ok(Next::Stopped);
            }
            Outcome::Lost(reason) => {
                waiting.losses += 1;
                if waiting.losses < MOST_LOSSES {
                    let host = host.name().to_owned();
                    context.emit(run, EventKind::Lost { attempt: number, host, reason })?;
                    return Ok(Next::Queue);
                }
                let agent = &context.group.definition.agent.full_id();
                let why = format!("lost {MOST_LOSSES} times, last because {reason}");
                (Box::new(one_run::never_run(waiting.plan, agent, number, why)), true)
            }
            Outcome::Over(record, is_final) => (record, is_final),
        };
        let may_retry = record.ending == Ending::Infrastructure && !is_final;
        if !may_retry || waiting.failures >= context.group.definition.configuration.retries {
            self.conclude(waiting.plan, record)?;
            return Ok(Next::Done);
        }
        waiting.failures += 1;
        let reason = record.message.unwrap_or_default();
        context.emit(run, EventKind::Retrying { attempt: number, reason })?;
        Ok(if context.stop.is_draining() { Next::Stopped } else { Next::Again })
    }

    fn conclude(&self, plan: &RunPlan, record: Box<RunRecord>) -> Result<(), Error> {
        let folder = self.context.group.folder.join(&plan.id);
        std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        podium::write_over(&folder.join("run.json"), podium::to_json(&record).as_bytes())?;
        self.context.emit(Some(&plan.id), EventKind::Finished { record })
    }

    /// Whether there is a container that was started: running still, or ended meanwhile. One that never was is removed.
    async fn can_take_over(&self, host: &Host, container: &str) -> Result<bool, Error> {
        let inspected = host.engine.inspect(container).await?;
        if inspected.and_then(|found| found.state).is_some_and(|state| was_started(&state)) {
            return Ok(true);
        }
        host.engine.remove_container(container).await?;
        host.engine.remove_network(container).await?;
        Ok(false)
    }
}

/// What an attempt means for the run.
enum Outcome {
    /// There is a record, and whether the same would come of another attempt.
    Over(Box<RunRecord>, bool),
    Lost(String),
    Interrupted,
}

/// How a run goes on.
enum Next {
    /// It is over.
    Done,
    /// It waits for another runner.
    Stopped,
    /// It waits for a host.
    Queue,
    /// There is another attempt on the same host.
    Again,
}

/// Whether an agent was started in a container, which is not being removed: by a runner that was killed while it did so,
/// say.
fn was_started(state: &ContainerState) -> bool {
    use ContainerStateStatusEnum::{EXITED, PAUSED, RUNNING};
    matches!(state.status, Some(RUNNING | PAUSED | EXITED)) && one_run::started_at(state).is_some()
}

async fn until_gone(host: &Host) {
    while !host.is_gone() {
        tokio::time::sleep(TICK).await;
    }
}

/// The status with which the engine refused to make a container.
fn refused_container(error: &Error) -> Option<u16> {
    match error {
        Error::Engine { source, what } if what.starts_with("make the container") => {
            status_of(source)
        }
        _ => None,
    }
}

fn is_missing_image(error: &Error) -> bool {
    refused_container(error) == Some(404)
}

/// What to do about an agent's definition that asks for what the image does not have, as far as the engine's message tells.
fn fault_of_definition(error: &Error) -> Option<&'static str> {
    let Error::Engine { source: DockerError::DockerResponseServerError { message, .. }, .. } =
        error
    else {
        return None;
    };
    let says = |part: &str| message.contains(part);
    if says("unable to find user") || says("unable to find group") || says("invalid user") {
        return Some(
            "`user` in agent.toml has to be one that the image has, or numbers as in 1000:1000; mend it, then start a new group",
        );
    }
    if says("unknown capability") {
        return Some(
            "this engine knows less of `capabilities`; mend agent.toml, then start a new group",
        );
    }
    None
}

/// Whether the engine would refuse the same again.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Engine { .. } => refused_container(error) == Some(400),
        Error::Podium(_) => false,
        _ => true,
    }
}

/// Finds a competition and its public data.
fn prepared(catalog: &Catalog, grading: &GradingContext, id: &str) -> Result<Prepared, Error> {
    let competition = catalog.get(id)?;
    let data = grading.data_folder();
    let folder = data.join(id).join("prepared").join("public");
    let not_prepared = |path: PathBuf| Error::NotPrepared { competition_id: id.to_owned(), path };
    let public_data = std::fs::canonicalize(&folder).map_err(|_| not_prepared(folder.clone()))?;
    for answers in competition.answers_in(data) {
        let answers = std::fs::canonicalize(&answers).map_err(|_| not_prepared(answers.clone()))?;
        // An agent would find them under /home/data.
        if answers.starts_with(&public_data) {
            return Err(Error::Group {
                path: answers,
                message: "the answers lie among the public data, which agents see; nothing is run"
                    .to_owned(),
            });
        }
    }
    let sample_submission = competition
        .sample_submission_in(data)
        .and_then(|sample| std::fs::canonicalize(sample).ok())
        .and_then(|sample| sample.strip_prefix(&public_data).map(PathBuf::from).ok());
    let description = competition.description.clone().unwrap_or_default();
    Ok(Prepared { competition, public_data, sample_submission, description })
}

/// What agents will miss of a competition's public data. Where a host would get copies, a link that leads out of them is an
/// error: what is copied is the link.
fn look_over(prepared: &Prepared, hosts: &Hosts) -> Result<Vec<String>, Error> {
    let Missing { leading_out, unreadable } = public_data::look_over(&prepared.public_data);
    let mut warnings = Vec::new();
    if let Some((link, count)) = leading_out {
        let message = format!(
            "this link leads out of the public data, or nowhere (one of {count} such): in a container it leads nowhere; put what \
             it stands for in its place"
        );
        if hosts.hosts.iter().any(|host| !host.shares_files() && host.data.is_none()) {
            return Err(Error::Group { path: link, message });
        }
        warnings.push(format!("{}: {message}", link.display()));
    }
    if let Some((path, mode)) = unreadable {
        warnings.push(format!(
            "{} has the mode {mode:04o}: agents that run as another user than its owner cannot read it; `chmod -R a+rX` lets them",
            path.display()
        ));
    }
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use ContainerStateStatusEnum::{CREATED, DEAD, EXITED, REMOVING, RUNNING};

    use super::*;

    #[test]
    fn what_never_ran_or_is_being_removed_is_not_taken_over() {
        let never = "0001-01-01T00:00:00Z";
        let then = "2026-01-02T03:04:05.123456789Z";
        for (status, started_at, expected) in [
            (RUNNING, then, true),
            (EXITED, then, true),
            (EXITED, never, false),
            (CREATED, never, false),
            (REMOVING, then, false),
            (REMOVING, never, false),
            (DEAD, then, false),
        ] {
            let state = ContainerState {
                status: Some(status),
                started_at: Some(started_at.to_owned()),
                ..ContainerState::default()
            };
            assert_eq!(was_started(&state), expected, "{status} {started_at}");
        }
    }
}
