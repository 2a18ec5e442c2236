//! `podium leaderboard show`: a histogram of a leaderboard, its medal lines, and where a score would rank.

use podium::{Award, Competition, Direction, Distances, Leaderboard, Thresholds};
use podium_analysis::{Bin, histogram};
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::grading_text;
use crate::places::Places;
use crate::{number, output};

/// What `podium leaderboard show` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The competition's id
    competition: String,
    /// Say where this score would rank, and what it would earn
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = score)]
    score: Option<f64>,
    /// How many bins the histogram has
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = bins)]
    bins: u16,
}

/// Parses a score.
fn score(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(score) if !score.is_nan() => Ok(score),
        _ => Err("give a number such as 0.81264".to_owned()),
    }
}

fn bins(text: &str) -> Result<u16, String> {
    number::within(text, 1, 200)
}

/// A leaderboard in JSON.
#[derive(Serialize)]
struct Shown<'a> {
    competition: &'a str,
    metric: &'a str,
    direction: Direction,
    teams: usize,
    best: f64,
    worst: f64,
    /// The lines that decide about medals.
    thresholds: Option<Thresholds>,
    /// Those that follow from the leaderboard, where they are others.
    thresholds_of_leaderboard: Thresholds,
    histogram: &'a [Bin],
    score: Option<Standing>,
}

/// Where a score stands.
#[derive(Serialize)]
struct Standing {
    /// As it was given.
    given: String,
    /// As it is compared.
    #[serde(serialize_with = "finite_or_text")]
    rounded: f64,
    rank: Option<usize>,
    /// The share of teams that are not better, in percent.
    not_better_percent: Option<f64>,
    medal: Option<podium::Medal>,
    above_median: bool,
    distances: Option<Distances>,
}

fn finite_or_text<S: serde::Serializer>(score: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if score.is_finite() { serializer.serialize_f64(*score) } else { serializer.collect_str(score) }
}

/// Prints a leaderboard.
///
/// # Errors
/// An unknown competition, or one without a leaderboard.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let competition = Places::find(shared)?.catalog().get(&arguments.competition)?;
    let Some(board) = &competition.leaderboard else {
        let folder = output::path(&competition.folder);
        return Err(Failure::new(
            Exit::Missing,
            format!("`{}` has no leaderboard: there is no leaderboard.csv in {folder}", competition.id()),
        )
        .hint("`podium leaderboard import` makes one from a checkout of the reference; `podium show` has the medal lines"));
    };
    let direction = competition.direction();
    let bins = histogram(board, direction, usize::from(arguments.bins));
    let standing = arguments.score.map(|score| standing(&competition, board, score));
    let scores = board.scores();
    let shown = Shown {
        competition: competition.id(),
        metric: &competition.definition.metric.name,
        direction,
        teams: board.teams(),
        best: scores[0],
        worst: scores[scores.len() - 1],
        thresholds: competition.thresholds,
        thresholds_of_leaderboard: Thresholds::from_leaderboard(board),
        histogram: &bins,
        score: standing,
    };
    if shared.json {
        output::print_json(&shown)?;
    } else {
        output::print(&drawn(&shown))?;
        output::print(&format!("\n{}", facts(&shown)))?;
    }
    Ok(Exit::Success)
}

fn standing(competition: &Competition, board: &Leaderboard, score: f64) -> Standing {
    let direction = competition.direction();
    let rounded = competition.rounding().round(score);
    let rank = board.rank(rounded, direction);
    let thresholds = competition.thresholds;
    let award = thresholds.map_or_else(Award::default, |lines| lines.award(rounded, direction));
    Standing {
        given: score.to_string(),
        rounded,
        rank,
        not_better_percent: rank
            .map(|rank| (board.teams() + 1 - rank) as f64 / board.teams() as f64 * 100.0),
        medal: award.medal,
        above_median: award.above_median,
        distances: thresholds.and_then(|lines| lines.distances(rounded, direction)),
    }
}

/// The histogram, a line for each bin, with what lies in it.
fn drawn(shown: &Shown) -> String {
    const WIDTH: usize = 50;
    let most = shown.histogram.iter().map(|bin| bin.teams).max().unwrap_or(1).max(1);
    let ends: Vec<String> = shown
        .histogram
        .iter()
        .map(|bin| format!("{} to {}", short(bin.best), short(bin.worst)))
        .collect();
    let width = ends.iter().map(String::len).max().unwrap_or(0);
    let lines = shown.histogram.iter().enumerate().zip(&ends).map(|((index, bin), ends)| {
        let bar = "█".repeat((bin.teams * WIDTH).div_ceil(most));
        let mut marks = Vec::new();
        let places = shown.thresholds.iter().flat_map(|lines| {
            [
                ("gold", lines.gold),
                ("silver", lines.silver),
                ("bronze", lines.bronze),
                ("median", lines.median),
            ]
        });
        let score = shown.score.iter().map(|standing| ("← the score", standing.rounded));
        for (name, place) in places.chain(score) {
            if bin_of(shown, place) == index {
                marks.push(name);
            }
        }
        let marks =
            if marks.is_empty() { String::new() } else { format!("  {}", marks.join(", ")) };
        format!("{ends:>width$}  {:>6}  {bar}{marks}", number::count(bin.teams as u64))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The bin that a score lies in: the first whose worse end it is better than; the last for all that are worse.
fn bin_of(shown: &Shown, score: f64) -> usize {
    let bins = shown.histogram;
    let found = bins.iter().position(|bin| shown.direction.is_better(score, bin.worst));
    found.unwrap_or(bins.len() - 1)
}

/// A number with five significant digits.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-9..1e15).contains(&value.abs()) {
        return format!("{value:.4e}");
    }
    let digits = (4 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn facts(shown: &Shown) -> String {
    let mut facts = Facts::default();
    facts.add("competition", output::harmless_name(shown.competition));
    let better = if shown.direction.is_lower_better() { "lower" } else { "higher" };
    facts.add("metric", format!("{}, {better} is better", output::harmless_name(shown.metric)));
    facts.add(
        "teams",
        format!("{}, from {} to {}", number::count(shown.teams as u64), shown.best, shown.worst),
    );
    let line = |lines: &Thresholds| {
        let Thresholds { gold, silver, bronze, median } = lines;
        format!("gold {gold}, silver {silver}, bronze {bronze}; median {median}")
    };
    match &shown.thresholds {
        Some(lines) => facts.add("medal lines", line(lines)),
        None => facts.add("medal lines", "none"),
    }
    if shown.thresholds != Some(shown.thresholds_of_leaderboard) {
        facts.add("of this leaderboard", line(&shown.thresholds_of_leaderboard));
    }
    if let Some(standing) = &shown.score {
        facts.add("score", format!("{} (compared as {})", standing.given, standing.rounded));
        if let (Some(rank), Some(percent)) = (standing.rank, standing.not_better_percent) {
            facts.add(
                "rank",
                format!(
                    "{} of {}; {percent:.1} % of the teams are not better",
                    number::count(rank as u64),
                    number::count(shown.teams as u64)
                ),
            );
        }
        facts.add("medal", standing.medal.map_or("none", grading_text::medal_name));
        facts.add("above the median", if standing.above_median { "yes" } else { "no" });
        if let Some(distances) = &standing.distances {
            for (name, distance) in [
                ("from gold", distances.gold),
                ("from silver", distances.silver),
                ("from bronze", distances.bronze),
                ("from the median", distances.median),
            ] {
                facts.add(name, number::signed(distance));
            }
        }
    }
    facts.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_scores_are_numbers() {
        for (value, text) in [
            (0.0, "0"),
            (0.123_456_7, "0.12346"),
            (1.5, "1.5"),
            (-12.0, "-12"),
            (123_456.7, "123457"),
            (1e-7, "0.0000001"),
            (-1.5e300, "-1.5000e300"),
            (1e-300, "1.0000e-300"),
        ] {
            assert_eq!(short(value), text);
        }
        assert_eq!(score(" -0.5 "), Ok(-0.5));
        assert!(score("nan").is_err() && score("x").is_err());
        assert!(score("-inf").is_ok());
    }
}
