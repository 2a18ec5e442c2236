//! What Podium's promises cost: metering fuel, so that a grading ends in the same place everywhere, and receipts, so that a
//! number can be proven.
//!
//! The parts of a single grading are told apart by the program `costs` of the tests, which links the library. Many small
//! gradings are those of the `podium` program, with receipts and without, in turns.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::workloads::{self, Workload};
use super::{Bench, large, measure};
use crate::workspace;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cost {
    Fuel,
    Receipts,
}

impl Cost {
    pub(super) const ALL: [(&str, Cost); 2] = [("fuel", Cost::Fuel), ("receipts", Cost::Receipts)];
}

/// A cost as shares of what there would be without it: 0.1 are ten per cent.
pub(super) struct Row {
    what: String,
    /// One for each workload.
    shares: Vec<f64>,
    /// What the median has to stay below; `None` where the row is for information.
    goal: Option<f64>,
}

/// What the program `costs` says of a workload.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Fuel { metered: f64, unmetered: f64 },
    Receipts { hashing: f64, grading: f64, receipt: f64 },
}

/// Builds the program that tells the parts of a grading apart.
pub(super) fn build() -> Result<()> {
    workspace::run(workspace::cargo().args(["build", "--quiet", "--release", "--bin", "costs"]))
}

impl Bench {
    /// Measures a cost over all gradings of the largest competitions, and receipts over many small gradings as well.
    pub(super) fn costs(&self, cost: Cost) -> Result<Vec<Row>> {
        let mut workloads = Vec::new();
        for large in large::LARGEST.into_iter().chain(large::MORE) {
            eprintln!("making the data of {}", large.competition);
            workloads.push(self.prepare(&large)?);
        }
        let name = Cost::ALL.iter().find(|(_, known)| *known == cost).map_or("", |(name, _)| *name);
        eprintln!("measuring what {name} cost in {} gradings", workloads.len());
        let seconds = parts(name, &workloads)?;
        let of = format!("{} gradings of real size", workloads.len());
        match cost {
            Cost::Fuel => {
                let shares = seconds.iter().filter_map(|seconds| match seconds {
                    Seconds::Fuel { metered, unmetered } => Some(metered / unmetered - 1.0),
                    Seconds::Receipts { .. } => None,
                });
                let what = format!("metering fuel, {of}");
                Ok(vec![Row { what, shares: shares.collect(), goal: Some(0.3) }])
            }
            Cost::Receipts => {
                let (mut making, mut digests) = (Vec::new(), Vec::new());
                for seconds in &seconds {
                    if let Seconds::Receipts { hashing, grading, receipt } = seconds {
                        making.push(receipt / (hashing + grading));
                        digests.push(hashing / grading);
                    }
                }
                let many = self.receipts_of_many()?;
                Ok(vec![
                    Row { what: format!("receipts, {of}"), shares: making, goal: Some(0.01) },
                    Row {
                        what: format!("digests of the inputs, {of}"),
                        shares: digests,
                        goal: None,
                    },
                    many,
                ])
            }
        }
    }

    /// Grades a thousand small submissions, each another one, with receipts and without.
    fn receipts_of_many(&self) -> Result<Row> {
        const SUBMISSIONS: u32 = 1_000;
        const PAIRS: usize = 9;
        eprintln!("measuring receipts of {SUBMISSIONS} small submissions");
        let (data, list) = workloads::different(&self.folder, SUBMISSIONS)?;
        let reports = self.folder.join("reports");
        let grade = |more: &[&str]| -> Result<f64> {
            let mut command = Command::new(&self.podium);
            command.args(["grade", "--json", "--submission"]).arg(&list);
            command.arg("--output-dir").arg(&reports).arg("--data-dir").arg(&data).args(more);
            let ended = measure::run(&mut command)?;
            ensure!(ended.status.success(), "podium grade failed, {}", ended.reason());
            let receipts = files(&reports.join("receipts"));
            let expected = if more.is_empty() { SUBMISSIONS as usize } else { 0 };
            ensure!(receipts == expected, "{receipts} receipts were written");
            fs::remove_dir_all(&reports)
                .with_context(|| format!("could not remove {}", reports.display()))?;
            Ok(ended.measured.seconds)
        };
        let mut shares = Vec::new();
        for pair in 0..=PAIRS {
            let without = grade(&["--no-receipts"])?;
            let with = grade(&[])?;
            if pair > 0 {
                shares.push(with / without - 1.0);
            }
        }
        let what = format!("writing receipts, 1,000 submissions of 60 rows, {PAIRS} pairs of runs");
        Ok(Row { what, shares, goal: Some(0.01) })
    }
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, |entries| entries.flatten().count())
}

/// What the parts of each grading take.
fn parts(cost: &str, workloads: &[Workload]) -> Result<Vec<Seconds>> {
    let program =
        workspace::built_podium().with_file_name(format!("costs{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(program);
    command.args(["--cost", cost]);
    for workload in workloads {
        command.args(["--workload", workload.competition]);
        command.arg(&workload.submission).arg(&workload.answers);
    }
    let said = workspace::output(&mut command)?;
    said.lines()
        .map(|line| {
            eprintln!("{line}");
            serde_json::from_str(line).with_context(|| format!("the program printed {line}"))
        })
        .collect()
}

impl Row {
    fn median(&self) -> f64 {
        let mut shares = self.shares.clone();
        shares.sort_by(f64::total_cmp);
        shares.get(shares.len() / 2).copied().unwrap_or(f64::NAN)
    }

    fn line(&self) -> String {
        let extreme =
            |choose: fn(f64, f64) -> f64| self.shares.iter().copied().fold(f64::NAN, choose);
        let percent = |share: f64| format!("{:.2} %", share * 100.0);
        let median = self.median();
        let (goal, met) = match self.goal {
            None => ("–".to_owned(), "–"),
            Some(goal) => {
                let met = if median <= goal { "yes" } else { "no" };
                (format!("median at most {:.0} %", goal * 100.0), met)
            }
        };
        format!(
            "| {} | {} | {} | {} | {goal} | {met} |\n",
            self.what,
            percent(extreme(f64::min)),
            percent(median),
            percent(extreme(f64::max)),
        )
    }
}

/// The table of costs.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "\nWhat Podium's promises cost, in per cent of what there is without. Metering is compared by the time on a processor of \
         the grading alone, between two compilations of each grader in one process; a receipt is made and written in one \
         process with the grading. Digests are needed without receipts, too: they tell that a file is still the same at the \
         end of a grading.\n\n\
         | what | least | median | most | goal | met |\n|---|---:|---:|---:|---|---|\n"
    );
    rows.iter().fold(text, |text, row| text + &row.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_decides() {
        let row =
            |shares: &[f64], goal| Row { what: "x".to_owned(), shares: shares.to_vec(), goal };
        assert_eq!(
            row(&[0.5, 0.1, 0.2], Some(0.3)).line(),
            "| x | 10.00 % | 20.00 % | 50.00 % | median at most 30 % | yes |\n"
        );
        assert!(row(&[0.5, 0.1, 0.4], Some(0.3)).line().ends_with("| no |\n"));
        assert!(row(&[0.5], None).line().ends_with("| – | – |\n"));
        // Nothing measured meets no goal.
        assert!(row(&[], Some(0.3)).line().ends_with("| no |\n"));
    }

    #[test]
    fn what_the_program_prints_is_read() {
        let fuel = r#"{"competition":"x","metered":2.0,"unmetered":1.0}"#;
        assert!(matches!(serde_json::from_str(fuel).unwrap(), Seconds::Fuel { .. }));
        let receipts = r#"{"competition":"x","hashing":2.0,"grading":1.0,"receipt":0.1}"#;
        assert!(matches!(serde_json::from_str(receipts).unwrap(), Seconds::Receipts { .. }));
    }
}
