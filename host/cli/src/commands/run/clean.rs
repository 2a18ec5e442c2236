//! `podium run clean`: removes what runners have left behind in engines.

use std::path::{Path, PathBuf};

use podium_runner::hosts::HostDefinition;
use podium_runner::{Engine, Hosts, RunGroup, Stray};
use serde_json::json;

use super::{block_on, places};
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::output;

/// What `podium run clean` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A run group, whose hosts are cleaned [default: the engine that DOCKER_HOST names, else the local one]
    group: Option<PathBuf>,
    /// The hosts to clean [default: PODIUM_HOSTS]
    #[arg(long, value_name = "FILE", conflicts_with = "group")]
    hosts: Option<PathBuf>,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    /// Remove uploaded public data as well
    #[arg(long)]
    data: bool,
    /// Remove what runners of other machines have left, too; nobody can say here whether they still work
    #[arg(long)]
    all_machines: bool,
}

/// Something that was left behind.
struct Left {
    host: String,
    kind: &'static str,
    name: String,
    state: String,
    run: String,
    folder: String,
    removed: bool,
}

/// Removes containers and networks of groups that no runner works on.
///
/// # Errors
/// An engine that does not answer, or refuses; the others are cleaned all the same.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let hosts = match (&arguments.group, &arguments.hosts) {
        (Some(group), _) => RunGroup::read_definition(group)?.hosts,
        (None, Some(path)) => Hosts::load(path)?,
        // What the variable names are not the hosts of a group, which has its own.
        (None, None) => match places::hosts_file() {
            Some(path) => Hosts::load(&path)?,
            None => places::hosts()?,
        },
    };
    let mut list = Vec::new();
    let mut failure = None;
    block_on(async {
        for host in &hosts.hosts {
            if let Err(failed) = clean(host, arguments, &mut list).await {
                failure = Some(failed);
            }
        }
        Ok(())
    })?;
    if shared.json {
        let list: Vec<serde_json::Value> = list
            .iter()
            .map(|left| {
                json!({
                    "kind": left.kind,
                    "host": left.host,
                    "name": left.name,
                    "state": left.state,
                    "run": left.run,
                    "folder": left.folder,
                    "removed": left.removed,
                })
            })
            .collect();
        match &failure {
            None => output::print_json(&list)?,
            Some(_) => {
                let result = json!({ "left": list });
                output::print_json(&WithError::new(&result, failure.as_ref()))?;
            }
        }
    } else {
        if list.is_empty() && failure.is_none() {
            output::print("nothing is left behind")?;
        }
        for left in &list {
            let done = match (arguments.dry_run, left.removed) {
                (true, _) => "would be removed",
                (false, true) => "removed",
                (false, false) => "in use",
            };
            let of = match left.folder.is_empty() {
                true => format!("on {}", left.host),
                false => format!("of {} on {}", left.folder, left.host),
            };
            let text = format!("{} {} {of}: {done}", left.kind, left.name);
            output::print(&output::harmless(&text))?;
        }
    }
    match failure {
        None => Ok(Exit::Success),
        Some(failure) if shared.json => Ok(failure.exit()),
        Some(failure) => Err(failure),
    }
}

async fn clean(
    host: &HostDefinition,
    arguments: &Arguments,
    list: &mut Vec<Left>,
) -> Result<(), Failure> {
    let engine = Engine::of(host)?;
    engine.facts().await?;
    for stray in engine.strays(None).await? {
        if RunGroup::is_worked_on(Path::new(&stray.folder))
            || !(arguments.all_machines || stray.is_of_this_machine())
        {
            continue;
        }
        if !arguments.dry_run {
            engine.remove(&stray).await?;
        }
        list.push(Left {
            host: host.name.clone(),
            kind: kind(&stray),
            name: stray.name,
            state: stray.state,
            run: stray.run,
            folder: stray.folder,
            removed: !arguments.dry_run,
        });
    }
    if !arguments.data {
        return Ok(());
    }
    for name in engine.data_volumes().await? {
        let removed = !arguments.dry_run && engine.remove_data_volume(&name).await?;
        list.push(Left {
            host: host.name.clone(),
            kind: "volume",
            name,
            state: String::new(),
            run: String::new(),
            folder: String::new(),
            removed,
        });
    }
    Ok(())
}

fn kind(stray: &Stray) -> &'static str {
    if stray.is_network { "network" } else { "container" }
}
