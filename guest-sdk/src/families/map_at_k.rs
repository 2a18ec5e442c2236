//! Competitions in which a row is a list of guesses, the best first, separated by single spaces.

use rustc_hash::FxHashSet;

use crate::frame::{Cell, Column};
use crate::grader::Score;
use crate::metrics::{numeric, ranking::average_precision_at_k};
use crate::text::{QuickText, between_spaces};

/// So many wanted elements are compared one by one; each of them has a bit of a word.
const MOST_COMPARED: usize = 32;

/// Mean average precision of the first `k` guesses of each row, against what the row of the answers lists; rows of both
/// are paired in their order, as far as the shorter column goes. `rows` says what a row is, in measures.
///
/// Cells are taken as Python's `str()` prints them, so an empty one is the guess `nan`, and a column that reads as
/// numbers has lost how they were written. Two spaces enclose an empty guess, which takes up a rank.
///
/// # Panics
/// Where `k` is 0.
pub fn map_at_k(wanted: &Column, guesses: &Column, k: usize, rows: &str) -> Score {
    let (wanted, guesses) = (wanted.as_text(), guesses.as_text());
    let mut first_right = 0;
    let mut row = Row::default();
    let precisions: Vec<f64> = wanted
        .cells()
        .zip(guesses.cells())
        .map(|(wanted, guesses)| {
            let (precision, is_first_right) = row.precision(wanted, guesses, k);
            first_right += usize::from(is_first_right);
            precision
        })
        .collect();
    let hits = precisions.iter().filter(|precision| **precision > 0.0).count();
    Score::new(numeric::mean(&precisions))
        .with(rows, precisions.len() as f64)
        .with(format!("{rows} with a hit"), hits as f64)
        .with(format!("{rows} whose first guess is right"), first_right as f64)
}

/// What is worked out of a row at a time.
#[derive(Default)]
struct Row<'a> {
    /// What is wanted, each once.
    wanted: Vec<QuickText<'a>>,
}

impl<'a> Row<'a> {
    /// The average precision of the first `k` guesses as [`average_precision_at_k`] has it, and whether the first guess is
    /// right.
    fn precision(&mut self, wanted: Cell<'a>, guesses: Cell<'_>, k: usize) -> (f64, bool) {
        assert!(k > 0, "the first 0 guesses have no precision");
        self.wanted.clear();
        for element in elements(wanted) {
            let element = QuickText::of(element.as_bytes());
            if !self.wanted.contains(&element) {
                self.wanted.push(element);
            }
            if self.wanted.len() > MOST_COMPARED {
                return precision_by_sets(wanted, guesses, k);
            }
        }
        let (mut found, mut is_first_right) = (0_u32, false);
        let (mut hits, mut score) = (0.0, 0.0);
        for (rank, guess) in elements(guesses).take(k).enumerate() {
            let guess = QuickText::of(guess.as_bytes());
            if let Some(place) = self.wanted.iter().position(|wanted| *wanted == guess) {
                is_first_right |= rank == 0;
                if found >> place & 1 == 0 {
                    found |= 1 << place;
                    hits += 1.0;
                    score += hits / (rank as f64 + 1.0);
                }
            }
        }
        (score / self.wanted.len().min(k) as f64, is_first_right)
    }
}

/// As [`Row::precision`], where much is wanted.
fn precision_by_sets(wanted: Cell<'_>, guesses: Cell<'_>, k: usize) -> (f64, bool) {
    let wanted: FxHashSet<&str> = elements(wanted).collect();
    let guesses: Vec<&str> = elements(guesses).take(k).collect();
    let is_first_right = guesses.first().is_some_and(|first| wanted.contains(first));
    (average_precision_at_k(&wanted, &guesses, k), is_first_right)
}

fn elements(row: Cell<'_>) -> impl Iterator<Item = &str> {
    between_spaces(row.text().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::{Objects, Role, Values};

    fn column(role: Role, rows: &[&str]) -> Column {
        let objects: Objects = rows.iter().map(|row| Cell::Text(row)).collect();
        Column::new("guesses", role, Values::Object(objects))
    }

    #[test]
    fn guesses_lose_worth_with_their_rank() {
        let wanted = column(Role::Answers, &["a", "b", "c d", "e"]);
        let guesses = column(Role::Submission, &["a x", "x b", "x  c d", "f", "beyond"]);
        let score = map_at_k(&wanted, &guesses, 3, "pictures");
        assert_eq!(score.value, (1.0 + 0.5 + (1.0 / 3.0) / 2.0 + 0.0) / 4.0);
        let measures: Vec<(&str, f64)> =
            score.measures.iter().map(|measure| (measure.name.as_str(), measure.value)).collect();
        assert_eq!(
            measures,
            [
                ("pictures", 4.0),
                ("pictures with a hit", 3.0),
                ("pictures whose first guess is right", 1.0)
            ]
        );
    }

    #[test]
    fn numbers_are_compared_as_they_are_printed() {
        let wanted = column(Role::Answers, &["7", "8.0", "nan"]);
        let guesses =
            Column::new("guesses", Role::Submission, Values::Float64(vec![7.0, 8.0, f64::NAN]));
        assert_eq!(map_at_k(&wanted, &guesses, 5, "rows").value, 2.0 / 3.0);
    }

    proptest! {
        #[test]
        fn rows_are_scored_as_sets_are(
            rows in prop::collection::vec(
                ("([a-c]{0,1} ){0,4}[a-c]|([a-z]{1,2} ){0,50}", "([a-c]{0,1} ){0,9}[a-c]|([a-z]{1,2} ){0,50}"),
                1..6,
            ),
            k in 1_usize..14,
        ) {
            let mut row = Row::default();
            for (wanted, guesses) in &rows {
                let (wanted, guesses) = (Cell::Text(wanted), Cell::Text(guesses));
                prop_assert_eq!(
                    row.precision(wanted, guesses, k),
                    precision_by_sets(wanted, guesses, k)
                );
            }
        }
    }
}
