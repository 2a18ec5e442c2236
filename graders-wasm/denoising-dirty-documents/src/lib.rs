//! Root mean squared error of the brightness `value` of pixels, matched by `id`.

use podium_grader::frame::match_rows;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics};

struct DenoisingDirtyDocuments;

impl Grader for DenoisingDirtyDocuments {
    const COMPETITION: &'static str = "denoising-dirty-documents";
    const METRIC: &'static str = "root mean squared error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "value"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["value"], submission, answers)?;
        metrics::root_mean_squared_error(answers.column("value")?, submission.column("value")?)
            .map(Score::new)
    }
}

podium_grader::export!(DenoisingDirtyDocuments);
