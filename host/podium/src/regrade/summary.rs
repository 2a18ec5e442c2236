//! How many runs of an archive came out how.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::comparison::{Graded, RegradeVerdict, RegradedRun};

/// The counts over the runs of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegradeSummary {
    /// All runs, those that an interruption left included.
    pub runs: u64,
    /// How many of them an interruption left: they came out in no way.
    #[serde(default)]
    pub left: u64,
    /// How many came out in each way; all ways are listed.
    pub by_verdict: BTreeMap<RegradeVerdict, u64>,
    /// How many were graded now, by running a grader.
    pub graded_now: u64,
    /// How many had their receipt in the set already.
    pub graded_before: u64,
    /// How many have the same submission as another run, and were graded with it.
    pub duplicates: u64,
    /// How many earn another medal than was recorded.
    pub medal_changes: u64,
}

impl RegradeSummary {
    /// The counts over these runs.
    pub fn of(runs: &[RegradedRun]) -> RegradeSummary {
        let mut summary = RegradeSummary::default();
        for verdict in RegradeVerdict::ALL {
            summary.by_verdict.insert(verdict, 0);
        }
        for run in runs {
            summary.runs += 1;
            *summary.by_verdict.entry(run.verdict).or_default() += 1;
            match run.graded {
                Graded::Now => summary.graded_now += 1,
                Graded::Before => summary.graded_before += 1,
                Graded::AsDuplicate => summary.duplicates += 1,
                Graded::Not => {}
            }
            summary.medal_changes += u64::from(run.medal_changed());
        }
        summary
    }

    /// How many came out in this way.
    pub fn count(&self, verdict: RegradeVerdict) -> u64 {
        self.by_verdict.get(&verdict).copied().unwrap_or_default()
    }

    /// Whether all that was recorded still holds, of every run.
    pub fn holds(&self) -> bool {
        self.left == 0
            && self.by_verdict.iter().all(|(verdict, count)| verdict.holds() || *count == 0)
    }

    /// How many submissions were judged, be it that they are invalid.
    pub fn with_result(&self) -> u64 {
        let judged = |verdict: &RegradeVerdict| {
            verdict.has_result() && *verdict != RegradeVerdict::NoSubmission
        };
        self.by_verdict.iter().filter(|(verdict, _)| judged(verdict)).map(|(_, count)| count).sum()
    }

    /// How many came to no result for reasons that say nothing of their submissions.
    pub fn without_result(&self) -> u64 {
        RegradeVerdict::ON_THIS_SIDE.iter().map(|verdict| self.count(*verdict)).sum()
    }

    /// Why so many came to no result: `3 no-data, 1 grader-failed`.
    pub fn why_without_result(&self) -> String {
        let counts: Vec<String> = RegradeVerdict::ON_THIS_SIDE
            .iter()
            .map(|verdict| (self.count(*verdict), verdict.name()))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        counts.join(", ")
    }

    /// Adds the counts of another archive.
    pub fn add(&mut self, other: &RegradeSummary) {
        self.runs += other.runs;
        self.left += other.left;
        self.graded_now += other.graded_now;
        self.graded_before += other.graded_before;
        self.duplicates += other.duplicates;
        self.medal_changes += other.medal_changes;
        for (verdict, count) in &other.by_verdict {
            *self.by_verdict.entry(*verdict).or_default() += count;
        }
    }
}
