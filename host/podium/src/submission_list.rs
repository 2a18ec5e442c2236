//! The list of submissions of a run group: JSONL, one object a line with `competition_id` and `submission_path`.
//!
//! As in the reference, blank lines and lines that begin with `#` or `//` are skipped. Further fields (seed, run id,
//! whatever a harness writes) are kept and end up in the report of the grading. What the reference takes without a word
//! but is hardly meant (no submission at all, one twice, a key twice in a line) is taken as well, with a warning.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::file_kind::FileKind;
use crate::float_text::parse_non_finite;
use crate::message;
use crate::regular_file;
use crate::report::{is_beyond_a_double, quote_bare_words};

/// One submission to grade.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedSubmission {
    /// The line of the list, from 1 on.
    pub line: usize,
    /// The competition.
    pub competition_id: String,
    /// Where the submission lies, relative to the current folder; `None` where the list says `null`: the run made no
    /// submission.
    pub submission_path: Option<PathBuf>,
    /// The other fields of the line, in their order.
    pub run: Map<String, Value>,
}

/// A list of submissions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubmissionList {
    /// The submissions, in their order.
    pub submissions: Vec<ListedSubmission>,
    /// What is hardly meant as it is, with the line; at most [`SubmissionList::WARNINGS`], and one that counts the rest.
    pub warnings: Vec<String>,
    /// Those of the warnings that are of what cannot be meant in a line (a key that stands twice, a number that no double
    /// holds), bounded likewise.
    pub wrong_values: Vec<String>,
}

impl SubmissionList {
    /// The warnings that are kept.
    pub const WARNINGS: usize = 20;
}

/// No list is longer: a line takes some hundred bytes.
const MOST_BYTES: u64 = 1 << 30;

/// The characters of a key or a path that a warning shows.
const SHOWN_CHARACTERS: usize = 200;

/// Reads a list of submissions.
///
/// # Errors
/// [`Error::Read`] if there is no regular file that can be read, [`Error::SubmissionList`] with the line and what is
/// wrong with it.
pub fn read_submission_list(path: &Path) -> Result<SubmissionList, Error> {
    let wrong = |line, message| Error::SubmissionList { path: path.to_owned(), line, message };
    let bytes = regular_file::read(path, MOST_BYTES).map_err(|source| match source.kind() {
        io::ErrorKind::FileTooLarge => wrong(1, source.to_string()),
        _ => Error::read(path, source),
    })?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let line =
                bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
            let what = match FileKind::of(&bytes) {
                Some(FileKind { name, advice }) => format!("this is {name}: {advice}"),
                None => "this is not UTF-8 text: save the list as UTF-8".to_owned(),
            };
            return Err(wrong(line, what));
        }
    };
    parse_submission_list(text).map_err(|(line, message)| wrong(line, message))
}

/// Parses a list of submissions.
///
/// # Errors
/// The number of the wrong line, and what is wrong with it.
pub fn parse_submission_list(text: &str) -> Result<SubmissionList, (usize, String)> {
    parse_lines(text, &mut |wrong| Err(wrong))
}

/// Parses the lines of a list that are sound; with the numbers of the others, and what is wrong with each. Of these at most
/// [`SubmissionList::WARNINGS`] are kept, and counted are all.
pub(crate) fn parse_sound_lines(text: &str) -> (SubmissionList, Vec<(usize, String)>, usize) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    let mut pass_over = |one| {
        count += 1;
        if wrong.len() < SubmissionList::WARNINGS {
            wrong.push(one);
        }
        Ok(())
    };
    // Nothing stops it.
    let list = parse_lines(text, &mut pass_over).unwrap_or_default();
    (list, wrong, count)
}

/// Parses a list; `wrong` is told of each line that is wrong, and says whether the others are wanted.
fn parse_lines(
    text: &str,
    wrong: &mut dyn FnMut((usize, String)) -> Result<(), (usize, String)>,
) -> Result<SubmissionList, (usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut submissions = Vec::new();
    let mut warnings = Warnings::default();
    let mut wrong_values = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            continue;
        }
        match parse_line(line, number) {
            Ok((submission, odd)) => {
                for what in odd {
                    let warning = format!("line {number}: {what}");
                    if wrong_values.len() < SubmissionList::WARNINGS {
                        wrong_values.push(warning.clone());
                    }
                    warnings.add(|| warning);
                }
                submissions.push(submission);
            }
            Err(message) => wrong((number, message))?,
        }
    }
    if submissions.is_empty() {
        warnings.add(|| "the list names no submission, so nothing is graded".to_owned());
    }
    warn_of_repetitions(&submissions, &mut warnings);
    Ok(SubmissionList { submissions, warnings: warnings.finish(), wrong_values })
}

/// Warns of submissions that are graded, and counted, more than once. Runs without a submission may be many.
fn warn_of_repetitions(submissions: &[ListedSubmission], warnings: &mut Warnings) {
    let mut first_lines: HashMap<(&str, &Path), usize> = HashMap::new();
    for submission in submissions {
        let ListedSubmission { line, competition_id, submission_path, .. } = submission;
        let Some(path) = submission_path else { continue };
        match first_lines.entry((competition_id, path)) {
            Entry::Vacant(entry) => {
                entry.insert(*line);
            }
            Entry::Occupied(first) => warnings.add(|| {
                let path = message::fit_line(&path.display().to_string(), SHOWN_CHARACTERS);
                let first = first.get();
                format!("line {line}: the same submission as in line {first} ({path}); it is graded and counted twice")
            }),
        }
    }
}

/// The first warnings, and how many more there were.
#[derive(Default)]
struct Warnings {
    kept: Vec<String>,
    more: usize,
}

impl Warnings {
    fn add(&mut self, warning: impl FnOnce() -> String) {
        if self.kept.len() < SubmissionList::WARNINGS {
            self.kept.push(warning());
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.kept.push(format!("… and {} more warnings about the list", self.more));
        }
        self.kept
    }
}

/// The submission of a line, and what in it cannot be meant: keys that are there more than once, numbers that no double
/// holds.
fn parse_line(text: &str, line: usize) -> Result<(ListedSubmission, Vec<String>), String> {
    let strict = serde_json::from_str(text);
    let quoted = match &strict {
        // As Python reads it.
        Err(error) if !error.is_data() => quote_bare_words(text),
        _ => None,
    };
    let parsed = quoted.as_deref().map_or(strict, serde_json::from_str);
    let (text, is_quoted) = (quoted.as_deref().unwrap_or(text), quoted.is_some());
    let Fields { map: mut run, twice } = match parsed {
        Ok(fields) => fields,
        Err(error) if error.is_data() => {
            let value: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
            return Err(format!("expected an object in braces, found {}", kind(&value)));
        }
        Err(error) => return Err(not_json(&error)),
    };
    let shown = |text: &str| message::fit_line(text, SHOWN_CHARACTERS);
    let mut odd: Vec<String> = twice
        .iter()
        .map(|key| format!("the key `{}` is there twice; the last one counts", shown(key)))
        .collect();
    for (key, value) in run.iter().filter(|_| is_quoted) {
        if let Value::String(text) = value
            && (is_beyond_a_double(text) || parse_non_finite(text).is_some())
        {
            let (key, text) = (shown(key), shown(text));
            odd.push(format!(
                "`{key}` is {text}, which is no number of JSON; it is kept as a text"
            ));
        }
    }
    let mut take = |key: &str| {
        run.shift_remove(key).ok_or_else(|| format!("`{key}` is missing: every line needs it"))
    };
    let competition_id = match take("competition_id")? {
        Value::String(id) => id,
        other => return Err(format!("`competition_id` has to be a text, found {}", kind(&other))),
    };
    let submission_path = match take("submission_path")? {
        Value::String(path) => Some(PathBuf::from(path)),
        Value::Null => None,
        other => {
            return Err(format!(
                "`submission_path` has to be a text or null, found {}",
                kind(&other)
            ));
        }
    };
    Ok((ListedSubmission { line, competition_id, submission_path, run }, odd))
}

/// The fields of an object, the last one of each name, and the names that were there before.
struct Fields {
    map: Map<String, Value>,
    twice: Vec<String>,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object in braces")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Fields, A::Error> {
                let mut fields = Fields { map: Map::new(), twice: Vec::new() };
                while let Some((key, value)) = access.next_entry::<String, Value>()? {
                    if fields.map.insert(key.clone(), value).is_some()
                        && !fields.twice.contains(&key)
                    {
                        fields.twice.push(key);
                    }
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(Object)
    }
}

fn not_json(error: &serde_json::Error) -> String {
    format!("this is not JSON (column {}: {})", error.column(), reason(error))
}

/// What serde_json says, without its own "at line 1 column 7": the line is always 1 here.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    text.replace("EOF while parsing", "the line ends within")
        .replace("expected value", "no value begins here")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_skipped_and_fields_are_kept() {
        let text = concat!(
            "\u{feff}# a comment\n",
            "{\"competition_id\": \"a\", \"seed\": 3, \"submission_path\": \"x/a.csv\", \"run_id\": \"r\"}\r\n",
            "\n   \n",
            "  // {\"competition_id\": \"left-out\"}\n",
            "  {\"submission_path\": null, \"competition_id\": \"b\"}  ",
        );
        let SubmissionList { submissions: list, warnings, .. } =
            parse_submission_list(text).unwrap();
        assert_eq!(warnings, [""; 0]);
        assert_eq!(list.len(), 2);
        assert_eq!((list[0].line, list[1].line), (2, 6));
        assert_eq!(list[0].submission_path.as_deref(), Some(Path::new("x/a.csv")));
        assert_eq!(serde_json::to_string(&list[0].run).unwrap(), r#"{"seed":3,"run_id":"r"}"#);
        assert_eq!(list[1].submission_path, None);
        assert!(list[1].run.is_empty());
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, line, part) in [
            ("{", 1, "not JSON (column 1: the line ends within an object)"),
            ("\n{\"competition_id\": \"a\"}", 2, "`submission_path` is missing"),
            ("{\"submission_path\": \"a\"}", 1, "`competition_id` is missing"),
            ("[1]", 1, "found a list"),
            ("# x\n{\"competition_id\": 3, \"submission_path\": \"a\"}", 2, "found a number"),
            ("{\"competition_id\": \"a\", \"submission_path\": {}}", 1, "found an object"),
            ("{} {}", 1, "not JSON"),
        ] {
            let (found, message) = parse_submission_list(text).unwrap_err();
            assert_eq!(found, line, "{text}");
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn one_line_or_number_that_is_wrong_costs_nothing_else() {
        let text = "{\"competition_id\": \"a\", \"submission_path\": null, \"seed\": 1e400}\n\
                    {\"competition_id\": 3, \"submission_path\": null}\n\
                    {\"competition_id\": \"b\", \"submission_path\": null, \"x\": NaN}\n";
        let (list, wrong, count) = parse_sound_lines(text);
        let found: Vec<(&str, usize)> =
            list.submissions.iter().map(|one| (one.competition_id.as_str(), one.line)).collect();
        assert_eq!(found, [("a", 1), ("b", 3)]);
        assert_eq!((wrong.len(), count, wrong[0].0), (1, 1, 2), "{wrong:?}");
        assert_eq!(list.submissions[0].run["seed"], "1e400");
        assert!(list.wrong_values[0].contains("line 1: `seed` is 1e400"), "{list:?}");
        assert!(list.warnings[1].contains("line 3: `x` is NaN"), "{list:?}");
        assert_eq!(parse_submission_list(text).unwrap_err().0, 2);
        let many = parse_sound_lines(&"{\n".repeat(100));
        assert_eq!((many.1.len(), many.2), (SubmissionList::WARNINGS, 100));
    }

    #[test]
    fn what_is_hardly_meant_is_warned_of_and_graded_all_the_same() {
        let line = |id: &str, path: &str| {
            format!("{{\"competition_id\": \"{id}\", \"submission_path\": {path}}}\n")
        };
        for (text, count, warnings) in [
            (String::new(), 0, vec!["names no submission"]),
            ("# nothing\n\n".to_owned(), 0, vec!["names no submission"]),
            (
                [line("a", "\"x.csv\""), "\n".to_owned(), line("a", "\"x.csv\"")].concat(),
                2,
                vec!["line 3: the same submission as in line 1 (x.csv)"],
            ),
            ([line("a", "\"x.csv\""), line("b", "\"x.csv\"")].concat(), 2, vec![]),
            ([line("a", "null"), line("a", "null")].concat(), 2, vec![]),
            (
                "{\"competition_id\": \"a\", \"competition_id\": \"b\", \"submission_path\": \"x\", \
                 \"seed\": 1, \"seed\": 2, \"seed\": 3}"
                    .to_owned(),
                1,
                vec!["line 1: the key `competition_id` is there twice", "line 1: the key `seed`"],
            ),
        ] {
            let list = parse_submission_list(&text).unwrap();
            assert_eq!(list.submissions.len(), count, "{text}");
            assert_eq!(list.warnings.len(), warnings.len(), "{text}: {:?}", list.warnings);
            for (found, part) in list.warnings.iter().zip(warnings) {
                assert!(found.contains(part), "{found}");
            }
        }
        // As Python reads it: the last value counts.
        let text =
            "{\"competition_id\": \"a\", \"competition_id\": \"b\", \"submission_path\": null}";
        assert_eq!(parse_submission_list(text).unwrap().submissions[0].competition_id, "b");

        let many = parse_submission_list(&line("a", "\"x.csv\"").repeat(1_000)).unwrap();
        assert_eq!(many.warnings.len(), SubmissionList::WARNINGS + 1);
        assert_eq!(many.warnings.last().unwrap(), "… and 979 more warnings about the list");
    }
}
