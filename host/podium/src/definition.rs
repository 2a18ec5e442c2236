//! The `competition.toml` of a competition: what it is called, how it is scored, where its data lie.
//!
//! Relies on the text of the file alone. Unknown keys and impossible values are errors that name the key, so that a
//! slip of the pen never silently changes how submissions are graded.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::competition_id;
use crate::error::Error;
use crate::grader::Direction;
use crate::limits::LimitOverrides;
use crate::medals::Thresholds;
use crate::rounding::Rounding;
use crate::serde_message;

/// What `competition.toml` says of a competition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The id, equal to the name of the folder: letters, digits and hyphens.
    pub id: String,
    /// The name, for people.
    pub name: String,
    /// What kind of task it is, as the paper names it: `Tabular`, `Image Classification` …
    pub category: Option<String>,
    /// The split of the benchmark that the competition belongs to.
    pub complexity: Option<Complexity>,
    /// Whether the historical Kaggle competition awarded medals.
    #[serde(default)]
    pub awards_medals: bool,
    /// How the historical Kaggle competition took submissions.
    pub competition_type: Option<CompetitionType>,
    /// The metric.
    pub metric: Metric,
    /// Where the data lie.
    pub data: DataPaths,
    /// The medal lines; without them they follow from the leaderboard.
    pub medals: Option<MedalLines>,
    /// Limits in the place of the default ones.
    #[serde(default)]
    pub limits: LimitOverrides,
    /// What is known to be wrong with the competition or its data.
    #[serde(default)]
    pub known_issues: Vec<KnownIssue>,
}

/// The split of the benchmark that a competition belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Complexity {
    /// An experienced engineer solves it in less than two hours, training time aside.
    Low,
    /// Between two and ten hours.
    Medium,
    /// More than ten hours.
    High,
    /// Set aside for the development of agents.
    Development,
}

/// How a Kaggle competition took submissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompetitionType {
    /// Predictions were uploaded.
    Simple,
    /// A notebook was uploaded and run.
    Code,
}

/// The metric of a competition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Its name, for people.
    pub name: String,
    /// Which of two scores wins.
    pub direction: Direction,
    /// How a score is rounded before it is compared with the leaderboard.
    #[serde(default)]
    pub rounding: Rounding,
}

/// Where the data of a competition lie, relative to its own folder in the data folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataPaths {
    /// The private answers, in the order in which the grader takes them; at least one.
    pub answers: Vec<PathBuf>,
    /// The sample submission that the public sees.
    pub sample_submission: Option<PathBuf>,
}

/// The medal lines of a competition, and where they come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MedalLines {
    /// A score as good as this one earns gold.
    pub gold: f64,
    /// A score as good as this one earns silver.
    pub silver: f64,
    /// A score as good as this one earns bronze.
    pub bronze: f64,
    /// The median of the leaderboard.
    pub median: f64,
    /// Where the lines were taken from.
    pub source: Option<String>,
    /// How the `leaderboard.csv` beside the definition relates to these lines.
    pub leaderboard_snapshot: Option<LeaderboardSnapshot>,
}

impl MedalLines {
    /// The lines alone.
    pub fn thresholds(&self) -> Thresholds {
        let MedalLines { gold, silver, bronze, median, .. } = *self;
        Thresholds { gold, silver, bronze, median }
    }
}

/// How a leaderboard snapshot relates to the medal lines that a definition states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeaderboardSnapshot {
    /// The same medal lines and median follow from it.
    #[serde(rename = "agrees")]
    Agrees,
    /// Other medal lines follow from it: it was taken at another time.
    #[serde(rename = "medal lines differ")]
    MedalLinesDiffer,
    /// The medal lines agree, the median does not.
    #[serde(rename = "median differs")]
    MedianDiffers,
    /// There is none.
    #[serde(rename = "none")]
    None,
}

/// Something that is known to be wrong with a competition, for everybody who reads its scores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownIssue {
    /// What kind of problem it is, in a word: `leak`, `labels`, `columns` …
    pub kind: String,
    /// What is wrong.
    pub what: String,
    /// Who says so.
    pub source: Option<String>,
}

impl Definition {
    /// Parses and checks the text of a `competition.toml`; `path` is for messages only.
    ///
    /// # Errors
    /// [`Error::Definition`] names the file, the key and what is wrong with it.
    pub fn parse(text: &str, path: &Path) -> Result<Definition, Error> {
        let wrong = |message: String| Error::Definition { path: path.to_owned(), message };
        let definition: Definition =
            toml::from_str(text).map_err(|error| wrong(explain(&error, text)))?;
        definition.check().map_err(wrong)?;
        Ok(definition)
    }

    fn check(&self) -> Result<(), String> {
        competition_id::check(&self.id).map_err(|why| format!("`id`: {why}"))?;
        let texts = [
            ("name", Some(&self.name)),
            ("category", self.category.as_ref()),
            ("metric.name", Some(&self.metric.name)),
            ("medals.source", self.medals.as_ref().and_then(|medals| medals.source.as_ref())),
        ];
        for (key, text) in texts {
            if text.is_some_and(|text| text.trim().is_empty()) {
                return Err(format!("`{key}` is empty: give it a text"));
            }
        }
        if self.data.answers.is_empty() {
            return Err("`data.answers` is empty: name at least one file".to_owned());
        }
        for path in &self.data.answers {
            check_data_path(path).map_err(|why| format!("`data.answers`: {why}"))?;
        }
        if let Some(path) = &self.data.sample_submission {
            check_data_path(path).map_err(|why| format!("`data.sample_submission`: {why}"))?;
        }
        if let Some(medals) = &self.medals {
            medals
                .thresholds()
                .check(self.metric.direction)
                .map_err(|why| format!("`medals`: {why}"))?;
        }
        for (limit, value) in self.limits.given() {
            limit.check(value).map_err(|why| format!("`limits.{}`: {why}", limit.name()))?;
        }
        for (index, issue) in self.known_issues.iter().enumerate() {
            for (key, text) in [("kind", &issue.kind), ("what", &issue.what)] {
                if text.trim().is_empty() {
                    return Err(format!("`known_issues[{index}].{key}` is empty: give it a text"));
                }
            }
        }
        Ok(())
    }
}

/// Says what is wrong with a path in `[data]`, if anything is: it has to stay inside the competition's data.
fn check_data_path(path: &Path) -> Result<(), String> {
    let stays = path.components().all(|part| matches!(part, Component::Normal(_)));
    if path.as_os_str().is_empty() || !stays || path.to_string_lossy().contains('\\') {
        return Err(format!(
            "`{}` has to be a relative path without `..`, such as `prepared/private/test.csv`",
            path.display()
        ));
    }
    Ok(())
}

/// The message of a TOML error with its line, and the key that was probably meant.
pub fn explain(error: &toml::de::Error, text: &str) -> String {
    let mut message = serde_message::plain(error.message().trim());
    if let Some(span) = error.span() {
        let before = &text.as_bytes()[..span.start.min(text.len())];
        let number = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let line = text.lines().nth(number - 1).unwrap_or_default().trim();
        message = format!("line {number}: {message}");
        if !line.is_empty() {
            message.push_str(&format!(" (in `{line}`)"));
        }
    }
    if let Some(meant) = meant_key(error.message()) {
        message.push_str(&format!("; did you mean `{meant}`?"));
    }
    message
}

/// Out of serde's "unknown field `x`, expected one of `a`, `b`" the expected name that is closest to the unknown one.
fn meant_key(message: &str) -> Option<String> {
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    quoted
        .map(|name| (strsim::jaro_winkler(unknown, name), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
id = "seal-counting-2024"
name = "Seal Counting"
category = "Image Regression"
complexity = "medium"
awards_medals = true
competition_type = "code"
[metric]
name = "root mean squared error"
direction = "lower"
rounding = "python"
[data]
answers = ["prepared/private/test.csv", "prepared/private/more.jsonl"]
sample_submission = "prepared/public/sample_submission.csv"
[medals]
gold = 1
silver = 1.5
bronze = 2.0
median = 3e0
source = "made up"
leaderboard_snapshot = "median differs"
[limits]
fuel = 1000
[[known_issues]]
kind = "leak"
what = "The seals are numbered."
source = "seals/seals#7"
"#;

    const LEAST: &str = r#"
id = "AI4Seals"
name = "Seals"
[metric]
name = "accuracy"
direction = "higher"
[data]
answers = ["answers.csv"]
"#;

    fn parse(text: &str) -> Result<Definition, String> {
        Definition::parse(text, Path::new("seals/competition.toml"))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_definition_is_read() {
        let definition = parse(WHOLE).unwrap();
        assert_eq!(definition.id, "seal-counting-2024");
        assert_eq!(definition.complexity, Some(Complexity::Medium));
        assert_eq!(definition.competition_type, Some(CompetitionType::Code));
        assert_eq!(definition.metric.direction, Direction::LowerIsBetter);
        assert_eq!(definition.metric.rounding, Rounding::Python);
        assert_eq!(definition.data.answers.len(), 2);
        let medals = definition.medals.as_ref().unwrap();
        assert_eq!(
            medals.thresholds(),
            Thresholds { gold: 1.0, silver: 1.5, bronze: 2.0, median: 3.0 }
        );
        assert_eq!(medals.leaderboard_snapshot, Some(LeaderboardSnapshot::MedianDiffers));
        assert_eq!(definition.limits.fuel, Some(1000));
        assert_eq!(definition.known_issues.len(), 1);
    }

    #[test]
    fn a_definition_survives_being_written() {
        for text in [WHOLE, LEAST] {
            let definition = parse(text).unwrap();
            assert_eq!(parse(&toml::to_string(&definition).unwrap()).unwrap(), definition);
        }
    }

    #[test]
    fn the_least_definition_has_defaults() {
        let definition = parse(LEAST).unwrap();
        assert_eq!(definition.metric.rounding, Rounding::Numpy);
        assert_eq!((definition.medals, definition.complexity), (None, None));
        assert!(!definition.awards_medals);
    }

    /// What to replace in the whole definition, by what, and what the error has to say.
    #[test]
    fn slips_of_the_pen_are_named() {
        let cases = [
            ("id = \"seal-counting-2024\"\n", "", "missing key `id`"),
            (
                "id = \"seal-counting-2024\"",
                "id = \"../seals\"",
                "`id`: `../seals` is no competition id",
            ),
            ("id = \"seal-counting-2024\"", "id = \"\"", "never empty"),
            ("id = \"seal-counting-2024\"", "id = \"-x\"", "does not begin with a hyphen"),
            ("id = \"seal-counting-2024\"", "id = \"seals_x\"", "letters, digits and hyphens"),
            ("name = \"Seal Counting\"", "name = \" \"", "`name` is empty"),
            (
                "name = \"Seal Counting\"",
                "name = 3",
                "line 3: found the number `3`, expected a text",
            ),
            ("awards_medals", "award_medals", "did you mean `awards_medals`?"),
            (
                "complexity = \"medium\"",
                "complexity = \"hard\"",
                "expected one of `low`, `medium`, `high`",
            ),
            ("direction = \"lower\"", "direction = \"down\"", "unknown value `down`"),
            ("direction = \"lower\"", "directoin = \"lower\"", "did you mean `direction`?"),
            (
                "direction = \"lower\"",
                "direction = \"higher\"",
                "`medals`: `silver` (1.5) is better than `gold`",
            ),
            ("rounding = \"python\"", "rounding = \"up\"", "unknown value `up`"),
            (
                "[\"prepared/private/test.csv\", \"prepared/private/more.jsonl\"]",
                "[]",
                "`data.answers` is empty",
            ),
            (
                "prepared/private/test.csv",
                "../other/test.csv",
                "`data.answers`: `../other/test.csv`",
            ),
            ("prepared/private/test.csv", "/etc/passwd", "`data.answers`: `/etc/passwd`"),
            ("prepared/private/test.csv", "", "`data.answers`: ``"),
            ("prepared/public/sample_submission.csv", "a/../b", "`data.sample_submission`"),
            ("gold = 1\n", "", "missing key `gold`"),
            ("gold = 1\n", "gold = nan\n", "`gold` is NaN"),
            (
                "gold = 1\n",
                "gold = \"1\"\n",
                "line 16: found the text \"1\", expected a number (in",
            ),
            ("\"median differs\"", "\"unsure\"", "unknown value `unsure`"),
            ("fuel = 1000", "feul = 1000", "did you mean `fuel`?"),
            ("fuel = 1000", "fuel = -1", "in `fuel = -1`"),
            ("fuel = 1000", "fuel = 0", "`limits.fuel`: 0 units of fuel is out of range"),
            ("fuel = 1000", "memory_bytes = 99", "`limits.memory_bytes`: 99 bytes is out of range"),
            ("kind = \"leak\"", "kind = \"\"", "`known_issues[0].kind` is empty"),
            ("[metric]", "[metric", "line 8"),
        ];
        for (from, to, part) in cases {
            assert_eq!(WHOLE.matches(from).count(), 1, "{from}");
            let message = parse(&WHOLE.replacen(from, to, 1)).expect_err(to);
            assert!(message.contains("seals/competition.toml"), "{to}: {message}");
            assert!(message.contains(part), "{to}: {message}");
        }
    }

    /// Threat 8: what a competition says of where its data lie leads to nothing else.
    #[test]
    fn data_paths_stay_inside() {
        for path in ["../secret", "a/../../secret", "/etc/passwd", "~/../x", ".", "a\\b", ""] {
            let text = LEAST.replace("[\"answers.csv\"]", &format!("['{path}']"));
            assert_ne!(text, LEAST);
            let message = parse(&text).expect_err(path);
            assert!(message.contains("a relative path without `..`"), "{path}: {message}");
        }
    }
}
