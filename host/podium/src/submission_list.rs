//! The list of submissions of a run group: JSONL, one object a line with `competition_id` and `submission_path`.
//!
//! As in the reference, blank lines and lines that begin with `#` or `//` are skipped. Further fields (seed, run id,
//! whatever a harness writes) are kept and end up in the report of the grading.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::error::Error;

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

/// No list is longer: a line takes some hundred bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a list of submissions.
///
/// # Errors
/// [`Error::Read`] if the file cannot be read, [`Error::SubmissionList`] with the line and what is wrong with it.
pub fn read_submission_list(path: &Path) -> Result<Vec<ListedSubmission>, Error> {
    let wrong = |line, message| Error::SubmissionList { path: path.to_owned(), line, message };
    let mut bytes = Vec::new();
    // A list may come through a pipe, so its size is not known before.
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|source| Error::read(path, source))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong(1, format!("the list has more than {MOST_BYTES} bytes")));
    }
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let line =
                bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
            return Err(wrong(line, "this is not UTF-8 text".to_owned()));
        }
    };
    parse_submission_list(text).map_err(|(line, message)| wrong(line, message))
}

/// Parses a list of submissions.
///
/// # Errors
/// The number of the wrong line, and what is wrong with it.
pub fn parse_submission_list(text: &str) -> Result<Vec<ListedSubmission>, (usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut submissions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            continue;
        }
        let submission = parse_line(line, index + 1).map_err(|message| (index + 1, message))?;
        submissions.push(submission);
    }
    Ok(submissions)
}

fn parse_line(text: &str, line: usize) -> Result<ListedSubmission, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        format!("this is not JSON (column {}: {})", error.column(), reason(&error))
    })?;
    let Value::Object(mut run) = value else {
        return Err(format!("expected an object in braces, found {}", kind(&value)));
    };
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
    Ok(ListedSubmission { line, competition_id, submission_path, run })
}

/// What serde_json says, without its own "at line 1 column 7": the line is always 1 here.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
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
        let list = parse_submission_list(text).unwrap();
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
            ("{", 1, "not JSON"),
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
}
