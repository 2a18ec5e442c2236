use cap_std::ambient_authority;
use proptest::prelude::*;
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::*;

const LIMITS: Limits = Limits { bytes: 1000, entries: 10 };

fn header(kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o777);
    header
}

/// A header with a name that no builder would write.
fn named(kind: EntryType, name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = header(kind, content.len() as u64);
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn copy(archive: &[u8]) -> (TempDir, Copied) {
    let above = tempfile::tempdir().unwrap();
    let run = above.path().join("run");
    std::fs::create_dir(&run).unwrap();
    let folder = Dir::open_ambient_dir(&run, ambient_authority()).unwrap();
    let copied = copy_out(archive, &folder, "code", LIMITS).unwrap();
    (above, copied)
}

#[test]
fn files_and_folders_are_copied() {
    let mut builder = Builder::new(Vec::new());
    let mut folder = header(EntryType::Directory, 0);
    builder.append_data(&mut folder, "code/deep", io::empty()).unwrap();
    builder
        .append_data(&mut header(EntryType::Regular, 5), "code/deep/a.py", &b"hello"[..])
        .unwrap();
    let (above, copied) = copy(&builder.into_inner().unwrap());
    assert_eq!((copied.files, copied.bytes, copied.refused_in_all), (1, 5, 0));
    assert_eq!(std::fs::read(above.path().join("run/code/deep/a.py")).unwrap(), b"hello");
}

#[test]
fn what_lay_there_is_replaced() {
    let mut builder = Builder::new(Vec::new());
    builder.append_data(&mut header(EntryType::Regular, 1), "code/a", &b"2"[..]).unwrap();
    let archive = builder.into_inner().unwrap();
    let (above, _) = copy(&archive);
    let run = above.path().join("run");
    std::fs::write(run.join("code/old"), "x").unwrap();
    let folder = Dir::open_ambient_dir(&run, ambient_authority()).unwrap();
    copy_out(archive.as_slice(), &folder, "code", LIMITS).unwrap();
    assert!(!run.join("code/old").exists());
    assert_eq!(std::fs::read(run.join("code/a")).unwrap(), b"2");
}

/// Threat 16: nothing leaves the folder, and nothing but files and folders comes out.
#[test]
fn what_leaves_the_folder_or_is_no_file_is_refused() {
    for (kind, name, why) in [
        (EntryType::Regular, "../escaped", ".."),
        (EntryType::Regular, "code/../../escaped", ".."),
        (EntryType::Regular, "/escaped", "absolute"),
        (EntryType::Regular, "logs/escaped", "another folder"),
        (EntryType::Symlink, "code/link", "symbolic link"),
        (EntryType::Link, "code/link", "hard link"),
        (EntryType::Block, "code/disk", "device"),
        (EntryType::Char, "code/null", "device"),
        (EntryType::Fifo, "code/pipe", "pipe"),
        (EntryType::Regular, "code/a\\b", "backslash"),
        (EntryType::Regular, "code/\u{1b}[31m", "control character"),
    ] {
        let (above, copied) = copy(&named(kind, name, b""));
        assert_eq!(copied.refused_in_all, 1, "{name}");
        assert!(copied.refused[0].why.contains(why), "{name}: {:?}", copied.refused);
        assert_eq!(std::fs::read_dir(above.path()).unwrap().count(), 1, "{name}");
        assert_eq!(std::fs::read_dir(above.path().join("run/code")).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn limits_hold() {
    let mut large = Builder::new(Vec::new());
    large.append_data(&mut header(EntryType::Regular, 1), "code/a", &b"1"[..]).unwrap();
    large.append_data(&mut header(EntryType::Regular, 1000), "code/b", &[0; 1000][..]).unwrap();
    let (above, copied) = copy(&large.into_inner().unwrap());
    assert!(copied.cut_short.unwrap().contains("more than 1000 bytes"));
    assert!(above.path().join("run/code/a").exists() && !above.path().join("run/code/b").exists());

    let mut many = Builder::new(Vec::new());
    for index in 0..20 {
        many.append_data(&mut header(EntryType::Regular, 0), format!("code/{index}"), io::empty())
            .unwrap();
    }
    let (_, copied) = copy(&many.into_inner().unwrap());
    assert_eq!(copied.files, 10);
    assert!(copied.cut_short.unwrap().contains("more than the limit of 10 entries"));
}

#[test]
fn a_folder_that_is_not_there_is_an_empty_one() {
    let (above, copied) = copy(b"");
    assert_eq!(copied, Copied::default());
    assert_eq!(std::fs::read_dir(above.path().join("run/code")).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_a_folder_as_well_is_no_failure_of_the_host() {
    let mut archive = named(EntryType::Regular, "code/a", b"first");
    archive.extend(named(EntryType::Directory, "code/a", b""));
    archive.extend(named(EntryType::Regular, "code/a/b", b"second"));
    let (_, copied) = copy(&archive);
    assert_eq!((copied.files, copied.refused_in_all), (1, 1), "{copied:?}");
    assert!(copied.refused[0].why.contains("a file and a folder"), "{copied:?}");
}

/// What comes out of a container can be packed, and regraded, without another word.
#[test]
fn what_is_copied_is_what_the_reader_of_archives_takes() {
    struct All(Vec<String>);
    impl EntryVisitor for All {
        fn wants(&mut self, path: &EntryPath, _size: u64) -> bool {
            self.0.push(path.to_string());
            false
        }

        fn read(&mut self, _: &EntryPath, _: u64, _: &mut dyn Read) -> io::Result<()> {
            Ok(())
        }
    }
    for names in [["code/a b", "code/\u{fc}/\u{20ac}"], ["code/.hidden", "code/c:d"]] {
        let mut builder = Builder::new(Vec::new());
        for name in names {
            builder.append_data(&mut header(EntryType::Regular, 1), name, &b"1"[..]).unwrap();
        }
        let (above, copied) = copy(&builder.into_inner().unwrap());
        assert_eq!((copied.files, copied.refused_in_all), (2, 0), "{copied:?}");
        let folder = podium::Archive::open(above.path().join("run"), ArchiveLimits::default());
        let mut all = All(Vec::new());
        let passage = folder.unwrap().visit(&mut all);
        assert_eq!((passage.refused_in_all, all.0.len()), (0, 2), "{passage:?}");
    }
}

#[test]
fn a_name_twice_and_names_with_control_characters_are_harmless() {
    let mut archive = named(EntryType::Regular, "code/a", b"first");
    archive.extend(named(EntryType::Regular, "code/a", b"second"));
    archive.extend(named(EntryType::Fifo, "code/\u{1b}[31m", b""));
    let (above, copied) = copy(&archive);
    assert_eq!(std::fs::read(above.path().join("run/code/a")).unwrap(), b"first");
    assert!(copied.refused[0].why.contains("more than once"), "{copied:?}");
    assert_eq!(copied.refused[1].entry, "code/\\u{1b}[31m");
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..2048)) {
        let (above, _) = copy(&bytes);
        prop_assert_eq!(std::fs::read_dir(above.path()).unwrap().count(), 1);
    }

    #[test]
    fn any_damage_is_survived(place in 0usize..1024, byte in any::<u8>()) {
        let mut archive = named(EntryType::Regular, "code/a", b"content");
        archive[place] = byte;
        let (above, _) = copy(&archive);
        prop_assert_eq!(std::fs::read_dir(above.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_file_that_is_said_to_be_too_large_is_neither_read_nor_written() {
    // Not a byte of it follows, so whoever read it would say that the archive is cut short.
    let mut header = header(EntryType::Regular, LIMITS.bytes + 1);
    header.set_path("code/large").unwrap();
    header.set_cksum();
    let (above, copied) = copy(header.as_bytes());
    assert_eq!((copied.files, copied.refused_in_all), (0, 1));
    assert_eq!(copied.refused[0].why, "it goes beyond the limit of the folder");
    assert_eq!(copied.cut_short.as_deref(), Some("there are more than 1000 bytes"));
    assert_eq!(std::fs::read_dir(above.path().join("run/code")).unwrap().count(), 0);
}
