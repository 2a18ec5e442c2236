//! Whether a difference between two experiments is more than noise: a paired bootstrap over competitions.
//!
//! For each competition the difference between the two experiments' shares of runs is taken. The mean over competitions is
//! the effect. Competitions are drawn anew, with putting back, thousands of times (Efron and Tibshirani, "An Introduction to
//! the Bootstrap", 1993): the 2.5 % and 97.5 % percentiles of the means are the confidence interval (chapter 13), and the
//! share of means that lie at least as far from the effect as zero does is the p-value (the means around the effect stand
//! for what would be seen around zero if there were no difference, chapter 16; one is added to either count, as in Davison
//! and Hinkley, "Bootstrap Methods and their Application", 1997, section 4.2.3, so that it is never zero).

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::statistics::{mean, standard_error};

/// How the bootstrap draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BootstrapOptions {
    /// How many times the competitions are drawn anew; at least one.
    pub resamples: u32,
    /// The seed of the generator, ChaCha8.
    pub seed: u64,
}

impl Default for BootstrapOptions {
    /// Ten thousand times, from the number of the benchmark's paper.
    fn default() -> BootstrapOptions {
        BootstrapOptions { resamples: 10_000, seed: 241_007_095 }
    }
}

/// The level below which a p-value is taken for more than noise.
pub const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// What a paired bootstrap says of differences.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// The mean of the differences.
    pub effect: f64,
    /// Its standard error over competitions; `None` for a single one.
    pub standard_error: Option<f64>,
    /// The 95 % confidence interval.
    pub interval: [f64; 2],
    /// How likely a difference as large as this is by chance.
    pub p_value: f64,
}

/// Draws the differences anew; `None` where there is none.
pub fn bootstrap(differences: &[f64], options: BootstrapOptions) -> Option<Bootstrap> {
    // Means of the same differences in another order differ in their last digits.
    const ROUNDING: f64 = 1e-9;
    let effect = mean(differences)?;
    let mut generator = ChaCha8Rng::seed_from_u64(options.seed);
    let mut means: Vec<f64> = (0..options.resamples.max(1))
        .map(|_| {
            let draws =
                differences.iter().map(|_| differences[drawn(&mut generator, differences.len())]);
            draws.sum::<f64>() / differences.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let as_far =
        means.iter().filter(|mean| (*mean - effect).abs() >= effect.abs() - ROUNDING).count();
    Some(Bootstrap {
        effect,
        standard_error: standard_error(differences),
        interval: [percentile(&means, 0.025), percentile(&means, 0.975)],
        p_value: (as_far as f64 + 1.0) / (means.len() as f64 + 1.0),
    })
}

/// A number below `below`, each as likely as the others to one part in 2^64 / `below`. Written out, so that a version of the
/// library that draws in another way changes no result.
fn drawn(generator: &mut ChaCha8Rng, below: usize) -> usize {
    ((u128::from(generator.next_u64()) * below as u128) >> 64) as usize
}

/// The percentile of sorted values, of which there is at least one, between two of them as numpy's default has it.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All draws of three of these differences, each as likely: what many draws come to.
    const FEW: [f64; 3] = [0.0, 0.0, 90.0];

    #[test]
    fn few_differences_are_drawn_as_often_as_they_must() {
        let options = BootstrapOptions { resamples: 100_000, ..BootstrapOptions::default() };
        let found = bootstrap(&FEW, options).unwrap();
        assert_eq!((found.effect, found.interval), (30.0, [0.0, 90.0]));
        // Means are 0, 30, 60 and 90 with the chances 8, 12, 6 and 1 of 27; all but 30 are as far from 30 as zero is.
        assert!((found.p_value - 15.0 / 27.0).abs() < 0.01, "{}", found.p_value);
    }

    #[test]
    fn no_difference_is_no_difference_and_a_certain_one_is_certain() {
        let none = bootstrap(&[0.0; 10], BootstrapOptions::default()).unwrap();
        assert_eq!((none.effect, none.interval, none.p_value), (0.0, [0.0, 0.0], 1.0));
        let all = bootstrap(&[50.0; 10], BootstrapOptions::default()).unwrap();
        assert_eq!((all.effect, all.interval), (50.0, [50.0, 50.0]));
        assert!(all.p_value < 1e-3);
        assert_eq!(bootstrap(&[], BootstrapOptions::default()), None);
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
        let differences: Vec<f64> = (0..75).map(|index| f64::from(index % 7) - 2.0).collect();
        let drawn = |seed| {
            bootstrap(&differences, BootstrapOptions { seed, ..BootstrapOptions::default() })
                .unwrap()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1).p_value.to_bits(), drawn(2).p_value.to_bits());
    }

    /// These values must never change: what is reported once has to come out again.
    #[test]
    fn draws_are_those_of_every_version() {
        let mut generator = ChaCha8Rng::seed_from_u64(241_007_095);
        let draws: Vec<usize> = (0..12).map(|_| drawn(&mut generator, 75)).collect();
        assert_eq!(draws, [17, 20, 21, 30, 42, 22, 9, 73, 24, 35, 51, 24]);
    }

    #[test]
    fn percentiles_lie_between_values_as_numpys_do() {
        let sorted = [0.0, 10.0, 20.0, 30.0];
        for (share, expected) in [(0.0, 0.0), (0.5, 15.0), (1.0, 30.0), (0.1, 3.0)] {
            assert!((percentile(&sorted, share) - expected).abs() < 1e-12, "{share}");
        }
        assert_eq!(percentile(&[7.0], 0.3), 7.0);
    }
}
