//! Scores of rankings: of guesses in order of confidence, and of sequences put in order.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// The average precision of the first `k` guesses.
///
/// The precision at each rank that holds a first hit, summed and divided by the number of hits there could have been,
/// `min(actual, k)`. Guesses after the `k`-th are not looked at; a guess that repeats an earlier one takes up a rank and
/// hits nothing. Without anything to find it is 0. The formula is that of `apk` in Ben Hamner's `ml_metrics`, with the
/// wanted elements as a set. The mean over rows is MAP@k; take it with [`numeric::mean`](super::numeric::mean).
///
/// ```
/// use podium_grader::metrics::ranking::average_precision_at_k;
/// let actual = ["a", "b"].into_iter().collect();
/// assert_eq!(average_precision_at_k(&actual, &["x", "a", "a", "b"], 5), (1.0 / 2.0 + 2.0 / 4.0) / 2.0);
/// ```
///
/// # Panics
/// Where `k` is 0.
pub fn average_precision_at_k<T: Eq + Hash>(
    actual: &FxHashSet<T>,
    predicted: &[T],
    k: usize,
) -> f64 {
    assert!(k > 0, "the first 0 guesses have no precision");
    if actual.is_empty() {
        return 0.0;
    }
    let predicted = &predicted[..predicted.len().min(k)];
    let mut found: FxHashSet<&T> = FxHashSet::default();
    let (mut hits, mut score) = (0.0, 0.0);
    for (rank, guess) in predicted.iter().enumerate() {
        if actual.contains(guess) && found.insert(guess) {
            hits += 1.0;
            score += hits / (rank as f64 + 1.0);
        }
    }
    score / actual.len().min(k) as f64
}

/// How many pairs stand in the wrong order: the number of pairs `i < j` with `values[i] > values[j]`.
///
/// Equal values are in order. Kendall's tau of a permutation of n elements is `1 - 4 * inversions / (n * (n - 1))`.
/// Counted while merge sorting, in n log n steps.
pub fn inversions<T: Copy + Ord>(values: &[T]) -> u64 {
    let mut sorted = values.to_vec();
    let mut merged = sorted.clone();
    let mut count = 0;
    let mut width = 1;
    while width < sorted.len() {
        for start in (0..sorted.len()).step_by(2 * width) {
            let middle = (start + width).min(sorted.len());
            let end = (start + 2 * width).min(sorted.len());
            let (mut left, mut right) = (start, middle);
            for place in &mut merged[start..end] {
                if right == end || (left < middle && sorted[left] <= sorted[right]) {
                    *place = sorted[left];
                    left += 1;
                } else {
                    *place = sorted[right];
                    right += 1;
                    count += (middle - left) as u64;
                }
            }
        }
        std::mem::swap(&mut sorted, &mut merged);
        width *= 2;
    }
    count
}

/// For each relevant label of a row, the share of relevant labels among those ranked at least as high as it.
///
/// A label is ranked at least as high as another when its score is at least as large, so ties count. Given as (label,
/// precision), the highest score first. The mean over a row's labels is its label ranking average precision, as
/// `metrics.label_ranking_average_precision_score` in scikit-learn 1.5.2 has it; see [`LabelWeightedRanking`] for many
/// rows.
///
/// # Panics
/// Where the slices differ in length, or a score is not comparable (NaN).
pub fn label_precisions<T: Copy + PartialOrd>(
    relevant: &[bool],
    scores: &[T],
) -> Vec<(usize, f64)> {
    assert_eq!(relevant.len(), scores.len(), "each label has a score");
    let mut labels: Vec<usize> = (0..scores.len()).collect();
    labels.sort_by(|a, b| scores[*b].partial_cmp(&scores[*a]).expect("NaN has no rank"));
    let (mut rank, mut found) = (0, 0);
    let mut precisions = Vec::new();
    for tied in labels.chunk_by(|a, b| scores[*a] == scores[*b]) {
        let hits = || tied.iter().copied().filter(|label| relevant[*label]);
        rank += tied.len();
        found += hits().count();
        precisions.extend(hits().map(|label| (label, found as f64 / rank as f64)));
    }
    precisions
}

/// Label-weighted label-ranking average precision of many rows: the mean of [`label_precisions`] over all relevant
/// labels of all rows, each label weighing the same.
///
/// The formula is that of DCASE 2019 task 2 (Fonseca et al., "Audio tagging with noisy labels and minimal supervision",
/// 2019), which is scikit-learn's label ranking average precision weighted by each row's number of relevant labels.
#[derive(Debug, Clone)]
pub struct LabelWeightedRanking {
    /// For each label, the sum of its precisions and how often it was relevant.
    labels: Vec<(f64, u64)>,
}

impl LabelWeightedRanking {
    /// No rows yet, of that many labels.
    pub fn new(labels: usize) -> LabelWeightedRanking {
        LabelWeightedRanking { labels: vec![(0.0, 0); labels] }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// As [`label_precisions`], and where the row has another number of labels.
    pub fn add<T: Copy + PartialOrd>(&mut self, relevant: &[bool], scores: &[T]) {
        assert_eq!(relevant.len(), self.labels.len(), "each row has the same labels");
        for (label, precision) in label_precisions(relevant, scores) {
            let (sum, count) = &mut self.labels[label];
            *sum += precision;
            *count += 1;
        }
    }

    /// The score; `None` where no label was relevant in any row.
    pub fn score(&self) -> Option<f64> {
        let count: u64 = self.labels.iter().map(|(_, count)| count).sum();
        (count > 0).then(|| self.labels.iter().map(|(sum, _)| sum).sum::<f64>() / count as f64)
    }

    /// The mean precision of each label; `None` for those never relevant.
    pub fn by_label(&self) -> impl Iterator<Item = Option<f64>> {
        self.labels.iter().map(|&(sum, count)| (count > 0).then(|| sum / count as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn average_precision_looks_at_ranks() {
        let score = |actual: &[&str], predicted: &[&str], k| {
            average_precision_at_k(&actual.iter().copied().collect(), predicted, k)
        };
        for (actual, predicted, k, expected) in [
            (&[][..], &["a"][..], 5, 0.0),
            (&["a"], &[], 5, 0.0),
            (&["a"], &["a"], 5, 1.0),
            (&["a"], &["x", "a"], 5, 0.5),
            (&["a"], &["a", "a"], 5, 1.0),
            (&["a", "b"], &["a", "a", "b"], 5, (1.0 + 2.0 / 3.0) / 2.0),
            (&["a"], &["x", "y", "a"], 2, 0.0),
            (&["a", "b", "c"], &["a", "b"], 2, 1.0),
            // An empty token takes a rank, and hits where it is wanted.
            (&["a"], &["", "a"], 5, 0.5),
            (&["", "a"], &["", "a"], 5, 1.0),
        ] {
            assert_eq!(score(actual, predicted, k), expected, "{actual:?} {predicted:?} {k}");
        }
    }

    fn mean_precision<T: Copy + PartialOrd>(relevant: &[bool], scores: &[T]) -> f64 {
        let mut rows = LabelWeightedRanking::new(relevant.len());
        rows.add(relevant, scores);
        rows.score().unwrap()
    }

    /// scikit-learn 1.5.2: `label_ranking_average_precision_score([relevant], [scores])`.
    #[test]
    fn label_ranking_agrees_with_recorded_values() {
        for (relevant, scores, expected) in [
            (&[true, false, false][..], &[0.75, 0.5, 1.0][..], 0.5),
            (&[false, false, true], &[1.0, 0.2, 0.1], 1.0 / 3.0),
            (&[true, false, true, false], &[0.5, 0.5, 0.5, 0.1], 2.0 / 3.0),
            (&[true, false, true, false], &[0.9, 0.5, 0.5, 0.7], 0.75),
            (&[true, true], &[0.0, 1.0], 1.0),
        ] {
            let precision = mean_precision(relevant, scores);
            assert!((precision - expected).abs() < 1e-15, "{relevant:?} {scores:?} {precision}");
        }
    }

    #[test]
    fn rows_weigh_by_their_labels() {
        let mut rows = LabelWeightedRanking::new(3);
        assert_eq!(rows.score(), None);
        rows.add(&[true, true, false], &[3, 1, 2]);
        rows.add(&[false, true, false], &[3, 2, 1]);
        rows.add(&[false, false, false], &[3, 2, 1]);
        assert_eq!(rows.score(), Some((1.0 + 2.0 / 3.0 + 0.5) / 3.0));
        let by_label: Vec<_> = rows.by_label().collect();
        assert_eq!(by_label, [Some(1.0), Some((2.0 / 3.0 + 0.5) / 2.0), None]);
    }

    proptest! {
        #[test]
        fn inversions_are_pairs_out_of_order(values in proptest::collection::vec(0u32..20, 0..60)) {
            let pairs = (0..values.len())
                .flat_map(|j| (0..j).map(move |i| (i, j)))
                .filter(|&(i, j)| values[i] > values[j]);
            prop_assert_eq!(inversions(&values), pairs.count() as u64);
        }

        #[test]
        fn scores_lie_between_none_and_all(
            actual in proptest::collection::hash_set(0u8..9, 0..9),
            predicted in proptest::collection::vec(0u8..9, 0..20),
            k in 1usize..15,
        ) {
            let actual: FxHashSet<u8> = actual.into_iter().collect();
            let score = average_precision_at_k(&actual, &predicted, k);
            prop_assert!((0.0..=1.0).contains(&score));
            let mut perfect: Vec<u8> = actual.iter().copied().collect();
            perfect.extend(predicted.iter().copied().filter(|guess| !actual.contains(guess)));
            let best = average_precision_at_k(&actual, &perfect, k);
            let expected = if actual.is_empty() { 0.0 } else { 1.0 };
            prop_assert!((best - expected).abs() < 1e-12);
        }

        #[test]
        fn label_ranking_depends_on_the_order_alone(
            rows in proptest::collection::vec((any::<bool>(), -8i32..8), 1..20)
        ) {
            let mut relevant: Vec<bool> = rows.iter().map(|row| row.0).collect();
            relevant[0] = true;
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let cubed: Vec<f64> = scores.iter().map(|score| score.powi(3) + 7.0).collect();
            let precision = mean_precision(&relevant, &scores);
            prop_assert!(precision > 0.0 && precision <= 1.0);
            prop_assert_eq!(precision, mean_precision(&relevant, &cubed));
        }
    }
}
