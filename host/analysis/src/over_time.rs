//! What runs had come to at times after their start, where reports hold snapshots of them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::grading::{Marks, Metric};
use crate::runs::Run;

/// No curve has more points.
const MOST_POINTS: usize = 100;

/// What runs had come to by a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimePoint {
    /// Seconds after the start of each run.
    pub elapsed_seconds: f64,
    /// The percentages over all runs that have snapshots.
    pub metrics: BTreeMap<&'static str, f64>,
}

/// The curve over these runs and how many of them it is over; those without snapshots are left out.
pub(crate) fn curve<'a>(runs: impl Iterator<Item = &'a Run>) -> (usize, Vec<TimePoint>) {
    let runs: Vec<&Run> = runs.filter(|run| !run.snapshots.is_empty()).collect();
    let mut times: Vec<f64> =
        runs.iter().flat_map(|run| run.snapshots.iter().map(|(time, _)| *time)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let points = thinned(&times).into_iter().map(|time| {
        let marks: Vec<Marks> = runs.iter().map(|run| at(run, time)).collect();
        let share = |metric: &Metric| {
            let count = marks.iter().filter(|marks| metric.holds(marks)).count();
            (metric.name(), count as f64 / marks.len() as f64 * 100.0)
        };
        TimePoint { elapsed_seconds: time, metrics: Metric::ALL.iter().map(share).collect() }
    });
    (runs.len(), points.collect())
}

/// What a run had come to: its last snapshot until then; nothing before the first.
fn at(run: &Run, time: f64) -> Marks {
    let before = run.snapshots.partition_point(|(taken, _)| *taken <= time);
    before.checked_sub(1).map_or(Marks::default(), |last| run.snapshots[last].1)
}

/// Evenly chosen ones, the first and the last among them, where there are too many.
fn thinned(times: &[f64]) -> Vec<f64> {
    if times.len() <= MOST_POINTS {
        return times.to_vec();
    }
    (0..MOST_POINTS).map(|point| times[point * (times.len() - 1) / (MOST_POINTS - 1)]).collect()
}
