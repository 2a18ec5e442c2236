//! Splitting many short texts: the separators of up to sixty-four bytes are found together.
//!
//! In WebAssembly each turn of a loop looks at the fuel, so a character at a time is slow: bytes are looked
//! at by vectors of sixteen where there are any, one by one elsewhere. Both give the same.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::{
    u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u8x16_sub, u64x2, v128, v128_or,
};

use super::python_split;

/// The bytes that are looked at together.
const BLOCK: usize = 64;

/// Calls `each` with the words that [`python_split`] gives, in their order: faster where they are many.
#[inline]
pub fn for_each_word<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    for block in (0..bytes.len()).step_by(BLOCK) {
        let (mut spaces, others) = bits_of(bytes, block, |bytes| (bytes.spaces(), bytes.high()));
        if others != 0 {
            // The word being read began behind a space, and what is before it was dealt with.
            python_split(&text[start..]).for_each(each);
            return;
        }
        while spaces != 0 {
            let end = block + spaces.trailing_zeros() as usize;
            spaces &= spaces - 1;
            if end > start {
                each(&text[start..end]);
            }
            start = end + 1;
        }
    }
    if start < bytes.len() {
        each(&text[start..]);
    }
}

/// What stands between single spaces, as `text.split(' ')` gives it.
#[inline]
pub(crate) fn between_spaces(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let (mut start, mut block, mut spaces) = (0, 0, 0);
    let mut next_block = 0;
    let mut is_over = false;
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        while spaces == 0 {
            if next_block >= bytes.len() {
                is_over = true;
                return Some(&text[start..]);
            }
            block = next_block;
            next_block += BLOCK;
            spaces = bits_of(bytes, block, |bytes| (bytes.equal(b' '), 0)).0;
        }
        let end = block + spaces.trailing_zeros() as usize;
        spaces &= spaces - 1;
        let part = &text[start..end];
        start = end + 1;
        Some(part)
    })
}

/// Two kinds of bits for each byte of a block, or as many as there are from its start on, the first byte's the lowest.
/// `find` gives those of sixteen bytes, and none for bytes that are NUL.
#[inline]
fn bits_of(bytes: &[u8], block: usize, find: impl Fn(Sixteen) -> (u16, u16)) -> (u64, u64) {
    let rest = &bytes[block..bytes.len().min(block + BLOCK)];
    let (whole, tail) = rest.as_chunks();
    let mut bits = (0, 0);
    let mut add = |found: (u16, u16), place: usize| {
        bits.0 |= u64::from(found.0) << place;
        bits.1 |= u64::from(found.1) << place;
    };
    for (place, sixteen) in (0..).step_by(16).zip(whole) {
        add(find(Sixteen::of(sixteen)), place);
    }
    if !tail.is_empty() {
        let place = rest.len() - tail.len();
        match bytes.last_chunk() {
            // Some of these bytes were looked at before.
            Some(sixteen) => {
                let (first, second) = find(Sixteen::of(sixteen));
                let again = 16 - tail.len();
                add((first >> again, second >> again), place);
            }
            None => add(find(Sixteen::of_short(tail)), place),
        }
    }
    bits
}

/// Sixteen bytes.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[derive(Clone, Copy)]
struct Sixteen(v128);

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Sixteen {
    #[inline]
    fn of_words(low: u64, high: u64) -> Sixteen {
        Sixteen(u64x2(low, high))
    }

    /// A bit for each that is a space in Python and ASCII.
    #[inline]
    fn spaces(self) -> u16 {
        // Both kinds are five in a row: what is less wraps around.
        let from = |first| u8x16_lt(u8x16_sub(self.0, u8x16_splat(first)), u8x16_splat(5));
        u8x16_bitmask(v128_or(from(b'\t'), from(0x1C)))
    }

    /// A bit for each that equals another.
    #[inline]
    fn equal(self, byte: u8) -> u16 {
        u8x16_bitmask(u8x16_eq(self.0, u8x16_splat(byte)))
    }

    /// A bit for each that is not ASCII.
    #[inline]
    fn high(self) -> u16 {
        u8x16_bitmask(self.0)
    }
}

/// Sixteen bytes.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[derive(Clone, Copy)]
struct Sixteen([u8; 16]);

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
impl Sixteen {
    #[inline]
    fn of_words(low: u64, high: u64) -> Sixteen {
        Sixteen((u128::from(low) | u128::from(high) << 64).to_le_bytes())
    }

    /// A bit for each that is a space in Python and ASCII.
    #[inline]
    fn spaces(self) -> u16 {
        self.bits(|byte| matches!(byte, b'\t'..=b'\r' | 0x1C..=b' '))
    }

    /// A bit for each that equals another.
    #[inline]
    fn equal(self, other: u8) -> u16 {
        self.bits(|byte| byte == other)
    }

    /// A bit for each that is not ASCII.
    #[inline]
    fn high(self) -> u16 {
        self.bits(|byte| !byte.is_ascii())
    }

    #[inline]
    fn bits(self, holds: impl Fn(u8) -> bool) -> u16 {
        (0..).zip(self.0).fold(0, |bits, (place, byte)| bits | u16::from(holds(byte)) << place)
    }
}

impl Sixteen {
    #[inline]
    fn of(bytes: &[u8; 16]) -> Sixteen {
        let [low, high] =
            [0, 8].map(|place| u64::from_le_bytes(std::array::from_fn(|byte| bytes[place + byte])));
        Sixteen::of_words(low, high)
    }

    /// Fewer than sixteen bytes, NUL behind them.
    #[inline]
    fn of_short(bytes: &[u8]) -> Sixteen {
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let again = (16 - bytes.len()) as u32 * u8::BITS;
                let high = u64::from_le_bytes(*last).checked_shr(again).unwrap_or(0);
                Sixteen::of_words(u64::from_le_bytes(*first), high)
            }
            _ => {
                let word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                Sixteen::of_words(word, 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word));
        words
    }

    #[test]
    fn each_character_is_taken_as_by_python() {
        let characters = (0..0x2100).chain(0x2FF0..0x3010).filter_map(char::from_u32);
        for character in characters {
            for text in [format!("a{character}b"), format!("{character:>70}{character}c d")] {
                assert_eq!(words(&text), python_split(&text).collect::<Vec<_>>(), "{text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn words_are_pythons(text in "([a-z\\x00]{0,9}[ \t\n\x1f]{0,2}){0,30}|([a-z]{0,70} ?){0,3}|([a-zé]{0,20}[ \u{85}\u{2003}]){0,9}") {
            prop_assert_eq!(words(&text), python_split(&text).collect::<Vec<_>>());
        }

        #[test]
        fn parts_are_those_of_split(text in "([a-zé\t]{0,9} {0,2}){0,30}|([a-z]{0,70} ?){0,3}| {0,200}") {
            prop_assert_eq!(
                between_spaces(&text).collect::<Vec<_>>(),
                text.split(' ').collect::<Vec<_>>()
            );
        }
    }
}
