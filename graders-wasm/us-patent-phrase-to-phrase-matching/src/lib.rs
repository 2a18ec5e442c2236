//! Pearson correlation of `score`, pairs of phrases matched by `id`.

use podium_grader::frame::match_rows;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics};

struct UsPatentPhraseToPhraseMatching;

impl Grader for UsPatentPhraseToPhraseMatching {
    const COMPETITION: &'static str = "us-patent-phrase-to-phrase-matching";
    const METRIC: &'static str = "Pearson correlation";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "score"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["score"], submission, answers)?;
        metrics::pearson(answers.column("score")?, submission.column("score")?).map(Score::new)
    }
}

podium_grader::export!(UsPatentPhraseToPhraseMatching);
