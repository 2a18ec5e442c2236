//! Files as graders get them: what is refused, what is frozen, what is hashed.

use std::fs;

use super::*;

const LIMIT: u64 = 1 << 30;

fn problem(path: impl AsRef<Path>) -> InputProblem {
    match Input::open(&path, LIMIT) {
        Err(Error::Input { path: named, problem }) => {
            assert_eq!(named, path.as_ref());
            problem
        }
        other => panic!("{}: expected a problem, got {other:?}", path.as_ref().display()),
    }
}

/// Reads into a buffer that holds what was read before.
fn read(input: &Input, offset: u64, length: usize) -> Result<Vec<u8>, GraderFailure> {
    let mut buffer = b"read before".repeat(100);
    input.read(offset, length, &mut buffer).map(|()| buffer)
}

/// A file that is too large to be held, last written long ago.
fn large(path: &Path) -> File {
    fs::write(path, vec![b'x'; HELD_BYTES as usize + 1]).unwrap();
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    set_old(&file);
    file
}

fn set_old(file: &File) {
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
}

fn is_changed(input: &Input) -> bool {
    match input.verify_unchanged() {
        Ok(()) => false,
        Err(GraderFailure::InputChanged { name }) => {
            assert_eq!(name, input.name());
            true
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn regular_files_are_opened_hashed_and_read() {
    let folder = tempfile::tempdir().unwrap();
    for size in [0, 1, 1000, HELD_BYTES, HELD_BYTES + 1, HELD_BYTES * 2 + 77] {
        let content: Vec<u8> = (0..size).map(|index| (index % 251) as u8).collect();
        let path = folder.path().join("file.csv");
        fs::write(&path, &content).unwrap();
        let input = Input::open(&path, LIMIT).unwrap();
        assert_eq!(input.name(), "file.csv");
        assert_eq!(input.size(), size);
        assert_eq!(*input.sha256(), Digest::of(&content));
        for offset in [0, 1, size / 2, size.saturating_sub(1), size, size + 1, u64::MAX] {
            for length in [0, 1, 1000, u32::MAX] {
                let length = input.available(offset, length);
                let start = offset.min(size) as usize;
                let bytes = read(&input, offset, length).unwrap();
                assert_eq!(bytes, content[start..start + length], "{size} {offset} {length}");
            }
        }
        assert!(!is_changed(&input));
    }
}

#[test]
fn what_is_in_memory_is_as_good_as_a_file() {
    let input = Input::from_bytes("answers.csv", "a,b\n");
    assert_eq!((input.name(), input.size()), ("answers.csv", 4));
    assert_eq!(*input.sha256(), Digest::of(b"a,b\n"));
    assert_eq!(read(&input, 2, input.available(2, 100)).unwrap(), b"b\n");
}

#[test]
fn what_is_no_regular_file_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("file"), "x").unwrap();
    assert!(matches!(problem(path("missing")), InputProblem::Missing));
    assert!(matches!(problem(path("missing/deeper")), InputProblem::Missing));
    assert!(matches!(problem(path("file/deeper")), InputProblem::Missing));
    assert!(matches!(problem(folder.path()), InputProblem::Folder));
    assert!(matches!(problem(path("..")), InputProblem::Folder));
    assert!(matches!(problem("/"), InputProblem::Folder));
    assert!(matches!(problem(""), InputProblem::NoFileName));
    for address in ["https://example.org/a.csv", "file:///etc/passwd", "s3://bucket/a"] {
        assert!(matches!(problem(address), InputProblem::Address), "{address}");
    }
    let error = Input::open(path("file"), 0).unwrap_err().to_string();
    assert!(error.contains("1 byte is more than the limit of 0 bytes"), "{error}");
}

/// Threat 8: only a regular file in its folder is a submission.
#[cfg(unix)]
#[test]
fn links_devices_pipes_and_sockets_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("inner")).unwrap();
    fs::write(path("secret"), "gold").unwrap();
    fs::write(path("inner/file"), "mine").unwrap();
    for (name, target) in [("inner/relative", "../secret"), ("inner/through", "relative")] {
        symlink(target, path(name)).unwrap();
        assert!(matches!(problem(path(name)), InputProblem::LeadsOut), "{name}");
    }
    let inside = path("inner/file");
    for (name, target, leads_to) in [
        ("inner/absolute", "/etc/passwd", "/etc/passwd"),
        ("inner/device", "/dev/zero", "/dev/zero"),
        ("inner/stdin", "/proc/self/fd/0", "/proc/self/fd/0"),
        ("inner/by-way-of-absolute", "absolute", "/etc/passwd"),
        ("inner/not-out-but-absolute", inside.to_str().unwrap(), inside.to_str().unwrap()),
    ] {
        symlink(target, path(name)).unwrap();
        let problem = problem(path(name));
        let InputProblem::AbsoluteLink { target } = &problem else { panic!("{problem}") };
        assert_eq!(target, Path::new(leads_to), "{name}");
    }
    symlink("file", path("inner/link")).unwrap();
    assert_eq!(Input::open(path("inner/link"), LIMIT).unwrap().size(), 4);
    symlink("loop", path("inner/loop")).unwrap();
    symlink("pong", path("inner/ping")).unwrap();
    symlink("ping", path("inner/pong")).unwrap();
    for name in ["inner/loop", "inner/ping"] {
        assert!(matches!(problem(path(name)), InputProblem::LinkLoop), "{name}");
    }
    symlink("nowhere", path("inner/dangling")).unwrap();
    assert!(matches!(problem(path("inner/dangling")), InputProblem::Missing));

    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    assert!(matches!(problem(path("pipe")), InputProblem::Special("a pipe")));
    let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    assert!(matches!(problem(path("socket")), InputProblem::Special("a socket")));
    for device in ["/dev/null", "/dev/zero", "/dev/tty"] {
        assert!(matches!(problem(device), InputProblem::Special("a device")), "{device}");
    }
    // A link to where the process's own standard input happens to be.
    for stdin in ["/dev/stdin", "/proc/self/fd/0"] {
        assert!(Input::open(stdin, LIMIT).is_err(), "{stdin}");
    }
}

/// Threat 8: no step of a path that is not trusted leads out of its folder.
#[cfg(unix)]
#[test]
fn beneath_a_folder_no_step_leads_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("data/private")).unwrap();
    fs::write(path("secret"), "gold").unwrap();
    fs::write(path("data/private/answers.csv"), "mine").unwrap();
    std::os::unix::fs::symlink("..", path("data/up")).unwrap();
    std::os::unix::fs::symlink("private", path("data/inside")).unwrap();
    let data = Dir::open_ambient_dir(path("data"), ambient_authority()).unwrap();
    for inside in ["private/answers.csv", "inside/answers.csv", "private/../inside/answers.csv"] {
        let input = Input::open_in(&data, inside, LIMIT).unwrap();
        assert_eq!((input.name(), input.size()), ("answers.csv", 4));
    }
    let absolute = path("secret");
    for outside in [Path::new("../secret"), Path::new("up/secret"), &absolute] {
        let error = Input::open_in(&data, outside, LIMIT).unwrap_err();
        let Error::Input { problem, .. } = error else { panic!("{error}") };
        assert!(matches!(problem, InputProblem::LeadsOut), "{}", outside.display());
    }
}

#[test]
fn small_files_are_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "before").unwrap();
    let input = Input::open(&path, LIMIT).unwrap();
    fs::write(&path, "after").unwrap();
    assert!(!is_changed(&input));
    assert_eq!(read(&input, 0, 6).unwrap(), b"before");
}

#[test]
fn the_digest_of_a_large_file_can_wait_if_a_change_would_show() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let file = large(&path);
    let content = fs::read(&path).unwrap();
    let input = Input::open_undigested(&path, LIMIT).unwrap();
    assert!(!input.is_digested() && input.is_as_opened());
    assert_eq!(*input.renamed("other").sha256(), Digest::of(&content));
    assert!(input.is_digested(), "all names of a file share its digest");
    assert!(Input::open(&path, LIMIT).unwrap().is_digested());

    // A digest that nobody waits for any more is taken when it is asked for the next time.
    let input = Input::open_undigested(&path, LIMIT).unwrap();
    let cancelled = Cancellation::new();
    cancelled.cancel();
    assert_eq!(input.digest(&cancelled), Err(GraderFailure::Cancelled));
    assert!(!input.is_digested());
    assert_eq!(input.digest(&Cancellation::new()), Ok(()));

    // A second write may leave no trace in the times of a file that was just written.
    file.set_modified(SystemTime::now()).unwrap();
    let input = Input::open_undigested(&path, LIMIT).unwrap();
    assert!(input.is_digested() && !input.is_as_opened());
    fs::write(&path, "small").unwrap();
    assert!(Input::open_undigested(&path, LIMIT).unwrap().is_digested());
}

#[cfg(unix)]
#[test]
fn what_is_written_before_the_digest_is_taken_is_noticed() {
    use std::os::unix::fs::FileExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let open = || (large(&path), Input::open_undigested(&path, LIMIT).unwrap());

    let (file, input) = open();
    file.write_all_at(b"y", 5).unwrap();
    let failure = input.digest(&Cancellation::new()).unwrap_err();
    assert_eq!(failure.kind(), "input-changed");
    assert!(!input.is_digested() && is_changed(&input));

    let (file, input) = open();
    file.write_all_at(b"y", 5).unwrap();
    set_old(&file);
    // The digest is of what was written, and what was read before is not known to be the same.
    assert_eq!(input.digest(&Cancellation::new()), Ok(()));
    assert!(!input.is_as_opened() && !is_changed(&input));
}

#[cfg(unix)]
#[test]
fn changes_of_large_files_are_noticed() {
    use std::os::unix::fs::{FileExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let open = || (large(&path), Input::open(&path, LIMIT).unwrap());

    let (_, input) = open();
    assert!(!is_changed(&input));

    let (file, input) = open();
    file.write_all_at(b"y", HELD_BYTES + 1).unwrap();
    assert!(is_changed(&input), "appended");

    let (file, input) = open();
    file.set_len(10).unwrap();
    assert!(is_changed(&input), "cut");
    let failure = read(&input, 0, 1000).unwrap_err();
    assert_eq!(failure.kind(), "input-changed");

    let (file, input) = open();
    file.write_all_at(b"y", 5).unwrap();
    assert!(is_changed(&input), "overwritten");

    let (file, input) = open();
    file.write_all_at(b"y", 5).unwrap();
    set_old(&file);
    assert!(is_changed(&input), "overwritten, with the time set back");

    let (_, input) = open();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    assert!(!is_changed(&input), "other permissions, same content");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();

    // Written so shortly before it was hashed that a second write may leave no trace but the content.
    let (file, _) = open();
    let now = SystemTime::now();
    file.set_modified(now).unwrap();
    let input = Input::open(&path, LIMIT).unwrap();
    assert!(!is_changed(&input));
    file.write_all_at(b"y", 5).unwrap();
    file.set_modified(now).unwrap();
    assert!(is_changed(&input), "overwritten within the granularity");

    // Replacing the file leaves the open one as it was.
    let (_, input) = open();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "other").unwrap();
    assert!(!is_changed(&input));
}
