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
        experiments: named.iter().map(|path| ("base".to_owned(), vec![root.join(path)])).collect(),
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
    let names = ["", "-2", "-3", "-10", "-11"].map(|n| format!("x/{time}{n}_grading_report.json"));
    let later = "x/2026-01-02T03-04-06-GMT_grading_report.json";
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "{}")).collect();
    files.insert(0, (later, "{}"));
    files.extend([("y/g/1_grading_report.json", "{}"), ("z/g/1_grading_report.json", "{}")]);
    let folder = tree(&files);
    let root = folder.path();
    let named = |paths: &[&str]| {
        let paths = paths.iter().map(|path| root.join(path)).collect();
        let sources = Sources { experiments: vec![("a".to_owned(), paths)], ..Sources::default() };
        sources.find(&mut Vec::new()).0.remove(0).reports
    };
    let reports = named(&["x"]);
    let order: Vec<_> = reports.iter().map(|(_, path)| path.strip_prefix(root).unwrap()).collect();
    let expected = names.iter().map(String::as_str).chain([later]);
    assert_eq!(order, expected.map(Path::new).collect::<Vec<_>>());
    // Two run groups of one name are told by their paths, those with names of their own by these.
    let groups: Vec<String> = named(&["y", "z", "x"]).into_iter().map(|(group, _)| group).collect();
    assert_eq!(groups[0], format!("{time}_grading_report"));
    assert!(groups[6].ends_with("y/g/1_grading_report.json"), "{groups:?}");
    assert!(groups[7].ends_with("z/g/1_grading_report.json"), "{groups:?}");
}

#[cfg(unix)]
#[test]
fn a_file_counts_once_whatever_path_leads_to_it() {
    let folder = tree(&[("x.json", "{}"), ("copy.json", "{}"), ("f/1_grading_report.json", "{}")]);
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
