//! Kendall tau of the cell orders `cell_order` over all notebooks, matched by `id`.
//!
//! The original looks up the ranks of the true order in the predicted one, not the other way around. The number of
//! inversions is the same, but it is the submission in which a cell has to be found.

use podium_grader::frame::match_rows_of_same_set;
use podium_grader::metrics::ranking::inversions;
use podium_grader::text::python_split;
use podium_grader::{Direction, Failure, Frame, Grader, Score};
use rustc_hash::FxHashMap;

struct Ai4Code;

impl Grader for Ai4Code {
    const COMPETITION: &'static str = "AI4Code";
    const METRIC: &'static str = "Kendall tau";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "cell_order"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) =
            match_rows_of_same_set("id", &["cell_order"], submission, answers)?;

        let orders = submission.column("cell_order")?;
        // Values are typed first and written back, so an empty cell is the word nan.
        let (predicted, expected) = (orders.as_text(), answers.column("cell_order")?.as_text());
        let (mut swaps, mut most_swaps, mut in_order) = (0, 0, 0);
        let mut ranks: Vec<u32> = Vec::new();
        for row in 0..answers.len() {
            let mut places: FxHashMap<&str, u32> = FxHashMap::default();
            let mut listed = 0;
            for cell in python_split(predicted.cell(row).text().unwrap_or_default()) {
                places.entry(cell).or_insert(listed);
                listed += 1;
            }
            ranks.clear();
            let mut missing: Option<&str> = None;
            for cell in python_split(expected.cell(row).text().unwrap_or_default()) {
                match places.get(cell) {
                    Some(rank) => ranks.push(*rank),
                    // Of those that are missing the first by its name, so that nothing of the true order is told.
                    None => missing = Some(missing.map_or(cell, |other| other.min(cell))),
                }
            }
            if let Some(cell) = missing {
                return Err(orders.failure_at(
                    row,
                    format_args!(
                        "the cell `{cell}` is missing; list each cell of the notebook once, separated by spaces"
                    ),
                ));
            }
            let cells = ranks.len() as u64;
            if u64::from(listed) != cells {
                return Err(orders.failure_at(
                    row,
                    format_args!("{listed} cells are listed where the notebook has {cells}"),
                ));
            }
            let inversions = inversions(&ranks);
            swaps += inversions;
            most_swaps += cells * cells.saturating_sub(1);
            in_order += u64::from(inversions == 0);
        }
        if most_swaps == 0 {
            return Err(Failure::answers("column `cell_order`: no notebook has two cells"));
        }
        Ok(Score::new(1.0 - (4 * swaps) as f64 / most_swaps as f64)
            .with("swaps of neighbours needed", swaps as f64)
            .with("notebooks", answers.len() as f64)
            .with("notebooks in perfect order", in_order as f64))
    }
}

podium_grader::export!(Ai4Code);
