//! Areas under the ROC curves of two enzyme classes, averaged; molecules matched by `id`.

use podium_grader::frame::{Matrix, match_rows};
use podium_grader::metrics::{self, numeric};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

const CLASSES: [&str; 2] = ["EC1", "EC2"];

struct PlaygroundSeriesS3e18;

impl Grader for PlaygroundSeriesS3e18 {
    const COMPETITION: &'static str = "playground-series-s3e18";
    const METRIC: &'static str = "mean column-wise area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", CLASSES[0], CLASSES[1]]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &CLASSES, submission, answers)?;
        // Any numbers rank the molecules; they need not be probabilities.
        let areas = metrics::roc_auc_by_column(&classes(&answers)?, &classes(&submission)?)?;
        let score = Score::new(numeric::mean(&areas));
        Ok(CLASSES
            .iter()
            .zip(areas)
            .fold(score, |score, (class, area)| score.with(format!("area of {class}"), area)))
    }
}

/// The columns of the classes, in the one type that they have together.
fn classes(table: &Frame) -> Result<Matrix, Failure> {
    let columns: Vec<&Column> =
        CLASSES.iter().map(|class| table.column(class)).collect::<Result<_, _>>()?;
    Ok(Matrix::from_columns(&columns))
}

podium_grader::export!(PlaygroundSeriesS3e18);
