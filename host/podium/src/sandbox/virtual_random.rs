//! Random numbers as graders see them: the same ones in every grading.

use sha2::{Digest as _, Sha256};

/// A source of bytes that look random and are the same in every grading: SHA-256 of a fixed text and a counter, block
/// after block. One source serves what WASI calls secure and insecure; there is nothing to be kept secret here.
#[derive(Debug, Default)]
pub(crate) struct VirtualRandom {
    blocks: u64,
    /// What is left of the last block, in the order in which it is given out.
    rest: Vec<u8>,
}

impl VirtualRandom {
    /// The text that is hashed with the counter. Another one would change results.
    const SEED: &[u8] = b"podium virtual random 1";

    /// The next `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.rest);
        while bytes.len() < count {
            let block = Sha256::new_with_prefix(VirtualRandom::SEED)
                .chain_update(self.blocks.to_le_bytes())
                .finalize();
            bytes.extend_from_slice(&block);
            self.blocks += 1;
        }
        self.rest = bytes.split_off(count);
        bytes
    }

    /// The next eight bytes as a number.
    pub(crate) fn number(&mut self) -> u64 {
        let bytes = self.bytes(8);
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_always_the_same_however_they_are_asked_for() {
        let whole = VirtualRandom::default().bytes(200);
        let mut pieces = VirtualRandom::default();
        let counts = [0, 1, 31, 32, 33, 100, 3];
        let pieced: Vec<u8> = counts.iter().flat_map(|&count| pieces.bytes(count)).collect();
        assert_eq!(pieced, whole);
        let first = u64::from_le_bytes(whole[..8].try_into().unwrap());
        assert_eq!(VirtualRandom::default().number(), first);
        // Computed by another program: sha256 of the text and eight zero bytes.
        assert_eq!(whole[..4], EXPECTED);
    }

    const EXPECTED: [u8; 4] = [0xd1, 0xce, 0x72, 0x10];
}
