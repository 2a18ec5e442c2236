//! A regrade in words: counts, what is not as recorded, what could not be used.

use std::collections::HashSet;

use comfy_table::Cell;
use podium::{
    EntryProblem, Medal, RegradeSummary, RegradeVerdict, RegradedRun, Regrading, Standing,
};

use super::{RunNames, and_more, compared_with, exit_of, verdict_name};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shell_word::shell_path;
use crate::table::Table;
use crate::{grading_text, number, output, table};

/// A regraded archive, for people.
pub(super) fn in_words(regrading: &Regrading) -> String {
    const SHOWN: usize = 100;
    let archive = output::path(&regrading.archive);
    let mut text = format!(
        "{archive} ({}), compared with {}\n{}",
        output::harmless_name(&regrading.format),
        compared_with(regrading),
        counts(&regrading.summary)
    );
    let mut differing: Vec<&RegradedRun> =
        regrading.runs.iter().filter(|run| !run.verdict.holds()).collect();
    let names = RunNames::of(&regrading.runs);
    // What changed before what there is nothing to compare with.
    differing.sort_by_key(|run| run.verdict);
    if !differing.is_empty() {
        let mut table = Table::new([
            table::needed("run"),
            table::optional("competition", 2),
            table::needed("verdict"),
            table::needed("before"),
            table::needed("now"),
            table::optional("difference", 1),
            table::optional("remarks", 3),
        ]);
        for run in differing.iter().take(SHOWN) {
            table.add_row([
                Cell::new(names.name(run)),
                Cell::new(output::short_name(&run.competition_id)),
                Cell::new(verdict_name(run.verdict)),
                Cell::new(standing(run.old.as_ref())),
                Cell::new(standing(run.new.as_ref())),
                table::number(difference(run).unwrap_or_else(|| "-".to_owned())),
                Cell::new(remarks(run)),
            ]);
        }
        text.push_str(&format!("\n\n{}", table.lines()));
        if let Some(more) = and_more(differing.len() as u64, SHOWN) {
            text.push_str(&format!("\n{more}: comparison.json in the set has all"));
        }
    }
    if let Some(broken) = &regrading.broken {
        text.push_str(&format!("\n\n{}", output::harmless_name(broken)));
    }
    listed(&mut text, "could not be used", &regrading.problems, regrading.problems_in_all);
    listed(&mut text, "left out", &regrading.left_out, regrading.left_out_in_all);
    text
}

fn listed(text: &mut String, what: &str, problems: &[EntryProblem], in_all: u64) {
    const SHOWN: usize = 20;
    if problems.is_empty() {
        return;
    }
    text.push_str(&format!("\n\n{what}:"));
    for EntryProblem { entry, reason } in problems.iter().take(SHOWN) {
        let line = output::harmless_name(&format!("{entry}: {reason}"));
        text.push_str(&format!("\n  {line}"));
    }
    if let Some(more) = and_more(in_all, SHOWN) {
        text.push_str(&format!("\n  {more}"));
    }
}

/// How many runs came out how, as a table.
pub(super) fn counts(summary: &RegradeSummary) -> String {
    let mut table = Table::new(["", "runs"].map(table::needed));
    for verdict in RegradeVerdict::ALL {
        let count = summary.count(verdict);
        if count > 0 || verdict == RegradeVerdict::Identical {
            table.add_row([Cell::new(verdict_name(verdict)), table::number(number::count(count))]);
        }
    }
    if summary.left > 0 {
        table.add_row([Cell::new("not looked at"), table::number(number::count(summary.left))]);
    }
    table.add_row([Cell::new("all"), table::number(number::count(summary.runs))]);
    for (name, count) in [
        ("medals that changed", summary.medal_changes),
        ("graded in this set before", summary.graded_before),
        ("with the same submission as another", summary.duplicates),
    ] {
        if count > 0 {
            table.add_row([Cell::new(name), table::number(number::count(count))]);
        }
    }
    table.lines()
}

/// What a grading says, in few words.
pub(super) fn standing(standing: Option<&Standing>) -> String {
    let Some(standing) = standing else { return "-".to_owned() };
    let medal = match (standing.medal, standing.medal_is_known) {
        (Some(medal), _) => format!(", {}", grading_text::medal_name(medal)),
        (None, _) => String::new(),
    };
    match (standing.score, standing.valid) {
        (Some(score), _) => format!("{}{medal}", score_text(score.0)),
        (None, Some(true)) => format!("valid{medal}"),
        (None, _) => match (standing.outcome, standing.exists) {
            (Some(outcome), _) => outcome.name().replace('-', " "),
            (None, Some(false)) => "no submission".to_owned(),
            (None, _) => "invalid submission".to_owned(),
        },
    }
}

fn score_text(score: f64) -> String {
    if score.is_finite() { score.to_string() } else { format!("{score}").to_lowercase() }
}

/// By how much the score changed. A difference that rounding to five places hides is shown in full.
pub(super) fn difference(run: &RegradedRun) -> Option<String> {
    let difference = run.difference?.0;
    match number::signed(difference).as_str() {
        "0" if difference != 0.0 => Some(format!("{difference:+e}")),
        text => Some(text.to_owned()),
    }
}

/// What else there is to say of a run: medals, other fields of the report, remarks, or why there is no score.
pub(super) fn remarks(run: &RegradedRun) -> String {
    let mut remarks = Vec::new();
    if run.medal_changed() {
        let medal = |standing: Option<&Standing>| {
            standing.and_then(|standing| standing.medal).map_or("none", grading_name)
        };
        let change =
            format!("medal: {} before, {} now", medal(run.old.as_ref()), medal(run.new.as_ref()));
        remarks.push(change);
    }
    let is_shown = |field: &str| match field {
        // They stand in the columns for before and now, or in the verdict.
        "score" | "valid_submission" => true,
        "unrounded_score" => run.difference.is_some_and(|difference| difference.0 != 0.0),
        "any_medal" | "gold_medal" | "silver_medal" | "bronze_medal" => run.medal_changed(),
        "outcome" | "submission_exists" => run.verdict != RegradeVerdict::Changed,
        _ => false,
    };
    // Whoever turned valid or invalid has other medals and places, too.
    if run.verdict == RegradeVerdict::Changed {
        let others = run.changed_fields.iter().filter(|changed| !is_shown(&changed.field));
        remarks.extend(others.map(ToString::to_string));
    }
    remarks.extend(run.remarks.iter().cloned());
    let is_scored = run.new.as_ref().is_some_and(|new| new.valid == Some(true));
    if !is_scored {
        remarks.extend(run.message.iter().map(|message| first_line(message)));
    }
    output::harmless_name(&remarks.join("; "))
}

fn grading_name(medal: Medal) -> &'static str {
    grading_text::medal_name(medal)
}

/// The first line of a message, and no more of it than fits a table.
fn first_line(message: &str) -> String {
    const CHARACTERS: usize = 160;
    let line = message.lines().next().unwrap_or_default();
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Why an archive does not end the program with success.
pub(super) fn failure_of(regrading: &Regrading) -> Option<Failure> {
    const SHOWN: usize = 5;
    let unreadable = regrading.broken.is_some() || regrading.problems_in_all > 0;
    let exit = regrading
        .runs
        .iter()
        .map(exit_of)
        .chain(unreadable.then_some(Exit::Files))
        .max()
        .filter(|exit| *exit != Exit::Success)?;
    let archive = output::path(&regrading.archive);
    let differing = regrading.runs.iter().filter(|run| !run.verdict.holds()).count();
    let of = number::counted(regrading.runs.len(), "run");
    let left = match regrading.summary.left {
        0 => String::new(),
        left => format!(" that were looked at, and {} more were not", number::count(left)),
    };
    let problems = regrading.problems_in_all;
    let mut message = match differing {
        0 if problems > 0 && regrading.broken.is_none() => format!(
            "{archive}: all {of}{left} are as recorded, but {} of the archive could not be used",
            number::counted(usize::try_from(problems).unwrap_or(usize::MAX), "part")
        ),
        0 => format!("{archive}: all {of}{left} are as recorded, but not all of it could be read"),
        _ => format!(
            "{archive}: {} of {of} are not as recorded{left}",
            number::count(differing as u64)
        ),
    };
    // Failures of this side, each cause once.
    let mut said = HashSet::new();
    let names = RunNames::of(&regrading.runs);
    for run in &regrading.runs {
        let exit = exit_of(run);
        let is_this_side = matches!(exit, Exit::Missing | Exit::GraderFailed | Exit::Files);
        if !is_this_side || said.len() == SHOWN {
            continue;
        }
        let name = match exit {
            // It is this one that cannot be used, and not the competition.
            Exit::Files => names.name(run),
            _ => output::short_name(&run.competition_id),
        };
        let cause = first_line(run.message.as_deref().unwrap_or(run.verdict.name()));
        let line = format!("\n  {name}: {}", output::harmless_name(&cause));
        if said.insert(line.clone()) {
            message.push_str(&line);
        }
    }
    for EntryProblem { entry, reason } in regrading.problems.iter().take(SHOWN) {
        let line = output::harmless_name(&format!("{entry}: {reason}"));
        message.push_str(&format!("\n  {line}"));
    }
    if let Some(more) = and_more(problems, SHOWN) {
        message.push_str(&format!("\n  {more} that could not be used"));
    }
    if let Some(broken) = &regrading.broken {
        message.push_str(&format!("\n  {}", output::harmless_name(broken)));
    }
    let mut failure = Failure::new(exit, message);
    if regrading.summary.count(RegradeVerdict::NoData) > 0 {
        failure = failure.hint("name the data folder with --data-dir or PODIUM_DATA");
    }
    if regrading.summary.count(RegradeVerdict::UnknownCompetition) > 0 {
        failure = failure.hint(
            "folders of other competitions are named with --competitions or PODIUM_COMPETITIONS",
        );
    }
    if regrading.summary.count(RegradeVerdict::FirstGrading) > 0 && regrading.complete {
        let set = shell_path(&regrading.set);
        failure = failure.hint(format!(
            "`podium regrade apply {set}` makes these gradings what the next regrade compares with"
        ));
    }
    Some(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standings_are_a_few_words() {
        let with = |valid, score: Option<f64>, medal| Standing {
            valid: Some(valid),
            score: score.map(podium::Score),
            medal,
            ..Standing::default()
        };
        for (standing_, text) in [
            (Some(with(true, Some(0.5), Some(Medal::Gold))), "0.5, gold"),
            (Some(with(true, Some(f64::NAN), None)), "nan"),
            (Some(with(true, Some(f64::NEG_INFINITY), None)), "-inf"),
            (Some(with(true, None, None)), "valid"),
            (Some(with(false, None, None)), "invalid submission"),
            (None, "-"),
        ] {
            assert_eq!(standing(standing_.as_ref()), text);
        }
    }
}
