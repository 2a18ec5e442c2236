//! Accuracy of the spoken form `after` as text, tokens matched by `id`.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct TextNormalizationChallengeRussianLanguage;

impl Grader for TextNormalizationChallengeRussianLanguage {
    const COMPETITION: &'static str = "text-normalization-challenge-russian-language";
    const METRIC: &'static str = "accuracy";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "after"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::accuracy::accuracy_of_texts(submission, answers, "id", "after")
    }
}

podium_grader::export!(TextNormalizationChallengeRussianLanguage);
