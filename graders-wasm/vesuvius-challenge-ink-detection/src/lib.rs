//! Mean F0.5 of the pixels of the masks `Predicted`, fragments paired by their place in the file.

use podium_grader::frame::require_same_length;
use podium_grader::masks::{EmptyCell, Shape, decode_cell};
use podium_grader::metrics::{ConfusionCounts, numeric};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

struct VesuviusInkDetection;

impl Grader for VesuviusInkDetection {
    const COMPETITION: &'static str = "vesuvius-challenge-ink-detection";
    const METRIC: &'static str = "F0.5 of the pixels";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_exact_columns(&["Id", "Predicted", "width", "height"])?;
        submission.require_exact_columns(&["Id", "Predicted"])?;
        require_same_length("Id", submission, answers)?;
        let submission = submission.identified_by("Id")?;

        let (ids, expected_ids) = (submission.column("Id")?, answers.column("Id")?);
        let (predicted, encoded) = (submission.column("Predicted")?, answers.column("Predicted")?);
        let heights = answers.column("height")?.to_i64()?;
        let widths = answers.column("width")?.to_i64()?;
        let mut scores = Vec::with_capacity(answers.len());
        let mut score = Score::new(0.0);
        for row in 0..answers.len() {
            let (id, expected) = (ids.cell(row), expected_ids.cell(row));
            if !id.equals(expected) {
                return Err(ids.failure_at(
                    row,
                    format_args!(
                        "expected the id {}; the fragments have to be in the order of the sample",
                        expected.describe()
                    ),
                ));
            }
            let pixels = match (u64::try_from(heights[row]), u64::try_from(widths[row])) {
                (Ok(height), Ok(width)) => Shape::row_major(height, width).pixels(),
                _ => None,
            };
            let pixels = pixels.ok_or_else(|| {
                Failure::answers("columns `height`, `width`: not the size of a picture")
            })?;
            let prediction = decode_cell(predicted, row, pixels, EmptyCell::Refused)?;
            let truth = decode_cell(encoded, row, pixels, EmptyCell::Refused)?;
            let counts = ConfusionCounts {
                true_positives: prediction.intersection_area(&truth),
                predicted: prediction.area(),
                actual: truth.area(),
            };
            scores.push(counts.f_beta(0.5));
            score = score
                .with(format!("F0.5 of {expected}"), counts.f_beta(0.5))
                .with(format!("precision of {expected}"), counts.f_beta(0.0))
                .with(
                    format!("recall of {expected}"),
                    counts.true_positives as f64 / counts.actual as f64,
                );
        }
        score.value = numeric::mean(&scores);
        Ok(score)
    }
}

podium_grader::export!(VesuviusInkDetection);
