use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn sets_lie_in_a_folder_and_beside_a_file() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Sets::of(folder.path()).folder(), folder.path().join("regrades"));
    let file = folder.path().join("runs.tar.zst");
    assert_eq!(Sets::of(&file).folder(), folder.path().join("runs.tar.zst.regrades"));
}

#[test]
fn an_interrupted_set_is_gone_on_with_by_the_same_settings_only() {
    let archive = tempfile::tempdir().unwrap();
    let settings = SetSettings::default();
    let first = RegradeSet::begin(archive.path(), None, &settings).unwrap();
    let folder = first.folder().to_owned();
    // While somebody regrades into it, another set is begun.
    let second = RegradeSet::begin(archive.path(), None, &settings).unwrap();
    assert_ne!(second.folder(), folder);
    let busy = RegradeSet::open(&folder).err().unwrap().to_string();
    assert!(busy.contains("another process"), "{busy}");
    let unlocked = second.folder().to_owned();
    drop(second);
    let again = RegradeSet::begin(archive.path(), None, &settings).unwrap();
    assert_eq!(again.folder(), unlocked);
    let other = SetSettings {
        graders: BTreeMap::from([("a".to_owned(), Digest::of(b"x"))]),
        ..SetSettings::default()
    };
    assert_ne!(RegradeSet::begin(archive.path(), None, &other).unwrap().folder(), unlocked);
    drop((first, again));
    let refused = RegradeSet::begin(archive.path(), Some(&folder), &other).err().unwrap();
    assert!(refused.to_string().contains("other graders"), "{refused}");
    fs::write(archive.path().join("file"), "x").unwrap();
    let refused = RegradeSet::begin(archive.path(), Some(archive.path()), &settings).err().unwrap();
    assert!(refused.to_string().contains("no set"), "{refused}");
}

#[test]
fn one_set_is_current_and_the_ones_before_are_kept() {
    let archive = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("set");
    let make = |folder: Option<&Path>, graders: &str| {
        let settings = SetSettings {
            graders: BTreeMap::from([(graders.to_owned(), Digest::of(b"x"))]),
            ..SetSettings::default()
        };
        RegradeSet::begin(archive.path(), folder, &settings).unwrap()
    };
    let (first, second, third) = (make(None, "a"), make(None, "b"), make(Some(&outside), "c"));
    assert!(first.apply(false).unwrap_err().to_string().contains("not complete"));
    assert!(first.apply(true).unwrap() && !first.apply(true).unwrap());
    let sets = Sets::of(archive.path());
    assert!(second.apply(true).unwrap() && second.is_current().unwrap());
    assert!(third.apply(true).unwrap());
    assert_eq!(sets.current().unwrap().unwrap(), outside.canonicalize().unwrap());
    assert_eq!(sets.read_current().unwrap().unwrap().before.len(), 2);
    assert!(third.discard().unwrap_err().to_string().contains("current"));
    assert!(second.apply(true).unwrap());
    let gone = first.folder().to_owned();
    first.discard().unwrap();
    assert!(!gone.exists());
    assert_eq!(sets.list().unwrap().0.len(), 1);
    assert!(names(sets.folder()).iter().all(|name| !name.starts_with('.')));
    // A current set that is gone is an error, and not silently none.
    fs::remove_dir_all(second.folder()).unwrap();
    let set = make(None, "d");
    assert!(set.current_records().err().unwrap().to_string().contains("not there"));
    fs::write(sets.folder().join(CURRENT_FILE), "{").unwrap();
    assert!(matches!(sets.current(), Err(Error::RegradeSet { .. })));
}

#[test]
fn folders_that_are_no_sets_are_listed_as_problems() {
    let archive = tempfile::tempdir().unwrap();
    let sets = Sets::of(archive.path());
    assert!(sets.list().unwrap().0.is_empty());
    for (name, text) in [("a", None), ("b", Some("{")), ("c", Some("{\"format\": \"x\"}"))] {
        let folder = sets.folder().join(name);
        fs::create_dir_all(&folder).unwrap();
        if let Some(text) = text {
            fs::write(folder.join(SET_FILE), text).unwrap();
        }
    }
    fs::write(sets.folder().join("file"), "x").unwrap();
    let (listed, problems) = sets.list().unwrap();
    assert_eq!((listed.len(), problems.len()), (0, 3));
}
