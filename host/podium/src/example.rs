//! The example of a competition: `example/` in its folder, some rows of made-up data that show the format, what a grader
//! says of it, and that it says so still.
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

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::competition::Competition;
use crate::error::Error;
use crate::medals::Medal;
use crate::outcome::Outcome;
use crate::report::GradingReport;

/// The example of a competition.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The file of answers.
    pub answers: PathBuf,
    /// The submissions, by name.
    pub submissions: BTreeMap<String, ExampleSubmission>,
}

/// A submission of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct ExampleSubmission {
    /// The file.
    pub path: PathBuf,
    /// What it earns.
    pub expected: ExpectedReport,
}

/// What an example says of a submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedReport {
    /// How the grading ends.
    pub outcome: Outcome,
    /// The rounded score.
    pub score: Option<f64>,
    /// The medal.
    pub medal: Option<Medal>,
    /// The message, word for word; any will do where none is given.
    pub message: Option<String>,
}

impl ExpectedReport {
    /// What of a report is not as expected, in words; nothing if all is.
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
            let words = |score: Option<f64>| score.map_or("none".to_owned(), |it| it.to_string());
            let (found, expected) = (words(report.score), words(self.score));
            differences.push(format!("score {found} instead of {expected}"));
        }
        if report.medal() != self.medal {
            let words = |medal: Option<Medal>| medal.map_or("none", Medal::name);
            let (found, expected) = (words(report.medal()), words(self.medal));
            differences.push(format!("medal {found} instead of {expected}"));
        }
        if self.message.is_some() && report.message != self.message {
            let words = |message: &Option<String>| message.as_deref().unwrap_or("none").to_owned();
            let (found, expected) = (words(&report.message), words(&self.message));
            differences.push(format!("message `{found}` instead of `{expected}`"));
        }
        differences
    }
}

impl Example {
    /// Reads the example of a competition; `None` if it has none.
    ///
    /// # Errors
    /// [`Error::Read`], and [`Error::Example`] where files are missing, unexpected or not what they should be.
    pub fn of(competition: &Competition) -> Result<Option<Example>, Error> {
        let folder = competition.folder.join("example");
        if !folder.is_dir() {
            return Ok(None);
        }
        let wrong =
            |path: &Path, message: String| Error::Example { path: path.to_owned(), message };
        let answers = ["answers.csv", "answers.jsonl"]
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.is_file())
            .ok_or_else(|| wrong(&folder, "it has no answers.csv or answers.jsonl".to_owned()))?;
        let path = folder.join("expected.json");
        let text = fs::read_to_string(&path).map_err(|source| Error::read(&path, source))?;
        let expected: BTreeMap<String, ExpectedReport> =
            serde_json::from_str(&text).map_err(|error| wrong(&path, error.to_string()))?;
        let submissions = folder.join("submissions");
        let present = submission_names(&submissions)?;
        let named: BTreeSet<String> = expected.keys().cloned().collect();
        if let Some(name) = named.symmetric_difference(&present).next() {
            let message = if named.contains(name) {
                format!("it names `{name}`, but there is no submissions/{name}.csv")
            } else {
                format!("it does not name `{name}`, but there is a submissions/{name}.csv")
            };
            return Err(wrong(&path, message));
        }
        let submissions = expected
            .into_iter()
            .map(|(name, expected)| {
                let path = submissions.join(format!("{name}.csv"));
                (name, ExampleSubmission { path, expected })
            })
            .collect();
        Ok(Some(Example { answers, submissions }))
    }

    /// Puts the answers where the competition expects them in a data folder.
    ///
    /// # Errors
    /// [`Error::Example`] where the competition has several files of answers, which an example cannot show;
    /// [`Error::Write`].
    pub fn prepare(&self, competition: &Competition, data_folder: &Path) -> Result<(), Error> {
        let [to] = &competition.answers_in(data_folder)[..] else {
            return Err(Error::Example {
                path: self.answers.clone(),
                message: "an example has one file of answers, the competition several".to_owned(),
            });
        };
        let folder = to.parent().unwrap_or(data_folder);
        fs::create_dir_all(folder).map_err(|source| Error::write(folder, source))?;
        fs::copy(&self.answers, to).map_err(|source| Error::write(to, source))?;
        Ok(())
    }
}

fn submission_names(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let unreadable = |source| Error::read(folder, source);
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        if let Some(name) = name.to_string_lossy().strip_suffix(".csv") {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn competition(files: &[(&str, &str)]) -> (tempfile::TempDir, Competition) {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("seals");
        let definition = "id = \"seals\"\nname = \"Seals\"\n[metric]\nname = \"m\"\ndirection = \"higher\"\n[data]\nanswers = [\"private/a.csv\"]";
        for (name, content) in files.iter().chain(&[("competition.toml", definition)]) {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let competition = Competition::load(&folder, &[]).unwrap();
        (above, competition)
    }

    const EXPECTED: &str = r#"{"good": {"outcome": "scored", "score": 0.5, "medal": null}}"#;

    #[test]
    fn an_example_is_answers_and_submissions_with_what_they_earn() {
        let (_above, without) = competition(&[]);
        assert_eq!(Example::of(&without).unwrap(), None);
        let (above, with) = competition(&[
            ("example/answers.csv", "id\n1\n"),
            ("example/expected.json", EXPECTED),
            ("example/submissions/good.csv", "id\n1\n"),
            ("example/submissions/notes.txt", ""),
        ]);
        let example = Example::of(&with).unwrap().unwrap();
        let good = &example.submissions["good"];
        assert!(good.path.ends_with("example/submissions/good.csv"));
        assert_eq!(good.expected.score, Some(0.5));
        let data = above.path().join("data");
        example.prepare(&with, &data).unwrap();
        assert_eq!(fs::read_to_string(data.join("seals/private/a.csv")).unwrap(), "id\n1\n");
    }

    #[test]
    fn what_is_wrong_with_an_example_is_named() {
        let answers = ("example/answers.csv", "id\n1\n");
        let good = ("example/submissions/good.csv", "id\n1\n");
        let other = ("example/submissions/other.csv", "id\n1\n");
        let expected = ("example/expected.json", EXPECTED);
        let cases: [(&[(&str, &str)], &str); 5] = [
            (&[good, expected], "no answers.csv"),
            (&[good, answers], "expected.json: cannot be read"),
            (&[answers, good, other, expected], "does not name `other`"),
            (&[answers, other, expected], "names `good`, but there is no submissions/good.csv"),
            (
                &[answers, good, ("example/expected.json", r#"{"good": {"outcme": "scored"}}"#)],
                "unknown field `outcme`",
            ),
        ];
        for (files, says) in cases {
            let (_above, competition) = competition(files);
            let message = Example::of(&competition).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
