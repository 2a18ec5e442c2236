//! Texts that are compared, looked up and numbered by the million: words at a time, as WebAssembly has no quick comparison
//! of its own and goes byte by byte.

/// A text with its ends at hand. Up to sixteen bytes they and the length are all of it, so that most comparisons look
/// at nothing else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuickText<'a> {
    bytes: &'a [u8],
    first: u64,
    last: u64,
}

impl<'a> QuickText<'a> {
    /// That text.
    #[inline]
    pub(crate) fn of(bytes: &'a [u8]) -> QuickText<'a> {
        let (first, last) = match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => (short(bytes), 0),
        };
        QuickText { bytes, first, last }
    }

    /// The words of eight bytes that no end reaches to, but for those that the last one covers.
    #[inline]
    fn middle(self) -> &'a [[u8; 8]] {
        if self.is_its_ends() { &[] } else { self.bytes[8..].as_chunks().0 }
    }

    /// Whether there is nothing between the ends.
    #[inline]
    fn is_its_ends(self) -> bool {
        self.bytes.len() <= 16
    }

    /// A number that differs for different texts, as good as always.
    #[inline]
    fn hash(self) -> u32 {
        let mut state = mix(self.bytes.len() as u64, self.first);
        if !self.is_its_ends() {
            state ^= hash_long(self.bytes);
        }
        // The low bits of a product know nothing of the high ones of what was multiplied.
        (mix(state ^ state >> 32, self.last) >> 32) as u32
    }
}

/// The hash of a text but for its last eight bytes or fewer. Four words a turn, two of them at a time: each alone waits for
/// the product before.
#[inline]
fn hash_long(bytes: &[u8]) -> u64 {
    let (mut even, mut odd) = (0, 1);
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let [first, second, third, fourth] = [0, 8, 16, 24]
            .map(|place| u64::from_le_bytes(std::array::from_fn(|byte| block[place + byte])));
        even = mix(mix(even, first), third);
        odd = mix(mix(odd, second), fourth);
    }
    for word in rest.as_chunks().0 {
        even = mix(even, u64::from_le_bytes(*word));
    }
    even ^ odd.rotate_left(u64::BITS / 2)
}

/// Takes a word into a hash.
#[inline]
fn mix(state: u64, word: u64) -> u64 {
    // An odd number without a pattern: the first bits of the fractional part of the square root of 3.
    const FACTOR: u64 = 0xBB67_AE85_84CA_A73B;
    // Turned, as a product spreads bits upwards alone.
    (state.rotate_left(25) ^ word).wrapping_mul(FACTOR)
}

impl PartialEq for QuickText<'_> {
    #[inline]
    fn eq(&self, other: &QuickText<'_>) -> bool {
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        self.first == other.first
            && self.last == other.last
            && self.bytes.len() == other.bytes.len()
            && (self.middle().iter().zip(other.middle()))
                .all(|(left, right)| word(left) == word(right))
    }
}

/// Up to seven bytes as a number: different ones for different texts of the same length.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << 32
        }
        _ => bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}

/// Different texts, each with a number, counted from 0 in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextTable<'a> {
    texts: Vec<QuickText<'a>>,
    slots: TextSlots,
}

impl<'a> TextTable<'a> {
    /// The number of a text, which is added unless it is there.
    #[inline]
    pub(crate) fn insert(&mut self, text: &'a [u8]) -> u32 {
        let (text, texts, next) = (QuickText::of(text), &self.texts, self.texts.len() as u32);
        let found = self.slots.insert(text, next, |number| texts[number as usize]);
        found.unwrap_or_else(|| {
            self.texts.push(text);
            next
        })
    }

    /// The number of a text that is there.
    #[inline]
    pub(crate) fn get(&self, text: &[u8]) -> Option<u32> {
        self.slots.get(QuickText::of(text), |number| self.texts[number as usize])
    }
}

/// Where the numbers of different texts are found. The texts themselves are with whoever gave the numbers, and whoever
/// asks says how to get at them.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextSlots {
    /// The hash of a text in the high half and one more than its number in the low one; 0 where there is none. A text is
    /// at the place that the highest bits of its hash give or at the next one that was free. There is a power of two of
    /// them, or none.
    slots: Vec<u64>,
    taken: usize,
}

impl TextSlots {
    /// The number of a text unless it is not there: then it is added with this number.
    #[inline]
    pub(crate) fn insert<'a>(
        &mut self,
        text: QuickText<'_>,
        number: u32,
        text_of: impl Fn(u32) -> QuickText<'a>,
    ) -> Option<u32> {
        if !has_room(self.slots.len(), self.taken + 1) {
            self.grow();
        }
        let hash = text.hash();
        match self.find(text, hash, text_of) {
            Ok(found) => Some(found),
            Err(place) => {
                self.slots[place] = u64::from(hash) << 32 | u64::from(number + 1);
                self.taken += 1;
                None
            }
        }
    }

    /// The number of a text that is there.
    #[inline]
    pub(crate) fn get<'a>(
        &self,
        text: QuickText<'_>,
        text_of: impl Fn(u32) -> QuickText<'a>,
    ) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.find(text, text.hash(), text_of).ok()
    }

    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.taken
    }

    /// The numbers of all texts, in any order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().filter_map(|slot| (*slot as u32).checked_sub(1))
    }

    /// The number of a text, or else the place that is free for it. There has to be one that is free.
    #[inline]
    fn find<'a>(
        &self,
        text: QuickText<'_>,
        hash: u32,
        text_of: impl Fn(u32) -> QuickText<'a>,
    ) -> Result<u32, usize> {
        let mut place = first_place(self.slots.len(), hash);
        loop {
            let slot = self.slots[place];
            if slot == 0 {
                return Err(place);
            }
            let number = (slot as u32).wrapping_sub(1);
            if (slot >> 32) as u32 == hash && text_of(number) == text {
                return Ok(number);
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// Doubles the number of slots.
    #[cold]
    fn grow(&mut self) {
        const FEWEST: usize = 16;
        let length = FEWEST.max(2 * self.slots.len());
        let mut slots = vec![0; length];
        for slot in self.slots.iter().filter(|slot| **slot != 0) {
            let mut place = first_place(length, (slot >> 32) as u32);
            while slots[place] != 0 {
                place = (place + 1) & (length - 1);
            }
            slots[place] = *slot;
        }
        self.slots = slots;
    }
}

/// Tells of most texts that they are not among some others, by their ends and their length alone. Where most are looked for
/// in vain, few are hashed as a whole.
#[derive(Debug)]
pub(crate) struct TextEnds {
    /// A bit for each of so many classes of ends, a power of two; set if a text of the class was added.
    bits: Vec<u64>,
}

impl TextEnds {
    /// None yet, with room for so many.
    pub(crate) fn with_room(texts: usize) -> TextEnds {
        // Of texts that were not added, one in sixteen is of the class of one that was.
        const CLASSES: usize = 16;
        let words = (texts.saturating_mul(CLASSES) / 64).max(1).next_power_of_two();
        TextEnds { bits: vec![0; words] }
    }

    /// Adds a text.
    #[inline]
    pub(crate) fn add(&mut self, text: &[u8]) {
        let class = self.class(text);
        self.bits[class / 64] |= 1 << (class % 64);
    }

    /// Whether the text may have been added; `false` of none that was.
    #[inline(always)]
    pub(crate) fn may_hold(&self, text: &[u8]) -> bool {
        let class = self.class(text);
        self.bits[class / 64] >> (class % 64) & 1 == 1
    }

    #[inline(always)]
    fn class(&self, text: &[u8]) -> usize {
        let QuickText { first, last, .. } = QuickText::of(text);
        let state = mix(text.len() as u64, first);
        first_place(self.bits.len() * 64, (mix(state ^ state >> 32, last) >> 32) as u32)
    }
}

/// Whether so many slots are enough for so many texts: at most five eighths are taken, so that few are looked at.
#[inline]
fn has_room(slots: usize, texts: usize) -> bool {
    slots / 8 * 5 >= texts
}

/// Where among so many slots, a power of two, a text is looked for first.
#[inline]
fn first_place(slots: usize, hash: u32) -> usize {
    ((u64::from(hash) * slots as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_that_differ_in_one_byte_differ() {
        let text: Vec<u8> = (0..70).collect();
        for length in 0..text.len() {
            let left = QuickText::of(&text[..length]);
            let copied = text[..length].to_vec();
            assert!(left == QuickText::of(&copied));
            assert!(left != QuickText::of(&text[..length + 1]));
            for changed in 0..length {
                let mut right = text[..length].to_vec();
                right[changed] ^= 0x80;
                assert!(left != QuickText::of(&right), "byte {changed} of {length}");
                assert_ne!(left.hash(), QuickText::of(&right).hash(), "byte {changed} of {length}");
            }
        }
    }

    #[test]
    fn many_texts_are_found_again() {
        let texts: Vec<String> = (0..100_000).map(|number| format!("{number:09}")).collect();
        let mut table = TextTable::default();
        assert_eq!(table.get(b""), None);
        for _ in 0..2 {
            for (number, text) in (0..).zip(&texts) {
                assert_eq!(table.insert(text.as_bytes()), number);
            }
        }
        assert_eq!(table.get(b"000000007"), Some(7));
        assert_eq!(table.get(b"100000000"), None);
        assert_eq!(table.slots.len(), texts.len());
        let mut numbers: Vec<u32> = table.slots.numbers().collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..100_000));

        // Hashes that begin alike would be found all the same, but slowly.
        let slots = &table.slots.slots;
        let moved =
            slots.iter().enumerate().filter(|(_, slot)| **slot != 0).map(|(place, slot)| {
                (place + slots.len() - first_place(slots.len(), (slot >> 32) as u32)) % slots.len()
            });
        assert!(moved.sum::<usize>() < 2 * texts.len());
    }

    #[test]
    fn few_texts_that_were_not_added_may_have_been() {
        let text = |number: usize| format!("{:064x}", number.wrapping_mul(0x9E37_79B9));
        let mut ends = TextEnds::with_room(10_000);
        assert!(!ends.may_hold(b""));
        (0..10_000).for_each(|number| ends.add(text(number).as_bytes()));
        let held = |numbers: std::ops::Range<usize>| {
            numbers.filter(|number| ends.may_hold(text(*number).as_bytes())).count()
        };
        assert_eq!(held(0..10_000), 10_000);
        assert!((300..1000).contains(&held(10_000..20_000)));
    }

    proptest! {
        #[test]
        fn texts_are_numbered_in_their_order(
            texts in prop::collection::vec("[ab]{0,3}|a{0,40}|[a-c]{7,9}|[ab]{15,17}|x{8}[ab]{0,12}y{8}|\\PC{0,12}", 0..200),
            others in prop::collection::vec("[ab]{0,5}|a{0,41}|x{8}[ab]{0,12}y{8}", 0..50),
        ) {
            let (mut table, mut expected) = (TextTable::default(), HashMap::new());
            for text in &texts {
                let next = expected.len() as u32;
                let number = *expected.entry(text.as_bytes()).or_insert(next);
                prop_assert_eq!(table.insert(text.as_bytes()), number);
            }
            prop_assert_eq!(table.slots.len(), expected.len());
            let mut ends = TextEnds::with_room(texts.len());
            texts.iter().for_each(|text| ends.add(text.as_bytes()));
            prop_assert!(texts.iter().all(|text| ends.may_hold(text.as_bytes())));
            for text in texts.iter().chain(&others) {
                prop_assert_eq!(table.get(text.as_bytes()), expected.get(text.as_bytes()).copied());
            }
        }
    }
}
