//! Area under the ROC curve of `target`, rows matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct TabularPlaygroundMay2022;

impl Grader for TabularPlaygroundMay2022 {
    const COMPETITION: &'static str = "tabular-playground-series-may-2022";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "target"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "id", "target")
    }
}

podium_grader::export!(TabularPlaygroundMay2022);
