//! A folder as an archive: walked by name, through a capability, without following links.

use std::io::Read;

use cap_std::fs::{Dir, DirEntry, FileType, OpenOptions};

use super::EntryVisitor;
use super::content::Exactly;
use super::entry_path::EntryPath;
use super::limits::ArchiveLimits;
use super::passage::Passage;
#[cfg(unix)]
use crate::regular_file::without_waiting;

/// Hands every regular file beneath the folder to the visitor.
pub(super) fn visit(
    folder: &Dir,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
) -> Passage {
    let mut passage = Passage::default();
    walk(folder, &EntryPath::root(), limits, visitor, &mut passage);
    passage
}

/// Walks one folder. False where nothing more is wanted.
fn walk(
    folder: &Dir,
    at: &EntryPath,
    limits: &ArchiveLimits,
    visitor: &mut dyn EntryVisitor,
    passage: &mut Passage,
) -> bool {
    let mut entries: Vec<DirEntry> = match folder.entries().and_then(Iterator::collect) {
        Ok(entries) => entries,
        Err(error) => {
            passage.refuses(at.as_str(), format!("the folder cannot be read: {error}"));
            return true;
        }
    };
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        if !passage.counts(limits) {
            return false;
        }
        let name = entry.file_name();
        let shown = match at.is_root() {
            true => name.to_string_lossy().into_owned(),
            false => format!("{at}/{}", name.to_string_lossy()),
        };
        let whole = match name.to_str() {
            Some(_) => shown.as_bytes(),
            None => b"\xff",
        };
        let Some(path) = passage.checks(whole) else { continue };
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => {
                passage.refuses(&shown, format!("it cannot be read: {error}"));
                continue;
            }
        };
        if kind.is_dir() {
            if !visitor.enters(&path) {
                continue;
            }
            match entry.open_dir() {
                Ok(folder) => {
                    if !walk(&folder, &path, limits, visitor, passage) {
                        return false;
                    }
                }
                Err(error) => {
                    passage.refuses(&shown, format!("the folder cannot be read: {error}"));
                }
            }
        } else if kind.is_file() {
            if let Err(error) = hand_over(&entry, &path, visitor) {
                passage.refuses(&shown, format!("it cannot be read: {error}"));
            }
        } else {
            passage.leaves_out(&shown, what(kind));
        }
        if !visitor.goes_on() {
            return false;
        }
    }
    true
}

fn hand_over(
    entry: &DirEntry,
    path: &EntryPath,
    visitor: &mut dyn EntryVisitor,
) -> std::io::Result<()> {
    let size = entry.metadata()?.len();
    if !visitor.wants(path, size) {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        // A pipe may have taken the file's place.
        options.custom_flags(without_waiting());
    }
    let file = entry.open_with(&options)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("it is no regular file any more"));
    }
    let size = metadata.len();
    let mut content = Exactly::new(file, size);
    visitor.read(path, size, &mut content as &mut dyn Read)
}

fn what(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        return "a symbolic link, and links are not followed";
    }
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    "no regular file"
}
