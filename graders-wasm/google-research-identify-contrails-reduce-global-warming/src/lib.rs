//! Global Dice coefficient of the masks `encoded_pixels`, records matched by `record_id`.

use podium_grader::frame::align_on;
use podium_grader::masks::{EmptyCell, Mask, Shape, decode_cell};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct IdentifyContrails;

impl Grader for IdentifyContrails {
    const COMPETITION: &'static str = "google-research-identify-contrails-reduce-global-warming";
    const METRIC: &'static str = "global Dice coefficient";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_exact_columns(&["record_id", "encoded_pixels", "height", "width"])?;
        submission.require_columns(&["record_id", "encoded_pixels"])?;
        let (submission, answers) = align_on("record_id", submission, answers)?;

        let predicted = submission.column("encoded_pixels")?;
        let encoded = answers.column("encoded_pixels")?;
        let heights = answers.column("height")?.to_i64()?;
        let widths = answers.column("width")?.to_i64()?;
        let (mut shared, mut predicted_pixels, mut true_pixels) = (0, 0, 0);
        for row in 0..answers.len() {
            // The pixels of all records are counted together, so the records have to be of one size.
            let pixels = match (u64::try_from(heights[row]), u64::try_from(widths[row])) {
                (Ok(height), Ok(width))
                    if heights[row] == heights[0] && widths[row] == widths[0] =>
                {
                    Shape::column_major(height, width).pixels()
                }
                _ => None,
            };
            let pixels = pixels.ok_or_else(|| {
                Failure::answers("columns `height`, `width`: the records are not of one size")
            })?;
            let prediction = mask(predicted, row, pixels)?;
            let truth = mask(encoded, row, pixels)?;
            shared += prediction.intersection_area(&truth);
            predicted_pixels += prediction.area();
            true_pixels += truth.area();
        }
        let areas = predicted_pixels + true_pixels;
        let value = if areas == 0 { f64::NAN } else { (2 * shared) as f64 / areas as f64 };
        Ok(Score::new(value)
            .with("true positive pixels", shared as f64)
            .with("false positive pixels", (predicted_pixels - shared) as f64)
            .with("false negative pixels", (true_pixels - shared) as f64))
    }
}

/// The mask of a row; exactly `-` stands for the empty one.
fn mask(column: &Column, row: usize, pixels: u64) -> Result<Mask, Failure> {
    if column.cell(row).text() == Some("-") {
        return Ok(Mask::empty());
    }
    decode_cell(column, row, pixels, EmptyCell::Refused)
}

podium_grader::export!(IdentifyContrails);
