//! Reads a parity corpus: folders of answers and cases, plain or compressed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

/// A folder with a folder of cases for each competition.
#[derive(Debug, Clone)]
pub struct Corpus {
    folder: PathBuf,
}

/// The cases of one competition, with the answers that they are graded against.
#[derive(Debug, Clone, PartialEq)]
pub struct CompetitionCases {
    /// The name of the file of answers.
    pub answers_name: String,
    /// The content of the file of answers.
    pub answers: Vec<u8>,
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
}

/// A submission, and what the reference said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The name of the case, unique in its file.
    pub name: String,
    /// The content of the submission file.
    pub submission: Vec<u8>,
    /// What the reference said.
    pub expected: Expected,
}

/// What the reference said of a submission.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// It gave a score.
    Score {
        /// The score before rounding.
        score: f64,
        /// The score rounded to five places.
        rounded: f64,
    },
    /// It gave no score.
    NoScore {
        /// How it said so, and with what words, for people.
        reason: String,
    },
}

impl Corpus {
    /// The corpus in that folder.
    pub fn new(folder: impl Into<PathBuf>) -> Corpus {
        Corpus { folder: folder.into() }
    }

    /// The corpus of this checkout.
    pub fn of_checkout() -> Corpus {
        Corpus::new(crate::artifacts::root().join("tests/parity"))
    }

    /// The ids of the competitions in the corpus, sorted.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn competitions(&self) -> Result<Vec<String>> {
        let entries = fs::read_dir(&self.folder)
            .with_context(|| format!("could not read the corpus {}", self.folder.display()))?;
        let mut ids = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.path().is_dir() {
                ids.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        ids.sort();
        Ok(ids)
    }

    /// Reads the cases of one competition.
    ///
    /// # Errors
    /// When a file is missing or broken; the error names the file and the line.
    pub fn read(&self, id: &str) -> Result<CompetitionCases> {
        let folder = self.folder.join(id);
        let answers_name = ["answers.csv", "answers.jsonl"]
            .into_iter()
            .find(|name| find(&folder, name).is_some())
            .with_context(|| format!("there are no answers in {}", folder.display()))?;
        let cases = read(&folder, "cases.jsonl")?;
        let cases = parse_cases(&cases)
            .with_context(|| format!("{} is broken", folder.join("cases.jsonl").display()))?;
        Ok(CompetitionCases {
            answers_name: answers_name.to_owned(),
            answers: read(&folder, answers_name)?,
            cases,
        })
    }
}

/// The file of that name, plain or else compressed.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    [folder.join(name), folder.join(format!("{name}.zst"))].into_iter().find(|path| path.is_file())
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let path = find(folder, name)
        .with_context(|| format!("there is no {name} in {}", folder.display()))?;
    let bytes = fs::read(&path).with_context(|| format!("could not read {}", path.display()))?;
    if path.extension().is_some_and(|extension| extension == "zst") {
        zstd::decode_all(bytes.as_slice())
            .with_context(|| format!("could not decompress {}", path.display()))
    } else {
        Ok(bytes)
    }
}

fn parse_cases(bytes: &[u8]) -> Result<Vec<Case>> {
    // Lines end with LF alone: texts hold other separators.
    bytes
        .split(|byte| *byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| parse_case(line).with_context(|| format!("line {}", index + 1)))
        .collect()
}

fn parse_case(line: &[u8]) -> Result<Case> {
    #[derive(Deserialize)]
    struct Line {
        case: String,
        outcome: String,
        submission: Option<String>,
        submission_base64: Option<String>,
        score: Option<String>,
        rounded: Option<String>,
        #[serde(default)]
        error: String,
        #[serde(default)]
        message: String,
    }
    let line: Line = serde_json::from_slice(line)?;
    let submission = match (line.submission, line.submission_base64) {
        (Some(text), None) => text.into_bytes(),
        (None, Some(text)) => BASE64_STANDARD.decode(text).context("submission_base64")?,
        _ => bail!("a case has either `submission` or `submission_base64`"),
    };
    let expected = match line.outcome.as_str() {
        "score" => Expected::Score {
            score: number(line.score.as_deref()).context("score")?,
            rounded: number(line.rounded.as_deref()).context("rounded")?,
        },
        "invalid" | "error" | "unreadable" => Expected::NoScore {
            reason: format!("{}: {}: {}", line.outcome, line.error, line.message),
        },
        other => bail!("unknown outcome `{other}`"),
    };
    Ok(Case { name: line.case, submission, expected })
}

/// A float as Python prints it.
fn number(text: Option<&str>) -> Result<f64> {
    let text = text.context("missing")?;
    text.parse().with_context(|| format!("`{text}` is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_is_read() {
        let text = "{\"case\":\"a\",\"outcome\":\"score\",\"score\":\"0.123456\",\"rounded\":\"0.12346\",\"submission\":\"x\u{2028}y\"}\n\
                    {\"case\":\"b\",\"outcome\":\"score\",\"score\":\"-inf\",\"rounded\":\"-inf\",\"submission_base64\":\"/wA=\"}\n\
                    {\"case\":\"c\",\"outcome\":\"unreadable\",\"error\":\"E\",\"message\":\"m\",\"submission\":\"\"}\n";
        let cases = parse_cases(text.as_bytes()).unwrap();
        assert_eq!(
            cases,
            [
                Case {
                    name: "a".into(),
                    submission: "x\u{2028}y".into(),
                    expected: Expected::Score { score: 0.123456, rounded: 0.12346 },
                },
                Case {
                    name: "b".into(),
                    submission: vec![0xff, 0],
                    expected: Expected::Score {
                        score: f64::NEG_INFINITY,
                        rounded: f64::NEG_INFINITY
                    },
                },
                Case {
                    name: "c".into(),
                    submission: Vec::new(),
                    expected: Expected::NoScore { reason: "unreadable: E: m".into() },
                },
            ]
        );
    }

    #[test]
    fn a_broken_line_is_named() {
        for broken in [
            "{}",
            "{\"case\":\"a\",\"outcome\":\"score\",\"submission\":\"\"}",
            "{\"case\":\"a\",\"outcome\":\"invalid\"}",
            "{\"case\":\"a\",\"outcome\":\"won\",\"submission\":\"\"}",
            "{\"case\":\"a\",\"outcome\":\"invalid\",\"submission_base64\":\"?\"}",
        ] {
            let error = parse_cases(format!("\n{broken}\n").as_bytes()).unwrap_err();
            assert!(format!("{error:#}").starts_with("line 2"), "{broken}: {error:#}");
        }
    }
}
