//! The reference's side of a benchmark: Python, with the versions of packages that its scores were recorded with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Graded;
use super::measure::{self, Measured};
use super::workloads::Workload;
use crate::workspace;

const SCRIPT: &str = include_str!("reference.py");

/// What grading needs.
const PACKAGES: &[&str] =
    &["pandas==2.2.3", "numpy==1.26.4", "scikit-learn==1.5.2", "scipy==1.14.1"];

/// What importing the reference's own modules needs besides.
const PACKAGES_OF_CHECKOUT: &[&str] = &[
    "appdirs",
    "diskcache",
    "levenshtein",
    "pillow",
    "py7zr",
    "pymongo",
    "pyyaml",
    "tenacity",
    "tqdm",
];

/// A Python that can grade as the reference does.
pub(super) struct Reference {
    python: PathBuf,
    script: PathBuf,
    checkout: Option<PathBuf>,
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

    /// Whether the reference's own graders are there, which know every competition.
    pub(super) fn knows_all_competitions(&self) -> bool {
        self.checkout.is_some()
    }

    /// Reads and grades once.
    ///
    /// # Errors
    /// Python could not be started, the reference failed or found the submission invalid.
    pub(super) fn grade(&self, workload: &Workload) -> Result<Graded> {
        let mut command = Command::new(&self.python);
        command.arg(&self.script);
        if let Some(checkout) = &self.checkout {
            command.arg("--reference").arg(checkout);
        }
        command.arg(workload.competition).arg(&workload.submission).arg(&workload.answers);
        let ended = measure::run(&mut command)?;
        ensure!(ended.status.success(), "{}", ended.reason());
        let said: Said = serde_json::from_str(&ended.stdout)
            .with_context(|| format!("the reference printed {}", ended.stdout))?;
        Ok(Graded {
            whole_process: ended.measured,
            reading_and_grading: Measured { seconds: said.seconds, ..ended.measured },
            score: said.score,
        })
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
