//! Where bytes come from: a file of the host, or bytes in memory.

/// A read-only file of known size that is read by ranges.
pub trait Source {
    /// The name of the file, without any folder.
    fn name(&self) -> String;

    /// The size in bytes.
    fn size(&self) -> u64;

    /// The bytes from `offset` on: at most `length`, none only at or past the end. A source may give fewer than asked
    /// for before the end, so readers go on until nothing comes.
    fn read(&self, offset: u64, length: u32) -> Vec<u8>;
}

/// A file in memory, for tests on the native target.
#[derive(Debug, Clone)]
pub struct Bytes {
    name: String,
    bytes: Vec<u8>,
}

impl Bytes {
    /// A file of that name holding those bytes.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Bytes {
        Bytes { name: name.into(), bytes: bytes.into() }
    }
}

impl Source for Bytes {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, offset: u64, length: u32) -> Vec<u8> {
        let start =
            usize::try_from(offset).map_or(self.bytes.len(), |start| start.min(self.bytes.len()));
        let end = start.saturating_add(length as usize).min(self.bytes.len());
        self.bytes[start..end].to_vec()
    }
}
