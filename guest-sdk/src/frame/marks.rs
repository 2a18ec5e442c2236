//! Where the bytes lie that mean something to the tokenizer, sixty-four at a time.
//!
//! In WebAssembly each turn of a loop looks at the fuel, so bytes are looked at many at once: by vectors of
//! sixteen where there are any, eight in a word elsewhere. Both give the same.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128, v128_or};

use memchr::memchr;

/// The bytes that are looked at together.
pub(super) const BLOCK: usize = 64;

/// The places of bytes of a block, a bit each, the first byte's the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    /// Commas.
    pub(super) commas: u64,
    /// LF.
    pub(super) newlines: u64,
    /// Quotes and CR.
    pub(super) others: u64,
}

impl Marks {
    /// All of them.
    #[inline]
    pub(super) fn all(self) -> u64 {
        self.commas | self.newlines | self.others
    }

    /// The commas that follow one at a place before anything else does, at most so many.
    #[inline]
    pub(super) fn following_commas(self, place: usize, most: u32) -> Following {
        // All places behind a place, the last one included.
        let behind = |place: u32| (!0 << place) << 1;
        let others = (self.newlines | self.others) & behind(place as u32);
        // All places before the first of the others, or all.
        let before = others ^ others.wrapping_sub(1);
        let mut commas = self.commas & behind(place as u32) & before;
        let mut count = commas.count_ones();
        while count > most {
            commas &= !(1 << commas.ilog2());
            count -= 1;
        }
        let last = commas.checked_ilog2().unwrap_or(place as u32);
        Following { count, next: last as usize + 1, left: behind(last) }
    }
}

/// Commas that follow one with nothing else between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Following {
    /// How many there are.
    pub(super) count: u32,
    /// The place behind the last of them; where there is none, behind the one that they would follow.
    pub(super) next: usize,
    /// That place and all behind it, a bit each.
    pub(super) left: u64,
}

/// The marks of the first bytes, of as many as there are up to a block.
#[inline]
pub(super) fn marks(bytes: &[u8]) -> Marks {
    match bytes.first_chunk() {
        Some(block) => marks_of(block),
        None => {
            let mut block = [b'z'; BLOCK];
            block[..bytes.len()].copy_from_slice(bytes);
            marks_of(&block)
        }
    }
}

/// The place of the first quote.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
pub(super) fn first_quote(bytes: &[u8]) -> Option<usize> {
    let (blocks, rest) = bytes.as_chunks();
    for (block, first) in blocks.iter().zip((0..).step_by(BLOCK)) {
        let quotes = bits(vectors(block).map(|bytes| u8x16_eq(bytes, u8x16_splat(b'"'))));
        if quotes != 0 {
            return Some(first + quotes.trailing_zeros() as usize);
        }
    }
    memchr(b'"', rest).map(|place| bytes.len() - rest.len() + place)
}

/// The place of the first quote.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
pub(super) fn first_quote(bytes: &[u8]) -> Option<usize> {
    memchr(b'"', bytes)
}

/// The vectors of a block.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn vectors(block: &[u8; BLOCK]) -> [v128; 4] {
    std::array::from_fn(|place| {
        let words = block.as_chunks::<8>().0;
        u64x2(u64::from_le_bytes(words[2 * place]), u64::from_le_bytes(words[2 * place + 1]))
    })
}

/// A bit for each byte of a block that has its high bit set in the vectors.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn bits(vectors: [v128; 4]) -> u64 {
    let [first, second, third, fourth] = vectors.map(|bytes| u64::from(u8x16_bitmask(bytes)));
    first | second << 16 | third << 32 | fourth << 48
}

/// The marks of a block.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn marks_of(block: &[u8; BLOCK]) -> Marks {
    let vectors = vectors(block);
    let equal = |byte| vectors.map(|bytes| u8x16_eq(bytes, u8x16_splat(byte)));
    let (quotes, returns) = (equal(b'"'), equal(b'\r'));
    let others = std::array::from_fn(|place| v128_or(quotes[place], returns[place]));
    Marks { commas: bits(equal(b',')), newlines: bits(equal(b'\n')), others: bits(others) }
}

/// The marks of a block.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn marks_of(block: &[u8; BLOCK]) -> Marks {
    let mut marks = Marks { commas: 0, newlines: 0, others: 0 };
    for (place, word) in block.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let bits = |byte| u64::from(bits_of_equal(word, byte)) << (8 * place);
        marks.commas |= bits(b',');
        marks.newlines |= bits(b'\n');
        marks.others |= bits(b'"') | bits(b'\r');
    }
    marks
}

/// A bit for each byte of a word that equals another.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn bits_of_equal(word: u64, byte: u8) -> u8 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = 0x7F * EACH;
    let differing = word ^ (u64::from(byte) * EACH);
    // The high bit of each byte that is zero: nothing is carried from one byte to the next.
    let equal = !(((differing & LOW) + LOW) | differing | LOW);
    // Puts the bits that lie eight apart side by side.
    ((equal >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_mark_has_its_place(bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b",\n\r\"+-!\x0b\x0c\x0e".to_vec())],
            0..2 * BLOCK,
        )) {
            let places = |wanted: &[u8]| {
                (bytes.iter().take(BLOCK).enumerate())
                    .filter(|(_, byte)| wanted.contains(byte))
                    .fold(0, |bits, (place, _)| bits | 1_u64 << place)
            };
            let expected =
                Marks { commas: places(b","), newlines: places(b"\n"), others: places(b"\"\r") };
            prop_assert_eq!(marks(&bytes), expected);
            prop_assert_eq!(first_quote(&bytes), bytes.iter().position(|byte| *byte == b'"'));
        }

        #[test]
        fn commas_that_follow_are_counted(
            bytes in prop::collection::vec(prop::sample::select(b",,,,,,\n\r\"xxx".to_vec()), BLOCK),
            place in 0..BLOCK,
            most in 0_u32..70,
        ) {
            let mut expected = Following { count: 0, next: place + 1, left: 0 };
            for (place, byte) in bytes.iter().enumerate().skip(place + 1) {
                match byte {
                    b',' if expected.count < most => {
                        (expected.count, expected.next) = (expected.count + 1, place + 1);
                    }
                    b'x' => {}
                    _ => break,
                }
            }
            expected.left = (expected.next..BLOCK).fold(0, |bits, place| bits | 1 << place);
            prop_assert_eq!(marks(&bytes).following_commas(place, most), expected);
        }
    }
}
