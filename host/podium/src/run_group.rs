//! The report of a run group: the totals of the reference on top, then Podium's own, then every grading.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::atomic_write::write_under_free_name;
use crate::error::Error;
use crate::medals::Medal;
use crate::outcome::Outcome;
use crate::regular_file;
use crate::report::{GradingReport, parse_python_json};
use crate::serde_message::plain;

/// No report is larger: a grading takes some kilobytes.
const MOST_BYTES: u64 = 4 << 30;

/// The sums over the gradings of a run group, by the reference's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// All gradings.
    pub total_runs: u64,
    /// Those with a submission.
    pub total_runs_with_submissions: u64,
    /// Those with a valid submission.
    pub total_valid_submissions: u64,
    /// Medals of any kind.
    pub total_medals: u64,
    /// Gold medals.
    pub total_gold_medals: u64,
    /// Silver medals.
    pub total_silver_medals: u64,
    /// Bronze medals.
    pub total_bronze_medals: u64,
    /// Scores above the median.
    pub total_above_median: u64,
}

impl Totals {
    /// The sums over these reports.
    pub fn of<'a>(reports: impl IntoIterator<Item = &'a GradingReport>) -> Totals {
        let mut totals = Totals::default();
        for report in reports {
            totals.total_runs += 1;
            totals.total_runs_with_submissions += u64::from(report.submission_exists);
            totals.total_valid_submissions += u64::from(report.valid_submission);
            totals.total_above_median += u64::from(report.above_median);
            let medal = report.medal();
            totals.total_medals += u64::from(medal.is_some());
            totals.total_gold_medals += u64::from(medal == Some(Medal::Gold));
            totals.total_silver_medals += u64::from(medal == Some(Medal::Silver));
            totals.total_bronze_medals += u64::from(medal == Some(Medal::Bronze));
        }
        totals
    }
}

/// The report of a run group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunGroupReport {
    /// The sums over all gradings.
    #[serde(flatten)]
    pub totals: Totals,
    /// The same sums without the competitions that have known issues. Absent from reports of the reference.
    #[serde(default)]
    pub totals_without_known_issues: Option<Totals>,
    /// How many gradings ended in each outcome.
    #[serde(default)]
    pub total_by_outcome: BTreeMap<Outcome, u64>,
    /// Whether every submission of the list was graded; false after an interruption.
    #[serde(default = "yes")]
    pub complete: bool,
    /// When the report was made: ISO 8601 in UTC with an offset. Absent from reports of the reference.
    #[serde(default)]
    pub created_at: Option<String>,
    /// The version of Podium that made it. Absent from reports of the reference.
    #[serde(default)]
    pub podium_version: Option<String>,
    /// What is hardly meant as it is in the list of submissions. Absent from reports of the reference.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The gradings, in the order of the list.
    pub competition_reports: Vec<GradingReport>,
}

fn yes() -> bool {
    true
}

impl RunGroupReport {
    /// Sums these gradings up, now.
    pub fn new(competition_reports: Vec<GradingReport>, complete: bool) -> RunGroupReport {
        let mut total_by_outcome = BTreeMap::new();
        for report in &competition_reports {
            *total_by_outcome.entry(report.outcome).or_default() += 1;
        }
        RunGroupReport {
            totals: Totals::of(&competition_reports),
            totals_without_known_issues: Some(Totals::of(
                competition_reports.iter().filter(|report| report.known_issues.is_empty()),
            )),
            total_by_outcome,
            complete,
            created_at: Some(utc(Timestamp::now())),
            podium_version: Some(crate::VERSION.to_owned()),
            warnings: Vec::new(),
            competition_reports,
        }
    }

    /// Reads a run group's report from a file.
    ///
    /// # Errors
    /// [`Error::Read`] where there is no regular file that can be read, else as [`RunGroupReport::parse`].
    pub fn read(path: &Path) -> Result<RunGroupReport, Error> {
        let text = regular_file::read_text(path, MOST_BYTES)
            .map_err(|source| Error::read(path, source))?;
        RunGroupReport::parse(&text)
    }

    /// Reads the JSON of a run group's report, of Podium or of the reference.
    ///
    /// # Errors
    /// [`Error::NotAReport`] says what is missing or wrong, and in which of its gradings.
    pub fn parse(text: &str) -> Result<RunGroupReport, Error> {
        let mut value = parse_python_json(text)?;
        let reports = match value.get_mut("competition_reports").map(Value::take) {
            Some(Value::Array(reports)) => reports,
            _ => {
                return Err(Error::NotAReport {
                    message: "it has no list `competition_reports`".to_owned(),
                });
            }
        };
        let reports = reports
            .into_iter()
            .enumerate()
            .map(|(index, report)| {
                GradingReport::from_value(report).map_err(|error| Error::NotAReport {
                    message: format!("competition_reports[{index}]: {error}"),
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        value["competition_reports"] = Value::Array(Vec::new());
        let mut group: RunGroupReport = serde_json::from_value(value)
            .map_err(|error| Error::NotAReport { message: plain(&error.to_string()) })?;
        group.competition_reports = reports;
        Ok(group)
    }

    /// Writes the report into a folder (made if missing) as `<time>_grading_report.json`, the reference's name, or
    /// `<time>-2_grading_report.json` … where that name is taken. Never writes over anything.
    ///
    /// # Errors
    /// [`Error::Write`]; nothing is left behind then.
    pub fn write_to(&self, folder: &Path) -> Result<PathBuf, Error> {
        let time = Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S-GMT").to_string();
        let name = |attempt| match attempt {
            1 => format!("{time}_grading_report.json"),
            _ => format!("{time}-{attempt}_grading_report.json"),
        };
        write_under_free_name(folder, name, to_json(self).as_bytes())
    }
}

/// The JSON text of a report, indented, with a line feed at its end.
pub fn to_json(report: &impl Serialize) -> String {
    // Reports hold text keys and finite numbers only; writing to memory does not fail.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

/// ISO 8601 in UTC with microseconds and an offset, in the one form that every `datetime.fromisoformat` reads.
pub(crate) fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::KnownIssue;
    use crate::report::tests::reference_report;

    /// Valid and gold, valid and silver with a known issue, valid and bronze, invalid, none.
    fn reports() -> Vec<GradingReport> {
        let report = |change: fn(&mut GradingReport)| {
            let mut report = reference_report();
            change(&mut report);
            report
        };
        vec![
            report(|report| (report.gold_medal, report.bronze_medal) = (true, false)),
            report(|report| {
                (report.silver_medal, report.bronze_medal) = (true, false);
                report.known_issues.push(KnownIssue {
                    kind: "leak".to_owned(),
                    what: "x".to_owned(),
                    source: None,
                });
            }),
            report(|_| ()),
            report(|report| {
                (report.valid_submission, report.bronze_medal, report.above_median) =
                    (false, false, false);
                report.outcome = Outcome::InvalidSubmission;
            }),
            report(|report| {
                report.submission_exists = false;
                (report.valid_submission, report.bronze_medal, report.above_median) =
                    (false, false, false);
                report.outcome = Outcome::NoSubmission;
            }),
        ]
    }

    /// Threat 7: sums are there without the competitions whose data are known to be wrong.
    #[test]
    fn totals_are_sums() {
        let group = RunGroupReport::new(reports(), true);
        let expected = Totals {
            total_runs: 5,
            total_runs_with_submissions: 4,
            total_valid_submissions: 3,
            total_medals: 3,
            total_gold_medals: 1,
            total_silver_medals: 1,
            total_bronze_medals: 1,
            total_above_median: 3,
        };
        assert_eq!(group.totals, expected);
        let without = group.totals_without_known_issues.unwrap();
        assert_eq!((without.total_runs, without.total_silver_medals), (4, 0));
        assert_eq!(group.total_by_outcome[&Outcome::Scored], 3);
        assert_eq!(group.total_by_outcome.values().sum::<u64>(), 5);
        assert_eq!(RunGroupReport::new(Vec::new(), true).totals, Totals::default());
    }

    #[test]
    fn the_references_totals_come_first_and_the_gradings_last() {
        let text = to_json(&RunGroupReport::new(reports(), true));
        let value: Value = serde_json::from_str(&text).unwrap();
        let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let reference = [
            "total_runs",
            "total_runs_with_submissions",
            "total_valid_submissions",
            "total_medals",
            "total_gold_medals",
            "total_silver_medals",
            "total_bronze_medals",
            "total_above_median",
        ];
        assert_eq!(keys[..8], reference);
        assert_eq!(keys.last(), Some(&"competition_reports"));
    }

    #[test]
    fn a_group_comes_back_from_its_file_and_never_writes_over_another() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("reports");
        let group = RunGroupReport::new(reports(), false);
        let paths: Vec<PathBuf> = (0..5).map(|_| group.write_to(&folder).unwrap()).collect();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 5);
        for path in paths {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(name.ends_with("_grading_report.json") && name.contains("-GMT"), "{name}");
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(RunGroupReport::parse(&text).unwrap(), group);
        }
    }

    #[test]
    fn a_group_of_the_reference_is_read() {
        let report = r#"{"competition_id": "a", "score": NaN, "gold_threshold": 1.0,
            "silver_threshold": 1.0, "bronze_threshold": 1.0, "median_threshold": 1.0,
            "any_medal": false, "gold_medal": false, "silver_medal": false, "bronze_medal": false,
            "above_median": false, "submission_exists": true, "valid_submission": true,
            "is_lower_better": false, "created_at": "2024-10-04T16:47:51", "submission_path": "x"}"#;
        let totals = r#""total_runs": 1, "total_runs_with_submissions": 1, "total_valid_submissions": 1,
            "total_medals": 0, "total_gold_medals": 0, "total_silver_medals": 0,
            "total_bronze_medals": 0, "total_above_median": 0"#;
        let text = format!("{{{totals}, \"competition_reports\": [{report}]}}");
        let group = RunGroupReport::parse(&text).unwrap();
        assert_eq!(group.competition_reports[0].outcome, Outcome::Undefined);
        assert_eq!((group.podium_version, group.totals_without_known_issues), (None, None));
        assert!(group.complete);
        for (text, part) in [
            ("{}", "no list `competition_reports`"),
            ("[]", "no list `competition_reports`"),
            ("", "EOF"),
            (
                &*format!("{{{totals}, \"competition_reports\": [{report}, {{}}]}}"),
                "competition_reports[1]",
            ),
            (&*format!("{{\"competition_reports\": [{report}]}}"), "missing key `total_runs`"),
        ] {
            let message = RunGroupReport::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn times_are_in_utc_with_an_offset() {
        let time: Timestamp = "2026-03-04T05:06:07.08+02:00".parse().unwrap();
        assert_eq!(utc(time), "2026-03-04T03:06:07.080000+00:00");
    }
}
