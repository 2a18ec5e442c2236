//! A private leaderboard: the scores of all teams, best first, and the medal lines that follow from it.
//!
//! Relies on nothing but the `leaderboard.csv` of a competition's folder: a CSV with a header and a column `score`.

use std::path::Path;

use crate::error::Error;
use crate::grader::Direction;
use crate::medals::Thresholds;
use crate::regular_file;

/// No leaderboard is longer: the largest ones have some ten thousand teams.
const MOST_BYTES: u64 = 64 << 20;

/// The scores of a private leaderboard, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaderboard {
    scores: Vec<f64>,
}

impl Leaderboard {
    /// A leaderboard of these scores, best first.
    ///
    /// # Errors
    /// Says which team's score is not a finite number or is better than the one above it, or that there is no team.
    pub fn from_scores(scores: Vec<f64>, direction: Direction) -> Result<Leaderboard, String> {
        if scores.is_empty() {
            return Err("there is no team on it".to_owned());
        }
        for (index, &score) in scores.iter().enumerate() {
            if !score.is_finite() {
                return Err(format!(
                    "the score of team {} is {score}, not a finite number",
                    index + 1
                ));
            }
            if index > 0 && direction.is_better(score, scores[index - 1]) {
                return Err(format!(
                    "team {} ({score}) is better than team {index} ({}) although {direction}: the board \
                     has to be sorted, best first, in the direction of the metric",
                    index + 1,
                    scores[index - 1],
                ));
            }
        }
        Ok(Leaderboard { scores })
    }

    /// Reads a `leaderboard.csv`; columns other than `score` are ignored.
    ///
    /// # Errors
    /// [`Error::Read`] if the file cannot be read, [`Error::Leaderboard`] if it is not such a board.
    pub fn read(path: &Path, direction: Direction) -> Result<Leaderboard, Error> {
        let bytes =
            regular_file::read(path, MOST_BYTES).map_err(|source| Error::read(path, source))?;
        Leaderboard::parse(&bytes, direction)
            .map_err(|message| Error::Leaderboard { path: path.to_owned(), message })
    }

    /// Parses the bytes of a `leaderboard.csv`.
    ///
    /// # Errors
    /// Says in words which line is wrong, and why.
    pub fn parse(bytes: &[u8], direction: Direction) -> Result<Leaderboard, String> {
        let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
        let headers = reader.headers().map_err(|error| not_csv(&error))?;
        let mut columns = (0..headers.len()).filter(|column| &headers[*column] == "score");
        let column = columns.next().ok_or_else(|| {
            let names: Vec<_> = headers.iter().map(|name| format!("`{name}`")).collect();
            format!("it has no column `score`, only {}", names.join(", "))
        })?;
        if columns.next().is_some() {
            return Err("the column `score` is there more than once".to_owned());
        }
        let mut scores = Vec::new();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| not_csv(&error))? {
            let line = record.position().map_or(0, csv::Position::line);
            let cell = record.get(column).unwrap_or_default();
            let score = cell
                .trim()
                .parse()
                .map_err(|_| format!("line {line}: the score `{cell}` is not a number"))?;
            scores.push(score);
        }
        Leaderboard::from_scores(scores, direction)
    }

    /// The scores, best first; there is at least one.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// How many teams are on the board; at least one.
    pub fn teams(&self) -> usize {
        self.scores.len()
    }

    /// The place, from 1 on, that a score would take on this board, in front of all that it equals.
    /// `None` for NaN, which has no place.
    pub fn rank(&self, score: f64, direction: Direction) -> Option<usize> {
        if score.is_nan() {
            return None;
        }
        Some(self.scores.partition_point(|&held| direction.is_better(held, score)) + 1)
    }

    /// The median of the scores, as numpy computes it: the mean of the middle two where their number is even.
    pub fn median(&self) -> f64 {
        let middle = self.teams() / 2;
        if self.teams() % 2 == 1 {
            self.scores[middle]
        } else {
            (self.scores[middle - 1] + self.scores[middle]) / 2.0
        }
    }

    /// The score at a place, from 1 on, never past the last team.
    fn at(&self, place: usize) -> f64 {
        self.scores[place.clamp(1, self.teams()) - 1]
    }
}

/// What is wrong with a file that is no CSV, with the line.
fn not_csv(error: &csv::Error) -> String {
    let line = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line} does not have {expected_len} fields as the header has, but {len}")
        }
        csv::ErrorKind::Utf8 { .. } => format!("line {line} is not UTF-8 text"),
        _ => error.to_string(),
    }
}

impl Thresholds {
    /// The medal lines of a board, by Kaggle's progression rules as the reference applies them:
    ///
    /// | teams | gold | silver | bronze |
    /// |---|---|---|---|
    /// | 1–99 | 10 % | 20 % | 40 % |
    /// | 100–249 | place 10 | 20 % | 40 % |
    /// | 250–999 | place 10 + 0.2 % | place 50 | place 100 |
    /// | 1000 and more | place 10 + 0.2 % | 5 % | 10 % |
    ///
    /// Percentages are computed in floating point and cut, not rounded, to a place; place 1 is the least.
    pub fn from_leaderboard(board: &Leaderboard) -> Thresholds {
        let teams = board.teams();
        // A product of doubles that is cut: 0.2 % of 1,500 teams are 3, whatever exact arithmetic says elsewhere.
        let share = |fraction: f64| (teams as f64 * fraction) as usize;
        let (gold, silver, bronze) = match teams {
            ..100 => (share(0.1), share(0.2), share(0.4)),
            100..250 => (10, share(0.2), share(0.4)),
            250..1000 => (10 + share(0.002), 50, 100),
            1000.. => (10 + share(0.002), share(0.05), share(0.1)),
        };
        Thresholds {
            gold: board.at(gold),
            silver: board.at(silver),
            bronze: board.at(bronze),
            median: board.median(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Direction::{HigherIsBetter as Higher, LowerIsBetter as Lower};

    /// Number of teams, then what the reference's rules give on a board where the team at place n has the score n:
    /// gold, silver, bronze, median.
    #[rustfmt::skip]
    const CASES: &[(usize, f64, f64, f64, f64)] = &[
        (1, 1.0, 1.0, 1.0, 1.0),
        (2, 1.0, 1.0, 1.0, 1.5),
        (3, 1.0, 1.0, 1.0, 2.0),
        (4, 1.0, 1.0, 1.0, 2.5),
        (5, 1.0, 1.0, 2.0, 3.0),
        (7, 1.0, 1.0, 2.0, 4.0),
        (9, 1.0, 1.0, 3.0, 5.0),
        (10, 1.0, 2.0, 4.0, 5.5),
        (14, 1.0, 2.0, 5.0, 7.5),
        (15, 1.0, 3.0, 6.0, 8.0),
        (19, 1.0, 3.0, 7.0, 10.0),
        (20, 2.0, 4.0, 8.0, 10.5),
        (25, 2.0, 5.0, 10.0, 13.0),
        (29, 2.0, 5.0, 11.0, 15.0),
        (30, 3.0, 6.0, 12.0, 15.5),
        (49, 4.0, 9.0, 19.0, 25.0),
        (50, 5.0, 10.0, 20.0, 25.5),
        (99, 9.0, 19.0, 39.0, 50.0),
        (100, 10.0, 20.0, 40.0, 50.5),
        (101, 10.0, 20.0, 40.0, 51.0),
        (105, 10.0, 21.0, 42.0, 53.0),
        (149, 10.0, 29.0, 59.0, 75.0),
        (150, 10.0, 30.0, 60.0, 75.5),
        (199, 10.0, 39.0, 79.0, 100.0),
        (249, 10.0, 49.0, 99.0, 125.0),
        (250, 10.0, 50.0, 100.0, 125.5),
        (251, 10.0, 50.0, 100.0, 126.0),
        (499, 10.0, 50.0, 100.0, 250.0),
        (500, 11.0, 50.0, 100.0, 250.5),
        (750, 11.0, 50.0, 100.0, 375.5),
        (999, 11.0, 50.0, 100.0, 500.0),
        (1000, 12.0, 50.0, 100.0, 500.5),
        (1001, 12.0, 50.0, 100.0, 501.0),
        (1499, 12.0, 74.0, 149.0, 750.0),
        (1500, 13.0, 75.0, 150.0, 750.5),
        (1999, 13.0, 99.0, 199.0, 1000.0),
        (2000, 14.0, 100.0, 200.0, 1000.5),
        (2500, 15.0, 125.0, 250.0, 1250.5),
        (3500, 17.0, 175.0, 350.0, 1750.5),
        (4999, 19.0, 249.0, 499.0, 2500.0),
        (5000, 20.0, 250.0, 500.0, 2500.5),
        (7000, 24.0, 350.0, 700.0, 3500.5),
        (10000, 30.0, 500.0, 1000.0, 5000.5),
        (14500, 39.0, 725.0, 1450.0, 7250.5),
        (29000, 68.0, 1450.0, 2900.0, 14500.5),
    ];

    fn board(scores: &[f64], direction: Direction) -> Leaderboard {
        Leaderboard::from_scores(scores.to_vec(), direction).unwrap()
    }

    #[test]
    fn medal_lines_are_those_of_the_reference_for_every_size_of_board() {
        for &(teams, gold, silver, bronze, median) in CASES {
            let scores: Vec<f64> = (1..=teams).map(|place| place as f64).collect();
            let lines = Thresholds::from_leaderboard(&board(&scores, Lower));
            assert_eq!(lines, Thresholds { gold, silver, bronze, median }, "{teams} teams");
            assert!(lines.check(Lower).is_ok());
            let scores: Vec<f64> = scores.iter().map(|score| -score).collect();
            let lines = Thresholds::from_leaderboard(&board(&scores, Higher));
            let (gold, silver, bronze, median) = (-gold, -silver, -bronze, -median);
            assert_eq!(lines, Thresholds { gold, silver, bronze, median }, "{teams} teams");
        }
    }

    #[test]
    fn a_rank_is_one_more_than_the_teams_that_are_better() {
        let rising = board(&[3.0, 2.0, 2.0, 1.0], Higher);
        for (score, rank) in [
            (f64::INFINITY, Some(1)),
            (3.5, Some(1)),
            (3.0, Some(1)),
            (2.5, Some(2)),
            (2.0, Some(2)),
            (1.5, Some(4)),
            (1.0, Some(4)),
            (0.0, Some(5)),
            (f64::NEG_INFINITY, Some(5)),
            (f64::NAN, None),
        ] {
            assert_eq!(rising.rank(score, Higher), rank, "{score}");
        }
        let falling = board(&[1.0, 2.0, 3.0], Lower);
        assert_eq!(falling.rank(f64::NEG_INFINITY, Lower), Some(1));
        assert_eq!(falling.rank(2.0, Lower), Some(2));
        assert_eq!(falling.rank(9.0, Lower), Some(4));
    }

    #[test]
    fn the_column_is_found_by_its_name() {
        let text = b"team,score,note\na,0.9,\"x, y\"\nb, 0.5 ,z\n";
        assert_eq!(Leaderboard::parse(text, Higher).unwrap().scores(), [0.9, 0.5]);
    }

    #[test]
    fn what_is_no_leaderboard_is_refused_in_words() {
        for (text, part) in [
            ("", "no column `score`"),
            ("score\n", "no team"),
            ("points\n1\n", "no column `score`, only `points`"),
            ("score\n0.9\nx\n", "line 3: the score `x`"),
            ("score\n0.9\n\"\"\n", "line 3: the score ``"),
            ("score\n0.9\nnan\n", "team 2 is NaN"),
            ("score\ninf\n", "team 1 is inf"),
            (
                "score\n0.5\n0.9\n",
                "team 2 (0.9) is better than team 1 (0.5) although higher is better",
            ),
            ("score,x\n0.9\n", "line 2 does not have 2 fields as the header has, but 1"),
            ("score,x,score\n0.9,1,0.8\n", "the column `score` is there more than once"),
            ("score\n0.9\n\u{0}\n", "line 3"),
        ] {
            let message = Leaderboard::parse(text.as_bytes(), Higher).unwrap_err();
            assert!(message.contains(part), "{text:?}: {message}");
        }
        assert!(Leaderboard::parse(b"score\n\xff\n", Higher).is_err());
    }

    proptest! {
        #[test]
        fn lines_are_ordered_and_on_the_board(mut scores in prop::collection::vec(-1e3..1e3f64, 1..1500)) {
            scores.sort_by(f64::total_cmp);
            let board = board(&scores, Lower);
            let lines = Thresholds::from_leaderboard(&board);
            prop_assert!(lines.check(Lower).is_ok());
            for line in [lines.gold, lines.silver, lines.bronze] {
                prop_assert!(scores.contains(&line));
            }
            let better = scores.iter().filter(|&&score| score < lines.median).count();
            prop_assert!(better <= scores.len() / 2);
        }

        #[test]
        fn any_bytes_are_a_board_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Leaderboard::parse(&bytes, Higher);
        }
    }
}
