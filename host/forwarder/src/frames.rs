//! The frames in which a carrier takes one connection after the other: four bytes of length, then so many bytes; none says
//! that this direction of the connection has ended.

use std::io::{self, Read, Write};

/// The longest frame.
pub(crate) const LONGEST: usize = 1 << 16;

/// Reads a frame; `None` where the other side has gone between two frames.
pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; 4];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_be_bytes(head) as usize;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
    }
    let mut frame = vec![0; length];
    from.read_exact(&mut frame)?;
    Ok(Some(frame))
}

/// Writes a frame.
pub(crate) fn write(to: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
    // At once, because two small packets wait for each other.
    let mut bytes = Vec::with_capacity(4 + frame.len());
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(frame);
    to.write_all(&bytes)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut wire = Vec::new();
        for frame in [b"abc".as_slice(), b"", &[1; LONGEST]] {
            write(&mut wire, frame).unwrap();
        }
        let mut rest = wire.as_slice();
        let mut lengths = Vec::new();
        while let Some(frame) = read(&mut rest).unwrap() {
            lengths.push(frame.len());
        }
        assert_eq!(lengths, [3, 0, LONGEST]);
        assert!(read(&mut [0xff_u8, 0, 0, 0].as_slice()).is_err());
        assert!(read(&mut [0_u8, 0, 0, 2, 1].as_slice()).is_err());
    }
}
