//! Mean Dice coefficient of the masks `predicted`, pictures matched by `id`.

use podium_grader::frame::{require_same_ids, require_same_length};
use podium_grader::masks::{EmptyCell, Shape, decode_cell};
use podium_grader::metrics::numeric;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

struct HubmapKidneySegmentation;

impl Grader for HubmapKidneySegmentation {
    const COMPETITION: &'static str = "hubmap-kidney-segmentation";
    const METRIC: &'static str = "mean Dice coefficient";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        submission.require_columns(&["id", "predicted"])?;
        answers.require_columns(&["id", "encoding", "width_pixels", "height_pixels"])?;
        require_same_length("id", submission, answers)?;
        require_same_ids("id", submission, answers)?;
        // Sets of ids were compared, so repeated ids may pair up with others here, as they do in the original.
        let submission = submission.sort_by("id")?.identified_by("id")?;
        let answers = answers.sort_by("id")?;

        let ids = answers.column("id")?;
        let (predicted, encoded) = (submission.column("predicted")?, answers.column("encoding")?);
        let (heights, widths) = (answers.column("height_pixels")?, answers.column("width_pixels")?);
        let mut coefficients = Vec::with_capacity(answers.len());
        let mut score = Score::new(0.0);
        for row in 0..answers.len() {
            let pixels = Shape::column_major(size(heights, row)?, size(widths, row)?)
                .pixels()
                .ok_or_else(|| heights.failure_at(row, "the picture has too many pixels"))?;
            let prediction = decode_cell(predicted, row, pixels, EmptyCell::EmptyMask)?;
            let truth = decode_cell(encoded, row, pixels, EmptyCell::Refused)?;
            let coefficient = prediction.dice(&truth).unwrap_or(1.0);
            coefficients.push(coefficient);
            score = score.with(format!("Dice coefficient of {}", ids.cell(row)), coefficient);
        }
        score.value = numeric::mean(&coefficients);
        Ok(score)
    }
}

/// A size in pixels.
fn size(column: &Column, row: usize) -> Result<u64, Failure> {
    match column.cell(row) {
        Cell::Int(size) if size >= 0 => Ok(size as u64),
        _ => Err(column.failure_at(row, "not a size in pixels")),
    }
}

podium_grader::export!(HubmapKidneySegmentation);
