//! Tars, read as streams from the first byte to the last.
//!
//! Relies on the `tar` crate for headers, long names and extended headers, and on `flate2` and `zstd` to decompress.
//! The crate reads long names and extended headers whole; the meter bounds them.

use std::io::{self, BufReader, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use tar::{Archive, Entry, EntryType, Header, PaxExtensions};

use super::EntryVisitor;
use super::content::Exactly;
use super::limits::{ArchiveLimits, Meter, Packed, Unpacked};
use super::passage::Passage;
use super::source::Source;

/// What eleven octal digits of a header hold; a larger size stands in the extended header alone.
const LARGEST_IN_HEADER: u64 = 0o77_777_777_777;

/// What is read at once of the packed bytes.
const BUFFER_BYTES: usize = 128 << 10;

/// How a tar is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstandard,
}

/// Whether bytes begin with the header of a tar, by its checksum; old tars have no other mark. The end mark of an empty
/// tar counts, too.
pub(super) fn is_header(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else { return false };
    if block.iter().all(|byte| *byte == 0) {
        return true;
    }
    let header = Header::from_byte_slice(block);
    let sum: u32 = block[..148].iter().chain(&block[156..]).map(|byte| u32::from(*byte)).sum();
    header.cksum().is_ok_and(|said| said == sum + 8 * u32::from(b' '))
}

/// Hands every regular file of the tar to the visitor.
pub(super) fn visit(
    source: &Source,
    compression: Compression,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
) -> Passage {
    let meter = Meter::new(limits);
    let file = BufReader::with_capacity(BUFFER_BYTES, source.reader());
    let stream: io::Result<Box<dyn Read + '_>> = match compression {
        Compression::None => Ok(Box::new(file)),
        Compression::Gzip => Ok(Box::new(MultiGzDecoder::new(Packed(file, Rc::clone(&meter))))),
        Compression::Zstandard => zstd::stream::read::Decoder::new(Packed(file, Rc::clone(&meter)))
            .map(|decoder| Box::new(decoder) as Box<dyn Read>),
    };
    pass_through(stream, &meter, limits, visitor)
}

/// As [`visit`], for a tar that comes from elsewhere as it is, and once.
pub(super) fn visit_stream(
    stream: impl Read,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
) -> Passage {
    pass_through(Ok(stream), &Meter::new(limits), limits, visitor)
}

fn pass_through<R: Read>(
    stream: io::Result<R>,
    meter: &Rc<Meter>,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
) -> Passage {
    let mut passage = Passage::default();
    let walked = stream.and_then(|stream| {
        let mut archive = Archive::new(Unpacked(stream, Rc::clone(meter)));
        if walk(&mut archive, meter, limits, visitor, &mut passage)? {
            to_the_end(archive.into_inner(), meter)?;
        }
        Ok(())
    });
    if let Err(error) = walked {
        passage.breaks(meter.reached().unwrap_or_else(|| in_words(&error, meter)));
    }
    passage
}

/// Walks the entries. False where the end was not reached because nothing more is wanted.
fn walk<R: Read>(
    archive: &mut Archive<Unpacked<R>>,
    meter: &Meter,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
    passage: &mut Passage,
) -> io::Result<bool> {
    meter.headers_begin();
    let mut entries = archive.entries()?;
    loop {
        meter.headers_begin();
        let next = entries.next();
        meter.content_begins();
        let Some(entry) = next else { break };
        let mut entry = entry?;
        if !passage.counts(limits) {
            return Ok(false);
        }
        hand_over(&mut entry, visitor, passage)?;
        if !visitor.goes_on() {
            return Ok(false);
        }
        // What is left is read here, so that what comes between two entries is headers alone.
        io::copy(&mut entry, &mut io::sink())?;
        if meter.has_ended() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "in the middle of a file"));
        }
    }
    if meter.has_ended() {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the mark of its end is not there",
        ));
    }
    Ok(true)
}

/// Hands one entry over, if it is a regular file.
///
/// # Errors
/// The archive cannot be read any further.
fn hand_over<R: Read>(
    entry: &mut Entry<'_, R>,
    visitor: &mut dyn EntryVisitor,
    passage: &mut Passage,
) -> io::Result<()> {
    let kind = entry.header().entry_type();
    if kind.is_pax_global_extensions() {
        return global_header(entry, passage);
    }
    let name = entry.path_bytes().into_owned();
    let shown = String::from_utf8_lossy(&name).into_owned();
    let Some(path) = passage.checks(&name) else { return Ok(()) };
    if let Some(what) = no_file(kind) {
        passage.leaves_out(&shown, what);
        return Ok(());
    }
    if kind.is_dir() || name.ends_with(b"/") {
        passage.is_folder(&path);
        visitor.enters(&path);
        return Ok(());
    }
    let size = entry.size();
    let extended = Extended::of(entry)?;
    if extended.is_sparse || kind.is_gnu_sparse() {
        passage
            .refuses(&shown, "it is stored with holes (sparse): pack the archive without --sparse");
        return Ok(());
    }
    if let Some(twice) = extended.twice {
        passage.refuses(&shown, format!("its extended header says its {twice} twice"));
        return Ok(());
    }
    let header_size = entry.header().entry_size()?;
    if extended.size.is_some_and(|size| size != header_size && size <= LARGEST_IN_HEADER) {
        // Where it ends, and what comes next, is a matter of taste from here on.
        passage.refuses(&shown, "the archive says two sizes of it");
        return Err(io::Error::other(format!("the archive says two sizes of `{path}`")));
    }
    if !passage.is_first(&path) || !visitor.wants(&path, size) {
        return Ok(());
    }
    visitor.read(&path, size, &mut Exactly::new(entry, size))
}

/// Reads a header that is of all entries after it. What it says of times, owners and comments changes nothing here; what
/// it says of names and sizes is taken into account by some programs and not by others.
///
/// # Errors
/// It changes what comes after it, so that nobody can say what the archive holds.
fn global_header<R: Read>(entry: &mut Entry<'_, R>, passage: &mut Passage) -> io::Result<()> {
    let mut bytes = Vec::new();
    entry.take(ArchiveLimits::HEADER_BYTES).read_to_end(&mut bytes)?;
    for record in PaxExtensions::new(&bytes) {
        let record = record?;
        let key = record.key_bytes();
        let names_or_sizes = [b"path".as_slice(), b"linkpath", b"size", b"hdrcharset"];
        if names_or_sizes.contains(&key) || key.starts_with(b"GNU.sparse.") {
            let key = String::from_utf8_lossy(key).into_owned();
            passage.refuses(
                "a global extended header",
                format!("it says the {key} of all entries after it: pack the archive without it"),
            );
            return Err(io::Error::other(format!("a global header says the {key} of all entries")));
        }
    }
    Ok(())
}

/// What an entry is that is no regular file and no folder.
fn no_file(kind: EntryType) -> Option<&'static str> {
    match kind {
        EntryType::Link => Some("a hard link, and links are not followed"),
        EntryType::Symlink => Some("a symbolic link, and links are not followed"),
        EntryType::Char | EntryType::Block => Some("a device"),
        EntryType::Fifo => Some("a pipe"),
        EntryType::Regular
        | EntryType::Continuous
        | EntryType::Directory
        | EntryType::GNUSparse => None,
        _ => Some("of a kind that is not known"),
    }
}

/// What matters of an entry's extended (PAX) header.
#[derive(Default)]
struct Extended {
    size: Option<u64>,
    is_sparse: bool,
    /// A key that must not be there twice, and is.
    twice: Option<&'static str>,
}

impl Extended {
    fn of<R: Read>(entry: &mut Entry<'_, R>) -> io::Result<Extended> {
        let mut extended = Extended::default();
        let mut has_path = false;
        let Some(records) = entry.pax_extensions()? else { return Ok(extended) };
        for record in records {
            let record = record?;
            match record.key_bytes() {
                b"size" => {
                    let size = record.value().ok().and_then(|text| text.parse().ok());
                    let size = size.ok_or_else(|| io::Error::other("a size is no number"))?;
                    if extended.size.replace(size).is_some() {
                        extended.twice = Some("size");
                    }
                }
                b"path" => {
                    if has_path {
                        extended.twice = Some("path");
                    }
                    has_path = true;
                }
                key if key.starts_with(b"GNU.sparse.") => extended.is_sparse = true,
                _ => {}
            }
        }
        Ok(extended)
    }
}

/// Reads what comes behind the end mark, so that checksums of the compressed stream are compared.
fn to_the_end(mut stream: impl Read, meter: &Meter) -> io::Result<()> {
    meter.content_begins();
    io::copy(&mut stream, &mut io::sink()).map(|_| ())
}

/// Why it ends here, and how far it goes: where more was asked for than there is, something is missing; all else is wrong.
fn in_words(error: &io::Error, meter: &Meter) -> String {
    let bytes = meter.unpacked();
    match error.kind() == io::ErrorKind::UnexpectedEof || meter.is_short() {
        true => {
            format!("the archive is cut off: it ends early, after {bytes} unpacked bytes ({error})")
        }
        false => format!("the archive is damaged after {bytes} unpacked bytes ({error})"),
    }
}
