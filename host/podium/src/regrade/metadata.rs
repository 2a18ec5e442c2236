//! Run groups of the reference: the `metadata.json` of one, and the list of submissions that follows from it.
//!
//! A run's folder is called `<competition>_<something>`. Ids of competitions hold no underscore, so the first one ends
//! the id, whatever comes after it.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::archive::EntryPath;
use crate::error::Error;
use crate::message;
use crate::path_text;
use crate::regular_file;

use super::repeated_keys::Document;

/// No metadata is larger.
const MOST_BYTES: u64 = 256 << 20;

/// Where a run keeps its submission.
pub(super) const SUBMISSION: &str = "submission/submission.csv";

/// The runs that a run group's `metadata.json` names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunGroupMetadata {
    /// The name of the run group, where it is said.
    pub run_group: Option<String>,
    /// The runs by their ids, in their order, with what is said of each.
    pub runs: Map<String, Value>,
    /// What of it cannot be meant: keys that stand twice, and are not used.
    pub wrong: Vec<String>,
}

impl RunGroupMetadata {
    /// Parses a `metadata.json`; `None` where the JSON is of something else.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Option<RunGroupMetadata>, String> {
        const SHOWN_CHARACTERS: usize = 200;
        let Document { value, repeated } =
            Document::parse(text).map_err(|error| match error.is_eof() {
                true => format!("it ends in the middle: {error}"),
                false => format!("it is not JSON: {error}"),
            })?;
        let Value::Object(mut fields) = value else { return Ok(None) };
        if repeated.contains("runs") {
            return Err("`runs` is there twice: neither of the two is used".to_owned());
        }
        let runs = match fields.remove("runs") {
            Some(Value::Object(runs)) => runs,
            // A list of ids says as much.
            Some(Value::Array(ids)) if ids.iter().all(Value::is_string) => ids
                .into_iter()
                .filter_map(|id| Some((id.as_str()?.to_owned(), Value::Null)))
                .collect(),
            _ => return Ok(None),
        };
        let run_group = fields.get("run_group").and_then(Value::as_str).map(str::to_owned);
        let shown = |path: &String| {
            let path = message::fit_line(path, SHOWN_CHARACTERS);
            format!("`{path}` is there twice: neither of the two is used")
        };
        let wrong = repeated.iter().map(shown).collect();
        Ok(Some(RunGroupMetadata { run_group, runs, wrong }))
    }
}

/// The competition of a run, by the run's id.
pub(super) fn competition_of(run_id: &str) -> &str {
    run_id.split('_').next().unwrap_or(run_id)
}

/// One run of a run group, as a line of a list of submissions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MadeSubmission {
    /// The competition.
    pub competition_id: String,
    /// The submission, where there is one.
    #[serde(serialize_with = "path_text::option::serialize")]
    pub submission_path: Option<PathBuf>,
    /// The run's log, where there is one.
    #[serde(serialize_with = "path_text::option::serialize")]
    pub logs_path: Option<PathBuf>,
    /// The run's code, where there is some.
    #[serde(serialize_with = "path_text::option::serialize")]
    pub code_path: Option<PathBuf>,
    /// The run; no part of the line.
    #[serde(skip)]
    pub run_id: String,
    /// What is odd about the run; no part of the line.
    #[serde(skip)]
    pub problem: Option<String>,
}

impl MadeSubmission {
    /// The line of a list of submissions, without its end: the fields of the reference, in its order.
    pub fn line(&self) -> String {
        let text = |path: &Option<PathBuf>| path.as_ref().map(|path| slashed(path));
        json!({
            "competition_id": self.competition_id,
            "submission_path": text(&self.submission_path),
            "logs_path": text(&self.logs_path),
            "code_path": text(&self.code_path),
        })
        .to_string()
    }
}

/// The path with `/` between its steps, on every system.
fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

/// Lists the runs of a run group by its `metadata.json`, with the paths of what is there. `log` and `code` are relative
/// to the folder of a run. A run whose id leads out of the run group has nothing, and says so.
///
/// # Errors
/// [`Error::Read`] where there is no such file, [`Error::Archive`] where it is not the metadata of a run group.
pub fn list_run_group(
    metadata: &Path,
    log: &Path,
    code: &Path,
) -> Result<Vec<MadeSubmission>, Error> {
    let wrong = |message: String| Error::Archive { path: metadata.to_owned(), message };
    let text = regular_file::read_text(metadata, MOST_BYTES)
        .map_err(|source| Error::read(metadata, source))?;
    if crate::archive::is_pointer(text.as_bytes()) {
        return Err(wrong("this is a Git LFS pointer; run `git lfs pull`".to_owned()));
    }
    let runs = RunGroupMetadata::parse(&text).map_err(wrong)?.ok_or_else(|| {
        wrong("this is no metadata.json of a run group: it has no object `runs`".to_owned())
    })?;
    // As the reference spells paths: without `.`.
    let group: PathBuf = metadata
        .parent()
        .unwrap_or(Path::new(""))
        .components()
        .filter(|step| *step != Component::CurDir)
        .collect();
    Ok(runs.runs.keys().map(|run_id| listed(&group, run_id, log, code)).collect())
}

fn listed(group: &Path, run_id: &str, log: &Path, code: &Path) -> MadeSubmission {
    let mut made = MadeSubmission {
        competition_id: competition_of(run_id).to_owned(),
        submission_path: None,
        logs_path: None,
        code_path: None,
        run_id: run_id.to_owned(),
        problem: None,
    };
    let is_one_step = EntryPath::parse(run_id.as_bytes())
        .is_ok_and(|path| path.as_str() == run_id && !run_id.contains('/'));
    if !is_one_step {
        made.problem = Some("its id is no name of a folder".to_owned());
        return made;
    }
    let folder = group.join(run_id);
    let there = |path: &Path| Some(folder.join(path)).filter(|path| path.exists());
    made.submission_path = there(Path::new(SUBMISSION));
    made.logs_path = there(log);
    made.code_path = there(code);
    made.problem = problem_of(&folder).map(str::to_owned);
    made
}

/// What is odd about the folder of a run.
fn problem_of(folder: &Path) -> Option<&'static str> {
    let kind = |path: &Path| path.symlink_metadata().map(|metadata| metadata.file_type());
    let is_link = |path: &Path| kind(path).is_ok_and(|kind| kind.is_symlink());
    let submission = folder.join(SUBMISSION);
    if is_link(folder) {
        Some("its folder is a link, and a regrade follows none")
    } else if !folder.is_dir() {
        Some("it has no folder")
    } else if submission.parent().is_some_and(is_link) || is_link(&submission) {
        Some("its submission is a link, and a regrade follows none")
    } else if kind(&submission).is_ok_and(|kind| !kind.is_file()) {
        Some("its submission is no regular file")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_underscore_ends_the_competition() {
        for (run, competition) in [
            ("spaceship-titanic_bfa0c73d-1b2c", "spaceship-titanic"),
            ("a_b_c", "a"),
            ("no-underscore", "no-underscore"),
            ("_x", ""),
            ("", ""),
        ] {
            assert_eq!(competition_of(run), competition);
        }
    }

    #[test]
    fn metadata_is_told_from_other_json() {
        let metadata = RunGroupMetadata::parse(
            r#"{"run_group": "g", "created_at": "x", "runs": {"b_1": {"success": true}, "a_2": {}}}"#,
        );
        let metadata = metadata.unwrap().unwrap();
        assert_eq!(metadata.run_group.as_deref(), Some("g"));
        assert_eq!(metadata.runs.keys().collect::<Vec<_>>(), ["b_1", "a_2"]);
        let list = RunGroupMetadata::parse(r#"{"runs": ["b_1"]}"#).unwrap().unwrap();
        assert_eq!(list.runs.len(), 1);
        let twice = r#"{"runs": {"a_1": {}, "b_2": {}, "a_1": {}}}"#;
        let twice = RunGroupMetadata::parse(twice).unwrap().unwrap();
        assert_eq!(twice.runs.keys().collect::<Vec<_>>(), ["b_2"]);
        assert!(twice.wrong[0].contains("`runs.a_1` is there twice"), "{:?}", twice.wrong);
        for other in ["[]", "{}", "3", r#"{"runs": 3}"#, r#"{"runs": [3]}"#] {
            assert_eq!(RunGroupMetadata::parse(other), Ok(None), "{other}");
        }
        assert!(RunGroupMetadata::parse(r#"{"runs": {"a"#).unwrap_err().contains("in the middle"));
        assert!(RunGroupMetadata::parse("nonsense").unwrap_err().contains("not JSON"));
    }

    #[test]
    fn lines_have_the_fields_of_the_reference() {
        let folder = tempfile::tempdir().unwrap();
        let group = folder.path();
        for file in ["a_1/submission/submission.csv", "a_1/logs/agent.log", "b_2_x/code/train.py"] {
            std::fs::create_dir_all(group.join(file).parent().unwrap()).unwrap();
            std::fs::write(group.join(file), "x").unwrap();
        }
        let metadata = group.join("metadata.json");
        let ids =
            r#"{"runs": {"a_1": {}, "b_2_x": {}, "gone_3": {}, "../out_4": {}, "/abs_5": {}}}"#;
        std::fs::write(&metadata, ids).unwrap();
        let made =
            list_run_group(&metadata, Path::new("logs/agent.log"), Path::new("code/train.py"))
                .unwrap();
        let text = |made: &MadeSubmission| made.line().replace(&*group.to_string_lossy(), "G");
        assert_eq!(
            text(&made[0]),
            r#"{"competition_id":"a","submission_path":"G/a_1/submission/submission.csv","logs_path":"G/a_1/logs/agent.log","code_path":null}"#
        );
        assert_eq!(
            text(&made[1]),
            r#"{"competition_id":"b","submission_path":null,"logs_path":null,"code_path":"G/b_2_x/code/train.py"}"#
        );
        let problems: Vec<Option<&str>> = made.iter().map(|made| made.problem.as_deref()).collect();
        let no_name = Some("its id is no name of a folder");
        assert_eq!(problems, [None, None, Some("it has no folder"), no_name, no_name]);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_in_the_place_of_a_run_or_a_submission_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let group = folder.path();
        let path = |name: &str| group.join(name);
        for made in ["a_1/submission", "a_2/submission/submission.csv", "a_4"] {
            std::fs::create_dir_all(path(made)).unwrap();
        }
        std::fs::write(path("file.csv"), "x").unwrap();
        for (link, to) in [
            ("a_1/submission/submission.csv", "../../file.csv"),
            ("a_3", "a_1"),
            ("a_4/submission", "../a_1/submission"),
        ] {
            std::os::unix::fs::symlink(to, path(link)).unwrap();
        }
        for (run, part) in [
            ("a_1", "its submission is a link"),
            ("a_2", "no regular file"),
            ("a_3", "its folder is a link"),
            ("a_4", "its submission is a link"),
        ] {
            let made = listed(group, run, Path::new("log"), Path::new("code"));
            assert!(
                made.problem.as_deref().is_some_and(|problem| problem.contains(part)),
                "{made:?}"
            );
        }
    }
}
