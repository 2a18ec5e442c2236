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
            "line 7: it has 1 field, and there are 2 columns",
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

    #[test]
    fn experiments_of_one_name_are_not_put_together() {
        let folder = tree(&[
            ("a/base/1_grading_report.json", "{}"),
            ("a/other/1_grading_report.json", "{}"),
            ("b/base/1_grading_report.json", "{}"),
            ("c/run_group_experiments.csv", "base,g\n"),
            ("c/g/1_grading_report.json", "{}"),
            ("d/d/1_grading_report.json", "{}"),
            ("d/2_grading_report.json", "{}"),
        ]);
        let root = folder.path();
        let sources = |named: &[&str], trees: &[&str]| Sources {
            experiments: named
                .iter()
                .map(|path| ("base".to_owned(), vec![root.join(path)]))
                .collect(),
            trees: trees.iter().map(|tree| root.join(tree)).collect(),
            only: Vec::new(),
        };
        for (named, trees, experiments, places) in [
            (&[][..], &["a"][..], 2, &[][..]),
            (&[], &["a", "b"], 1, &["b/base"]),
            (&[], &["a", "b", "c"], 1, &["b/base", "c"]),
            (&["b/base"], &["a"], 1, &["a/base"]),
            (&["a/other/1_grading_report.json"], &["b"], 0, &["b/base"]),
            (&[], &["d"], 0, &["d/d"]),
        ] {
            let (found, problems) = found(&sources(named, trees), root);
            assert_eq!(found.len(), experiments, "{named:?} {trees:?}: {found:?}");
            assert_eq!(problems.len(), places.len(), "{named:?} {trees:?}: {problems:?}");
            for (problem, place) in problems.iter().zip(places) {
                let begin = format!("{}: there is an experiment", root.join(place).display());
                assert!(problem.starts_with(&begin), "{problem}");
                assert!(problem.contains("and another one in "), "{problem}");
            }
        }
        // The same reports again are the same experiment, and each of them is said to be there already.
        let (found, problems) = found(&sources(&["b/base"], &["b", "b"]), root);
        assert_eq!((found.len(), problems.len()), (1, 2), "{problems:?}");
        assert!(problems.iter().all(|problem| problem.contains("has this file already")));
    }

    // Other systems have no such names.
    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_no_utf_8_stay_apart() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        for name in [b"x\xff", b"x\xfe"] {
            let inside = folder.path().join(OsStr::from_bytes(name));
            fs::create_dir(&inside).unwrap();
            fs::write(inside.join("1_grading_report.json"), "{}").unwrap();
        }
        let sources = Sources { trees: vec![folder.path().to_owned()], ..Sources::default() };
        let (experiments, names) = sources.find(&mut Vec::new());
        assert_eq!((experiments.len(), names), (2, vec!["x\\xfe".to_owned(), "x\\xff".to_owned()]));
    }

    #[test]
    fn reports_of_one_second_are_counted_in_their_order_and_run_groups_differ() {
        let time = "2026-01-02T03-04-05-GMT";
        let names =
            ["", "-2", "-3", "-10", "-11"].map(|n| format!("x/{time}{n}_grading_report.json"));
        let later = "x/2026-01-02T03-04-06-GMT_grading_report.json";
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "{}")).collect();
        files.insert(0, (later, "{}"));
        files.extend([("y/g/1_grading_report.json", "{}"), ("z/g/1_grading_report.json", "{}")]);
        let folder = tree(&files);
        let root = folder.path();
        let named = |paths: &[&str]| {
            let paths = paths.iter().map(|path| root.join(path)).collect();
            let sources =
                Sources { experiments: vec![("a".to_owned(), paths)], ..Sources::default() };
            sources.find(&mut Vec::new()).0.remove(0).reports
        };
        let reports = named(&["x"]);
        let order: Vec<_> =
            reports.iter().map(|(_, path)| path.strip_prefix(root).unwrap()).collect();
        let expected = names.iter().map(String::as_str).chain([later]);
        assert_eq!(order, expected.map(Path::new).collect::<Vec<_>>());
        // Two run groups of one name are told by their paths, those with names of their own by these.
        let groups: Vec<String> =
            named(&["y", "z", "x"]).into_iter().map(|(group, _)| group).collect();
        assert_eq!(groups[0], format!("{time}_grading_report"));
        assert!(groups[6].ends_with("y/g/1_grading_report.json"), "{groups:?}");
        assert!(groups[7].ends_with("z/g/1_grading_report.json"), "{groups:?}");
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
