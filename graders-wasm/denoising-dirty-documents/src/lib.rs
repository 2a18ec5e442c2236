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
        let mut start = 0;
        while start < rows.len() {
            let Some(picture) = picture(ids, start) else {
                start += 1;
                continue;
            };
            let others = (start..ids.len()).find(|row| !is_of(ids, *row, picture));
            let rows = &rows[start..others.unwrap_or(ids.len())];
            let error = metrics::root_mean_squared_error(&truth.take(rows), &predicted.take(rows))?;
            score = score.with(format!("root mean squared error of picture {picture}"), error);
            start += rows.len();
        }
        Ok(score)
    }
}

/// The picture that a pixel is of.
fn picture(ids: &Column, row: usize) -> Option<&str> {
    ids.cell(row).text()?.split_once('_').map(|(picture, _)| picture)
}

/// Whether a pixel is of that picture.
fn is_of(ids: &Column, row: usize, picture: &str) -> bool {
    let of_picture =
        |id: &str| id.strip_prefix(picture).is_some_and(|place| place.starts_with('_'));
    ids.cell(row).text().is_some_and(of_picture)
}

podium_grader::export!(DenoisingDirtyDocuments);
