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

/// A grading with the fields of the reference's.
fn grading(competition: &str, medals: u64, numbers: &mut Numbers) -> Value {
    let made = !numbers.chance(50);
    let valid = made && !numbers.chance(100);
    let score = (numbers.between(0.0, 1.0) * 1e5).round() / 1e5;
    let medal = (valid && numbers.chance(medals)).then(|| numbers.below(3));
    json!({
        "competition_id": competition,
        "score": valid.then_some(score),
        "gold_threshold": 0.9, "silver_threshold": 0.85, "bronze_threshold": 0.8, "median_threshold": 0.5,
        "any_medal": medal.is_some(),
        "gold_medal": medal == Some(0), "silver_medal": medal == Some(1), "bronze_medal": medal == Some(2),
        "above_median": valid && (medal.is_some() || score > 0.5),
        "submission_exists": made,
        "valid_submission": valid,
        "is_lower_better": false,
        "created_at": "2024-10-04T16:47:51.843542",
        "submission_path": format!("runs/{competition}/submission/submission.csv"),
    })
}

/// The competitions of the benchmark, by their definitions.
fn competitions() -> Result<Vec<String>> {
    let folder = workspace::root().join("competitions");
    let mut ids = Vec::new();
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("could not read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let definition = entry.path().join("competition.toml");
        let Ok(text) = std::fs::read_to_string(&definition) else { continue };
        if !text.lines().any(|line| line == "complexity = \"development\"") {
            ids.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    ids.sort();
    ensure!(
        ids.len() as u64 == COMPETITIONS,
        "there are {} competitions, not {COMPETITIONS}",
        ids.len()
    );
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benchmark_has_its_competitions_and_reports_are_sound() {
        assert_eq!(competitions().unwrap().len() as u64, COMPETITIONS);
        let mut numbers = Numbers::new(1);
        for _ in 0..1_000 {
            let report = grading("x", 300, &mut numbers);
            let is = |name: &str| report[name] == true;
            assert!(is("submission_exists") || !is("valid_submission"));
            assert!(is("valid_submission") || !(is("any_medal") || is("above_median")));
        }
    }
}
