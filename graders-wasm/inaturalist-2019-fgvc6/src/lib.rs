//! Top-1 error: the share of pictures whose first class in `predicted` is wrong, pictures matched by `id`.

use podium_grader::families::class_numbers;
use podium_grader::families::classes::with_recalls;
use podium_grader::frame::match_rows;
use podium_grader::text::{Integer, python_int, python_split};
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Score, metrics};

struct INaturalist2019;

impl Grader for INaturalist2019 {
    const COMPETITION: &'static str = "inaturalist-2019-fgvc6";
    const METRIC: &'static str = "top-1 error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "predicted"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["predicted"], submission, answers)?;

        let truth = class_numbers(answers.column("predicted")?, |class| class.to_integer())?;
        let predicted = submission.column("predicted")?;
        // One empty cell makes fractions of all numbers, but it is what is to be put right.
        predicted.require_complete()?;
        let prediction = class_numbers(predicted, first_class)?;
        let score = Score::new(1.0 - metrics::accuracy(&truth, &prediction)?);
        with_recalls(score, &truth, &prediction)
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

podium_grader::export!(INaturalist2019);
