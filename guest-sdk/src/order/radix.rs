//! A stable sort by 64-bit keys, digit by digit: in WebAssembly, pairs of a key and a row are sorted faster so than by
//! comparisons where there are many.

/// Fewer items than this are sorted by comparisons.
const FEW: usize = 2_048;
/// More bytes than this are sorted by comparisons: sorting by digits takes as much memory again.
const MUCH: usize = 1 << 28;
/// The most binary digits that one pass looks at.
const DIGIT: u32 = 11;
const VALUES: usize = 1 << DIGIT;

/// Sorts by the key, ascending; items of one key stay in their order.
fn sort_by_bits<T: Copy>(items: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if items.len() < FEW || size_of_val(items.as_slice()) > MUCH {
        items.sort_by_key(key);
        return;
    }
    let first = key(&items[0]);
    let differing = items.iter().fold(0, |differing, item| differing | (key(item) ^ first));
    if differing == 0 {
        return;
    }
    let lowest = differing.trailing_zeros();
    let bits = u64::BITS - differing.leading_zeros() - lowest;
    let passes = bits.div_ceil(DIGIT);
    let width = bits.div_ceil(passes);
    let digit = |item: &T, pass: usize| {
        (key(item) >> (lowest + pass as u32 * width)) as usize % (1 << width)
    };
    let mut counts = vec![[0_u32; VALUES]; passes as usize];
    for item in items.iter() {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(item, pass)] += 1;
        }
    }
    let mut other = items.clone();
    for (pass, counts) in counts.iter_mut().enumerate() {
        // A digit that all keys share moves nothing.
        if counts[digit(&items[0], pass)] as usize == items.len() {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for item in items.iter() {
            let place = &mut counts[digit(item, pass)];
            other[*place as usize] = *item;
            *place += 1;
        }
        std::mem::swap(items, &mut other);
    }
}

/// More bytes of words than this are sorted by comparisons.
const MANY_WORDS: usize = 1 << 27;
/// More passes than this take as long as comparisons do.
const MOST_PASSES: usize = 4;

/// Sorts words of which the lowest `sorted` bits ascend already, and `bits` more are to be sorted by.
fn sort_words(words: &mut Vec<u64>, sorted: u32, bits: u32) {
    let passes = bits.div_ceil(DIGIT) as usize;
    // As few values as so many passes take: what is put in their places stays near.
    let width = bits.div_ceil(passes.max(1) as u32);
    if words.len() < FEW || size_of_val(words.as_slice()) > MANY_WORDS || passes > MOST_PASSES {
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
        for word in words.iter() {
            let place = &mut places[digit(*word, pass)];
            *place = place.wrapping_add(1);
        }
        let mut start = 0_u32;
        for place in &mut places {
            start = start.wrapping_add(std::mem::replace(place, start));
        }
        for word in words.iter() {
            let place = &mut places[digit(*word, pass)];
            other[*place as usize] = *word;
            *place = place.wrapping_add(1);
        }
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
    if range.leading_zeros() < row_bits {
        let mut pairs: Vec<(u64, u32)> = keys.iter().copied().zip(0..count).collect();
        sort_by_bits(&mut pairs, |pair| pair.0);
        let mut rows = Vec::with_capacity(pairs.len());
        for (key, pair) in keys.iter_mut().zip(pairs) {
            *key = pair.0;
            rows.push(pair.1);
        }
        return RowsByKey { rows, keys };
    }
    // Key and row fit one word.
    for (key, row) in keys.iter_mut().zip(0..count) {
        *key = (*key - least) << row_bits | u64::from(row);
    }
    sort_words(&mut keys, row_bits, u64::BITS - range.leading_zeros());
    let mut rows = Vec::with_capacity(keys.len());
    for word in &mut keys {
        rows.push((*word & ((1 << row_bits) - 1)) as u32);
        *word = (*word >> row_bits) + least;
    }
    RowsByKey { rows, keys }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn sorts_as_the_standard_library_does(
            keys in prop::collection::vec(any::<u64>(), 0..3 * FEW),
            bits in 1_u32..64,
            shift in 0_u32..64,
        ) {
            let mut items: Vec<(u64, u32)> =
                keys.iter().map(|key| key >> (64 - bits) << (shift % (65 - bits))).zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_by_bits(&mut items, |item| item.0);
            prop_assert_eq!(items, expected);
        }

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
