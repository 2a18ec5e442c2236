//! A stable sort by 64-bit keys, digit by digit: in WebAssembly, keys and their rows are sorted faster so than by comparisons
//! where there are many.

use crate::by_eights;

/// Fewer items than this are sorted by comparisons.
const FEW: usize = 2_048;
/// The most binary digits that one pass looks at.
const DIGIT: u32 = 11;
const VALUES: usize = 1 << DIGIT;

/// More bytes of words than this are sorted by comparisons.
const MANY_WORDS: usize = 1 << 27;

/// Sorts words of which the lowest `sorted` bits ascend already, and `bits` more are to be sorted by.
fn sort_words(words: &mut Vec<u64>, sorted: u32, bits: u32) {
    let passes = bits.div_ceil(DIGIT) as usize;
    // As few values as so many passes take: what is put in their places stays near.
    let width = bits.div_ceil(passes.max(1) as u32);
    if words.len() < FEW || size_of_val(words.as_slice()) > MANY_WORDS {
        words.sort_unstable();
        return;
    }
    let mask = (1 << width) - 1;
    let digit = |word: u64, pass: usize| {
        (word >> (sorted + pass as u32 * width)) as usize & mask & (VALUES - 1)
    };
    let mut other = vec![0; words.len()];
    for pass in 0..passes {
        let mut places = [0_u32; VALUES];
        by_eights::for_each(words, |word| {
            let place = &mut places[digit(word, pass)];
            *place = place.wrapping_add(1);
        });
        let mut start = 0_u32;
        for place in &mut places {
            start = start.wrapping_add(std::mem::replace(place, start));
        }
        by_eights::for_each(words, |word| {
            let place = &mut places[digit(word, pass)];
            other[*place as usize] = word;
            *place = place.wrapping_add(1);
        });
        std::mem::swap(words, &mut other);
    }
}

/// Rows in the order of their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowsByKey {
    /// The rows; those of one key ascend.
    pub(crate) rows: Vec<u32>,
    /// The key of each of these rows.
    pub(crate) keys: Vec<u64>,
}

/// Orders rows by the key of each.
///
/// # Panics
/// Where there are 2^32 rows or more.
pub(crate) fn rows_by_key(mut keys: Vec<u64>) -> RowsByKey {
    let count = u32::try_from(keys.len()).expect("rows are counted in 32 bits");
    let least = keys.iter().copied().min().unwrap_or(0);
    let range = keys.iter().copied().max().unwrap_or(0) - least;
    let row_bits = u32::BITS - count.saturating_sub(1).leading_zeros();
    let row_of = |word: u64| (word & ((1 << row_bits) - 1)) as u32;
    let bits = u64::BITS - range.leading_zeros();
    if bits + row_bits <= u64::BITS {
        // Key and row fit one word.
        for (key, row) in keys.iter_mut().zip(0..count) {
            *key = key.wrapping_sub(least) << row_bits | u64::from(row);
        }
        sort_words(&mut keys, row_bits, bits);
        let rows = by_eights::map(&keys, row_of);
        for word in &mut keys {
            *word = (*word >> row_bits).wrapping_add(least);
        }
        return RowsByKey { rows, keys };
    }
    // They do but for the last binary digits of the key, which are left for rows that nothing else tells apart.
    let excess = bits + row_bits - u64::BITS;
    let word =
        |(key, row): (&u64, u32)| (key.wrapping_sub(least) >> excess) << row_bits | u64::from(row);
    let mut words: Vec<u64> = keys.iter().zip(0..count).map(word).collect();
    sort_words(&mut words, row_bits, bits - excess);
    let mut tied: Vec<(u64, u32)> = Vec::new();
    for run in words.chunk_by_mut(|left, right| left >> row_bits == right >> row_bits) {
        if run.len() > 1 {
            tied.clear();
            tied.extend(run.iter().map(|word| (keys[row_of(*word) as usize], row_of(*word))));
            tied.sort_unstable();
            for (word, (_, row)) in run.iter_mut().zip(&tied) {
                *word = u64::from(*row);
            }
        }
    }
    let rows = by_eights::map(&words, row_of);
    let keys = by_eights::map(&rows, |row| keys[row as usize]);
    RowsByKey { rows, keys }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn rows_of_one_key_ascend(
            keys in prop::collection::vec(any::<u64>(), 0..2 * FEW),
            bits in 1_u32..65,
            least in any::<u64>(),
        ) {
            let keys: Vec<u64> = keys.iter().map(|key| (key >> (64 - bits)).saturating_add(least)).collect();
            let mut expected: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
            expected.sort_unstable();
            let order = rows_by_key(keys);
            let found: Vec<(u64, u32)> = order.keys.into_iter().zip(order.rows).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
