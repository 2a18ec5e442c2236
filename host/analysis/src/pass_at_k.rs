//! pass@k: the chance that at least one of k runs earns a medal, from n runs.
//!
//! The unbiased estimator of Chen et al., "Evaluating Large Language Models Trained on Code", arXiv 2107.03374, section 2.1.

use serde::Serialize;

use crate::statistics::{mean, standard_error};

/// pass@k over the competitions of a split, in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassAtK {
    /// How many runs are drawn.
    pub k: usize,
    /// The mean over competitions.
    pub mean: f64,
    /// Its standard error over competitions; `None` for a single one.
    pub standard_error: Option<f64>,
}

/// The chance that at least one of `k` runs, drawn without putting back from `runs` of which `passed` passed, passed:
/// 1 − C(runs − passed, k) / C(runs, k). `None` where there are fewer runs than `k`, or `k` is zero.
///
/// Computed as the paper does, as 1 − ∏ (1 − k/i) for i from runs − passed + 1 to runs, which cannot overflow.
pub fn pass_at_k(runs: usize, passed: usize, k: usize) -> Option<f64> {
    if k == 0 || k > runs || passed > runs {
        return None;
    }
    if runs - passed < k {
        return Some(1.0);
    }
    let none: f64 = (runs - passed + 1..=runs).map(|i| 1.0 - k as f64 / i as f64).product();
    Some(1.0 - none)
}

/// pass@k for every k that the runs allow, from how many of `runs` passed in each competition.
pub(crate) fn curve(runs: usize, passed: &[usize]) -> Vec<PassAtK> {
    (1..=runs)
        .filter_map(|k| {
            let values: Option<Vec<f64>> = passed
                .iter()
                .map(|&passed| pass_at_k(runs, passed, k).map(|chance| chance * 100.0))
                .collect();
            let values = values?;
            Some(PassAtK { k, mean: mean(&values)?, standard_error: standard_error(&values) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_chance_is_that_of_the_definition() {
        for (runs, passed, k, expected) in [
            (3, 0, 1, Some(0.0)),
            (3, 3, 2, Some(1.0)),
            (4, 1, 1, Some(0.25)),
            (4, 2, 2, Some(5.0 / 6.0)),
            (3, 2, 2, Some(1.0)),
            (3, 1, 4, None),
            (3, 1, 0, None),
            (0, 0, 1, None),
        ] {
            let chance = pass_at_k(runs, passed, k);
            assert_eq!(chance.is_some(), expected.is_some(), "{runs} {passed} {k}");
            if let (Some(chance), Some(expected)) = (chance, expected) {
                assert!((chance - expected).abs() < 1e-15, "{runs} {passed} {k}: {chance}");
            }
        }
    }

    #[test]
    fn there_is_a_point_for_every_k_that_the_runs_allow() {
        let points = curve(3, &[0, 3]);
        assert_eq!(
            points.iter().map(|point| (point.k, point.mean)).collect::<Vec<_>>(),
            [(1, 50.0), (2, 50.0), (3, 50.0)]
        );
        assert_eq!(points[0].standard_error, Some(50.0));
        assert_eq!(curve(2, &[1])[1].standard_error, None);
        assert!(curve(0, &[]).is_empty());
    }

    proptest! {
        #[test]
        fn one_run_passes_as_often_as_runs_do_and_more_never_less(runs in 1..60_usize, share in 0.0..=1.0_f64) {
            let passed = (runs as f64 * share) as usize;
            let rate = passed as f64 / runs as f64;
            prop_assert!((pass_at_k(runs, passed, 1).unwrap() - rate).abs() < 1e-12);
            let chances: Vec<f64> = (1..=runs).map(|k| pass_at_k(runs, passed, k).unwrap()).collect();
            prop_assert!(chances.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
            prop_assert_eq!(chances[runs - 1] > 0.5, passed > 0);
        }
    }
}
