//! Reading the files that somebody named: regular files only, and never waiting for anything.
//!
//! Opening a pipe waits for a writer, and a device may never end. So whatever a path leads to is looked at before it is
//! opened (opening some devices does something), opened without waiting, and looked at again (a path may have changed
//! hands). Links are followed: who names such a file is trusted. What comes from parties that are not trusted is opened
//! by [`Input`](crate::Input).

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;

/// Opens a regular file for reading.
///
/// # Errors
/// What the operating system says; [`NotRegular`] inside of an [`io::Error`] where something else lies there.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    refuse_special(path.metadata()?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(without_waiting());
    }
    let file = options.open(path)?;
    refuse_special(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// As [`open`]; [`io::ErrorKind::FileTooLarge`] for a file that is larger, however large it said that it is.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("the file has more than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Reads a regular file that somebody named, of at most `limit` bytes. Folders, pipes and devices are refused, and never
/// waited for.
///
/// # Errors
/// [`Error::Read`].
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    read(path, limit).map_err(|source| Error::read(path, source))
}

/// Reads a regular file of at most `limit` bytes of UTF-8.
///
/// # Errors
/// As [`read`]; [`io::ErrorKind::InvalidData`] for bytes that are no UTF-8.
pub(crate) fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit)?).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidData, "this is not UTF-8 text; save it as UTF-8")
    })
}

/// Something that is no regular file, by its kind.
#[derive(Debug, thiserror::Error)]
#[error("this is {0}; give the path of a regular file")]
pub(crate) struct NotRegular(&'static str);

/// The flags of an open that waits for nobody and takes no terminal.
#[cfg(unix)]
pub(crate) fn without_waiting() -> i32 {
    (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits().cast_signed()
}

fn refuse_special(file_type: FileType) -> io::Result<()> {
    if file_type.is_file() {
        return Ok(());
    }
    let (kind, what) = if file_type.is_dir() {
        (io::ErrorKind::IsADirectory, "a folder")
    } else {
        (io::ErrorKind::Other, special(file_type))
    };
    Err(io::Error::new(kind, NotRegular(what)))
}

#[cfg(unix)]
fn special(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_fifo() {
        "a pipe"
    } else if file_type.is_socket() {
        "a socket"
    } else if file_type.is_char_device() || file_type.is_block_device() {
        "a device"
    } else {
        "not a regular file"
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "not a regular file"
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_regular_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "five!").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"five!");
        assert_eq!(read_text(&path, u64::MAX).unwrap(), "five!");
        let error = read(&path, 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("more than 4 bytes"), "{error}");
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let missing = read(&folder.path().join("missing"), 9).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_named_and_nobody_waits() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, mode, 0)
            .unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        std::os::unix::fs::symlink("pipe", path("link")).unwrap();
        for (path, kind) in [
            (path("pipe"), "a pipe"),
            (path("link"), "a pipe"),
            (path("socket"), "a socket"),
            ("/dev/zero".into(), "a device"),
            ("/dev/tty".into(), "a device"),
            (folder.path().to_owned(), "a folder"),
        ] {
            let error = read(&path, 9).unwrap_err();
            assert!(error.get_ref().is_some_and(|inner| inner.is::<NotRegular>()), "{error}");
            assert!(error.to_string().contains(&format!("this is {kind};")), "{error}");
        }
    }
}
