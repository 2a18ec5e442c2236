//! The leaderboard table of experiments, as in the reference's README: the share of runs with a medal over the low, medium
//! and high split and over all, with its standard error.

use serde::Serialize;

use crate::benchmark::Benchmark;
use crate::error::Error;
use crate::experiment::Loaded;
use crate::grading::Metric;
use crate::metadata::Metadata;
use crate::problem::Problem;
use crate::runs::{Alignment, Runs};
use crate::seeds::SeedOptions;
use crate::split::Split;
use crate::statistics::Estimate;
use crate::study::Aggregated;

/// The splits of the columns.
pub(crate) const COLUMNS: [(&str, &str); 4] = [
    ("low", "Low == Lite (%)"),
    ("medium", "Medium (%)"),
    ("high", "High (%)"),
    ("all", "All (%)"),
];

/// The leaderboard table of experiments.
#[derive(Clone, Debug, Serialize)]
pub struct LeaderboardTable {
    /// How seeds were chosen.
    #[serde(flatten)]
    pub seeds: SeedOptions,
    /// The experiments, the highest share over all first, those without one last.
    pub rows: Vec<Row>,
    /// What could not be used.
    pub problems: Vec<Problem>,
}

/// An experiment in the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The name of the experiment.
    pub experiment: String,
    /// What is known of it besides its reports.
    pub metadata: Metadata,
    /// The cells of the splits: low, medium, high, all.
    pub splits: [Cell; 4],
    /// The same without the competitions that have known issues.
    pub splits_without_known_issues: [Cell; 4],
    /// What whoever reads these numbers has to know.
    pub remarks: Vec<String>,
}

/// The share of runs with a medal over a split.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The split.
    pub split: &'static str,
    /// The share in percent; `None` where there is no seed.
    pub any_medal: Option<Estimate>,
    /// How many seeds count.
    pub seeds: usize,
    /// How many runs were missing and count as failed.
    pub padded_runs: usize,
    /// Why there is no share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl LeaderboardTable {
    /// Computes the table.
    ///
    /// # Errors
    /// A benchmark without competitions in one of the splits.
    pub fn of(
        loaded: Loaded,
        benchmark: &Benchmark,
        seeds: SeedOptions,
        alignment: Alignment,
    ) -> Result<LeaderboardTable, Error> {
        let Loaded { experiments, mut problems } = loaded;
        let splits: Vec<Option<Split>> =
            COLUMNS.iter().map(|(name, _)| Split::resolve(name, benchmark).ok()).collect();
        if splits.iter().all(Option::is_none) {
            return Err(Error::Nothing(
                "no competition has a complexity: name the folder of the benchmark's competitions with --competitions"
                    .to_owned(),
            ));
        }
        let ids = |column: usize, clean: bool| -> Vec<&str> {
            let has_issues =
                |id: &str| benchmark.get(id).is_some_and(|facts| facts.has_known_issues);
            let split = splits[column].iter().flat_map(|split| &split.competitions);
            split.map(String::as_str).filter(|id| !clean || !has_issues(id)).collect()
        };
        let mut rows: Vec<Row> = experiments
            .into_iter()
            .map(|experiment| {
                let runs = Runs::of(&experiment, alignment, &mut problems);
                let cells = |clean: bool| {
                    std::array::from_fn(|column| {
                        let over = Aggregated::over(&runs, &ids(column, clean), seeds);
                        Cell::of(COLUMNS[column].0, &over)
                    })
                };
                let splits: [Cell; 4] = cells(false);
                let mut remarks = experiment.remarks;
                remarks.extend(runs.remarks.iter().cloned());
                remarks.extend(splits.iter().filter_map(Cell::remark));
                Row {
                    experiment: experiment.name,
                    metadata: experiment.metadata,
                    splits_without_known_issues: cells(true),
                    splits,
                    remarks,
                }
            })
            .collect();
        let share = |row: &Row| row.splits[3].any_medal.as_ref().map_or(-1.0, |share| share.mean);
        rows.sort_by(|left, right| {
            let by_share = share(right).total_cmp(&share(left));
            by_share.then_with(|| left.experiment.cmp(&right.experiment))
        });
        Ok(LeaderboardTable { seeds, rows, problems })
    }
}

impl Cell {
    fn of(split: &'static str, over: &Aggregated) -> Cell {
        match over {
            Aggregated::Of(aggregate) => Cell {
                split,
                any_medal: aggregate.estimate(Metric::AnyMedal).cloned(),
                seeds: aggregate.seeds.len(),
                padded_runs: aggregate.padded_runs,
                reason: None,
            },
            Aggregated::None { reason } => Cell {
                split,
                any_medal: None,
                seeds: 0,
                padded_runs: 0,
                reason: Some(reason.clone()),
            },
        }
    }

    /// `44.00 ± 1.33`, with an asterisk where runs were padded; a dash where there is no share.
    pub fn text(&self) -> String {
        let Some(share) = &self.any_medal else { return "–".to_owned() };
        let error = share.standard_error.map_or("–".to_owned(), |error| format!("{error:.2}"));
        format!("{:.2} ± {error}{}", share.mean, if self.padded_runs > 0 { "\u{2217}" } else { "" })
    }

    fn remark(&self) -> Option<String> {
        if let Some(reason) = &self.reason {
            return Some(format!("{}: {reason}", self.split));
        }
        (self.padded_runs > 0).then(|| {
            format!("{}: {} missing runs count as failed (padded)", self.split, self.padded_runs)
        })
    }
}
