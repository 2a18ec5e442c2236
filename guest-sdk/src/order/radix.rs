//! A stable sort by 64-bit keys, digit by digit: faster than comparing where there are many rows, since WebAssembly
//! has neither branch-free selection of pairs nor a vectorised sort.

/// Fewer items than this are sorted by comparisons.
const FEW: usize = 2_048;
/// More bytes than this are sorted by comparisons: sorting by digits takes as much memory again.
const MUCH: usize = 1 << 28;
/// The binary digits that one pass looks at.
const DIGIT: u32 = 11;
const PASSES: usize = u64::BITS.div_ceil(DIGIT) as usize;
const VALUES: usize = 1 << DIGIT;

/// Sorts by the key, ascending; items of one key stay in their order.
pub(crate) fn sort_by_bits<T: Copy>(items: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if items.len() < FEW || size_of_val(items.as_slice()) > MUCH {
        items.sort_by_key(key);
        return;
    }
    let digit = |item: &T, pass: usize| (key(item) >> (pass as u32 * DIGIT)) as usize % VALUES;
    let mut counts = vec![[0_u32; VALUES]; PASSES];
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
    }
}
