//! Aggregates: the percentages of each seed over a set of competitions, and their mean over seeds.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::grading::Metric;
use crate::runs::Runs;
use crate::seeds::{self, SeedOptions, Seeds};
use crate::statistics::Estimate;

/// The percentages of an experiment over a set of competitions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aggregate {
    /// How many competitions there are.
    pub competitions: usize,
    /// The seeds that count, by name.
    pub seeds: Vec<String>,
    /// How many runs were missing and count as failed.
    pub padded_runs: usize,
    /// How many graded runs are in no seed that counts.
    pub unused_runs: usize,
    /// For each percentage its value in each seed.
    pub by_seed: BTreeMap<&'static str, Vec<f64>>,
    /// For each percentage its mean over seeds.
    pub metrics: BTreeMap<&'static str, Estimate>,
}

impl Aggregate {
    /// Of an experiment over these competitions.
    ///
    /// # Errors
    /// Says in words why there is no seed.
    pub(crate) fn of(
        runs: &Runs,
        competitions: &[&str],
        options: SeedOptions,
    ) -> Result<Aggregate, String> {
        let seeds = seeds::form(runs, competitions, options)?;
        let by_seed: BTreeMap<_, _> =
            Metric::ALL.iter().map(|metric| (metric.name(), by_seed(&seeds, *metric))).collect();
        let metrics = by_seed
            .iter()
            .filter_map(|(name, values)| Some((*name, Estimate::of(values)?)))
            .collect();
        Ok(Aggregate {
            competitions: competitions.len(),
            padded_runs: seeds.padded(),
            unused_runs: seeds.unused,
            seeds: seeds.names,
            by_seed,
            metrics,
        })
    }

    /// The mean over seeds of a percentage.
    pub fn estimate(&self, metric: Metric) -> Option<&Estimate> {
        self.metrics.get(metric.name())
    }
}

/// The percentage of each seed.
fn by_seed(seeds: &Seeds, metric: Metric) -> Vec<f64> {
    let share = |row: &Vec<Option<&crate::runs::Run>>| {
        let holds = |run: &&Option<&crate::runs::Run>| {
            // A run that is missing counts as one without a submission.
            metric.holds(&run.and_then(|run| run.marks).unwrap_or_default())
        };
        row.iter().filter(holds).count() as f64 / row.len() as f64 * 100.0
    };
    seeds.runs.iter().map(share).collect()
}
