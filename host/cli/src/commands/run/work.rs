//! Works on a run group to its end, then grades: what `start` and `resume` share.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use podium::{Cancellation, GradingContext, LimitOverrides};
use podium_runner::{Ending, GroupDefinition, RunGroup, Scheduler, StopRequest, Summary};
use serde_json::json;

use super::{block_on, places, show};
use crate::arguments::Shared;
use crate::commands::grade;
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::places::Places;
use crate::shell_word::shell_path;
use crate::{engine, graders, interrupt, number, output};

/// Checks what can be checked before a group's folder is made.
///
/// # Errors
/// What an engine lacks; programs that are not built.
pub(super) fn prepare(definition: &GroupDefinition) -> Result<(), Failure> {
    places::programs().forwarder()?;
    definition.agent.check_with(&definition.configuration, &definition.agent_folder)?;
    block_on(async { Ok(definition.hosts.check(&definition.configuration).await?) })
}

/// Works on the group, then grades it. One that is new is taken back where something is missing before it has begun.
///
/// # Errors
/// What is missing, and what the engine and the disk refuse.
pub(super) fn on(
    group: RunGroup,
    shared: &Shared,
    found: &Places,
    grades: bool,
    is_new: bool,
) -> Result<Exit, Failure> {
    let folder = group.folder.clone();
    let stop = StopRequest::default();
    let cancellation = Cancellation::new();
    listen(stop.clone(), cancellation.clone())?;
    let grading = Arc::new(
        GradingContext::new(engine::start(shared)?, &found.data, LimitOverrides::default())
            .with_graders(graders::find(shared)?),
    );
    let observer = Arc::new(show::Show::of(&group, shared.json));
    let catalog = found.catalog();
    let asked = stop.clone();
    let summary = block_on(async {
        let variable = |name: &str| std::env::var(name).ok();
        let programs = places::programs();
        let scheduler =
            Scheduler::new(group, &programs, &catalog, grading, variable, asked, observer).await;
        let scheduler = match scheduler {
            Ok(scheduler) => scheduler,
            Err(error) => {
                if is_new {
                    // The same command is given again once what is missing is there.
                    RunGroup::take_back(&folder);
                }
                return Err(error.into());
            }
        };
        scheduler.warnings().iter().for_each(|warning| output::warning_line(warning));
        scheduler.run().await.map_err(|error| ended_early(error, &folder))
    })?;
    output::error_line(&format!("the run group lies in {}", folder.display()));
    let failure = failure(&summary, &folder);
    // What was stopped is graded once it is whole.
    if !grades || summary.waiting > 0 || summary.endings.is_empty() {
        if shared.json {
            let result = json!({
                "folder": folder,
                "endings": endings(&summary),
                "waiting": summary.waiting,
            });
            output::print_json(&WithError::new(&result, failure.as_ref()))?;
        } else {
            output::print(&in_words(&summary))?;
        }
        return Ok(grade::conclude(None, failure.as_ref()));
    }
    let list = folder.join(podium_runner::group::SUBMISSIONS);
    let graded = grade::grade(&grade::Arguments::of(list, folder.clone()), shared, cancellation)?;
    let failure = failure.or(graded.failure.map(|failure| of_grading(failure, &folder)));
    if shared.json {
        let result = json!({
            "folder": folder,
            "endings": endings(&summary),
            "waiting": summary.waiting,
            "report": graded.group,
        });
        output::print_json(&WithError::new(&result, failure.as_ref()))?;
    } else {
        output::print(&format!("{}\n\n{}", in_words(&summary), grade::in_words(&graded.group)))?;
    }
    Ok(grade::conclude(graded.path.as_deref(), failure.as_ref()))
}

fn listen(stop: StopRequest, cancellation: Cancellation) -> Result<(), Failure> {
    interrupt::listen(move |count| match count {
        1 => {
            stop.drain();
            cancellation.cancel();
            output::error_line("nothing new is started; press Ctrl-C again to stop what runs");
        }
        2 => {
            stop.now();
            output::error_line("stopping what runs; press Ctrl-C again to leave it as it is");
        }
        _ => interrupt::exit(),
    })
}

/// What grading at the end came to. `run start` cannot be given again to grade what was not: the group is there.
fn of_grading(failure: Failure, folder: &Path) -> Failure {
    match failure.exit() {
        Exit::Interrupted => Failure::new(Exit::Interrupted, failure.to_string()).hint(format!(
            "the runs are over; `podium run resume {}` grades them",
            shell_path(folder)
        )),
        _ => failure,
    }
}

/// A runner that had to end. Where its disk is full, nothing of what agents have made is lost.
fn ended_early(error: podium_runner::Error, folder: &Path) -> Failure {
    use podium_runner::Error as Runner;
    let source = match &error {
        Runner::File { source, .. } | Runner::Podium(podium::Error::Write { source, .. }) => source,
        _ => return error.into(),
    };
    let is_full = matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
    let failure = Failure::from(error);
    match is_full {
        true => failure.hint(format!(
            "what the agent has made waits in its container: make room, then `podium run resume {}` copies it out",
            shell_path(folder)
        )),
        false => failure,
    }
}

fn endings(summary: &Summary) -> serde_json::Map<String, serde_json::Value> {
    summary.endings.iter().map(|(ending, count)| (ending.name().to_owned(), json!(count))).collect()
}

fn in_words(summary: &Summary) -> String {
    let mut parts: Vec<String> = summary
        .endings
        .iter()
        .map(|(ending, count)| format!("{count} {}", ending.name()))
        .collect();
    if summary.waiting > 0 {
        parts.push(format!("{} still to be done", summary.waiting));
    }
    format!("runs: {}", parts.join(", "))
}

fn failure(summary: &Summary, folder: &Path) -> Option<Failure> {
    if summary.waiting > 0 {
        let waiting = number::counted(summary.waiting, "run");
        return Some(
            Failure::new(Exit::Interrupted, format!("stopped; {waiting} still to be done"))
                .hint(format!("`podium run resume {}` goes on", shell_path(folder))),
        );
    }
    if let Some(failed) = summary.endings.get(&Ending::Definition) {
        let failed = number::counted(*failed, "run");
        let message = format!("{failed} could not be started as the agent's definition says");
        return Some(
            Failure::new(Exit::RunFailed, message).hint(format!(
                "`podium run status {}` says why, and what to do",
                shell_path(folder)
            )),
        );
    }
    let failed = summary.endings.get(&Ending::Infrastructure)?;
    let failed = number::counted(*failed, "run");
    Some(
        Failure::new(
            Exit::RunFailed,
            format!("{failed} came to nothing for reasons other than the agent"),
        )
        .hint(format!("`podium run status {}` says which, and why", shell_path(folder))),
    )
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn whoever_stops_or_fails_is_told_how_to_go_on() {
        let full = || io::Error::from(ErrorKind::StorageFull);
        let file = |source| podium_runner::Error::File { path: "a/b".into(), source };
        let written = |source| podium::Error::Write { path: "a/b".into(), source }.into();
        let stopped = Failure::new(Exit::Interrupted, "stopped").hint("run the command again");
        for (failure, part) in [
            (of_grading(stopped, Path::new("runs/g")), "`podium run resume runs/g` grades them"),
            (
                ended_early(file(full()), Path::new("runs/g")),
                "`podium run resume runs/g` copies it out",
            ),
            (ended_early(written(full()), Path::new("runs/g")), "waits in its container"),
        ] {
            let [hint] = failure.hints() else { panic!("{:?}", failure.hints()) };
            assert!(hint.contains(part), "{hint}");
        }
        let missing = ended_early(file(ErrorKind::NotFound.into()), Path::new("runs/g"));
        assert!(!missing.hints().iter().any(|hint| hint.contains("container")));
    }
}
