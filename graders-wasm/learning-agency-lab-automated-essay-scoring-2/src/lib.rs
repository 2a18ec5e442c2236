//! Quadratic weighted kappa of `score`, essays matched by `essay_id`.
//!
//! The weights go by the place of a score among all that occur, predicted or true, and not by its value.

use podium_grader::families::classes::with_recalls;
use podium_grader::frame::match_rows;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics};

struct AutomatedEssayScoring2;

impl Grader for AutomatedEssayScoring2 {
    const COMPETITION: &'static str = "learning-agency-lab-automated-essay-scoring-2";
    const METRIC: &'static str = "quadratic weighted kappa";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["essay_id", "score"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("essay_id", &["score"], submission, answers)?;
        let (predicted, truth) = (submission.column("score")?, answers.column("score")?);
        let score = Score::new(metrics::quadratic_kappa(predicted, truth)?)
            .with("accuracy", metrics::accuracy(truth, predicted)?);
        with_recalls(score, truth, predicted)
    }
}

podium_grader::export!(AutomatedEssayScoring2);
