//! A grading report as a person reads it: score, medal, lines, what to know about them.
//!
//! Relies on [`podium::GradingReport`] alone: whatever is shown here is in the JSON as well.

use std::fmt::Write as _;

use comfy_table::{Cell, Color};
use owo_colors::OwoColorize;
use podium::{GraderOrigin, GradingReport, Medal, Outcome};

use crate::facts::Facts;
use crate::table::Table;
use crate::{number, output, table};

/// The report, in lines.
pub(crate) fn describe(report: &GradingReport, metric: Option<&str>) -> String {
    let mut facts = Facts::default();
    facts.add("competition", output::harmless(&report.competition_id));
    facts.add("submission", submission(report));
    facts.add("outcome", outcome(report.outcome));
    if let Some(score) = score(report) {
        let better = if report.is_lower_better { "lower" } else { "higher" };
        let metric =
            metric.map(|metric| format!("{}, ", output::harmless(metric))).unwrap_or_default();
        facts.add("score", format!("{} ({metric}{better} is better)", score.bold()));
    }
    if report.valid_submission {
        facts.add("medal", medal(report.medal()));
        if report.median_threshold.is_some() {
            facts.add("median", if report.above_median { "above" } else { "not above" });
        }
        if let (Some(rank), Some(teams)) = (report.leaderboard_rank, report.leaderboard_teams) {
            let (rank, teams) = (number::count(rank as u64), number::count(teams as u64));
            facts.add("leaderboard", format!("place {rank} among {teams} teams (snapshot)"));
        }
    }
    if let Some(message) = &report.message {
        facts.add("message", output::harmless(message));
    }
    if report.rounding_decides {
        facts.add("note", "rounded the score earns something else than unrounded");
    }
    for warning in &report.warnings {
        facts.add("warning".yellow().to_string(), output::harmless(warning));
    }
    for issue in &report.known_issues {
        let issue = format!("{}: {}", issue.kind, issue.what);
        facts.add("known issue".yellow().to_string(), output::harmless(&issue));
    }
    // What a grader printed before it failed mostly says why.
    if let Some(log) = report.log.as_ref().filter(|_| report.failure.is_some()) {
        facts.add("it printed", output::harmless(log));
    }
    if let (Some(sha256), Some(origin)) = (&report.grader_sha256, grader_origin(report)) {
        facts.add("grader", format!("{origin}: {}", sha256.prefixed()));
    }
    if let Some(trusted_by) = &report.grader_trusted_by {
        facts.add("trusted by", output::harmless(&trusted_by.to_string()));
    }
    if let Some(receipt) = &report.receipt_id {
        facts.add("receipt", receipt.to_string());
    }
    let parts = [
        Some(facts.lines()),
        report.valid_submission.then(|| medal_lines(report)).flatten(),
        measures(report),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// The path of the submission; a dash where the run made none, for which reports have the reference's word `None`.
pub(crate) fn submission(report: &GradingReport) -> String {
    match report.submission_path.as_str() {
        "None" if report.outcome == Outcome::NoSubmission => "-".to_owned(),
        path => output::harmless(path),
    }
}

/// The score as it is ranked: rounded, infinite ones included.
pub(crate) fn score(report: &GradingReport) -> Option<String> {
    match (report.score, &report.score_text) {
        (Some(score), _) => Some(score.to_string()),
        (None, Some(text)) => Some(output::harmless(text)),
        (None, None) => None,
    }
}

/// The name of a medal.
pub(crate) fn medal_name(medal: Medal) -> &'static str {
    match medal {
        Medal::Gold => "gold",
        Medal::Silver => "silver",
        Medal::Bronze => "bronze",
    }
}

/// The colour of a medal.
pub(crate) fn medal_color(medal: Medal) -> Color {
    match medal {
        Medal::Gold => Color::Rgb { r: 212, g: 175, b: 55 },
        Medal::Silver => Color::Rgb { r: 170, g: 170, b: 180 },
        Medal::Bronze => Color::Rgb { r: 205, g: 127, b: 50 },
    }
}

/// The colour of an outcome, by who has to act: nobody, the submitter, whoever runs this.
pub(crate) fn outcome_color(outcome: Outcome) -> Color {
    if outcome.is_valid_submission() {
        Color::Green
    } else if outcome.is_infrastructure_failure() {
        Color::Red
    } else {
        Color::Yellow
    }
}

/// Why it is that grader, where it is not the one that everybody would expect.
fn grader_origin(report: &GradingReport) -> Option<&'static str> {
    match report.grader_origin? {
        GraderOrigin::Named => Some("named"),
        GraderOrigin::Pinned => Some("pinned"),
        GraderOrigin::Competition | GraderOrigin::Folder => None,
    }
}

fn outcome(outcome: Outcome) -> String {
    let name = outcome.name();
    match outcome_color(outcome) {
        Color::Green => name.green().to_string(),
        Color::Red => name.red().to_string(),
        _ => name.yellow().to_string(),
    }
}

fn medal(medal: Option<Medal>) -> String {
    let Some(medal) = medal else { return "none".to_owned() };
    match medal_color(medal) {
        Color::Rgb { r, g, b } => medal_name(medal).truecolor(r, g, b).bold().to_string(),
        _ => medal_name(medal).to_owned(),
    }
}

/// The medal lines and how far the score is from each.
fn medal_lines(report: &GradingReport) -> Option<String> {
    let lines = report.thresholds()?;
    let distances = report.distances.as_ref();
    let mut table = Table::new(["line", "at", "distance"].map(table::needed));
    for (name, at, distance) in [
        ("gold", lines.gold, distances.map(|distances| distances.gold)),
        ("silver", lines.silver, distances.map(|distances| distances.silver)),
        ("bronze", lines.bronze, distances.map(|distances| distances.bronze)),
        ("median", lines.median, distances.map(|distances| distances.median)),
    ] {
        let distance = distance.map_or_else(|| "-".to_owned(), number::signed);
        table.add_row([Cell::new(name), table::number(at), table::number(distance)]);
    }
    Some(table.lines())
}

/// The parts of the score; the first of them where there are many.
fn measures(report: &GradingReport) -> Option<String> {
    const SHOWN: usize = 40;
    if report.measures.is_empty() {
        return None;
    }
    let mut table = Table::new(["measure", "value"].map(table::needed));
    for measure in report.measures.iter().take(SHOWN) {
        table.add_row([Cell::new(output::harmless(&measure.name)), table::number(measure.value)]);
    }
    let mut text = table.lines();
    if report.measures.len() > SHOWN {
        let more = number::counted(report.measures.len() - SHOWN, "measure");
        // Writing to a String cannot fail.
        let _ = write!(text, "\n… and {more} more: --json shows all");
    }
    Some(text)
}
