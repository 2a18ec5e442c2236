//! What a grader prints, kept within bounds.
//!
//! The beginning and the end are what a person needs: how it began, and what it said before it gave up.

use std::collections::VecDeque;

use crate::limits::Limits;
use crate::message;

/// The bytes that a grader wrote to its standard output and standard error, in the order in which it wrote them: the
/// first and the last of them, half of [`Limits::LOG_BYTES`] each.
#[derive(Debug, Default)]
pub(crate) struct Log {
    beginning: Vec<u8>,
    end: VecDeque<u8>,
    left_out: u64,
}

impl Log {
    const HALF: usize = Limits::LOG_BYTES / 2;

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let room = Log::HALF - self.beginning.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.beginning.extend_from_slice(first);
        // Of a long text only the end can stay.
        let skipped = rest.len().saturating_sub(Log::HALF);
        let rest = &rest[skipped..];
        let pushed_out = (self.end.len() + rest.len()).saturating_sub(Log::HALF);
        self.end.drain(..pushed_out);
        self.end.extend(rest);
        self.left_out += (skipped + pushed_out) as u64;
    }

    /// The text, fit to be shown; what is not UTF-8 is replaced. `None` if nothing was written.
    pub(crate) fn into_text(mut self) -> Option<String> {
        if self.beginning.is_empty() {
            return None;
        }
        let mut bytes = self.beginning;
        if self.left_out > 0 {
            let mark = format!("\n[{} bytes are left out here]\n", self.left_out);
            bytes.extend_from_slice(mark.as_bytes());
        }
        bytes.extend_from_slice(self.end.make_contiguous());
        Some(message::fit(&String::from_utf8_lossy(&bytes), usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(writes: &[&[u8]]) -> Option<String> {
        let mut log = Log::default();
        writes.iter().for_each(|bytes| log.write(bytes));
        log.into_text()
    }

    #[test]
    fn what_is_short_is_kept_whole_and_escaped() {
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[b""]), None);
        assert_eq!(text(&[b"a\n", b"\x1b[31mb\xff"]), Some("a\n\\u{1b}[31mb\u{fffd}".to_owned()));
        let full = vec![b'x'; Limits::LOG_BYTES];
        assert_eq!(text(&[&full]).unwrap().len(), Limits::LOG_BYTES);
    }

    #[test]
    fn of_what_is_long_beginning_and_end_are_kept() {
        let middle = vec![b'.'; 3 * Limits::LOG_BYTES];
        for writes in [
            &[b"begin".as_slice(), &middle, b"end"][..],
            &[[b"begin".as_slice(), &middle, b"end"].concat().as_slice()][..],
            &[b"begin".as_slice(), &middle[..70_000], &middle[70_000..], b"e", b"n", b"d"][..],
        ] {
            let text = text(writes).unwrap();
            assert!(text.starts_with("begin...") && text.ends_with("...end"));
            let left_out = 2 * Limits::LOG_BYTES + "beginend".len();
            assert!(text.contains(&format!(".\n[{left_out} bytes are left out here]\n.")));
            assert!(text.len() < Limits::LOG_BYTES + 100);
        }
    }
}
