//! Where a submission lies that a report or a list names.
//!
//! Such a path was written on another machine, or in another folder. In an archive, the longest end of it that leads to
//! a file of the archive is taken, from the folder of the report upwards. After that the working folder is looked at; a
//! path from an archive never leaves it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::archive::EntryPath;
use crate::message;

use super::survey::SubmissionPlace;

/// The fewest steps that the end of a path has to have in common with a file of the archive.
const FEWEST_STEPS: usize = 2;

/// Finds submissions.
pub(super) enum Resolver<'a> {
    /// Among the files of an archive, usable ones and others.
    Archive { submissions: &'a HashSet<EntryPath>, unusable: &'a HashMap<EntryPath, String> },
    /// On disk, by what a file says that somebody named: from its folder, else from the working folder.
    Disk { folder: &'a Path },
}

impl Resolver<'_> {
    /// Where the submission lies that a file in the folder `base` names so.
    pub(super) fn resolve(&self, path: &str, base: &EntryPath) -> SubmissionPlace {
        match self {
            Resolver::Archive { submissions, unusable } => {
                let found = ends(path).find_map(|(end, is_whole)| {
                    let steps = end.as_str().split('/').count();
                    base.ancestors()
                        .filter(|_| is_whole || steps >= FEWEST_STEPS)
                        .filter_map(|above| above.join(end.as_str()).ok())
                        .find(|path| submissions.contains(path) || unusable.contains_key(path))
                });
                match found {
                    Some(path) => place(path, unusable),
                    None => in_working_folder(path),
                }
            }
            Resolver::Disk { folder } => {
                let candidates = [folder.join(path), PathBuf::from(path)];
                first_that_is_there(&candidates)
                    .map_or_else(|| missing(path), |found| SubmissionPlace::Named(found.to_owned()))
            }
        }
    }
}

/// The place of a file of the archive.
pub(super) fn place(path: EntryPath, unusable: &HashMap<EntryPath, String>) -> SubmissionPlace {
    match why_unusable(&path, unusable) {
        Some(reason) => SubmissionPlace::Unusable { path, reason },
        None => SubmissionPlace::Archived(path),
    }
}

/// Why a file of the archive cannot be used: for a reason of its own, or because a folder above it is none, such as a
/// link, whatever the archive says lies beneath.
pub(super) fn why_unusable(
    path: &EntryPath,
    unusable: &HashMap<EntryPath, String>,
) -> Option<String> {
    path.ancestors().find_map(|above| {
        let reason = unusable.get(&above)?;
        Some(match above == *path {
            true => reason.clone(),
            false => format!("`{above}`, which it lies in: {reason}"),
        })
    })
}

/// Why nothing was found by a path that a file of an archive names, or a file that somebody named.
pub(super) fn why_missing(path: &str, is_in_archive: bool) -> String {
    const SHOWN_CHARACTERS: usize = 300;
    let shown = message::fit_line(path, SHOWN_CHARACTERS);
    let is_plain = EntryPath::parse(path.as_bytes()).is_ok();
    match (is_in_archive, is_plain) {
        (true, true) => format!("there is no `{shown}` in the archive or the working folder"),
        // What leads out of the working folder is not looked for there.
        (true, false) => format!("no file of the archive is where `{shown}` ends"),
        (false, _) if Path::new(path).is_absolute() => format!("there is no `{shown}`"),
        (false, _) => {
            format!(
                "there is no `{shown}`, counted from the file that names it or the working folder"
            )
        }
    }
}

fn missing(path: &str) -> SubmissionPlace {
    SubmissionPlace::Missing(path.to_owned())
}

/// The path as it is, and without more and more of its first steps; whether it is as it was written.
fn ends(path: &str) -> impl Iterator<Item = (EntryPath, bool)> {
    let path = path.replace('\\', "/");
    let is_relative = !path.starts_with('/');
    // Steps before a `..` say nothing about an archive.
    let path = path.rsplit("../").next().unwrap_or_default().to_owned();
    let steps: Vec<String> =
        path.split('/').filter(|step| !step.is_empty()).map(str::to_owned).collect();
    (0..steps.len()).filter_map(move |begin| {
        let end = EntryPath::parse(steps[begin..].join("/").as_bytes()).ok()?;
        Some((end, begin == 0 && is_relative))
    })
}

/// A file beneath the working folder, by a plain relative path.
fn in_working_folder(path: &str) -> SubmissionPlace {
    match EntryPath::parse(path.as_bytes()) {
        Ok(relative) if is_there(Path::new(relative.as_str())) => {
            SubmissionPlace::Beside(PathBuf::from(String::from(relative)))
        }
        _ => missing(path),
    }
}

/// The first of these that is a file, else the first where something else lies: opening it says what that is.
fn first_that_is_there(paths: &[PathBuf]) -> Option<&PathBuf> {
    paths.iter().find(|path| path.is_file()).or_else(|| paths.iter().find(|path| is_there(path)))
}

/// Whether something lies there, be it a folder, a pipe, or a link that leads nowhere.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said_to_be_missing_where_it_was_looked_for() {
        for (path, is_in_archive, expected) in [
            ("g/a/s.csv", true, "there is no `g/a/s.csv` in the archive or the working folder"),
            ("/x/s.csv", true, "no file of the archive is where `/x/s.csv` ends"),
            ("../s.csv", true, "no file of the archive is where `../s.csv` ends"),
            ("/x/s.csv", false, "there is no `/x/s.csv`"),
            ("s.csv", false, "counted from the file that names it or the working folder"),
        ] {
            let message = why_missing(path, is_in_archive);
            assert!(message.contains(expected), "{path}: {message}");
        }
        assert!(why_missing(&"x".repeat(100_000), true).chars().count() < 500);
    }

    #[test]
    fn what_lies_in_the_place_of_a_submission_is_found_and_a_file_before_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("folder.csv")).unwrap();
        let resolver = Resolver::Disk { folder: folder.path() };
        let found = |path: &str| resolver.resolve(path, &EntryPath::root());
        let named = SubmissionPlace::Named(folder.path().join("folder.csv"));
        assert_eq!(found("folder.csv"), named);
        assert_eq!(found("missing.csv"), SubmissionPlace::Missing("missing.csv".to_owned()));
        std::fs::write(folder.path().join("file.csv"), "").unwrap();
        let both = [folder.path().join("folder.csv"), folder.path().join("file.csv")];
        assert_eq!(first_that_is_there(&both), Some(&both[1]));
    }

    /// Threat 8: a path in a report of an archive leads to a file of the archive, or to none outside.
    #[test]
    fn the_longest_end_of_a_path_is_found_from_the_reports_folder_upwards() {
        let paths = ["g/a_1/submission/submission.csv", "s/a.csv", "top.csv", "h/s/a.csv"];
        let entry = |path: &str| EntryPath::parse(path.as_bytes()).unwrap();
        let submissions: HashSet<EntryPath> = paths.iter().map(|path| entry(path)).collect();
        let unusable =
            HashMap::from([(entry("g/b_2/submission/submission.csv"), "a link".to_owned())]);
        let resolver = Resolver::Archive { submissions: &submissions, unusable: &unusable };
        for (path, base, found) in [
            ("g/a_1/submission/submission.csv", "", Some("g/a_1/submission/submission.csv")),
            ("a_1/submission/submission.csv", "g", Some("g/a_1/submission/submission.csv")),
            (
                "/home/x/runs/g/a_1/submission/submission.csv",
                "g",
                Some("g/a_1/submission/submission.csv"),
            ),
            (
                "C:\\x\\g\\a_1\\submission\\submission.csv",
                "",
                Some("g/a_1/submission/submission.csv"),
            ),
            ("../../g/a_1/submission/submission.csv", "", Some("g/a_1/submission/submission.csv")),
            ("s/a.csv", "h", Some("h/s/a.csv")),
            ("s/a.csv", "out/reports", Some("s/a.csv")),
            ("./top.csv", "", Some("top.csv")),
            // A name alone is no match, unless it is all there is.
            ("/elsewhere/top.csv", "", None),
            ("x/../../etc/passwd", "", None),
            ("", "", None),
        ] {
            let base = EntryPath::root().join(base).unwrap();
            let expected = match found {
                Some(found) => SubmissionPlace::Archived(entry(found)),
                None => SubmissionPlace::Missing(path.to_owned()),
            };
            assert_eq!(resolver.resolve(path, &base), expected, "{path}");
        }
        let link = resolver.resolve("b_2/submission/submission.csv", &entry("g"));
        assert!(matches!(link, SubmissionPlace::Unusable { .. }), "{link:?}");
    }
}
