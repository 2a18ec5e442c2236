//! The content of an entry: exactly as many bytes as the archive says, or an error.

use std::io::{self, Read};

/// A reader that ends after `left` bytes and neither before nor later.
pub(super) struct Exactly<R> {
    inner: R,
    left: u64,
    is_checked: bool,
}

impl<R: Read> Exactly<R> {
    pub(super) fn new(inner: R, size: u64) -> Exactly<R> {
        Exactly { inner, left: size, is_checked: false }
    }
}

impl<R: Read> Read for Exactly<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            if !self.is_checked {
                // Checksums are compared at the end, too.
                if read_some(&mut self.inner, &mut [0])? > 0 {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "it has more bytes than the archive says",
                    ));
                }
                self.is_checked = true;
            }
            return Ok(0);
        }
        let length = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = read_some(&mut self.inner, &mut buffer[..length])?;
        if read == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "it has fewer bytes than the archive says",
            ));
        }
        self.left -= read as u64;
        Ok(read)
    }
}

fn read_some(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_lie_are_errors() {
        for (content, size, whole) in
            [(b"abc".as_slice(), 3, true), (b"abc", 2, false), (b"abc", 4, false), (b"", 0, true)]
        {
            let mut read = Vec::new();
            let result = Exactly::new(content, size).read_to_end(&mut read);
            assert_eq!(result.is_ok(), whole, "{size}");
            assert!(!whole || read == content);
        }
    }
}
