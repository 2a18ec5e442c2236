//! `cargo xtask bench`: how fast Podium grades, side by side with the reference, in one run on one machine.
//!
//! The data is made up, the same in every run. The reference is Python with the versions that MLE-bench's scores were
//! recorded with; where there is no Python or no package index, its columns stay empty. Results go to standard output and,
//! between two marks, into `docs/performance.md`.

mod measure;
mod reference;
mod table;
mod workloads;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::{graders, test, workspace};
use measure::Measured;
use reference::Reference;
use table::Row;
use workloads::Workload;

/// What `cargo xtask bench` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A checkout of openai/mle-bench whose own graders are timed, instead of the same calls written out
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
}

/// Builds, measures, prints, and writes the table down.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let podium = if arguments.no_build {
        workspace::built_podium()
    } else {
        graders::run(&graders::Arguments::of(&workloads::COMPETITIONS.map(str::to_owned)))?;
        test::build_podium()?
    };
    let bench = Bench {
        podium,
        folder: workspace::target().join("bench"),
        reference: Reference::prepare(
            &workspace::target().join("bench/python"),
            arguments.python.as_deref(),
            arguments.reference.as_deref(),
        ),
    };
    if let Err(reason) = &bench.reference {
        eprintln!("the reference is not measured: {reason:#}");
    }
    let rows = [bench.whole_process()?, bench.million_rows()?, bench.bulk()?];
    let section = table::section(&rows, arguments.reference.is_some());
    println!("{section}");
    if !arguments.print_only {
        let path = workspace::root().join("docs/performance.md");
        table::write_into(&path, &section)?;
        eprintln!("written into {}", path.display());
    }
    Ok(())
}

struct Bench {
    podium: PathBuf,
    folder: PathBuf,
    /// Or why there is none.
    reference: Result<Reference>,
}

impl Bench {
    /// One small submission: what starting, loading, grading and reporting cost together.
    fn whole_process(&self) -> Result<Row> {
        eprintln!("measuring one small submission");
        let workload = workloads::small(&self.folder)?;
        let podium = measure::median(21, || self.grade_sample(&workload))?;
        let reference = self.reference(5, &workload)?.map(|reference| reference.whole_process);
        Ok(Row::compared("grade-sample, 60 rows, whole process", podium, reference, 40.0))
    }

    /// A large submission: our whole process against the reference's reading and grading alone.
    fn million_rows(&self) -> Result<Row> {
        eprintln!("measuring a submission of a million rows");
        let workload = workloads::million_rows(&self.folder)?;
        let podium = measure::median(5, || self.grade_sample(&workload))?;
        let reference = self.reference(3, &workload)?.map(|reference| Measured {
            seconds: reference.reading_and_grading,
            ..reference.whole_process
        });
        Ok(Row::compared("ROC AUC, 1,000,000 rows with text ids", podium, reference, 10.0))
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
            let (measured, output) = measure::run(&mut command)?;
            let report: serde_json::Value =
                serde_json::from_str(&output).context("podium grade printed no JSON")?;
            ensure!(
                report["total_valid_submissions"] == SUBMISSIONS,
                "not all submissions were graded"
            );
            Ok(measured)
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

    fn grade_sample(&self, workload: &Workload) -> Result<Measured> {
        let mut command = Command::new(&self.podium);
        command
            .args(["grade-sample", "--json"])
            .arg(&workload.submission)
            .arg(workload.competition)
            .arg("--data-dir")
            .arg(&workload.data);
        let (measured, output) = measure::run(&mut command)?;
        check_score(workload, score_of_report(&output)?)?;
        Ok(measured)
    }

    fn reference(&self, runs: usize, workload: &Workload) -> Result<Option<reference::Timing>> {
        let Ok(reference) = &self.reference else { return Ok(None) };
        let timing = reference.grade(runs, workload)?;
        check_score(workload, timing.score)?;
        Ok(Some(timing))
    }
}

fn score_of_report(output: &str) -> Result<f64> {
    #[derive(Deserialize)]
    struct Report {
        unrounded_score: Option<f64>,
    }
    let report: Report =
        serde_json::from_str(output).context("podium grade-sample printed no JSON")?;
    report.unrounded_score.with_context(|| format!("the submission was not scored: {output}"))
}

/// What is timed has to be right.
fn check_score(workload: &Workload, score: f64) -> Result<()> {
    ensure!(
        (score - workload.score).abs() < 1e-9,
        "{}: the score is {score}, expected was {}",
        workload.competition,
        workload.score
    );
    Ok(())
}

/// Writes a file of made-up data unless it is there from an earlier run.
fn write_data(path: &Path, make: impl FnOnce() -> String) -> Result<()> {
    workspace::write_if_changed(path, make().as_bytes())?;
    Ok(())
}
