//! Competitions in which a row is a list of guesses, the best first, separated by single spaces.

use rustc_hash::FxHashSet;

use crate::frame::{Cell, Column};
use crate::grader::Score;
use crate::metrics::{numeric, ranking::average_precision_at_k};

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
    let precisions: Vec<f64> = wanted
        .cells()
        .zip(guesses.cells())
        .map(|(wanted, guesses)| {
            let wanted: FxHashSet<&str> = elements(wanted).collect();
            let guesses: Vec<&str> = elements(guesses).take(k).collect();
            first_right += usize::from(guesses.first().is_some_and(|first| wanted.contains(first)));
            average_precision_at_k(&wanted, &guesses, k)
        })
        .collect();
    let hits = precisions.iter().filter(|precision| **precision > 0.0).count();
    Score::new(numeric::mean(&precisions))
        .with(rows, precisions.len() as f64)
        .with(format!("{rows} with a hit"), hits as f64)
        .with(format!("{rows} whose first guess is right"), first_right as f64)
}

fn elements(row: Cell<'_>) -> impl Iterator<Item = &str> {
    row.text().unwrap_or_default().split(' ')
}

#[cfg(test)]
mod tests {
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
}
