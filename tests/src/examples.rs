//! The examples of competitions: `competitions/<id>/example/`.
//!
//! An example shows the format and what a grader says, on a few dozen rows of made-up data:
//!
//! - `answers.csv` (or `answers.jsonl`): the answers;
//! - `submissions/<name>.csv`: two or three submissions, one of them invalid;
//! - `expected.json`: what each earns, an object from the names to objects with `outcome` and, where it is `scored`, the
//!   rounded `score` and the `medal` (`gold`, `silver`, `bronze` or null); `message` may be given where there is one:
//!
//! ```json
//! {
//!   "good": { "outcome": "scored", "score": 0.83333, "medal": "gold" },
//!   "missing-row": { "outcome": "invalid-submission", "message": "…" }
//! }
//! ```

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use podium::{Catalog, Competition, GradingReport, ListedSubmission, Medal, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::artifacts;

/// The example of one competition.
#[derive(Debug)]
pub struct Example {
    /// The competition.
    pub competition: Competition,
    /// The file of answers.
    pub answers: PathBuf,
    /// The submissions with what is expected of them, by name.
    pub submissions: BTreeMap<String, (PathBuf, ExpectedReport)>,
}

/// What an example says of a submission.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedReport {
    /// How the grading ends.
    pub outcome: Outcome,
    /// The rounded score.
    pub score: Option<f64>,
    /// The medal.
    pub medal: Option<Medal>,
    /// The message, word for word.
    pub message: Option<String>,
}

impl ExpectedReport {
    /// What of a report is not as expected; nothing if all is.
    pub fn differences(&self, report: &GradingReport) -> Vec<String> {
        let mut differences = Vec::new();
        if report.outcome != self.outcome {
            let message = report.message.as_deref().unwrap_or_default();
            differences.push(format!(
                "outcome {} instead of {} ({message})",
                report.outcome, self.outcome
            ));
            return differences;
        }
        if report.score != self.score {
            differences.push(format!("score {:?} instead of {:?}", report.score, self.score));
        }
        if report.medal() != self.medal {
            differences.push(format!("medal {:?} instead of {:?}", report.medal(), self.medal));
        }
        if self.message.is_some() && report.message != self.message {
            differences.push(format!("message {:?} instead of {:?}", report.message, self.message));
        }
        differences
    }
}

/// The built-in competitions, with the built graders.
pub fn catalog() -> Catalog {
    Catalog::new(vec![artifacts::competitions()], vec![artifacts::graders()])
}

/// The examples of all competitions that have a grader, sorted by id.
///
/// # Panics
/// When one is missing or broken, with what is wrong.
pub fn all() -> Vec<Example> {
    let catalog = catalog();
    artifacts::grader_ids()
        .iter()
        .map(|id| {
            artifacts::grader(id);
            let competition = catalog.get(id).unwrap_or_else(|error| panic!("{id}: {error}"));
            Example::read(competition)
        })
        .collect()
}

impl Example {
    fn read(competition: Competition) -> Example {
        let folder = artifacts::competitions().join(competition.id()).join("example");
        let answers = ["answers.csv", "answers.jsonl"]
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.is_file())
            .unwrap_or_else(|| panic!("{} has no answers.csv or answers.jsonl", folder.display()));
        let path = folder.join("expected.json");
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let expected: BTreeMap<String, ExpectedReport> = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let names = submission_names(&folder.join("submissions"));
        assert!(
            names.iter().eq(expected.keys()),
            "{}: submissions {names:?}, expected are {:?}",
            folder.display(),
            expected.keys()
        );
        let submissions = expected
            .into_iter()
            .map(|(name, expected)| {
                let path = folder.join("submissions").join(format!("{name}.csv"));
                (name, (path, expected))
            })
            .collect();
        Example { competition, answers, submissions }
    }

    /// Puts the answers where the competition expects them in a data folder.
    ///
    /// # Panics
    /// When a file cannot be written, or the competition expects several files of answers.
    pub fn prepare(&self, data_folder: &Path) {
        let [to] = &self.competition.answers_in(data_folder)[..] else {
            panic!("{}: an example has one file of answers", self.competition.id());
        };
        let folder = to.parent().expect("a file in a folder");
        fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        fs::copy(&self.answers, to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    }

    /// The submissions as lines of a list; `run` says which is which.
    pub fn listed(&self) -> Vec<ListedSubmission> {
        self.submissions
            .iter()
            .map(|(name, (path, _))| ListedSubmission {
                line: 1,
                competition_id: self.competition.id().to_owned(),
                submission_path: Some(path.clone()),
                run: Map::from_iter([("name".to_owned(), Value::from(name.as_str()))]),
            })
            .collect()
    }
}

fn submission_names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension() == Some(OsStr::new("csv")))
        .map(|path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
