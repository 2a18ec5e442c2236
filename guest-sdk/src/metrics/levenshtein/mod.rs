//! The edit distance of Levenshtein: the least number of insertions, deletions and replacements of one symbol that make
//! one sequence into the other.
//!
//! Computed 64 rows of the distance matrix at a time: the bit-parallel algorithm of Myers ("A fast bit-vector algorithm
//! for approximate string matching based on dynamic programming", Journal of the ACM 46(3), 1999) in the form that
//! Hyyrö gave it ("A bit-vector algorithm for computing Levenshtein and Damerau edit distances", Nordic Journal of
//! Computing 10, 2003), with blocks of 64 rows that hand their horizontal differences down. Agrees with the Python
//! package Levenshtein 0.26.0 (`distance`), which counts code points of texts and compares elements of other sequences.

mod few_edits;

use std::hash::Hash;

use rustc_hash::FxHashMap;

use self::few_edits::FewEdits;
use crate::frame::Column;

/// The distance of two texts, counted in code points. For many pairs, [`Levenshtein`] reuses its memory.
///
/// ```
/// use podium_grader::metrics::levenshtein::distance;
/// assert_eq!(distance("kitten", "sitting"), 3);
/// ```
pub fn distance(left: &str, right: &str) -> usize {
    Levenshtein::new().text(left, right)
}

/// Computes distances, keeping its memory from one pair to the next.
#[derive(Debug, Default)]
pub struct Levenshtein {
    few_edits: FewEdits,
    pattern: Pattern,
    columns: Vec<Differences>,
    left: Vec<u32>,
    right: Vec<u32>,
}

/// Vertical differences within one block of a column of the distance matrix: the rows that lie one above, and one below,
/// the row before them.
#[derive(Debug, Clone, Copy)]
struct Differences {
    above: u64,
    below: u64,
}

impl Differences {
    /// The first column: each row is one above the row before it.
    const FIRST: Differences = Differences { above: !0, below: 0 };

    /// Goes on to the next column, in which the rows in `matches` hold the column's symbol.
    ///
    /// `carried` is the horizontal difference of the row on top of this block: +1, 0 or -1. Gives the horizontal
    /// differences of this block's rows, as (one above, one below).
    #[inline(always)]
    fn advance(&mut self, matches: u64, carried: Carried) -> (u64, u64) {
        let vertical = matches | self.below;
        let matches = matches | carried.below;
        let diagonal = ((matches & self.above).wrapping_add(self.above) ^ self.above) | matches;
        let above = self.below | !(diagonal | self.above);
        let below = self.above & diagonal;
        let shifted_above = (above << 1) | carried.above;
        let shifted_below = (below << 1) | carried.below;
        self.above = shifted_below | !(vertical | shifted_above);
        self.below = shifted_above & vertical;
        (above, below)
    }
}

/// A horizontal difference that one block hands to the next; at most one of the two is 1.
#[derive(Debug, Clone, Copy)]
struct Carried {
    above: u64,
    below: u64,
}

impl Carried {
    /// Of the row on top of the matrix, which grows by one a column.
    const TOP: Carried = Carried { above: 1, below: 0 };
}

/// Where each symbol occurs in the sequence along the rows, a bit a row.
///
/// Bytes are looked up in a table, other symbols in a map.
#[derive(Debug, Default)]
struct Pattern {
    blocks: usize,
    bytes: Vec<u64>,
    others: FxHashMap<u64, u32>,
    other_words: Vec<u64>,
}

impl Pattern {
    const BYTES: u64 = 256;

    #[inline(never)]
    fn fill<T: Copy + Into<u64>>(&mut self, symbols: &[T]) {
        self.blocks = symbols.len().div_ceil(64);
        let table = Self::BYTES as usize * self.blocks;
        if self.bytes.len() < table {
            self.bytes.resize(table, 0);
        }
        for (row, symbol) in symbols.iter().enumerate() {
            let symbol: u64 = (*symbol).into();
            let bit = 1 << (row % 64);
            if symbol < Self::BYTES {
                // There is a table of so many blocks.
                self.bytes[(symbol as usize).wrapping_mul(self.blocks) + row / 64] |= bit;
                continue;
            }
            let next = self.others.len() as u32;
            let place = *self.others.entry(symbol).or_insert(next) as usize * self.blocks;
            if self.other_words.len() < place + self.blocks {
                self.other_words.resize(place + self.blocks, 0);
            }
            self.other_words[place + row / 64] |= bit;
        }
    }

    /// Forgets what [`Pattern::fill`] noted of the same symbols.
    fn clear<T: Copy + Into<u64>>(&mut self, symbols: &[T]) {
        /// From so many symbols on, the whole table is cleared faster than the places of each.
        const MANY: usize = 32;
        if symbols.len() < MANY {
            for symbol in symbols {
                let symbol: u64 = (*symbol).into();
                if symbol < Self::BYTES {
                    let place = symbol as usize * self.blocks;
                    self.bytes[place..place + self.blocks].fill(0);
                }
            }
        } else {
            self.bytes[..Self::BYTES as usize * self.blocks].fill(0);
        }
        self.others.clear();
        self.other_words.clear();
    }

    /// The rows that hold a symbol, a word a block; `None` where none does.
    #[inline]
    fn rows(&self, symbol: u64) -> Option<&[u64]> {
        if symbol < Self::BYTES {
            let place = symbol as usize * self.blocks;
            return Some(&self.bytes[place..place + self.blocks]);
        }
        let place = *self.others.get(&symbol)? as usize * self.blocks;
        Some(&self.other_words[place..place + self.blocks])
    }
}

impl Levenshtein {
    /// Starts without memory.
    pub fn new() -> Levenshtein {
        Levenshtein::default()
    }

    /// The distances of the texts of two columns, row by row, counted in code points. What is no text counts as an empty one.
    pub fn texts(&mut self, left: &Column, right: &Column) -> Vec<f64> {
        let mut equal = left.equal_objects(right);
        (0..left.len().min(right.len()))
            .map(|row| {
                if equal.as_mut().and_then(Iterator::next) == Some(true) {
                    return 0.0;
                }
                let (left, right) = (left.cell(row).text(), right.cell(row).text());
                self.text(left.unwrap_or_default(), right.unwrap_or_default()) as f64
            })
            .collect()
    }

    /// The distance of two texts, counted in code points.
    pub fn text(&mut self, left: &str, right: &str) -> usize {
        let (left, right) = without_shared_ends(left, right);
        if let Some(few) = self.few_edits.distance(left.as_bytes(), right.as_bytes()) {
            return few;
        }
        if left.is_ascii() && right.is_ascii() {
            return self.differing(left.as_bytes(), right.as_bytes());
        }
        let (mut a, mut b) = (std::mem::take(&mut self.left), std::mem::take(&mut self.right));
        a.clear();
        a.extend(left.chars().map(u32::from));
        b.clear();
        b.extend(right.chars().map(u32::from));
        let distance = self.differing(&a, &b);
        (self.left, self.right) = (a, b);
        distance
    }

    /// The distance of two sequences of symbols that are equal where their numbers are.
    pub fn symbols<T: Copy + Eq + Hash + Into<u64>>(&mut self, left: &[T], right: &[T]) -> usize {
        let prefix = left.iter().zip(right).take_while(|(a, b)| a == b).count();
        let (left, right) = (&left[prefix..], &right[prefix..]);
        let suffix = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
        self.differing(&left[..left.len() - suffix], &right[..right.len() - suffix])
    }

    /// The distance of two sequences that begin and end differently; what they share there would cost time alone.
    fn differing<T: Copy + Into<u64>>(&mut self, left: &[T], right: &[T]) -> usize {
        if left.is_empty() || right.is_empty() {
            return left.len() + right.len();
        }
        // The distance is symmetric, so the rows are whichever sequence makes less work.
        let work = |rows: &[T], columns: &[T]| rows.len().div_ceil(64) * columns.len();
        let (rows, columns) =
            if work(left, right) <= work(right, left) { (left, right) } else { (right, left) };
        self.pattern.fill(rows);
        let distance = match self.pattern.blocks {
            1 => self.few_blocks::<1, T>(rows.len(), columns),
            2 => self.few_blocks::<2, T>(rows.len(), columns),
            3 => self.few_blocks::<3, T>(rows.len(), columns),
            4 => self.few_blocks::<4, T>(rows.len(), columns),
            _ => self.many_blocks(rows.len(), columns),
        };
        self.pattern.clear(rows);
        distance
    }

    /// The distance of rows that take so many blocks, already noted, and those columns: all blocks of a column at once.
    #[inline(never)]
    fn few_blocks<const BLOCKS: usize, T: Copy + Into<u64>>(
        &self,
        rows: usize,
        columns: &[T],
    ) -> usize {
        let last = (rows - 1) % 64;
        let bytes = self.pattern.bytes.as_chunks::<BLOCKS>().0;
        let mut column = [Differences::FIRST; BLOCKS];
        let mut distance = rows as u64;
        for symbol in columns {
            let symbol = (*symbol).into();
            let matches = if symbol < Pattern::BYTES {
                bytes[symbol as usize]
            } else {
                self.pattern
                    .rows(symbol)
                    .and_then(<[u64]>::first_chunk)
                    .copied()
                    .unwrap_or([0; BLOCKS])
            };
            let mut carried = Carried::TOP;
            let (mut above, mut below) = (0, 0);
            for (differences, matches) in column.iter_mut().zip(matches) {
                (above, below) = differences.advance(matches, carried);
                carried = Carried { above: above >> 63, below: below >> 63 };
            }
            // One more, one less, or neither; never below zero, nor more than there are rows and columns.
            distance = distance.wrapping_add(above >> last & 1).wrapping_sub(below >> last & 1);
        }
        distance as usize
    }

    /// The distance of any number of rows, already noted, and those columns.
    fn many_blocks<T: Copy + Into<u64>>(&mut self, rows: usize, columns: &[T]) -> usize {
        let last = 1u64 << ((rows - 1) % 64);
        self.columns.clear();
        self.columns.resize(self.pattern.blocks, Differences::FIRST);
        let mut distance = rows;
        for symbol in columns {
            let matches = self.pattern.rows((*symbol).into()).unwrap_or(&[]);
            let mut carried = Carried::TOP;
            let (mut above, mut below) = (0, 0);
            for (block, differences) in self.columns.iter_mut().enumerate() {
                let matches = matches.get(block).copied().unwrap_or(0);
                (above, below) = differences.advance(matches, carried);
                carried = Carried { above: above >> 63, below: below >> 63 };
            }
            distance += usize::from(above & last != 0);
            distance -= usize::from(below & last != 0);
        }
        distance
    }
}

/// What is left of two texts without the characters that both begin with, and those that both end with.
fn without_shared_ends<'a>(left: &'a str, right: &'a str) -> (&'a str, &'a str) {
    let mut prefix = shared_prefix(left.as_bytes(), right.as_bytes());
    // Bytes are shared up to here, so that it is a boundary of both or of neither.
    while !left.is_char_boundary(prefix) || !right.is_char_boundary(prefix) {
        prefix -= 1;
    }
    let (left, right) = (&left[prefix..], &right[prefix..]);
    let mut suffix = shared_suffix(left.as_bytes(), right.as_bytes());
    let is_boundary = |text: &str, suffix: usize| text.is_char_boundary(text.len() - suffix);
    while !is_boundary(left, suffix) || !is_boundary(right, suffix) {
        suffix -= 1;
    }
    (&left[..left.len() - suffix], &right[..right.len() - suffix])
}

/// How many bytes both begin with, eight at a time.
fn shared_prefix(left: &[u8], right: &[u8]) -> usize {
    let mut length = 0;
    for (left, right) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
        let differing = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differing != 0 {
            return length + differing.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + left[length..].iter().zip(&right[length..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes both end with, eight at a time.
fn shared_suffix(left: &[u8], right: &[u8]) -> usize {
    let mut length = 0;
    for (left, right) in
        left.as_rchunks::<8>().1.iter().rev().zip(right.as_rchunks::<8>().1.iter().rev())
    {
        let differing = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differing != 0 {
            return length + differing.leading_zeros() as usize / 8;
        }
        length += 8;
    }
    let (left, right) = (&left[..left.len() - length], &right[..right.len() - length]);
    length + left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The distance by the recurrence that defines it.
    fn by_definition<T: PartialEq>(left: &[T], right: &[T]) -> usize {
        let mut row: Vec<usize> = (0..=right.len()).collect();
        for (i, a) in left.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, b) in right.iter().enumerate() {
                let replaced = diagonal + usize::from(a != b);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[right.len()]
    }

    #[test]
    fn texts_differ_by_code_points() {
        for (left, right, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("flaw", "lawn", 2),
            ("e\u{301}", "é", 2),
            ("日本語", "日本", 1),
            ("naïve", "naive", 1),
            ("𝄞a", "a", 1),
            ("InChI=1S/H2O/h1H2", "InChI=1S/CH4/h1H4", 4),
        ] {
            assert_eq!(distance(left, right), expected, "{left:?} {right:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn few_edits_agree_with_the_definition(
            text in "[abc]{0,120}",
            edits in proptest::collection::vec((0usize..3, any::<prop::sample::Index>(), "[abc]"), 0..12),
        ) {
            let mut edited = text.clone();
            for (edit, place, letter) in edits {
                let place = place.index(edited.len() + 1);
                match edit {
                    0 => edited.insert_str(place, &letter),
                    1 if place < edited.len() => drop(edited.remove(place)),
                    _ if place < edited.len() => edited.replace_range(place..=place, &letter),
                    _ => {}
                }
            }
            let (left, right) = (text.as_bytes(), edited.as_bytes());
            let expected = by_definition(left, right);
            let mut few = FewEdits::default();
            prop_assert_eq!(few.distance(format!("{text}é").as_bytes(), right), None);
            for (left, right) in [(left, right), (right, left)] {
                if let Some(found) = few.distance(left, right) {
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }

    #[test]
    fn few_edits_are_found() {
        let text = "InChI=1S/C17H24N2O3/c1-4-21-17(20)16-12(2)13(3)19-15(16)18";
        let mut few = FewEdits::default();
        for (edited, expected) in [
            (text.to_owned(), Some(0)),
            (text.replacen("C17", "C18", 1), Some(1)),
            (text.replacen("24", "2", 1).replacen("O3", "O35", 1), Some(2)),
            (text.replacen("/c", "", 1).replacen("(2)", "(99)", 1).replacen("19", "", 1), Some(6)),
            (format!("{text}-a-whole-chain"), None),
            (text.chars().rev().collect(), None),
            (text.replacen('O', "é", 1), None),
        ] {
            assert_eq!(few.distance(text.as_bytes(), edited.as_bytes()), expected, "{edited}");
            let distance = by_definition(text.as_bytes(), edited.as_bytes());
            assert!(expected.is_none_or(|expected| expected == distance), "{edited}: {distance}");
        }
    }

    #[test]
    fn large_symbols_are_symbols_too() {
        let mut distances = Levenshtein::new();
        assert_eq!(distances.symbols(&[u64::MAX, 1 << 40, 3], &[u64::MAX, 3, 7]), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn blocks_agree_with_the_definition(
            left in proptest::collection::vec(0u64..4, 0..300),
            right in proptest::collection::vec(0u64..4, 0..300),
            lift in prop_oneof![Just(0u64), Just(254), Just(1 << 50)],
        ) {
            let lifted = |symbols: &[u64]| symbols.iter().map(|symbol| symbol + lift).collect::<Vec<_>>();
            let mut distances = Levenshtein::new();
            let expected = by_definition(&left, &right);
            prop_assert_eq!(distances.symbols(&lifted(&left), &lifted(&right)), expected);
            // What one pair leaves behind does not reach the next.
            prop_assert_eq!(distances.symbols(&lifted(&right), &lifted(&left)), expected);
        }

        #[test]
        fn edited_texts_agree_with_the_definition(
            text in "[a-eé日]{0,200}", cut in 0usize..200, put in "[a-eé日𝄞]{0,8}"
        ) {
            let symbols: Vec<char> = text.chars().collect();
            let mut edited = symbols.clone();
            let cut = cut.min(edited.len());
            edited.splice(cut..(cut + 3).min(symbols.len()), put.chars());
            let other: String = edited.iter().collect();
            prop_assert_eq!(distance(&text, &other), by_definition(&symbols, &edited));
        }

        #[test]
        fn ends_are_shared_by_whole_characters(
            prefix in "[aé日𝄞]{0,12}", left in "[aéè日旦𝄞𝄟]{0,6}", right in "[aéè日旦𝄞𝄟]{0,6}", suffix in "[aé日𝄞]{0,12}"
        ) {
            let (left, right) = (prefix.clone() + &left + &suffix, prefix + &right + &suffix);
            let symbols = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(distance(&left, &right), by_definition(&symbols(&left), &symbols(&right)));
            let (left, right) = without_shared_ends(&left, &right);
            prop_assert!(left.is_empty() || left.chars().next() != right.chars().next());
            prop_assert!(left.is_empty() || left.chars().next_back() != right.chars().next_back());
        }

        #[test]
        fn the_distance_is_a_metric(a in "[ab]{0,90}", b in "[ab]{0,90}", c in "[ab]{0,90}") {
            prop_assert_eq!(distance(&a, &a), 0);
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
            prop_assert!(distance(&a, &b) >= a.len().abs_diff(b.len()));
        }
    }
}
