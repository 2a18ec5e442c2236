use std::fs;

use super::*;
use crate::signature::testing::{KEY, OF_TEST};

fn component(bytes: &[u8], signature: Option<&str>) -> ComponentFile {
    ComponentFile {
        path: "somewhere.wasm".into(),
        bytes: bytes.to_vec(),
        sha256: Digest::of(bytes),
        signature: Ok(signature.map(|text| Signature::parse(text).unwrap())),
    }
}

fn store() -> (tempfile::TempDir, ComponentStore) {
    let above = tempfile::tempdir().unwrap();
    let store = ComponentStore::at(above.path().join("deep/store"));
    (above, store)
}

fn problem<T: std::fmt::Debug>(result: Result<T, Error>) -> StoreProblem {
    match result {
        Err(Error::Store { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

fn limits() -> ComponentLimits {
    ComponentLimits::default()
}

#[test]
fn what_is_added_is_found_by_its_digest() {
    let (_above, store) = store();
    assert_eq!(store.list().unwrap(), []);
    let added = store.add(&component(b"test", None), None).unwrap();
    assert_eq!((added.component, added.signature), (AddedFile::New, None));
    let sha256 = added.sha256;
    let read = store.read(&sha256, &limits()).unwrap();
    assert_eq!((read.bytes.as_slice(), &read.signature), (b"test".as_slice(), &Ok(None)));
    let added = store.add(&component(b"test", Some(OF_TEST)), None).unwrap();
    assert_eq!((added.component, added.signature), (AddedFile::AlreadyThere, Some(AddedFile::New)));
    let added = store.add(&component(b"test", Some(OF_TEST)), None).unwrap();
    assert_eq!(added.signature, Some(AddedFile::AlreadyThere));
    // A file that comes without one does not take it away.
    store.add(&component(b"test", None), None).unwrap();
    let read = store.read(&sha256, &limits()).unwrap();
    assert_eq!(read.signature.unwrap().unwrap().text(), OF_TEST);
    fs::write(store.folder().join("notes.wasm"), "x").unwrap();
    fs::write(store.folder().join(format!("{}.wasm", "A".repeat(64))), "x").unwrap();
    let listed = store.list().unwrap();
    assert_eq!(listed, [StoredComponent { sha256, size: 4, path: store.path_of(&sha256) }]);
}

#[cfg(unix)]
#[test]
fn nobody_may_write_to_what_is_stored() {
    use std::os::unix::fs::PermissionsExt;
    let (_above, store) = store();
    let sha256 = store.add(&component(b"test", Some(OF_TEST)), None).unwrap().sha256;
    let path = store.path_of(&sha256);
    for path in [path.clone(), Signature::path_beside(&path)] {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o222, 0, "{}: {mode:o}", path.display());
    }
    store.remove(&sha256, false).unwrap();
}

#[test]
fn what_is_damaged_is_not_read_and_is_put_right_by_adding_it_again() {
    let (_above, store) = store();
    let sha256 = store.add(&component(b"test", None), None).unwrap().sha256;
    let path = store.path_of(&sha256);
    for bytes in [b"tess".as_slice(), b"", b"tes", b"testt"] {
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        let damaged = StoreProblem::Damaged { sha256, found: Digest::of(bytes) };
        assert_eq!(problem(store.read(&sha256, &limits())), damaged);
    }
    let added = store.add(&component(b"test", None), None).unwrap();
    assert_eq!(added.component, AddedFile::Replaced);
    assert_eq!(store.read(&sha256, &limits()).unwrap().bytes, b"test");
    let small = ComponentLimits { bytes: 3, ..limits() };
    let error = store.read(&sha256, &small).unwrap_err();
    assert!(matches!(error, Error::Grader { problem: GraderProblem::TooLarge { .. }, .. }));
}

/// Threat 8: no link in the store leads a reader out of it, and nobody waits for a pipe.
#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_read() {
    let (above, store) = store();
    let sha256 = store.add(&component(b"test", None), None).unwrap().sha256;
    let path = store.path_of(&sha256);
    let outside = above.path().join("outside");
    // Even bytes of the right digest: what lies outside is not the store's.
    fs::write(&outside, b"test").unwrap();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&outside, &path).unwrap();
    let error = store.read(&sha256, &limits()).unwrap_err().to_string();
    assert!(error.contains("cannot be read: this leads out of its folder"), "{error}");
    fs::remove_file(&path).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let error = store.read(&sha256, &limits()).unwrap_err().to_string();
    assert!(error.contains("this is a pipe"), "{error}");
    std::os::unix::fs::symlink("nowhere", store.folder().join(PINS_FILE)).unwrap();
    let message = store.pins().unwrap_err().to_string();
    assert!(message.contains("cannot be read: this is a link that leads nowhere"), "{message}");
    fs::remove_file(store.folder().join(PINS_FILE)).unwrap();
    let pins = store.folder().join(PINS_FILE);
    rustix::fs::mknodat(rustix::fs::CWD, &pins, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let error = store.pins().unwrap_err();
    assert!(
        matches!(error, Error::Read { .. }) && error.to_string().contains("this is a pipe"),
        "{error}"
    );
}

#[test]
fn a_signature_gives_way_only_to_one_that_is_worth_more() {
    let (above, store) = store();
    let policy = above.path().join("trust.toml");
    let rule = format!(
        "default = \"refuse\"\n[[allow]]\ncompetition = \"seals\"\nsigners = [\"{KEY}\"]\n"
    );
    fs::write(&policy, rule).unwrap();
    let policy = TrustPolicy::read(&policy).unwrap();
    // By a key of another id, which nobody knows; and by the known key, but of other bytes.
    let unknown = OF_TEST.replace("RUQf6LRCGA9i55", "RUQf6LRCGA9j55");
    let changed = OF_TEST.replace("file:test", "file:last");
    for (what, there, new, policy, expected) in [
        ("worth more", unknown.as_str(), OF_TEST, Some(&policy), AddedFile::Replaced),
        ("useless", OF_TEST, &unknown, Some(&policy), AddedFile::Kept),
        ("does not hold", OF_TEST, &changed, Some(&policy), AddedFile::Kept),
        (
            "in the place of one that does not hold",
            &changed,
            &unknown,
            Some(&policy),
            AddedFile::Replaced,
        ),
        ("nobody can say", &unknown, OF_TEST, None, AddedFile::Kept),
        ("nobody can say", OF_TEST, &unknown, None, AddedFile::Kept),
        ("the same", OF_TEST, OF_TEST, None, AddedFile::AlreadyThere),
    ] {
        let sha256 = store.add(&component(b"test", Some(there)), policy).unwrap().sha256;
        let added = store.add(&component(b"test", Some(new)), policy).unwrap();
        assert_eq!(added.signature, Some(expected), "{what}");
        let kept = store.read(&sha256, &limits()).unwrap().signature.unwrap().unwrap();
        let left = if expected == AddedFile::Kept { there } else { new };
        assert_eq!(kept.text(), left, "{what}");
        store.remove(&sha256, false).unwrap();
    }
}

#[test]
fn the_beginning_of_a_digest_stands_for_it_where_it_is_the_only_one() {
    let (_above, store) = store();
    // Found by trying: two texts whose digests begin alike.
    let mut digests: Vec<(String, String)> = (0..2_000)
        .map(|number: u32| {
            let text = number.to_string();
            (Digest::of(text.as_bytes()).to_string(), text)
        })
        .collect();
    digests.sort();
    let pair = digests.windows(2).find(|pair| pair[0].0[..4] == pair[1].0[..4]).unwrap();
    let [(first, one), (second, other)] = pair else { unreachable!() };
    for text in [one, other] {
        store.add(&component(text.as_bytes(), None), None).unwrap();
    }
    let first: Digest = first.parse().unwrap();
    let second: Digest = second.parse().unwrap();
    let digits = first.to_string();
    for text in [digits.clone(), first.prefixed(), digits[..20].to_uppercase()] {
        assert_eq!(store.resolve(&text).unwrap(), first, "{text}");
    }
    let ambiguous = store.resolve(&digits[..4]).unwrap_err();
    for digest in [first, second] {
        assert!(ambiguous.to_string().contains(&digest.prefixed()), "{ambiguous}");
    }
    let unknown = if digits.starts_with("00000") { "ffffff" } else { "000000" };
    assert!(matches!(problem(store.resolve(unknown)), StoreProblem::UnknownPrefix { .. }));
    for text in ["", "sha256:", &digits[..3], "grader.wasm", "\u{1b}[2J", &format!("{digits}0")] {
        let found = problem(store.resolve(text));
        assert!(matches!(found, StoreProblem::NotADigest { .. }), "{text:?}: {found}");
        assert!(!found.to_string().contains('\u{1b}'));
    }
}

#[test]
fn what_is_pinned_stays_unless_it_is_forced() {
    let (_above, store) = store();
    let sha256 = store.add(&component(b"test", Some(OF_TEST)), None).unwrap().sha256;
    let other = Digest::of(b"other");
    assert_eq!(store.pins().unwrap(), Pins::default());
    assert_eq!(problem(store.pin("seals", &other)), StoreProblem::NotStored { sha256: other });
    assert!(matches!(store.pin("../seals", &sha256), Err(Error::CompetitionId { .. })));
    assert_eq!(store.pin("seals", &sha256).unwrap(), None);
    assert_eq!(store.pin("seals", &sha256).unwrap(), Some(sha256));
    assert_eq!(store.pins().unwrap().get("seals"), Some(&sha256));
    let competitions = vec!["seals".to_owned()];
    let pinned = StoreProblem::Pinned { sha256, competitions: competitions.clone() };
    assert_eq!(problem(store.remove(&sha256, false)), pinned);
    assert_eq!(store.remove(&sha256, true).unwrap(), competitions);
    // The pin is left, so that its end is noticed.
    assert_eq!(store.pins().unwrap().get("seals"), Some(&sha256));
    let gone = StoreProblem::NotStored { sha256 };
    assert_eq!(problem(store.remove(&sha256, true)), gone);
    assert_eq!(problem(store.read(&sha256, &limits())), gone);
    assert!(Signature::beside(&store.path_of(&sha256)).unwrap().is_none());
    assert_eq!(store.unpin("seals").unwrap(), Some(sha256));
    assert_eq!(store.unpin("seals").unwrap(), None);
}

#[test]
fn a_store_that_is_not_there_is_empty_and_is_not_made_by_looking() {
    let (_above, store) = store();
    assert_eq!(store.list().unwrap(), []);
    assert_eq!(store.pins().unwrap(), Pins::default());
    assert_eq!(store.unpin("seals").unwrap(), None);
    let sha256 = Digest::of(b"test");
    assert_eq!(problem(store.read(&sha256, &limits())), StoreProblem::NotStored { sha256 });
    assert_eq!(problem(store.remove(&sha256, true)), StoreProblem::NotStored { sha256 });
    assert_eq!(problem(store.pin("seals", &sha256)), StoreProblem::NotStored { sha256 });
    assert!(!store.folder().exists());
    fs::create_dir_all(store.folder().parent().unwrap()).unwrap();
    fs::write(store.folder(), "a file").unwrap();
    assert!(matches!(store.list(), Err(Error::Read { .. })));
    assert!(matches!(store.add(&component(b"test", None), None), Err(Error::Write { .. })));
}

#[test]
fn many_may_change_a_store_at_once() {
    let (_above, store) = store();
    let store = &store;
    std::thread::scope(|scope| {
        for writer in 0..4_u32 {
            scope.spawn(move || {
                for number in 0..25_u32 {
                    let bytes = format!("{number}");
                    let sha256 =
                        store.add(&component(bytes.as_bytes(), None), None).unwrap().sha256;
                    // Others add and remove the same components.
                    match store.remove(&sha256, false) {
                        Ok(_)
                        | Err(Error::Store { problem: StoreProblem::NotStored { .. }, .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    let own = format!("{writer} {number}");
                    let sha256 = store.add(&component(own.as_bytes(), None), None).unwrap().sha256;
                    store.pin(&format!("seals-{writer}-{number}"), &sha256).unwrap();
                }
            });
            scope.spawn(move || {
                for component in (0..50).flat_map(|_| store.list().unwrap()) {
                    match store.read(&component.sha256, &limits()) {
                        Ok(_)
                        | Err(Error::Store { problem: StoreProblem::NotStored { .. }, .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let pins = store.pins().unwrap();
    assert_eq!(pins.iter().count(), 100);
    for (competition, sha256) in pins.iter() {
        assert!(store.read(sha256, &limits()).is_ok(), "{competition}");
    }
}
