use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn key() -> SealingKey {
    SealingKey::for_this_process().unwrap()
}

/// Begins a set as the command line does.
fn begin(
    archive: &Path,
    folder: Option<&Path>,
    settings: &SetSettings,
    key: &SealingKey,
) -> Result<RegradeSet, Error> {
    let choice = SetChoice { folder: folder.map(Path::to_owned), adopt: false };
    RegradeSet::begin(archive, &choice, settings, key)
}

fn with_grader(name: &str) -> SetSettings {
    SetSettings {
        graders: BTreeMap::from([(name.to_owned(), Digest::of(b"x"))]),
        ..SetSettings::default()
    }
}

fn refusal<T>(result: Result<T, Error>) -> String {
    result.err().expect("it is refused").to_string()
}

#[test]
fn sets_lie_in_a_folder_and_beside_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let sets = Sets::of(folder.path());
    assert_eq!(sets.folder(), path("regrades"));
    assert_eq!(sets.archive().unwrap(), folder.path());
    let sets = Sets::of(&path("runs.tar.zst"));
    assert_eq!(sets.folder(), path("runs.tar.zst.regrades"));
    assert_eq!(sets.archive().unwrap(), path("runs.tar.zst"));
    // Around a set there are sets of an archive only where that is.
    fs::create_dir_all(path("runs.tar.zst.regrades/set")).unwrap();
    fs::create_dir_all(path("regrades/set")).unwrap();
    fs::create_dir_all(path("other/set")).unwrap();
    assert!(Sets::around(&path("runs.tar.zst.regrades/set")).is_none());
    assert!(Sets::around(&path("regrades/set")).is_some());
    assert!(Sets::around(&path("other/set")).is_none());
}

#[test]
fn an_interrupted_set_is_gone_on_with_by_the_same_settings_only() {
    let archive = tempfile::tempdir().unwrap();
    let (settings, key) = (SetSettings::default(), key());
    let begin = |settings| begin(archive.path(), None, settings, &key).unwrap();
    let first = begin(&settings);
    let folder = first.folder().to_owned();
    assert!(first.is_new() && first.is_own());
    // While somebody regrades into it, another set is begun.
    let second = begin(&settings);
    assert_ne!(second.folder(), folder);
    let busy = refusal(RegradeSet::open(&folder, &key).unwrap().apply(true, false));
    assert!(busy.contains("another process"), "{busy}");
    let unlocked = second.folder().to_owned();
    drop(second);
    let again = begin(&settings);
    assert_eq!(again.folder(), unlocked);
    assert!(!again.is_new());
    let other = with_grader("a");
    assert_ne!(begin(&other).folder(), unlocked);
    drop((first, again));
    let named = |folder: &Path| super::tests::begin(archive.path(), Some(folder), &other, &key);
    let refused = refusal(named(&folder));
    assert!(refused.contains("other graders"), "{refused}");
    fs::write(archive.path().join("file"), "x").unwrap();
    let refused = refusal(named(archive.path()));
    assert!(refused.contains("no set"), "{refused}");
    assert!(!archive.path().join(LOCK_FILE).exists(), "nothing is written into it");
}

#[test]
fn one_set_is_current_and_the_ones_before_are_kept() {
    let archive = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("set");
    let key = key();
    let make = |folder: Option<&Path>, grader: &str| {
        begin(archive.path(), folder, &with_grader(grader), &key).unwrap()
    };
    let (mut first, mut second) = (make(None, "a"), make(None, "b"));
    let mut third = make(Some(&outside), "c");
    assert!(refusal(first.apply(false, false)).contains("not complete"));
    assert!(first.apply(true, false).unwrap() && !first.apply(true, false).unwrap());
    let sets = Sets::of(archive.path());
    assert!(second.apply(true, false).unwrap() && second.is_current().unwrap());
    assert!(third.apply(true, false).unwrap());
    let current = sets.current(&key).unwrap().unwrap();
    assert_eq!((current.folder, current.own), (outside.canonicalize().unwrap(), true));
    assert_eq!(sets.read_current(&key).unwrap().unwrap().0.before.len(), 2);
    assert!(refusal(third.discard()).contains("current"));
    assert!(second.apply(true, false).unwrap());
    let gone = first.folder().to_owned();
    first.discard().unwrap();
    assert!(!gone.exists());
    assert_eq!(sets.list(&key).unwrap().0.len(), 1);
    assert!(names(sets.folder()).iter().all(|name| !name.starts_with('.')));
    // A current set that is gone is an error, and not silently none.
    fs::remove_dir_all(second.folder()).unwrap();
    let set = make(None, "d");
    assert!(refusal(set.current_records()).contains("not there"));
    fs::write(sets.folder().join(CURRENT_FILE), "{").unwrap();
    assert!(matches!(sets.current(&key), Err(Error::RegradeSet { .. })));
}

#[test]
fn folders_that_are_no_sets_are_listed_as_problems() {
    let archive = tempfile::tempdir().unwrap();
    let sets = Sets::of(archive.path());
    let key = key();
    assert!(sets.list(&key).unwrap().0.is_empty());
    for (name, text) in [("a", None), ("b", Some("{")), ("c", Some("{\"format\": \"x\"}"))] {
        let folder = sets.folder().join(name);
        fs::create_dir_all(&folder).unwrap();
        if let Some(text) = text {
            fs::write(folder.join(SET_FILE), text).unwrap();
        }
    }
    fs::write(sets.folder().join("file"), "x").unwrap();
    let (listed, problems) = sets.list(&key).unwrap();
    assert_eq!((listed.len(), problems.len()), (0, 3));
}

/// Threat 16: what an archive brings with it as a set is shown, and neither gone on with nor applied nor compared with.
#[test]
fn a_set_that_somebody_else_made_is_nothing_but_shown() {
    let archive = tempfile::tempdir().unwrap();
    let (settings, stranger, own) = (SetSettings::default(), key(), key());
    let mut foreign = begin(archive.path(), None, &settings, &stranger).unwrap();
    foreign.apply(true, false).unwrap();
    let folder = foreign.folder().to_owned();
    drop(foreign);
    let sets = Sets::of(archive.path());
    let listed = sets.list(&own).unwrap().0;
    assert_eq!((listed.len(), listed[0].own), (1, false));
    assert!(!sets.current(&own).unwrap().unwrap().own);

    let next = begin(archive.path(), None, &settings, &own).unwrap();
    assert_ne!(next.folder(), folder);
    assert!(matches!(next.current_records().unwrap(), CurrentRecords::NotOwn(_)));
    let refused = refusal(begin(archive.path(), Some(&folder), &settings, &own));
    assert!(refused.contains("somebody else made it"), "{refused}");
    let mut opened = RegradeSet::open(&folder, &own).unwrap();
    assert!(!opened.is_own() && !opened.is_current().unwrap());
    assert!(refusal(opened.apply(true, false)).contains("--adopt"));
    // Asked for in so many words, it is one's own.
    assert!(opened.apply(true, true).unwrap() && opened.is_current().unwrap());
    drop(opened);
    assert!(RegradeSet::open(&folder, &own).unwrap().is_own());
    let again = SetChoice { folder: Some(folder), adopt: true };
    drop(RegradeSet::begin(archive.path(), &again, &settings, &own).unwrap());

    // One word of it changed, and it is nobody's.
    let file = next.folder().join(SET_FILE);
    let folder = next.folder().to_owned();
    drop(next);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("running", "complete")).unwrap();
    assert!(!RegradeSet::open(&folder, &own).unwrap().is_own());
}

#[test]
fn a_set_of_another_archive_is_refused_and_leads_nowhere() {
    let world = tempfile::tempdir().unwrap();
    let path = |name: &str| world.path().join(name);
    for archive in ["one", "two"] {
        fs::create_dir(path(archive)).unwrap();
    }
    let (settings, own, stranger) = (SetSettings::default(), key(), key());
    let outside = begin(&path("one"), Some(&path("set")), &settings, &own).unwrap();
    drop(outside);
    let inside = begin(&path("one"), None, &settings, &own).unwrap();
    let inside_folder = inside.folder().to_owned();
    drop(inside);
    for folder in [&path("set"), &inside_folder] {
        let refused = refusal(begin(&path("two"), Some(folder), &settings, &own));
        assert!(refused.contains("a set of another archive"), "{refused}");
        drop(begin(&path("one"), Some(folder), &settings, &own).unwrap());
    }
    // An archive may be moved together with its sets.
    fs::rename(path("one"), path("moved")).unwrap();
    let moved = path("moved/regrades").join(inside_folder.file_name().unwrap());
    drop(begin(&path("moved"), Some(&moved), &settings, &own).unwrap());
    // A set elsewhere is of an archive that is not there any more, whatever anybody makes of it.
    let mut left = RegradeSet::open(&path("set"), &own).unwrap();
    let refused = refusal(left.apply(true, false));
    assert!(refused.contains("not there any more"), "{refused}");
    drop(left);
    let foreign = begin(&path("two"), Some(&path("foreign")), &settings, &stranger).unwrap();
    drop(foreign);
    let mut foreign = RegradeSet::open(&path("foreign"), &own).unwrap();
    assert!(refusal(foreign.apply(true, true)).contains("lies among no archive's sets"));
    assert_eq!(names(&path("two")), [""; 0]);
    assert!(!path("one").exists());
}

/// Threat 16: links in a set lead nowhere.
#[cfg(unix)]
#[test]
fn links_in_the_place_of_folders_and_files_of_a_set_are_refused() {
    use std::os::unix::fs::symlink;
    let (settings, own) = (SetSettings::default(), key());
    for (name, part) in [
        ("regrades", "a link or a file where a folder"),
        ("regrades/set/receipts", "a link or a file where a folder"),
        ("regrades/set/reports", "a link or a file where a folder"),
        ("regrades/set/lock", "no lock but a link"),
    ] {
        let world = tempfile::tempdir().unwrap();
        let path = |name: &str| world.path().join(name);
        fs::create_dir_all(path("archive/regrades")).unwrap();
        fs::create_dir(path("outside")).unwrap();
        let folder = path("archive/regrades/set");
        drop(begin(&path("archive"), Some(&folder), &settings, &own).unwrap());
        let place = path("archive").join(name);
        let _ = fs::remove_dir_all(&place);
        let _ = fs::remove_file(&place);
        symlink(path("outside"), &place).unwrap();
        let (named, choice) = match name {
            "regrades" => (false, None),
            _ => (true, Some(folder.as_path())),
        };
        let refused = refusal(begin(&path("archive"), choice, &settings, &own));
        assert!(refused.contains(part), "{name}: {refused}");
        assert_eq!(names(&path("outside")), [""; 0], "{name}, {named}");
        if named {
            // Nor is it gone on with by itself: another one is begun.
            let next = begin(&path("archive"), None, &settings, &own).unwrap();
            assert_ne!(next.folder().file_name().unwrap(), "set", "{name}");
        }
    }
}

#[test]
fn processes_that_begin_the_same_set_at_once_are_told_that_somebody_does() {
    let world = tempfile::tempdir().unwrap();
    let (settings, own) = (SetSettings::default(), key());
    for round in 0..20 {
        let folder = world.path().join(round.to_string());
        let results: Vec<Result<RegradeSet, Error>> = std::thread::scope(|scope| {
            let begin = || begin(world.path(), Some(&folder), &settings, &own);
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(begin)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let (begun, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!(begun.len(), 1, "round {round}");
        for refused in refused {
            let refused = refusal(refused);
            assert!(refused.contains("another process is regrading into it"), "{refused}");
        }
    }
    // Without a name each gets a set of its own, or the one that was left.
    let sets: Vec<RegradeSet> = std::thread::scope(|scope| {
        let begin = || begin(world.path(), None, &settings, &own).unwrap();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut folders: Vec<&Path> = sets.iter().map(RegradeSet::folder).collect();
    folders.sort();
    folders.dedup();
    assert_eq!(folders.len(), 8);
}

#[test]
fn only_what_is_a_set_is_removed_and_only_if_it_is_not_in_use() {
    let world = tempfile::tempdir().unwrap();
    let path = |name: &str| world.path().join(name);
    fs::create_dir(path("archive")).unwrap();
    let (settings, own, stranger) = (SetSettings::default(), key(), key());
    let discard = |folder: &Path| RegradeSet::open(folder, &own).and_then(RegradeSet::discard);
    let begin_at = |folder: Option<&Path>, key: &SealingKey| {
        let set = begin(&path("archive"), folder, &settings, key).unwrap();
        set.folder().to_owned()
    };
    // What else lies in its folder is somebody's.
    let set = begin_at(None, &own);
    for (file, part) in [
        ("notes.txt", "(`notes.txt`)"),
        ("receipts/mine.csv", "mine.csv"),
        ("reports/g/x.csv", "g/x.csv"),
        ("deep/er/file", "(`deep`)"),
    ] {
        let file = set.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "mine").unwrap();
        let refused = refusal(discard(&set));
        assert!(refused.contains("no part of a set") && refused.contains(part), "{refused}");
        assert!(file.exists());
        fs::remove_file(&file).unwrap();
        let _ = fs::remove_dir_all(set.join("deep"));
    }
    // What a process that was killed over removing it left is in nobody's way.
    let left = set.with_file_name(format!(".discarded-{}", name_of(&set)));
    fs::create_dir_all(left.join("receipts")).unwrap();
    fs::write(left.join("seals"), "").unwrap();
    discard(&set).unwrap();
    assert_eq!(names(set.parent().unwrap()), [""; 0]);
    let set = begin_at(None, &own);
    let left = set.with_file_name(format!(".discarded-{}", name_of(&set)));
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("mine"), "x").unwrap();
    discard(&set).unwrap();
    assert_eq!(names(&left), ["mine"]);

    // A link is not the set that it leads to.
    #[cfg(unix)]
    {
        let set = begin_at(None, &own);
        std::os::unix::fs::symlink(&set, path("link")).unwrap();
        for link in ["link", "link/"] {
            let refused = refusal(discard(&path(link)));
            assert!(refused.contains("this is a link to a set"), "{refused}");
        }
        assert!(set.join(SET_FILE).exists());
    }
    // Of somebody else, what lies among the sets of an archive, and nothing elsewhere.
    let foreign = begin_at(Some(&path("foreign")), &stranger);
    assert!(refusal(discard(&foreign)).contains("remove the folder yourself"));
    discard(&begin_at(None, &stranger)).unwrap();
    // One that lies elsewhere is in use wherever its archive went.
    let outside = begin_at(Some(&path("outside")), &own);
    assert!(RegradeSet::open(&outside, &own).unwrap().apply(true, false).unwrap());
    fs::rename(path("archive"), path("moved")).unwrap();
    let refused = refusal(discard(&outside));
    assert!(refused.contains("was the archive moved?"), "{refused}");
    // Another archive in its place says nothing of it, either.
    fs::create_dir(path("archive")).unwrap();
    let other = begin_at(None, &own);
    assert!(RegradeSet::open(&other, &own).unwrap().apply(true, false).unwrap());
    assert!(refusal(discard(&outside)).contains("was the archive moved?"));
    fs::remove_dir_all(path("archive")).unwrap();
    fs::rename(path("moved"), path("archive")).unwrap();
    assert!(refusal(discard(&outside)).contains("it is the archive's current grading"));
    let next = begin_at(None, &own);
    assert!(RegradeSet::open(&next, &own).unwrap().apply(true, false).unwrap());
    discard(&outside).unwrap();
    assert!(!outside.exists());
    // One that nobody ever applied is nobody's current one.
    let unused = begin_at(Some(&path("unused")), &own);
    fs::rename(path("archive"), path("moved")).unwrap();
    discard(&unused).unwrap();
}

#[test]
fn sets_of_one_second_are_listed_in_the_order_in_which_they_were_begun() {
    let mut names: Vec<String> = [
        "2026-01-01T00-00-01-GMT",
        "2026-01-01T00-00-00-GMT-10",
        "2026-01-01T00-00-00-GMT-2",
        "2026-01-01T00-00-00-GMT",
        "another",
        "2026-01-01T00-00-00-GMT-x",
    ]
    .map(str::to_owned)
    .to_vec();
    names.sort_by_cached_key(|name| in_time(name));
    let expected = [
        "2026-01-01T00-00-00-GMT",
        "2026-01-01T00-00-00-GMT-2",
        "2026-01-01T00-00-00-GMT-10",
        "2026-01-01T00-00-00-GMT-x",
        "2026-01-01T00-00-01-GMT",
        "another",
    ];
    assert_eq!(names, expected);
}

#[test]
fn what_is_wrong_with_a_set_is_said_without_names_of_types() {
    let archive = tempfile::tempdir().unwrap();
    let own = key();
    for text in ["[]", "3", "{\"format\": 3}", "{\"format\": \"podium regrade set 1\"}"] {
        fs::write(archive.path().join(SET_FILE), text).unwrap();
        let refused = refusal(RegradeSet::open(archive.path(), &own));
        assert!(!refused.contains("struct") && !refused.contains("SetSummary"), "{refused}");
    }
}
