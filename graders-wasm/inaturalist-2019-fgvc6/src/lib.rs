//! Top-1 error: the share of pictures whose first class in `predicted` is wrong, pictures matched by `id`.

use podium_grader::frame::match_rows;
use podium_grader::text::{Integer, python_int, python_split};
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score, metrics};

struct INaturalist2019;

impl Grader for INaturalist2019 {
    const COMPETITION: &'static str = "inaturalist-2019-fgvc6";
    const METRIC: &'static str = "top-1 error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "predicted"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["predicted"], submission, answers)?;

        let truth = labels(answers.column("predicted")?, |class| class.to_integer())?;
        let predicted = submission.column("predicted")?;
        predicted.require_complete()?;
        let prediction = labels(predicted, first_class)?;
        Ok(Score::new(1.0 - metrics::accuracy(&truth, &prediction)?))
    }
}

/// The first of the classes of a row, which are separated by spaces. Numbers have to be written without a point.
fn first_class(classes: Cell<'_>) -> Option<Integer> {
    match classes {
        Cell::Text(classes) => python_int(python_split(classes).next()?).ok(),
        Cell::Float(_) | Cell::Missing => None,
        class => class.to_integer(),
    }
}

/// The labels of a column, each read by `read`, as one array of integers.
fn labels(column: &Column, read: impl Fn(Cell<'_>) -> Option<Integer>) -> Result<Column, Failure> {
    let mut labels = Vec::with_capacity(column.len());
    for (row, cell) in column.cells().enumerate() {
        let label = read(cell).and_then(|label| {
            label.to_i64().map(i128::from).or_else(|| label.to_u64().map(i128::from))
        });
        labels.push(label.ok_or_else(|| {
            let found = column.describe(row);
            column.failure_at(row, format_args!("expected whole numbers as classes, found {found}"))
        })?);
    }
    metrics::integer_labels(column.name(), column.role(), &labels)
}

podium_grader::export!(INaturalist2019);
