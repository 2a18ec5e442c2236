//! What is known of an experiment besides its reports: agent, model, hardware, running time, date.

use std::collections::BTreeMap;
use std::path::Path;

use podium::read_file;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// No file of metadata is larger.
const MOST_BYTES: u64 = 16 << 20;

/// What is known of an experiment besides its reports. All of it is text for people, but the running time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    experiment: MetadataByExperiment,
}

/// Reads metadata: `[experiment."NAME"]` tables of TOML, or `{"experiment": {"NAME": {…}}}` for a file that ends in
/// `.json`.
///
/// # Errors
/// A file that cannot be read, or the key that is wrong in it.
pub fn read_metadata(path: &Path) -> Result<MetadataByExperiment, Error> {
    let bytes = read_file(path, MOST_BYTES)?;
    let text =
        std::str::from_utf8(&bytes).map_err(|_| Error::file(path, "it is not UTF-8 text"))?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let file: File = if is_json {
        serde_json::from_str(text).map_err(|error| Error::file(path, error.to_string()))?
    } else {
        toml::from_str(text)
            .map_err(|error| Error::file(path, error.to_string().trim().to_owned()))?
    };
    let bad_time = |metadata: &&Metadata| {
        metadata.running_time_hours.is_some_and(|hours| !hours.is_finite() || hours < 0.0)
    };
    if file.experiment.values().find(bad_time).is_some() {
        return Err(Error::file(
            path,
            "`running_time_hours` has to be a number of hours from 0 on",
        ));
    }
    Ok(file.experiment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_files_say_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (toml, json) = (folder.path().join("a.toml"), folder.path().join("a.json"));
        std::fs::write(&toml, "[experiment.\"x y\"]\nagent = \"AIDE\"\nrunning_time_hours = 24\n")
            .unwrap();
        std::fs::write(
            &json,
            r#"{"experiment": {"x y": {"agent": "AIDE", "running_time_hours": 24}}}"#,
        )
        .unwrap();
        let read = read_metadata(&toml).unwrap();
        assert_eq!(read, read_metadata(&json).unwrap());
        assert_eq!(read["x y"].agent.as_deref(), Some("AIDE"));
        assert_eq!(read["x y"].running_time_hours, Some(24.0));
        for (text, part) in [
            ("[experiment.x]\nagnet = \"AIDE\"\n", "agnet"),
            ("[experiments.x]\n", "experiments"),
            ("[experiment.x]\nrunning_time_hours = nan\n", "running_time_hours"),
            ("[experiment.x\n", "TOML"),
        ] {
            std::fs::write(&toml, text).unwrap();
            let message = read_metadata(&toml).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
