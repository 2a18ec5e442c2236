//! What was recorded of gradings: reports of the reference and of Podium, and receipts. Read tolerantly: what is there
//! is compared, what is not there is not, and what cannot be meant is told by its field.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::archive::{Archive, ArchiveLimits, EntryPath, EntryProblem};
use crate::digest::Digest;
use crate::error::Error;
use crate::float_text::shortest;
use crate::medals::Medal;
use crate::message;
use crate::outcome::Outcome;
use crate::receipt::{ClaimedInput, ExactNumber, Receipt};
use crate::regular_file;
use crate::report::quote_bare_words;

use super::assembly;
use super::collector::Collector;
use super::journal::RECEIPT;
use super::repeated_keys::Document;
use super::seal::SealingKey;
use super::set::{self, RegradeSet, Sets};
use super::statement::{Statement, wrong_value};

/// What is wrong with one report is told of the first places; of more, how many there are.
const MOST_WRONG: usize = 50;

/// The characters of a key that are shown.
const KEY_CHARACTERS: usize = 100;

/// A grading that a report records.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedGrading {
    pub(super) competition_id: String,
    /// The path of the submission as the report says it, be it said to have been there or not; `None` where there is none.
    pub(super) submission_path: Option<String>,
    pub(super) statement: Statement,
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
    /// The reports of a set lie beneath a folder of their own, as the run groups lie in the archive.
    pub(super) fn lay_out_as_the_archive(&mut self) {
        for (path, _) in &mut self.reports {
            let relative = path.as_str().strip_prefix(set::REPORTS_FOLDER).unwrap_or(path.as_str());
            *path = EntryPath::root().join(relative.trim_start_matches('/')).unwrap_or_default();
        }
    }

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

/// Reads the records at a path: a report, a receipt, or a folder or packed archive of them. What lies in folders of runs,
/// and in sets of regrades, is no record of an archive. Gives what there is to doubt, too: who names a set of somebody else
/// is believed to know.
///
/// # Errors
/// [`Error::Read`] where there is nothing, [`Error::Archive`] where nothing in it is a record, [`Error::Receipt`] where all
/// that could be one is a receipt that was changed.
pub(super) fn read(
    path: &Path,
    limits: &ArchiveLimits,
    key: &SealingKey,
) -> Result<(Records, Vec<String>), Error> {
    let wrong = |message: String| Error::Archive { path: path.to_owned(), message };
    let mut doubts = Vec::new();
    if let Some(folder) = Sets::set_around(path) {
        let is_it_all = path.canonicalize().is_ok_and(|path| path == folder);
        match RegradeSet::open(&folder, key).and_then(|set| set.own_records()) {
            Ok(Some(records)) if is_it_all => return Ok((records, doubts)),
            Ok(Some(_)) => {}
            Ok(None) => doubts.push(doubt_of(&folder)),
            Err(error) => doubts.push(format!("{}; {error}", doubt_of(&folder))),
        }
    }
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let (records, sets) = if is_json && !path.is_dir() {
        (in_document(path, limits)?, Vec::new())
    } else {
        let archive = Archive::open(path, limits.clone())?;
        let mut collector = Collector::of_records(limits);
        let passage = archive.visit(&mut collector);
        let (mut records, sets) = assembly::records_of(collector, &passage.unusable);
        records.problems.extend(passage.refused);
        if let Some(broken) = passage.broken {
            records.problems.push(EntryProblem::new(path.to_string_lossy(), broken));
        }
        if set::is_set(path) {
            records.lay_out_as_the_archive();
        }
        (records, sets)
    };
    if records.is_empty() {
        return Err(match (records.problems.first(), sets.first()) {
            (Some(EntryProblem { entry, reason }), _) if entry.ends_with(RECEIPT) => {
                Error::Receipt { path: path.to_owned(), message: format!("{entry}: {reason}") }
            }
            (Some(EntryProblem { entry, reason }), _) => {
                wrong(format!("there is no grading report and no receipt: {entry}: {reason}"))
            }
            (None, Some(set)) => wrong(format!(
                "there is no grading report and no receipt but those in sets of regrades: name one of them, such as `{}`",
                message::fit_line(set.as_str(), KEY_CHARACTERS)
            )),
            (None, None) => wrong("there is no grading report and no receipt".to_owned()),
        });
    }
    Ok((records, doubts))
}

/// That a set which is named to compare with is not proven to be one's own.
fn doubt_of(set: &Path) -> String {
    let set = message::fit_line(&set.to_string_lossy(), usize::MAX);
    format!(
        "the set {set} is compared with as it is named, but somebody else made it, or it was changed since: nothing says \
         that what it records is true"
    )
}

/// Reads a single report or receipt.
fn in_document(path: &Path, limits: &ArchiveLimits) -> Result<Records, Error> {
    let wrong = |message: String| Error::Archive { path: path.to_owned(), message };
    let bytes = regular_file::read(path, limits.document_bytes)
        .map_err(|source| Error::read(path, source))?;
    if crate::archive::is_pointer(&bytes) {
        return Err(wrong("this is a Git LFS pointer; run `git lfs pull`".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not text".to_owned()))?;
    let text = text.trim_start_matches('\u{feff}');
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut records = Records::default();
    match Receipt::parse(text) {
        Ok(receipt) => {
            RecordedReceipt::of(&receipt).into_iter().for_each(|one| records.receipts.add(one));
        }
        Err(message) if name.ends_with(RECEIPT) || is_like_a_receipt(text) => {
            return Err(Error::Receipt { path: path.to_owned(), message });
        }
        Err(_) => {
            let name = EntryPath::parse(name.as_bytes()).unwrap_or_default();
            let read = gradings(text).map_err(wrong)?;
            records.problems.extend(read.problems(&name));
            records.reports.push((name, read.gradings));
        }
    }
    Ok(records)
}

/// Whether a text is JSON with the members of a receipt, be they right or not.
fn is_like_a_receipt(text: &str) -> bool {
    let value: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    value.is_some_and(|fields| fields.contains_key("claim") && fields.contains_key("id"))
}

/// Reads the reports in a folder, whose paths count from it.
///
/// # Errors
/// [`Error::Read`].
pub(super) fn in_folder(folder: &Path) -> Result<Records, Error> {
    let limits = ArchiveLimits::default();
    let mut collector = Collector::of_records(&limits);
    Archive::open(folder, limits)?.visit(&mut collector);
    Ok(collector.into_records(|_| true))
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

    /// With no more of what is wrong than anybody reads.
    fn cut(mut self) -> ReadReport {
        let more = self.wrong.len().saturating_sub(MOST_WRONG);
        if more > 0 {
            self.wrong.truncate(MOST_WRONG);
            self.wrong.push(format!("… and {more} more of its fields are wrong"));
        }
        self
    }
}

/// The gradings of the text of a report: of a run group, or of a single grading. Of a text that ends in the middle,
/// those that are whole.
///
/// # Errors
/// Why the text is no report at all.
pub(super) fn gradings(text: &str) -> Result<ReadReport, String> {
    const LIST: &str = "competition_reports";
    let Document { value, repeated } = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return what_is_whole(text, &error.to_string()).map(ReadReport::cut),
    };
    let Value::Object(mut fields) = value else {
        return Err("this is no grading report: it is no object".to_owned());
    };
    let twice = repeated.iter().map(|path| said_twice(path));
    let read = match fields.remove(LIST) {
        Some(Value::Array(reports)) => {
            let mut read = read_all(reports);
            let is_whole = read.wrong.is_empty() && repeated.is_empty();
            read.wrong.extend(twice);
            if is_whole {
                read.wrong.extend(wrong_totals(&fields, &read.gradings));
            }
            read
        }
        Some(_) => return Err(format!("`{LIST}` is no list")),
        None if repeated.contains(LIST) => return Err(said_twice(LIST)),
        None if fields.contains_key("competition_id") => match grading(&fields) {
            Ok((grading, wrong)) => ReadReport {
                gradings: vec![grading],
                wrong: wrong.into_iter().chain(twice).collect(),
            },
            Err(reason) => ReadReport { wrong: vec![reason], ..ReadReport::default() },
        },
        None => return Err(format!("this is no grading report: it has no list `{LIST}`")),
    };
    Ok(read.cut())
}

fn said_twice(path: &str) -> String {
    let path = message::fit_line(path, KEY_CHARACTERS);
    format!("`{path}` is there twice: neither of the two is used")
}

/// The gradings of a report that is no JSON as a whole, up to where it breaks.
fn what_is_whole(text: &str, error: &str) -> Result<ReadReport, String> {
    let mut read = ReadReport::default();
    for (index, Document { value, repeated }) in whole_ones(text).into_iter().enumerate() {
        read_one(index, &value, &mut read);
        let at = |path: &String| said_twice(&format!("competition_reports[{index}].{path}"));
        read.wrong.extend(repeated.iter().map(at));
    }
    if read.gradings.is_empty() {
        return Err(format!("this is no JSON: {error}"));
    }
    let count = read.gradings.len();
    read.wrong
        .push(format!("the report is damaged ({error}): the first {count} gradings are used"));
    Ok(read)
}

/// The reports in a text that is no JSON as a whole, up to where it breaks.
fn whole_ones(text: &str) -> Vec<Document> {
    let text = quote_bare_words(text).unwrap_or_else(|| text.to_owned());
    let begin =
        text.find("\"competition_reports\"").and_then(|at| Some(at + text[at..].find('[')? + 1));
    let mut values = Vec::new();
    if let Some(begin) = begin {
        let mut rest = &text[begin..];
        loop {
            rest = rest.trim_start_matches([',', ' ', '\t', '\n', '\r']);
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Document>();
            let Some(Ok(value)) = stream.next() else { break };
            rest = &rest[stream.byte_offset()..];
            values.push(value);
        }
    }
    values
}

fn read_all(reports: Vec<Value>) -> ReadReport {
    let mut read = ReadReport::default();
    for (index, report) in reports.iter().enumerate() {
        read_one(index, report, &mut read);
    }
    read
}

fn read_one(index: usize, report: &Value, read: &mut ReadReport) {
    let at = |reason: String| format!("competition_reports[{index}]: {reason}");
    let Value::Object(fields) = report else {
        return read.wrong.push(at("it is no object".to_owned()));
    };
    match grading(fields) {
        Ok((grading, wrong)) => {
            read.gradings.push(grading);
            read.wrong.extend(wrong.into_iter().map(at));
        }
        Err(reason) => read.wrong.push(at(reason)),
    }
}

/// A grading as one report says it, and what of it cannot be meant.
fn grading(fields: &Map<String, Value>) -> Result<(RecordedGrading, Vec<String>), String> {
    let competition_id = match fields.get("competition_id") {
        Some(Value::String(id)) => id.clone(),
        Some(_) => return Err("its `competition_id` is no text".to_owned()),
        None => return Err("it has no `competition_id`".to_owned()),
    };
    let mut wrong = Vec::new();
    let mut statement = Statement::read(fields, &mut wrong);
    let submission_path = match fields.get("submission_path") {
        // The reference writes Python's None as text.
        Some(Value::String(path)) if path != "None" && !path.is_empty() => Some(path.clone()),
        None | Some(Value::String(_) | Value::Null) => None,
        Some(other) => {
            wrong.push(wrong_value("submission_path", other, "a text"));
            None
        }
    };
    let says_none = match fields.get("submission_path") {
        Some(Value::String(_) | Value::Null) => submission_path.is_none(),
        _ => false,
    };
    if let (true, Some(score)) = (says_none, statement.score()) {
        let score = shortest(score);
        wrong.push(format!(
            "it contradicts itself: `score` is {score}, and `submission_path` is null"
        ));
    }
    if !statement.says_something() {
        let mut reason =
            "it says neither a score nor whether there was a valid submission".to_owned();
        wrong.iter().for_each(|wrong| reason.push_str(&format!("; {wrong}")));
        return Err(reason);
    }
    let mut digest = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => None,
        Some(value) => {
            let parsed = value.as_str().and_then(|id| id.parse().ok());
            if parsed.is_none() {
                wrong.push(wrong_value(name, value, "64 hexadecimal digits"));
            }
            parsed
        }
    };
    statement.grader_sha256 = digest("grader_sha256");
    let receipt = digest("receipt_id");
    let run = match fields.get("run") {
        Some(Value::Object(run)) => run.clone(),
        None | Some(Value::Null) => Map::new(),
        Some(other) => {
            wrong.push(wrong_value("run", other, "an object"));
            Map::new()
        }
    };
    if let (Some(seed), Some(of_run)) = (fields.get("seed"), run.get("seed"))
        && seed != of_run
    {
        let shown = |value: &Value| message::fit_line(&value.to_string(), KEY_CHARACTERS);
        let (seed, of_run) = (shown(seed), shown(of_run));
        wrong.push(format!("it contradicts itself: `seed` is {seed}, `run.seed` is {of_run}"));
    }
    Ok((RecordedGrading { competition_id, submission_path, statement, receipt, run }, wrong))
}

/// The totals of a report that its gradings do not add up to.
fn wrong_totals(fields: &Map<String, Value>, gradings: &[RecordedGrading]) -> Vec<String> {
    let standings: Vec<_> = gradings.iter().map(|one| one.statement.standing()).collect();
    let count = |holds: &dyn Fn(&super::Standing) -> bool| {
        standings.iter().filter(|standing| holds(standing)).count()
    };
    let medal = |medal: Medal| count(&|standing| standing.medal == Some(medal));
    let totals = [
        ("total_runs", standings.len()),
        ("total_runs_with_submissions", count(&|standing| standing.exists == Some(true))),
        ("total_valid_submissions", count(&|standing| standing.valid == Some(true))),
        ("total_medals", count(&|standing| standing.medal.is_some())),
        ("total_gold_medals", medal(Medal::Gold)),
        ("total_silver_medals", medal(Medal::Silver)),
        ("total_bronze_medals", medal(Medal::Bronze)),
        ("total_above_median", count(&|standing| standing.above_median == Some(true))),
    ];
    let mut wrong = Vec::new();
    for (name, count) in totals {
        let Some(said) = fields.get(name) else { continue };
        if said.as_u64() != Some(count as u64) {
            let said = message::fit_line(&said.to_string(), KEY_CHARACTERS);
            wrong.push(format!("`{name}` is {said}, and its gradings make {count}"));
        }
    }
    wrong
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
        let [first, second] = [a, b].map(|grading| grading.statement.standing());
        assert_eq!((first.medal, first.medal_is_known), (Some(Medal::Silver), true));
        assert_eq!(a.statement.score(), Some(0.5));
        assert!(b.statement.score().unwrap().is_nan() && !second.medal_is_known);
        assert_eq!((second.above_median, second.exists), (None, None));
        let (exists, valid) = (c.statement.exists(), c.statement.valid());
        assert_eq!((exists, valid, &c.submission_path), (Some(false), None, &None));
        assert_eq!((d.statement.valid(), d.statement.score()), (Some(false), None));
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

    #[test]
    fn what_cannot_be_meant_is_told_by_its_place_and_the_rest_is_used() {
        let two = |first: &str| format!(r#"{{"competition_reports": [{first}, {ONE}]}}"#);
        let with = |field: &str| two(&ONE.replacen('{', &format!("{{{field}, "), 1));
        for (text, part) in [
            (with("\"score\": 0.5"), "`competition_reports[0].score` is there twice"),
            (with("\"run\": 3"), "competition_reports[0]: `run` is 3, and has to be an object"),
            (with("\"receipt_id\": \"x\""), "[0]: `receipt_id` is \"x\""),
            (with("\"seed\": 1, \"run\": {\"seed\": 2}"), "`seed` is 1, `run.seed` is 2"),
            (
                two(&ONE.replace("0.5", "\"0.5\"")),
                "[0]: `score` is \"0.5\", and has to be a number",
            ),
            (two(&ONE.replace("\"x/s.csv\"", "7")), "[0]: `submission_path` is 7"),
            (
                two(&ONE.replace("\"x/s.csv\"", "null")),
                "[0]: it contradicts itself: `score` is 0.5, and `submission_path` is null",
            ),
            (
                two(&ONE.replace("0.5", "1e999")),
                "[0]: `score` is 1e999, and has to be a number that",
            ),
            (with("\"gold_threshold\": -1e400"), "[0]: `gold_threshold` is -1e400"),
            (
                format!(r#"{{"total_runs": 3, "competition_reports": [{ONE}]}}"#),
                "`total_runs` is 3",
            ),
            (
                format!(r#"{{"total_silver_medals": 0, "competition_reports": [{ONE}]}}"#),
                "`total_silver_medals` is 0, and its gradings make 1",
            ),
        ] {
            let read = gradings(&text).unwrap();
            assert!(!read.gradings.is_empty(), "{part}");
            assert_eq!(read.wrong.len(), 1, "{part}: {:?}", read.wrong);
            assert!(read.wrong[0].contains(part), "{part}: {:?}", read.wrong);
        }
        let many = vec!["{}"; 200].join(",");
        let read = gradings(&format!(r#"{{"competition_reports": [{many}]}}"#)).unwrap();
        assert_eq!(read.wrong.len(), MOST_WRONG + 1);
        assert!(read.wrong[MOST_WRONG].contains("150 more"), "{:?}", read.wrong[MOST_WRONG]);
    }
}
