//! Watches a container until it has ended: by itself, at the deadline, or because somebody stops it.
//!
//! The deadline is the host's, counted from the start that the engine notes, so that neither the image nor a runner that
//! takes over can move it. A connection to the engine that breaks is no end: the engine may be restarted.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use bollard::errors::Error as DockerError;
use bollard::models::ContainerInspectResponse;
use bollard::query_parameters::{
    EventsOptionsBuilder, KillContainerOptionsBuilder, WaitContainerOptionsBuilder,
};
use futures_util::StreamExt;
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::{Attempt, container_output};
use crate::engine::{Engine, status_of};
use crate::error::Error;
use crate::event::{Ending, EventKind};
use crate::secrets::Redactor;
use crate::usage;
use crate::validation::Validator;

/// The exit code of the launcher where it could not start the agent.
const NOT_STARTED: i64 = 125;

/// How long an engine that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often a request to stop is looked for.
const TICK: Duration = Duration::from_millis(200);

/// A container that has ended.
pub(crate) struct Watched {
    pub(crate) inspected: ContainerInspectResponse,
    reached_deadline: bool,
    lost_engine: bool,
    killed_from_outside: bool,
}

impl Watched {
    /// How the run ended, and more about it. `has_started` says whether the launcher was told to start the agent at all.
    pub(crate) fn ending(
        &self,
        has_started: bool,
        takes_over: bool,
        folder: &Path,
    ) -> (Ending, Option<String>) {
        let state = self.inspected.state.clone().unwrap_or_default();
        let code = state.exit_code.unwrap_or(-1);
        let said = state.error.filter(|error| !error.is_empty());
        if self.reached_deadline {
            return (Ending::TimedOut, None);
        }
        if state.oom_killed == Some(true) {
            return (Ending::OutOfMemory, None);
        }
        // A runner that is killed just when it answers leaves a launcher without an answer.
        if !has_started || (takes_over && code == NOT_STARTED) {
            let log = std::fs::read(folder.join("agent.log")).unwrap_or_default();
            let log = String::from_utf8_lossy(&log[..log.len().min(500)]).trim().to_owned();
            let why = said.unwrap_or(log);
            return (Ending::Infrastructure, Some(format!("the agent was never started: {why}")));
        }
        if self.killed_from_outside {
            return (
                Ending::Infrastructure,
                Some("somebody killed the container from outside".to_owned()),
            );
        }
        if self.lost_engine && code != 0 {
            return (
                Ending::Infrastructure,
                Some("the engine was gone, and the container ended meanwhile".to_owned()),
            );
        }
        match code {
            0 => (Ending::Completed, None),
            _ => (Ending::AgentFailed, said),
        }
    }
}

/// Waits for the end; `None` where somebody stopped the run.
pub(crate) async fn until_the_end(
    attempt: &Attempt<'_>,
    validator: &std::sync::Arc<Validator>,
    folder: &Path,
    exchange: &Path,
) -> Result<Option<Watched>, Error> {
    let context = attempt.context;
    let engine = &context.engine;
    let configuration = &context.group.definition.configuration;
    let name = attempt.name();

    // Ended when this function ends.
    let mut beside = JoinSet::new();
    let interval = Duration::from_secs(configuration.usage_interval_seconds);
    beside.spawn(usage::sample(engine.clone(), name.clone(), folder.join("usage.jsonl"), interval));
    if configuration.snapshot_interval_seconds > 0 {
        let interval = Duration::from_secs(configuration.snapshot_interval_seconds);
        let (engine, name, validator) =
            (engine.clone(), name.clone(), std::sync::Arc::clone(validator));
        let received = exchange.join("received");
        beside.spawn(async move {
            loop {
                tokio::time::sleep(interval).await;
                container_output::keep_snapshot(&engine, &name, &validator, &received).await;
            }
        });
    }
    let mut logging = start_log(attempt, folder);

    let mut waiting = wait(engine, &name);
    let mut inspected = inspect_patiently(engine, &name).await?;
    let started = started_at(&inspected);
    let mut reached_deadline = false;
    let mut lost_engine = false;
    loop {
        if context.stop.is_now() {
            return Ok(None);
        }
        let left = left_until(started, configuration.time_limit());
        if left.is_zero() {
            reached_deadline = true;
            context.emit(Some(&attempt.plan.id), EventKind::DeadlineReached)?;
            end(engine, &name, Duration::from_secs(configuration.grace_seconds)).await?;
            break;
        }
        match tokio::time::timeout(TICK.min(left), waiting.next()).await {
            Err(_) => continue,
            Ok(Some(Ok(_) | Err(DockerError::DockerContainerWaitError { .. }))) => break,
            Ok(Some(Err(_)) | None) => {
                inspected = inspect_patiently(engine, &name).await?;
                if !is_running(&inspected) {
                    lost_engine = true;
                    break;
                }
                lost_engine = true;
                logging.abort_all();
                logging = start_log(attempt, folder);
                waiting = wait(engine, &name);
            }
        }
    }
    // The log ends by itself once the container has.
    let _ = tokio::time::timeout(Duration::from_secs(30), logging.join_next()).await;
    inspected = inspect_patiently(engine, &name).await?;
    let killed_from_outside = !reached_deadline && was_killed(engine, &inspected).await;
    Ok(Some(Watched { inspected, reached_deadline, lost_engine, killed_from_outside }))
}

fn start_log(attempt: &Attempt<'_>, folder: &Path) -> JoinSet<()> {
    let context = attempt.context;
    let mut logging = JoinSet::new();
    logging.spawn(container_output::write_log(
        context.engine.clone(),
        attempt.name(),
        folder.join("agent.log"),
        Redactor::new(&context.environment.values),
        context.group.definition.configuration.output.log.0,
    ));
    logging
}

fn wait(
    engine: &Engine,
    name: &str,
) -> futures_util::stream::BoxStream<
    'static,
    Result<bollard::models::ContainerWaitResponse, DockerError>,
> {
    let options = WaitContainerOptionsBuilder::default().condition("not-running").build();
    engine.docker().wait_container(name, Some(options)).boxed()
}

/// Asks the agent to end, then ends it.
async fn end(engine: &Engine, name: &str, grace: Duration) -> Result<(), Error> {
    kill(engine, name, "SIGTERM").await?;
    let deadline = tokio::time::Instant::now() + grace;
    while tokio::time::Instant::now() < deadline {
        if !is_running(&inspect_patiently(engine, name).await?) {
            return Ok(());
        }
        tokio::time::sleep(TICK).await;
    }
    kill(engine, name, "SIGKILL").await?;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while is_running(&inspect_patiently(engine, name).await?)
        && tokio::time::Instant::now() < deadline
    {
        tokio::time::sleep(TICK).await;
    }
    Ok(())
}

async fn kill(engine: &Engine, name: &str, signal: &str) -> Result<(), Error> {
    let options = KillContainerOptionsBuilder::default().signal(signal).build();
    match engine.docker().kill_container(name, Some(options)).await {
        // It ended by itself.
        Err(error) if matches!(status_of(&error), Some(404 | 409)) => Ok(()),
        other => other.map_err(Error::engine(format!("end the container `{name}`"))),
    }
}

/// What the engine says of the container; an engine that does not answer is waited for.
async fn inspect_patiently(engine: &Engine, name: &str) -> Result<ContainerInspectResponse, Error> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        match engine.inspect(name).await {
            Ok(Some(inspected)) => return Ok(inspected),
            Ok(None) => {
                return Err(Error::Engine {
                    what: format!("find the container `{name}` again; somebody removed it"),
                    source: DockerError::DockerResponseServerError {
                        status_code: 404,
                        message: "no such container".to_owned(),
                    },
                });
            }
            Err(error) if tokio::time::Instant::now() >= deadline => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(500)).await,
        }
    }
}

fn is_running(inspected: &ContainerInspectResponse) -> bool {
    inspected.state.as_ref().and_then(|state| state.running).unwrap_or_default()
}

fn started_at(inspected: &ContainerInspectResponse) -> Timestamp {
    let text = inspected.state.as_ref().and_then(|state| state.started_at.as_deref());
    text.and_then(|text| text.parse().ok()).unwrap_or_else(Timestamp::now)
}

fn left_until(started: Timestamp, limit: Duration) -> Duration {
    let passed = Timestamp::now().duration_since(started);
    limit.saturating_sub(Duration::try_from(passed).unwrap_or_default())
}

/// Whether the engine was told to kill the container, which the runner did not do.
async fn was_killed(engine: &Engine, inspected: &ContainerInspectResponse) -> bool {
    let Some(id) = &inspected.id else { return false };
    let seconds = |time: Timestamp| format!("{}.{:09}", time.as_second(), time.subsec_nanosecond());
    let filters = HashMap::from([("container", vec![id.as_str()]), ("event", vec!["kill"])]);
    let options = EventsOptionsBuilder::default()
        .since(&seconds(started_at(inspected)))
        .until(&seconds(Timestamp::now()))
        .filters(&filters)
        .build();
    let mut events = engine.docker().events(Some(options)).boxed();
    let first = tokio::time::timeout(Duration::from_secs(5), events.next()).await;
    matches!(first, Ok(Some(Ok(_))))
}
