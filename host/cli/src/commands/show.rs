//! `podium show`: a competition's description, metric, medal lines, limits and known problems.

use std::path::PathBuf;

use podium::{Competition, Definition, Digest, GraderOrigin, LimitOverrides, Limits, Thresholds};
use serde::Serialize;
use termimad::MadSkin;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::places::Places;
use crate::{graders, number, output};

/// What `podium show` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The competition's id
    competition: String,
}

/// A competition in the JSON of `podium show`.
#[derive(Serialize)]
struct Shown<'a> {
    definition: &'a Definition,
    #[serde(serialize_with = "podium::path_text::serialize")]
    folder: &'a PathBuf,
    thresholds: Option<Thresholds>,
    leaderboard_teams: Option<usize>,
    limits: &'a Limits,
    /// The file of the grader; `None` where there is none, or the one that is pinned is not in the store.
    #[serde(serialize_with = "podium::path_text::option::serialize")]
    grader: Option<PathBuf>,
    /// Why it is that one.
    grader_origin: Option<GraderOrigin>,
    /// The component that the competition is pinned to.
    pinned: Option<Digest>,
    #[serde(serialize_with = "podium::path_text::list::serialize")]
    answers: Vec<PathBuf>,
    #[serde(serialize_with = "podium::path_text::list::serialize")]
    missing_answers: Vec<PathBuf>,
    #[serde(serialize_with = "podium::path_text::option::serialize")]
    sample_submission: Option<PathBuf>,
    description: Option<&'a str>,
}

/// Prints a competition.
///
/// # Errors
/// An unknown or broken competition; a stdout that cannot be written to.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    let graders = graders::find(shared)?;
    let competition = places.catalog().get(&arguments.competition)?;
    let chosen = graders.choose(&competition);
    let limits = competition.limits(&LimitOverrides::default());
    let shown = Shown {
        definition: &competition.definition,
        folder: &competition.folder,
        thresholds: competition.thresholds,
        leaderboard_teams: competition.leaderboard.as_ref().map(|board| board.teams()),
        limits: &limits,
        grader: chosen.as_ref().ok().map(|chosen| graders.path_of(&chosen.source)),
        grader_origin: chosen.as_ref().ok().map(|chosen| chosen.origin),
        pinned: graders.pins().get(competition.id()).copied(),
        answers: competition.answers_in(&places.data),
        missing_answers: competition.missing_answers_in(&places.data),
        sample_submission: competition.sample_submission_in(&places.data),
        description: competition.description.as_deref(),
    };
    if shared.json {
        output::print_json(&shown)?;
    } else {
        output::print(&format!("{}\n", description(&competition).trim_end()))?;
        output::print(&facts(&competition, &shown))?;
    }
    Ok(Exit::Success)
}

/// The description, laid out for a terminal; as it is written where no terminal reads.
fn description(competition: &Competition) -> String {
    let name = &competition.definition.name;
    let text = output::harmless(
        competition
            .description
            .as_deref()
            .unwrap_or(&format!("# {name}\n\nThere is no description.md.")),
    );
    match output::width() {
        Some(width) => MadSkin::default().text(&text, Some(width.min(110))).to_string(),
        None => text,
    }
}

fn facts(competition: &Competition, shown: &Shown) -> String {
    let definition = &competition.definition;
    let mut facts = Facts::default();
    let mut row = |name: &str, value: String| facts.add(name, output::harmless(&value));
    row("competition", definition.id.clone());
    if let Some(category) = &definition.category {
        row("category", category.clone());
    }
    if let Some(complexity) = definition.complexity {
        row("split", super::list::split_name(complexity).to_owned());
    }
    row("metric", format!("{}, {}", definition.metric.name, definition.metric.direction));
    match shown.thresholds {
        None => {
            row("medal lines", "none: there is neither [medals] nor a leaderboard.csv".to_owned())
        }
        Some(Thresholds { gold, silver, bronze, median }) => {
            row(
                "medal lines",
                format!("gold {gold}, silver {silver}, bronze {bronze}; median {median}"),
            );
            if let Some(source) =
                definition.medals.as_ref().and_then(|medals| medals.source.as_ref())
            {
                row("from", source.clone());
            }
        }
    }
    if let Some(teams) = shown.leaderboard_teams {
        row("leaderboard", format!("{} (snapshot)", number::counted(teams, "team")));
    }
    let Limits { fuel, memory_bytes, wall_clock, input_bytes, .. } = shown.limits;
    row(
        "limits",
        format!(
            "{} units of fuel, {} of memory, {} s, inputs of {}",
            number::count(*fuel),
            number::size(*memory_bytes),
            number::count(wall_clock.as_secs()),
            number::size(*input_bytes)
        ),
    );
    row(
        "grader",
        match (&shown.grader, shown.pinned) {
            (Some(path), None) => path.display().to_string(),
            (Some(path), Some(sha256)) => {
                format!("pinned to {}: {}", sha256.prefixed(), path.display())
            }
            (None, None) => "not there".to_owned(),
            (None, Some(sha256)) => {
                format!("pinned to {}, which is not in the component store", sha256.prefixed())
            }
        },
    );
    row(
        "answers",
        match shown.missing_answers.as_slice() {
            [] => shown
                .answers
                .iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
                .join(", "),
            [first, ..] => format!("not prepared: {} is not there", first.display()),
        },
    );
    for issue in &definition.known_issues {
        let source = issue.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
        row("known issue", format!("{}: {}{source}", issue.kind, issue.what));
    }
    facts.lines()
}
