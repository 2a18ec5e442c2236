//! Macro-averaged F1 of the animal `Category`, pictures matched by `Id`.
//!
//! Each class is read as Python's `int()` reads it: a fraction is cut off, a truth value is 0 or 1.

use podium_grader::frame::match_rows;
use podium_grader::metrics::{self, Average};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct IWildCam2019;

impl Grader for IWildCam2019 {
    const COMPETITION: &'static str = "iwildcam-2019-fgvc6";
    const METRIC: &'static str = "macro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Category"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("Id", &["Category"], submission, answers)?;
        let truth = classes(answers.column("Category")?)?;
        let prediction = classes(submission.column("Category")?)?;
        let score = metrics::f_beta(&truth, &prediction, 1.0, Average::Macro)?;
        Ok(Score::new(score).with("accuracy", metrics::accuracy(&truth, &prediction)?))
    }
}

/// The classes of a column as one array of integers.
fn classes(column: &Column) -> Result<Column, Failure> {
    column.require_complete()?;
    let mut classes = Vec::with_capacity(column.len());
    for (row, cell) in column.cells().enumerate() {
        let class = cell.to_integer().and_then(|class| {
            class.to_i64().map(i128::from).or_else(|| class.to_u64().map(i128::from))
        });
        classes.push(class.ok_or_else(|| {
            let found = column.describe(row);
            column.failure_at(
                row,
                format_args!("expected the number of a class, of at most 64 bits, found {found}"),
            )
        })?);
    }
    metrics::integer_labels(column.name(), column.role(), &classes)
}

podium_grader::export!(IWildCam2019);
