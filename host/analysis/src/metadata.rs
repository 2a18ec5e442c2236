//! What is known of an experiment besides its reports: agent, model, hardware, running time, date.
//!
//! A value that is not what it has to be is an error that names it. A key that is not known is passed over and said: the file
//! may be made for others as well, or the key be misspelt.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;
use podium::read_file;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::report_json::{ReportJson, in_words, shown};
use crate::shown::shown_name;

/// No file of metadata is larger.
const MOST_BYTES: u64 = 16 << 20;

/// What is known of an experiment besides its reports. All of it is text for people, but the running time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metadata {
    /// The agent: its scaffolding.
    pub agent: Option<String>,
    /// The language models that it used.
    pub model: Option<String>,
    /// What each run had: processors, memory, graphics cards.
    pub hardware: Option<String>,
    /// How long each run was given, in hours.
    pub running_time_hours: Option<f64>,
    /// When the runs were made.
    pub date: Option<String>,
    /// Where the agent's source code is.
    pub source: Option<String>,
    /// Whatever else has to be said.
    pub notes: Option<String>,
}

/// The metadata of experiments, by their names.
pub type MetadataByExperiment = BTreeMap<String, Metadata>;

/// A file of metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadMetadata {
    /// What it says.
    pub experiments: MetadataByExperiment,
    /// The places of keys that are not known, and were passed over: `experiment.NAME.agnet`.
    pub unknown_keys: Vec<String>,
}

/// Reads metadata: `[experiment."NAME"]` tables of TOML, or `{"experiment": {"NAME": {…}}}` for a file that ends in
/// `.json`.
///
/// # Errors
/// A file that cannot be read, or the key that is wrong in it.
pub fn read_metadata(path: &Path) -> Result<ReadMetadata, Error> {
    let bytes = read_file(path, MOST_BYTES)?;
    let text =
        std::str::from_utf8(&bytes).map_err(|_| Error::file(path, "it is not UTF-8 text"))?;
    let text = text.trim_start_matches('\u{feff}');
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let value = if is_json { of_json(text) } else { of_toml(text) };
    value.and_then(|value| read(&value)).map_err(|message| Error::file(path, message))
}

fn of_json(text: &str) -> Result<Value, String> {
    let read = ReportJson::parse(text)?;
    match read.repeated.first() {
        None => Ok(read.value),
        Some(place) => Err(format!("`{}` is there more than once", in_words(place))),
    }
}

fn of_toml(text: &str) -> Result<Value, String> {
    fn value(of: toml::Value) -> Value {
        match of {
            toml::Value::String(text) => Value::String(text),
            toml::Value::Integer(number) => number.into(),
            // What JSON cannot hold becomes null, which no number may be.
            toml::Value::Float(number) => number.into(),
            toml::Value::Boolean(truth) => truth.into(),
            // A date may stand without quotes.
            toml::Value::Datetime(time) => Value::String(time.to_string()),
            toml::Value::Array(list) => list.into_iter().map(value).collect(),
            toml::Value::Table(table) => {
                table.into_iter().map(|(key, of)| (key, value(of))).collect::<Map<_, _>>().into()
            }
        }
    }
    let table: toml::Table = toml::from_str(text).map_err(|error| not_toml(text, &error))?;
    Ok(value(toml::Value::Table(table)))
}

/// Where a text ceases to be TOML, on one line.
fn not_toml(text: &str, error: &toml::de::Error) -> String {
    let begin = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..begin].iter().filter(|byte| **byte == b'\n').count() + 1;
    let what: Vec<&str> = error.message().lines().map(str::trim).collect();
    format!("it is no TOML at line {line}: {}", shown_name(&what.join(", ")))
}

fn read(value: &Value) -> Result<ReadMetadata, String> {
    let mut read = ReadMetadata::default();
    for (key, value) in table(value, "the file")? {
        if key != "experiment" {
            read.unknown_keys.push(shown_name(key));
            continue;
        }
        for (name, fields) in table(value, "`experiment`")? {
            let place = format!("experiment.{}", shown_name(name));
            let metadata = metadata(&place, table(fields, &format!("`{place}`"))?, &mut read)?;
            read.experiments.insert(name.clone(), metadata);
        }
    }
    read.unknown_keys.sort();
    Ok(read)
}

fn table<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| {
        format!("{what} is no table; needed is [experiment.\"NAME\"], or the same as JSON")
    })
}

fn metadata(
    place: &str,
    fields: &Map<String, Value>,
    read: &mut ReadMetadata,
) -> Result<Metadata, String> {
    let mut metadata = Metadata::default();
    for (key, value) in fields {
        let wrong =
            |needed: &str| format!("`{place}.{key}` is {}; needed is {needed}", shown(value));
        let text = || match value {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(wrong("a text")),
        };
        match key.as_str() {
            "agent" => metadata.agent = text()?,
            "model" => metadata.model = text()?,
            "hardware" => metadata.hardware = text()?,
            "source" => metadata.source = text()?,
            "notes" => metadata.notes = text()?,
            "date" => {
                metadata.date = text()?;
                let is_date = |text: &String| {
                    text.parse::<Date>().is_ok() || text.parse::<Timestamp>().is_ok()
                };
                if !metadata.date.iter().all(is_date) {
                    return Err(wrong("a date such as 2024-10-08"));
                }
            }
            "running_time_hours" => match value.as_f64() {
                Some(hours) if hours.is_finite() && hours >= 0.0 => {
                    metadata.running_time_hours = Some(hours);
                }
                _ => return Err(wrong("a number of hours from 0 on")),
            },
            other => {
                read.unknown_keys.push(format!("{place}.{}", shown_name(other)));
            }
        }
    }
    Ok(metadata)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<ReadMetadata, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_metadata(&path)
    }

    #[test]
    fn both_kinds_of_files_say_the_same() {
        let toml =
            "[experiment.\"x y\"]\nagent = \"AIDE\"\nrunning_time_hours = 24\ndate = 2024-10-08\n";
        let json = r#"{"experiment": {"x y": {"agent": "AIDE", "running_time_hours": 24, "date": "2024-10-08"}}}"#;
        let toml = read("a.toml", toml).unwrap();
        assert_eq!(toml, read("a.JSON", &format!("\u{feff}{json}")).unwrap());
        let metadata = &toml.experiments["x y"];
        assert_eq!(metadata.agent.as_deref(), Some("AIDE"));
        assert_eq!(metadata.running_time_hours, Some(24.0));
        assert_eq!(metadata.date.as_deref(), Some("2024-10-08"));
        assert_eq!(read("empty.toml", "").unwrap(), ReadMetadata::default());
    }

    #[test]
    fn what_is_wrong_is_named_and_what_is_not_known_is_passed_over() {
        for (name, text, part) in [
            (
                "a.toml",
                "[experiment.x]\nagent = 3\n",
                "`experiment.x.agent` is 3; needed is a text",
            ),
            ("a.toml", "[experiment.x]\nrunning_time_hours = nan\n", "needed is a number of hours"),
            (
                "a.toml",
                "[experiment.x]\nrunning_time_hours = -1\n",
                "is -1; needed is a number of hours",
            ),
            ("a.toml", "[experiment.x]\nrunning_time_hours = \"24\"\n", "is \"24\"; needed"),
            (
                "a.toml",
                "[experiment.x]\ndate = \"8.10.2024\"\n",
                "needed is a date such as 2024-10-08",
            ),
            ("a.toml", "[experiment.x]\ndate = \"2024-13-08\"\n", "`experiment.x.date`"),
            ("a.toml", "[experiment.x]\ndate = 2024\n", "`experiment.x.date` is 2024"),
            ("a.toml", "experiment = 3\n", "`experiment` is no table"),
            ("a.toml", "[experiment]\nx = 3\n", "`experiment.x` is no table"),
            ("a.toml", "agent = 1\n[experiment.x\n", "it is no TOML at line 2: "),
            ("a.toml", "[experiment.x]\nagent = \"a\"\nagent = \"b\"\n", "duplicate key"),
            ("a.json", "[]", "the file is no table"),
            ("a.json", "{\"experiment\": {", "it ends in the middle, at line 1"),
            (
                "a.json",
                r#"{"experiment": {"x": {"running_time_hours": 1e999}}}"#,
                "`experiment.x.running_time_hours` is 1e999, which no double holds; needed is a number",
            ),
            (
                "a.json",
                r#"{"experiment": {"x": {"agent": "a", "agent": "b"}}}"#,
                "`experiment.x.agent` is there more than once",
            ),
        ] {
            let message = read(name, text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
        let file = read(
            "a.toml",
            "more = 1\n[experiment.x]\nagnet = \"AIDE\"\ndate = \"2099-01-01T00:00:00Z\"\n",
        )
        .unwrap();
        assert_eq!(file.unknown_keys, ["experiment.x.agnet", "more"]);
        assert!(file.experiments["x"].date.is_some());
    }
}
