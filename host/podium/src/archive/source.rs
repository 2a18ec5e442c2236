//! The bytes of a packed archive: a file that stays open, or memory; read from any place by any number of readers.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use crate::input::read_at;

/// Where the bytes are.
pub(super) enum Source {
    File(Arc<File>),
    Bytes(Arc<[u8]>),
}

impl Source {
    /// A reader from the beginning on.
    pub(super) fn reader(&self) -> SourceReader<'_> {
        SourceReader { source: self, offset: 0 }
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Source::File(file) => read_at(file, buffer, offset),
            Source::Bytes(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let read = buffer.len().min(bytes.len() - start);
                buffer[..read].copy_from_slice(&bytes[start..start + read]);
                Ok(read)
            }
        }
    }

    /// The number of bytes.
    pub(super) fn size(&self) -> io::Result<u64> {
        match self {
            Source::File(file) => Ok(file.metadata()?.len()),
            Source::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }
}

/// A reader with a place of its own.
pub(super) struct SourceReader<'a> {
    source: &'a Source,
    offset: u64,
}

impl Read for SourceReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Seek for SourceReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
            SeekFrom::End(by) => self.source.size()?.checked_add_signed(by),
        };
        self.offset = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}
