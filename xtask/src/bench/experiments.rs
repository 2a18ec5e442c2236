//! Made-up grading reports of many experiments, the same in every run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::numbers::Numbers;
use super::write_data;
use crate::workspace;

/// As many run groups as the reference's archive has.
const RUN_GROUPS: u64 = 127;
const SEEDS: u64 = 3;
/// Run groups that belong to the same experiment.
const RUN_GROUPS_TOGETHER: u64 = 4;

/// How many gradings the reports hold together.
pub(super) const GRADINGS: u64 = RUN_GROUPS * COMPETITIONS * SEEDS;

/// Low, medium and high.
const COMPETITIONS: u64 = 75;

/// A folder in the layout of the reference's `runs/`.
pub(super) fn runs(folder: &Path) -> Result<PathBuf> {
    let runs = folder.join("runs");
    let competitions = competitions()?;
    let mut assigned = String::from("experiment_id,run_group\n");
    let mut numbers = Numbers::new(3);
    for group in 0..RUN_GROUPS {
        let name = format!("run-group-{group:03}");
        writeln!(assigned, "experiment-{:02},{name}", group / RUN_GROUPS_TOGETHER)?;
        // Some experiments are better than others.
        let medals = 100 + 20 * (group / RUN_GROUPS_TOGETHER);
        let reports: Vec<Value> = (0..SEEDS)
            .flat_map(|_| &competitions)
            .map(|competition| grading(competition, medals, &mut numbers))
            .collect();
        let report = json!({"total_runs": reports.len(), "competition_reports": reports});
        let path = runs.join(&name).join("2024-10-04T16-47-51-GMT_grading_report.json");
        write_data(&path, || format!("{report:#}\n"))?;
    }
    write_data(&runs.join("run_group_experiments.csv"), || assigned)?;
    Ok(runs)
}

/// A competition of the benchmark, as far as reports show it.
struct Competition {
    id: String,
    is_lower_better: bool,
}

/// The scores, at best 1 and at worst 0, from which on there is a gold, a silver and a bronze medal.
const MEDAL_LINES: [f64; 3] = [0.9, 0.85, 0.8];
const MEDIAN: f64 = 0.5;

/// A grading with the fields of the reference's.
fn grading(competition: &Competition, medals: u64, numbers: &mut Numbers) -> Value {
    let made = !numbers.chance(50);
    let valid = made && !numbers.chance(100);
    let medal = (valid && numbers.chance(medals)).then(|| numbers.below(3) as usize);
    // A score between the line of the medal and the next better one, or below all lines.
    let (from, to) = match medal {
        Some(0) => (MEDAL_LINES[0], 1.0),
        Some(medal) => (MEDAL_LINES[medal], MEDAL_LINES[medal - 1]),
        None => (0.0, MEDAL_LINES[2]),
    };
    // Well off the lines: rounding could put it on the other side.
    let goodness = numbers.between(from + 0.001, to - 0.001);
    let told = |goodness: f64| {
        let score = if competition.is_lower_better { 1.0 - goodness } else { goodness };
        (score * 1e5).round() / 1e5
    };
    json!({
        "competition_id": competition.id,
        "score": valid.then(|| told(goodness)),
        "gold_threshold": told(MEDAL_LINES[0]),
        "silver_threshold": told(MEDAL_LINES[1]),
        "bronze_threshold": told(MEDAL_LINES[2]),
        "median_threshold": told(MEDIAN),
        "any_medal": medal.is_some(),
        "gold_medal": medal == Some(0), "silver_medal": medal == Some(1), "bronze_medal": medal == Some(2),
        "above_median": valid && goodness > MEDIAN,
        "submission_exists": made,
        "valid_submission": valid,
        "is_lower_better": competition.is_lower_better,
        "created_at": "2024-10-04T16:47:51.843542",
        "submission_path": format!("runs/{}/submission/submission.csv", competition.id),
    })
}

/// The competitions of the benchmark, by their definitions.
fn competitions() -> Result<Vec<Competition>> {
    let folder = workspace::root().join("competitions");
    let mut competitions = Vec::new();
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("could not read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let definition = entry.path().join("competition.toml");
        let Ok(text) = std::fs::read_to_string(&definition) else { continue };
        let says = |wanted: &str| text.lines().any(|line| line == wanted);
        if !says("complexity = \"development\"") {
            competitions.push(Competition {
                id: entry.file_name().to_string_lossy().into_owned(),
                is_lower_better: says("direction = \"lower\""),
            });
        }
    }
    competitions.sort_by(|left, right| left.id.cmp(&right.id));
    ensure!(
        competitions.len() as u64 == COMPETITIONS,
        "there are {} competitions, not {COMPETITIONS}",
        competitions.len()
    );
    Ok(competitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benchmark_has_its_competitions_and_reports_are_sound() {
        assert_eq!(competitions().unwrap().len() as u64, COMPETITIONS);
        let mut numbers = Numbers::new(1);
        for number in 0..1_000 {
            let competition = Competition { id: "x".to_owned(), is_lower_better: number % 2 == 0 };
            let report = grading(&competition, 300, &mut numbers);
            let is = |name: &str| report[name] == true;
            assert!(is("submission_exists") || !is("valid_submission"));
            assert!(is("valid_submission") || !(is("any_medal") || is("above_median")));
            // The medals are those that the score earns.
            let Some(score) = report["score"].as_f64() else { continue };
            let earns = |line: &str| match (report[line].as_f64().unwrap(), is("is_lower_better")) {
                (line, true) => score <= line,
                (line, false) => score >= line,
            };
            assert_eq!(is("any_medal"), earns("bronze_threshold"), "{report}");
            assert_eq!(is("gold_medal"), earns("gold_threshold"), "{report}");
            assert_eq!(is("above_median"), earns("median_threshold"), "{report}");
        }
    }
}
