//! Watches a container until it has ended: by itself, at the deadline, or because somebody stops it.
//!
//! The deadline is the host's, counted from the start that the engine notes, so that neither the image nor a runner that
//! takes over can move it. A connection to the engine that breaks is no end: the engine may be restarted.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
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
use crate::carriage::{self, Services};
use crate::engine::{Engine, is_of_connection, status_of};
use crate::error::Error;
use crate::event::{Ending, EventKind};
use crate::gpu_usage::GpuQuery;
use crate::secrets::Redactor;
use crate::usage;

/// The exit code of the launcher where it could not start the agent.
const NOT_STARTED: i64 = 125;

/// The exit code of what was ended by SIGKILL.
const KILLED: i64 = 137;

/// How long an engine is waited for that answers and does not do what it has to.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long is waited before an engine is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// How much longer than its time limit and grace a container may be there before it counts as one that nobody has ended: an
/// engine under load takes its time.
const TOLERANCE: Duration = Duration::from_secs(5);

/// How often a request to stop is looked for.
const TICK: Duration = Duration::from_millis(200);

/// A container that has ended.
pub(crate) struct Watched {
    pub(crate) inspected: ContainerInspectResponse,
    reached_deadline: bool,
    lost_engine: bool,
    killed_from_outside: bool,
    /// How long it went on beyond its time limit, if nobody ended it in time.
    pub(crate) over_time_seconds: Option<u64>,
}

impl Watched {
    /// Whether the container ended while the engine was gone, and not well.
    pub(crate) fn was_lost(&self) -> bool {
        let state = self.inspected.state.as_ref();
        self.lost_engine
            && !self.reached_deadline
            && state
                .is_none_or(|state| state.exit_code != Some(0) && state.oom_killed != Some(true))
    }

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
        if let Some(seconds) = self.over_time_seconds {
            let why = format!(
                "it went on for {seconds} s beyond its time limit, because no runner was there to end it; what it left is \
                 graded, and may be of that time"
            );
            return (Ending::TimedOut, Some(why));
        }
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
        // The engine remembers a few hundred events, so what happened while no runner watched may be forgotten.
        if takes_over && code == KILLED {
            let why = "the container was killed while no runner watched it";
            return (Ending::Infrastructure, Some(why.to_owned()));
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
    services: &Services,
    folder: &Path,
    exchange: &Path,
) -> Result<Option<Watched>, Error> {
    let context = attempt.context;
    let engine = &attempt.host.engine;
    let configuration = &context.group.definition.configuration;
    let name = attempt.name();

    // Ended when this function ends.
    let mut beside = JoinSet::new();
    let interval = Duration::from_secs(configuration.usage_interval_seconds);
    let usage_file = folder.join("usage.jsonl");
    // The program that knows of GPUs is asked where they are.
    let gpus = match attempt.host.definition.shares_files() {
        true => GpuQuery::new(configuration.gpus, attempt.devices),
        false => None,
    };
    beside.spawn(usage::sample(engine.clone(), name.clone(), usage_file.clone(), interval, gpus));
    if configuration.snapshot_interval_seconds > 0 {
        let interval = Duration::from_secs(configuration.snapshot_interval_seconds);
        let (engine, name, validator) =
            (engine.clone(), name.clone(), Arc::clone(&services.validator));
        let received = exchange.join("received");
        beside.spawn(async move {
            loop {
                tokio::time::sleep(interval).await;
                container_output::keep_snapshot(&engine, &name, &validator, &received).await;
            }
        });
    }
    if !attempt.host.definition.shares_files() {
        beside.spawn(carriage::carry(engine.clone(), name.clone(), services.clone()));
    }
    let mut logging = start_log(attempt, folder);

    let mut waiting = wait(engine, &name);
    let mut inspected = inspect_patiently(attempt).await?;
    let started = started_at(&inspected);
    let mut reached_deadline = false;
    let mut lost_engine = false;
    let mut has_told = false;
    loop {
        if context.stop.is_now() {
            return Ok(None);
        }
        if let Some(left_out) = services.validator.snapshots.left_out().filter(|_| !has_told) {
            has_told = true;
            let reason = left_out.why;
            context.emit(Some(&attempt.plan.id), EventKind::SnapshotLeftOut { reason })?;
        }
        // One that ended while no runner watched it was in time or not by what the engine says, whatever time it is now.
        if !is_running(&inspected) {
            break;
        }
        let left = left_until(started, configuration.time_limit());
        if left.is_zero() {
            reached_deadline = true;
            context.emit(Some(&attempt.plan.id), EventKind::DeadlineReached)?;
            end(attempt, Duration::from_secs(configuration.grace_seconds)).await?;
            break;
        }
        match tokio::time::timeout(TICK.min(left), waiting.next()).await {
            Err(_) => continue,
            Ok(Some(Ok(_) | Err(DockerError::DockerContainerWaitError { .. }))) => break,
            Ok(Some(Err(_)) | None) => {
                inspected = inspect_patiently(attempt).await?;
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
    // The log ends by itself once the container has. What is not in it is added, or that it cannot be is an error.
    let _ = tokio::time::timeout(Duration::from_secs(30), logging.join_next()).await;
    logging.shutdown().await;
    // Here an engine that is gone is waited for.
    inspected = inspect_patiently(attempt).await?;
    let (log, secrets) = (folder.join("agent.log"), &context.environment.values);
    let most = configuration.output.log.0;
    container_output::complete_log(engine, &name, &log, secrets, most).await?;
    beside.shutdown().await;
    usage::conclude(&usage_file);
    let killed_from_outside = !reached_deadline && was_killed(engine, &inspected).await;
    let grace = Duration::from_secs(configuration.grace_seconds);
    let over_time_seconds = inspected
        .state
        .as_ref()
        .and_then(super::finished_at)
        .and_then(|finished| over_time(started, finished, configuration.time_limit(), grace));
    if let Some(seconds) = over_time_seconds {
        context.emit(Some(&attempt.plan.id), EventKind::OverTime { seconds })?;
    }
    Ok(Some(Watched {
        inspected,
        reached_deadline,
        lost_engine,
        killed_from_outside,
        over_time_seconds,
    }))
}

fn start_log(attempt: &Attempt<'_>, folder: &Path) -> JoinSet<Result<(), Error>> {
    let mut logging = JoinSet::new();
    logging.spawn(write_log(attempt, folder));
    logging
}

fn write_log(
    attempt: &Attempt<'_>,
    folder: &Path,
) -> impl Future<Output = Result<(), Error>> + use<> {
    let context = attempt.context;
    container_output::write_log(
        attempt.host.engine.clone(),
        attempt.name(),
        folder.join("agent.log"),
        Redactor::new(&context.environment.values),
        context.group.definition.configuration.output.log.0,
    )
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
async fn end(attempt: &Attempt<'_>, grace: Duration) -> Result<(), Error> {
    kill(attempt, "SIGTERM").await?;
    let deadline = tokio::time::Instant::now() + grace;
    while tokio::time::Instant::now() < deadline {
        if !is_running(&inspect_patiently(attempt).await?) {
            return Ok(());
        }
        tokio::time::sleep(TICK).await;
    }
    kill(attempt, "SIGKILL").await?;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while is_running(&inspect_patiently(attempt).await?) && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(TICK).await;
    }
    Ok(())
}

/// Sends a signal; an engine that does not answer is waited for.
async fn kill(attempt: &Attempt<'_>, signal: &str) -> Result<(), Error> {
    let (engine, name) = (&attempt.host.engine, attempt.name());
    loop {
        let options = KillContainerOptionsBuilder::default().signal(signal).build();
        let killed = engine.docker().kill_container(&name, Some(options)).await;
        match killed.map_err(Error::engine(format!("end the container `{name}`"))) {
            // It ended by itself.
            Err(Error::Engine { source, .. }) if matches!(status_of(&source), Some(404 | 409)) => {
                return Ok(());
            }
            Err(error) if is_of_connection(&error) => wait_for_engine(attempt, error).await?,
            other => return other,
        }
    }
}

/// What the engine says of the container; an engine that does not answer is waited for.
async fn inspect_patiently(attempt: &Attempt<'_>) -> Result<ContainerInspectResponse, Error> {
    let (engine, name) = (&attempt.host.engine, attempt.name());
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        match engine.inspect(&name).await {
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
            Err(error) if is_of_connection(&error) => wait_for_engine(attempt, error).await?,
            Err(error) if tokio::time::Instant::now() >= deadline => return Err(error),
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Waits a moment for an engine that was not reached: for as long as the host counts as one that is there, and nobody
/// stops what runs.
async fn wait_for_engine(attempt: &Attempt<'_>, error: Error) -> Result<(), Error> {
    tokio::time::sleep(PAUSE).await;
    match attempt.context.stop.is_now() {
        true => Err(error),
        false => Ok(()),
    }
}

fn is_running(inspected: &ContainerInspectResponse) -> bool {
    inspected.state.as_ref().and_then(|state| state.running).unwrap_or_default()
}

fn started_at(inspected: &ContainerInspectResponse) -> Timestamp {
    inspected.state.as_ref().and_then(super::started_at).unwrap_or_else(Timestamp::now)
}

fn left_until(started: Timestamp, limit: Duration) -> Duration {
    let passed = Timestamp::now().duration_since(started);
    limit.saturating_sub(Duration::try_from(passed).unwrap_or_default())
}

/// For how many seconds a container went on beyond its time limit, where that is more than anybody gave it.
fn over_time(
    started: Timestamp,
    finished: Timestamp,
    limit: Duration,
    grace: Duration,
) -> Option<u64> {
    let lasted = Duration::try_from(finished.duration_since(started)).unwrap_or_default();
    let over = lasted.saturating_sub(limit);
    (over > grace + TOLERANCE).then_some(over.as_secs())
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

#[cfg(test)]
mod tests {
    use bollard::models::ContainerState;

    use super::*;

    #[test]
    fn who_ended_a_run_decides_how_it_ended() {
        let ended = |code: i64, oom: bool| Watched {
            inspected: ContainerInspectResponse {
                state: Some(ContainerState {
                    exit_code: Some(code),
                    oom_killed: Some(oom),
                    ..ContainerState::default()
                }),
                ..ContainerInspectResponse::default()
            },
            reached_deadline: false,
            lost_engine: false,
            killed_from_outside: false,
            over_time_seconds: None,
        };
        let killed = Watched { killed_from_outside: true, ..ended(137, false) };
        let over = Watched { over_time_seconds: Some(99), ..ended(0, false) };
        let late = Watched { reached_deadline: true, ..ended(137, false) };
        for (watched, has_started, takes_over, expected) in [
            (ended(0, false), true, false, Ending::Completed),
            (ended(3, false), true, true, Ending::AgentFailed),
            (ended(137, true), true, true, Ending::OutOfMemory),
            // An agent can end itself so while the runner watches, and then it is its own failure.
            (ended(137, false), true, false, Ending::AgentFailed),
            (ended(137, false), true, true, Ending::Infrastructure),
            (killed, true, false, Ending::Infrastructure),
            (late, true, true, Ending::TimedOut),
            (over, true, true, Ending::TimedOut),
            (ended(125, false), true, true, Ending::Infrastructure),
            (ended(0, false), false, false, Ending::Infrastructure),
        ] {
            let (ending, _) = watched.ending(has_started, takes_over, Path::new("/nowhere"));
            assert_eq!(ending, expected, "{:?}", watched.inspected.state);
        }
    }

    #[test]
    fn what_nobody_gave_is_over_time() {
        let started: Timestamp = "2026-01-02T03:00:00Z".parse().unwrap();
        let (limit, grace) = (Duration::from_secs(60), Duration::from_secs(30));
        for (finished, expected) in [
            ("2026-01-02T03:00:59Z", None),
            ("2026-01-02T03:01:31Z", None),
            ("2026-01-02T03:01:36.5Z", Some(36)),
            ("2026-01-02T09:01:00Z", Some(6 * 60 * 60)),
            // A clock that was put back.
            ("2026-01-02T02:00:00Z", None),
        ] {
            let finished = finished.parse().unwrap();
            assert_eq!(over_time(started, finished, limit, grace), expected, "{finished}");
        }
    }
}
