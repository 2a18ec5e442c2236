//! Texts as numbers in their order: what tells the texts of a column apart, in as few bits as it takes.
//!
//! Ids tend to begin alike and to be spelled in few letters: of `row_0000012345` only ten bytes differ from row to row,
//! and of each of these only four bits. Forty bits are sorted in half the time of eighty, and, where nothing of the texts
//! is left out, two columns of ids are compared by their keys, without going back to the texts.

use super::cell::same_bytes;
use crate::order::{RowsByKey, rows_by_key};

/// Which part of texts makes up their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextKeys {
    /// What all texts begin with.
    prefix: Vec<u8>,
    /// How many bytes behind that are in a key.
    covered: usize,
    coding: Coding,
    /// Whether texts with the same key are the same.
    is_whole: bool,
}

/// What a key holds of each byte.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Coding {
    /// `width` bits from the bit `lowest` on, all that differ. Behind the end of a text stands a zero byte. The other bits
    /// are the same in all texts: these, of eight bytes and the next eight. Texts of another column may have others.
    Bits { lowest: u32, width: u32, others: [u64; 2] },
    /// A digit: the place of the byte among those that occur at its position, behind the end of a text where one ends there or
    /// before. Takes longer, but fits more bytes: a separator that stands at the same position in all texts takes no room.
    Digits(Vec<Position>),
}

/// A position behind what texts begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Position {
    /// The bytes that occur there, a bit each.
    occurring: [u64; 4],
    /// Whether a text ends there or before.
    is_optional: bool,
    /// What each byte that occurs adds to a key.
    worth: [u64; 256],
}

/// Texts in ascending order, as keys.
#[derive(Debug, Clone)]
pub(super) struct SortedTexts {
    layout: TextKeys,
    keys: Vec<u64>,
}

impl SortedTexts {
    /// Whether these are the same texts, equally often. Where they are not, that may as well be because the keys of the two
    /// are made up differently.
    pub(super) fn are_same(&self, others: &SortedTexts) -> bool {
        self.layout == others.layout
            && self.keys.len() == others.keys.len()
            && self.keys.iter().zip(&others.keys).all(|(key, other)| key == other)
    }
}

/// The bytes that are looked at for bits, behind what texts begin with in common.
const WINDOW: usize = 16;

/// One in each byte of a word.
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// The most positions that are looked at: a key has no room for so many that differ.
const MOST_POSITIONS: usize = 64;

/// How many texts are looked at for what all may begin with.
const FEW: usize = 64;

impl TextKeys {
    /// How to tell texts apart, which are known to be equal in their first `known` bytes and to be that long.
    ///
    /// `None` where their keys would all be the same.
    pub(super) fn of<'a>(
        texts: impl ExactSizeIterator<Item = &'a [u8]> + Clone,
        known: usize,
    ) -> Option<TextKeys> {
        let row_bits = usize::BITS - texts.len().leading_zeros();
        let first = texts.clone().next()?;
        // Most often, what a few texts have in common is what all have, and one look at each text is enough.
        let few = shared_prefix(first, texts.clone().take(FEW), known);
        let window = window(first, texts.clone(), known, few).unwrap_or_else(|| {
            let shared = shared_prefix(first, texts.clone(), known);
            window(first, texts.clone(), known, shared).expect("all texts begin so")
        });
        let keys = TextKeys::of_bits(first, &window);
        match keys {
            // Key and row fit one word, which is sorted fastest.
            Some(keys) if keys.is_whole && keys.bits() + row_bits <= u64::BITS => Some(keys),
            // No text behind what is shared: all are the same.
            _ if window.longest == 0 => None,
            keys => {
                let digits = TextKeys::of_digits(first, texts, &window);
                let bits = keys.filter(|bits| {
                    if bits.is_whole {
                        !digits.is_whole || digits.bits() + row_bits > u64::BITS
                    } else {
                        !digits.is_whole && bits.covered >= digits.covered
                    }
                });
                Some(bits.unwrap_or(digits))
            }
        }
    }

    /// How many bits a key has.
    fn bits(&self) -> u32 {
        match &self.coding {
            Coding::Bits { width, .. } => *width * self.covered as u32,
            Coding::Digits(positions) => {
                let room = positions.iter().map(Position::digits).product::<u64>();
                u64::BITS - (room - 1).leading_zeros()
            }
        }
    }

    fn of_bits(first: &[u8], window: &Window) -> Option<TextKeys> {
        let differing = window.differing.to_be_bytes().into_iter().fold(0, |all, byte| all | byte);
        if differing == 0 {
            return None;
        }
        let lowest = differing.trailing_zeros();
        let width = u8::BITS - differing.leading_zeros() - lowest;
        let covered = window.longest.min(WINDOW).min((u64::BITS / width) as usize);
        let counted = EACH_BYTE * (((1 << width) - 1) << lowest);
        let others = [0, 8].map(|behind| word(first, window.shared + behind) & !counted);
        Some(TextKeys {
            prefix: first[..window.shared].to_vec(),
            covered,
            coding: Coding::Bits { lowest, width, others },
            // A zero byte would be taken for the end of a shorter text.
            is_whole: window.longest <= covered && !window.holds_nul,
        })
    }

    fn of_digits<'a>(
        first: &[u8],
        texts: impl Iterator<Item = &'a [u8]>,
        window: &Window,
    ) -> TextKeys {
        let mut occurring = vec![[false; 256]; window.longest.min(MOST_POSITIONS)];
        let mut shortest = usize::MAX;
        for text in texts {
            let rest = &text[window.shared..];
            shortest = shortest.min(rest.len());
            for (byte, occurring) in rest.iter().zip(&mut occurring) {
                occurring[usize::from(*byte)] = true;
            }
        }
        let mut positions: Vec<Position> = (occurring.iter().enumerate())
            .map(|(position, occurring)| Position::new(occurring, position >= shortest))
            .collect();
        // As many as there is room for, the first ones counting most.
        let mut room: u64 = 1;
        let counts = positions.iter().map_while(|position| {
            room = room.checked_mul(position.digits())?;
            Some(room)
        });
        let covered = counts.count();
        positions.truncate(covered);
        let mut worth = 1;
        for position in positions.iter_mut().rev() {
            let digits = position.digits();
            position.worth.iter_mut().for_each(|digit| *digit *= worth);
            worth *= digits;
        }
        TextKeys {
            prefix: first[..window.shared].to_vec(),
            covered,
            coding: Coding::Digits(positions),
            is_whole: window.longest <= covered,
        }
    }

    /// How many bytes all texts begin with in common.
    pub(super) fn shared(&self) -> usize {
        self.prefix.len()
    }

    /// Whether texts with the same key are the same.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The places of the texts in ascending order of their keys, and these.
    pub(super) fn sort<'a>(&self, texts: impl Iterator<Item = &'a [u8]>) -> RowsByKey {
        rows_by_key(match &self.coding {
            Coding::Bits { lowest, width, .. } => {
                texts.map(|text| self.packed(text, *lowest, *width)).collect()
            }
            Coding::Digits(positions) => {
                texts.map(|text| number(&text[self.shared()..], positions)).collect()
            }
        })
    }

    /// The sorted texts, if `keys` are theirs and say all about them.
    pub(super) fn sorted_texts(self, keys: Vec<u64>) -> Option<SortedTexts> {
        self.is_whole.then_some(SortedTexts { layout: self, keys })
    }

    fn packed(&self, text: &[u8], lowest: u32, width: u32) -> u64 {
        let covered = self.covered as u32;
        let first = pack(word(text, self.shared()), lowest, width);
        if covered <= 8 {
            return first >> (width * (8 - covered));
        }
        let second = pack(word(text, self.shared() + 8), lowest, width);
        first << (width * (covered - 8)) | second >> (width * (16 - covered))
    }
}

impl Position {
    /// A position at which those bytes occur, each worth its digit.
    fn new(occurring: &[bool; 256], is_optional: bool) -> Position {
        let mut position = Position { occurring: [0; 4], is_optional, worth: [0; 256] };
        let bytes = (0..occurring.len()).filter(|byte| occurring[*byte]);
        for (byte, digit) in bytes.zip(u64::from(is_optional)..) {
            position.occurring[byte / 64] |= 1 << (byte % 64);
            position.worth[byte] = digit;
        }
        position
    }

    /// How many different digits there are.
    fn digits(&self) -> u64 {
        let bytes: u32 = self.occurring.iter().map(|bits| bits.count_ones()).sum();
        u64::from(bytes) + u64::from(self.is_optional)
    }
}

/// The key of a text without what all begin with.
#[inline]
fn number(rest: &[u8], positions: &[Position]) -> u64 {
    let worth = |(byte, position): (&u8, &Position)| position.worth[usize::from(*byte)];
    // Eight bytes take no turns of a loop. All together are less than the product of the numbers of digits, which fits.
    let (mut rest, mut positions, mut number) = (rest, positions, 0_u64);
    while let (Some((bytes, other_bytes)), Some((eight, others))) =
        (rest.split_first_chunk::<8>(), positions.split_first_chunk::<8>())
    {
        number = bytes.iter().zip(eight).map(worth).fold(number, u64::wrapping_add);
        (rest, positions) = (other_bytes, others);
    }
    rest.iter().zip(positions).map(worth).fold(number, u64::wrapping_add)
}

/// The bits that count, side by side: those of bytes, then of pairs of them, then of fours.
fn pack(word: u64, lowest: u32, width: u32) -> u64 {
    const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
    const PAIRS: u64 = 0x0000_FFFF_0000_FFFF;
    const FOURS: u64 = 0x0000_0000_FFFF_FFFF;
    let word = (word >> lowest) & (EACH_BYTE * ((1 << width) - 1));
    let word = (word & EVEN) | (word & !EVEN) >> (8 - width);
    let word = (word & PAIRS) | (word & !PAIRS) >> (16 - 2 * width);
    (word & FOURS) | (word & !FOURS) >> (32 - 4 * width)
}

/// What is found behind what texts begin with in common.
struct Window {
    /// How many bytes these begin with in common.
    shared: usize,
    /// The bits that are not the same in all, of eight bytes and the next eight.
    differing: u64,
    /// The most bytes of a text that follow.
    longest: usize,
    /// Whether one of these is zero.
    holds_nul: bool,
}

/// Looks at the bytes behind the first `shared`; `None` where a text does not begin with these.
fn window<'a>(
    first: &[u8],
    texts: impl Iterator<Item = &'a [u8]>,
    known: usize,
    shared: usize,
) -> Option<Window> {
    let start = [word(first, shared), word(first, shared + 8)];
    let mut window = Window { shared, differing: 0, longest: 0, holds_nul: false };
    let begins = word(first, known);
    for text in texts {
        let begins_so = text.len() >= shared
            && match shared - known {
                0 => true,
                1..=8 => {
                    (word(text, known) ^ begins).leading_zeros() as usize / 8 >= shared - known
                }
                _ => same_bytes(&text[known..shared], &first[known..shared]),
            };
        if !begins_so {
            return None;
        }
        let length = text.len() - shared;
        window.longest = window.longest.max(length);
        let near = word(text, shared);
        window.differing |= near ^ start[0];
        window.holds_nul |= holds_zero(near, length);
        if length > 8 {
            let far = word(text, shared + 8);
            window.differing |= far ^ start[1];
            window.holds_nul |= holds_zero(far, length - 8);
        } else {
            window.differing |= start[1];
        }
    }
    Some(window)
}

/// How many bytes all texts begin with in common, of which `known` are known.
fn shared_prefix<'a>(first: &[u8], texts: impl Iterator<Item = &'a [u8]>, known: usize) -> usize {
    let mut shared = first.len();
    for text in texts {
        shared = shared.min(text.len());
        if !same_bytes(&first[known..shared], &text[known..shared]) {
            let same = first[known..shared].iter().zip(&text[known..shared]);
            shared = known + same.take_while(|(left, right)| left == right).count();
        }
    }
    shared
}

/// Eight bytes of a text as a number that is ordered as they are, zeros behind its end.
#[inline]
fn word(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(bytes) = rest.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let missing = (8 - rest.len()) as u32 * u8::BITS;
    match text.last_chunk() {
        _ if rest.is_empty() => 0,
        Some(bytes) => u64::from_be_bytes(*bytes) << missing,
        None => rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)) << missing,
    }
}

/// Whether a zero is among the first `length` bytes of a word.
#[inline]
fn holds_zero(word: u64, length: usize) -> bool {
    const HIGH: u64 = 0x80 * EACH_BYTE;
    let padding = u64::MAX.checked_shr(length.min(8) as u32 * u8::BITS).unwrap_or(0);
    let word = word | padding;
    word.wrapping_sub(EACH_BYTE) & !word & HIGH != 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_differs_is_in_a_key() {
        // Texts; what they begin with, how many bytes are in a key, the most digits of a position (0: bits), and
        // whether these are all.
        let cases: &[(&[&str], Option<(usize, usize, u64, bool)>)] = &[
            (&["row_0123456789", "row_9876543210"], Some((4, 10, 0, true))),
            (&["a1", "a2", "a3"], Some((1, 1, 0, true))),
            (&["x", "xy"], Some((1, 1, 0, true))),
            (&["0001_01", "9999_02"], Some((0, 7, 0, true))),
            (&["101_420_540", "1_1_1", "22_13_99"], Some((0, 11, 3, true))),
            (&["a", "a"], None),
            (&["a", "a\0"], Some((1, 1, 2, true))),
            (&["b\0", "a"], Some((0, 2, 2, true))),
            (&["a00000000000000000", "b00000000000000000"], Some((0, 18, 2, true))),
            (&["é0123456789", "aaaaaaaaaaaaa"], Some((0, 13, 2, true))),
        ];
        for (texts, expected) in cases {
            let keys = TextKeys::of(texts.iter().map(|text| text.as_bytes()), 0);
            let found = keys.map(|keys| {
                let most = match &keys.coding {
                    Coding::Bits { .. } => Some(0),
                    Coding::Digits(positions) => positions.iter().map(Position::digits).max(),
                };
                (keys.shared(), keys.covered, most.unwrap_or(0), keys.is_whole())
            });
            assert_eq!(found, *expected, "{texts:?}");
        }
    }

    #[test]
    fn columns_that_differ_where_neither_varies_are_not_the_same() {
        let sorted = |texts: &[&str]| {
            let bytes = || texts.iter().map(|text| text.as_bytes());
            let keys = TextKeys::of(bytes(), 0).unwrap();
            let of_rows = keys.sort(bytes()).keys;
            keys.sorted_texts(of_rows).unwrap()
        };
        let lower = sorted(&["101.jpg", "102.jpg", "204.jpg"]);
        assert!(lower.are_same(&sorted(&["204.jpg", "101.jpg", "102.jpg"])));
        assert!(!lower.are_same(&sorted(&["101.JPG", "102.JPG", "204.JPG"])));
        assert!(!sorted(&["1-1", "2-2"]).are_same(&sorted(&["1_1", "2_2"])));
        let others = sorted(&["100000000.q", "200000000.q"]);
        assert!(!sorted(&["100000000.a", "200000000.a"]).are_same(&others));
        // Digits: a separator at a place of its own takes no room, but is told apart.
        let long = ["1000_2000_3000_4000_a", "1000_2000_3000_4001_a", "2345_3456_4567_4000_b"];
        let digits = sorted(&long);
        assert!(digits.are_same(&sorted(&[long[2], long[0], long[1]])));
        assert!(!digits.are_same(&sorted(
            &long.map(|text| text.replace('_', "-")).each_ref().map(|text| text.as_str())
        )));
    }

    proptest! {
        #[test]
        fn keys_are_ordered_as_the_texts_are(
            texts in prop::collection::vec("id-[0-9]{0,20}|[ab\\x00é]{0,20}|id-[0-9a-f]{8}|[0-9]{1,4}_[0-9]{1,4}_[0-9]{1,9}", 1..20),
        ) {
            let bytes = || texts.iter().map(|text| text.as_bytes());
            let Some(keys) = TextKeys::of(bytes(), 0) else {
                prop_assert!(texts.iter().all(|text| *text == texts[0]));
                return Ok(());
            };
            for left in bytes() {
                for right in bytes() {
                    let key = |text| keys.sort([text].into_iter()).keys[0];
                    let (left_key, right_key) = (key(left), key(right));
                    prop_assert!(left > right || left_key <= right_key, "{left:?} {right:?}");
                    prop_assert!(!keys.is_whole() || left == right || left_key != right_key);
                }
            }
        }
    }
}
