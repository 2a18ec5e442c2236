//! What a grading says now beside what was recorded.
//!
//! Every field that a report records is compared, whether a receipt lies beside it or not; what one side does not hold is
//! not. Receipts are compared exactly as well: the same id is the same result, bit for bit. A report and a receipt that
//! contradict each other cannot both be as recorded.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::float_text::number_or_text;
use crate::medals::Medal;
use crate::outcome::Outcome;

use super::records::RecordedReceipt;
use super::statement::{ChangedField, Statement};

/// How a run came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegradeVerdict {
    /// Everything that was recorded is so.
    Identical,
    /// There is no submission, and none was recorded.
    NoSubmission,
    /// As valid as before, but something that was recorded is not so; or the submission is not the one that was graded.
    Changed,
    /// What was recorded as invalid, or not at all there, is valid.
    NewlyValid,
    /// What was recorded as valid is invalid.
    NewlyInvalid,
    /// Nothing was recorded.
    FirstGrading,
    /// A submission was recorded, and is not there.
    SubmissionMissing,
    /// The submission is there, and cannot be used: refused, cut off, not fetched.
    SubmissionUnusable,
    /// The data of the competition are not prepared here.
    NoData,
    /// The competition is not known here.
    UnknownCompetition,
    /// The grader came to no result, or rejects the answers.
    GraderFailed,
}

impl RegradeVerdict {
    /// All verdicts, in the order in which summaries list them.
    pub const ALL: [RegradeVerdict; 11] = [
        RegradeVerdict::Identical,
        RegradeVerdict::NoSubmission,
        RegradeVerdict::Changed,
        RegradeVerdict::NewlyValid,
        RegradeVerdict::NewlyInvalid,
        RegradeVerdict::FirstGrading,
        RegradeVerdict::SubmissionMissing,
        RegradeVerdict::SubmissionUnusable,
        RegradeVerdict::NoData,
        RegradeVerdict::UnknownCompetition,
        RegradeVerdict::GraderFailed,
    ];

    /// The name in JSON: `newly-valid`.
    pub fn name(self) -> &'static str {
        match self {
            RegradeVerdict::Identical => "identical",
            RegradeVerdict::NoSubmission => "no-submission",
            RegradeVerdict::Changed => "changed",
            RegradeVerdict::NewlyValid => "newly-valid",
            RegradeVerdict::NewlyInvalid => "newly-invalid",
            RegradeVerdict::FirstGrading => "first-grading",
            RegradeVerdict::SubmissionMissing => "submission-missing",
            RegradeVerdict::SubmissionUnusable => "submission-unusable",
            RegradeVerdict::NoData => "no-data",
            RegradeVerdict::UnknownCompetition => "unknown-competition",
            RegradeVerdict::GraderFailed => "grader-failed",
        }
    }

    /// The verdicts on runs that nothing could be graded of here, whatever they submitted.
    pub(super) const ON_THIS_SIDE: [RegradeVerdict; 3] =
        [RegradeVerdict::NoData, RegradeVerdict::UnknownCompetition, RegradeVerdict::GraderFailed];

    /// Whether the submission was judged, or there is none and none was recorded.
    pub fn has_result(self) -> bool {
        use RegradeVerdict::{SubmissionMissing, SubmissionUnusable};
        !RegradeVerdict::ON_THIS_SIDE.contains(&self)
            && !matches!(self, SubmissionMissing | SubmissionUnusable)
    }

    /// Whether what was recorded still holds.
    pub fn holds(self) -> bool {
        matches!(self, RegradeVerdict::Identical | RegradeVerdict::NoSubmission)
    }
}

/// A double in JSON: a number, or its text where JSON has none.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(#[serde(with = "number_or_text")] pub f64);

impl PartialEq for Score {
    /// As results are compared: NaN is NaN.
    fn eq(&self, other: &Score) -> bool {
        self.0 == other.0 || (self.0.is_nan() && other.0.is_nan())
    }
}

/// What a grading says of a run, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// How it ended; reports of the reference do not say.
    pub outcome: Option<Outcome>,
    /// Whether there was a submission.
    pub exists: Option<bool>,
    /// Whether it was valid.
    pub valid: Option<bool>,
    /// The score, rounded.
    pub score: Option<Score>,
    /// The score before rounding.
    pub unrounded: Option<Score>,
    /// The medal.
    pub medal: Option<Medal>,
    /// Whether no medal means that there is none.
    pub medal_is_known: bool,
    /// Whether it is above the median.
    pub above_median: Option<bool>,
    /// The grader.
    pub grader_sha256: Option<Digest>,
}

/// A run of an archive, regraded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegradedRun {
    /// The run group, where there is one.
    pub run_group: Option<String>,
    /// The folder of the run group in the archive; empty for the archive itself.
    #[serde(default)]
    pub group: String,
    /// The run, where it has an id.
    pub run_id: Option<String>,
    /// The experiment that the run group belongs to, where that is said.
    pub experiment: Option<String>,
    /// The competition.
    pub competition_id: String,
    /// The seed, where it is said.
    pub seed: Option<Value>,
    /// Where the submission lies in the archive.
    pub submission: Option<String>,
    /// The digest of the submission, where one was graded.
    pub submission_sha256: Option<Digest>,
    /// How it came out.
    pub verdict: RegradeVerdict,
    /// What was recorded.
    pub old: Option<Standing>,
    /// What is so now.
    pub new: Option<Standing>,
    /// By how much the score grew.
    pub difference: Option<Score>,
    /// The recorded fields that say something else now.
    #[serde(default)]
    pub changed_fields: Vec<ChangedField>,
    /// What else there is to say of the comparison.
    pub remarks: Vec<String>,
    /// Why there is no score.
    pub message: Option<String>,
    /// The kind of failure, as in a report.
    pub failure: Option<String>,
    /// The receipt, which lies in the set.
    pub receipt_id: Option<Digest>,
    /// How the grading came about.
    pub graded: Graded,
}

impl RegradedRun {
    /// Whether the medal is another one, and was known before. Of what was not graded nothing is known.
    pub fn medal_changed(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if self.verdict.has_result() => {
                let was_graded = !old.outcome.is_some_and(Outcome::is_infrastructure_failure);
                was_graded && old.medal_is_known && old.medal != new.medal
            }
            _ => false,
        }
    }
}

/// How the grading of a run came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Graded {
    /// It was graded now.
    Now,
    /// The set had its receipt already.
    Before,
    /// Another run has the same submission.
    AsDuplicate,
    /// Not at all.
    Not,
}

/// What comes out of a comparison.
#[derive(Debug, PartialEq)]
pub(super) struct Comparison {
    pub(super) verdict: RegradeVerdict,
    pub(super) difference: Option<Score>,
    pub(super) changed_fields: Vec<ChangedField>,
    pub(super) remarks: Vec<String>,
}

impl Comparison {
    fn of(verdict: RegradeVerdict) -> Comparison {
        Comparison { verdict, difference: None, changed_fields: Vec::new(), remarks: Vec::new() }
    }
}

/// What was recorded of a run: by a report, by a receipt, or by both.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recorded<'a> {
    /// What the report says; what the receipt says where there is no report.
    pub(super) statement: Option<&'a Statement>,
    pub(super) receipt: Option<&'a RecordedReceipt>,
    /// What the receipt says that the report names.
    pub(super) of_named_receipt: Option<&'a Statement>,
}

/// Compares a run without a submission with what was recorded.
pub(super) fn without_submission(old: Option<&Statement>, new: &Statement) -> Comparison {
    let Some(old) = old else { return Comparison::of(RegradeVerdict::NoSubmission) };
    let changed_fields = old.changes(new);
    let verdict = if old.exists() == Some(true) || old.valid() == Some(true) {
        RegradeVerdict::SubmissionMissing
    } else if changed_fields.is_empty() {
        RegradeVerdict::NoSubmission
    } else {
        RegradeVerdict::Changed
    };
    Comparison { changed_fields, ..Comparison::of(verdict) }
}

/// Compares a grading with what was recorded.
pub(super) fn compare(
    recorded: Recorded<'_>,
    new: &Statement,
    new_receipt: Option<&RecordedReceipt>,
) -> Comparison {
    let mut remarks = remarks(recorded, new, new_receipt);
    let outcome = new.outcome().unwrap_or(Outcome::GraderFailed);
    let receipts = recorded.receipt.zip(new_receipt);
    // What a receipt claims holds, whoever is to blame for it: a grader that always fails, say.
    let same_receipt = receipts.is_some_and(|(old, new)| old.id == new.id);
    let failed = match outcome {
        Outcome::NotPrepared => Some(RegradeVerdict::NoData),
        Outcome::InvalidAnswers | Outcome::GraderFailed if !same_receipt => {
            Some(RegradeVerdict::GraderFailed)
        }
        _ => None,
    };
    if let Some(verdict) = failed {
        return Comparison { remarks, ..Comparison::of(verdict) };
    }
    let Some(old) = recorded.statement else {
        let verdict = match same_receipt {
            true => RegradeVerdict::Identical,
            false => RegradeVerdict::FirstGrading,
        };
        return Comparison { remarks, ..Comparison::of(verdict) };
    };
    let changed_fields = old.changes(new);
    if let Some(failed) = old.outcome().filter(|old| old.is_infrastructure_failure())
        && !same_receipt
    {
        // That grading said nothing of the submission, so there is nothing that could have changed.
        remarks.push(format!("no result was recorded: {}", failed.name()));
        return Comparison {
            remarks,
            changed_fields,
            ..Comparison::of(RegradeVerdict::FirstGrading)
        };
    }
    let same_result = receipts.is_none_or(|(old, new)| is_same(old, new));
    let verdict = match (old.valid().unwrap_or(false), outcome.is_valid_submission()) {
        (false, true) => RegradeVerdict::NewlyValid,
        (true, false) => RegradeVerdict::NewlyInvalid,
        _ if changed_fields.is_empty() && same_result => match outcome {
            Outcome::NoSubmission => RegradeVerdict::NoSubmission,
            _ => RegradeVerdict::Identical,
        },
        _ => RegradeVerdict::Changed,
    };
    let difference = difference(old, new).filter(|_| verdict == RegradeVerdict::Changed);
    Comparison { verdict, difference, changed_fields, remarks }
}

/// By how much the score grew: the one before rounding where both have it and it is another one.
fn difference(old: &Statement, new: &Statement) -> Option<Score> {
    let between = |old: Option<f64>, new: Option<f64>| Some((Score(old?), Score(new?)));
    let unrounded = between(old.unrounded(), new.unrounded()).filter(|(old, new)| old != new);
    let (old, new) = unrounded.or_else(|| between(old.score(), new.score()))?;
    Some(Score(new.0 - old.0))
}

/// Whether two receipts say the same of the same submission.
fn is_same(old: &RecordedReceipt, new: &RecordedReceipt) -> bool {
    if old.id == new.id {
        return true;
    }
    let same_result =
        old.kind == new.kind && old.score.map(f64::to_bits) == new.score.map(f64::to_bits);
    // The same grader with the same bytes makes the same receipt, so whatever else differs is a change.
    old.submission == new.submission && same_result && !old.is_of_the_same(new)
}

fn remarks(
    recorded: Recorded<'_>,
    new: &Statement,
    new_receipt: Option<&RecordedReceipt>,
) -> Vec<String> {
    let mut remarks = Vec::new();
    if let (Some(report), Some(receipt)) = (recorded.statement, recorded.of_named_receipt) {
        let contradictions =
            report.changes(receipt).into_iter().map(|ChangedField { field, old, new }| {
                format!(
                    "the report contradicts its receipt: {field} is {old}, by the receipt {new}"
                )
            });
        remarks.extend(contradictions);
    }
    let (Some(before), Some(now)) = (recorded.receipt, new_receipt) else {
        let before = recorded.statement.and_then(|old| old.grader_sha256);
        let graders = before.zip(new.grader_sha256);
        remarks.extend(graders.and_then(|(before, now)| other_grader(&before, &now)));
        return remarks;
    };
    if before.id == now.id {
        return remarks;
    }
    if before.submission != now.submission {
        remarks.push("the submission is not the one that was graded: its bytes differ".to_owned());
    }
    if before.answers != now.answers {
        remarks.push("the answers are not those that it was graded against".to_owned());
    }
    remarks.extend(other_grader(&before.component, &now.component));
    if before.is_of_the_same(now) {
        remarks.push("the same grader with the same bytes now gives another receipt".to_owned());
    }
    remarks
}

fn other_grader(before: &Digest, now: &Digest) -> Option<String> {
    let short = |digest: &Digest| digest.to_string()[..12].to_owned();
    (before != now)
        .then(|| format!("by another grader: {} before, {} now", short(before), short(now)))
}

#[cfg(test)]
mod tests {
    use super::super::statement::{Field, Said};
    use super::*;

    fn statement(score: f64) -> Statement {
        let mut statement = Statement::default();
        for (field, said) in [
            (Field::Outcome, Said::Outcome(Outcome::Scored)),
            (Field::SubmissionExists, Said::Flag(true)),
            (Field::ValidSubmission, Said::Flag(true)),
            (Field::Score, Said::Number((score * 1e5).round() / 1e5)),
            (Field::UnroundedScore, Said::Number(score)),
            (Field::GoldMedal, Said::Flag(false)),
            (Field::AboveMedian, Said::Flag(false)),
            (Field::GoldThreshold, Said::Number(0.9)),
        ] {
            statement.say(field, said);
        }
        statement
    }

    fn with(mut statement: Statement, field: Field, said: Said) -> Statement {
        statement.say(field, said);
        statement
    }

    fn only(said: &[(Field, Said)]) -> Statement {
        said.iter().fold(Statement::default(), |all, (field, said)| with(all, *field, *said))
    }

    fn by_report(statement: Option<&Statement>) -> Recorded<'_> {
        Recorded { statement, ..Recorded::default() }
    }

    fn receipt(id: u8, component: u8, submission: u8, score: f64) -> RecordedReceipt {
        RecordedReceipt {
            id: Digest::from([id; 32]),
            component: Digest::from([component; 32]),
            competition: "a".to_owned(),
            name: "submission.csv".to_owned(),
            submission: Digest::from([submission; 32]),
            answers: vec![Digest::from([9; 32])],
            kind: Outcome::Scored,
            score: Some(score),
        }
    }

    #[test]
    fn what_is_recorded_is_compared_and_what_is_not_is_not() {
        use RegradeVerdict::{Changed, FirstGrading, Identical, NewlyInvalid, NewlyValid};
        let new = statement(0.123_456_789);
        let refused = [
            (Field::Outcome, Said::Outcome(Outcome::InvalidSubmission)),
            (Field::SubmissionExists, Said::Flag(true)),
            (Field::ValidSubmission, Said::Flag(false)),
            (Field::Score, Said::Nothing),
            (Field::GoldThreshold, Said::Number(0.9)),
        ];
        let invalid = only(&refused);
        let of_reference = only(&[
            (Field::ValidSubmission, Said::Flag(true)),
            (Field::Score, Said::Number(0.123_46)),
            (Field::GoldThreshold, Said::Number(0.9)),
        ]);
        let edited = |field, said| Some(with(new.clone(), field, said));
        let cases: [(Option<Statement>, &Statement, RegradeVerdict); 15] = [
            (None, &new, FirstGrading),
            (Some(new.clone()), &new, Identical),
            (Some(of_reference.clone()), &new, Identical),
            (Some(with(of_reference, Field::Score, Said::Number(0.123_47))), &new, Changed),
            (Some(statement(0.123_456_788)), &new, Changed),
            // One field alone, whichever it is.
            (edited(Field::Score, Said::Number(0.9)), &new, Changed),
            (edited(Field::GoldMedal, Said::Flag(true)), &new, Changed),
            (edited(Field::AboveMedian, Said::Flag(true)), &new, Changed),
            (edited(Field::GoldThreshold, Said::Nothing), &new, Changed),
            (edited(Field::ValidSubmission, Said::Flag(false)), &new, NewlyValid),
            (Some(only(&[(Field::ValidSubmission, Said::Flag(true))])), &new, Identical),
            (Some(invalid.clone()), &new, NewlyValid),
            (Some(new.clone()), &invalid, NewlyInvalid),
            (Some(invalid.clone()), &invalid, Identical),
            (Some(with(invalid.clone(), Field::Score, Said::Number(0.1))), &invalid, Changed),
        ];
        for (index, (old, new, verdict)) in cases.into_iter().enumerate() {
            let comparison = compare(by_report(old.as_ref()), new, None);
            assert_eq!(comparison.verdict, verdict, "{index}");
            assert_eq!(verdict.holds(), verdict == Identical);
        }
        let nan = statement(f64::NAN);
        assert_eq!(compare(by_report(Some(&nan)), &nan, None).verdict, Identical);
        let (quarter, more) = (statement(0.25), statement(0.75));
        assert_eq!(compare(by_report(Some(&quarter)), &more, None).difference, Some(Score(0.5)));
        let rounded = with(statement(0.25), Field::Score, Said::Number(0.5));
        let changed = compare(by_report(Some(&rounded)), &quarter, None);
        assert_eq!(changed.difference, Some(Score(-0.25)), "where rounding alone differs");
        assert_eq!(changed.changed_fields.len(), 1);
    }

    #[test]
    fn receipts_are_compared_exactly() {
        use RegradeVerdict::{Changed, Identical};
        let half = statement(0.5);
        for (before, now, verdict, remark) in [
            (receipt(1, 1, 1, 0.5), receipt(1, 1, 1, 0.5), Identical, ""),
            // Another grader that gives the same bits.
            (receipt(1, 1, 1, 0.5), receipt(2, 2, 1, 0.5), Identical, "another grader"),
            (receipt(1, 1, 1, 0.5), receipt(2, 2, 1, 0.500_000_1), Changed, "another grader"),
            (receipt(1, 1, 1, 0.0), receipt(2, 2, 1, -0.0), Changed, "another grader"),
            // The archive holds other bytes than were graded, even if they earn the same.
            (receipt(1, 1, 1, 0.5), receipt(2, 1, 2, 0.5), Changed, "its bytes differ"),
            // Nothing but the result can be another one.
            (receipt(1, 1, 1, 0.5), receipt(2, 1, 1, 0.5), Changed, "another receipt"),
        ] {
            let recorded = Recorded { receipt: Some(&before), ..by_report(Some(&half)) };
            let comparison = compare(recorded, &half, Some(&now));
            assert_eq!(comparison.verdict, verdict, "{remark}");
            let remarks = comparison.remarks.join("; ");
            assert!(
                remarks.contains(remark) && remarks.is_empty() == remark.is_empty(),
                "{remarks}"
            );
        }
    }

    #[test]
    fn a_report_is_compared_beside_its_receipt_and_both_must_agree() {
        let (half, receipt) = (statement(0.5), receipt(1, 1, 1, 0.5));
        for (field, said, verdict) in [
            (Field::Score, Said::Number(0.9), RegradeVerdict::Changed),
            (Field::UnroundedScore, Said::Number(0.9), RegradeVerdict::Changed),
            (Field::GoldMedal, Said::Flag(true), RegradeVerdict::Changed),
            (Field::ValidSubmission, Said::Flag(false), RegradeVerdict::NewlyValid),
        ] {
            let edited = with(half.clone(), field, said);
            let recorded = Recorded {
                statement: Some(&edited),
                receipt: Some(&receipt),
                of_named_receipt: Some(&half),
            };
            let comparison = compare(recorded, &half, Some(&receipt));
            assert_eq!(comparison.verdict, verdict, "{field:?}");
            assert_eq!(comparison.changed_fields.len(), 1, "{field:?}");
            let remarks = comparison.remarks.join("; ");
            assert!(remarks.contains("contradicts its receipt"), "{field:?}: {remarks}");
        }
    }

    #[test]
    fn failures_of_this_side_say_nothing_of_the_submission() {
        let old = statement(0.5);
        let failed = receipt(1, 1, 1, 0.5);
        for (outcome, verdict) in [
            (Outcome::NotPrepared, RegradeVerdict::NoData),
            (Outcome::GraderFailed, RegradeVerdict::GraderFailed),
            (Outcome::InvalidAnswers, RegradeVerdict::GraderFailed),
        ] {
            let new = only(&[
                (Field::Outcome, Said::Outcome(outcome)),
                (Field::ValidSubmission, Said::Flag(false)),
            ]);
            assert_eq!(compare(by_report(Some(&old)), &new, None).verdict, verdict);
            assert_eq!(compare(by_report(None), &new, None).verdict, verdict);
        }
        // What failed before was not judged: it is neither newly valid nor newly invalid.
        for outcome in [Outcome::NotPrepared, Outcome::GraderFailed, Outcome::InvalidAnswers] {
            let failed = only(&[
                (Field::Outcome, Said::Outcome(outcome)),
                (Field::ValidSubmission, Said::Flag(false)),
            ]);
            let comparison = compare(by_report(Some(&failed)), &old, None);
            assert_eq!(comparison.verdict, RegradeVerdict::FirstGrading, "{outcome}");
            let remark = format!("no result was recorded: {}", outcome.name());
            assert_eq!(comparison.remarks, [remark]);
        }
        // A grader that failed as it fails now is as recorded.
        let new = only(&[(Field::Outcome, Said::Outcome(Outcome::GraderFailed))]);
        let recorded = Recorded { receipt: Some(&failed), ..by_report(Some(&new)) };
        assert_eq!(compare(recorded, &new, Some(&failed)).verdict, RegradeVerdict::Identical);
    }

    #[test]
    fn where_there_is_no_submission_the_record_is_compared_all_the_same() {
        use RegradeVerdict::{Changed, NoSubmission, SubmissionMissing};
        let none = only(&[
            (Field::SubmissionExists, Said::Flag(false)),
            (Field::ValidSubmission, Said::Flag(false)),
            (Field::Score, Said::Nothing),
            (Field::GoldThreshold, Said::Number(0.9)),
        ]);
        for (old, verdict) in [
            (None, NoSubmission),
            (Some(none.clone()), NoSubmission),
            (Some(statement(0.5)), SubmissionMissing),
            (Some(with(none.clone(), Field::Score, Said::Number(0.9))), Changed),
            (Some(with(none.clone(), Field::GoldThreshold, Said::Number(0.8))), Changed),
        ] {
            assert_eq!(without_submission(old.as_ref(), &none).verdict, verdict, "{old:?}");
        }
    }

    #[test]
    fn names_are_those_of_the_serialised_form() {
        for verdict in RegradeVerdict::ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
    }
}
