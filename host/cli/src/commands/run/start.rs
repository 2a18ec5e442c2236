//! `podium run start`: makes a run group and works on it.

use std::path::{Path, PathBuf};

use podium::Digest;
use podium_runner::{Agent, GroupDefinition, Hosts, RunConfiguration, RunGroup, RunPlan};

use super::{places, work};
use crate::arguments::Shared;
use crate::commands::list::Split;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;

/// What `podium run start` is told.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// The agent: its id, or its folder; behind a slash one of its variants, as in aide/dev
    #[arg(long, value_name = "AGENT")]
    agent: String,
    /// Folder that holds agents; may be repeated [default: beside the program]
    #[arg(long, env = "PODIUM_AGENTS", value_name = "DIR", hide_env_values = true)]
    agents: Vec<PathBuf>,
    /// A competition; may be repeated
    #[arg(long, value_name = "ID", required_unless_present_any = ["competition_set", "split"])]
    competition: Vec<String>,
    /// A file with the id of a competition on each line
    #[arg(long, value_name = "FILE")]
    competition_set: Option<PathBuf>,
    /// All competitions of a split
    #[arg(long, value_enum)]
    split: Option<Split>,
    /// Runs of each competition
    #[arg(long, visible_alias = "n-seeds", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Runs at once, on all hosts together [default: 1; with --hosts as many as the hosts hold]
    #[arg(long, visible_alias = "n-workers", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    workers: Option<u32>,
    /// The machines whose engines run agents: TOML [default: the engine that DOCKER_HOST names, else the local one]
    #[arg(long, env = "PODIUM_HOSTS", value_name = "FILE", hide_env_values = true)]
    hosts: Option<PathBuf>,
    /// What a run may use: TOML or JSON, or a container configuration of MLE-bench
    #[arg(long, visible_alias = "container-config", value_name = "FILE")]
    configuration: Option<PathBuf>,
    /// The folder that the run group's folder is made in
    #[arg(long, value_name = "DIR", default_value = "runs")]
    output_dir: PathBuf,
    /// The name of the run group's folder [default: the time and the agent]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Run agents that want a privileged container, from which they can take over this machine
    #[arg(long)]
    allow_privileged: bool,
    /// Do not grade at the end
    #[arg(long)]
    no_grade: bool,
}

const AFTER: &str = "\
Ctrl-C once starts nothing new and lets what runs come to its end; twice stops what runs. Either way, and after a kill,
`podium run resume` goes on.";

/// Makes the group, works on it, grades.
///
/// # Errors
/// What is not understood or missing, before anything is started; then what the engine and the disk refuse.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let found = Places::find(shared)?;
    let (agent_folder, variant) = places::agent(&arguments.agent, &arguments.agents)?;
    let mut agent = Agent::load(&agent_folder)?;
    if let Some(variant) = variant {
        agent = agent.with_variant(&variant)?;
    }
    let agent_folder = std::fs::canonicalize(&agent_folder).unwrap_or(agent_folder);
    let configuration = match &arguments.configuration {
        Some(path) => RunConfiguration::load(path)?,
        None => RunConfiguration::default(),
    };
    let competitions = competitions(arguments, &found)?;
    let created_at = podium_runner::event::now();
    let name = match &arguments.name {
        Some(name) => folder_name(name)?,
        None => {
            let agent = agent.full_id().replace('/', "-");
            format!("{}_run-group_{agent}", created_at.replace(':', "-").replace('Z', "-UTC"))
        }
    };
    // Names containers, so it differs from group to group, whatever the folders are called.
    let token = format!(
        "{created_at} {} {}",
        std::process::id(),
        arguments.output_dir.join(&name).display()
    );
    let token = Digest::of(token.as_bytes()).to_string()[..8].to_owned();
    let runs = (0..arguments.seeds)
        .flat_map(|seed| competitions.iter().map(move |competition| (competition, seed)))
        .map(|(competition, seed)| RunPlan {
            id: format!("{competition}_{seed}-{token}"),
            competition_id: competition.clone(),
            seed,
        })
        .collect();
    let (hosts, workers) = hosts(arguments)?;
    let definition = GroupDefinition {
        podium: podium::VERSION.to_owned(),
        created_at,
        workers,
        allow_privileged: arguments.allow_privileged,
        agent_folder,
        configuration,
        agent,
        hosts,
        runs,
    };
    work::prepare(&definition)?;
    let group = RunGroup::create(&arguments.output_dir.join(name), definition)?;
    work::on(group, shared, &found, !arguments.no_grade, true)
}

/// The largest file of a set of competitions.
const MOST_BYTES_OF_A_SET: u64 = 4 << 20;

/// The hosts, and how many runs go on at once on all of them.
fn hosts(arguments: &Arguments) -> Result<(Hosts, Option<usize>), Failure> {
    let workers = arguments.workers.map(|workers| workers as usize);
    if let Some(path) = &arguments.hosts {
        return Ok((Hosts::load(path)?, workers));
    }
    let mut hosts = places::hosts()?;
    let workers = workers.unwrap_or(1);
    hosts.hosts.iter_mut().for_each(|host| host.workers = Some(workers));
    Ok((hosts, Some(workers)))
}

/// The competitions that were named, each once.
fn competitions(arguments: &Arguments, found: &Places) -> Result<Vec<String>, Failure> {
    let mut ids = arguments.competition.clone();
    if let Some(path) = &arguments.competition_set {
        let bytes = podium::read_file(path, MOST_BYTES_OF_A_SET)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let message = format!("{}: this is not UTF-8 text; save it as UTF-8", path.display());
            Failure::new(Exit::Usage, message)
        })?;
        ids.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
    }
    let catalog = found.catalog();
    if let Some(split) = arguments.split {
        let all = catalog.list().competitions;
        let in_split =
            all.iter().filter(|competition| split.holds(competition.definition.complexity));
        ids.extend(in_split.map(|competition| competition.id().to_owned()));
    }
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    for id in &ids {
        catalog.get(id)?;
    }
    match ids.is_empty() {
        true => Err(Failure::new(Exit::Usage, "there is no competition to run")),
        false => Ok(ids),
    }
}

fn folder_name(name: &str) -> Result<String, Failure> {
    let is_one = Path::new(name).components().count() == 1
        && Path::new(name).file_name().is_some_and(|only| only == name)
        && !name.chars().any(char::is_control);
    match is_one {
        true => Ok(name.to_owned()),
        false => {
            let name = name.escape_debug();
            Err(Failure::new(Exit::Usage, format!("--name: `{name}` is no name of a folder")))
        }
    }
}
