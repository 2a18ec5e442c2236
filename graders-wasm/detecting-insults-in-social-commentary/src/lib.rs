//! Area under the ROC curve of `Insult`, comments matched by `Comment`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct DetectingInsults;

impl Grader for DetectingInsults {
    const COMPETITION: &'static str = "detecting-insults-in-social-commentary";
    const METRIC: &'static str = "area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Comment", "Insult"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::roc_auc::roc_auc(submission, answers, "Comment", "Insult")
    }
}

podium_grader::export!(DetectingInsults);
