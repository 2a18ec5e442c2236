//! Micro-averaged F1 of the tags in `Tags`, questions matched by `Id`.
//!
//! Labels that no answer has are not counted, and one that is repeated counts once.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct KeywordExtraction;

impl Grader for KeywordExtraction {
    const COMPETITION: &'static str = "facebook-recruiting-iii-keyword-extraction";
    const METRIC: &'static str = "micro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Tags"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::label_sets::micro_f1(
            submission,
            answers,
            "Id",
            "Tags",
            "tags, separated by spaces",
        )
    }
}

podium_grader::export!(KeywordExtraction);
