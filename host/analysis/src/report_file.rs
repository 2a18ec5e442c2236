//! A file of grading reports: what of it can be used, and what cannot.
//!
//! Reads reports of run groups, of Podium and of the reference, and a report of a single grading as `podium grade-sample
//! --json` prints it.

use std::path::Path;

use podium::{Digest, parse_python_json, read_file};
use serde_json::Value;

use crate::grading::Grading;
use crate::lfs;
use crate::problem::{Problem, ProblemKind};

/// No report is larger: a grading takes some kilobytes.
const MOST_BYTES: u64 = 1 << 30;

/// What was read of a report.
#[derive(Debug)]
pub(crate) struct ReportFile {
    /// The digest of the file, by which copies are known.
    pub(crate) digest: Digest,
    /// The gradings that can be used, each with its place in the list.
    pub(crate) gradings: Vec<(usize, Grading)>,
    /// What cannot be used.
    pub(crate) problems: Vec<Problem>,
    /// That the report says of itself that it is not complete.
    pub(crate) incomplete: bool,
}

impl ReportFile {
    /// Reads a report.
    ///
    /// # Errors
    /// Why nothing of it can be used.
    pub(crate) fn read(path: &Path) -> Result<ReportFile, Problem> {
        let bytes = read_file(path, MOST_BYTES).map_err(|error| Problem::unread(path, &error))?;
        if lfs::is_pointer(&bytes) {
            let reason =
                "this is a Git LFS pointer, not the report: run `git lfs pull` in the checkout";
            return Err(Problem::of_file(path, ProblemKind::LfsPointer, reason));
        }
        let digest = Digest::of(&bytes);
        let no_report = |reason: String| Problem::of_file(path, ProblemKind::NotAReport, reason);
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| no_report("it is not UTF-8 text".to_owned()))?;
        let value = parse_python_json(text).map_err(|error| {
            no_report(format!("{error}; a report that was written in part has to be written again"))
        })?;
        let incomplete = value.get("complete") == Some(&Value::Bool(false));
        let reports = match &value {
            Value::Object(fields) if fields.contains_key("competition_reports") => {
                match &fields["competition_reports"] {
                    Value::Array(reports) => reports.as_slice(),
                    _ => return Err(no_report("`competition_reports` is no list".to_owned())),
                }
            }
            Value::Object(fields) if fields.contains_key("competition_id") => {
                std::slice::from_ref(&value)
            }
            _ => return Err(no_report("it has no list `competition_reports`".to_owned())),
        };
        let mut file =
            ReportFile { digest, gradings: Vec::new(), problems: Vec::new(), incomplete };
        for (index, report) in reports.iter().enumerate() {
            match Grading::from_value(report) {
                Ok(grading) => file.gradings.push((index, grading)),
                Err(reason) => file.problems.push(Problem::of_grading(
                    path,
                    index,
                    ProblemKind::UnusableGrading,
                    reason,
                )),
            }
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Result<ReportFile, Problem> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x_grading_report.json");
        std::fs::write(&path, bytes).unwrap();
        ReportFile::read(&path)
    }

    const GRADING: &str = r#"{"competition_id": "a", "gold_medal": true, "silver_medal": false, "bronze_medal": false,
        "above_median": true, "submission_exists": true, "valid_submission": true, "score": NaN}"#;

    #[test]
    fn what_can_be_used_of_a_report_is() {
        let text = format!(
            "{{\"complete\": false, \"competition_reports\": [{GRADING}, {{}}, 3, {GRADING}]}}"
        );
        let file = read(text.as_bytes()).unwrap();
        assert_eq!(file.gradings.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 3]);
        assert!(file.incomplete);
        let parts: Vec<_> =
            file.problems.iter().filter_map(|problem| problem.part.as_deref()).collect();
        assert_eq!(parts, ["competition_reports[1]", "competition_reports[2]"]);
        // A report of a single grading.
        assert_eq!(read(GRADING.as_bytes()).unwrap().gradings.len(), 1);
    }

    #[test]
    fn every_part_of_a_report_that_was_half_written_is_none() {
        let text = format!("{{\"competition_reports\": [{GRADING}]}}");
        for length in 0..text.len() {
            let problem = read(&text.as_bytes()[..length]).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::NotAReport, "{length}: {problem}");
        }
        assert_eq!(read(text.as_bytes()).unwrap().gradings.len(), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_report_or_a_problem(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes);
        }

        #[test]
        fn any_fields_are_gradings_or_problems(fields in prop::collection::vec(("(gold_medal|above_median|score|run|seed|outcome)", "(true|null|3|-1e400|\"x\"|\\{\\}|\\[\\]|NaN)"), 0..6)) {
            let changed: String = fields.iter().map(|(name, value)| format!(", \"{name}\": {value}")).collect();
            let text = format!("{{\"competition_reports\": [{}]}}", GRADING.replace(", \"score\": NaN}", &format!("{changed}}}")));
            if let Ok(file) = read(text.as_bytes()) {
                prop_assert_eq!(file.gradings.len() + file.problems.len(), 1);
            }
        }
    }
}
