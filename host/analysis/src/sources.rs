//! Where the reports of experiments lie: named one by one, or in a folder tree.
//!
//! Relies on the reference's layout of `runs/`: a folder for each run group, and `run_group_experiments.csv` that says which
//! experiment a run group belongs to. Without that file each folder in the tree is an experiment.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::problem::{Problem, ProblemKind};
use crate::run_group_list;
use crate::shown::{path_text, shown_name, shown_path};

/// The file of a tree that says which experiment a run group belongs to.
pub const RUN_GROUPS_FILE: &str = "run_group_experiments.csv";

/// What was named to look for reports in.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Experiments with the paths of their reports, or of folders that hold them.
    pub experiments: Vec<(String, Vec<PathBuf>)>,
    /// Folders that hold experiments.
    pub trees: Vec<PathBuf>,
    /// The names of the experiments that are wanted; empty for all.
    pub only: Vec<String>,
}

/// An experiment whose reports were found and not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundExperiment {
    pub(crate) name: String,
    /// The reports with the names of their run groups, in the order in which seeds are counted.
    pub(crate) reports: Vec<(String, PathBuf)>,
}

/// The reports of an experiment that lie in one place.
#[derive(Debug)]
struct Place {
    /// What somebody named, or the folder in it that holds the reports.
    origin: PathBuf,
    reports: Vec<(String, PathBuf)>,
}

impl Sources {
    /// Finds the reports, and the names of all experiments that there are, those that are not wanted among them.
    /// Experiments come by name; what cannot be used is added to `problems`.
    pub(crate) fn find(&self, problems: &mut Vec<Problem>) -> (Vec<FoundExperiment>, Vec<String>) {
        let mut found: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        let mut names = BTreeSet::new();
        let mut wanted = |name: &str| {
            names.insert(name.to_owned());
            self.only.is_empty() || self.only.iter().any(|only| only == name)
        };
        for (name, paths) in &self.experiments {
            if wanted(name) {
                let reports = paths.iter().flat_map(|path| named(path, problems)).collect();
                let origin = paths.first().cloned().unwrap_or_default();
                found.entry(name.clone()).or_default().push(Place { origin, reports });
            }
        }
        for tree in &self.trees {
            let experiments = match fs::symlink_metadata(tree.join(RUN_GROUPS_FILE)) {
                Err(error) if is_not_there(&error) => by_folders(tree, &mut wanted, problems),
                Ok(_) | Err(_) => by_run_groups(tree, &mut wanted, problems),
            };
            for (name, place) in experiments {
                found.entry(name).or_default().push(place);
            }
        }
        let found = found
            .into_iter()
            .filter_map(|(name, places)| {
                let reports = in_one_place(&name, places, problems)?;
                let reports = each_once(&name, in_order(reports), problems);
                Some(FoundExperiment { reports: told_apart(reports), name })
            })
            .filter(|experiment| !experiment.reports.is_empty())
            .collect();
        (found, names.into_iter().collect())
    }
}

fn is_not_there(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The reports of an experiment, where there is one of its name only: the same reports may have been named twice. Others of
/// the same name are other experiments, and nobody can say which one is meant.
fn in_one_place(
    name: &str,
    mut places: Vec<Place>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<(String, PathBuf)>> {
    places.retain(|place| !place.reports.is_empty());
    let files = |place: &Place| -> BTreeSet<FileIdentity> {
        place.reports.iter().map(|(_, path)| FileIdentity::of(path)).collect()
    };
    let first = places.first()?;
    let (origin, of_first) = (first.origin.clone(), files(first));
    let others: Vec<&Place> = places[1..].iter().filter(|place| files(place) != of_first).collect();
    for other in &others {
        let reason = format!(
            "there is an experiment `{}` here, and another one in {}, so that nobody can say which one is meant: give each \
             a name of its own (--experiment NAME=PATH), or name the paths of both behind one (--experiment NAME=PATH PATH)",
            shown_name(name),
            shown_path(&origin)
        );
        problems.push(Problem::of_file(&other.origin, ProblemKind::Ambiguous, reason));
    }
    others.is_empty().then(|| places.into_iter().flat_map(|place| place.reports).collect())
}

/// The reports in the order in which seeds are counted: that of the texts of their paths, as the reference has it. Of the
/// reports that `podium grade` wrote in the same second into the same folder the numbers count, not their texts.
fn in_order(mut reports: Vec<(String, PathBuf)>) -> Vec<(String, PathBuf)> {
    fn numbered(text: &str) -> Option<(String, u64)> {
        let (begin, end) = text.rsplit_once("_grading_report")?;
        let (time, number) = begin.rsplit_once('-')?;
        let number = number.parse().ok().filter(|_| time.ends_with("-GMT"))?;
        Some((format!("{time}_grading_report{end}"), number))
    }
    reports.sort_by_cached_key(|(_, path)| {
        let text = path_text(path);
        numbered(&text).unwrap_or((text, 1))
    });
    reports
}

/// The reports with names of run groups that are each there once: where some are the same, they are the paths.
fn told_apart(mut reports: Vec<(String, PathBuf)>) -> Vec<(String, PathBuf)> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for (run_group, _) in &reports {
        *times.entry(run_group.clone()).or_default() += 1;
    }
    for (run_group, path) in &mut reports {
        if times[run_group] > 1 {
            *run_group = path_text(path);
        }
    }
    reports
}

/// The reports without those that are there a second time, be it by another path; these are said.
fn each_once(
    experiment: &str,
    reports: Vec<(String, PathBuf)>,
    problems: &mut Vec<Problem>,
) -> Vec<(String, PathBuf)> {
    let mut first: HashMap<FileIdentity, PathBuf> = HashMap::new();
    let mut kept = Vec::with_capacity(reports.len());
    for (run_group, path) in reports {
        match first.entry(FileIdentity::of(&path)) {
            Entry::Vacant(place) => {
                place.insert(path.clone());
                kept.push((run_group, path));
            }
            Entry::Occupied(place) => {
                let reason = format!(
                    "the experiment `{}` has this file already, as {}; it is counted once",
                    shown_name(experiment),
                    shown_path(place.get()),
                );
                problems.push(Problem::of_file(&path, ProblemKind::Duplicate, reason));
            }
        }
    }
    kept
}

/// What a file is known by, whatever path leads to it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum FileIdentity {
    #[cfg(unix)]
    Inode(u64, u64),
    Path(PathBuf),
}

impl FileIdentity {
    /// Of one that is not there, what is wrong is said when it is read.
    fn of(path: &Path) -> FileIdentity {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            let metadata = fs::metadata(path).ok();
            metadata.map(|metadata| FileIdentity::Inode(metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let identity = fs::canonicalize(path).ok().map(FileIdentity::Path);
        identity.unwrap_or_else(|| FileIdentity::Path(path.to_owned()))
    }
}

/// A report that was named, or those in a folder that was.
fn named(path: &Path, problems: &mut Vec<Problem>) -> Vec<(String, PathBuf)> {
    if !path.is_dir() {
        // What is wrong with it is said when it is read.
        return vec![(path_text(path), path.to_owned())];
    }
    let reports = below(path, problems);
    if reports.is_empty() {
        problems.push(none_in(path));
    }
    reports
}

fn none_in(folder: &Path) -> Problem {
    let reason = "there is no grading report in it (a file named …grading_report….json)";
    Problem::of_file(folder, ProblemKind::Missing, reason)
}

/// The experiments of a tree in which each folder is one, and the reports beside them another.
fn by_folders(
    tree: &Path,
    wanted: &mut impl FnMut(&str) -> bool,
    problems: &mut Vec<Problem>,
) -> Vec<(String, Place)> {
    let (files, folders) = entries(tree, problems);
    let mut experiments = Vec::new();
    let mut is_empty = true;
    let beside = (tree.to_owned(), reports_among(&files));
    let inside = folders.into_iter().map(|folder| {
        let reports = below(&folder, problems);
        (folder, reports)
    });
    for (origin, reports) in std::iter::once(beside).chain(inside) {
        if reports.is_empty() {
            continue;
        }
        is_empty = false;
        let name = folder_name(&origin);
        if wanted(&name) {
            experiments.push((name, Place { origin, reports }));
        }
    }
    if is_empty && tree.is_dir() {
        problems.push(none_in(tree));
    }
    experiments
}

/// What a folder is called; of one such as `..` it is the name that it has.
fn folder_name(path: &Path) -> String {
    let own = path.file_name().map(|name| path_text(Path::new(name)));
    let found = || {
        let canonical = path.canonicalize().ok()?;
        Some(path_text(Path::new(canonical.file_name()?)))
    };
    own.or_else(found).unwrap_or_else(|| path_text(path))
}

/// The experiments of a tree with a file that assigns run groups to them.
fn by_run_groups(
    tree: &Path,
    wanted: &mut impl FnMut(&str) -> bool,
    problems: &mut Vec<Problem>,
) -> Vec<(String, Place)> {
    let mut assigned = run_group_list::read(&tree.join(RUN_GROUPS_FILE), problems);
    assigned.retain(|experiment, _| wanted(experiment));
    let mut of = |run_group: String| match of_run_group(tree, &run_group) {
        Ok(report) => Some((run_group, report)),
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    assigned
        .into_iter()
        .map(|(experiment, run_groups)| {
            let reports = run_groups.into_iter().filter_map(&mut of).collect();
            (experiment, Place { origin: tree.to_owned(), reports })
        })
        .collect()
}

/// The one report of a run group.
fn of_run_group(tree: &Path, run_group: &str) -> Result<PathBuf, Problem> {
    let folder = tree.join(run_group);
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(run_group).components().all(is_inside) {
        let reason = "the name of a run group leads out of its tree";
        return Err(Problem::of_file(&folder, ProblemKind::NotAReport, reason));
    }
    let mut unread = Vec::new();
    let (files, _) = entries(&folder, &mut unread);
    if let Some(problem) = unread.pop() {
        return Err(problem);
    }
    let mut reports = reports_among(&files);
    match (reports.pop(), reports.len()) {
        (None, _) => Err(none_in(&folder)),
        (Some((_, report)), 0) => Ok(report),
        (Some(_), others) => {
            let reason = format!(
                "it holds {} grading reports, and a run group has one: name the one that counts with --experiment, or \
                 move the others away",
                others + 1
            );
            Err(Problem::of_file(&folder, ProblemKind::Ambiguous, reason))
        }
    }
}

/// The reports in a folder and in the folders in it, each with the name of its run group.
fn below(folder: &Path, problems: &mut Vec<Problem>) -> Vec<(String, PathBuf)> {
    let (files, folders) = entries(folder, problems);
    let mut reports = reports_among(&files);
    for inner in folders {
        let name = folder_name(&inner);
        let (files, _) = entries(&inner, problems);
        let inside = reports_among(&files);
        let alone = inside.len() == 1;
        reports.extend(inside.into_iter().map(|(stem, path)| {
            (if alone { name.clone() } else { format!("{name}/{stem}") }, path)
        }));
    }
    reports
}

/// Those of these files that are named as grading reports are, by their names without the ending.
fn reports_among(files: &[PathBuf]) -> Vec<(String, PathBuf)> {
    files
        .iter()
        .filter_map(|path| {
            let name = path_text(Path::new(path.file_name()?));
            let stem = name.strip_suffix(".json")?;
            stem.contains("grading_report").then(|| (stem.to_owned(), path.clone()))
        })
        .collect()
}

/// The files and the folders in a folder, each sorted by name.
fn entries(folder: &Path, problems: &mut Vec<Problem>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let unread =
        |source| Problem::unread(folder, &podium::Error::Read { path: folder.to_owned(), source });
    let read = match fs::read_dir(folder) {
        Ok(read) => read,
        Err(error) => {
            problems.push(unread(error));
            return (Vec::new(), Vec::new());
        }
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in read {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => problems.push(unread(error)),
        }
    }
    paths.sort();
    paths.into_iter().partition(|path| !path.is_dir())
}

#[cfg(test)]
mod tests;
