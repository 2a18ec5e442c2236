//! What the tests of both sorts share: made-up keys that are easy to make in Python too, and digests of orders that
//! numpy 1.26.4 and CPython 3.11 gave for them.

/// `count` keys below `bound`: the high bits of Knuth's 64-bit linear congruential generator.
pub(crate) fn keys(count: usize, bound: u64, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    (0..count).map(|_| next()).collect()
}

/// A number that stands for an order: a polynomial in 31 whose coefficients are one more than the row numbers.
pub(crate) fn digest(rows: impl IntoIterator<Item = u64>) -> u64 {
    rows.into_iter().fold(0, |digest: u64, row| digest.wrapping_mul(31).wrapping_add(row + 1))
}

/// The keys as floats, every `every`th one NaN; none where that is zero.
pub(crate) fn with_nan(keys: Vec<u64>, every: usize) -> Vec<f64> {
    let nan = |place: usize| every > 0 && place % every == every - 1;
    let float = |(place, key)| if nan(place) { f64::NAN } else { key as f64 };
    keys.into_iter().enumerate().map(float).collect()
}
