//! The content of an entry, put aside for grading: in memory where it is small, else in a file without a name.
//!
//! Relies on `tempfile` for a file that nobody else can open and that the system takes away with its last handle,
//! however this program ends. No name from an archive reaches the file system.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use crate::input::{Input, InputProblem};

/// Entries up to this size are held in memory.
const HELD_BYTES: u64 = 4 << 20;

/// What became of putting an entry aside.
pub(crate) enum Held {
    /// It is an input now.
    Input(Input),
    /// It cannot be one: it is larger than the limit.
    Refused(InputProblem),
    /// A pointer of Git LFS in the place of the file.
    Pointer,
    /// This machine has no room for it.
    NoRoom(io::Error),
}

/// Puts `size` bytes of content aside, `limit` at most.
///
/// # Errors
/// Those of `content`.
pub(crate) fn hold(name: &str, size: u64, limit: u64, content: &mut dyn Read) -> io::Result<Held> {
    if size > limit {
        // Whoever made the submission is to blame for its size only where the archive holds what it says.
        io::copy(content, &mut io::sink())?;
        return Ok(Held::Refused(InputProblem::TooLarge { size, limit }));
    }
    if size <= HELD_BYTES {
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        content.read_to_end(&mut bytes)?;
        return Ok(match is_pointer(&bytes) {
            true => Held::Pointer,
            false => Held::Input(Input::from_bytes(name, bytes)),
        });
    }
    let mut file = match tempfile::tempfile() {
        Ok(file) => file,
        Err(error) => return Ok(Held::NoRoom(error)),
    };
    match copy(content, &mut file)? {
        Err(error) => Ok(Held::NoRoom(error)),
        Ok(()) => Ok(match Input::from_open_file(name, file) {
            Ok(input) => Held::Input(input),
            Err(problem) => Held::Refused(problem),
        }),
    }
}

/// Copies all of the content; an error of the file is not one of the content.
fn copy(content: &mut dyn Read, file: &mut File) -> io::Result<io::Result<()>> {
    let mut buffer = vec![0; 256 << 10];
    loop {
        match content.read(&mut buffer) {
            Ok(0) => return Ok(file.flush().and_then(|()| file.rewind())),
            Ok(read) => {
                if let Err(error) = file.write_all(&buffer[..read]) {
                    return Ok(Err(error));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether this is what a checkout holds in the place of a large file that was not fetched.
pub(crate) fn is_pointer(bytes: &[u8]) -> bool {
    const LONGEST: usize = 1_024;
    bytes.len() < LONGEST && bytes.starts_with(b"version https://git-lfs.github.com/spec/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(bytes: &[u8], limit: u64) -> Held {
        hold("submission.csv", bytes.len() as u64, limit, &mut { bytes }).unwrap()
    }

    #[test]
    fn small_and_large_content_is_kept_whole() {
        for length in [0, 5, HELD_BYTES as usize, HELD_BYTES as usize + 1] {
            let bytes = vec![b'7'; length];
            let Held::Input(input) = held(&bytes, u64::MAX) else { panic!("{length}") };
            assert_eq!(input.size(), length as u64);
            assert_eq!(*input.sha256(), crate::Digest::of(&bytes));
            assert_eq!(input.name(), "submission.csv");
        }
    }

    #[test]
    fn what_is_too_large_is_not_kept_and_pointers_are_known() {
        assert!(matches!(
            held(b"abcdef", 5),
            Held::Refused(InputProblem::TooLarge { size: 6, limit: 5 })
        ));
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
        assert!(matches!(held(pointer, 1_000), Held::Pointer));
        // What is not there is no fault of the submission, however large it is said to be.
        for limit in [10, 5] {
            let mut cut = b"abc".as_slice().chain(Broken);
            assert!(hold("x", 10, limit, &mut cut).is_err(), "{limit}");
        }
    }

    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}
