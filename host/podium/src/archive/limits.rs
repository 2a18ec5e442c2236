//! What an archive may be, and the meter that counts while it is read.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::verdict::Bytes;

/// The bounds of an archive. Reaching one ends the reading; what came before is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveLimits {
    /// Files, folders and whatever else there is in it, together.
    pub entries: u64,
    /// Bytes of all of them, unpacked.
    pub unpacked_bytes: u64,
    /// How many times as large the content may be as what it is packed in, once more than
    /// [`ArchiveLimits::RATIO_FROM_BYTES`] were unpacked.
    pub ratio: u64,
    /// Bytes of one file that is read for what it says of runs: a grading report, a list, a receipt.
    pub document_bytes: u64,
    /// Bytes of all these files together: what they say is kept in memory.
    pub all_documents_bytes: u64,
}

impl ArchiveLimits {
    /// The unpacked bytes from which on the ratio is looked at: small submissions that resemble each other pack well.
    pub const RATIO_FROM_BYTES: u64 = 1 << 30;
    /// Bytes that the headers of one entry of a tar may take: a long name, an extended header.
    pub const HEADER_BYTES: u64 = 1 << 20;
}

impl Default for ArchiveLimits {
    /// A million entries, 256 GiB, 1,000 times, 128 MiB, 512 MiB.
    fn default() -> ArchiveLimits {
        ArchiveLimits {
            entries: 1_000_000,
            unpacked_bytes: 256 << 30,
            ratio: 1_000,
            document_bytes: 128 << 20,
            all_documents_bytes: 512 << 20,
        }
    }
}

/// Counts what goes in and comes out of a decompressor.
pub(super) struct Meter {
    unpacked_limit: u64,
    ratio_limit: u64,
    packed: Cell<u64>,
    unpacked: Cell<u64>,
    /// What may still be read before the content of an entry begins; `None` within one.
    header_bytes: Cell<Option<u64>>,
    /// Whether the end of the stream was seen, and of what it is packed in.
    ended: Cell<bool>,
    packed_ended: Cell<bool>,
    /// The limit that was reached, in words.
    reached: RefCell<Option<String>>,
}

impl Meter {
    pub(super) fn new(limits: &ArchiveLimits) -> Rc<Meter> {
        Rc::new(Meter {
            unpacked_limit: limits.unpacked_bytes,
            ratio_limit: limits.ratio,
            packed: Cell::new(0),
            unpacked: Cell::new(0),
            header_bytes: Cell::new(None),
            ended: Cell::new(false),
            packed_ended: Cell::new(false),
            reached: RefCell::new(None),
        })
    }

    /// From now on headers are read, until [`Meter::content_begins`].
    pub(super) fn headers_begin(&self) {
        self.header_bytes.set(Some(ArchiveLimits::HEADER_BYTES));
    }

    /// From now on the content of an entry is read.
    pub(super) fn content_begins(&self) {
        self.header_bytes.set(None);
    }

    /// Whether the stream was read to its end.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.get()
    }

    /// Whether more was asked for than there is, packed or unpacked.
    pub(super) fn is_short(&self) -> bool {
        self.ended.get() || self.packed_ended.get()
    }

    /// The bytes that came out so far.
    pub(super) fn unpacked(&self) -> u64 {
        self.unpacked.get()
    }

    /// The limit that was reached, in words.
    pub(super) fn reached(&self) -> Option<String> {
        self.reached.borrow().clone()
    }

    /// Counts bytes that go in.
    pub(super) fn count_packed(&self, bytes: u64) {
        self.packed.set(self.packed.get().saturating_add(bytes));
    }

    /// Counts bytes that came out.
    ///
    /// # Errors
    /// The limit that they reach.
    pub(super) fn count_unpacked(&self, bytes: u64) -> io::Result<()> {
        let unpacked = self.unpacked.get().saturating_add(bytes);
        self.unpacked.set(unpacked);
        if unpacked > self.unpacked_limit {
            let limit = Bytes(self.unpacked_limit);
            return Err(
                self.reach(format!("the archive unpacks to more than the limit of {limit}"))
            );
        }
        let packed = self.packed.get().max(1);
        let is_packed = self.packed.get() > 0;
        if is_packed
            && unpacked > ArchiveLimits::RATIO_FROM_BYTES
            && unpacked / packed >= self.ratio_limit
        {
            return Err(self.reach(format!(
                "the archive unpacks to more than {} times its size",
                self.ratio_limit
            )));
        }
        Ok(())
    }

    fn reach(&self, what: String) -> io::Error {
        *self.reached.borrow_mut() = Some(what.clone());
        io::Error::other(what)
    }
}

/// A reader whose bytes are counted as going in.
pub(super) struct Packed<R>(pub(super) R, pub(super) Rc<Meter>);

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.count_packed(read as u64);
        if read == 0 && !buffer.is_empty() {
            self.1.packed_ended.set(true);
        }
        Ok(read)
    }
}

/// A reader whose bytes are counted as coming out, within the limits.
pub(super) struct Unpacked<R>(pub(super) R, pub(super) Rc<Meter>);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Unpacked(inner, meter) = self;
        let length = match meter.header_bytes.get() {
            None => buffer.len(),
            Some(0) if !buffer.is_empty() => {
                let limit = Bytes(ArchiveLimits::HEADER_BYTES);
                return Err(meter.reach(format!("the headers of an entry have more than {limit}")));
            }
            Some(left) => buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX)),
        };
        let read = inner.read(&mut buffer[..length])?;
        if let Some(left) = meter.header_bytes.get() {
            meter.header_bytes.set(Some(left.saturating_sub(read as u64)));
        }
        if read == 0 && length > 0 {
            meter.ended.set(true);
        }
        meter.count_unpacked(read as u64)?;
        Ok(read)
    }
}
