//! Where the reports of experiments lie: named one by one, or in a folder tree.
//!
//! Relies on the reference's layout of `runs/`: a folder for each run group, and `run_group_experiments.csv` that says which
//! experiment a run group belongs to. Without that file each folder in the tree is an experiment.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use podium::{read_file, told};

use crate::lfs;
use crate::problem::{Problem, ProblemKind};

/// The file of a tree that says which experiment a run group belongs to.
pub const RUN_GROUPS_FILE: &str = "run_group_experiments.csv";

/// No such file is larger.
const MOST_BYTES: u64 = 64 << 20;

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

impl Sources {
    /// Finds the reports, and the names of all experiments that there are, those that are not wanted among them.
    /// Experiments come by name; what cannot be used is added to `problems`.
    pub(crate) fn find(&self, problems: &mut Vec<Problem>) -> (Vec<FoundExperiment>, Vec<String>) {
        let mut found: BTreeMap<String, Vec<(String, PathBuf)>> = BTreeMap::new();
        let mut names = BTreeSet::new();
        let mut wanted = |name: &str| {
            names.insert(name.to_owned());
            self.only.is_empty() || self.only.iter().any(|only| only == name)
        };
        for (name, paths) in &self.experiments {
            if wanted(name) {
                let reports = found.entry(name.clone()).or_default();
                for path in paths {
                    reports.extend(named(path, problems));
                }
            }
        }
        for tree in &self.trees {
            let experiments = match fs::symlink_metadata(tree.join(RUN_GROUPS_FILE)) {
                Ok(_) => by_run_groups(tree, &mut wanted, problems),
                Err(_) => by_folders(tree, &mut wanted, problems),
            };
            for (name, reports) in experiments {
                found.entry(name).or_default().extend(reports);
            }
        }
        let found = found
            .into_iter()
            .map(|(name, mut reports)| {
                // As the reference does it: by the text of the paths.
                reports.sort_by_cached_key(|(_, path)| path.to_string_lossy().into_owned());
                FoundExperiment { reports: each_once(&name, reports, problems), name }
            })
            .filter(|experiment| !experiment.reports.is_empty())
            .collect();
        (found, names.into_iter().collect())
    }
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
        // What is wrong with one that is not there is said when it is read.
        let identity = FileIdentity::of(&path).unwrap_or_else(|| FileIdentity::Path(path.clone()));
        match first.entry(identity) {
            Entry::Vacant(place) => {
                place.insert(path.clone());
                kept.push((run_group, path));
            }
            Entry::Occupied(place) => {
                let reason = format!(
                    "the experiment `{}` has this file already, as {}; it is counted once",
                    told::shown_name(experiment),
                    told::shown_name(&place.get().to_string_lossy()),
                );
                problems.push(Problem::of_file(&path, ProblemKind::Duplicate, reason));
            }
        }
    }
    kept
}

/// What a file is known by, whatever path leads to it.
#[derive(Debug, PartialEq, Eq, Hash)]
enum FileIdentity {
    #[cfg(unix)]
    Inode(u64, u64),
    Path(PathBuf),
}

impl FileIdentity {
    fn of(path: &Path) -> Option<FileIdentity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let metadata = fs::metadata(path).ok()?;
            Some(FileIdentity::Inode(metadata.dev(), metadata.ino()))
        }
        #[cfg(not(unix))]
        fs::canonicalize(path).ok().map(FileIdentity::Path)
    }
}

/// A report that was named, or those in a folder that was.
fn named(path: &Path, problems: &mut Vec<Problem>) -> Vec<(String, PathBuf)> {
    if !path.is_dir() {
        // What is wrong with it is said when it is read.
        return vec![(path.display().to_string(), path.to_owned())];
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
) -> Vec<(String, Vec<(String, PathBuf)>)> {
    let name = |path: &Path| {
        let canonical = path.canonicalize().ok();
        let name = canonical.as_deref().unwrap_or(path).file_name();
        name.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    let (files, folders) = entries(tree, problems);
    let mut experiments = Vec::new();
    let mut is_empty = true;
    let beside = reports_among(&files);
    let inside = folders.into_iter().map(|folder| (name(&folder), below(&folder, problems)));
    for (name, reports) in std::iter::once((name(tree), beside)).chain(inside) {
        if reports.is_empty() {
            continue;
        }
        is_empty = false;
        if wanted(&name) {
            experiments.push((name, reports));
        }
    }
    if is_empty && tree.is_dir() {
        problems.push(none_in(tree));
    }
    experiments
}

/// The experiments of a tree with a file that assigns run groups to them.
fn by_run_groups(
    tree: &Path,
    wanted: &mut impl FnMut(&str) -> bool,
    problems: &mut Vec<Problem>,
) -> Vec<(String, Vec<(String, PathBuf)>)> {
    let path = tree.join(RUN_GROUPS_FILE);
    let text = match read_run_groups(&path) {
        Ok(text) => text,
        Err(problem) => {
            problems.push(problem);
            return Vec::new();
        }
    };
    let mut assigned: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with("experiment_id") {
            continue;
        }
        let line_problem = |kind, reason: &str| Problem {
            part: Some(format!("line {}", index + 1)),
            ..Problem::of_file(&path, kind, reason)
        };
        let Some((experiment, run_group)) = line.trim().split_once(',') else {
            let reason = "it has no comma; a line is `experiment,run group`";
            problems.push(line_problem(ProblemKind::NotAReport, reason));
            continue;
        };
        if !assigned.entry(experiment.trim()).or_default().insert(run_group.trim()) {
            let reason = "the run group is assigned to the experiment already";
            problems.push(line_problem(ProblemKind::Duplicate, reason));
        }
    }
    assigned.retain(|experiment, _| wanted(experiment));
    let mut of = |run_group: &str| match of_run_group(tree, run_group) {
        Ok(report) => Some((run_group.to_owned(), report)),
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    assigned
        .into_iter()
        .map(|(experiment, run_groups)| {
            (experiment.to_owned(), run_groups.into_iter().filter_map(&mut of).collect())
        })
        .collect()
}

fn read_run_groups(path: &Path) -> Result<String, Problem> {
    let bytes = read_file(path, MOST_BYTES).map_err(|error| Problem::unread(path, &error))?;
    if lfs::is_pointer(&bytes) {
        let reason = "this is a Git LFS pointer, not the list of run groups: run `git lfs pull` in the checkout";
        return Err(Problem::of_file(path, ProblemKind::LfsPointer, reason));
    }
    String::from_utf8(bytes)
        .map_err(|_| Problem::of_file(path, ProblemKind::NotAReport, "it is not UTF-8 text"))
}

/// The one report of a run group.
fn of_run_group(tree: &Path, run_group: &str) -> Result<PathBuf, Problem> {
    let folder = tree.join(run_group);
    let stays = Path::new(run_group).components().all(|part| matches!(part, Component::Normal(_)));
    if run_group.is_empty() || !stays {
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
        let name = inner.file_name().unwrap_or_default().to_string_lossy().into_owned();
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
            let name = path.file_name()?.to_string_lossy();
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
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn found(sources: &Sources, root: &Path) -> (Vec<String>, Vec<String>) {
        let mut problems = Vec::new();
        let (experiments, _) = sources.find(&mut problems);
        let lines = experiments.iter().map(|experiment| {
            let reports = experiment.reports.iter().map(|(group, path)| {
                format!("{group}={}", path.strip_prefix(root).unwrap_or(path).display())
            });
            format!("{}: {}", experiment.name, reports.collect::<Vec<_>>().join(" "))
        });
        let problems = problems.iter().map(Problem::to_string);
        (lines.collect(), problems.collect())
    }

    #[test]
    fn a_tree_in_the_references_layout_is_read_by_its_list() {
        let list = "experiment_id,run_group\nb,g2\nb, g1\na,g1\n\nb,g1\nnothing\na,several\na,none\na,../out\na,empty\n";
        let folder = tree(&[
            (RUN_GROUPS_FILE, list),
            ("g1/1_grading_report.json", "{}"),
            ("g1/notes.json", "{}"),
            ("g2/2_grading_report_x.json", "{}"),
            ("several/1_grading_report.json", "{}"),
            ("several/2_grading_report.json", "{}"),
            ("empty/readme.md", ""),
            ("not-listed/1_grading_report.json", "{}"),
        ]);
        let root = folder.path();
        let sources = Sources { trees: vec![root.to_owned()], ..Sources::default() };
        let (experiments, problems) = found(&sources, root);
        assert_eq!(
            experiments,
            [
                "a: g1=g1/1_grading_report.json",
                "b: g1=g1/1_grading_report.json g2=g2/2_grading_report_x.json"
            ]
        );
        let parts = [
            "line 6: the run group is assigned",
            "line 7: it has no comma",
            "leads out of its tree",
            "empty: there is no grading report in it",
            "none: cannot be read",
            "several: it holds 2 grading reports",
        ];
        assert_eq!(problems.len(), parts.len(), "{problems:?}");
        for (problem, part) in problems.iter().zip(parts) {
            assert!(problem.contains(part), "{problem}");
        }
        let only = Sources { only: vec!["b".to_owned()], ..sources };
        assert_eq!(found(&only, root).0.len(), 1);
        assert_eq!(only.find(&mut Vec::new()).1, ["a", "b"]);
        // What is wrong with others is nobody's business then.
        assert_eq!(found(&only, root).1.len(), 2);
    }

    #[test]
    fn a_pointer_in_the_place_of_the_list_is_known() {
        let folder = tree(&[
            (RUN_GROUPS_FILE, "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n"),
            ("g1/1_grading_report.json", "{}"),
        ]);
        let sources = Sources { trees: vec![folder.path().to_owned()], ..Sources::default() };
        let (experiments, problems) = found(&sources, folder.path());
        assert!(experiments.is_empty());
        assert!(problems.len() == 1 && problems[0].contains("git lfs pull"), "{problems:?}");
    }

    #[test]
    fn without_a_list_each_folder_is_an_experiment() {
        let folder = tree(&[
            ("one/1_grading_report.json", "{}"),
            ("one/2_grading_report.json", "{}"),
            ("two/group/1_grading_report.json", "{}"),
            ("two/pair/1_grading_report.json", "{}"),
            ("two/pair/2_grading_report.json", "{}"),
            ("three/readme.md", ""),
        ]);
        let root = folder.path();
        let sources = Sources { trees: vec![root.to_owned()], ..Sources::default() };
        let (experiments, problems) = found(&sources, root);
        assert_eq!(
            experiments,
            [
                "one: 1_grading_report=one/1_grading_report.json 2_grading_report=one/2_grading_report.json",
                "two: group=two/group/1_grading_report.json pair/1_grading_report=two/pair/1_grading_report.json \
             pair/2_grading_report=two/pair/2_grading_report.json"
            ]
        );
        assert!(problems.is_empty(), "{problems:?}");
        let missing =
            Sources { trees: vec![root.join("none"), root.join("three")], ..Sources::default() };
        let (experiments, problems) = found(&missing, root);
        assert!(experiments.is_empty());
        assert!(problems[0].contains("none: cannot be read"), "{problems:?}");
        assert!(problems[1].contains("no grading report"), "{problems:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_counts_once_whatever_path_leads_to_it() {
        let folder =
            tree(&[("x.json", "{}"), ("copy.json", "{}"), ("f/1_grading_report.json", "{}")]);
        let root = folder.path();
        std::os::unix::fs::symlink("x.json", root.join("link.json")).unwrap();
        fs::hard_link(root.join("x.json"), root.join("hard.json")).unwrap();
        let again = [
            "x.json",
            "x.json",
            "f/../x.json",
            "link.json",
            "hard.json",
            "copy.json",
            "f",
            "f/1_grading_report.json",
        ];
        let paths = again.map(|path| root.join(path)).to_vec();
        let sources = Sources { experiments: vec![("a".to_owned(), paths)], ..Sources::default() };
        let (experiments, problems) = found(&sources, root);
        // Another file of the same bytes is another file.
        assert_eq!(experiments[0].matches('=').count(), 3, "{experiments:?}");
        assert_eq!(problems.len(), 5, "{problems:?}");
        assert!(
            problems
                .iter()
                .all(|problem| problem.contains("the experiment `a` has this file already, as "))
        );
    }

    #[test]
    fn what_is_named_is_taken_whatever_it_is_called() {
        let folder = tree(&[("x.json", "{}"), ("f/1_grading_report.json", "{}"), ("e/y", "")]);
        let root = folder.path();
        let paths = ["x.json", "f", "e", "none.json"].map(|path| root.join(path)).to_vec();
        let sources = Sources { experiments: vec![("a".to_owned(), paths)], ..Sources::default() };
        let (experiments, problems) = found(&sources, root);
        assert_eq!(experiments.len(), 1);
        assert!(experiments[0].contains("=f/1_grading_report.json"), "{experiments:?}");
        assert!(experiments[0].ends_with("=x.json"), "by the text of the path: {experiments:?}");
        assert!(problems.len() == 1 && problems[0].contains("e: there is no grading report"));
    }
}
