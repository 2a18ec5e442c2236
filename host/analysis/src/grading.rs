//! What an experiment needs of a grading, read out of a report of Podium or of the reference.
//!
//! Only the fields that aggregates are made of have to be there; a report that lacks others (reports of other versions do)
//! is as good. A grading that contradicts itself is refused, because nobody can say what was earned.

use podium::{Medal, Outcome};
use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value};

/// What a grading says of a run: what the percentages of an experiment count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// There is a submission.
    pub made: bool,
    /// It is valid.
    pub valid: bool,
    /// It is strictly better than the median of the leaderboard.
    pub above_median: bool,
    /// The medal that it earns.
    pub medal: Option<Medal>,
}

/// A share of runs that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// With a submission.
    SubmissionExists,
    /// With a valid submission.
    ValidSubmission,
    /// Above the median.
    AboveMedian,
    /// With a bronze medal.
    BronzeMedal,
    /// With a silver medal.
    SilverMedal,
    /// With a gold medal.
    GoldMedal,
    /// With a medal of any kind.
    AnyMedal,
}

impl Metric {
    /// All of them, in the order of the tables.
    pub const ALL: [Metric; 7] = [
        Metric::SubmissionExists,
        Metric::ValidSubmission,
        Metric::AboveMedian,
        Metric::BronzeMedal,
        Metric::SilverMedal,
        Metric::GoldMedal,
        Metric::AnyMedal,
    ];

    /// The name in files: that of the field of a report that is counted.
    pub fn name(self) -> &'static str {
        match self {
            Metric::SubmissionExists => "submission_exists",
            Metric::ValidSubmission => "valid_submission",
            Metric::AboveMedian => "above_median",
            Metric::BronzeMedal => "bronze_medal",
            Metric::SilverMedal => "silver_medal",
            Metric::GoldMedal => "gold_medal",
            Metric::AnyMedal => "any_medal",
        }
    }

    /// The heading of a column.
    pub fn heading(self) -> &'static str {
        match self {
            Metric::SubmissionExists => "Made submission",
            Metric::ValidSubmission => "Valid submission",
            Metric::AboveMedian => "Above median",
            Metric::BronzeMedal => "Bronze",
            Metric::SilverMedal => "Silver",
            Metric::GoldMedal => "Gold",
            Metric::AnyMedal => "Any medal",
        }
    }

    /// Whether a run counts.
    pub fn holds(self, marks: &Marks) -> bool {
        match self {
            Metric::SubmissionExists => marks.made,
            Metric::ValidSubmission => marks.valid,
            Metric::AboveMedian => marks.above_median,
            Metric::BronzeMedal => marks.medal == Some(Medal::Bronze),
            Metric::SilverMedal => marks.medal == Some(Medal::Silver),
            Metric::GoldMedal => marks.medal == Some(Medal::Gold),
            Metric::AnyMedal => marks.medal.is_some(),
        }
    }
}

/// A grading out of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Grading {
    /// The competition.
    pub competition: String,
    /// What it says of the run; `None` where the grading came to no result for reasons other than the submission.
    pub marks: Option<Marks>,
    /// The score, where it is a finite number.
    pub score: Option<f64>,
    /// Where the score lies between the median (0) and the gold line (1) of the leaderboard; see [`relative_score`].
    pub relative_score: Option<f64>,
    /// The seed, as the report names it.
    pub seed: Option<String>,
    /// The run, as the report names it.
    pub run_id: Option<String>,
    /// For a snapshot of a run that went on: how long after its start it was taken, in seconds.
    pub elapsed_seconds: Option<f64>,
    /// The digest of the grader, in reports of Podium.
    pub grader: Option<String>,
    /// The four lines of the leaderboard: gold, silver, bronze, median.
    pub lines: Option<[f64; 4]>,
}

impl Grading {
    /// Reads an element of `competition_reports`.
    ///
    /// # Errors
    /// Says which field is missing, or how the grading contradicts itself.
    pub fn from_value(value: &Value) -> Result<Grading, String> {
        let fields = value.as_object().ok_or("it is no object")?;
        let competition = match fields.get("competition_id") {
            Some(Value::String(id)) if !id.is_empty() => id.clone(),
            Some(_) => return Err("`competition_id` is no text".to_owned()),
            None => return Err("it has no `competition_id`".to_owned()),
        };
        let marks = marks(fields)?;
        let score = number(fields, "score");
        let lines = ["gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold"];
        let lines = match lines.map(|name| number(fields, name)) {
            [Some(gold), Some(silver), Some(bronze), Some(median)] => {
                Some([gold, silver, bronze, median])
            }
            _ => None,
        };
        Ok(Grading {
            competition,
            marks,
            score,
            relative_score: score
                .zip(lines)
                .and_then(|(score, [gold, _, _, median])| relative_score(score, gold, median)),
            seed: named(fields, "seed")?,
            run_id: named(fields, "run_id")?,
            elapsed_seconds: elapsed(fields)?,
            grader: fields.get("grader_sha256").and_then(Value::as_str).map(str::to_owned),
            lines,
        })
    }
}

/// Where a score lies between the median (0) and the gold line (1), whatever the direction of the metric; beyond the lines
/// it goes on. `None` where the two lines are the same.
pub fn relative_score(score: f64, gold: f64, median: f64) -> Option<f64> {
    let relative = (score - median) / (gold - median);
    // Adding zero turns a negative zero into a plain one.
    relative.is_finite().then_some(relative + 0.0)
}

fn marks(fields: &Map<String, Value>) -> Result<Option<Marks>, String> {
    let truth = |name: &str| match fields.get(name) {
        Some(Value::Bool(truth)) => Ok(*truth),
        Some(other) => Err(format!("`{name}` is {other}, neither true nor false")),
        None => Err(format!("it has no `{name}`")),
    };
    let medals = [
        (truth("gold_medal")?, Medal::Gold),
        (truth("silver_medal")?, Medal::Silver),
        (truth("bronze_medal")?, Medal::Bronze),
    ];
    let marks = Marks {
        made: truth("submission_exists")?,
        valid: truth("valid_submission")?,
        above_median: truth("above_median")?,
        medal: medals.iter().find(|(earned, _)| *earned).map(|(_, medal)| *medal),
    };
    if medals.iter().filter(|(earned, _)| *earned).count() > 1 {
        return Err("it contradicts itself: more than one medal for one submission".to_owned());
    }
    if marks.valid && !marks.made {
        return Err("it contradicts itself: valid, although there is no submission".to_owned());
    }
    if !marks.valid && (marks.above_median || marks.medal.is_some()) {
        return Err(
            "it contradicts itself: it earns something, although it is not valid".to_owned()
        );
    }
    let outcome = fields.get("outcome").map(Outcome::deserialize);
    match outcome {
        Some(Ok(outcome)) if outcome.is_infrastructure_failure() => Ok(None),
        Some(Err(_)) => Err(format!("`outcome` is {}, which is not known", fields["outcome"])),
        _ => Ok(Some(marks)),
    }
}

/// A finite number; one that is missing, null or not finite is none.
fn number(fields: &Map<String, Value>, name: &str) -> Option<f64> {
    fields.get(name).and_then(Value::as_f64).filter(|number| number.is_finite())
}

/// What a field of the grading, or of what its list said of the run, holds: the list goes first.
fn of_run<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let listed = fields.get("run").and_then(|run| run.get(name));
    listed.or_else(|| fields.get(name)).filter(|value| !value.is_null())
}

fn named(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match of_run(fields, name) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(format!("`{name}` is {other}, neither a number nor a text")),
    }
}

fn elapsed(fields: &Map<String, Value>) -> Result<Option<f64>, String> {
    match of_run(fields, "elapsed_seconds") {
        None => Ok(None),
        Some(value) => match value.as_f64() {
            Some(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(Some(seconds)),
            _ => Err(format!("`elapsed_seconds` is {value}, not a number of seconds from 0 on")),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    pub(crate) fn report(changes: Value) -> Value {
        let mut report = json!({
            "competition_id": "seals", "score": 0.7, "gold_threshold": 0.9,
            "silver_threshold": 0.8, "bronze_threshold": 0.6, "median_threshold": 0.5,
            "any_medal": true, "gold_medal": false, "silver_medal": false, "bronze_medal": true,
            "above_median": true, "submission_exists": true, "valid_submission": true,
            "is_lower_better": false, "created_at": "2024-10-04T16:47:51", "submission_path": "x",
        });
        let fields = report.as_object_mut().unwrap();
        for (name, value) in changes.as_object().unwrap() {
            match value.as_str() {
                Some("(absent)") => fields.remove(name),
                _ => fields.insert(name.clone(), value.clone()),
            };
        }
        report
    }

    #[test]
    fn a_grading_of_either_kind_of_report_is_read() {
        let grading = Grading::from_value(&report(json!({}))).unwrap();
        assert_eq!(grading.competition, "seals");
        let marks =
            Marks { made: true, valid: true, above_median: true, medal: Some(Medal::Bronze) };
        assert_eq!(grading.marks, Some(marks));
        assert!((grading.relative_score.unwrap() - 0.5).abs() < 1e-12);
        assert_eq!((grading.seed, grading.elapsed_seconds), (None, None));

        let of_podium = json!({
            "outcome": "scored", "run": {"seed": 3, "run_id": "a", "elapsed_seconds": 60},
            "grader_sha256": "ab", "seed": "not this one",
        });
        let grading = Grading::from_value(&report(of_podium)).unwrap();
        assert_eq!(grading.seed.as_deref(), Some("3"));
        assert_eq!(grading.run_id.as_deref(), Some("a"));
        assert_eq!(grading.elapsed_seconds, Some(60.0));
        assert_eq!(grading.grader.as_deref(), Some("ab"));
    }

    #[test]
    fn only_what_is_counted_has_to_be_there() {
        for name in [
            "score",
            "any_medal",
            "created_at",
            "submission_path",
            "gold_threshold",
            "is_lower_better",
        ] {
            assert!(Grading::from_value(&report(json!({name: "(absent)"}))).is_ok(), "{name}");
        }
        let nan = Grading::from_value(&report(json!({"score": "NaN"}))).unwrap();
        assert_eq!((nan.score, nan.relative_score), (None, None));
        assert!(nan.marks.unwrap().valid);
    }

    #[test]
    fn a_failure_of_the_grader_says_nothing_of_the_run() {
        let none = json!({"bronze_medal": false, "above_median": false, "valid_submission": false});
        for (outcome, counts) in [
            ("grader-failed", false),
            ("not-prepared", false),
            ("invalid-answers", false),
            ("invalid-submission", true),
            ("no-submission", true),
        ] {
            let mut changes = none.clone();
            changes["outcome"] = outcome.into();
            let grading = Grading::from_value(&report(changes)).unwrap();
            assert_eq!(grading.marks.is_some(), counts, "{outcome}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_words() {
        for (changes, part) in [
            (json!({"competition_id": "(absent)"}), "no `competition_id`"),
            (json!({"competition_id": 3}), "`competition_id` is no text"),
            (json!({"gold_medal": "(absent)"}), "no `gold_medal`"),
            (json!({"gold_medal": null}), "`gold_medal` is null"),
            (json!({"above_median": 1}), "`above_median` is 1"),
            (json!({"gold_medal": true}), "more than one medal"),
            (json!({"submission_exists": false}), "valid, although there is no submission"),
            (json!({"valid_submission": false}), "although it is not valid"),
            (json!({"outcome": "fine"}), "`outcome` is \"fine\""),
            (json!({"run": {"seed": [1]}}), "`seed` is [1]"),
            (json!({"elapsed_seconds": -1}), "`elapsed_seconds` is -1"),
            (json!({"elapsed_seconds": "soon"}), "`elapsed_seconds` is \"soon\""),
        ] {
            let message = Grading::from_value(&report(changes.clone())).unwrap_err();
            assert!(message.contains(part), "{changes}: {message}");
        }
        assert!(Grading::from_value(&json!(3)).is_err());
    }

    #[test]
    fn a_relative_score_has_no_direction() {
        for (score, gold, median, expected) in [
            (0.9, 0.9, 0.5, Some(1.0)),
            (0.5, 0.9, 0.5, Some(0.0)),
            (0.1, 0.1, 0.5, Some(1.0)),
            (0.9, 0.1, 0.5, Some(-1.0)),
            (1.3, 0.9, 0.5, Some(2.0)),
            (0.5, 0.5, 0.5, None),
        ] {
            let relative = relative_score(score, gold, median);
            assert_eq!(relative.map(|value| (value * 1e9).round() / 1e9), expected, "{score}");
        }
    }
}
