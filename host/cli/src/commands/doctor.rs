//! `podium doctor`: whether this machine is ready to grade and to run agents, and what to do where it is not.
//!
//! Relies on nothing but what an installed Podium has: no compiler, no network.

mod engines;
mod store_and_policy;
mod toolkit;

use std::path::PathBuf;
use std::time::Instant;

use owo_colors::OwoColorize;
use podium::{
    Catalog, ComponentLimits, Engine, Error, Grader, GraderOrigin, GraderSource, Graders,
    Inspection, Listing, TrustedGrader,
};
use serde::Serialize;

use self::store_and_policy::StoreAndPolicy;
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::progress::Progress;
use crate::{engine, number, output};

/// What `podium doctor` is told.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// Leave out Docker and GPUs, which only running agents needs
    #[arg(long)]
    grading_only: bool,
    /// The machines whose engines are looked at, as `run start` takes them [default: the engine that the `docker` program
    /// would ask]
    #[cfg(unix)]
    #[arg(long, env = "PODIUM_HOSTS", value_name = "FILE", hide_env_values = true)]
    hosts: Option<PathBuf>,
}

const AFTER: &str = "\
Ends with 0 where all is well, and where there are warnings alone: something that grading does without. Ends with 3 where
there is a problem: nothing can be graded, or a machine that --hosts or PODIUM_HOSTS names cannot run agents. A hosts file
that is not understood ends it with 2.";

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Ok,
    /// Grading works, something else does not.
    Warning,
    /// Grading does not work.
    Problem,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Check {
        Check { name, state: State::Ok, found: found.into(), advice: None }
    }

    fn warning(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { name, state: State::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    fn problem(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { name, state: State::Problem, found: found.into(), advice: Some(advice.into()) }
    }
}

/// Looks at everything and prints what was found.
///
/// # Errors
/// A stdout that cannot be written to; folders on the command line that are none; a hosts file that is not understood.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let of_engines = engines(arguments)?;
    let places = Places::find(shared)?;
    let catalog = places.catalog();
    let listing = catalog.list();
    let engine = engine::start(shared);
    let StoreAndPolicy { store, trust, choice } = store_and_policy::look(shared, &listing);
    let mut checks = vec![competitions(&catalog, &listing)];
    match &choice {
        Some(choice) => checks.extend([
            graders(&catalog, &listing, choice),
            loading(engine.as_ref(), &listing, choice),
            descriptions(engine.as_ref(), &places, &listing, choice),
        ]),
        // Without either it is not known which graders are meant, and which may be run.
        None => checks.extend(["graders", "engine", "descriptions"].map(|name| {
            Check::warning(name, "not tried", "see the lines of the store and of the policy")
        })),
    }
    checks.extend([data(&places, &listing), cache(engine.as_ref()), store, trust]);
    if !arguments.grading_only {
        checks.extend(of_engines);
        checks.push(toolkit::look());
    }
    if shared.json {
        output::print_json(&checks)?;
    } else {
        for check in &checks {
            output::print(&in_words(check))?;
        }
    }
    let worst = checks.iter().map(|check| check.state).max();
    Ok(if worst == Some(State::Problem) { Exit::Missing } else { Exit::Success })
}

/// The lines of Docker engines: of the hosts that were named, else of the one that the `docker` program would ask.
fn engines(arguments: &Arguments) -> Result<Vec<Check>, Failure> {
    if arguments.grading_only {
        return Ok(Vec::new());
    }
    #[cfg(unix)]
    if let Some(path) = arguments.hosts.as_ref().filter(|path| !path.as_os_str().is_empty()) {
        return Ok(engines::look_at(&podium_runner::Hosts::load(path)?));
    }
    Ok(engines::look())
}

fn in_words(check: &Check) -> String {
    let state = match check.state {
        State::Ok => "ok     ".green().to_string(),
        State::Warning => "warning".yellow().to_string(),
        State::Problem => "problem".red().to_string(),
    };
    let mut text = format!("{state}  {:<13}{}", check.name, output::harmless(&check.found));
    if let Some(advice) = &check.advice {
        text.push_str(&format!("\n{:22}{} {advice}", "", "do:".cyan()));
    }
    text
}

fn competitions(catalog: &Catalog, listing: &Listing) -> Check {
    let folders = paths(catalog.competition_folders());
    match (listing.competitions.len(), listing.problems.first()) {
        (0, None) => Check::problem(
            "competitions",
            if folders.is_empty() {
                "no folder of competitions".to_owned()
            } else {
                format!("none in {folders}")
            },
            "name a folder that holds competition folders with --competitions or PODIUM_COMPETITIONS",
        ),
        (count, None) => Check::ok("competitions", format!("{count} in {folders}")),
        (count, Some(problem)) => Check::problem(
            "competitions",
            format!("{count} in {folders}, {} broken: {problem}", listing.problems.len()),
            "put the file right; `podium list` names every broken one",
        ),
    }
}

fn graders(catalog: &Catalog, listing: &Listing, choice: &Graders) -> Check {
    let advice = "build them with `cargo xtask graders` in a checkout, or name their folder with --graders or PODIUM_GRADERS";
    let mut there = 0_usize;
    let mut refused = Vec::new();
    let mut missing = Vec::new();
    for competition in &listing.competitions {
        match choice.choose(competition) {
            Err(Error::NoGrader { .. }) => missing.push(competition.id()),
            Err(error) => refused.push(error.to_string()),
            Ok(chosen) => match inspect(&chosen.source, choice, competition.id()) {
                Ok(inspection) if inspection.problems.is_empty() => there += 1,
                Ok(inspection) => {
                    let path = choice.path_of(&chosen.source);
                    refused.push(format!("{}: {}", path.display(), inspection.problems[0]))
                }
                Err(error) => refused.push(error.to_string()),
            },
        }
    }
    if let Some(first) = refused.first() {
        return Check::problem(
            "graders",
            format!("{} cannot be used: {first}", number::counted(refused.len(), "grader")),
            "build it again, remove it, or put the pin or the trust policy right; `podium inspect` says more of a component",
        );
    }
    let folders = paths(catalog.grader_folders());
    let found = format!("{there} of {} competitions have one", listing.competitions.len());
    match missing.as_slice() {
        [] if there > 0 => Check::ok("graders", format!("{found}, in {folders}")),
        [] => Check::problem("graders", "none", advice),
        _ if there == 0 => {
            Check::problem("graders", format!("{found}; searched: {folders}"), advice)
        }
        [first, ..] => Check::warning("graders", format!("{found}; none for {first} …"), advice),
    }
}

/// Looks into a component, if it may grade the competition.
fn inspect(
    source: &GraderSource,
    choice: &Graders,
    competition: &str,
) -> Result<Inspection, Error> {
    let component = choice.read(source, &ComponentLimits::default())?;
    choice.judge(competition, &component)?;
    podium::inspect(&component.bytes).map_err(|error| match error {
        Error::Grader { problem, .. } => {
            Error::Grader { grader: component.path.display().to_string(), problem }
        }
        other => other,
    })
}

/// Whether graders say of themselves what the competitions' definitions say. Asked are those that would be used here:
/// of competitions that bring their own, and of competitions whose data are prepared.
fn descriptions(
    engine: Result<&Engine, &Failure>,
    places: &Places,
    listing: &Listing,
    choice: &Graders,
) -> Check {
    let name = "descriptions";
    let Ok(engine) = engine else {
        return Check::warning(name, "not tried: there is no engine", "see the line of the engine");
    };
    let mut asked = 0_usize;
    let mut wrong = Vec::new();
    let mut remarks = Vec::new();
    // The first time, each of them has to be compiled.
    let progress = Progress::of(listing.competitions.len(), "graders asked");
    for competition in &listing.competitions {
        progress.say(competition.id());
        progress.step();
        let Ok(chosen) = choice.choose(competition) else { continue };
        if chosen.origin == GraderOrigin::Folder
            && !competition.missing_answers_in(&places.data).is_empty()
        {
            continue;
        }
        let path = choice.path_of(&chosen.source);
        let grader = match choice.load(engine, competition.id(), &chosen.source) {
            Ok(TrustedGrader { grader, .. }) => grader,
            Err(error) => {
                // What can be told without running it is in the line of the graders.
                let inspected = inspect(&chosen.source, choice, competition.id());
                if inspected.is_ok_and(|inspection| inspection.problems.is_empty()) {
                    wrong.push(error.to_string());
                }
                continue;
            }
        };
        asked += 1;
        let says = grader.description();
        let metric = &competition.definition.metric.name;
        if let Some(mismatch) = competition.mismatch(says) {
            wrong.push(format!("{}: {mismatch}", path.display()));
        } else if chosen.origin != GraderOrigin::Folder && !says.metric.eq_ignore_ascii_case(metric)
        {
            remarks.push(format!(
                "{}: the grader says that its metric is `{}`, competition.toml says `{metric}`",
                path.display(),
                says.metric
            ));
        }
    }
    progress.finish();
    let listed = |list: &[String]| match list {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first}; and {} more", rest.len()),
    };
    if !wrong.is_empty() {
        return Check::problem(
            name,
            listed(&wrong),
            "put the right component in its place, or correct competition.toml: nothing is graded as it is",
        );
    }
    if !remarks.is_empty() {
        return Check::warning(
            name,
            listed(&remarks),
            "nothing is graded otherwise for it; let both say the same, unless it is another component than was meant",
        );
    }
    Check::ok(
        name,
        match asked {
            0 => "no grader is in use here".to_owned(),
            asked => format!(
                "{} in use here: all say what their competition.toml says",
                number::counted(asked, "grader")
            ),
        },
    )
}

/// Whether a grader can be compiled and started here at all.
fn loading(engine: Result<&Engine, &Failure>, listing: &Listing, choice: &Graders) -> Check {
    let name = "engine";
    let advice = "this machine cannot run graders as it is; see the message";
    let engine = match engine {
        Ok(engine) => engine,
        Err(failure) => return Check::problem(name, failure.to_string(), advice),
    };
    let any = listing.competitions.iter().find_map(|competition| {
        let chosen = choice.choose(competition).ok()?;
        let component = choice.read(&chosen.source, &ComponentLimits::default()).ok()?;
        choice.judge(competition.id(), &component).ok()?;
        Some(component)
    });
    let Some(component) = any else {
        return Check::warning(
            name,
            "not tried: there is no grader that may be loaded",
            "see the line of the graders",
        );
    };
    let started = Instant::now();
    let path = component.path.display().to_string();
    match Grader::from_bytes(engine, path, &component.bytes) {
        Ok(grader) => {
            let took = started.elapsed().as_millis();
            Check::ok(
                name,
                format!("loaded the grader of {} in {took} ms", grader.description().competition),
            )
        }
        Err(error) => Check::problem(name, error.to_string(), advice),
    }
}

fn data(places: &Places, listing: &Listing) -> Check {
    let advice = "prepare competitions with the reference's `mlebench prepare`, or name the folder with --data-dir or PODIUM_DATA";
    let folder = places.data.display();
    if !places.data.is_dir() {
        return Check::problem("data", format!("{folder} does not exist"), advice);
    }
    let prepared = listing
        .competitions
        .iter()
        .filter(|competition| competition.missing_answers_in(&places.data).is_empty())
        .count();
    let found = format!(
        "{prepared} of {} competitions are prepared in {folder}",
        listing.competitions.len()
    );
    match prepared {
        0 => Check::problem("data", found, advice),
        _ if prepared < listing.competitions.len() => Check::warning("data", found, advice),
        _ => Check::ok("data", found),
    }
}

fn cache(engine: Result<&Engine, &Failure>) -> Check {
    let name = "cache";
    match engine.map(Engine::cache_folder) {
        Ok(Ok(folder)) => {
            Check::ok(name, format!("compiled graders are kept in {}", folder.display()))
        }
        Ok(Err(reason)) => Check::warning(
            name,
            format!("compiled graders are not kept, every start compiles them anew: {reason}"),
            "make the folder writable for you alone, or name another with --cache-dir or PODIUM_CACHE",
        ),
        Err(_) => {
            Check::warning(name, "not tried: there is no engine", "see the line of the engine")
        }
    }
}

fn paths(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}
