//! Zips, read by their directory at the end; without one, as far as their beginning goes.
//!
//! Relies on the `zip` crate, which keeps the whole directory in memory: how many entries it has is looked up before.
//! Every entry is compared with its own header, and entries that share bytes are refused, because a small zip can
//! unpack to anything that way.

use std::collections::HashSet;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use zip::ZipReadOptions;
use zip::read::{ZipArchive, read_zipfile_from_stream};
use zip::result::ZipError;

use super::EntryVisitor;
use super::content::Exactly;
use super::limits::{ArchiveLimits, Meter, Packed, Unpacked};
use super::passage::Passage;
use super::source::{Source, SourceReader};

/// The kinds in a Unix mode.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// The bytes of an entry's own header before its name, and of its record in the directory.
const HEADER_BYTES: u64 = 30;
const RECORD_BYTES: usize = 46;

type Zip<'a> = ZipArchive<BufReader<SourceReader<'a>>>;

/// Hands every regular file of the zip to the visitor.
pub(super) fn visit(
    source: &Source,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
) -> Passage {
    let mut passage = Passage::default();
    if entries_said(source).is_some_and(|entries| entries > limits.entries) {
        passage.breaks(format!("it has more than the limit of {} entries", limits.entries));
        return passage;
    }
    match ZipArchive::new(BufReader::new(source.reader())) {
        Ok(mut zip) => {
            if let Err(error) = by_directory(source, &mut zip, limits, visitor, &mut passage) {
                passage.breaks(format!("the archive is damaged ({error})"));
            }
        }
        Err(_) => from_the_beginning(source, limits, visitor, &mut passage),
    }
    passage
}

fn by_directory(
    source: &Source,
    zip: &mut Zip<'_>,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
    passage: &mut Passage,
) -> Result<(), ZipError> {
    let meter = Meter::new(limits);
    let overlapping = overlapping(zip)?;
    let repeated = if zip.has_duplicate_names() {
        repeated_names(source, zip.central_directory_start())?
    } else {
        HashSet::new()
    };
    let options = ZipReadOptions::new().enforce_header_consistency(repeated.is_empty());
    for index in 0..zip.len() {
        let entry = zip.by_index_data(index)?;
        if !passage.counts(limits) {
            return Ok(());
        }
        let name = entry.name_raw().to_vec();
        let shown = String::from_utf8_lossy(&name).into_owned();
        let Some(path) = passage.checks(&name) else { continue };
        if entry.is_dir() || name.ends_with(b"/") {
            passage.is_folder(&path);
            visitor.enters(&path);
            continue;
        }
        if let Some(what) = no_file(entry.unix_mode()) {
            passage.leaves_out(&shown, what);
            continue;
        }
        if entry.encrypted() {
            passage.refuses(&shown, "it is encrypted");
            continue;
        }
        if overlapping.contains(&index) {
            passage.refuses(&shown, "it shares bytes with another entry");
            continue;
        }
        let (size, packed) = (entry.size(), entry.compressed_size());
        let is_first = passage.is_first(&path);
        if repeated.contains(&name) {
            passage.is_first(&path);
            continue;
        }
        if !is_first || !visitor.wants(&path, size) {
            continue;
        }
        meter.count_packed(packed);
        let read = match zip.by_index_with_options(index, options.clone()) {
            Err(error) => Err(error.to_string()),
            Ok(content) => {
                let content = Unpacked(content, Rc::clone(&meter));
                let mut content = Exactly::new(content, size);
                visitor.read(&path, size, &mut content).map_err(|error| error.to_string())
            }
        };
        if let Some(reached) = meter.reached() {
            passage.breaks(reached);
            return Ok(());
        }
        if let Err(reason) = read {
            passage.refuses(&shown, format!("it cannot be read: {reason}"));
        }
        if !visitor.goes_on() {
            return Ok(());
        }
    }
    Ok(())
}

/// The entries that share bytes with another, by their index.
fn overlapping(zip: &Zip<'_>) -> Result<HashSet<usize>, ZipError> {
    let mut ranges = Vec::with_capacity(zip.len());
    for index in 0..zip.len() {
        let entry = zip.by_index_data(index)?;
        let begin = entry.header_start();
        let length = HEADER_BYTES + entry.name_raw().len() as u64;
        let end = begin.saturating_add(length).saturating_add(entry.compressed_size());
        ranges.push((begin, end, index));
    }
    ranges.sort_unstable();
    let mut overlapping = HashSet::new();
    let mut furthest: Option<(u64, usize)> = None;
    for (begin, end, index) in ranges {
        if let Some((reached, other)) = furthest
            && begin < reached
        {
            overlapping.extend([index, other]);
        }
        if furthest.is_none_or(|(reached, _)| end > reached) {
            furthest = Some((end, index));
        }
    }
    Ok(overlapping)
}

/// How many entries the zip says that it has, where it has an end.
fn entries_said(source: &Source) -> Option<u64> {
    const END_BYTES: u64 = 22;
    const LONGEST_COMMENT: u64 = u16::MAX as u64;
    const LOCATOR_BYTES: usize = 20;
    let size = source.size().ok()?;
    let begin = size.saturating_sub(END_BYTES + LONGEST_COMMENT + LOCATOR_BYTES as u64);
    let mut reader = source.reader();
    reader.seek(SeekFrom::Start(begin)).ok()?;
    let mut tail = Vec::new();
    reader.take(size - begin).read_to_end(&mut tail).ok()?;
    let end = tail.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    let entries = u16::from_le_bytes(tail.get(end + 10..end + 12)?.try_into().ok()?);
    if entries != u16::MAX {
        return Some(entries.into());
    }
    // The number stands in the record of large zips, whose place stands before the end.
    let locator = tail.get(end.checked_sub(LOCATOR_BYTES)?..end)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Some(entries.into());
    }
    let place = u64::from_le_bytes(locator.get(8..16)?.try_into().ok()?);
    let mut record = [0; 40];
    let mut reader = source.reader();
    reader.seek(SeekFrom::Start(place)).ok()?;
    reader.read_exact(&mut record).ok()?;
    Some(u64::from_le_bytes(record[32..40].try_into().ok()?))
}

/// The names that stand in the directory more than once; the `zip` crate knows the last file of each only.
fn repeated_names(source: &Source, directory: u64) -> io::Result<HashSet<Vec<u8>>> {
    let mut reader = BufReader::new(source.reader());
    reader.seek(SeekFrom::Start(directory))?;
    let mut seen = HashSet::new();
    let mut repeated = HashSet::new();
    let mut record = [0; RECORD_BYTES];
    while reader.read_exact(&mut record).is_ok() && record.starts_with(b"PK\x01\x02") {
        let length = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
        let mut name = vec![0; length(28).into()];
        reader.read_exact(&mut name)?;
        reader.seek_relative(i64::from(length(30)) + i64::from(length(32)))?;
        if !seen.insert(name.clone()) {
            repeated.insert(name);
        }
    }
    Ok(repeated)
}

/// Reads a zip without a directory: its end is missing, the entries before it need not be.
fn from_the_beginning(
    source: &Source,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
    passage: &mut Passage,
) {
    let meter = Meter::new(limits);
    let mut stream = Packed(BufReader::new(source.reader()), Rc::clone(&meter));
    let reason = loop {
        let mut entry = match read_zipfile_from_stream(&mut stream) {
            Ok(Some(entry)) => entry,
            Ok(None) => break "its directory is damaged".to_owned(),
            Err(error) => break error.to_string(),
        };
        if !passage.counts(limits) {
            return;
        }
        let name = entry.name_raw().to_vec();
        let size = entry.size();
        let is_file = !entry.is_dir() && !name.ends_with(b"/") && !entry.encrypted();
        let path = passage.checks(&name).filter(|_| is_file);
        let mut content = Exactly::new(Unpacked(&mut entry, Rc::clone(&meter)), size);
        if let Some(path) = path
            && passage.is_first(&path)
            && visitor.wants(&path, size)
            && let Err(error) = visitor.read(&path, size, &mut content)
        {
            break meter.reached().unwrap_or_else(|| error.to_string());
        }
        // What is left of it, within the limits.
        if let Err(error) = io::copy(&mut content, &mut io::sink()) {
            break meter.reached().unwrap_or_else(|| error.to_string());
        }
        if !visitor.goes_on() {
            return;
        }
    };
    passage.breaks(format!("the archive is cut off or damaged ({reason})"));
}

/// What an entry is that is no regular file.
fn no_file(mode: Option<u32>) -> Option<&'static str> {
    const SYMBOLIC_LINK: u32 = 0o120_000;
    match mode.map(|mode| mode & KIND) {
        None | Some(0 | REGULAR | FOLDER) => None,
        Some(SYMBOLIC_LINK) => Some("a symbolic link, and links are not followed"),
        Some(_) => Some("no regular file"),
    }
}
