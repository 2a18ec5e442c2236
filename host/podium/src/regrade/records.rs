//! What was recorded of gradings: reports of the reference and of Podium, and receipts. Read tolerantly: what is there
//! is compared, what is not there is not.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::archive::{Archive, ArchiveLimits, EntryPath, EntryProblem};
use crate::digest::Digest;
use crate::error::Error;
use crate::float_text::parse_non_finite;
use crate::medals::Medal;
use crate::outcome::Outcome;
use crate::receipt::{ClaimedInput, ExactNumber, Receipt};
use crate::regular_file;
use crate::report::{parse_python_json, quote_bare_words};

use super::collector::Collector;
use super::comparison::{Score, Standing};

/// A grading that a report records.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedGrading {
    pub(super) competition_id: String,
    /// The path of the submission as the report says it; `None` where it says that there was none.
    pub(super) submission_path: Option<String>,
    pub(super) standing: Standing,
    pub(super) receipt: Option<Digest>,
    /// What the report says of the run: seed, run id, whatever there is.
    pub(super) run: Map<String, Value>,
}

/// A receipt, without what is not compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedReceipt {
    pub(super) id: Digest,
    pub(super) component: Digest,
    pub(super) competition: String,
    /// The name of the submission, as the grader got to know it.
    pub(super) name: String,
    pub(super) submission: Digest,
    pub(super) answers: Vec<Digest>,
    pub(super) kind: Outcome,
    pub(super) score: Option<f64>,
}

impl RecordedReceipt {
    pub(super) fn of(receipt: &Receipt) -> Option<RecordedReceipt> {
        let claim = &receipt.claim;
        let digest = |input: &ClaimedInput| input.sha256;
        let submission = claim.submission()?;
        Some(RecordedReceipt {
            id: receipt.id,
            component: claim.component.sha256,
            competition: claim.component.competition.clone(),
            name: submission.name.clone(),
            submission: submission.sha256,
            answers: claim.answers().map(digest).collect(),
            kind: claim.outcome.kind,
            score: claim.outcome.score.as_ref().and_then(ExactNumber::value),
        })
    }

    /// Whether both are of the same grader and the same inputs, so that they have to be the same.
    pub(super) fn is_of_the_same(&self, other: &RecordedReceipt) -> bool {
        self.component == other.component
            && self.name == other.name
            && self.submission == other.submission
            && self.answers == other.answers
    }
}

/// All that was recorded, by the files that it stands in.
#[derive(Default)]
pub(super) struct Records {
    /// Reports by their path, sorted: later ones go before earlier ones.
    pub(super) reports: Vec<(EntryPath, Vec<RecordedGrading>)>,
    pub(super) receipts: Receipts,
    /// What could not be read.
    pub(super) problems: Vec<EntryProblem>,
}

impl Records {
    /// Whether nothing was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.reports.is_empty() && self.receipts.by_id.is_empty()
    }
}

/// Receipts, found by their id and by what they grade.
#[derive(Default)]
pub(super) struct Receipts {
    by_id: HashMap<Digest, RecordedReceipt>,
    by_submission: HashMap<(String, Digest), Digest>,
}

impl Receipts {
    pub(super) fn add(&mut self, receipt: RecordedReceipt) {
        let submission = (receipt.competition.clone(), receipt.submission);
        // Of several, always the same one, whatever the order of files.
        let id = self.by_submission.entry(submission).or_insert(receipt.id);
        *id = receipt.id.min(*id);
        self.by_id.insert(receipt.id, receipt);
    }

    pub(super) fn by_id(&self, id: &Digest) -> Option<&RecordedReceipt> {
        self.by_id.get(id)
    }

    pub(super) fn of_submission(
        &self,
        competition: &str,
        submission: &Digest,
    ) -> Option<&RecordedReceipt> {
        // The key is small, and asked for once a run.
        self.by_id.get(self.by_submission.get(&(competition.to_owned(), *submission))?)
    }
}

/// Reads the records at a path: a report, a receipt, or a folder or packed archive of them.
///
/// # Errors
/// [`Error::Read`] where there is nothing, [`Error::Archive`] where nothing in it is a record.
pub(super) fn read(path: &Path, limits: &ArchiveLimits) -> Result<Records, Error> {
    let wrong = |message: String| Error::Archive { path: path.to_owned(), message };
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let mut records = Records::default();
    if is_json && !path.is_dir() {
        let bytes = regular_file::read(path, limits.document_bytes)
            .map_err(|source| Error::read(path, source))?;
        if crate::archive::is_pointer(&bytes) {
            return Err(wrong("this is a Git LFS pointer; run `git lfs pull`".to_owned()));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is not text".to_owned()))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = EntryPath::parse(name.unwrap_or_default().as_bytes()).unwrap_or_default();
        if let Ok(receipt) = Receipt::parse(&text) {
            RecordedReceipt::of(&receipt).into_iter().for_each(|one| records.receipts.add(one));
        } else {
            let read = gradings(&text).map_err(wrong)?;
            records.problems.extend(read.problems(&name));
            records.reports.push((name, read.gradings));
        }
    } else {
        let archive = Archive::open(path, limits.clone())?;
        let mut collector = Collector::of_records(limits);
        let passage = archive.visit(&mut collector);
        records = collector.into_records();
        records.problems.extend(passage.refused);
        if let Some(broken) = passage.broken {
            records.problems.push(EntryProblem::new(path.to_string_lossy(), broken));
        }
    }
    if records.is_empty() {
        let reason = match records.problems.first() {
            Some(problem) => format!(": {}: {}", problem.entry, problem.reason),
            None => String::new(),
        };
        return Err(wrong(format!("there is no grading report and no receipt{reason}")));
    }
    Ok(records)
}

/// The gradings of a report, and what is wrong with the rest of it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ReadReport {
    pub(super) gradings: Vec<RecordedGrading>,
    pub(super) wrong: Vec<String>,
}

impl ReadReport {
    /// What is wrong, as problems of a file.
    pub(super) fn problems<'a>(
        &'a self,
        path: &'a EntryPath,
    ) -> impl Iterator<Item = EntryProblem> + 'a {
        self.wrong.iter().map(|reason| EntryProblem::new(path.as_str(), reason))
    }
}

/// The gradings of the text of a report: of a run group, or of a single grading. Of a text that ends in the middle,
/// those that are whole.
///
/// # Errors
/// Why the text is no report at all.
pub(super) fn gradings(text: &str) -> Result<ReadReport, String> {
    match parse_python_json(text) {
        Ok(Value::Object(mut fields)) => match fields.remove("competition_reports") {
            Some(Value::Array(reports)) => Ok(read_all(reports.into_iter().map(Ok))),
            Some(_) => Err("`competition_reports` is no list".to_owned()),
            None if fields.contains_key("competition_id") => {
                Ok(read_all(std::iter::once(Ok(Value::Object(fields)))))
            }
            None => {
                Err("this is no grading report: it has no list `competition_reports`".to_owned())
            }
        },
        Ok(_) => Err("this is no grading report: it is no object".to_owned()),
        Err(error) => {
            let message = error.to_string();
            let message = message.rsplit(": ").next().unwrap_or(&message).to_owned();
            let read = read_all(whole_ones(text));
            if read.gradings.is_empty() {
                return Err(format!("this is no JSON: {message}"));
            }
            let mut wrong = read.wrong;
            let count = read.gradings.len();
            wrong.push(format!(
                "the report is damaged ({message}): the first {count} gradings are used"
            ));
            Ok(ReadReport { wrong, ..read })
        }
    }
}

/// The reports in a text that is no JSON as a whole, up to where it breaks.
fn whole_ones(text: &str) -> impl Iterator<Item = Result<Value, String>> {
    let text = quote_bare_words(text).unwrap_or_else(|| text.to_owned());
    let begin =
        text.find("\"competition_reports\"").and_then(|at| Some(at + text[at..].find('[')? + 1));
    let mut values = Vec::new();
    if let Some(begin) = begin {
        let mut rest = &text[begin..];
        loop {
            rest = rest.trim_start_matches([',', ' ', '\t', '\n', '\r']);
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let Some(Ok(value)) = stream.next() else { break };
            rest = &rest[stream.byte_offset()..];
            values.push(Ok(value));
        }
    }
    values.into_iter()
}

fn read_all(reports: impl Iterator<Item = Result<Value, String>>) -> ReadReport {
    let mut read = ReadReport::default();
    for (index, report) in reports.enumerate() {
        match report.and_then(|report| grading(&report)) {
            Ok(grading) => read.gradings.push(grading),
            Err(reason) => read.wrong.push(format!("competition_reports[{index}]: {reason}")),
        }
    }
    read
}

/// A grading as one report says it.
fn grading(report: &Value) -> Result<RecordedGrading, String> {
    let Value::Object(fields) = report else { return Err("it is no object".to_owned()) };
    let competition_id = match fields.get("competition_id") {
        Some(Value::String(id)) => id.clone(),
        Some(_) => return Err("its `competition_id` is no text".to_owned()),
        None => return Err("it has no `competition_id`".to_owned()),
    };
    let yes = |name: &str| fields.get(name).and_then(Value::as_bool);
    let outcome: Option<Outcome> =
        fields.get("outcome").and_then(|outcome| serde_json::from_value(outcome.clone()).ok());
    let exists =
        yes("submission_exists").or(outcome.map(|outcome| outcome != Outcome::NoSubmission));
    let valid = yes("valid_submission").or(outcome.map(Outcome::is_valid_submission));
    let number = |name: &str| match fields.get(name) {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => parse_non_finite(text),
        _ => None,
    };
    let score = number("score").or_else(|| number("score_text"));
    let medals = [
        (Medal::Gold, yes("gold_medal")),
        (Medal::Silver, yes("silver_medal")),
        (Medal::Bronze, yes("bronze_medal")),
    ];
    let submission_path = match fields.get("submission_path") {
        // The reference writes Python's None as text.
        Some(Value::String(path)) if path != "None" && !path.is_empty() => Some(path.clone()),
        _ => None,
    };
    let says_nothing = exists.is_none() && valid.is_none() && score.is_none();
    if says_nothing {
        return Err("it says neither a score nor whether there was a valid submission".to_owned());
    }
    let digest =
        |name: &str| fields.get(name).and_then(Value::as_str).and_then(|id| id.parse().ok());
    Ok(RecordedGrading {
        competition_id,
        submission_path: submission_path.filter(|_| exists != Some(false)),
        standing: Standing {
            outcome,
            exists,
            valid: valid.or(score.map(|_| true)),
            score: score.map(Score),
            unrounded: number("unrounded_score").map(Score),
            medal: medals.iter().find(|(_, has)| *has == Some(true)).map(|(medal, _)| *medal),
            medal_is_known: medals.iter().any(|(_, has)| has.is_some()),
            above_median: yes("above_median"),
            grader_sha256: digest("grader_sha256"),
        },
        receipt: digest("receipt_id"),
        run: match fields.get("run") {
            Some(Value::Object(run)) => run.clone(),
            _ => Map::new(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"competition_id": "a", "score": 0.5, "gold_medal": false, "silver_medal": true,
        "bronze_medal": false, "above_median": true, "submission_exists": true,
        "valid_submission": true, "submission_path": "x/s.csv"}"#;

    #[test]
    fn what_a_report_says_is_read_and_what_it_does_not_say_is_not() {
        let text = format!(
            r#"{{"competition_reports": [{ONE},
            {{"competition_id": "b", "score": NaN, "valid_submission": true}},
            {{"competition_id": "c", "submission_exists": false, "submission_path": "None"}},
            {{"competition_id": "d", "score": null, "valid_submission": false, "submission_exists": true}},
            {{"score": 1}}, 7, {{"competition_id": 3, "score": 1}}, {{"competition_id": "e"}}]}}"#
        );
        let read = gradings(&text).unwrap();
        let [a, b, c, d] = &read.gradings[..] else { panic!("{read:?}") };
        assert_eq!(a.submission_path.as_deref(), Some("x/s.csv"));
        assert_eq!((a.standing.medal, a.standing.medal_is_known), (Some(Medal::Silver), true));
        assert_eq!(a.standing.score, Some(Score(0.5)));
        assert!(b.standing.score.unwrap().0.is_nan() && !b.standing.medal_is_known);
        assert_eq!((b.standing.above_median, b.standing.exists), (None, None));
        assert_eq!(
            (c.standing.exists, c.standing.valid, &c.submission_path),
            (Some(false), None, &None)
        );
        assert_eq!((d.standing.valid, d.standing.score), (Some(false), None));
        assert_eq!(read.wrong.len(), 4, "{:?}", read.wrong);
        for (wrong, part) in read.wrong.iter().zip([
            "competition_reports[4]: it has no `competition_id`",
            "[5]: it is no object",
            "[6]: its `competition_id` is no text",
            "[7]: it says neither",
        ]) {
            assert!(wrong.contains(part), "{wrong}");
        }
    }

    #[test]
    fn of_a_report_that_breaks_off_the_whole_gradings_are_used() {
        let whole = format!(r#"{{"total_runs": 2, "competition_reports": [{ONE}, {ONE}]}}"#);
        assert_eq!(gradings(&whole).unwrap().gradings.len(), 2);
        for (missing, kept) in [(1, 2), (2, 2), (3, 1), (40, 1)] {
            let cut = whole.len() - missing;
            let read = gradings(&whole[..cut]).unwrap();
            assert_eq!(read.gradings.len(), kept, "{missing}");
            assert!(read.wrong[0].contains("damaged"), "{:?}", read.wrong);
        }
        for (text, part) in [
            ("", "no JSON"),
            ("[]", "no object"),
            ("{}", "no list"),
            ("{\"competition_reports\": 3}", "no list"),
            ("{\"competition_reports\": [{\"comp", "no JSON"),
        ] {
            let message = gradings(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
        assert_eq!(gradings(ONE).unwrap().gradings.len(), 1);
    }
}
