//! The report of one grading: the reference's fields in the reference's order, then Podium's own.
//!
//! Plain data. What fills it is [`grading`](crate::grading); what sums many up is
//! [`run_group`](crate::run_group). Reading is tolerant, so that reports of the reference and of other versions of
//! Podium can be read: unknown fields are ignored, missing ones of Podium's own are filled in.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::definition::KnownIssue;
use crate::digest::Digest;
use crate::error::Error;
use crate::float_text::{parse_non_finite, text_of_non_finite};
use crate::graders::GraderOrigin;
use crate::limits::{Limits, Usage};
use crate::medals::{Award, Distances, Medal, Thresholds};
use crate::outcome::Outcome;
use crate::serde_message::plain;
use crate::trust::TrustedBy;
use crate::verdict::Measure;

/// The report of one grading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradingReport {
    /// The competition.
    pub competition_id: String,
    /// The score, rounded as the competition asks for; `None` without a score, and where the score is one that JSON
    /// cannot hold (see `score_text`).
    pub score: Option<f64>,
    /// The gold line; `None` for a competition without medal lines. So the next three.
    pub gold_threshold: Option<f64>,
    /// The silver line.
    pub silver_threshold: Option<f64>,
    /// The bronze line.
    pub bronze_threshold: Option<f64>,
    /// The median of the leaderboard.
    pub median_threshold: Option<f64>,
    /// Whether the score earns a medal.
    pub any_medal: bool,
    /// Whether that is gold. At most one of the three is true.
    pub gold_medal: bool,
    /// Whether that is silver.
    pub silver_medal: bool,
    /// Whether that is bronze.
    pub bronze_medal: bool,
    /// Whether the score is strictly better than the median.
    pub above_median: bool,
    /// Whether there is a submission: a file with the extension `.csv`.
    pub submission_exists: bool,
    /// Whether the submission was graded to a score, be it one that earns nothing.
    pub valid_submission: bool,
    /// Whether the smaller score wins.
    pub is_lower_better: bool,
    /// When it was graded: ISO 8601 in UTC with an offset. In a report of the reference: local time without one.
    pub created_at: String,
    /// The path of the submission, as it was given.
    pub submission_path: String,

    /// How the grading ended.
    pub outcome: Outcome,
    /// The kind of failure where the grader failed or a limit was reached: `out-of-fuel`, `panicked` …
    #[serde(default)]
    pub failure: Option<String>,
    /// The functions that were being called where the grader trapped, innermost first.
    #[serde(default)]
    pub failure_backtrace: Vec<String>,
    /// Why there is no score.
    #[serde(default)]
    pub message: Option<String>,
    /// What is probably wrong with an invalid submission, told by how its file begins. Stands beside the grader's
    /// message, decides nothing, and is no part of a receipt.
    #[serde(default)]
    pub hint: Option<String>,
    /// A score that JSON cannot hold: `inf`, `-inf`, `nan`.
    #[serde(default)]
    pub score_text: Option<String>,
    /// The score as the grader gave it, before rounding; `None` where it is not finite.
    #[serde(default)]
    pub unrounded_score: Option<f64>,
    /// How far the score lies from each line, positive on the better side.
    #[serde(default)]
    pub distances: Option<Distances>,
    /// Whether the unrounded score would earn something else.
    #[serde(default)]
    pub rounding_decides: bool,
    /// The place, from 1 on, that the score would take on the leaderboard snapshot.
    #[serde(default)]
    pub leaderboard_rank: Option<usize>,
    /// How many teams are on that snapshot.
    #[serde(default)]
    pub leaderboard_teams: Option<usize>,
    /// The grader's remarks for whoever made the submission.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What a foreign grader printed. It may tell the answers, so it is not for submitters.
    #[serde(default)]
    pub log: Option<String>,
    /// How the score came about: per class, per column, per fold.
    #[serde(default, with = "measures")]
    pub measures: Vec<Measure>,
    /// What is known to be wrong with the competition.
    #[serde(default)]
    pub known_issues: Vec<KnownIssue>,
    /// The grader, where one was loaded.
    #[serde(default)]
    pub grader_sha256: Option<Digest>,
    /// Why it is that component that graded: it was named, is pinned, is the competition's own, or lies in a folder of
    /// graders.
    #[serde(default)]
    pub grader_origin: Option<GraderOrigin>,
    /// What the trust policy said of the grader; `None` without a policy.
    #[serde(default)]
    pub grader_trusted_by: Option<TrustedBy>,
    /// The id of the receipt, where there is one.
    #[serde(default)]
    pub receipt_id: Option<Digest>,
    /// The limits that the grading was held to: the competition's own, or those that were asked for.
    #[serde(default, deserialize_with = "where_understood")]
    pub limits: Option<Limits>,
    /// The fuel and the memory that the grading took, where a grader was run.
    #[serde(default, deserialize_with = "where_understood")]
    pub usage: Option<Usage>,
    /// What the list of submissions says of the run: seed, run id, whatever its line holds.
    #[serde(default)]
    pub run: Map<String, Value>,
}

/// Reads what another version of Podium may write in a way of its own, and leaves it out then.
fn where_understood<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

impl GradingReport {
    /// The score, rounded, as the number that it is: infinite and NaN ones included.
    pub fn score_value(&self) -> Option<f64> {
        self.score.or_else(|| self.score_text.as_deref().and_then(parse_non_finite))
    }

    /// The medal that the score earns.
    pub fn medal(&self) -> Option<Medal> {
        if self.gold_medal {
            Some(Medal::Gold)
        } else if self.silver_medal {
            Some(Medal::Silver)
        } else if self.bronze_medal {
            Some(Medal::Bronze)
        } else {
            None
        }
    }

    /// The medal lines.
    pub fn thresholds(&self) -> Option<Thresholds> {
        Some(Thresholds {
            gold: self.gold_threshold?,
            silver: self.silver_threshold?,
            bronze: self.bronze_threshold?,
            median: self.median_threshold?,
        })
    }

    /// Reads the JSON of one report, of Podium or of the reference.
    ///
    /// # Errors
    /// [`Error::NotAReport`] says what is missing or wrong.
    pub fn parse(text: &str) -> Result<GradingReport, Error> {
        let value = parse_python_json(text)?;
        GradingReport::from_value(value)
    }

    pub(crate) fn from_value(mut value: Value) -> Result<GradingReport, Error> {
        if let Value::Object(fields) = &mut value {
            complete(fields);
        }
        serde_json::from_value(value)
            .map_err(|error| Error::NotAReport { message: plain(&error.to_string()) })
    }

    pub(crate) fn set_score(&mut self, rounded: f64) {
        self.score = rounded.is_finite().then_some(rounded);
        self.score_text = text_of_non_finite(rounded);
    }

    pub(crate) fn set_award(&mut self, award: Award) {
        self.any_medal = award.medal.is_some();
        self.gold_medal = award.medal == Some(Medal::Gold);
        self.silver_medal = award.medal == Some(Medal::Silver);
        self.bronze_medal = award.medal == Some(Medal::Bronze);
        self.above_median = award.above_median;
    }
}

/// Fills in what a report of the reference does not have, and puts its non-finite numbers where ours are.
fn complete(fields: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = fields.get("score")
        && let Some(score) = parse_non_finite(text)
    {
        fields.insert("score_text".to_owned(), text_of_non_finite(score).into());
        fields.insert("score".to_owned(), Value::Null);
    }
    if !fields.contains_key("outcome") {
        let is_true = |name: &str| fields.get(name).and_then(Value::as_bool) == Some(true);
        let is_nan = fields.get("score_text").and_then(Value::as_str) == Some("nan");
        let outcome = match (is_true("submission_exists"), is_true("valid_submission")) {
            (_, true) if is_nan => Outcome::Undefined,
            (_, true) => Outcome::Scored,
            (false, false) => Outcome::NoSubmission,
            // The reference does not tell a submission that it refused from a grader that failed.
            (true, false) => Outcome::InvalidSubmission,
        };
        fields.insert("outcome".to_owned(), outcome.name().into());
    }
}

/// Parses JSON as Python writes and reads it: with the bare words `NaN`, `Infinity` and `-Infinity`, and with numbers that no
/// double holds. Both become text here.
///
/// # Errors
/// [`Error::NotAReport`] says where the text ceases to be JSON.
pub fn parse_python_json(text: &str) -> Result<Value, Error> {
    let strict = |text: &str| {
        serde_json::from_str(text).map_err(|error| Error::NotAReport { message: error.to_string() })
    };
    match strict(text) {
        Ok(value) => Ok(value),
        Err(error) => match quote_bare_words(text) {
            Some(quoted) => strict(&quoted),
            None => Err(error),
        },
    }
}

/// The text with the bare words `NaN`, `Infinity` and `-Infinity`, and with numbers that no double holds (`1e999`), in
/// quotes; `None` where there is none.
pub fn quote_bare_words(text: &str) -> Option<String> {
    const WORDS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut changed = false;
    let mut in_string = false;
    while let Some(first) = rest.chars().next() {
        let taken = if in_string {
            // An escape covers the character after it, which may be a quote.
            let length = if first == '\\' {
                1 + rest[1..].chars().next().map_or(0, char::len_utf8)
            } else {
                first.len_utf8()
            };
            in_string = first != '"';
            length
        } else if let Some(word) = WORDS.into_iter().find(|word| rest.starts_with(word)) {
            changed = true;
            quoted.extend(["\"", word, "\""]);
            rest = &rest[word.len()..];
            continue;
        } else if first == '-' || first.is_ascii_digit() {
            let number = number_at_start(rest);
            if is_beyond_a_double(number) {
                changed = true;
                quoted.extend(["\"", number, "\""]);
                rest = &rest[number.len()..];
                continue;
            }
            number.len()
        } else {
            in_string = first == '"';
            first.len_utf8()
        };
        quoted.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    changed.then_some(quoted)
}

/// The number, or what looks like one, that a text begins with.
fn number_at_start(text: &str) -> &str {
    let is_of_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let end = text.bytes().position(|byte| !is_of_number(byte)).unwrap_or(text.len());
    &text[..end]
}

/// Whether a text is a number of JSON that is too large for a double.
pub(crate) fn is_beyond_a_double(text: &str) -> bool {
    // What Rust takes for a number and JSON does not: no digit first, last, or after the point, and a zero before others.
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let is_digit = |at: usize| digits.get(at).is_some_and(u8::is_ascii_digit);
    let after_point = digits.iter().position(|byte| *byte == b'.').map(|at| at + 1);
    let is_number = is_digit(0)
        && is_digit(digits.len().saturating_sub(1))
        && after_point.is_none_or(is_digit)
        && !(digits[0] == b'0' && is_digit(1));
    is_number && text.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Measures with values that JSON cannot hold.
mod measures {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::float_text::number_or_text;
    use crate::verdict::Measure;

    #[derive(Serialize)]
    struct Written<'a> {
        name: &'a str,
        #[serde(with = "number_or_text")]
        value: f64,
    }

    #[derive(Deserialize)]
    struct Read {
        name: String,
        #[serde(with = "number_or_text")]
        value: f64,
    }

    pub(super) fn serialize<S: Serializer>(
        measures: &[Measure],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            measures.iter().map(|measure| Written { name: &measure.name, value: measure.value }),
        )
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Measure>, D::Error> {
        let read = Vec::<Read>::deserialize(deserializer)?;
        Ok(read.into_iter().map(|Read { name, value }| Measure { name, value }).collect())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::run_group::to_json;

    /// A report as the reference writes one.
    const REFERENCE: &str = r#"{
        "competition_id": "spaceship-titanic", "score": 0.81264, "gold_threshold": 0.82066,
        "silver_threshold": 0.81388, "bronze_threshold": 0.80967, "median_threshold": 0.79565,
        "any_medal": true, "gold_medal": false, "silver_medal": false, "bronze_medal": true,
        "above_median": true, "submission_exists": true, "valid_submission": true,
        "is_lower_better": false, "created_at": "2024-10-04T16:47:51.843542",
        "submission_path": "runs/x/submission.csv"
    }"#;

    pub(crate) fn reference_report() -> GradingReport {
        GradingReport::parse(REFERENCE).unwrap()
    }

    #[test]
    fn a_report_of_the_reference_is_read() {
        let report = reference_report();
        assert_eq!(report.score_value(), Some(0.81264));
        assert_eq!(report.medal(), Some(Medal::Bronze));
        assert_eq!(report.outcome, Outcome::Scored);
        assert_eq!(report.created_at, "2024-10-04T16:47:51.843542");
        assert_eq!(report.thresholds().unwrap().median, 0.79565);
        assert!(report.measures.is_empty() && report.receipt_id.is_none());
    }

    #[test]
    fn the_references_fields_come_first_in_its_order() {
        let written: Value = serde_json::from_str(&to_json(&reference_report())).unwrap();
        let reference: Value = serde_json::from_str(REFERENCE).unwrap();
        let (written, reference) = (written.as_object().unwrap(), reference.as_object().unwrap());
        assert!(written.iter().zip(reference).all(|(left, right)| left == right), "{written:?}");
        assert!(written.len() > reference.len());
    }

    #[test]
    fn the_outcome_of_a_report_without_one_follows_from_the_rest() {
        let cases = [
            ("\"score\": 0.81264", "\"score\": NaN", Outcome::Undefined, Some(f64::NAN)),
            (
                "\"score\": 0.81264",
                "\"score\": -Infinity",
                Outcome::Scored,
                Some(f64::NEG_INFINITY),
            ),
            ("\"score\": 0.81264", "\"score\": Infinity", Outcome::Scored, Some(f64::INFINITY)),
            (
                "\"valid_submission\": true",
                "\"valid_submission\": false",
                Outcome::InvalidSubmission,
                Some(0.81264),
            ),
            (
                "\"submission_exists\": true, \"valid_submission\": true",
                "\"submission_exists\": false, \"valid_submission\": false",
                Outcome::NoSubmission,
                Some(0.81264),
            ),
        ];
        for (from, to, outcome, score) in cases {
            assert!(REFERENCE.contains(from));
            let report = GradingReport::parse(&REFERENCE.replace(from, to)).unwrap();
            assert_eq!(report.outcome, outcome, "{to}");
            let same = |left: f64, right: f64| left == right || (left.is_nan() && right.is_nan());
            assert!(same(report.score_value().unwrap(), score.unwrap()), "{to}");
        }
    }

    #[test]
    fn bare_words_are_found_outside_of_texts_only() {
        for (text, expected) in [
            (
                r#"{"a": NaN, "b": [-Infinity, Infinity]}"#,
                r#"{"a":"NaN","b":["-Infinity","Infinity"]}"#,
            ),
            (r#"{"a": "NaN", "b\"": NaN}"#, r#"{"a":"NaN","b\"":"NaN"}"#),
            (r#"["\\", NaN, "é\\\" NaN"]"#, r#"["\\","NaN","é\\\" NaN"]"#),
            (r#"{"a": 1.5}"#, r#"{"a":1.5}"#),
            // What no double holds discards nothing but itself.
            (
                r#"{"a": 1e999, "b": [-1E+400, 2, 1e-999], "c": "1e999"}"#,
                r#"{"a":"1e999","b":["-1E+400",2,0.0],"c":"1e999"}"#,
            ),
        ] {
            assert_eq!(parse_python_json(text).unwrap().to_string(), expected, "{text}");
        }
        let digits = "9".repeat(400);
        let text = format!("{{\"a\": {digits}, \"b\": 1}}");
        assert_eq!(parse_python_json(&text).unwrap(), serde_json::json!({"a": digits, "b": 1}));
        for text in
            ["", "{", "NaNaN", "\"\\", "nan", "[NaN", "1e999e", "[1e999", "01e999", "1.e999", "-"]
        {
            assert!(matches!(parse_python_json(text), Err(Error::NotAReport { .. })), "{text}");
        }
    }

    #[test]
    fn what_is_no_report_is_refused_in_words() {
        for (text, part) in [
            ("[]", "found a list, expected a table"),
            ("{}", "missing key `competition_id`"),
            (&*REFERENCE.replace("0.82066", "\"much\""), "expected a number"),
        ] {
            let message = GradingReport::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    fn any_score() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>(),
            Just(f64::NAN),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(-0.0),
        ]
    }

    proptest! {
        #[test]
        fn a_report_comes_back_from_json(
            score in any_score(),
            measure in any_score(),
            texts in prop::collection::vec(".*", 3),
            outcome in prop::sample::select(&Outcome::ALL[..]),
            rank in prop::option::of(1usize..10_000),
        ) {
            let mut report = reference_report();
            report.set_score(score);
            report.outcome = outcome;
            report.submission_path.clone_from(&texts[0]);
            report.message = Some(texts[1].clone());
            report.warnings = vec![texts[2].clone()];
            report.measures = vec![Measure { name: texts[0].clone(), value: measure }];
            report.leaderboard_rank = rank;
            report.distances = report.thresholds().unwrap().distances(score, crate::Direction::HigherIsBetter);
            report.run.insert("seed".to_owned(), 7.into());
            let text = to_json(&report);
            prop_assert!(!text.contains("NaN"));
            let back = GradingReport::parse(&text).unwrap();
            // Written again rather than compared, because NaN equals nothing.
            prop_assert_eq!(to_json(&back), text);
            let (left, right) = (back.score_value().unwrap(), score);
            prop_assert!(left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan()));
        }

        #[test]
        fn any_text_is_a_report_or_an_error(text in "[\\[\\]{}\",:\\\\NaInfity0-9 -]{0,60}|.{0,60}") {
            let _ = GradingReport::parse(&text);
        }
    }
}
