//! Reads the fields of a grading one by one, and notes what is wrong with each.
//!
//! Only the fields that aggregates are made of have to be there; a report that lacks others (reports of other versions do)
//! is as good. A field that is wrong is noted, and the rest is used, unless nobody can say without it what the run came to.
//! So it is where a grading contradicts itself.

use jiff::Timestamp;
use jiff::civil::DateTime;
use podium::{Award, Digest, Direction, Medal, Outcome, Thresholds};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::{Fault, Grading, Marks, ReadGrading, relative_score};
use crate::report_json::shown;
use crate::shown::LONGEST_NAME;

/// Reads an element of `competition_reports`.
pub(super) fn read(value: &Value) -> ReadGrading {
    let Some(fields) = value.as_object() else {
        let reason = wrong(Some(value), "an object");
        return ReadGrading { grading: None, faults: vec![Fault { field: None, reason }] };
    };
    let mut reader = Reader { fields, faults: Vec::new(), is_usable: true };
    let grading = reader.grading();
    let Reader { faults, is_usable, .. } = reader;
    ReadGrading { grading: is_usable.then_some(grading), faults }
}

struct Reader<'a> {
    fields: &'a Map<String, Value>,
    faults: Vec<Fault>,
    /// Whether it is known, in spite of the faults, what the run came to.
    is_usable: bool,
}

/// What a report says of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Score {
    /// Nothing that can be used.
    NotRecorded,
    /// That there is none.
    None,
    /// A number, be it NaN or an infinite one.
    Number(f64),
}

impl Reader<'_> {
    fn grading(&mut self) -> Grading {
        let competition = match self.fields.get("competition_id") {
            Some(Value::String(id)) if !id.is_empty() => id.clone(),
            other => {
                self.lost("competition_id", wrong(other, "the id of a competition"));
                String::new()
            }
        };
        let score = self.score();
        let (marks, outcome) = (self.marks(), self.outcome());
        let lines = self.lines();
        let is_lower_better = self.truth_if_there("is_lower_better");
        if self.is_usable {
            self.contradictions(&marks, outcome, score);
        }
        if self.is_usable && marks.valid {
            self.untrue_marks(&marks, score, lines, is_lower_better);
        }
        self.submission_path(&marks);
        self.time_of_grading();
        let finite = match score {
            Score::Number(score) if score.is_finite() => Some(score),
            _ => None,
        };
        Grading {
            competition,
            marks: (!outcome.is_some_and(Outcome::is_infrastructure_failure)).then_some(marks),
            score: finite,
            relative_score: finite
                .zip(lines)
                .and_then(|(score, [gold, _, _, median])| relative_score(score, gold, median)),
            seed: self.name("seed", "run.seed"),
            run_id: self.name("run_id", "run.run_id"),
            elapsed_seconds: self.elapsed(),
            grader: self.grader(),
            lines,
            is_lower_better,
        }
    }

    /// Notes a field without which the rest can be used.
    fn fault(&mut self, field: &'static str, reason: impl Into<String>) {
        self.faults.push(Fault { field: Some(field), reason: reason.into() });
    }

    /// Notes a field without which nobody can say what the run came to, or which run it is.
    fn lost(&mut self, field: &'static str, reason: impl Into<String>) {
        self.fault(field, reason);
        self.is_usable = false;
    }

    fn contradiction(&mut self, field: &'static str, reason: &str) {
        self.lost(field, format!("the grading contradicts itself: {reason}"));
    }

    /// A field that has to be there.
    fn truth(&mut self, name: &'static str) -> bool {
        match self.fields.get(name) {
            Some(Value::Bool(truth)) => *truth,
            other => {
                self.lost(name, wrong(other, "true or false"));
                false
            }
        }
    }

    fn truth_if_there(&mut self, name: &'static str) -> Option<bool> {
        match self.fields.get(name)? {
            Value::Bool(truth) => Some(*truth),
            other => {
                self.fault(name, wrong(Some(other), "true or false"));
                None
            }
        }
    }

    /// A text that need not be there, and may be null.
    fn text(&mut self, name: &'static str) -> Option<String> {
        match self.fields.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => {
                self.fault(name, wrong(Some(other), "a text"));
                None
            }
        }
    }

    /// What is said in `score` and, of one that JSON cannot hold, in `score_text`.
    fn score(&mut self) -> Score {
        let text = self.text("score_text").map(Value::String);
        let value = self.fields.get("score");
        let told =
            [("score", value.filter(|value| !value.is_null())), ("score_text", text.as_ref())];
        let mut scores = Vec::new();
        for (name, value) in told {
            let Some(value) = value else { continue };
            match number(value) {
                Some(score) => scores.push(score),
                None => self.fault(name, wrong(Some(value), "a number")),
            }
        }
        match scores.as_slice() {
            [score, text] if score != text && !(score.is_nan() && text.is_nan()) => {
                let reason = format!("`score` is {score}, and `score_text` is {text}");
                self.contradiction("score_text", &reason);
                Score::NotRecorded
            }
            [score, ..] => Score::Number(*score),
            [] if value.is_some_and(Value::is_null) && text.is_none() => Score::None,
            [] => Score::NotRecorded,
        }
    }

    fn marks(&mut self) -> Marks {
        let medals = [
            (self.truth("gold_medal"), Medal::Gold),
            (self.truth("silver_medal"), Medal::Silver),
            (self.truth("bronze_medal"), Medal::Bronze),
        ];
        let medals: Vec<Medal> =
            medals.into_iter().filter_map(|(earned, medal)| earned.then_some(medal)).collect();
        let marks = Marks {
            made: self.truth("submission_exists"),
            valid: self.truth("valid_submission"),
            above_median: self.truth("above_median"),
            medal: medals.first().copied(),
        };
        let any_medal = self.truth_if_there("any_medal");
        // Where a field is missing or wrong, what contradicts it is no news.
        if !self.is_usable {
            return marks;
        }
        if medals.len() > 1 {
            self.contradiction("gold_medal", "there is more than one medal for one submission");
        } else if any_medal == Some(true) && medals.is_empty() {
            self.contradiction("any_medal", "this is true, and there is no medal");
        } else if any_medal == Some(false) && !medals.is_empty() {
            self.contradiction("any_medal", "this is false, and there is a medal");
        }
        marks
    }

    fn outcome(&mut self) -> Option<Outcome> {
        let value = self.fields.get("outcome")?;
        match Outcome::deserialize(value) {
            Ok(outcome) => Some(outcome),
            Err(_) => {
                let known = Outcome::ALL.map(Outcome::name).join(", ");
                self.lost("outcome", wrong(Some(value), &format!("one of {known}")));
                None
            }
        }
    }

    fn contradictions(&mut self, marks: &Marks, outcome: Option<Outcome>, score: Score) {
        let Marks { made, valid, above_median, medal } = *marks;
        let earns = above_median || medal.is_some();
        let is_number = matches!(score, Score::Number(score) if !score.is_nan());
        if valid && !made {
            self.contradiction("valid_submission", "it is valid, although there is no submission");
        } else if !valid && earns {
            self.contradiction("valid_submission", "it earns something, although it is not valid");
        } else if !valid && is_number {
            self.contradiction("score", "there is a score, although the submission is not valid");
        } else if earns && !is_number && score != Score::NotRecorded {
            self.contradiction("score", "it earns something without a score");
        }
        let Some(outcome) = outcome else { return };
        if outcome.is_valid_submission() != valid
            || (outcome == Outcome::NoSubmission && made)
            || (outcome == Outcome::InvalidSubmission && !made)
        {
            let reason = format!(
                "the outcome is {outcome}, with `submission_exists` {made} and `valid_submission` {valid}"
            );
            self.contradiction("outcome", &reason);
        }
    }

    /// Whether what is earned is what the score earns by the lines that stand beside it.
    fn untrue_marks(
        &mut self,
        marks: &Marks,
        score: Score,
        lines: Option<[f64; 4]>,
        is_lower_better: Option<bool>,
    ) {
        let (Score::Number(score), Some([gold, silver, bronze, median]), Some(is_lower_better)) =
            (score, lines, is_lower_better)
        else {
            return;
        };
        let direction =
            if is_lower_better { Direction::LowerIsBetter } else { Direction::HigherIsBetter };
        let Award { medal, above_median } =
            Thresholds { gold, silver, bronze, median }.award(score, direction);
        if medal != marks.medal {
            let field = match marks.medal.or(medal) {
                Some(Medal::Gold) => "gold_medal",
                Some(Medal::Silver) => "silver_medal",
                Some(Medal::Bronze) | None => "bronze_medal",
            };
            let reason = format!(
                "by the lines beside it ({direction}) the score {score} earns {}, and the grading says {}",
                medal_name(medal),
                medal_name(marks.medal)
            );
            self.contradiction(field, &reason);
        } else if above_median != marks.above_median {
            let is = if above_median { "better" } else { "not better" };
            let reason = format!(
                "the score {score} is {is} than the median beside it, {median} ({direction}), and the grading says otherwise"
            );
            self.contradiction("above_median", &reason);
        }
    }

    /// That there is a path where there is a submission.
    fn submission_path(&mut self, marks: &Marks) {
        if self.is_usable
            && marks.made
            && self.fields.get("submission_path").is_some_and(Value::is_null)
        {
            self.fault("submission_path", "it is null, although there is a submission");
        }
        self.text("submission_path");
    }

    /// The four lines of the leaderboard, where all of them are there.
    fn lines(&mut self) -> Option<[f64; 4]> {
        const NAMES: [&str; 4] =
            ["gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold"];
        // A competition without a leaderboard has none of them.
        let there = |value: &&Value| !value.is_null();
        let are_expected = NAMES.iter().any(|name| self.fields.get(*name).filter(there).is_some());
        let mut lines = [None; 4];
        for (name, line) in NAMES.into_iter().zip(&mut lines) {
            match self.fields.get(name) {
                None => {}
                Some(Value::Null) if !are_expected => {}
                Some(value) => match number(value) {
                    Some(number) => *line = Some(number).filter(|number| number.is_finite()),
                    None => self.fault(name, wrong(Some(value), "a number")),
                },
            }
        }
        match lines {
            [Some(gold), Some(silver), Some(bronze), Some(median)] => {
                Some([gold, silver, bronze, median])
            }
            _ => None,
        }
    }

    /// That the time of the grading is one.
    fn time_of_grading(&mut self) {
        let Some(text) = self.text("created_at") else { return };
        // Podium's has an offset, the reference's has none.
        if text.parse::<DateTime>().is_err() && text.parse::<Timestamp>().is_err() {
            let found = Value::String(text);
            self.fault("created_at", wrong(Some(&found), "a time such as 2024-10-04T16:47:51"));
        }
    }

    fn grader(&mut self) -> Option<String> {
        let text = self.text("grader_sha256")?;
        if text.parse::<Digest>().is_err() {
            let found = Value::String(text);
            self.fault("grader_sha256", wrong(Some(&found), "a SHA-256 digest"));
            return None;
        }
        Some(text)
    }

    /// What the grading says of its run, and what its list of submissions did, where both say the same or one alone
    /// says anything.
    fn of_run(
        &mut self,
        name: &'static str,
        in_run: &'static str,
    ) -> Option<(&'static str, Value)> {
        let run = match self.fields.get("run") {
            None | Some(Value::Null) => None,
            Some(Value::Object(run)) => run.get(name),
            Some(other) => {
                if self.faults.iter().all(|fault| fault.field != Some("run")) {
                    self.lost("run", wrong(Some(other), "an object"));
                }
                None
            }
        };
        let own = self.fields.get(name).filter(|value| !value.is_null());
        match (run.filter(|value| !value.is_null()), own) {
            (Some(listed), Some(own)) if text_of(listed) != text_of(own) => {
                let reason =
                    format!("`{in_run}` is {}, and `{name}` is {}", shown(listed), shown(own));
                self.contradiction(in_run, &reason);
                None
            }
            (Some(listed), _) => Some((in_run, listed.clone())),
            (None, own) => own.map(|own| (name, own.clone())),
        }
    }

    fn name(&mut self, name: &'static str, in_run: &'static str) -> Option<String> {
        let (field, value) = self.of_run(name, in_run)?;
        match text_of(&value) {
            Some(text) if text.chars().count() > LONGEST_NAME => {
                let characters = text.chars().count();
                let reason = format!(
                    "it has {characters} characters; needed is a name of at most {LONGEST_NAME}"
                );
                self.lost(field, reason);
                None
            }
            Some(text) if !text.is_empty() => Some(text),
            _ => {
                self.lost(field, wrong(Some(&value), "a number or a text"));
                None
            }
        }
    }

    fn elapsed(&mut self) -> Option<f64> {
        let (field, value) = self.of_run("elapsed_seconds", "run.elapsed_seconds")?;
        match value.as_f64() {
            Some(seconds) if seconds.is_finite() && seconds >= 0.0 => Some(seconds),
            _ => {
                self.lost(field, wrong(Some(&value), "a number of seconds from 0 on"));
                None
            }
        }
    }
}

/// A number, or one that JSON cannot hold, as a text.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "NaN" | "nan" => Some(f64::NAN),
            "Infinity" | "inf" => Some(f64::INFINITY),
            "-Infinity" | "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// That something else, or nothing, stands where `expected` has to.
fn wrong(found: Option<&Value>, expected: &str) -> String {
    match found {
        None => format!("it is missing; needed is {expected}"),
        Some(found) => format!("it is {}; needed is {expected}", shown(found)),
    }
}

fn medal_name(medal: Option<Medal>) -> &'static str {
    match medal {
        Some(Medal::Gold) => "gold",
        Some(Medal::Silver) => "silver",
        Some(Medal::Bronze) => "bronze",
        None => "no medal",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(changes: &Value) -> Value {
        let mut report = json!({
            "competition_id": "seals", "score": 0.7, "gold_threshold": 0.9,
            "silver_threshold": 0.8, "bronze_threshold": 0.6, "median_threshold": 0.5,
            "any_medal": true, "gold_medal": false, "silver_medal": false, "bronze_medal": true,
            "above_median": true, "submission_exists": true, "valid_submission": true,
            "is_lower_better": false, "created_at": "2024-10-04T16:47:51.843542",
            "submission_path": "x",
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

    /// The grading of a report without a fault.
    fn sound(changes: Value) -> Grading {
        let read = read(&report(&changes));
        assert_eq!(read.faults, [], "{changes}");
        read.grading.unwrap()
    }

    #[test]
    fn a_grading_of_either_kind_of_report_is_read() {
        let grading = sound(json!({}));
        assert_eq!(grading.competition, "seals");
        let marks =
            Marks { made: true, valid: true, above_median: true, medal: Some(Medal::Bronze) };
        assert_eq!(grading.marks, Some(marks));
        assert!((grading.relative_score.unwrap() - 0.5).abs() < 1e-12);
        assert_eq!((grading.seed, grading.elapsed_seconds), (None, None));

        let sha256 = Digest::of(b"x").to_string();
        let grading = sound(json!({
            "outcome": "scored", "run": {"seed": 3, "run_id": "a", "elapsed_seconds": 60},
            "grader_sha256": &sha256, "seed": "3", "created_at": "2026-01-01T00:00:00.5Z",
        }));
        assert_eq!(grading.seed.as_deref(), Some("3"));
        assert_eq!(grading.run_id.as_deref(), Some("a"));
        assert_eq!(grading.elapsed_seconds, Some(60.0));
        assert_eq!(grading.grader, Some(sha256));
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
            sound(json!({name: "(absent)"}));
        }
        let nothing = json!({"any_medal": false, "bronze_medal": false, "above_median": false});
        for (score, text) in [(json!("NaN"), Value::Null), (Value::Null, json!("nan"))] {
            let mut changes = nothing.clone();
            (changes["score"], changes["score_text"]) = (score, text);
            let grading = sound(changes);
            assert_eq!((grading.score, grading.relative_score), (None, None));
            assert!(grading.marks.unwrap().valid);
        }
        // An infinite score can be the best, and be said in both ways.
        let lower = json!({"is_lower_better": true, "gold_threshold": 0.1, "silver_threshold": 0.2,
            "gold_medal": true, "bronze_medal": false});
        for (score, text) in [
            (json!("-Infinity"), Value::Null),
            (Value::Null, json!("-inf")),
            (json!("-Infinity"), json!("-inf")),
            (json!("(absent)"), json!("-inf")),
        ] {
            let mut changes = lower.clone();
            (changes["score"], changes["score_text"]) = (score, text);
            assert_eq!(sound(changes).score, None);
        }
        // Without a direction, or with a line less, nobody can say what a score earns.
        sound(json!({"is_lower_better": "(absent)", "score": 0.0}));
        sound(json!({"gold_threshold": "(absent)", "score": 0.0}));
        let lines = ["gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold"];
        assert_eq!(sound(lines.iter().map(|name| (*name, Value::Null)).collect()).lines, None);
    }

    #[test]
    fn a_failure_of_the_grader_says_nothing_of_the_run() {
        for (outcome, made, counts) in [
            ("grader-failed", true, false),
            ("not-prepared", true, false),
            ("invalid-answers", true, false),
            ("invalid-submission", true, true),
            ("no-submission", false, true),
        ] {
            let grading = sound(json!({
                "any_medal": false, "bronze_medal": false, "above_median": false, "score": null,
                "valid_submission": false, "submission_exists": made, "outcome": outcome,
            }));
            assert_eq!(grading.marks.is_some(), counts, "{outcome}");
        }
    }

    #[test]
    fn a_field_that_is_wrong_is_named_and_the_rest_is_used() {
        for (changes, field, part) in [
            (json!({"score": "0.5"}), "score", "it is \"0.5\"; needed is a number"),
            (json!({"score": {}}), "score", "it is {}"),
            (json!({"score": null, "score_text": "0.7"}), "score_text", "it is \"0.7\""),
            (json!({"gold_threshold": "0.9"}), "gold_threshold", "it is \"0.9\""),
            (json!({"median_threshold": null}), "median_threshold", "it is null"),
            (json!({"any_medal": 1}), "any_medal", "it is 1; needed is true or false"),
            (json!({"is_lower_better": null}), "is_lower_better", "it is null"),
            (json!({"created_at": "yesterday"}), "created_at", "needed is a time such as"),
            (json!({"created_at": 3}), "created_at", "it is 3; needed is a text"),
            (json!({"submission_path": []}), "submission_path", "it is []"),
            (json!({"submission_path": null}), "submission_path", "although there is a submission"),
            (json!({"grader_sha256": "12"}), "grader_sha256", "a SHA-256 digest"),
        ] {
            let ReadGrading { grading, faults } = read(&report(&changes));
            let marks = grading.unwrap().marks.unwrap();
            assert_eq!(marks.medal, Some(Medal::Bronze), "{changes}");
            let [Fault { field: Some(found), reason }] = faults.as_slice() else {
                panic!("{changes}: {faults:?}")
            };
            assert!(*found == field && reason.contains(part), "{changes}: {faults:?}");
        }
    }

    #[test]
    fn a_grading_that_says_nothing_certain_is_refused_in_words() {
        let invalid = json!({"any_medal": false, "bronze_medal": false, "above_median": false,
            "valid_submission": false});
        let with = |changes: Value| {
            let mut all = invalid.clone();
            all.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            all
        };
        for (changes, field, part) in [
            (json!({"competition_id": "(absent)"}), "competition_id", "it is missing"),
            (json!({"competition_id": 3}), "competition_id", "it is 3"),
            (json!({"gold_medal": "(absent)"}), "gold_medal", "it is missing"),
            (json!({"gold_medal": null}), "gold_medal", "it is null"),
            (json!({"valid_submission": "no"}), "valid_submission", "it is \"no\""),
            (json!({"above_median": 1}), "above_median", "it is 1"),
            (json!({"gold_medal": true}), "gold_medal", "more than one medal"),
            (json!({"any_medal": false}), "any_medal", "this is false, and there is a medal"),
            (with(json!({"any_medal": true})), "any_medal", "and there is no medal"),
            (json!({"submission_exists": false}), "valid_submission", "there is no submission"),
            (json!({"valid_submission": false}), "valid_submission", "although it is not valid"),
            (json!({"score": null}), "score", "it earns something without a score"),
            (json!({"score": "NaN"}), "score", "it earns something without a score"),
            (with(json!({})), "score", "there is a score, although"),
            (json!({"outcome": "fine"}), "outcome", "it is \"fine\"; needed is one of scored"),
            (json!({"outcome": "no-submission"}), "outcome", "`valid_submission` true"),
            (json!({"run": 3}), "run", "it is 3; needed is an object"),
            (json!({"run": {"seed": [1]}}), "run.seed", "it is [1]"),
            (json!({"run": {"seed": 1}, "seed": 2}), "run.seed", "is 1, and `seed` is 2"),
            (json!({"run": {"run_id": "a"}, "run_id": "b"}), "run.run_id", "`run_id` is \"b\""),
            (json!({"score": 0.7, "score_text": "nan"}), "score_text", "and `score_text` is NaN"),
            (
                json!({"score": 0.85}),
                "bronze_medal",
                "0.85 earns silver, and the grading says bronze",
            ),
            (
                json!({"score": 0.2}),
                "bronze_medal",
                "0.2 earns no medal, and the grading says bronze",
            ),
            (
                json!({"is_lower_better": true}),
                "bronze_medal",
                "0.7 earns gold, and the grading says bronze",
            ),
            (
                json!({"bronze_medal": false, "any_medal": false}),
                "bronze_medal",
                "0.7 earns bronze, and the grading says no medal",
            ),
            (
                json!({"above_median": false}),
                "above_median",
                "0.7 is better than the median beside it",
            ),
            (json!({"median_threshold": 0.7}), "above_median", "0.7 is not better than the median"),
            (json!({"seed": "x".repeat(256)}), "seed", "it has 256 characters"),
            (json!({"elapsed_seconds": -1}), "elapsed_seconds", "it is -1"),
            (json!({"elapsed_seconds": "soon"}), "elapsed_seconds", "it is \"soon\""),
        ] {
            let ReadGrading { grading, faults } = read(&report(&changes));
            assert_eq!(grading, None, "{changes}");
            let [Fault { field: Some(found), reason }] = faults.as_slice() else {
                panic!("{changes}: {faults:?}")
            };
            assert!(*found == field && reason.contains(part), "{changes}: {faults:?}");
        }
        assert_eq!(read(&json!(3)).grading, None);
        // All that is wrong is named, not the first alone, and nothing of it steers a terminal.
        let many = json!({"score": "\u{202e}".repeat(90), "gold_medal": null, "created_at": 1});
        let faults = read(&report(&many)).faults;
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults[0].reason.contains("\\u{202e}…"), "{faults:?}");
    }
}
