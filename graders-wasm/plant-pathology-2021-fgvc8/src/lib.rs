//! Micro-averaged F1 of the diseases in `labels`, pictures matched by `image`.
//!
//! Diseases that no answer has are not counted, and one that is repeated counts once.

use podium_grader::families::label_sets::{micro_f1_of_texts, texts};
use podium_grader::frame::match_rows;
use podium_grader::text::python_split;
use podium_grader::{Direction, Failure, Frame, Grader, Score};

/// What a cell of `labels` holds.
const DISEASES: &str = "names of diseases, separated by spaces";

struct PlantPathology2021;

impl Grader for PlantPathology2021 {
    const COMPETITION: &'static str = "plant-pathology-2021-fgvc8";
    const METRIC: &'static str = "micro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["image", "labels"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("image", &["labels"], submission, answers)?;
        let truth = texts(answers.column("labels")?, DISEASES)?;
        // A leaf without disease is `healthy`, so every answer has a label.
        if let Some(row) = truth.iter().position(|row| python_split(row).next().is_none()) {
            return Err(answers.column("labels")?.failure_at(row, "every answer needs a label"));
        }
        micro_f1_of_texts(&truth, &texts(submission.column("labels")?, DISEASES)?)
    }
}

podium_grader::export!(PlantPathology2021);
