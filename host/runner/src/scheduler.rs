//! The runs of a group over several workers, from the journal as it stands to its end.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use podium::{Catalog, GradingContext};

use crate::devices::{DevicePool, Lease};
use crate::disk;
use crate::engine::Engine;
use crate::error::Error;
use crate::event::{Ending, Event, EventKind, RunRecord};
use crate::group::{RunGroup, RunPlan, StopRequest};
use crate::image::{self, Programs};
use crate::journal::RunState;
use crate::one_run::{self, Attempt, Attempted, Context, Prepared};
use crate::secrets;

/// Is told what happens.
pub trait Observer: Send + Sync {
    /// Something happened; it is in the journal already.
    fn event(&self, event: &Event);
}

/// Runs a group.
pub struct Scheduler {
    context: Context,
}

/// What a runner leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Finished runs, by how they ended.
    pub endings: BTreeMap<Ending, usize>,
    /// Runs that are still to be done.
    pub waiting: usize,
}

impl Scheduler {
    /// Looks for all that the group needs: competitions with their data, secrets, the engine's abilities, the image.
    ///
    /// # Errors
    /// What is missing, before anything is started.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is something else that a caller has, and none has a default"
    )]
    pub async fn new(
        engine: Engine,
        group: RunGroup,
        programs: &Programs,
        catalog: &Catalog,
        grading: Arc<GradingContext>,
        secret: impl Fn(&str) -> Option<String>,
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
        engine.check(&definition.configuration)?;
        let environment = secrets::resolve(&definition.agent.environment, secret)?;
        let mut competitions = BTreeMap::new();
        for run in &definition.runs {
            if !competitions.contains_key(&run.competition_id) {
                competitions.insert(
                    run.competition_id.clone(),
                    prepared(catalog, &grading, &run.competition_id)?,
                );
            }
        }
        let forwarder = programs.forwarder()?;
        let image =
            image::find_or_build(&engine, &definition.agent, &definition.agent_folder, programs)
                .await?;
        disk::check(&engine, &group, &image).await?;
        Ok(Scheduler {
            context: Context {
                engine,
                group,
                image,
                forwarder,
                competitions,
                grading,
                environment,
                stop,
                observer,
            },
        })
    }

    /// Works until every run is over, or somebody stops it.
    ///
    /// # Errors
    /// A journal or folder that cannot be written. The group can be gone on with.
    pub async fn run(&self) -> Result<Summary, Error> {
        let context = &self.context;
        let group = &context.group;
        let states = RunGroup::states(&group.folder)?;
        let started = EventKind::RunnerStarted {
            podium: podium::VERSION.to_owned(),
            process: std::process::id(),
        };
        context.emit(None, started)?;
        let devices = DevicePool::new(&group.definition.configuration.gpu_devices);
        let mut queue = VecDeque::new();
        for plan in &group.definition.runs {
            match states.get(&plan.id) {
                Some(RunState::Finished(_)) => {}
                // What has a container goes first, with the devices that it has.
                Some(state @ RunState::Running { devices: held, .. }) => {
                    queue.push_front((plan, state.clone(), Some(devices.take(held))));
                }
                Some(state) => queue.push_back((plan, state.clone(), None)),
                None => queue.push_back((plan, RunState::Waiting { attempts: 0 }, None)),
            }
        }
        let queue = Mutex::new(queue);
        let workers = join_all((0..group.definition.workers.max(1)).map(|_| async {
            while !context.stop.is_draining() {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((plan, state, lease)) = next else { break };
                self.finish(plan, state, lease, &devices).await?;
            }
            Ok::<(), Error>(())
        }));
        let watch = async {
            let mut draining = false;
            loop {
                group.look_for_request(&context.stop);
                if context.stop.is_draining() && !draining {
                    draining = true;
                    // The request is kept in any case; only the line in the journal is lost.
                    let _ = context.emit(None, EventKind::Draining);
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        };
        let worked = match select(Box::pin(workers), Box::pin(watch)).await {
            Either::Left((worked, _)) => worked,
            Either::Right((never, _)) => never,
        };
        let states = RunGroup::states(&group.folder)?;
        group.write_results(&states)?;
        worked.into_iter().collect::<Result<(), Error>>()?;
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

    /// The folder of the group.
    pub fn folder(&self) -> PathBuf {
        self.context.group.folder.clone()
    }

    /// Takes one run to its end, over as many attempts as it may have.
    async fn finish(
        &self,
        plan: &RunPlan,
        state: RunState,
        mut lease: Option<Lease>,
        pool: &DevicePool,
    ) -> Result<(), Error> {
        let context = &self.context;
        let definition = &context.group.definition;
        let run = Some(plan.id.as_str());
        let mut failures = 0;
        let (mut number, mut takes_over) = match state {
            RunState::Running { attempt, container, .. } => {
                match self.can_take_over(&container).await? {
                    true => (attempt, true),
                    false => {
                        context.engine.remove_container(&container).await?;
                        context.engine.remove_network(&container).await?;
                        (attempt + 1, false)
                    }
                }
            }
            RunState::Waiting { attempts } => (attempts + 1, false),
            RunState::Finished(_) => return Ok(()),
        };
        loop {
            let devices = match lease.take() {
                Some(lease) => lease,
                None if definition.configuration.gpu_devices.is_empty() => pool.lend(0).await,
                None => {
                    pool.lend(usize::try_from(definition.configuration.gpus).unwrap_or_default())
                        .await
                }
            };
            if takes_over {
                context.emit(run, EventKind::Reattached { attempt: number })?;
            } else {
                let container = one_run::container_name(&plan.id, number);
                let devices = devices.devices.clone();
                context.emit(run, EventKind::Starting { attempt: number, container, devices })?;
            }
            let attempt = Attempt { context, plan, number, devices: &devices.devices, takes_over };
            let (record, is_final) = match attempt.run().await {
                Ok(Attempted::Interrupted) => return context.emit(run, EventKind::Interrupted),
                Ok(Attempted::Over(record)) => (record, false),
                // The disk is the runner's own trouble: nothing is known of the run.
                Err(error @ (Error::File { .. } | Error::Group { .. })) => return Err(error),
                Err(error) => {
                    let is_final = is_final(&error);
                    let record = one_run::never_run(
                        plan,
                        &definition.agent.full_id(),
                        number,
                        error.to_string(),
                    );
                    (Box::new(record), is_final)
                }
            };
            let may_retry = record.ending == Ending::Infrastructure && !is_final;
            if !may_retry || failures >= definition.configuration.retries {
                return self.conclude(plan, record);
            }
            failures += 1;
            let reason = record.message.unwrap_or_default();
            context.emit(run, EventKind::Retrying { attempt: number, reason })?;
            if context.stop.is_draining() {
                return Ok(());
            }
            drop(devices);
            tokio::time::sleep(Duration::from_secs(1 << failures.min(6))).await;
            (number, takes_over) = (number + 1, false);
        }
    }

    fn conclude(&self, plan: &RunPlan, record: Box<RunRecord>) -> Result<(), Error> {
        let folder = self.context.group.folder.join(&plan.id);
        std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        podium::write_over(&folder.join("run.json"), podium::to_json(&record).as_bytes())?;
        self.context.emit(Some(&plan.id), EventKind::Finished { record })
    }

    /// Whether there is a container that was started: running still, or ended meanwhile.
    async fn can_take_over(&self, container: &str) -> Result<bool, Error> {
        let inspected = self.context.engine.inspect(container).await?;
        let status = inspected.and_then(|found| found.state).and_then(|state| state.status);
        Ok(status.is_some_and(|status| status.to_string() != "created"))
    }
}

/// Whether the engine would refuse the same again.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Engine { source, what } => {
            let status = crate::engine::status_of(source);
            what.starts_with("make the container") && matches!(status, Some(400 | 404))
        }
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
