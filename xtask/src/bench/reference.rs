//! The reference's side of a benchmark: Python, with the versions of packages that its scores were recorded with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::measure::{self, Measured};
use super::workloads::Workload;
use crate::workspace;

const SCRIPT: &str = include_str!("reference.py");

/// What grading needs.
const PACKAGES: &[&str] =
    &["pandas==2.2.3", "numpy==1.26.4", "scikit-learn==1.5.2", "scipy==1.14.1"];

/// What importing the reference's own modules needs besides.
const PACKAGES_OF_CHECKOUT: &[&str] =
    &["appdirs", "diskcache", "pillow", "py7zr", "pymongo", "pyyaml", "tenacity", "tqdm"];

/// A Python that can grade as the reference does.
pub(super) struct Reference {
    python: PathBuf,
    script: PathBuf,
    checkout: Option<PathBuf>,
}

/// How long the reference took; medians.
pub(super) struct Timing {
    /// Starting Python, importing, reading and grading.
    pub(super) whole_process: Measured,
    /// Reading both files and grading, in seconds.
    pub(super) reading_and_grading: f64,
    /// The score.
    pub(super) score: f64,
}

impl Reference {
    /// Takes the Python that is named, else makes one with the right packages in `folder`.
    pub(super) fn prepare(
        folder: &Path,
        python: Option<&Path>,
        checkout: Option<&Path>,
    ) -> Result<Reference> {
        let checkout = checkout.map(std::path::absolute).transpose()?;
        if let Some(checkout) = &checkout {
            ensure!(
                checkout.join("mlebench/competitions").is_dir(),
                "{} is no checkout of openai/mle-bench",
                checkout.display()
            );
        }
        let python = match python {
            Some(python) => python.to_path_buf(),
            None => make_environment(folder, checkout.is_some())?,
        };
        let script = folder.with_file_name("reference.py");
        workspace::write_if_changed(&script, SCRIPT.as_bytes())?;
        Ok(Reference { python, script, checkout })
    }

    /// Grades a workload several times, after a first time that warms caches up.
    pub(super) fn grade(&self, runs: usize, workload: &Workload) -> Result<Timing> {
        self.grade_once(workload)?;
        let mut whole = Vec::new();
        let mut inner = Vec::new();
        let mut score = f64::NAN;
        for _ in 0..runs {
            let (measured, said) = self.grade_once(workload)?;
            whole.push(measured);
            inner.push(said.seconds);
            score = said.score;
        }
        inner.sort_by(f64::total_cmp);
        Ok(Timing {
            whole_process: measure::median_of(whole),
            reading_and_grading: inner[inner.len() / 2],
            score,
        })
    }

    fn grade_once(&self, workload: &Workload) -> Result<(Measured, Said)> {
        let mut command = Command::new(&self.python);
        command.arg(&self.script);
        if let Some(checkout) = &self.checkout {
            command.arg("--reference").arg(checkout);
        }
        command.arg(workload.competition).arg(&workload.submission).arg(&workload.answers);
        let (measured, output) = measure::run(&mut command)?;
        let said = serde_json::from_str(&output)
            .with_context(|| format!("the reference printed {output}"))?;
        Ok((measured, said))
    }
}

/// What the script prints.
#[derive(Deserialize)]
struct Said {
    seconds: f64,
    score: f64,
}

/// Makes a virtual environment, or takes the one from an earlier run.
fn make_environment(folder: &Path, with_checkout: bool) -> Result<PathBuf> {
    let mut packages = PACKAGES.to_vec();
    if with_checkout {
        packages.extend(PACKAGES_OF_CHECKOUT);
    }
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = programs.join(if cfg!(windows) { "python.exe" } else { "python" });
    let mark = folder.join("podium-packages.txt");
    let wanted = packages.join("\n");
    if fs::read_to_string(&mark).is_ok_and(|present| present == wanted) {
        return Ok(python);
    }
    eprintln!("making a Python for the reference in {}", folder.display());
    workspace::run(Command::new("python3").args(["-m", "venv"]).arg(folder))
        .context("install Python 3.11 with the module venv")?;
    workspace::run(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(&packages),
    )
    .context("pip needs a package index and Python 3.9 to 3.12")?;
    workspace::write_if_changed(&mark, wanted.as_bytes())?;
    Ok(python)
}
