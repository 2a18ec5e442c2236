//! Rounds scores to five decimal places as the reference does before it compares them with the medal lines.
//!
//! The reference calls Python's `round(score, 5)` on whatever its grader returned, and what that does depends on the
//! type of the number: a Python float is rounded on its exact decimal value, a numpy float is multiplied, rounded and
//! divided, an integer stays as it is. The first two differ on scores that lie halfway or very nearly so, and a medal
//! can hang on that. Which one a competition needs is part of its `competition.toml`.

use serde::{Deserialize, Serialize};

/// How many decimal places a score keeps.
pub const DECIMAL_PLACES: usize = 5;

/// How a competition's score is rounded to [`DECIMAL_PLACES`] before it is compared with anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// As numpy 1.26's `around`: multiply by 10^5, round to the nearest integer (halves to even), divide by 10^5.
    ///
    /// The product is rounded itself, so a score that lies close to a half may go either way; a score beyond
    /// 1.8 · 10^303 overflows to an infinity. That is what the reference does, too.
    #[default]
    Numpy,
    /// As Python's `round` on floats: correctly rounded on the exact binary value, halves to even.
    Python,
    /// The score is a whole number already; nothing is rounded.
    Integer,
}

impl Rounding {
    /// The rounded score. Infinities and NaN stay what they are.
    ///
    /// ```
    /// use podium::Rounding;
    /// assert_eq!(Rounding::Python.round(2.5e-5), 3e-5);
    /// assert_eq!(Rounding::Numpy.round(2.5e-5), 2e-5);
    /// ```
    pub fn round(self, score: f64) -> f64 {
        match self {
            Rounding::Numpy => (score * 1e5).round_ties_even() / 1e5,
            Rounding::Python => round_exactly(score),
            Rounding::Integer => score,
        }
    }
}

/// The double closest to the decimal number that is closest to the exact value of `score`.
fn round_exactly(score: f64) -> f64 {
    if !score.is_finite() {
        return score;
    }
    // The standard library prints the exact value and breaks exact halves to even; parsing is correctly rounded.
    format!("{score:.DECIMAL_PLACES$}").parse().unwrap_or(score)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Rounding;

    /// Score, what Python 3.11 makes of it as a float, what numpy 1.26.4 makes of it as a float64.
    #[rustfmt::skip]
    const CASES: &[(f64, f64, f64)] = &[
        (0.0, 0.0, 0.0),
        (-0.0, -0.0, -0.0),
        (2.5e-05, 3e-05, 2e-05),
        (-2.5e-05, -3e-05, -2e-05),
        (5e-06, 1e-05, 0.0),
        (1.5e-05, 2e-05, 2e-05),
        (0.015625, 0.01562, 0.01562),
        (0.046875, 0.04688, 0.04688),
        (0.078125, 0.07812, 0.07812),
        (1.015625, 1.01562, 1.01562),
        (-0.046875, -0.04688, -0.04688),
        (0.123455, 0.12345, 0.12346),
        (0.123465, 0.12347, 0.12346),
        (1.000005, 1.00001, 1.0),
        (2.675, 2.675, 2.675),
        (0.999995, 0.99999, 1.0),
        (0.9999949999999999, 0.99999, 0.99999),
        (0.5, 0.5, 0.5),
        (1e16, 1e16, 1e16),
        (123456789.123455, 123456789.12346, 123456789.12346),
        (1e300, 1e300, 1.0000000000000002e300),
        (1e304, 1e304, f64::INFINITY),
        (f64::MAX, f64::MAX, f64::INFINITY),
        (5e-324, 0.0, 0.0),
        (f64::INFINITY, f64::INFINITY, f64::INFINITY),
        (f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        (0.829525, 0.82952, 0.82952),
        (0.829535, 0.82954, 0.82954),
        (1.0000049999999998, 1.0, 1.0),
        (1e-05, 1e-05, 1e-05),
        (9.5e-06, 1e-05, 1e-05),
        (4.999999999999999e-06, 0.0, 0.0),
        (5.000000000000001e-06, 1e-05, 1e-05),
        (-4e-06, -0.0, -0.0),
        (100000.000005, 100000.0, 100000.0),
        (0.848905, 0.84891, 0.8489),
        (1.706385, 1.70639, 1.70638),
        (0.126575, 0.12657, 0.12658),
        (1.5277450000000001, 1.52775, 1.52774),
        (1.330215, 1.33021, 1.33022),
        (0.225305, 0.22531, 0.2253),
        (1.096215, 1.09621, 1.09622),
        (0.183125, 0.18313, 0.18312),
        (0.630885, 0.63089, 0.63088),
        (1.112855, 1.11285, 1.11286),
        (1.653145, 1.65315, 1.65314),
        (1.528295, 1.52829, 1.5283),
        (0.162165, 0.16217, 0.16216),
        (1.5349650000000001, 1.53497, 1.53496),
        (0.129995, 0.12999, 0.13),
        (1.459265, 1.45927, 1.45926),
        (1.468685, 1.46869, 1.46868),
        (1.5246250000000001, 1.52463, 1.52462),
        (1.866755, 1.86675, 1.86676),
        (0.164595, 0.16459, 0.1646),
        (1.479455, 1.47945, 1.47946),
        (1.622695, 1.62269, 1.6227),
        (1.301325, 1.30133, 1.30132),
        (1.783625, 1.78363, 1.78362),
        (1.393875, 1.39387, 1.39388),
    ];

    fn same(left: f64, right: f64) -> bool {
        left.to_bits() == right.to_bits()
    }

    #[test]
    fn rounds_as_python_and_numpy_do() {
        for &(score, python, numpy) in CASES {
            let rounded = Rounding::Python.round(score);
            assert!(same(rounded, python), "python: {score:?} gave {rounded:?}, not {python:?}");
            let rounded = Rounding::Numpy.round(score);
            assert!(same(rounded, numpy), "numpy: {score:?} gave {rounded:?}, not {numpy:?}");
            assert!(same(Rounding::Integer.round(score), score));
        }
    }

    #[test]
    fn nan_stays_nan() {
        for rounding in [Rounding::Python, Rounding::Numpy, Rounding::Integer] {
            assert!(rounding.round(f64::NAN).is_nan());
        }
    }

    proptest! {
        #[test]
        fn rounding_twice_changes_nothing(score in -1e6..1e6f64) {
            for rounding in [Rounding::Python, Rounding::Numpy] {
                let once = rounding.round(score);
                prop_assert!(same(rounding.round(once), once));
            }
        }

        #[test]
        fn rounding_keeps_the_order_and_stays_near(left in -1e6..1e6f64, right in -1e6..1e6f64) {
            for rounding in [Rounding::Python, Rounding::Numpy] {
                let (lower, upper) = if left <= right { (left, right) } else { (right, left) };
                prop_assert!(rounding.round(lower) <= rounding.round(upper));
                prop_assert!((rounding.round(left) - left).abs() <= 0.5e-5 + 1e-9);
            }
        }
    }
}
