//! Whether a difference between two experiments is more than noise: two tests over competitions, paired.
//!
//! For each competition the difference between the two experiments' shares of runs is taken. The mean over competitions is
//! the effect.
//!
//! *Bootstrap.* Competitions are drawn anew, with putting back, thousands of times (Efron and Tibshirani, "An Introduction to
//! the Bootstrap", 1993): the 2.5 % and 97.5 % percentiles of the means are the confidence interval (chapter 13), and the
//! share of means that lie at least as far from the effect as zero does is a p-value (the means around the effect stand
//! for what would be seen around zero if there were no difference, chapter 16; one is added to either count, as in Davison
//! and Hinkley, "Bootstrap Methods and their Application", 1997, section 4.2.3, so that it is never zero). Differences that are
//! all the same are drawn as the same, so that draws say nothing of how sure they are; there is neither interval nor p-value.
//!
//! *Sign flips.* Were there no difference, each of the differences could as well have the other sign (Fisher, "The Design of
//! Experiments", 1935, section 21): the share of all choices of signs whose mean is at least as far from zero as the effect is
//! a p-value. It is exact however few the competitions are, and with n that differ never below 2^(1 − n), while a bootstrap of
//! few is too sure of itself.

use podium::Cancellation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::error::Error;
use crate::statistics::{mean, standard_error};

/// How draws are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BootstrapOptions {
    /// How many times the competitions, and signs where they are too many to try them all, are drawn anew; at least one.
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

/// The fewest competitions over which anything is said to be more than noise.
pub const FEWEST_COMPETITIONS: usize = 10;

/// Up to so many differences, all choices of signs are tried.
const MOST_TRIED: usize = 16;

/// Means of the same differences in another order differ in their last digits.
const ROUNDING: f64 = 1e-9;

/// After so many draws it is asked whether somebody wants to stop.
const DRAWS_BETWEEN_LOOKS: usize = 1024;

/// What a paired bootstrap says of differences.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// The mean of the differences.
    pub effect: f64,
    /// Its standard error over competitions; `None` for a single one.
    pub standard_error: Option<f64>,
    /// The 95 % confidence interval; `None` where all differences are the same.
    pub interval: Option<[f64; 2]>,
    /// How likely a difference as large as this is by chance; `None` where all differences are the same.
    pub bootstrap_p_value: Option<f64>,
}

/// Draws the differences anew.
///
/// # Errors
/// [`Error::Nothing`] where there is none; [`Error::Cancelled`].
pub fn bootstrap(
    differences: &[f64],
    options: BootstrapOptions,
    cancellation: &Cancellation,
) -> Result<Bootstrap, Error> {
    let effect =
        mean(differences).ok_or_else(|| Error::Nothing("there is no competition".to_owned()))?;
    let standard_error = standard_error(differences);
    if differences.iter().all(|difference| (difference - differences[0]).abs() <= ROUNDING) {
        return Ok(Bootstrap { effect, standard_error, interval: None, bootstrap_p_value: None });
    }
    let mut generator = ChaCha8Rng::seed_from_u64(options.seed);
    let mut means = draws(options, cancellation, || {
        let draws =
            differences.iter().map(|_| differences[drawn(&mut generator, differences.len())]);
        draws.sum::<f64>() / differences.len() as f64
    })?;
    means.sort_by(f64::total_cmp);
    let as_far =
        means.iter().filter(|mean| (*mean - effect).abs() >= effect.abs() - ROUNDING).count();
    Ok(Bootstrap {
        effect,
        standard_error,
        interval: Some([percentile(&means, 0.025), percentile(&means, 0.975)]),
        bootstrap_p_value: Some((as_far as f64 + 1.0) / (means.len() as f64 + 1.0)),
    })
}

/// How likely a mean as far from zero as that of these differences is, if each of them could as well have the other sign.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn sign_flips(
    differences: &[f64],
    options: BootstrapOptions,
    cancellation: &Cancellation,
) -> Result<f64, Error> {
    // A difference of zero is the same under either sign.
    let differing: Vec<f64> =
        differences.iter().copied().filter(|difference| difference.abs() > ROUNDING).collect();
    let observed = differing.iter().sum::<f64>().abs();
    let tolerance = ROUNDING * differing.len() as f64;
    let is_as_far = |sum: &f64| sum.abs() >= observed - tolerance;
    if differing.len() <= MOST_TRIED {
        let choices = 1_usize << differing.len();
        let sums =
            (0..choices).map(|choice| signed_sum(&differing, |index| choice >> index & 1 == 1));
        return Ok(sums.filter(is_as_far).count() as f64 / choices as f64);
    }
    let mut generator = ChaCha8Rng::seed_from_u64(options.seed);
    // Other numbers than those of the bootstrap.
    generator.set_stream(1);
    let sums = draws(options, cancellation, || {
        let mut bits = 0;
        signed_sum(&differing, |index| {
            if index.is_multiple_of(64) {
                bits = generator.next_u64();
            }
            bits >> (index % 64) & 1 == 1
        })
    })?;
    let as_far = sums.iter().filter(|sum| is_as_far(sum)).count();
    Ok((as_far as f64 + 1.0) / (sums.len() as f64 + 1.0))
}

/// The sum of the values, some of them with the other sign.
fn signed_sum(values: &[f64], mut is_flipped: impl FnMut(usize) -> bool) -> f64 {
    let signed = values.iter().enumerate();
    signed.map(|(index, value)| if is_flipped(index) { -value } else { *value }).sum()
}

/// What so many draws come to.
fn draws(
    options: BootstrapOptions,
    cancellation: &Cancellation,
    mut draw: impl FnMut() -> f64,
) -> Result<Vec<f64>, Error> {
    let count = options.resamples.max(1) as usize;
    let mut results = Vec::new();
    while results.len() < count {
        if results.len().is_multiple_of(DRAWS_BETWEEN_LOOKS) && cancellation.is_cancelled() {
            return Err(Error::Cancelled);
        }
        results.push(draw());
    }
    Ok(results)
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

    fn bootstrap(differences: &[f64], options: BootstrapOptions) -> Bootstrap {
        super::bootstrap(differences, options, &Cancellation::new()).unwrap()
    }

    fn sign_flips(differences: &[f64]) -> f64 {
        super::sign_flips(differences, BootstrapOptions::default(), &Cancellation::new()).unwrap()
    }

    /// All draws of three of these differences, each as likely: what many draws come to.
    const FEW: [f64; 3] = [0.0, 0.0, 90.0];

    #[test]
    fn few_differences_are_drawn_as_often_as_they_must() {
        let options = BootstrapOptions { resamples: 100_000, ..BootstrapOptions::default() };
        let found = bootstrap(&FEW, options);
        assert_eq!((found.effect, found.interval), (30.0, Some([0.0, 90.0])));
        // Means are 0, 30, 60 and 90 with the chances 8, 12, 6 and 1 of 27; all but 30 are as far from 30 as zero is.
        let p_value = found.bootstrap_p_value.unwrap();
        assert!((p_value - 15.0 / 27.0).abs() < 0.01, "{p_value}");
    }

    #[test]
    fn differences_that_are_all_the_same_say_nothing_of_how_sure_they_are() {
        for (difference, count, sign_flip) in
            [(0.0, 10, 1.0), (50.0, 10, 2.0 / 1024.0), (50.0, 2, 0.5), (-0.1 - 0.2, 1, 1.0)]
        {
            let all = vec![difference; count];
            let found = bootstrap(&all, BootstrapOptions::default());
            assert!((found.effect - difference).abs() < 1e-12);
            assert_eq!((found.interval, found.bootstrap_p_value), (None, None), "{difference}");
            assert_eq!(sign_flips(&all), sign_flip, "{difference}");
        }
        let nothing = super::bootstrap(&[], BootstrapOptions::default(), &Cancellation::new());
        assert!(matches!(nothing, Err(Error::Nothing(_))));
    }

    #[test]
    fn signs_are_flipped_in_all_ways_or_in_many() {
        // Of the eight sums of ±1 ±2 ±4, those of −7, −5, 5 and 7 are as far from zero as 5.
        assert_eq!(sign_flips(&[-1.0, 2.0, 4.0]), 0.5);
        // What does not differ counts for nothing.
        assert_eq!(sign_flips(&[-1.0, 0.0, 2.0, 0.0, 4.0]), 0.5);
        assert_eq!(sign_flips(&[0.1, 0.2, -0.3]), 1.0);
        // Of 20 that differ by the same, 15 to one side: the chance of at least 15 heads or tails of 20.
        let many: Vec<f64> = (0..20).map(|index| if index < 15 { 1.0 } else { -1.0 }).collect();
        let found = sign_flips(&many);
        assert!((found - 2.0 * 21_700.0 / 1_048_576.0).abs() < 0.006, "{found}");
        assert_eq!(found.to_bits(), sign_flips(&many).to_bits());
        // More than the bits of one number.
        assert!(sign_flips(&[1.0; 100]) < 1e-3);
    }

    #[test]
    fn draws_end_when_somebody_wants_to_stop() {
        let cancellation = Cancellation::new();
        cancellation.cancel();
        let differences: Vec<f64> = (0..30).map(f64::from).collect();
        let options = BootstrapOptions { resamples: u32::MAX, ..BootstrapOptions::default() };
        let stopped = super::bootstrap(&differences, options, &cancellation);
        assert!(matches!(stopped, Err(Error::Cancelled)));
        let stopped = super::sign_flips(&differences, options, &cancellation);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
        let differences: Vec<f64> = (0..75).map(|index| f64::from(index % 7) - 2.0).collect();
        let drawn = |seed| {
            bootstrap(&differences, BootstrapOptions { seed, ..BootstrapOptions::default() })
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1).bootstrap_p_value, drawn(2).bootstrap_p_value);
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
