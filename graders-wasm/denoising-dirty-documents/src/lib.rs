//! Root mean squared error of the brightness `value` of pixels, matched by `id`: picture, row and column, as in `4_1_17`.

use podium_grader::families::regression::root_mean_squared_error;
use podium_grader::frame::match_rows;
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score, metrics};

struct DenoisingDirtyDocuments;

impl Grader for DenoisingDirtyDocuments {
    const COMPETITION: &'static str = "denoising-dirty-documents";
    const METRIC: &'static str = "root mean squared error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "value"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["value"], submission, answers)?;
        let (truth, predicted) = (answers.column("value")?, submission.column("value")?);
        let mut score = root_mean_squared_error(truth, predicted)?;
        // The rows are sorted by their ids, so those of a picture are next to each other.
        let ids = answers.column("id")?;
        let rows: Vec<u32> = (0..).take(ids.len()).collect();
        for rows in rows.chunk_by(|row, next| picture(ids, *row) == picture(ids, *next)) {
            let Some(picture) = picture(ids, rows[0]) else { continue };
            let error = metrics::root_mean_squared_error(&truth.take(rows), &predicted.take(rows))?;
            score = score.with(format!("root mean squared error of picture {picture}"), error);
        }
        Ok(score)
    }
}

/// The picture that a pixel is of.
fn picture(ids: &Column, row: u32) -> Option<&str> {
    ids.cell(row as usize).text()?.split_once('_').map(|(picture, _)| picture)
}

podium_grader::export!(DenoisingDirtyDocuments);
