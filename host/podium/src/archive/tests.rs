use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression as Level;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use zip::write::SimpleFileOptions;

use super::*;

/// Keeps everything.
#[derive(Default)]
struct Keeper(BTreeMap<String, Vec<u8>>);

impl EntryVisitor for Keeper {
    fn wants(&mut self, _: &EntryPath, _: u64) -> bool {
        true
    }

    fn read(&mut self, path: &EntryPath, size: u64, content: &mut dyn Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        assert_eq!(bytes.len() as u64, size);
        assert!(self.0.insert(path.as_str().to_owned(), bytes).is_none(), "{path}");
        Ok(())
    }
}

fn visit(bytes: Vec<u8>, limits: ArchiveLimits) -> (BTreeMap<String, Vec<u8>>, Passage) {
    let archive = Archive::from_bytes("x", bytes, limits).unwrap();
    let mut keeper = Keeper::default();
    let passage = archive.visit(&mut keeper);
    (keeper.0, passage)
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&str> {
    files.keys().map(String::as_str).collect()
}

/// A header with a name that the tar crate would not write.
fn header(name: &str, kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(size);
    header.set_cksum();
    header
}

fn entry(tar: &mut Builder<Vec<u8>>, name: &str, content: &[u8]) {
    tar.append(&header(name, EntryType::Regular, content.len() as u64), content).unwrap();
}

fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    files.iter().for_each(|(name, content)| entry(&mut tar, name, content));
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Level::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const FILES: [(&str, &[u8]); 3] = [("a/b.csv", b"id\n1\n"), ("c", b""), ("d/e/f", b"xyz")];

#[test]
fn every_format_gives_the_same_files() {
    let tar = tar_of(&FILES);
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in FILES {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let limits = ArchiveLimits::default;
    let packed = [
        (tar.clone(), ArchiveFormat::Tar),
        (gzip(&tar), ArchiveFormat::TarGz),
        (zstd::encode_all(&*tar, 1).unwrap(), ArchiveFormat::TarZst),
        (zip_of(&FILES), ArchiveFormat::Zip),
    ];
    let mut archives =
        vec![(Archive::open(folder.path(), limits()).unwrap(), ArchiveFormat::Folder)];
    for (bytes, format) in packed {
        archives.push((Archive::from_bytes("x", bytes, limits()).unwrap(), format));
    }
    for (archive, format) in archives {
        assert_eq!(archive.format(), format);
        // Twice: an archive can be read again.
        for _ in 0..2 {
            let mut keeper = Keeper::default();
            let passage = archive.visit(&mut keeper);
            assert_eq!(passage.broken, None, "{}", format.name());
            assert_eq!((passage.refused_in_all, passage.left_out_in_all), (0, 0));
            let found: Vec<(&str, &[u8])> = keeper
                .0
                .iter()
                .map(|(name, content)| (name.as_str(), content.as_slice()))
                .collect();
            assert_eq!(found, FILES, "{}", format.name());
        }
    }
}

#[test]
fn what_is_no_archive_is_told_by_its_content() {
    for (bytes, part) in [
        (b"".to_vec(), "empty"),
        (b"id,value\n1,0.5\n".to_vec(), "no archive"),
        (b"%PDF-1.4 ".to_vec(), "a PDF document"),
        (vec![b'x'; 600], "no archive"),
    ] {
        let error = Archive::from_bytes("x.tar", bytes, ArchiveLimits::default()).err().unwrap();
        assert!(error.to_string().contains(part), "{error}");
    }
    let missing = Archive::open("no/such/archive.tar", ArchiveLimits::default());
    assert!(matches!(missing, Err(Error::Read { .. })));
}

/// Threat 16: archives that write outside, by names, links and special files.
#[test]
fn hostile_entries_are_named_and_the_rest_is_used() {
    type Make = fn(&mut Builder<Vec<u8>>);
    let cases: [(&str, Make, &str, bool); 13] = [
        ("absolute", |tar| entry(tar, "/etc/passwd", b"x"), "absolute", true),
        ("upwards", |tar| entry(tar, "../out", b"x"), "leads out", true),
        ("inner", |tar| entry(tar, "a/../../out", b"x"), "leads out", true),
        ("backslash", |tar| entry(tar, "a\\..\\out", b"x"), "backslash", true),
        ("control", |tar| entry(tar, "a\x1b[2J", b"x"), "control character", true),
        (
            "twice",
            |tar| {
                entry(tar, "twice", b"1");
                entry(tar, "./twice", b"2");
            },
            "more than once",
            true,
        ),
        (
            "symlink",
            |tar| tar.append(&header("l", EntryType::Symlink, 0), io::empty()).unwrap(),
            "symbolic link",
            false,
        ),
        (
            "hard link",
            |tar| tar.append(&header("l", EntryType::Link, 0), io::empty()).unwrap(),
            "hard link",
            false,
        ),
        (
            "device",
            |tar| tar.append(&header("l", EntryType::Char, 0), io::empty()).unwrap(),
            "device",
            false,
        ),
        (
            "block",
            |tar| tar.append(&header("l", EntryType::Block, 0), io::empty()).unwrap(),
            "device",
            false,
        ),
        (
            "fifo",
            |tar| tar.append(&header("l", EntryType::Fifo, 0), io::empty()).unwrap(),
            "a pipe",
            false,
        ),
        (
            "unknown",
            |tar| tar.append(&header("l", EntryType::new(b'Q'), 0), io::empty()).unwrap(),
            "not known",
            false,
        ),
        (
            "two paths",
            |tar| {
                tar.append_pax_extensions([("path", b"good/x".as_slice()), ("path", b"bad/x")])
                    .unwrap();
                entry(tar, "x", b"x");
            },
            "path twice",
            true,
        ),
    ];
    for (what, make, part, is_refused) in cases {
        let mut tar = Builder::new(Vec::new());
        entry(&mut tar, "before", b"1");
        make(&mut tar);
        entry(&mut tar, "after", b"2");
        let (files, passage) = visit(tar.into_inner().unwrap(), ArchiveLimits::default());
        let kept: Vec<&str> = names(&files).into_iter().filter(|name| *name != "twice").collect();
        assert_eq!(kept, ["after", "before"], "{what}");
        assert_eq!(passage.broken, None, "{what}");
        let problems = if is_refused { &passage.refused } else { &passage.left_out };
        assert_eq!(problems.len(), 1, "{what}: {passage:?}");
        assert!(problems[0].reason.contains(part), "{what}: {problems:?}");
        assert!(!problems[0].entry.contains('\x1b'), "{problems:?}");
    }
}

/// Threat 16: sizes that lie, in headers and in extended headers; holes; headers without end.
#[test]
fn sizes_that_lie_end_the_reading() {
    let pax = |size: &str, content: &[u8]| {
        let mut tar = Builder::new(Vec::new());
        entry(&mut tar, "before", b"1");
        tar.append_pax_extensions([("size", size.as_bytes())]).unwrap();
        entry(&mut tar, "x", content);
        entry(&mut tar, "after", b"2");
        tar.into_inner().unwrap()
    };
    let huge = {
        let mut tar = tar_of(&[("before", b"1"), ("x", b"content")]);
        let header = header("x", EntryType::Regular, 1 << 40);
        tar[1_024..1_536].copy_from_slice(header.as_bytes());
        tar
    };
    let long_name = {
        let mut tar = Builder::new(Vec::new());
        entry(&mut tar, "before", b"1");
        let name = vec![b'n'; 2 << 20];
        tar.append(&header("././@LongLink", EntryType::GNULongName, name.len() as u64), &*name)
            .unwrap();
        entry(&mut tar, "x", b"x");
        tar.into_inner().unwrap()
    };
    for (what, tar, part) in [
        ("extended size too small", pax("1", b"content"), "two sizes"),
        (
            "extended size too large",
            pax("99999999999999", b"content"),
            "cut off: it ends early, after",
        ),
        ("extended size no number", pax("many", b"content"), "damaged"),
        ("header size too large", huge, "cut off"),
        ("long name without end", long_name, "headers of an entry have more than 1 MiB"),
    ] {
        let (files, passage) = visit(tar, ArchiveLimits::default());
        assert_eq!(names(&files), ["before"], "{what}");
        let broken = passage.broken.unwrap_or_default();
        assert!(broken.contains(part), "{what}: {broken}");
    }
    // The same size in both is honest.
    let (files, passage) = visit(pax("7", b"content"), ArchiveLimits::default());
    assert_eq!((names(&files), passage.broken), (vec!["after", "before", "x"], None));
    let sparse = {
        let mut tar = Builder::new(Vec::new());
        tar.append_pax_extensions([("GNU.sparse.major", b"1".as_slice())]).unwrap();
        entry(&mut tar, "GNUSparseFile.0/x", b"0\n");
        entry(&mut tar, "after", b"2");
        tar.into_inner().unwrap()
    };
    let (files, passage) = visit(sparse, ArchiveLimits::default());
    assert_eq!(names(&files), ["after"]);
    assert!(passage.refused[0].reason.contains("sparse"), "{passage:?}");
}

/// Threat 16: a header that is of all entries after it, which some programs heed and others do not.
#[test]
fn global_headers_are_passed_over_only_where_they_change_nothing() {
    let with = |records: &[u8]| {
        let mut tar = Builder::new(Vec::new());
        entry(&mut tar, "before", b"1");
        let kind = EntryType::XGlobalHeader;
        tar.append(&header("pax_global_header", kind, records.len() as u64), records).unwrap();
        entry(&mut tar, "after", b"2");
        tar.into_inner().unwrap()
    };
    // As git archive writes one.
    let (files, passage) =
        visit(with(b"16 comment=abcd\n13 mtime=123\n"), ArchiveLimits::default());
    assert_eq!(
        (names(&files), passage.broken, passage.refused_in_all),
        (vec!["after", "before"], None, 0)
    );
    for (records, part) in [
        (b"9 size=3\n".as_slice(), "says the size of all"),
        (b"12 path=a/b\n", "says the path of all"),
        (b"22 GNU.sparse.major=1\n", "says the GNU.sparse.major of all"),
    ] {
        let (files, passage) = visit(with(records), ArchiveLimits::default());
        assert_eq!(names(&files), ["before"], "{part}");
        let broken = passage.broken.unwrap();
        assert!(broken.contains(part), "{part}: {broken}");
        assert_eq!(passage.refused_in_all, 1);
    }
}

/// Threat 16: a name that is a file and a folder, so that it depends on the program what is found there.
#[test]
fn a_file_and_a_folder_of_one_name_are_refused() {
    type Entries = &'static [(&'static str, &'static [u8])];
    let cases: [(Entries, &[&str], &[&str]); 4] = [
        (&[("a", b"1"), ("a/b", b"2"), ("a/c", b"3"), ("d", b"4")], &["a", "d"], &["a"]),
        (&[("a/b", b"2"), ("a", b"1"), ("d", b"4")], &["a/b", "d"], &["a"]),
        (&[("a/", b""), ("a", b"1"), ("d", b"4")], &["d"], &["a"]),
        (
            &[("a/b/c", b"1"), ("a/b/d", b"2"), ("a/", b""), ("e", b"3")],
            &["a/b/c", "a/b/d", "e"],
            &[],
        ),
    ];
    for (entries, kept, refused) in cases {
        for bytes in [tar_of(entries), zip_of(entries)] {
            let (files, passage) = visit(bytes, ArchiveLimits::default());
            assert_eq!(names(&files), kept, "{entries:?}");
            let named: Vec<&str> = passage.refused.iter().map(|one| one.entry.as_str()).collect();
            assert_eq!(named, refused, "{entries:?}");
            for path in refused {
                // What was handed over before is known to be of no use afterwards.
                let path = EntryPath::parse(path.as_bytes()).unwrap();
                assert!(passage.unusable.contains_key(&path), "{entries:?}");
            }
        }
    }
}

#[test]
fn long_names_of_both_kinds_are_read() {
    let long = format!("{}/x", "d".repeat(200));
    let mut gnu = Builder::new(Vec::new());
    gnu.append_data(&mut header("", EntryType::Regular, 1), &long, b"1".as_slice()).unwrap();
    let mut pax = Builder::new(Vec::new());
    pax.append_pax_extensions([("path", long.as_bytes())]).unwrap();
    entry(&mut pax, "short", b"1");
    for tar in [gnu, pax] {
        let (files, passage) = visit(tar.into_inner().unwrap(), ArchiveLimits::default());
        assert_eq!((names(&files), passage.broken), (vec![long.as_str()], None));
    }
}

/// Threat 16: bombs. The limits end the reading, whatever the archive is packed as.
#[test]
fn limits_end_the_reading() {
    let zeros = vec![0; 5 << 20];
    let tar = tar_of(&[("before", b"1"), ("bomb", &zeros), ("after", b"2")]);
    let small = ArchiveLimits { unpacked_bytes: 1 << 20, ..ArchiveLimits::default() };
    let files: [(&str, &[u8]); 3] = [("before", b"1"), ("bomb", &zeros), ("after", b"2")];
    for bytes in [tar.clone(), gzip(&tar), zstd::encode_all(&*tar, 1).unwrap(), zip_of(&files)] {
        let (files, passage) = visit(bytes.clone(), small.clone());
        assert_eq!(names(&files), ["before"]);
        assert!(passage.broken.unwrap().contains("more than the limit of 1 MiB"));
        let few = ArchiveLimits { entries: 2, ..ArchiveLimits::default() };
        let (files, passage) = visit(bytes, few);
        assert!(files.len() <= 2 && !files.contains_key("after"));
        assert!(passage.broken.unwrap().contains("limit of 2 entries"));
    }
}

/// A bomb of more than a gigabyte, as it is met with: by the ratio of what comes out to what goes in.
#[test]
fn what_unpacks_to_thousands_of_times_its_size_is_a_bomb() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    let size = (1_u64 << 30) + (8 << 20);
    encoder.write_all(header("bomb", EntryType::Regular, size).as_bytes()).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..size >> 20 {
        encoder.write_all(&zeros).unwrap();
    }
    let archive = encoder.finish().unwrap();
    let archive = Archive::from_bytes("x", archive, ArchiveLimits::default()).unwrap();
    struct Passing;
    impl EntryVisitor for Passing {
        fn wants(&mut self, _: &EntryPath, _: u64) -> bool {
            false
        }
        fn read(&mut self, _: &EntryPath, _: u64, _: &mut dyn Read) -> io::Result<()> {
            unreachable!("nothing is wanted")
        }
    }
    let broken = archive.visit(&mut Passing).broken.unwrap();
    assert!(broken.contains("more than 1000 times its size"), "{broken}");
}

#[test]
fn of_an_archive_that_is_cut_off_the_beginning_is_used() {
    // What does not pack to nothing, and is more than a block of each format.
    let noise = |seed: u64| -> Vec<u8> {
        let mut state = seed;
        (0..400_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect()
    };
    let (first, second) = (noise(1), noise(2));
    let files: [(&str, &[u8]); 2] = [("first", &first), ("second", &second)];
    let tar = tar_of(&files);
    for (what, bytes) in [
        ("tar", tar.clone()),
        ("tar.gz", gzip(&tar)),
        ("tar.zst", zstd::encode_all(&*tar, 1).unwrap()),
        ("zip", zip_of(&files)),
    ] {
        let (kept, passage) =
            visit(bytes[..bytes.len() * 3 / 4].to_vec(), ArchiveLimits::default());
        assert_eq!(names(&kept), ["first"], "{what}");
        let broken = passage.broken.unwrap();
        assert!(
            broken.contains("cut off") && broken.contains("up to `second`"),
            "{what}: {broken}"
        );
    }
    // Without the mark of its end, a tar may have lost anything.
    let (kept, passage) = visit(tar[..tar.len() - 1_024].to_vec(), ArchiveLimits::default());
    assert_eq!(names(&kept), ["first", "second"]);
    assert!(passage.broken.unwrap().contains("mark of its end"));
    // Nor is a header that ends in the middle a damage, of whichever program the words are.
    for missing in [1_025, 1_200, 1_024 + 400_384 + 100] {
        let broken = visit(tar[..tar.len() - missing].to_vec(), ArchiveLimits::default()).1.broken;
        let broken = broken.unwrap();
        assert!(broken.contains("cut off: it ends early, after"), "{missing}: {broken}");
    }
    // A checksum at the very end is compared.
    let mut packed = gzip(&tar);
    let last = packed.len() - 5;
    packed[last] ^= 1;
    let broken = visit(packed, ArchiveLimits::default()).1.broken.unwrap();
    assert!(broken.contains("damaged after"), "{broken}");
}

/// Threat 16: zips that are not what their directory says.
#[test]
fn zips_that_lie_are_refused_by_entry() {
    let good = zip_of(&[("one", b"11111"), ("two", b"22222")]);
    let find = |bytes: &[u8], what: &[u8], nth: usize| {
        let places = bytes.windows(what.len()).enumerate().filter(|(_, window)| *window == what);
        places.map(|(at, _)| at).nth(nth).unwrap()
    };
    // Another name in the entry's own header than in the directory.
    let mut cloaked = good.clone();
    let at = find(&cloaked, b"one", 0);
    cloaked[at..at + 3].copy_from_slice(b"eno");
    // Both records of the directory lead to the first entry.
    let mut shared = good.clone();
    let record = find(&shared, b"PK\x01\x02", 1);
    shared[record + 42..record + 46].copy_from_slice(&[0; 4]);
    // A name that is there twice.
    let mut twice = zip_of(&[("one", b"11111"), ("eno", b"22222")]);
    for _ in 0..2 {
        let at = find(&twice, b"eno", 0);
        twice[at..at + 3].copy_from_slice(b"one");
    }
    // Content that is not what its checksum says.
    let mut changed = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in [("one", b"11111"), ("two", b"22222")] {
        changed.start_file(name, stored).unwrap();
        changed.write_all(content).unwrap();
    }
    let mut changed = changed.finish().unwrap().into_inner();
    let at = find(&changed, b"11111", 0);
    changed[at] = b'9';
    for (what, bytes, entry, kept) in [
        ("cloaked", cloaked, "one", vec!["two"]),
        ("shared", shared, "one", vec![]),
        ("changed", changed, "one", vec!["two"]),
    ] {
        let (files, passage) = visit(bytes, ArchiveLimits::default());
        assert_eq!(names(&files), kept, "{what}");
        assert_eq!(passage.refused[0].entry, entry, "{what}: {passage:?}");
    }
    let (files, passage) = visit(twice, ArchiveLimits::default());
    assert!(files.is_empty(), "{files:?}");
    assert!(passage.refused[0].reason.contains("more than once"), "{passage:?}");
    // A link, a folder, a name that leads out.
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    zip.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    zip.add_directory("folder", SimpleFileOptions::default()).unwrap();
    zip.start_file("a-/b/out", SimpleFileOptions::default()).unwrap();
    zip.start_file("kept", SimpleFileOptions::default()).unwrap();
    let mut bytes = zip.finish().unwrap().into_inner();
    for _ in 0..2 {
        let at = find(&bytes, b"a-/b/out", 0);
        bytes[at..at + 8].copy_from_slice(b"../b/out");
    }
    let (files, passage) = visit(bytes, ArchiveLimits::default());
    assert_eq!(names(&files), ["kept"]);
    assert!(passage.left_out[0].reason.contains("symbolic link"), "{passage:?}");
    assert!(passage.refused[0].reason.contains("leads out"), "{passage:?}");
}

#[cfg(unix)]
#[test]
fn folders_are_walked_without_following_links() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "x").unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("inner")).unwrap();
    std::fs::write(path("inner/file"), "1").unwrap();
    std::os::unix::fs::symlink(outside.path(), path("linked-folder")).unwrap();
    std::os::unix::fs::symlink("inner/file", path("linked-file")).unwrap();
    std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    let archive = Archive::open(folder.path(), ArchiveLimits::default()).unwrap();
    let mut keeper = Keeper::default();
    let passage = archive.visit(&mut keeper);
    assert_eq!(names(&keeper.0), ["inner/file"]);
    let left_out: Vec<&str> = passage.left_out.iter().map(|left| left.entry.as_str()).collect();
    assert_eq!(left_out, ["linked-file", "linked-folder", "pipe", "socket"]);
}
