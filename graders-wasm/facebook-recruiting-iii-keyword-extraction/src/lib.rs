//! Micro-averaged F1 of the tags in `Tags`, questions matched by `Id`.
//!
//! Tags that no answer has are not counted, and one that is repeated counts once.

use podium_grader::frame::match_rows;
use podium_grader::metrics::{Average, LabelSets, Vocabulary, label_sets};
use podium_grader::text::python_split;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

struct KeywordExtraction;

impl Grader for KeywordExtraction {
    const COMPETITION: &'static str = "facebook-recruiting-iii-keyword-extraction";
    const METRIC: &'static str = "micro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Tags"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("Id", &["Tags"], submission, answers)?;
        let truth = tags(answers.column("Tags")?)?;
        let predicted = tags(submission.column("Tags")?)?;

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

/// The tags of each row as text; an empty cell stands for none.
fn tags(column: &Column) -> Result<Vec<&str>, Failure> {
    let cells = column.cells().enumerate();
    cells.map(|(row, cell)| match cell {
        Cell::Text(text) => Ok(text),
        cell if cell.is_missing() => Ok(""),
        _ => Err(column.failure_at(
            row,
            format_args!(
                "{} where tags are expected, separated by spaces; a column of nothing but single numbers reads \
                 as numbers",
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

podium_grader::export!(KeywordExtraction);
