//! The lines on a leaderboard that earn a medal, and what a score earns.
//!
//! Relies on [`leaderboard`](crate::Leaderboard) only for where lines come from when a competition does not state them.
//! Scores that arrive here are rounded already (see [`Rounding`](crate::Rounding)).

use serde::{Deserialize, Serialize};

use crate::grader::Direction;

/// A medal of a competition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Medal {
    /// The third-best kind.
    Bronze,
    /// The second-best kind.
    Silver,
    /// The best kind.
    Gold,
}

impl Medal {
    /// The name: `gold`.
    pub fn name(self) -> &'static str {
        match self {
            Medal::Bronze => "bronze",
            Medal::Silver => "silver",
            Medal::Gold => "gold",
        }
    }
}

/// The worst scores that still earn each medal, and the median of the leaderboard.
///
/// All four are finite, and ordered: gold is at least as good as silver, silver as bronze.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// A score as good as this one earns gold.
    pub gold: f64,
    /// A score as good as this one earns silver.
    pub silver: f64,
    /// A score as good as this one earns bronze.
    pub bronze: f64,
    /// A score has to be better than this one to be above the median.
    pub median: f64,
}

/// What a score earns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Award {
    /// The best medal that the score earns.
    pub medal: Option<Medal>,
    /// Whether the score is strictly better than the median.
    pub above_median: bool,
}

/// How far a score lies from each line: positive is better than the line, zero is on it, negative falls short of it,
/// whatever the direction of the metric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distances {
    /// From the gold line.
    pub gold: f64,
    /// From the silver line.
    pub silver: f64,
    /// From the bronze line.
    pub bronze: f64,
    /// From the median.
    pub median: f64,
}

impl Direction {
    /// Whether `left` is strictly better than `right`; never with a NaN on either side.
    pub fn is_better(self, left: f64, right: f64) -> bool {
        match self {
            Direction::HigherIsBetter => left > right,
            Direction::LowerIsBetter => left < right,
        }
    }
}

impl Thresholds {
    /// What a rounded score earns: medals inclusively, the median strictly. NaN earns nothing; infinities rank.
    pub fn award(&self, score: f64, direction: Direction) -> Award {
        let reaches = |line: f64| match direction {
            Direction::HigherIsBetter => score >= line,
            Direction::LowerIsBetter => score <= line,
        };
        let medal = if reaches(self.gold) {
            Some(Medal::Gold)
        } else if reaches(self.silver) {
            Some(Medal::Silver)
        } else if reaches(self.bronze) {
            Some(Medal::Bronze)
        } else {
            None
        };
        Award { medal, above_median: direction.is_better(score, self.median) }
    }

    /// How far a finite score lies from each line; `None` for infinities and NaN.
    pub fn distances(&self, score: f64, direction: Direction) -> Option<Distances> {
        let ahead_of = |line: f64| match direction {
            // Adding zero turns a negative zero into a plain one.
            Direction::HigherIsBetter => score - line + 0.0,
            Direction::LowerIsBetter => line - score + 0.0,
        };
        score.is_finite().then(|| Distances {
            gold: ahead_of(self.gold),
            silver: ahead_of(self.silver),
            bronze: ahead_of(self.bronze),
            median: ahead_of(self.median),
        })
    }

    /// Says what is wrong with these lines under this direction, if anything is.
    pub fn check(&self, direction: Direction) -> Result<(), String> {
        let named = [
            ("gold", self.gold),
            ("silver", self.silver),
            ("bronze", self.bronze),
            ("median", self.median),
        ];
        if let Some((name, line)) = named.iter().find(|(_, line)| !line.is_finite()) {
            return Err(format!("`{name}` is {line}: a medal line has to be a finite number"));
        }
        for pair in named[..3].windows(2) {
            let ((better, better_line), (worse, worse_line)) = (pair[0], pair[1]);
            if direction.is_better(worse_line, better_line) {
                return Err(format!(
                    "`{worse}` ({worse_line}) is better than `{better}` ({better_line}) although {direction}: \
                     check the two lines and the direction of the metric"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Direction::{HigherIsBetter as Higher, LowerIsBetter as Lower};
    use Medal::{Bronze, Gold, Silver};

    const RISING: Thresholds = Thresholds { gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.5 };
    const FALLING: Thresholds = Thresholds { gold: 0.1, silver: 0.2, bronze: 0.3, median: 0.5 };

    #[test]
    fn medals_are_inclusive_and_the_median_is_strict() {
        let cases: &[(Thresholds, Direction, f64, Option<Medal>, bool)] = &[
            (RISING, Higher, 0.95, Some(Gold), true),
            (RISING, Higher, 0.9, Some(Gold), true),
            (RISING, Higher, 0.89999, Some(Silver), true),
            (RISING, Higher, 0.8, Some(Silver), true),
            (RISING, Higher, 0.7, Some(Bronze), true),
            (RISING, Higher, 0.69999, None, true),
            (RISING, Higher, 0.50001, None, true),
            (RISING, Higher, 0.5, None, false),
            (RISING, Higher, f64::INFINITY, Some(Gold), true),
            (RISING, Higher, f64::NEG_INFINITY, None, false),
            (RISING, Higher, f64::NAN, None, false),
            (FALLING, Lower, 0.05, Some(Gold), true),
            (FALLING, Lower, 0.1, Some(Gold), true),
            (FALLING, Lower, 0.10001, Some(Silver), true),
            (FALLING, Lower, 0.2, Some(Silver), true),
            (FALLING, Lower, 0.3, Some(Bronze), true),
            (FALLING, Lower, 0.30001, None, true),
            (FALLING, Lower, 0.5, None, false),
            (FALLING, Lower, f64::NEG_INFINITY, Some(Gold), true),
            (FALLING, Lower, f64::INFINITY, None, false),
            (FALLING, Lower, f64::NAN, None, false),
        ];
        for &(lines, direction, score, medal, above_median) in cases {
            let award = lines.award(score, direction);
            assert_eq!(award, Award { medal, above_median }, "{score}, {direction}");
        }
    }

    #[test]
    fn equal_lines_give_the_best_medal() {
        let lines = Thresholds { gold: 1.0, silver: 1.0, bronze: 1.0, median: 0.9991 };
        assert_eq!(lines.award(1.0, Higher).medal, Some(Gold));
        assert_eq!(lines.award(0.99999, Higher).medal, None);
    }

    #[test]
    fn distances_are_positive_on_the_better_side() {
        let distances = FALLING.distances(0.25, Lower).unwrap();
        assert!(distances.gold < 0.0 && distances.silver < 0.0);
        assert!(distances.bronze > 0.0 && distances.median == 0.25);
        assert_eq!(RISING.distances(0.9, Higher).unwrap().gold.to_bits(), 0.0f64.to_bits());
        assert_eq!(RISING.distances(f64::INFINITY, Higher), None);
        assert_eq!(RISING.distances(f64::NAN, Higher), None);
    }

    #[test]
    fn lines_out_of_order_are_refused() {
        assert!(RISING.check(Higher).is_ok());
        assert!(FALLING.check(Lower).is_ok());
        assert!(RISING.check(Lower).unwrap_err().contains("`silver`"));
        let broken = Thresholds { bronze: f64::NAN, ..RISING };
        assert!(broken.check(Higher).unwrap_err().contains("`bronze`"));
    }

    proptest! {
        #[test]
        fn a_better_score_never_earns_less(
            left in -1.0..2.0f64, right in -1.0..2.0f64, higher in any::<bool>()
        ) {
            let (lines, direction) = if higher { (RISING, Higher) } else { (FALLING, Lower) };
            let (better, worse) =
                if direction.is_better(left, right) { (left, right) } else { (right, left) };
            prop_assert!(lines.award(better, direction).medal >= lines.award(worse, direction).medal);
            prop_assert!(
                lines.award(better, direction).above_median >= lines.award(worse, direction).above_median
            );
        }
    }
}
