//! Mean precision of the masks `rle_mask` over ten thresholds of the intersection over union, pictures matched by `id`.

use podium_grader::frame::align_on;
use podium_grader::masks::{EmptyCell, Mask, Shape, decode_cell};
use podium_grader::metrics::numeric;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

/// Rows and columns of each picture.
const SIDE: u64 = 101;
/// How many thresholds there are, from 0.5 on.
const THRESHOLDS: usize = 10;

struct TgsSaltIdentification;

impl Grader for TgsSaltIdentification {
    const COMPETITION: &'static str = "tgs-salt-identification-challenge";
    const METRIC: &'static str = "mean precision over intersection-over-union thresholds";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        submission.require_columns(&["id"])?;
        let submission = &submission.identified_by("id")?;
        for table in [answers, submission] {
            table.require_exact_columns(&["id", "rle_mask"])?;
            require_text(table.column("id")?)?;
            require_text(table.column("rle_mask")?)?;
        }
        let (submission, answers) = align_on("id", submission, answers)?;

        let pixels = Shape::column_major(SIDE, SIDE).pixels().unwrap_or_default();
        let (predicted, encoded) = (submission.column("rle_mask")?, answers.column("rle_mask")?);
        let mut hits = [0_usize; THRESHOLDS];
        let precisions: Vec<f64> = (0..answers.len())
            .map(|row| {
                let mask = |column| decode_cell(column, row, pixels, EmptyCell::EmptyMask);
                let found = thresholds_met(&mask(encoded)?, &mask(predicted)?, pixels);
                hits[..found].iter_mut().for_each(|hits| *hits += 1);
                Ok(found as f64 / THRESHOLDS as f64)
            })
            .collect::<Result<_, Failure>>()?;
        let score = Score::new(numeric::mean(&precisions));
        Ok((0..THRESHOLDS).zip(hits).fold(score, |score, (place, hits)| {
            let share = hits as f64 / precisions.len() as f64;
            score.with(format!("precision at {:.2}", threshold(place)), share)
        }))
    }
}

/// Checks that a column is text: as pandas reads it, a column of nothing but numbers is not.
fn require_text(column: &Column) -> Result<(), Failure> {
    let no_text = |cell: Cell<'_>| cell.text().is_none() && !cell.is_missing();
    match column.cells().position(no_text) {
        None => Ok(()),
        Some(row) => Err(column.unexpected(row, "text")),
    }
}

/// How many of the thresholds, from the lowest on, the overlap of two masks exceeds. All, if both are empty; none, if
/// there is nothing to be found.
fn thresholds_met(truth: &Mask, predicted: &Mask, pixels: u64) -> usize {
    if truth.is_empty() {
        return if predicted.is_empty() { THRESHOLDS } else { 0 };
    }
    // The original sorts pixels into two bins between the smallest and the largest value. With all of them 0, the one
    // that they fall into is the bin of salt, so an empty mask is graded as a full one.
    let (shared, predicted_area) = if predicted.is_empty() {
        (truth.area(), pixels)
    } else {
        (truth.intersection_area(predicted), predicted.area())
    };
    let overlap = shared as f64 / (truth.area() + predicted_area - shared) as f64;
    (0..THRESHOLDS).take_while(|place| overlap > threshold(*place)).count()
}

/// A value of `numpy.arange(0.5, 1.0, 0.05)`, with its roundings.
fn threshold(place: usize) -> f64 {
    const START: f64 = 0.5;
    const STEP: f64 = (START + 0.05) - START;
    START + place as f64 * STEP
}

podium_grader::export!(TgsSaltIdentification);
