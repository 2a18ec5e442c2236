//! What a grading says now beside what was recorded.
//!
//! Receipts are compared exactly: the same id is the same result, bit for bit. Reports of Podium hold unrounded scores,
//! those of the reference rounded ones; what both sides hold is compared, and what one does not hold is not.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::float_text::number_or_text;
use crate::medals::Medal;
use crate::outcome::Outcome;
use crate::report::GradingReport;

use super::records::RecordedReceipt;

/// How a run came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegradeVerdict {
    /// Everything that was recorded is so.
    Identical,
    /// There is no submission, and none was recorded.
    NoSubmission,
    /// A valid submission earns something else, or is not the one that was graded.
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

impl Standing {
    /// What a report says.
    pub(super) fn of(report: &GradingReport) -> Standing {
        Standing {
            outcome: Some(report.outcome),
            exists: Some(report.submission_exists),
            valid: Some(report.valid_submission),
            score: report.score_value().map(Score),
            unrounded: report.unrounded_score.map(Score),
            medal: report.medal(),
            medal_is_known: true,
            above_median: Some(report.above_median),
            grader_sha256: report.grader_sha256,
        }
    }
}

/// A run of an archive, regraded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegradedRun {
    /// The run group, where there is one.
    pub run_group: Option<String>,
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
    /// Whether the medal is another one, and was known before.
    pub fn medal_changed(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => old.medal_is_known && old.medal != new.medal,
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
    pub(super) remarks: Vec<String>,
}

impl Comparison {
    fn of(verdict: RegradeVerdict) -> Comparison {
        Comparison { verdict, difference: None, remarks: Vec::new() }
    }
}

/// Compares a run without a submission with what was recorded.
pub(super) fn without_submission(old: Option<&Standing>) -> RegradeVerdict {
    match old {
        Some(old) if old.exists == Some(true) || old.valid == Some(true) => {
            RegradeVerdict::SubmissionMissing
        }
        _ => RegradeVerdict::NoSubmission,
    }
}

/// Compares a grading with what was recorded.
pub(super) fn compare(
    old: Option<&Standing>,
    old_receipt: Option<&RecordedReceipt>,
    new: &Standing,
    new_receipt: Option<&RecordedReceipt>,
) -> Comparison {
    let remarks = remarks(old, old_receipt, new, new_receipt);
    if let (Some(old), Some(new)) = (old_receipt, new_receipt)
        && old.id == new.id
    {
        return Comparison::of(RegradeVerdict::Identical);
    }
    let outcome = new.outcome.unwrap_or(Outcome::GraderFailed);
    let failed = match outcome {
        Outcome::NotPrepared => Some(RegradeVerdict::NoData),
        Outcome::InvalidAnswers | Outcome::GraderFailed => Some(RegradeVerdict::GraderFailed),
        _ => None,
    };
    if let Some(verdict) = failed {
        return Comparison { remarks, ..Comparison::of(verdict) };
    }
    let Some(old) = old else {
        return Comparison { remarks, ..Comparison::of(RegradeVerdict::FirstGrading) };
    };
    let was_valid = old.valid.or(old.score.map(|_| true)).unwrap_or(false);
    let difference = match (old.unrounded.or(old.score), new.unrounded.or(new.score)) {
        (Some(_), Some(_)) => match (old.unrounded, new.unrounded) {
            (Some(before), Some(now)) => Some(Score(now.0 - before.0)),
            _ => old.score.zip(new.score).map(|(before, now)| Score(now.0 - before.0)),
        },
        _ => None,
    };
    let verdict = match (was_valid, outcome.is_valid_submission()) {
        (false, true) => RegradeVerdict::NewlyValid,
        (true, false) => RegradeVerdict::NewlyInvalid,
        (false, false) if outcome == Outcome::NoSubmission => RegradeVerdict::NoSubmission,
        (was, _) if is_same(was, old, old_receipt, new, new_receipt) => RegradeVerdict::Identical,
        _ => RegradeVerdict::Changed,
    };
    let difference = difference.filter(|_| verdict == RegradeVerdict::Changed);
    Comparison { verdict, difference, remarks }
}

/// Whether what both sides hold is the same.
fn is_same(
    valid: bool,
    old: &Standing,
    old_receipt: Option<&RecordedReceipt>,
    new: &Standing,
    new_receipt: Option<&RecordedReceipt>,
) -> bool {
    if let (Some(old), Some(new)) = (old_receipt, new_receipt) {
        // The same grader with the same bytes makes the same receipt, so whatever else differs is a change.
        let same_result =
            old.kind == new.kind && old.score.map(f64::to_bits) == new.score.map(f64::to_bits);
        if old.submission != new.submission || !same_result || old.is_of_the_same(new) {
            return false;
        }
    }
    if !valid {
        return true;
    }
    let score = match (old.unrounded, new.unrounded) {
        (Some(before), Some(now)) => before == now,
        _ => old.score.is_none() || old.score == new.score,
    };
    let medal = !old.medal_is_known || old.medal == new.medal;
    let median = old.above_median.is_none() || old.above_median == new.above_median;
    score && medal && median
}

fn remarks(
    old: Option<&Standing>,
    old_receipt: Option<&RecordedReceipt>,
    new: &Standing,
    new_receipt: Option<&RecordedReceipt>,
) -> Vec<String> {
    let mut remarks = Vec::new();
    let (Some(before), Some(now)) = (old_receipt, new_receipt) else {
        let graders = old.and_then(|old| old.grader_sha256).zip(new.grader_sha256);
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
    use super::*;

    fn standing(score: f64) -> Standing {
        Standing {
            outcome: Some(Outcome::Scored),
            exists: Some(true),
            valid: Some(true),
            score: Some(Score((score * 1e5).round() / 1e5)),
            unrounded: Some(Score(score)),
            medal_is_known: true,
            above_median: Some(false),
            ..Standing::default()
        }
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
    fn what_is_not_recorded_is_not_compared() {
        use RegradeVerdict::{Changed, FirstGrading, Identical, NewlyInvalid, NewlyValid};
        let new = standing(0.123_456_789);
        let invalid = Standing {
            outcome: Some(Outcome::InvalidSubmission),
            exists: Some(true),
            valid: Some(false),
            medal_is_known: true,
            ..Standing::default()
        };
        let of_reference = Standing { unrounded: None, outcome: None, ..standing(0.123_46) };
        let other_medal = Standing { medal: Some(Medal::Gold), ..standing(0.123_456_789) };
        let cases: [(Option<Standing>, &Standing, RegradeVerdict); 11] = [
            (None, &new, FirstGrading),
            (Some(new.clone()), &new, Identical),
            (Some(of_reference.clone()), &new, Identical),
            (Some(Standing { score: Some(Score(0.123_47)), ..of_reference }), &new, Changed),
            (Some(standing(0.123_456_788)), &new, Changed),
            (Some(other_medal), &new, Changed),
            (Some(Standing { above_median: Some(true), ..new.clone() }), &new, Changed),
            (Some(Standing { valid: Some(true), ..Standing::default() }), &new, Identical),
            (Some(invalid.clone()), &new, NewlyValid),
            (Some(new.clone()), &invalid, NewlyInvalid),
            (Some(invalid.clone()), &invalid, Identical),
        ];
        for (index, (old, new, verdict)) in cases.into_iter().enumerate() {
            let comparison = compare(old.as_ref(), None, new, None);
            assert_eq!(comparison.verdict, verdict, "{index}");
            assert_eq!(verdict.holds(), verdict == Identical);
        }
        let nan = Standing { unrounded: None, ..standing(f64::NAN) };
        assert_eq!(compare(Some(&nan), None, &nan, None).verdict, Identical);
        let changed = compare(Some(&standing(0.25)), None, &standing(0.75), None);
        assert_eq!(changed.difference, Some(Score(0.5)));
    }

    #[test]
    fn receipts_are_compared_exactly() {
        use RegradeVerdict::{Changed, Identical};
        let (old, new) = (standing(0.5), standing(0.5));
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
            let comparison = compare(Some(&old), Some(&before), &new, Some(&now));
            assert_eq!(comparison.verdict, verdict, "{remark}");
            let remarks = comparison.remarks.join("; ");
            assert!(
                remarks.contains(remark) && remarks.is_empty() == remark.is_empty(),
                "{remarks}"
            );
        }
    }

    #[test]
    fn failures_of_this_side_say_nothing_of_the_submission() {
        let old = standing(0.5);
        for (outcome, verdict) in [
            (Outcome::NotPrepared, RegradeVerdict::NoData),
            (Outcome::GraderFailed, RegradeVerdict::GraderFailed),
            (Outcome::InvalidAnswers, RegradeVerdict::GraderFailed),
        ] {
            let new =
                Standing { outcome: Some(outcome), valid: Some(false), ..Standing::default() };
            assert_eq!(compare(Some(&old), None, &new, None).verdict, verdict);
            assert_eq!(compare(None, None, &new, None).verdict, verdict);
        }
        assert_eq!(without_submission(Some(&old)), RegradeVerdict::SubmissionMissing);
        assert_eq!(without_submission(None), RegradeVerdict::NoSubmission);
    }

    #[test]
    fn names_are_those_of_the_serialised_form() {
        for verdict in RegradeVerdict::ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
    }
}
