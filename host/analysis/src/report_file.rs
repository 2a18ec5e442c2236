//! A file of grading reports: what of it can be used, and what cannot.
//!
//! Reads reports of run groups, of Podium and of the reference, and a report of a single grading as `podium grade-sample
//! --json` prints it.

use std::collections::HashSet;
use std::path::Path;

use podium::{Digest, read_file};
use serde_json::Value;

use crate::grading::{Grading, ReadGrading};
use crate::lfs;
use crate::problem::{Problem, ProblemKind};
use crate::report_json::{ReportJson, Step, in_words, shown};

/// No report is larger: a grading takes some kilobytes.
const MOST_BYTES: u64 = 1 << 30;

/// The list of gradings in a report.
const LIST: &str = "competition_reports";

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
        // Some editors put a byte-order mark in front.
        let text = text.trim_start_matches('\u{feff}');
        let ReportJson { value, repeated } = ReportJson::parse(text).map_err(|error| {
            no_report(format!("{error}; a report that was written in part has to be written again"))
        })?;
        let list = || Step::Key(LIST.to_owned());
        if repeated.contains(&vec![list()]) {
            return Err(no_report(format!("`{LIST}` is there more than once")));
        }
        let (reports, is_alone) = match &value {
            Value::Object(fields) if fields.contains_key(LIST) => match &fields[LIST] {
                Value::Array(reports) => (reports.as_slice(), false),
                _ => return Err(no_report(format!("`{LIST}` is no list"))),
            },
            Value::Object(fields) if fields.contains_key("competition_id") => {
                (std::slice::from_ref(&value), true)
            }
            _ => return Err(no_report(format!("it has no list `{LIST}`"))),
        };
        let mut file =
            ReportFile { digest, gradings: Vec::new(), problems: Vec::new(), incomplete: false };
        match value.get("complete") {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => file.incomplete = true,
            Some(said) => {
                let part = Some("complete".to_owned());
                let reason = format!("it is {}; needed is true or false", shown(said));
                let problem = Problem::of_file(path, ProblemKind::UnusableField, reason);
                file.problems.push(Problem { part, ..problem });
            }
        }
        // The gradings of which nobody can say what they say.
        let mut unclear = HashSet::new();
        for place in repeated {
            let inside = match place.as_slice() {
                [first, Step::Element(index), inside @ ..] if !is_alone && *first == list() => {
                    Some((*index, inside))
                }
                inside if is_alone => Some((0, inside)),
                _ => None,
            };
            let is_deciding = match inside {
                Some((_, [Step::Key(key)])) => Grading::DECIDING.contains(&key.as_str()),
                Some((_, [Step::Key(run), Step::Key(key)])) if run == "run" => {
                    Grading::DECIDING.contains(&key.as_str())
                }
                _ => false,
            };
            let (kind, reason) = match inside {
                Some((index, _)) if is_deciding => {
                    unclear.insert(index);
                    let reason =
                        "it is there more than once, so that nobody can say which one counts";
                    (ProblemKind::UnusableGrading, reason)
                }
                _ => (ProblemKind::UnusableField, "it is there more than once"),
            };
            let part = Some(in_words(&place));
            file.problems.push(Problem { part, ..Problem::of_file(path, kind, reason) });
        }
        for (index, report) in reports.iter().enumerate() {
            let ReadGrading { grading, faults } = Grading::from_value(report);
            let kind = match grading {
                Some(_) => ProblemKind::UnusableField,
                None => ProblemKind::UnusableGrading,
            };
            for fault in faults {
                let mut problem = Problem::of_grading(path, index, kind, fault.reason);
                if let (Some(part), Some(field)) = (&mut problem.part, fault.field) {
                    part.extend([".", field]);
                }
                file.problems.push(problem);
            }
            let grading = grading.filter(|_| !unclear.contains(&index));
            file.gradings.extend(grading.map(|grading| (index, grading)));
        }
        if reports.is_empty() {
            let reason = format!("its list `{LIST}` is empty");
            file.problems.push(Problem::of_file(path, ProblemKind::Missing, reason));
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
        "above_median": true, "submission_exists": true, "valid_submission": true, "score": 0.5}"#;

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
        // Of the second grading all that is needed is missing, the third is none.
        assert_eq!(parts.len(), 8, "{parts:?}");
        assert_eq!(parts[0], "competition_reports[1].competition_id");
        assert_eq!(parts[7], "competition_reports[2]");
        let empty = read(b"{\"competition_reports\": []}").unwrap().problems;
        assert!(empty.len() == 1 && empty[0].reason.contains("is empty"), "{empty:?}");
        assert_eq!(read(format!("\u{feff}{text}").as_bytes()).unwrap().gradings.len(), 2);
        // A report of a single grading.
        assert_eq!(read(GRADING.as_bytes()).unwrap().gradings.len(), 1);
    }

    #[test]
    fn keys_that_stand_twice_are_named_and_what_they_decide_is_not_used() {
        let with =
            |more: &str| GRADING.replace("\"score\": 0.5}", &format!("\"score\": 0.5, {more}}}"));
        for (report, part, kind, gradings) in [
            (
                with("\"gold_medal\": true"),
                "competition_reports[1].gold_medal",
                ProblemKind::UnusableGrading,
                1,
            ),
            (
                with("\"run\": {\"seed\": 1, \"seed\": 2}"),
                "competition_reports[1].run.seed",
                ProblemKind::UnusableGrading,
                1,
            ),
            (
                with("\"hint\": 1, \"hint\": 2"),
                "competition_reports[1].hint",
                ProblemKind::UnusableField,
                2,
            ),
            (
                with("\"distances\": {\"score\": 1, \"score\": 2}"),
                "competition_reports[1].distances.score",
                ProblemKind::UnusableField,
                2,
            ),
        ] {
            let text = format!("{{\"competition_reports\": [{}, {report}]}}", with("\"x\": 1"));
            let file = read(text.as_bytes()).unwrap();
            let [problem] = file.problems.as_slice() else { panic!("{:?}", file.problems) };
            assert_eq!((problem.part.as_deref(), problem.kind), (Some(part), kind));
            assert_eq!(file.gradings.len(), gradings, "{part}");
        }
        let file = read(with("\"seed\": 1, \"seed\": 1").as_bytes()).unwrap();
        assert_eq!((file.gradings.len(), file.problems[0].part.as_deref()), (0, Some("seed")));
        let list = format!("\"competition_reports\": [{GRADING}]");
        let problem = read(format!("{{{list}, {list}}}").as_bytes()).unwrap_err();
        assert!(problem.reason.contains("more than once"), "{problem}");
        let file = read(
            format!("{{\"total_runs\": 1, \"total_runs\": 2, \"complete\": 3, {list}}}").as_bytes(),
        )
        .unwrap();
        let parts: Vec<_> =
            file.problems.iter().filter_map(|problem| problem.part.as_deref()).collect();
        assert_eq!((file.gradings.len(), parts), (1, vec!["complete", "total_runs"]));
    }

    #[test]
    fn a_number_that_no_double_holds_makes_its_own_field_useless() {
        let digits = "9".repeat(400);
        for number in ["1e999", digits.as_str()] {
            for (field, gradings, kind) in [
                ("score", 2, Some(ProblemKind::UnusableField)),
                ("gold_threshold", 2, Some(ProblemKind::UnusableField)),
                ("created_at", 2, Some(ProblemKind::UnusableField)),
                ("seed", 1, Some(ProblemKind::UnusableGrading)),
                ("elapsed_seconds", 1, Some(ProblemKind::UnusableGrading)),
                ("gold_medal", 1, Some(ProblemKind::UnusableGrading)),
                ("notes", 2, None),
            ] {
                let mut wrong: serde_json::Value = serde_json::from_str(GRADING).unwrap();
                wrong[field] = "HERE".into();
                let wrong = wrong.to_string().replace("\"HERE\"", number);
                let text = format!(
                    "{{\"total_runs\": {number}, \"competition_reports\": [{wrong}, {GRADING}]}}"
                );
                let file = read(text.as_bytes()).unwrap();
                assert_eq!(file.gradings.len(), gradings, "{field}");
                let found: Vec<_> = file.problems.iter().map(|problem| problem.kind).collect();
                assert_eq!(found, Vec::from_iter(kind), "{field}: {:?}", file.problems);
                for problem in &file.problems {
                    assert_eq!(problem.part, Some(format!("competition_reports[0].{field}")));
                    assert!(problem.reason.contains(", which no double holds"), "{problem}");
                }
            }
        }
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
            let text = format!("{{\"competition_reports\": [{}]}}", GRADING.replace(", \"score\": 0.5}", &format!("{changed}}}")));
            if let Ok(file) = read(text.as_bytes()) {
                prop_assert!(file.gradings.len() == 1 || !file.problems.is_empty());
            }
        }
    }
}
