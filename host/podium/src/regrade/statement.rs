//! What a grading states, field by field: what a report has recorded, to be held against what a report says now.
//!
//! Every field is read by its type. One of another type is told and not believed; one that is not there is not compared.
//! What a report says of one grading can contradict itself, and that is told as well.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::float_text::{parse_non_finite, shortest, text_of_non_finite};
use crate::grader::Direction;
use crate::medals::{Medal, Thresholds};
use crate::message;
use crate::outcome::Outcome;
use crate::report::{GradingReport, is_beyond_a_double};

use super::comparison::{Score, Standing};

/// The characters of a value that a remark shows.
const SHOWN_CHARACTERS: usize = 60;

/// A field of a grading report that says something of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    SubmissionExists,
    ValidSubmission,
    Outcome,
    Score,
    UnroundedScore,
    AnyMedal,
    GoldMedal,
    SilverMedal,
    BronzeMedal,
    AboveMedian,
    GoldThreshold,
    SilverThreshold,
    BronzeThreshold,
    MedianThreshold,
    IsLowerBetter,
}

/// What the value of a field has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Flag,
    NumberOrNull,
    Outcome,
}

impl Field {
    const COUNT: usize = 15;

    const ALL: [Field; Field::COUNT] = [
        Field::SubmissionExists,
        Field::ValidSubmission,
        Field::Outcome,
        Field::Score,
        Field::UnroundedScore,
        Field::AnyMedal,
        Field::GoldMedal,
        Field::SilverMedal,
        Field::BronzeMedal,
        Field::AboveMedian,
        Field::GoldThreshold,
        Field::SilverThreshold,
        Field::BronzeThreshold,
        Field::MedianThreshold,
        Field::IsLowerBetter,
    ];

    /// The name in reports.
    fn name(self) -> &'static str {
        match self {
            Field::SubmissionExists => "submission_exists",
            Field::ValidSubmission => "valid_submission",
            Field::Outcome => "outcome",
            Field::Score => "score",
            Field::UnroundedScore => "unrounded_score",
            Field::AnyMedal => "any_medal",
            Field::GoldMedal => "gold_medal",
            Field::SilverMedal => "silver_medal",
            Field::BronzeMedal => "bronze_medal",
            Field::AboveMedian => "above_median",
            Field::GoldThreshold => "gold_threshold",
            Field::SilverThreshold => "silver_threshold",
            Field::BronzeThreshold => "bronze_threshold",
            Field::MedianThreshold => "median_threshold",
            Field::IsLowerBetter => "is_lower_better",
        }
    }

    fn kind(self) -> Kind {
        match self {
            Field::Outcome => Kind::Outcome,
            Field::Score
            | Field::UnroundedScore
            | Field::GoldThreshold
            | Field::SilverThreshold
            | Field::BronzeThreshold
            | Field::MedianThreshold => Kind::NumberOrNull,
            _ => Kind::Flag,
        }
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    /// `null`: there is none.
    Nothing,
    Flag(bool),
    Number(f64),
    Outcome(Outcome),
}

impl PartialEq for Said {
    /// As results are compared: NaN is NaN.
    fn eq(&self, other: &Said) -> bool {
        match (self, other) {
            (Said::Nothing, Said::Nothing) => true,
            (Said::Flag(left), Said::Flag(right)) => left == right,
            (Said::Number(left), Said::Number(right)) => Score(*left) == Score(*right),
            (Said::Outcome(left), Said::Outcome(right)) => left == right,
            _ => false,
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Nothing => formatter.write_str("null"),
            Said::Flag(flag) => flag.fmt(formatter),
            Said::Number(number) => formatter.write_str(&shortest(*number)),
            Said::Outcome(outcome) => formatter.write_str(outcome.name()),
        }
    }
}

impl From<Said> for Value {
    fn from(said: Said) -> Value {
        match said {
            Said::Nothing => Value::Null,
            Said::Flag(flag) => flag.into(),
            Said::Number(number) => {
                text_of_non_finite(number).map_or_else(|| number.into(), Value::from)
            }
            Said::Outcome(outcome) => outcome.name().into(),
        }
    }
}

/// A field of a report that does not say any more what was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedField {
    /// The field's name in reports.
    pub field: String,
    /// What was recorded.
    pub old: Value,
    /// What is so now.
    pub new: Value,
}

impl fmt::Display for ChangedField {
    /// `gold_threshold: 0.9 recorded, 0.8 now`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChangedField { field, old, new } = self;
        write!(formatter, "{field}: {old} recorded, {new} now")
    }
}

/// What a grading states.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Statement {
    said: [Option<Said>; Field::COUNT],
    /// The grader.
    pub(super) grader_sha256: Option<Digest>,
}

impl Statement {
    /// One of this grader that says nothing yet.
    pub(super) fn by(grader_sha256: Option<Digest>) -> Statement {
        Statement { grader_sha256, ..Statement::default() }
    }

    /// What a report of Podium says: every field of it.
    pub(super) fn of(report: &GradingReport) -> Statement {
        let number = |number: Option<f64>| number.map_or(Said::Nothing, Said::Number);
        let mut statement = Statement::by(report.grader_sha256);
        for (field, said) in [
            (Field::SubmissionExists, Said::Flag(report.submission_exists)),
            (Field::ValidSubmission, Said::Flag(report.valid_submission)),
            (Field::Outcome, Said::Outcome(report.outcome)),
            (Field::Score, number(report.score_value())),
            (Field::UnroundedScore, number(report.unrounded_score)),
            (Field::AnyMedal, Said::Flag(report.any_medal)),
            (Field::GoldMedal, Said::Flag(report.gold_medal)),
            (Field::SilverMedal, Said::Flag(report.silver_medal)),
            (Field::BronzeMedal, Said::Flag(report.bronze_medal)),
            (Field::AboveMedian, Said::Flag(report.above_median)),
            (Field::GoldThreshold, number(report.gold_threshold)),
            (Field::SilverThreshold, number(report.silver_threshold)),
            (Field::BronzeThreshold, number(report.bronze_threshold)),
            (Field::MedianThreshold, number(report.median_threshold)),
            (Field::IsLowerBetter, Said::Flag(report.is_lower_better)),
        ] {
            statement.say(field, said);
        }
        statement
    }

    /// What the fields of a report in JSON say. What is no value of its field is added to `wrong`, and not said.
    pub(super) fn read(fields: &Map<String, Value>, wrong: &mut Vec<String>) -> Statement {
        let mut statement = Statement::default();
        for field in Field::ALL {
            let Some(value) = fields.get(field.name()) else { continue };
            match said(field.kind(), value) {
                Ok(said) => statement.say(field, said),
                Err(expected) => wrong.push(wrong_value(field.name(), value, expected)),
            }
        }
        match fields.get("score_text") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if parse_non_finite(text).is_some() => {
                let score = parse_non_finite(text).unwrap_or(f64::NAN);
                match statement.number(Field::Score) {
                    Some(other) if Score(other) != Score(score) => wrong.push(format!(
                        "it contradicts itself: `score` is {}, `score_text` is {}",
                        shortest(other),
                        shortest(score)
                    )),
                    _ => statement.say(Field::Score, Said::Number(score)),
                }
            }
            Some(other) => wrong.push(wrong_value("score_text", other, "nan, inf, -inf or null")),
        }
        wrong.extend(statement.contradictions());
        statement
    }

    /// Sets what is said of a field.
    pub(super) fn say(&mut self, field: Field, said: Said) {
        self.said[field as usize] = Some(said);
    }

    /// What is said of a field.
    pub(super) fn get(&self, field: Field) -> Option<Said> {
        self.said[field as usize]
    }

    fn flag(&self, field: Field) -> Option<bool> {
        match self.get(field) {
            Some(Said::Flag(flag)) => Some(flag),
            _ => None,
        }
    }

    fn number(&self, field: Field) -> Option<f64> {
        match self.get(field) {
            Some(Said::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// How the grading ended, where that is said.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self.get(Field::Outcome) {
            Some(Said::Outcome(outcome)) => Some(outcome),
            _ => None,
        }
    }

    /// Whether there was a submission, where that is said or follows.
    pub(super) fn exists(&self) -> Option<bool> {
        let by_outcome = || self.outcome().map(|outcome| outcome != Outcome::NoSubmission);
        self.flag(Field::SubmissionExists).or_else(by_outcome)
    }

    /// Whether the submission was valid, where that is said or follows.
    pub(super) fn valid(&self) -> Option<bool> {
        let by_outcome = || self.outcome().map(Outcome::is_valid_submission);
        let by_score = || self.number(Field::Score).map(|_| true);
        self.flag(Field::ValidSubmission).or_else(by_outcome).or_else(by_score)
    }

    /// Whether it says anything of the submission or its score.
    pub(super) fn says_something(&self) -> bool {
        self.exists().is_some() || self.valid().is_some()
    }

    /// The score, rounded.
    pub(super) fn score(&self) -> Option<f64> {
        self.number(Field::Score)
    }

    /// The score before rounding.
    pub(super) fn unrounded(&self) -> Option<f64> {
        self.number(Field::UnroundedScore)
    }

    const MEDALS: [(Medal, Field); 3] = [
        (Medal::Gold, Field::GoldMedal),
        (Medal::Silver, Field::SilverMedal),
        (Medal::Bronze, Field::BronzeMedal),
    ];

    /// The medals that it says there are.
    fn medals(&self) -> impl Iterator<Item = Medal> + '_ {
        Statement::MEDALS
            .into_iter()
            .filter(|(_, field)| self.flag(*field) == Some(true))
            .map(|(medal, _)| medal)
    }

    /// What there is to show of it in few words.
    pub(super) fn standing(&self) -> Standing {
        let knows_each = Statement::MEDALS.iter().any(|(_, field)| self.flag(*field).is_some());
        Standing {
            outcome: self.outcome(),
            exists: self.exists(),
            valid: self.valid(),
            score: self.score().map(Score),
            unrounded: self.unrounded().map(Score),
            medal: self.medals().next(),
            medal_is_known: knows_each || self.flag(Field::AnyMedal) == Some(false),
            above_median: self.flag(Field::AboveMedian),
            grader_sha256: self.grader_sha256,
        }
    }

    /// The fields that both state, and not alike.
    pub(super) fn changes(&self, now: &Statement) -> Vec<ChangedField> {
        let changed = |field: Field| {
            let (old, new) = (self.get(field)?, now.get(field)?);
            let (name, is_same) = (field.name().to_owned(), old == new);
            (!is_same).then(|| ChangedField { field: name, old: old.into(), new: new.into() })
        };
        Field::ALL.into_iter().filter_map(changed).collect()
    }

    /// What cannot be true at once.
    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut say = |what: String| found.push(format!("it contradicts itself: {what}"));
        let medals: Vec<&str> = self.medals().map(medal_field).collect();
        let any = self.flag(Field::AnyMedal);
        let knows_all = Statement::MEDALS.iter().all(|(_, field)| self.flag(*field).is_some());
        if medals.len() > 1 {
            say(format!("more than one medal ({})", medals.join(", ")));
        }
        if any == Some(true) && knows_all && medals.is_empty() {
            say("`any_medal` is true, and no medal is".to_owned());
        }
        if any == Some(false) && !medals.is_empty() {
            say(format!("`any_medal` is false, and `{}` is true", medals[0]));
        }
        let (valid, exists) =
            (self.flag(Field::ValidSubmission), self.flag(Field::SubmissionExists));
        if valid == Some(true) && exists == Some(false) {
            say("`valid_submission` is true, and `submission_exists` is false".to_owned());
        }
        let none = |field: Field| self.flag(field) == Some(false);
        for absent in [Field::ValidSubmission, Field::SubmissionExists] {
            if none(absent)
                && let Some(score) = self.score()
            {
                let absent = absent.name();
                say(format!("`score` is {}, and `{absent}` is false", shortest(score)));
            }
        }
        let has_none = self.get(Field::Score) == Some(Said::Nothing) || self.valid() == Some(false);
        let earned = Statement::MEDALS.iter().map(|(_, field)| *field);
        let earned = [Field::AnyMedal, Field::AboveMedian].into_iter().chain(earned);
        for earned in earned.filter(|field| has_none && self.flag(*field) == Some(true)) {
            say(format!("`{}` is true, and there is no valid score", earned.name()));
        }
        if self.get(Field::Score) == Some(Said::Nothing)
            && let Some(unrounded) = self.unrounded()
        {
            say(format!("`unrounded_score` is {}, and `score` is null", shortest(unrounded)));
        }
        if self.get(Field::Score) == Some(Said::Nothing) && valid == Some(true) {
            say("`valid_submission` is true, and there is no score".to_owned());
        }
        for (field, said, follows) in self.untrue_awards() {
            let name = field.name();
            let score = self.score().map(shortest).unwrap_or_default();
            say(format!(
                "`{name}` is {said}, and by its own thresholds a score of {score} makes that {follows}"
            ));
        }
        if let Some(outcome) = self.outcome() {
            let follows = [
                (Field::ValidSubmission, outcome.is_valid_submission()),
                // Whether there was one is another matter where this side failed.
                (Field::SubmissionExists, outcome != Outcome::NoSubmission),
            ];
            for (field, follows) in follows {
                let said = self.flag(field);
                let is_open =
                    field == Field::SubmissionExists && outcome.is_infrastructure_failure();
                if !is_open && said.is_some_and(|said| said != follows) {
                    let (name, outcome) = (field.name(), outcome.name());
                    say(format!("`outcome` is {outcome}, and `{name}` is {}", !follows));
                }
            }
        }
        found
    }
}

impl Statement {
    /// The lines that it states itself, where it states all of them.
    fn thresholds(&self) -> Option<Thresholds> {
        Some(Thresholds {
            gold: self.number(Field::GoldThreshold)?,
            silver: self.number(Field::SilverThreshold)?,
            bronze: self.number(Field::BronzeThreshold)?,
            median: self.number(Field::MedianThreshold)?,
        })
    }

    /// Medals, and the place beside the median, that do not follow from the score and the lines that it states itself:
    /// what is said, and what follows.
    fn untrue_awards(&self) -> Vec<(Field, bool, bool)> {
        let direction = self.flag(Field::IsLowerBetter).map(|is_lower_better| {
            if is_lower_better { Direction::LowerIsBetter } else { Direction::HigherIsBetter }
        });
        let (Some(score), Some(lines), Some(direction)) =
            (self.score(), self.thresholds(), direction)
        else {
            return Vec::new();
        };
        let award = lines.award(score, direction);
        let of_medals = Statement::MEDALS.map(|(medal, field)| (field, award.medal == Some(medal)));
        let others =
            [(Field::AnyMedal, award.medal.is_some()), (Field::AboveMedian, award.above_median)];
        of_medals
            .into_iter()
            .chain(others)
            .filter_map(|(field, follows)| Some((field, self.flag(field)?, follows)))
            .filter(|(_, said, follows)| said != follows)
            .collect()
    }
}

fn medal_field(medal: Medal) -> &'static str {
    match medal {
        Medal::Gold => Field::GoldMedal.name(),
        Medal::Silver => Field::SilverMedal.name(),
        Medal::Bronze => Field::BronzeMedal.name(),
    }
}

/// The value of a field of this kind; else what was expected.
fn said(kind: Kind, value: &Value) -> Result<Said, &'static str> {
    match (kind, value) {
        (Kind::Flag, Value::Bool(flag)) => Ok(Said::Flag(*flag)),
        (Kind::Flag, _) => Err("true or false"),
        (Kind::NumberOrNull, Value::Null) => Ok(Said::Nothing),
        (Kind::NumberOrNull, Value::Number(number)) => {
            number.as_f64().map(Said::Number).ok_or("a number or null")
        }
        (Kind::NumberOrNull, Value::String(text)) if is_beyond_a_double(text) => {
            Err("a number that a double holds")
        }
        (Kind::NumberOrNull, Value::String(text)) => {
            parse_non_finite(text).map(Said::Number).ok_or("a number or null")
        }
        (Kind::NumberOrNull, _) => Err("a number or null"),
        (Kind::Outcome, Value::String(_)) => serde_json::from_value(value.clone())
            .map(Said::Outcome)
            .map_err(|_| "an outcome that is known"),
        (Kind::Outcome, _) => Err("an outcome that is known"),
    }
}

/// That a field of a report has a value that is none of it.
pub(super) fn wrong_value(name: &str, value: &Value, expected: &str) -> String {
    // It became text because nothing else holds it.
    let text = match value {
        Value::String(text) if is_beyond_a_double(text) => text.clone(),
        other => other.to_string(),
    };
    let shown = message::fit_line(&text, SHOWN_CHARACTERS);
    format!("`{name}` is {shown}, and has to be {expected}: it is not compared")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::tests::reference_report;

    fn read(changes: &Value) -> (Statement, Vec<String>) {
        let mut fields = serde_json::to_value(reference_report()).unwrap();
        for (key, value) in changes.as_object().unwrap() {
            fields[key] = value.clone();
        }
        let mut wrong = Vec::new();
        let statement = Statement::read(fields.as_object().unwrap(), &mut wrong);
        (statement, wrong)
    }

    #[test]
    fn what_a_report_says_is_read_as_it_was_written() {
        let report = reference_report();
        let (statement, wrong) = read(&json!({"unrounded_score": report.unrounded_score}));
        assert_eq!((wrong, &statement), (Vec::<String>::new(), &Statement::of(&report)));
        let (infinite, wrong) = read(&json!({
            "score": null, "score_text": "-inf", "any_medal": false, "bronze_medal": false, "above_median": false,
        }));
        assert_eq!((infinite.score(), wrong.len()), (Some(f64::NEG_INFINITY), 0));
        let standing = statement.standing();
        assert_eq!((standing.medal, standing.medal_is_known), (Some(Medal::Bronze), true));
        assert!(!Statement::default().says_something());
    }

    #[test]
    fn values_of_another_type_are_told_by_field_and_not_said() {
        for (field, value) in [
            ("score", json!("0.5")),
            ("score", json!(true)),
            ("unrounded_score", json!([0.5])),
            ("valid_submission", json!("no")),
            ("valid_submission", json!(null)),
            ("submission_exists", json!(1)),
            ("any_medal", json!("")),
            ("gold_medal", json!(0)),
            ("above_median", json!(null)),
            ("is_lower_better", json!("false")),
            ("gold_threshold", json!("0.9")),
            ("median_threshold", json!({})),
            ("score", json!("1e999")),
            ("gold_threshold", json!("9".repeat(400))),
            ("outcome", json!("well\u{202e}done")),
            ("outcome", json!(null)),
        ] {
            let (statement, wrong) = read(&json!({ field: value }));
            let of_field = Field::ALL.into_iter().find(|known| known.name() == field).unwrap();
            assert_eq!(statement.get(of_field), None, "{field}");
            assert_eq!(wrong.len(), 1, "{field}: {wrong:?}");
            assert!(wrong[0].contains(&format!("`{field}` is ")), "{wrong:?}");
            assert!(!wrong[0].contains('\u{202e}'), "{wrong:?}");
        }
        let (_, wrong) = read(&json!({"score_text": "much"}));
        assert!(wrong[0].contains("`score_text`"), "{wrong:?}");
    }

    #[test]
    fn what_cannot_be_true_at_once_is_told() {
        for (changes, part) in [
            (json!({"any_medal": false}), "`any_medal` is false, and `bronze_medal` is true"),
            (json!({"bronze_medal": false}), "`any_medal` is true, and no medal is"),
            (json!({"gold_medal": true}), "more than one medal (gold_medal, bronze_medal)"),
            (json!({"valid_submission": false}), "`score` is 0.81264, and `valid_submission`"),
            (json!({"submission_exists": false}), "`valid_submission` is true, and `submission_"),
            (json!({"score": null}), "`bronze_medal` is true, and there is no valid score"),
            (json!({"score": null}), "`above_median` is true, and there is no valid score"),
            (json!({"score": null}), "`valid_submission` is true, and there is no score"),
            (json!({"score": null, "unrounded_score": 0.8}), "`unrounded_score` is 0.8, and"),
            (json!({"score_text": "nan"}), "`score` is 0.81264, `score_text` is nan"),
            (json!({"score": "-inf", "score_text": "inf"}), "`score` is -inf, `score_text` is inf"),
            (json!({"bronze_threshold": 0.9}), "`bronze_medal` is true, and by its own thresholds"),
            (json!({"silver_threshold": 0.8}), "`silver_medal` is false, and by its own"),
            (json!({"median_threshold": 0.9}), "`above_median` is true, and by its own"),
            (json!({"is_lower_better": true}), "`gold_medal` is false, and by its own thresholds"),
            (json!({"outcome": "no-submission"}), "`outcome` is no-submission, and `valid_sub"),
            (json!({"outcome": "no-submission"}), "no-submission, and `submission_exists` is true"),
        ] {
            let (_, wrong) = read(&changes);
            assert!(wrong.iter().any(|wrong| wrong.contains(part)), "{changes}: {wrong:?}");
        }
    }

    #[test]
    fn every_field_that_both_state_is_compared() {
        let now = Statement::of(&reference_report());
        for field in Field::ALL {
            let mut recorded = now.clone();
            assert_eq!(recorded.changes(&now), []);
            recorded.say(
                field,
                match recorded.get(field).unwrap() {
                    Said::Flag(flag) => Said::Flag(!flag),
                    Said::Outcome(_) => Said::Outcome(Outcome::Undefined),
                    Said::Number(number) => Said::Number(f64::from_bits(number.to_bits() + 1)),
                    Said::Nothing => Said::Number(0.5),
                },
            );
            let changes = recorded.changes(&now);
            assert_eq!(changes.len(), 1, "{field:?}");
            assert_eq!(changes[0].field, field.name());
            assert!(changes[0].to_string().starts_with(&format!("{}: ", field.name())));
            recorded.said[field as usize] = None;
            assert_eq!(recorded.changes(&now), [], "{field:?} is not there");
        }
        let mut nan = now.clone();
        nan.say(Field::Score, Said::Number(f64::NAN));
        assert_eq!(nan.changes(&nan), []);
    }
}
