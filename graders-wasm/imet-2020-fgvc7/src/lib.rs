//! Micro-averaged F1 of the attributes in `attribute_ids`, works of art matched by `id`.
//!
//! Labels that no answer has are not counted, and one that is repeated counts once.

use podium_grader::{Direction, Failure, Frame, Grader, Score, families};

struct Imet2020;

impl Grader for Imet2020 {
    const COMPETITION: &'static str = "imet-2020-fgvc7";
    const METRIC: &'static str = "micro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "attribute_ids"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        families::label_sets::micro_f1(
            submission,
            answers,
            "id",
            "attribute_ids",
            "attributes, separated by spaces",
        )
    }
}

podium_grader::export!(Imet2020);
