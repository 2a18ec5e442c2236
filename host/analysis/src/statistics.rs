//! Means, standard errors, intervals and correlations, as numpy and scipy define them.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The standard normal quantile at 97.5 %, to the two places that the reference uses.
const NORMAL_QUANTILE: f64 = 1.96;

/// A mean over seeds with how sure it is, in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean: the standard deviation of the sample (with n − 1) over √n. `None` for a single value,
    /// of which nobody can say how sure it is.
    pub standard_error: Option<f64>,
    /// The 95 % confidence interval as the reference computes it: mean ± 1.96 standard errors.
    pub normal_interval: Option<[f64; 2]>,
    /// The 95 % confidence interval by Student's t with n − 1 degrees of freedom, which is right for few values: at three it
    /// is 2.2 times as wide.
    pub t_interval: Option<[f64; 2]>,
}

impl Estimate {
    /// Of these values; `None` where there is none.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        let mean = mean(values)?;
        let standard_error = standard_error(values);
        let around = |width: f64| [mean - width, mean + width];
        Some(Estimate {
            mean,
            standard_error,
            normal_interval: standard_error.map(|error| around(NORMAL_QUANTILE * error)),
            t_interval: standard_error.map(|error| around(t_quantile(values.len() - 1) * error)),
        })
    }
}

/// The arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard error of the mean, `scipy.stats.sem(values, ddof=1)`; `None` for fewer than two values.
pub fn standard_error(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let count = values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0)).sqrt() / count.sqrt())
}

/// The quantile of Student's t at 97.5 % for that many degrees of freedom, at least one: what a standard error is
/// multiplied with for a two-sided 95 % interval.
pub fn t_quantile(degrees: usize) -> f64 {
    const QUANTILE: f64 = 0.975;
    let Ok(distribution) = StudentsT::new(0.0, 1.0, degrees as f64) else { return f64::INFINITY };
    let mut quantile = distribution.inverse_cdf(QUANTILE);
    // The library's inverse is good to some digits only; Newton's steps with its distribution function make it exact.
    for _ in 0..4 {
        let density = statrs::distribution::Continuous::pdf(&distribution, quantile);
        quantile -= (distribution.cdf(quantile) - QUANTILE) / density;
    }
    quantile
}

/// Pearson's correlation of two columns; `None` for fewer than two pairs, and where a column does not vary.
pub fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
    let (left, right): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (left_mean, right_mean) = (mean(&left)?, mean(&right)?);
    let (mut product, mut left_square, mut right_square) = (0.0, 0.0, 0.0);
    for (left, right) in pairs {
        let (left, right) = (left - left_mean, right - right_mean);
        product += left * right;
        left_square += left * left;
        right_square += right * right;
    }
    let correlation = product / (left_square.sqrt() * right_square.sqrt());
    correlation.is_finite().then(|| correlation.clamp(-1.0, 1.0))
}

/// Spearman's rank correlation: Pearson's of the ranks, equal values sharing the mean of theirs.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let (left, right): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let ranked: Vec<(f64, f64)> = ranks(&left).into_iter().zip(ranks(&right)).collect();
    pearson(&ranked)
}

/// The rank of each value, from 1 on; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for group in order.chunk_by(|&left, &right| values[left] == values[right]) {
        let rank = first as f64 + (group.len() as f64 + 1.0) / 2.0;
        for &index in group {
            ranks[index] = rank;
        }
        first += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_value_has_no_error() {
        assert_eq!(Estimate::of(&[]), None);
        let single = Estimate::of(&[40.0]).unwrap();
        assert_eq!((single.mean, single.standard_error, single.t_interval), (40.0, None, None));
    }

    #[test]
    fn intervals_are_around_the_mean() {
        // Standard deviation 1, so the standard error is 1 / √3.
        let estimate = Estimate::of(&[1.0, 2.0, 3.0]).unwrap();
        let error = 1.0 / 3.0_f64.sqrt();
        assert!((estimate.standard_error.unwrap() - error).abs() < 1e-15);
        let [low, high] = estimate.normal_interval.unwrap();
        assert!((low - (2.0 - 1.96 * error)).abs() < 1e-12 && (high + low - 4.0).abs() < 1e-12);
        let [t_low, t_high] = estimate.t_interval.unwrap();
        assert!((t_high - t_low) / (high - low) > 2.19 && t_low < low);
    }

    #[test]
    fn equal_values_share_their_rank_and_what_does_not_vary_has_no_correlation() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        for (correlation, expected) in [
            (pearson(&[(1.0, 2.0), (2.0, 4.0)]), 1.0),
            (pearson(&[(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1.0, 1.0)]), 0.0),
            (spearman(&[(1.0, 9.0), (2.0, 4.0), (3.0, 1.0)]), -1.0),
        ] {
            assert!((correlation.unwrap() - expected).abs() < 1e-12, "{correlation:?}");
        }
        assert_eq!(pearson(&[(1.0, 2.0), (1.0, 4.0)]), None);
        assert_eq!(pearson(&[(1.0, 2.0)]), None);
        assert_eq!(pearson(&[]), None);
    }
}
