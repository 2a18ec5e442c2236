//! A file as the sequence of buffers that pandas tokenizes one by one, checked to be UTF-8.
//!
//! pandas opens the file as text and reads it 262,144 characters at a time. Where these buffers end decides a few odd
//! cases of its tokenizer (see [`Tokenizer`](super::tokenizer::Tokenizer)), so they end here where they end there.

use super::Role;
use crate::failure::Failure;
use crate::source::Source;

/// The characters of a buffer (`DEFAULT_CHUNKSIZE` of pandas' parser).
const BUFFER_CHARACTERS: usize = 256 * 1024;

/// The bytes asked of the source at a time: a buffer, where all characters are ASCII. What is larger does not stay in the
/// processor's cache while it is copied and looked at.
const READ_BYTES: u32 = BUFFER_CHARACTERS as u32;

/// What files of other kinds begin with.
const OTHER_KINDS: [(&[u8], &str); 7] = [
    (b"\x1F\x8B", "compressed with gzip"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet"),
    (b"PAR1", "a Parquet file"),
    (b"\x28\xB5\x2F\xFD", "compressed with zstd"),
    (b"BZh", "compressed with bzip2"),
    (b"\x80\x04\x95", "a pickle"),
    (b"\x80\x05\x95", "a pickle"),
];

/// Reads a source once, from its beginning to its end.
pub(super) struct Buffers<'a, S> {
    source: &'a S,
    role: Role,
    /// Where in the source the next read begins.
    offset: u64,
    ended: bool,
    held: Vec<u8>,
    /// Up to where the held bytes were given out.
    given: usize,
    /// Whether all held bytes are plain; see [`Buffer::is_plain`].
    is_plain: bool,
}

/// A part of a file.
pub(super) struct Buffer<'a> {
    pub(super) text: &'a str,
    /// Whether all of it is known to be ASCII, so that each byte is a character, and none is NUL.
    pub(super) is_plain: bool,
}

impl<'a, S: Source> Buffers<'a, S> {
    pub(super) fn new(source: &'a S, role: Role) -> Buffers<'a, S> {
        Buffers {
            source,
            role,
            offset: 0,
            ended: false,
            held: Vec::new(),
            given: 0,
            is_plain: true,
        }
    }

    /// The next buffer; `None` at the end of the file.
    ///
    /// # Errors
    /// A failure of the file's role where the bytes are not UTF-8.
    pub(super) fn next(&mut self) -> Result<Option<Buffer<'_>>, Failure> {
        loop {
            let available = &self.held[self.given..];
            let (length, characters) = if self.is_plain {
                let length = available.len().min(BUFFER_CHARACTERS);
                (length, length)
            } else if self.ended {
                leading_characters(available, BUFFER_CHARACTERS)
            } else {
                // A character that the end of this read cut in two is completed by the next one.
                leading_characters(&available[..whole_characters(available)], BUFFER_CHARACTERS)
            };
            if characters == BUFFER_CHARACTERS || (self.ended && length > 0) {
                let start = self.given;
                self.given += length;
                let bytes = &self.held[start..self.given];
                return match simdutf8::compat::from_utf8(bytes) {
                    Ok(text) => Ok(Some(Buffer { text, is_plain: self.is_plain })),
                    Err(error) => Err(self.not_utf8(start + error.valid_up_to())),
                };
            }
            if self.ended {
                return Ok(None);
            }
            self.fetch();
        }
    }

    fn fetch(&mut self) {
        self.held.drain(..self.given);
        self.given = 0;

        let mut bytes = self.source.read(self.offset, READ_BYTES);
        self.ended = bytes.is_empty();
        self.offset += bytes.len() as u64;
        let is_plain = are_plain(&bytes);
        if self.held.is_empty() {
            self.held = bytes;
            self.is_plain = is_plain;
        } else {
            self.held.append(&mut bytes);
            self.is_plain &= is_plain;
        }
    }

    /// That the held byte at a place is the first that is not UTF-8.
    fn not_utf8(&self, place: usize) -> Failure {
        let name = self.source.name();
        let offset = self.offset - (self.held.len() - place) as u64;
        let byte = self.held[place];
        // A UTF-16 byte order mark is FF FE or FE FF.
        if offset == 0 && byte >= 0xFE {
            return self.role.failure(format!(
                "{name} cannot be read: it begins like UTF-16; save it as UTF-8"
            ));
        }
        let start = first_bytes(self.source, 4);
        if let Some((_, kind)) = OTHER_KINDS.iter().find(|(magic, _)| start.starts_with(magic)) {
            return self.role.failure(format!(
                "{name} cannot be read: it is {kind}, where a CSV file is expected"
            ));
        }
        self.role.failure(format!(
            "{name} cannot be read: line {} holds a byte that is not UTF-8 (0x{byte:02X}, byte {} of the file); save it \
             as UTF-8",
            line_at(self.source, offset),
            offset + 1,
        ))
    }
}

/// The first bytes of a file, so many as there are up to `most`, however few a read serves.
fn first_bytes(source: &impl Source, most: u32) -> Vec<u8> {
    let mut first = Vec::new();
    while (first.len() as u32) < most {
        let bytes = source.read(first.len() as u64, most - first.len() as u32);
        if bytes.is_empty() {
            break;
        }
        first.extend(bytes);
    }
    first
}

/// The length in bytes of the first `most` characters of a UTF-8 text, or of all of it, and how many characters that
/// is.
fn leading_characters(text: &[u8], most: usize) -> (usize, usize) {
    let mut length = 0;
    let mut characters = 0;
    while characters < most && length < text.len() {
        // The characters that are wanting take that many bytes at least.
        let more = &text[length..text.len().min(length + most - characters)];
        characters += if is_ascii(more) { more.len() } else { beginnings(more) };
        length += more.len();
    }
    // The last character counted may go on.
    while length < text.len() && !begins(text[length]) {
        length += 1;
    }
    (length, characters)
}

/// How many bytes begin a character. Counts in single bytes as long as these hold the count, so that many are looked at
/// together.
fn beginnings(bytes: &[u8]) -> usize {
    let count = |bytes: &[u8]| {
        bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(u8::from(begins(*byte))))
    };
    bytes.chunks(u8::MAX.into()).map(|bytes| usize::from(count(bytes))).sum()
}

/// How many bytes there are without those of a character at the end that is not there as a whole.
fn whole_characters(text: &[u8]) -> usize {
    const LONGEST: usize = 4;
    let last = text.iter().rev().take(LONGEST).position(|byte| begins(*byte));
    let Some(behind) = last else { return text.len() };
    let begun = text.len() - 1 - behind;
    // The high bits of the first byte count the bytes.
    let bytes = text[begun].leading_ones() as usize;
    if bytes > behind + 1 { begun } else { text.len() }
}

/// Whether all bytes are ASCII and none is NUL. Every byte of a file passes here first.
fn are_plain(bytes: &[u8]) -> bool {
    // As signed numbers, plain bytes are the positive ones. Whole blocks are compared place by place, by vectors.
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut least = [i8::MAX; 64];
    for block in blocks {
        for (least, byte) in least.iter_mut().zip(block) {
            *least = byte.cast_signed().min(*least);
        }
    }
    let rest = rest.iter().map(|byte| byte.cast_signed());
    least.into_iter().chain(rest).all(|least| least > 0)
}

/// Whether all bytes are ASCII. Looks at many at a time where that of the standard library looks at four.
fn is_ascii(bytes: &[u8]) -> bool {
    bytes.chunks(1024).all(|bytes| bytes.iter().fold(0, |all, byte| all | byte) < 0x80)
}

/// Whether a byte begins a UTF-8 character.
fn begins(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

/// The number of the line, from 1, that holds the byte at `offset`. Reads the file again up to there, so it is for
/// messages only.
pub(super) fn line_at<S: Source>(source: &S, offset: u64) -> u64 {
    let mut line = 1;
    let mut position = 0;
    let mut after_return = false;
    while position < offset {
        let wanted = u32::try_from(offset - position).unwrap_or(u32::MAX).min(READ_BYTES);
        let bytes = source.read(position, wanted);
        if bytes.is_empty() {
            break;
        }
        position += bytes.len() as u64;
        for byte in bytes {
            // CR, LF and CRLF each end one line.
            line += u64::from(byte == b'\r' || (byte == b'\n' && !after_return));
            after_return = byte == b'\r';
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::{Frame, Role};
    use super::are_plain;
    use crate::source::Bytes;

    #[test]
    fn a_byte_that_is_not_plain_is_seen_wherever_it_is() {
        let plain: Vec<u8> = (0..150).map(|place| 1 + place % 127).collect();
        for length in 0..plain.len() {
            assert!(are_plain(&plain[..length]));
            for other in [0, 0x80, 0xFF] {
                let mut bytes = plain.clone();
                bytes[length] = other;
                assert!(!are_plain(&bytes), "{other} at {length}");
            }
        }
    }

    #[test]
    fn what_is_not_utf8_is_named() {
        let cases: [(&[u8], &str); 5] = [
            (
                b"a,b\n1,x\n2,\xE9t\xE9\n",
                "submission.csv cannot be read: line 3 holds a byte that is not UTF-8 (0xE9, byte 11 of the file); save it as UTF-8",
            ),
            (
                b"\xFF\xFEa\0",
                "submission.csv cannot be read: it begins like UTF-16; save it as UTF-8",
            ),
            (
                b"\x1F\x8B\x08\0\0",
                "submission.csv cannot be read: it is compressed with gzip, where a CSV file is expected",
            ),
            (
                b"PK\x03\x04\x14\0\xB5",
                "submission.csv cannot be read: it is a zip archive or a spreadsheet, where a CSV file is expected",
            ),
            (
                b"PAR1\x15\x04\x15\x80",
                "submission.csv cannot be read: it is a Parquet file, where a CSV file is expected",
            ),
        ];
        for (bytes, expected) in cases {
            let source = Bytes::new("submission.csv", bytes);
            let failure = Frame::read(&source, Role::Submission, None).unwrap_err();
            assert_eq!(failure.message(), expected);
        }
    }
}
