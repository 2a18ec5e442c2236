//! The Jaccard index of sets, such as the sets of words of two texts.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// |A∩B| / |A∪B|; `None` where both sets are empty.
///
/// ```
/// use podium_grader::metrics::jaccard::jaccard;
/// let words = |text: &'static str| text.split(' ').collect();
/// assert_eq!(jaccard(&words("a good day"), &words("good day")), Some(2.0 / 3.0));
/// ```
pub fn jaccard<T: Eq + Hash>(left: &FxHashSet<T>, right: &FxHashSet<T>) -> Option<f64> {
    let (smaller, larger) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let shared = smaller.iter().filter(|element| larger.contains(element)).count();
    let union = left.len() + right.len() - shared;
    (union > 0).then(|| shared as f64 / union as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_index_is_shared_over_joined(
            left in proptest::collection::hash_set(0u8..20, 0..15),
            right in proptest::collection::hash_set(0u8..20, 0..15),
        ) {
            let shared = left.intersection(&right).count();
            let union = left.union(&right).count();
            let expected = (union > 0).then(|| shared as f64 / union as f64);
            let (left, right): (FxHashSet<u8>, FxHashSet<u8>) = (left.into_iter().collect(), right.into_iter().collect());
            prop_assert_eq!(jaccard(&left, &right), expected);
            prop_assert_eq!(jaccard(&right, &left), expected);
        }
    }
}
