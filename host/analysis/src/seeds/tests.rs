use std::path::PathBuf;

use podium::{Digest, Medal};
use proptest::prelude::*;

use super::*;
use crate::experiment::{Experiment, RunGroup};
use crate::grading::{Grading, Marks};
use crate::problem::Problem;
use crate::runs::Alignment;

/// What is said of a run: competition, seed, run id, seconds since its start, and whether it earns gold; `None` where its
/// grading came to no result.
type Said = (&'static str, Option<&'static str>, Option<&'static str>, Option<f64>, Option<bool>);

fn experiment(groups: &[&[Said]]) -> Experiment {
    let run_groups = groups.iter().enumerate().map(|(number, gradings)| RunGroup {
        name: format!("group {number}"),
        file: PathBuf::from(format!("{number}.json")),
        digest: Digest::of(&number.to_le_bytes()),
        gradings: gradings
            .iter()
            .map(|(competition, seed, run_id, elapsed_seconds, gold)| Grading {
                competition: (*competition).to_owned(),
                marks: gold.map(|gold| Marks {
                    made: true,
                    valid: true,
                    above_median: gold,
                    medal: gold.then_some(Medal::Gold),
                }),
                score: None,
                relative_score: None,
                seed: seed.map(str::to_owned),
                run_id: run_id.map(str::to_owned),
                elapsed_seconds: *elapsed_seconds,
                grader: None,
                lines: None,
                is_lower_better: None,
            })
            .enumerate()
            .collect(),
    });
    Experiment {
        name: "x".to_owned(),
        metadata: Default::default(),
        run_groups: run_groups.collect(),
        remarks: Vec::new(),
    }
}

fn runs(groups: &[&[Said]], alignment: Alignment) -> (Runs, Vec<String>) {
    let mut problems = Vec::new();
    let runs = Runs::of(&experiment(groups), alignment, &mut problems);
    (runs, problems.iter().map(Problem::to_string).collect())
}

/// A run without names.
fn run(competition: &'static str, gold: bool) -> Said {
    (competition, None, None, None, Some(gold))
}

/// A run of a seed.
fn seeded(competition: &'static str, seed: &'static str, gold: bool) -> Said {
    (competition, Some(seed), None, None, Some(gold))
}

/// The seeds as text: of each its name, and for each competition `g` for gold, `.` for none, `-` for padded.
fn formed(runs: &Runs, competitions: &str, options: SeedOptions) -> Result<String, String> {
    let competitions: Vec<&str> = competitions.split(' ').collect();
    let seeds = form(runs, &competitions, options)?;
    let rows = seeds.names.iter().zip(&seeds.runs).map(|(name, row)| {
        let runs = row.iter().map(|run| match run.map(|run| run.marks.unwrap()) {
            None => '-',
            Some(marks) if marks.medal.is_some() => 'g',
            Some(_) => '.',
        });
        format!("{name}{}", runs.collect::<String>())
    });
    Ok(rows.collect::<Vec<_>>().join(" "))
}

fn options(incomplete: Incomplete, seeds: Option<usize>) -> SeedOptions {
    SeedOptions { incomplete, seeds }
}

#[test]
fn the_kth_run_of_each_competition_is_seed_k() {
    use Incomplete::{Drop, Error, Pad};
    let (runs, problems) = runs(
        &[&[run("a", true), run("b", false), run("b", true)], &[run("a", false), run("a", true)]],
        Alignment::Auto,
    );
    assert!(problems.is_empty() && !runs.by_ids);
    for (incomplete, seeds, expected) in [
        (Drop, None, Ok("1g. 2.g")),
        (Drop, Some(1), Ok("1g.")),
        (Drop, Some(3), Err("3 seeds were asked for, there are 2")),
        (Drop, Some(0), Err("0 seeds were asked for")),
        (Pad, None, Ok("1g. 2.g 3g-")),
        (Pad, Some(2), Ok("1g. 2.g")),
        (Error, None, Err("seed 3 is not complete: lacks a run of b")),
    ] {
        let found = formed(&runs, "a b", options(incomplete, seeds));
        match expected {
            Ok(text) => assert_eq!(found.unwrap(), text, "{incomplete:?} {seeds:?}"),
            Err(part) => assert!(found.clone().unwrap_err().contains(part), "{found:?}"),
        }
    }
    assert_eq!(formed(&runs, "a", options(Error, None)).unwrap(), "1g 2. 3g");
    let message = formed(&runs, "a b c d", options(Drop, None)).unwrap_err();
    assert!(
        message.contains("no seed is complete: seed 1 lacks runs of c and 1 more"),
        "{message}"
    );
    assert_eq!(formed(&runs, "a b c", options(Pad, None)).unwrap(), "1g.- 2.g- 3g--");
    let message = formed(&runs, "c", options(Pad, None)).unwrap_err();
    assert!(message.contains("no run of any"), "{message}");
}

#[test]
fn seeds_that_reports_name_go_first() {
    let groups: &[&[Said]] = &[
        &[seeded("a", "10", true), seeded("b", "2", true), seeded("b", "x", false)],
        &[seeded("a", "2", false), seeded("b", "10", false)],
    ];
    let (by_ids, problems) = runs(groups, Alignment::Auto);
    assert!(problems.is_empty() && by_ids.by_ids);
    assert_eq!(formed(&by_ids, "a b", options(Incomplete::Drop, None)).unwrap(), "2.g 10g.");
    assert_eq!(formed(&by_ids, "a b", options(Incomplete::Pad, None)).unwrap(), "2.g 10g. x-.");
    let (by_order, _) = runs(groups, Alignment::Order);
    assert_eq!(formed(&by_order, "a b", options(Incomplete::Drop, None)).unwrap(), "1gg 2..");

    let seeds: Vec<_> = ["a", "b"].to_vec();
    assert_eq!(form(&by_ids, &seeds, options(Incomplete::Drop, None)).unwrap().unused, 1);
    assert_eq!(form(&by_ids, &seeds, options(Incomplete::Pad, None)).unwrap().padded(), 1);
}

#[test]
fn a_seed_twice_is_named_and_the_first_counts() {
    let groups: &[&[Said]] = &[&[seeded("a", "1", true)], &[seeded("a", "1", false)]];
    let (by_ids, problems) = runs(groups, Alignment::Auto);
    assert_eq!(formed(&by_ids, "a", SeedOptions::default()).unwrap(), "1g");
    assert!(problems.len() == 1 && problems[0].contains("--align order"), "{problems:?}");
    assert!(problems[0].starts_with("1.json, competition_reports[0]"), "{problems:?}");
    let (by_order, problems) = runs(groups, Alignment::Order);
    assert_eq!(formed(&by_order, "a", SeedOptions::default()).unwrap(), "1g 2.");
    assert!(problems.is_empty());
}

#[test]
fn gradings_with_and_without_seeds_are_counted_in_order() {
    let groups: &[&[Said]] = &[&[seeded("a", "7", true), run("a", false)]];
    let (mixed, problems) = runs(groups, Alignment::Auto);
    assert!(problems.is_empty() && mixed.remarks[0].contains("1 of 2 gradings name no seed"));
    assert_eq!(formed(&mixed, "a", SeedOptions::default()).unwrap(), "1g 2.");
    let (by_ids, problems) = runs(groups, Alignment::Ids);
    assert_eq!(formed(&by_ids, "a", SeedOptions::default()).unwrap(), "7g");
    assert!(problems.len() == 1 && problems[0].contains("names no seed"), "{problems:?}");
}

#[test]
fn a_run_whose_grading_failed_is_missing_in_its_place() {
    let failed = ("a", None, None, None, None);
    let (runs, _) =
        runs(&[&[failed, run("a", true), run("b", true), run("b", false)]], Alignment::Auto);
    assert_eq!(formed(&runs, "a b", options(Incomplete::Drop, None)).unwrap(), "2g.");
    assert_eq!(formed(&runs, "a b", options(Incomplete::Pad, None)).unwrap(), "1-g 2g.");
}

#[test]
fn the_last_snapshot_is_what_a_run_came_to() {
    let snapshot = |run_id, seconds, gold| ("a", None, Some(run_id), Some(seconds), Some(gold));
    let (runs, problems) = runs(
        &[&[
            snapshot("x", 60.0, true),
            snapshot("x", 30.0, false),
            snapshot("x", 60.0, false),
            snapshot("y", 10.0, true),
            ("a", None, Some("y"), None, Some(false)),
            ("a", None, None, Some(5.0), Some(true)),
        ]],
        Alignment::Auto,
    );
    assert_eq!(formed(&runs, "a", SeedOptions::default()).unwrap(), "1g 2.");
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("after 60 seconds already"), "{problems:?}");
    assert!(problems[1].contains("neither `seed` nor `run_id`"), "{problems:?}");

    let (count, points) = crate::over_time::curve(runs.by_competition["a"].iter());
    let points: Vec<(f64, f64)> =
        points.iter().map(|point| (point.elapsed_seconds, point.metrics["any_medal"])).collect();
    assert_eq!((count, points), (2, vec![(10.0, 50.0), (30.0, 50.0), (60.0, 100.0)]));
}

proptest! {
    /// Whatever runs there are: padding loses none of them, dropping pads none, and seeds have the width asked for.
    #[test]
    fn padding_loses_nothing_and_dropping_invents_nothing(counts in prop::collection::vec(0..5_usize, 1..6), most in 1..6_usize) {
        const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
        let said: Vec<Said> = counts
            .iter()
            .enumerate()
            .flat_map(|(index, count)| (0..*count).map(move |number| run(NAMES[index], number % 2 == 0)))
            .collect();
        let (runs, _) = runs(&[&said], Alignment::Auto);
        let ids = &NAMES[..counts.len()];
        let all: usize = counts.iter().sum();
        match form(&runs, ids, options(Incomplete::Pad, None)) {
            Ok(seeds) => {
                prop_assert_eq!(seeds.unused, 0);
                prop_assert_eq!(seeds.runs.len() * ids.len(), all + seeds.padded());
            }
            Err(_) => prop_assert_eq!(all, 0),
        }
        match form(&runs, ids, options(Incomplete::Drop, Some(most))) {
            Ok(seeds) => {
                prop_assert_eq!(seeds.padded(), 0);
                prop_assert_eq!(seeds.runs.len(), most);
                prop_assert_eq!(seeds.unused + seeds.runs.len() * ids.len(), all);
            }
            Err(_) => prop_assert!(counts.iter().any(|count| *count < most)),
        }
    }
}
