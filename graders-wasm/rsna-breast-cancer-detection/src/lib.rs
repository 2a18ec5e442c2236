//! Probabilistic F1 of `cancer`, breasts matched by `prediction_id`.
//!
//! Predictions below 0 and above 1 count as 0 and 1; a single missing one makes the score 0.

use podium_grader::frame::match_rows;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics, warn};

struct RsnaBreastCancerDetection;

impl Grader for RsnaBreastCancerDetection {
    const COMPETITION: &'static str = "rsna-breast-cancer-detection";
    const METRIC: &'static str = "probabilistic F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["prediction_id", "cancer"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("prediction_id", &["cancer"], submission, answers)?;
        let predicted = submission.column("cancer")?;
        let score = metrics::probabilistic_f_beta(answers.column("cancer")?, predicted, 1.0)?;
        if predicted.has_missing() {
            warn("column `cancer`: predictions are missing, which makes the score 0");
        }
        Ok(Score::new(score.value)
            .with("probabilistic precision", score.precision)
            .with("probabilistic recall", score.recall))
    }
}

podium_grader::export!(RsnaBreastCancerDetection);
