//! Pearson correlation of `score`, pairs of phrases matched by `id`.

use podium_grader::frame::align_on;
use podium_grader::{Direction, Failure, Frame, Grader, Score, metrics};

struct UsPatentPhraseToPhraseMatching;

impl Grader for UsPatentPhraseToPhraseMatching {
    const COMPETITION: &'static str = "us-patent-phrase-to-phrase-matching";
    const METRIC: &'static str = "Pearson correlation";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "score"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["id", "score"])?;
        submission.require_columns(&["id", "score"])?;
        let (submission, answers) = align_on("id", submission, answers)?;
        metrics::pearson(answers.column("score")?, submission.column("score")?).map(Score::new)
    }
}

podium_grader::export!(UsPatentPhraseToPhraseMatching);
