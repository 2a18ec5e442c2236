//! Accuracy of `Sentiment`, phrases matched by `PhraseId`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct MovieReviewSentiment;

impl Grader for MovieReviewSentiment {
    const COMPETITION: &'static str = "movie-review-sentiment-analysis-kernels-only";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["PhraseId", "Sentiment"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy(submission, answers, "PhraseId", "Sentiment")
    }
}

podium_grader::export!(MovieReviewSentiment);
