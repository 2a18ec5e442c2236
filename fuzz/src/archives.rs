//! Archives out of any bytes: what comes out of one stays inside of it, and within the limits.

use std::collections::BTreeMap;
use std::io::{self, Read};

use podium::{Archive, ArchiveLimits, EntryPath, EntryVisitor};

/// Small, so that bombs are met with.
const UNPACKED_BYTES: u64 = 1 << 20;
const ENTRIES: u64 = 100;

/// Reads any bytes as an archive, and as a path in one.
///
/// - Every path that is handed over is relative, has no `..`, and is the same when it is checked again.
/// - No path is handed over twice, no file has another size than was said, and no more comes out than the limits allow.
/// - A second passage sees what the first one saw.
pub fn archives(bytes: &[u8]) {
    if let Ok(path) = EntryPath::parse(bytes) {
        stays_inside(&path);
    }
    let limits = ArchiveLimits {
        entries: ENTRIES,
        unpacked_bytes: UNPACKED_BYTES,
        ..ArchiveLimits::default()
    };
    let Ok(archive) = Archive::from_bytes("fuzzed", bytes, limits) else { return };
    let (first, second) = (seen(&archive), seen(&archive));
    assert_eq!(first, second);
    assert!(first.0.len() as u64 <= ENTRIES);
    let whole: u64 = first.0.values().flatten().map(|content| content.len() as u64).sum();
    assert!(whole <= UNPACKED_BYTES, "{whole} bytes");
}

/// The files of an archive, `None` for those that cannot be read, and how its reading ended.
fn seen(archive: &Archive) -> (BTreeMap<EntryPath, Option<Vec<u8>>>, u64, Option<String>) {
    let mut keeper = Keeper::default();
    let passage = archive.visit(&mut keeper);
    for problem in passage.refused.iter().chain(&passage.left_out) {
        assert!(!problem.entry.contains(char::is_control), "{problem:?}");
    }
    (keeper.0, passage.refused_in_all, passage.broken)
}

#[derive(Default)]
struct Keeper(BTreeMap<EntryPath, Option<Vec<u8>>>);

impl EntryVisitor for Keeper {
    fn wants(&mut self, path: &EntryPath, _: u64) -> bool {
        stays_inside(path);
        assert!(self.0.insert(path.clone(), None).is_none(), "{path} comes twice");
        true
    }

    fn read(&mut self, path: &EntryPath, size: u64, content: &mut dyn Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        assert_eq!(bytes.len() as u64, size, "{path}");
        self.0.insert(path.clone(), Some(bytes));
        Ok(())
    }
}

fn stays_inside(path: &EntryPath) {
    let text = path.as_str();
    assert!(!text.is_empty() && !text.starts_with('/'), "{text:?}");
    assert!(text.split('/').all(|step| !matches!(step, "" | "." | "..")), "{text:?}");
    assert_eq!(EntryPath::parse(text.as_bytes()).as_ref(), Ok(path));
}
