//! `podium list`: a table of the competitions.

use std::path::PathBuf;

use clap::ValueEnum;
use comfy_table::Cell;
use podium::{Competition, Complexity, Digest, Graders, LimitOverrides, Limits};
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{ErrorInJson, Failure};
use crate::places::Places;
use crate::table::Table;
use crate::{graders, number, output, table};

/// What `podium list` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only the competitions of this split of the benchmark
    #[arg(long, value_enum)]
    split: Option<Split>,
    /// Only competitions whose category holds this text, whatever the case
    #[arg(long, value_name = "TEXT")]
    category: Option<String>,
    /// Only competitions that can be graded here: their answers and their grader are there
    #[arg(long)]
    ready: bool,
}

/// A split of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Split {
    /// MLE-bench Lite
    #[value(alias = "lite")]
    Low,
    /// Medium complexity
    Medium,
    /// High complexity
    High,
    /// Set aside for the development of agents
    #[value(alias = "dev")]
    Development,
    /// The 75 competitions of the benchmark: low, medium and high
    All75,
}

impl Split {
    /// Whether a competition of this complexity is in it.
    pub(crate) fn holds(self, complexity: Option<Complexity>) -> bool {
        match (self, complexity) {
            (Split::Low, Some(Complexity::Low))
            | (Split::Medium, Some(Complexity::Medium))
            | (Split::High, Some(Complexity::High))
            | (Split::Development, Some(Complexity::Development)) => true,
            (Split::All75, Some(complexity)) => complexity != Complexity::Development,
            _ => false,
        }
    }
}

/// A competition in the JSON of `podium list`.
#[derive(Serialize)]
struct Listed<'a> {
    id: &'a str,
    name: &'a str,
    category: Option<&'a str>,
    split: Option<Complexity>,
    metric: &'a str,
    direction: podium::Direction,
    awards_medals: bool,
    known_issues: usize,
    limits: Limits,
    data_prepared: bool,
    /// The file of the grader; `None` where there is none, or the one that is pinned is not in the store.
    #[serde(serialize_with = "podium::path_text::option::serialize")]
    grader: Option<PathBuf>,
    /// The component that the competition is pinned to.
    pinned: Option<Digest>,
}

/// An element of the JSON of `podium list`.
#[derive(Serialize)]
#[serde(untagged)]
enum Element<'a> {
    Competition(&'a Listed<'a>),
    /// A folder that cannot be read as a competition: the message names its file.
    Broken {
        error: ErrorInJson<'a>,
    },
}

/// Prints the competitions.
///
/// # Errors
/// A stdout that cannot be written to; folders of competitions that are broken do not stop the rest and are listed on
/// stderr.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    let graders = graders::find(shared)?;
    let listing = places.catalog().list();
    let wanted = arguments.category.as_deref().map(str::to_lowercase);
    let chosen: Vec<Listed> = listing
        .competitions
        .iter()
        .filter(|competition| {
            let definition = &competition.definition;
            arguments.split.is_none_or(|split| split.holds(definition.complexity))
                && wanted.as_ref().is_none_or(|wanted| {
                    definition
                        .category
                        .as_ref()
                        .is_some_and(|category| category.to_lowercase().contains(wanted))
                })
        })
        .map(|competition| listed(competition, &places, &graders))
        .filter(|listed| !arguments.ready || (listed.data_prepared && listed.grader.is_some()))
        .collect();
    let failures: Vec<Failure> = listing.problems.iter().map(Failure::from).collect();
    failures.iter().for_each(Failure::print);
    if listing.competitions.is_empty() && failures.is_empty() {
        return Err(nothing_found(&places));
    }
    if shared.json {
        let broken = failures.iter().map(|failure| Element::Broken { error: failure.to_json() });
        output::print_json(
            &chosen.iter().map(Element::Competition).chain(broken).collect::<Vec<_>>(),
        )?;
    } else {
        output::print(&as_table(&chosen))?;
        let ready =
            chosen.iter().filter(|listed| listed.data_prepared && listed.grader.is_some()).count();
        output::print(&format!(
            "{}, {ready} ready to be graded here (data in {})",
            number::counted(chosen.len(), "competition"),
            places.data.display(),
        ))?;
    }
    Ok(failures.iter().map(Failure::exit).max().unwrap_or(Exit::Success))
}

fn listed<'a>(competition: &'a Competition, places: &Places, graders: &Graders) -> Listed<'a> {
    let definition = &competition.definition;
    Listed {
        id: &definition.id,
        name: &definition.name,
        category: definition.category.as_deref(),
        split: definition.complexity,
        metric: &definition.metric.name,
        direction: definition.metric.direction,
        awards_medals: definition.awards_medals,
        known_issues: definition.known_issues.len(),
        limits: competition.limits(&LimitOverrides::default()),
        data_prepared: competition.missing_answers_in(&places.data).is_empty(),
        grader: graders.choose(competition).ok().map(|chosen| graders.path_of(&chosen.source)),
        pinned: graders.pins().get(competition.id()).copied(),
    }
}

fn as_table(competitions: &[Listed]) -> String {
    let mut table = Table::new([
        table::needed("competition"),
        table::optional("split", 3),
        table::optional("category", 7),
        table::optional("metric", 8),
        table::optional("better", 4),
        table::optional("medals", 5),
        table::optional("issues", 6),
        table::optional("data", 2),
        table::optional("grader", 1),
    ]);
    let yes_or_no = |yes: bool| if yes { "yes" } else { "-" };
    for listed in competitions {
        table.add_row([
            Cell::new(output::harmless(listed.id)),
            Cell::new(listed.split.map_or("-", split_name)),
            Cell::new(output::harmless(listed.category.unwrap_or("-"))),
            Cell::new(output::harmless(listed.metric)),
            Cell::new(if listed.direction.is_lower_better() { "lower" } else { "higher" }),
            Cell::new(yes_or_no(listed.awards_medals)),
            match listed.known_issues {
                0 => table::number("-"),
                issues => table::number(issues).fg(comfy_table::Color::Yellow),
            },
            Cell::new(yes_or_no(listed.data_prepared)),
            Cell::new(match (&listed.grader, listed.pinned) {
                (Some(_), Some(_)) => "pinned",
                (None, Some(_)) => "pinned, missing",
                (grader, None) => yes_or_no(grader.is_some()),
            }),
        ]);
    }
    table.lines()
}

/// The name of a split, as `--split` takes it.
pub(crate) fn split_name(complexity: Complexity) -> &'static str {
    match complexity {
        Complexity::Low => "low",
        Complexity::Medium => "medium",
        Complexity::High => "high",
        Complexity::Development => "development",
    }
}

fn nothing_found(places: &Places) -> Failure {
    let failure = if places.competitions.is_empty() {
        Failure::new(Exit::Missing, "no folder of competitions was found beside the program")
    } else {
        let folders: Vec<_> =
            places.competitions.iter().map(|folder| folder.display().to_string()).collect();
        Failure::new(Exit::Missing, format!("there is no competition in {}", folders.join(", ")))
    };
    failure.hint(
        "name a folder that holds competition folders with --competitions or PODIUM_COMPETITIONS",
    )
}
