//! Leaderboards out of any CSV.

use podium::{Direction, Leaderboard, Thresholds};

/// Reads any bytes as a leaderboard, for both directions of a metric.
///
/// - Scores are finite and stand best first.
/// - A board that is written is read as the same board.
/// - A team's own score ranks no later than the team stands; what is better than the best ranks first.
/// - Medal lines are scores of the board, gold no worse than silver, silver no worse than bronze.
pub fn leaderboards(bytes: &[u8]) {
    for direction in [Direction::HigherIsBetter, Direction::LowerIsBetter] {
        let Ok(board) = Leaderboard::parse(bytes, direction) else { continue };
        let scores = board.scores();
        assert_eq!(scores.len(), board.teams());
        assert!(!scores.is_empty() && scores.iter().all(|score| score.is_finite()));
        let in_order = |better: f64, worse: f64| match direction {
            Direction::HigherIsBetter => better >= worse,
            Direction::LowerIsBetter => better <= worse,
        };
        assert!(scores.windows(2).all(|pair| in_order(pair[0], pair[1])), "{scores:?}");

        let written: String = scores.iter().map(|score| format!("{score:?}\n")).collect();
        let again = Leaderboard::parse(format!("score\n{written}").as_bytes(), direction)
            .expect("a board that was written");
        assert_eq!(again, board);

        for (place, score) in (1..).zip(scores) {
            let rank = board.rank(*score, direction).expect("a number has a rank");
            assert!((1..=place).contains(&rank), "{score}: {rank} at {place}");
        }
        let best = if direction.is_lower_better() { f64::NEG_INFINITY } else { f64::INFINITY };
        assert_eq!(board.rank(best, direction), Some(1));
        assert_eq!(board.rank(-best, direction), Some(board.teams() + 1));
        assert_eq!(board.rank(f64::NAN, direction), None);

        let Thresholds { gold, silver, bronze, .. } = Thresholds::from_leaderboard(&board);
        assert!([gold, silver, bronze].iter().all(|line| scores.contains(line)));
        assert!(in_order(gold, silver) && in_order(silver, bronze), "{gold} {silver} {bronze}");
    }
}
