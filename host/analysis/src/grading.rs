//! What an experiment needs of a grading, read out of a report of Podium or of the reference.

mod reader;

use podium::Medal;
use serde::Serialize;
use serde_json::Value;

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
    /// Whether lower scores are better, as the report says.
    pub is_lower_better: Option<bool>,
}

/// What was read of an element of `competition_reports`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadGrading {
    /// The grading, with what of it can be used; `None` where nobody can say what the run came to, or which run it is.
    pub grading: Option<Grading>,
    /// What of it cannot be used.
    pub faults: Vec<Fault>,
}

/// A field of a grading that cannot be used, or one that contradicts others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field: `score`, `run.seed`; `None` where it is the whole grading.
    pub field: Option<&'static str>,
    /// What is wrong with it.
    pub reason: String,
}

impl Grading {
    /// The fields that decide what a run came to and which run it is. A grading that has one of them more than once is
    /// useless, as readers differ in which one counts.
    pub(crate) const DECIDING: [&'static str; 15] = [
        "competition_id",
        "score",
        "score_text",
        "any_medal",
        "gold_medal",
        "silver_medal",
        "bronze_medal",
        "above_median",
        "submission_exists",
        "valid_submission",
        "outcome",
        "run",
        "seed",
        "run_id",
        "elapsed_seconds",
    ];

    /// Reads an element of `competition_reports`.
    pub fn from_value(value: &Value) -> ReadGrading {
        reader::read(value)
    }
}

/// Where a score lies between the median (0) and the gold line (1), whatever the direction of the metric; beyond the lines
/// it goes on. `None` where the two lines are the same.
pub fn relative_score(score: f64, gold: f64, median: f64) -> Option<f64> {
    let relative = (score - median) / (gold - median);
    // Adding zero turns a negative zero into a plain one.
    relative.is_finite().then_some(relative + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
