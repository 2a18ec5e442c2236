//! Micro-averaged F1 of the diseases in `labels`, pictures matched by `image`.
//!
//! Diseases that no answer has are not counted, and one that is repeated counts once.

use podium_grader::frame::match_rows;
use podium_grader::metrics::{Average, LabelSets, Vocabulary, label_sets};
use podium_grader::text::python_split;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

struct PlantPathology2021;

impl Grader for PlantPathology2021 {
    const COMPETITION: &'static str = "plant-pathology-2021-fgvc8";
    const METRIC: &'static str = "micro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["image", "labels"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("image", &["labels"], submission, answers)?;
        let truth = diseases(answers.column("labels")?)?;
        // A leaf without disease is `healthy`, so every answer has a label.
        if let Some(row) = truth.iter().position(|row| python_split(row).next().is_none()) {
            return Err(answers.column("labels")?.failure_at(row, "every answer needs a label"));
        }
        let predicted = diseases(submission.column("labels")?)?;

        let vocabulary: Vocabulary<'_> = truth.iter().flat_map(|row| python_split(row)).collect();
        let (truth, predicted) = (sets(&vocabulary, &truth), sets(&vocabulary, &predicted));
        let score = label_sets::f_beta(&vocabulary, &truth, &predicted, 1.0, Average::Micro)?;
        let counts = label_sets::confusion_counts(&vocabulary, &truth, &predicted);
        let (right, predicted) = (counts.true_positives, counts.predicted);
        Ok(Score::new(score)
            .with("true positives", right as f64)
            .with("false positives", (predicted - right) as f64)
            .with("false negatives", (counts.actual - right) as f64))
    }
}

/// The diseases of each row as text; an empty cell stands for none.
fn diseases(column: &Column) -> Result<Vec<&str>, Failure> {
    let cells = column.cells().enumerate();
    cells
        .map(|(row, cell)| match cell {
            Cell::Text(text) => Ok(text),
            cell if cell.is_missing() => Ok(""),
            _ => Err(column.failure_at(
                row,
                format_args!(
                    "expected names of diseases, separated by spaces, found {}",
                    column.describe(row)
                ),
            )),
        })
        .collect()
}

fn sets(vocabulary: &Vocabulary<'_>, rows: &[&str]) -> LabelSets {
    let mut sets = LabelSets::new();
    rows.iter().for_each(|row| sets.push(vocabulary, python_split(row)));
    sets
}

podium_grader::export!(PlantPathology2021);
