//! `cargo xtask bench`: how fast Podium grades, side by side with the reference, in one run on one machine.
//!
//! The data is made up, the same in every run. The reference is Python with the versions that MLE-bench's scores were
//! recorded with; where there is no Python or no package index, its columns stay empty. Results go to standard output and,
//! where everything was measured, between two marks into `docs/performance.md`.

mod archive;
mod chosen;
mod costs;
mod experiments;
mod large;
pub(crate) mod limits;
mod measure;
mod numbers;
mod reference;
mod table;
mod workloads;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;

use crate::{graders, page, test, workspace};
use chosen::{Chosen, Small};
use large::Large;
use measure::Measured;
use reference::Reference;
use table::{Row, Setting, Side};
use workloads::Workload;

/// What `cargo xtask bench` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What is measured: `small`, `million-rows`, `bulk`, `experiments`, `regrade`, `fuel`, `receipts`, or the id of a
    /// competition; all of the first and the largest competitions if nothing is named
    #[arg(value_name = "WORKLOAD")]
    workloads: Vec<String>,
    /// A checkout of openai/mle-bench whose own graders are timed, instead of the same calls written out; the large
    /// competitions are compared with nothing else
    #[arg(long, value_name = "FOLDER")]
    reference: Option<PathBuf>,
    /// A Python that has the reference's packages, instead of one that is made in target/bench/python
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
    /// Measure the graders and the program in target/ as they are
    #[arg(long)]
    no_build: bool,
    /// Leave docs/performance.md as it is
    #[arg(long)]
    print_only: bool,
    /// For work on the benchmark itself: this share of the large competitions' rows, such as 0.01. Nothing is written down
    #[arg(long, default_value_t = 1.0, value_parser = share)]
    scale: f64,
}

/// Parses a number above 0 and at most 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("give a number above 0 and at most 1".to_owned()),
    }
}

/// Builds, measures, prints, and writes the table down.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let chosen = Chosen::by(&arguments.workloads)?;
    let podium = if arguments.no_build {
        workspace::built_podium()
    } else {
        let competitions = chosen.competitions();
        if !competitions.is_empty() {
            graders::run(&graders::Arguments::of(&competitions))?;
        }
        if !chosen.costs.is_empty() {
            costs::build()?;
        }
        test::build_podium()?
    };
    ensure!(podium.is_file(), "{} is not there: leave out --no-build", podium.display());
    let folder = workspace::target().join("bench");
    let bench = Bench {
        podium,
        reference: if chosen.competitions().is_empty() {
            Err(anyhow!("it has no part in what is measured"))
        } else {
            Reference::prepare(
                &folder.join("python"),
                arguments.python.as_deref(),
                arguments.reference.as_deref(),
            )
        },
        folder,
        scale: arguments.scale,
    };
    if let Err(reason) = &bench.reference {
        eprintln!("the reference is not measured: {reason:#}");
    }
    let setting = Setting {
        own_graders: arguments.reference.is_some(),
        scale: arguments.scale,
        load: table::load(),
    };
    if let Some(busy) = setting.busy() {
        eprintln!("{busy}");
    }
    let rows = chosen.small.iter().map(|small| bench.small(*small)).collect::<Result<Vec<_>>>()?;
    let mut costs = Vec::new();
    for cost in &chosen.costs {
        costs.extend(bench.costs(*cost)?);
    }
    let mut largest = Vec::new();
    let mut differing = Vec::new();
    for large in &chosen.large {
        let (row, scores_differ) = bench.large(large)?;
        eprint!("{}", row.line());
        largest.push(row);
        differing.extend(scores_differ);
    }
    let section = table::section(&rows, &costs, &largest, &setting);
    println!("{section}");
    ensure!(differing.is_empty(), "what is timed has to be right: {}", differing.join("; "));
    if arguments.print_only || arguments.scale < 1.0 {
        return Ok(());
    }
    if !arguments.workloads.is_empty() {
        eprintln!("docs/performance.md is left as it is: not everything was measured");
        return Ok(());
    }
    let path = workspace::root().join("docs/performance.md");
    page::replace_part(&path, "bench", &section)?;
    eprintln!("written into {}", path.display());
    Ok(())
}

struct Bench {
    podium: PathBuf,
    folder: PathBuf,
    /// Or why there is none.
    reference: Result<Reference>,
    /// The share of the large competitions' rows.
    scale: f64,
}

impl Bench {
    fn small(&self, small: Small) -> Result<Row> {
        match small {
            Small::WholeProcess => self.whole_process(),
            Small::MillionRows => self.million_rows(),
            Small::Bulk => self.bulk(),
            Small::Experiments => self.experiments(),
            Small::Regrade => self.regrade(),
        }
    }

    /// One small submission: what starting, loading, grading and reporting cost together.
    fn whole_process(&self) -> Result<Row> {
        eprintln!("measuring one small submission");
        let workload = workloads::small(&self.folder)?;
        let podium = measure::median(21, || self.measured_right(&workload))?;
        let reference = self.reference_right(5, &workload, |graded| graded.whole_process)?;
        Ok(Row::compared("grade-sample, 60 rows, whole process", Ok(podium), reference, 40.0))
    }

    /// A large submission: our whole process against the reference's reading and grading alone.
    fn million_rows(&self) -> Result<Row> {
        eprintln!("measuring a submission of a million rows");
        let workload = workloads::million_rows(&self.folder)?;
        let podium = measure::median(5, || self.measured_right(&workload))?;
        let reference = self.reference_right(3, &workload, |graded| graded.reading_and_grading)?;
        Ok(Row::compared("ROC AUC, 1,000,000 rows with text ids", Ok(podium), reference, 10.0))
    }

    /// Many small submissions in one call.
    fn bulk(&self) -> Result<Row> {
        const SUBMISSIONS: u32 = 1_000;
        eprintln!("measuring {SUBMISSIONS} small submissions");
        let workload = workloads::small(&self.folder)?;
        let list = workloads::list(&workload, SUBMISSIONS)?;
        let reports = self.folder.join("reports");
        let podium = measure::median(5, || {
            let mut command = Command::new(&self.podium);
            command
                .args(["grade", "--json", "--no-receipts", "--submission"])
                .arg(&list)
                .arg("--output-dir")
                .arg(&reports)
                .arg("--data-dir")
                .arg(&workload.data);
            let ended = measure::run(&mut command)?;
            ensure!(ended.status.success(), "podium grade failed, {}", ended.reason());
            let report: serde_json::Value =
                serde_json::from_str(&ended.stdout).context("podium grade printed no JSON")?;
            ensure!(
                report["total_valid_submissions"] == SUBMISSIONS,
                "not all submissions were graded"
            );
            Ok(ended.measured)
        })?;
        // They are of no use, and there are many.
        fs::remove_dir_all(&reports)
            .with_context(|| format!("could not remove {}", reports.display()))?;
        Ok(Row::throughput(
            "grade, 1,000 submissions of 60 rows",
            podium,
            f64::from(SUBMISSIONS),
            300.0,
        ))
    }

    /// The report of many experiments: reading grading reports, computing, writing tables and figures.
    fn experiments(&self) -> Result<Row> {
        eprintln!("measuring the report of {} gradings", experiments::GRADINGS);
        let runs = experiments::runs(&self.folder.join("experiments"))?;
        let out = self.folder.join("experiments/report");
        let podium = measure::median(5, || {
            let mut command = Command::new(&self.podium);
            command.args(["experiment", "report", "--force", "--out"]).arg(&out).arg(&runs);
            let ended = measure::run(&mut command)?;
            ensure!(ended.status.success(), "podium experiment report failed, {}", ended.reason());
            let page = fs::metadata(out.join("report.html")).context("there is no HTML report")?;
            ensure!(page.len() > 100_000, "the HTML report has {} bytes only", page.len());
            Ok(ended.measured)
        })?;
        Ok(Row::within("experiment report, 127 run groups, 28,575 gradings", podium, 5.0))
    }

    /// An archive of many small runs, graded for the first time.
    fn regrade(&self) -> Result<Row> {
        const RUNS: u32 = 10_000;
        eprintln!("measuring an archive of {RUNS} runs");
        let archived = archive::make(&self.folder.join("archive"), RUNS)?;
        let set = self.folder.join("archive/set");
        let measured = measure::median(3, || {
            // A set that is there would be gone on with.
            if set.exists() {
                fs::remove_dir_all(&set)
                    .with_context(|| format!("could not remove {}", set.display()))?;
            }
            let mut command = Command::new(&self.podium);
            command
                .args(["regrade", "--json"])
                .arg(&archived.archive)
                .arg("--set")
                .arg(&set)
                .arg("--data-dir")
                .arg(&archived.data);
            let ended = measure::run(&mut command)?;
            let printed: serde_json::Value = serde_json::from_str(&ended.stdout)
                .with_context(|| format!("podium regrade printed no JSON, {}", ended.reason()))?;
            let summary = &printed["summary"];
            let runs = &printed["archives"][0]["runs"];
            let valid = runs.as_array().is_some_and(|runs| {
                runs.iter().all(|run| run["new"]["valid"] == true && run["graded"] == "now")
            });
            ensure!(summary["runs"] == RUNS && valid, "not all was graded to a score: {summary}");
            Ok(ended.measured)
        })?;
        // There are many files in it.
        fs::remove_dir_all(&set).with_context(|| format!("could not remove {}", set.display()))?;
        Ok(Row::within_memory(
            "regrade, 10,000 runs of 5 competitions in a tar.zst",
            measured,
            60.0,
            500 << 20,
        ))
    }

    /// A large competition: our whole process against the reference's reading and grading alone. A side that fails shows in
    /// the row. Tells besides where the scores differ.
    fn large(&self, large: &Large) -> Result<(Row, Option<String>)> {
        let name = large.competition;
        let reference = self.reference.as_ref().ok();
        let reference = reference.filter(|reference| reference.knows_all_competitions());

        // Compiles the grader, and finds out at little cost whether both sides agree.
        let few = large.prepare(&self.folder.join("few-rows"), FEW.min(large.rows))?;
        let few_differ = differing(
            &self.grade_sample(&few),
            reference.map(|reference| reference.grade(&few)).as_ref(),
        );

        let rows = self.rows_of(large);
        eprintln!("making the data of {name}");
        let workload = self.prepare(large)?;
        // Neither side shall wait for the disk.
        read_through(&workload.answers)?;
        read_through(&workload.submission)?;

        eprintln!("measuring {name}");
        let podium = several(|| self.grade_sample(&workload));
        let reference = reference.map(|reference| several(|| reference.grade(&workload)));
        let differ = few_differ.or_else(|| differing(&podium, reference.as_ref()));
        let row = Row::large(
            name,
            rows,
            side(podium, |graded| graded.whole_process),
            reference.map(|reference| side(reference, |graded| graded.reading_and_grading)),
        );
        Ok((row, differ.map(|differ| format!("{name}: {differ}"))))
    }

    fn rows_of(&self, large: &Large) -> u64 {
        ((large.rows as f64 * self.scale) as u64).max(FEW.min(large.rows))
    }

    /// Makes the data of a competition, as large as is asked for.
    fn prepare(&self, large: &Large) -> Result<Workload> {
        let rows = self.rows_of(large);
        let data =
            if rows == large.rows { "data".to_owned() } else { format!("data-{}", self.scale) };
        large.prepare(&self.folder.join(data), rows)
    }

    /// Grades one submission and checks its score.
    fn measured_right(&self, workload: &Workload) -> Result<Measured> {
        let graded = self.grade_sample(workload)?;
        check_score(workload, graded.score)?;
        Ok(graded.whole_process)
    }

    /// Grades one submission.
    ///
    /// # Errors
    /// There is no score.
    fn grade_sample(&self, workload: &Workload) -> Result<Graded> {
        let mut command = Command::new(&self.podium);
        command
            .args(["grade-sample", "--json"])
            .arg(&workload.submission)
            .arg(workload.competition)
            .arg("--data-dir")
            .arg(&workload.data);
        let ended = measure::run(&mut command)?;
        let report: Result<Report, _> = serde_json::from_str(&ended.stdout);
        match report {
            Ok(Report { unrounded_score: Some(score), .. }) if ended.status.success() => {
                Ok(Graded {
                    whole_process: ended.measured,
                    reading_and_grading: ended.measured,
                    score,
                })
            }
            Ok(Report { outcome, message: Some(message), .. }) => bail!("{outcome}: {message}"),
            _ => bail!("podium grade-sample failed, {}", ended.reason()),
        }
    }

    /// The same by the reference, several times after a first time that warms caches up; nothing where there is none.
    fn reference_right(
        &self,
        runs: usize,
        workload: &Workload,
        part: impl Fn(&Graded) -> Measured,
    ) -> Result<Option<Side>> {
        let Ok(reference) = &self.reference else { return Ok(None) };
        let measured = measure::median(runs, || {
            let graded = reference.grade(workload)?;
            check_score(workload, graded.score)?;
            Ok(part(&graded))
        })?;
        Ok(Some(Ok(measured)))
    }
}

/// The rows of the gradings that come before those which are measured.
const FEW: u64 = 1_000;

/// One grading of a submission.
#[derive(Debug, Clone, Copy)]
struct Graded {
    /// Starting, loading, reading, grading and reporting.
    whole_process: Measured,
    /// Reading both files and grading, where that is told apart, with the memory of the whole process.
    reading_and_grading: Measured,
    /// Before it is rounded.
    score: f64,
}

/// What `podium grade-sample --json` prints.
#[derive(Deserialize)]
struct Report {
    outcome: String,
    message: Option<String>,
    unrounded_score: Option<f64>,
}

/// Grades three times, after one time that warms caches up, or only once if that takes a while.
fn several(mut grade: impl FnMut() -> Result<Graded>) -> Result<Graded> {
    let mut whole_process = Vec::new();
    let mut score = f64::NAN;
    let reading_and_grading = measure::median_if_quick(|| {
        let graded = grade()?;
        whole_process.push(graded.whole_process);
        score = graded.score;
        Ok(graded.reading_and_grading)
    })?;
    if whole_process.len() > 1 {
        whole_process.remove(0);
    }
    Ok(Graded { whole_process: measure::median_of(whole_process), reading_and_grading, score })
}

/// How a side shows in the table.
fn side(graded: Result<Graded>, part: impl Fn(&Graded) -> Measured) -> Side {
    graded.map(|graded| part(&graded)).map_err(|error| format!("{error:#}"))
}

/// Says so where the scores differ.
fn differing(podium: &Result<Graded>, reference: Option<&Result<Graded>>) -> Option<String> {
    let (Ok(podium), Some(Ok(reference))) = (podium, reference) else { return None };
    (!same_score(podium.score, reference.score)).then(|| {
        format!("the score is {}, by the reference it is {}", podium.score, reference.score)
    })
}

/// What is timed has to be right.
fn check_score(workload: &Workload, score: f64) -> Result<()> {
    let Some(expected) = workload.score else { return Ok(()) };
    ensure!(
        same_score(score, expected),
        "{}: the score is {score}, expected was {expected}",
        workload.competition
    );
    Ok(())
}

/// Sums of millions may differ in their last digits.
fn same_score(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * right.abs().max(1.0)
}

/// Has the system keep a file in memory.
fn read_through(path: &Path) -> Result<()> {
    File::open(path)
        .and_then(|mut file| io::copy(&mut file, &mut io::sink()))
        .with_context(|| format!("could not read {}", path.display()))?;
    Ok(())
}

/// Writes a file of made-up data unless it is there from an earlier run.
fn write_data(path: &Path, make: impl FnOnce() -> String) -> Result<()> {
    workspace::write_if_changed(path, make().as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_above_0_and_at_most_1() {
        for (text, valid) in [
            ("1", true),
            ("0.01", true),
            ("0", false),
            ("1.1", false),
            ("x", false),
            ("NaN", false),
        ] {
            assert_eq!(share(text).is_ok(), valid, "{text}");
        }
    }

    #[test]
    fn only_two_scores_can_differ() {
        let measured = Measured { seconds: 1.0, peak_memory: None };
        let graded =
            |score| Ok(Graded { whole_process: measured, reading_and_grading: measured, score });
        let failed = || Err(anyhow::anyhow!("no memory"));
        for (podium, reference, expected) in [
            (graded(0.5), Some(graded(0.5)), false),
            (graded(0.5), Some(graded(0.6)), true),
            (graded(f64::NAN), Some(graded(0.6)), true),
            (graded(0.5), Some(failed()), false),
            (failed(), Some(graded(0.5)), false),
            (graded(0.5), None, false),
        ] {
            let differ = differing(&podium, reference.as_ref());
            assert_eq!(differ.is_some(), expected, "{podium:?} {reference:?}");
        }
    }

    #[test]
    fn scores_may_differ_in_their_last_digits() {
        for (left, right, same) in [
            (0.5, 0.5, true),
            (0.5, 0.5 + 1e-12, true),
            (0.5, 0.5001, false),
            (1e6, 1e6 + 1e-4, true),
            (1e6, 1e6 + 1.0, false),
            (f64::NAN, 0.5, false),
        ] {
            assert_eq!(same_score(left, right), same, "{left} {right}");
        }
    }
}
