//! A histogram of a leaderboard: how many teams have a score between two others.

use podium::{Direction, Leaderboard};
use serde::Serialize;

/// A bin of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// The end with the better scores; belongs to the bin.
    pub best: f64,
    /// The end with the worse scores; belongs to the next bin, but for the last one's.
    pub worst: f64,
    /// How many teams are in it.
    pub teams: usize,
}

/// Counts the teams of a board in bins of the same width, best first.
///
/// The worst scores of most boards are far away from all others, so the bins of equal width reach down to the score that
/// 95 % of the teams are at least as good as; the last bin holds whoever is worse.
pub fn histogram(board: &Leaderboard, direction: Direction, bins: usize) -> Vec<Bin> {
    let scores = board.scores();
    let (best, last) = (scores[0], scores[scores.len() - 1]);
    let worst = scores[(scores.len() * 95 / 100).min(scores.len() - 1)];
    let width = (worst - best) / bins.max(1) as f64;
    if width == 0.0 || !width.is_finite() {
        let here = scores.partition_point(|score| !direction.is_better(best, *score));
        let mut all = vec![Bin { best, worst: best, teams: here }];
        if here < scores.len() {
            all.push(Bin { best: scores[here], worst: last, teams: scores.len() - here });
        }
        return all;
    }
    let ends: Vec<f64> = (0..bins).map(|bin| best + width * (bin + 1) as f64).collect();
    let mut first = 0;
    let mut counted: Vec<Bin> = Vec::with_capacity(bins + 1);
    for (bin, &end) in ends.iter().enumerate() {
        // The end of the last of them is the score itself, whatever the sum of widths rounds to.
        let is_last = bin + 1 == bins;
        let end = if is_last { worst } else { end };
        let next = scores.partition_point(|score| {
            direction.is_better(*score, end) || (is_last && *score == end)
        });
        let next = next.max(first);
        counted.push(Bin { best: best + width * bin as f64, worst: end, teams: next - first });
        first = next;
    }
    if first < scores.len() {
        counted.push(Bin { best: worst, worst: last, teams: scores.len() - first });
    }
    counted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Direction::{HigherIsBetter as Higher, LowerIsBetter as Lower};

    fn counts(scores: &[f64], direction: Direction, bins: usize) -> Vec<usize> {
        let board = Leaderboard::from_scores(scores.to_vec(), direction).unwrap();
        histogram(&board, direction, bins).iter().map(|bin| bin.teams).collect()
    }

    #[test]
    fn teams_are_counted_from_the_best_on() {
        assert_eq!(counts(&[4.0, 3.0, 2.0, 1.0, 0.0], Higher, 2), [2, 3]);
        assert_eq!(counts(&[0.0, 1.0, 2.0, 3.0, 4.0], Lower, 4), [1, 1, 1, 2]);
        assert_eq!(counts(&[1.0; 7], Lower, 5), [7]);
        assert_eq!(counts(&[0.5], Higher, 5), [1]);
        let mut far: Vec<f64> = (0..99).map(f64::from).collect();
        far.push(1e9);
        let all = counts(&far, Lower, 5);
        assert_eq!((all.len(), all[5]), (6, 4));
    }

    proptest! {
        #[test]
        fn each_team_is_counted_once(mut scores in prop::collection::vec(-1e3..1e3f64, 1..300), bins in 1..30_usize) {
            scores.sort_by(f64::total_cmp);
            prop_assert_eq!(counts(&scores, Lower, bins).iter().sum::<usize>(), scores.len());
            scores.reverse();
            prop_assert_eq!(counts(&scores, Higher, bins).iter().sum::<usize>(), scores.len());
        }
    }
}
