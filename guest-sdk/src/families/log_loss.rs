//! Competitions that ask how probable a class is, or each of several, rows matched by an id.
//!
//! What is checked of the probabilities before scikit-learn sees them: that each lies between 0 and 1, and that those of
//! a row add up to one. Nothing is scaled afterwards.

use super::probabilities::require_probabilities;
use crate::failure::Failure;
use crate::frame::{Column, Dtype, Frame, Matrix, align_on, require_same_ids, require_same_length};
use crate::grader::Score;
use crate::metrics::{self, numeric};
use crate::text::numpy_round;

/// When the sum of a row's probabilities counts as one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SumsToOne {
    /// `numpy.isclose(sum, 1, atol=…)`, which adds a relative tolerance of 10⁻⁵ to this absolute one.
    Close(f64),
    /// `sum.round(…) == 1`: after rounding to that many decimal places, as pandas rounds. Where some columns hold truth
    /// values and others numbers, pandas adds up Python objects and does not round them.
    Rounded(u32),
}

/// Log loss of the probabilities in the columns `classes`, rows matched by the column `id`. The answers have a column of
/// 0 and 1 for each class. The loss of the rows of each class comes as a measure.
///
/// # Errors
/// The submission is at fault where a column is missing, its ids are not those of the answers, a probability does not lie
/// between 0 and 1, or those of a row do not add up to one.
pub fn log_loss_of_classes(
    submission: &Frame,
    answers: &Frame,
    id: &str,
    classes: &[&str],
    sums: SumsToOne,
) -> Result<Score, Failure> {
    let required: Vec<&str> = std::iter::once(id).chain(classes.iter().copied()).collect();
    answers.require_columns(&required)?;
    submission.require_columns(&required)?;
    require_same_length(id, submission, answers)?;
    let submission = submission.identified_by(id)?;
    require_distributions(&submission, classes, sums)?;
    let (submission, answers) = align_on(id, &submission, answers)?;
    require_same_list(submission.column(id)?, answers.column(id)?)?;

    let truth = matrix(&answers, classes)?;
    let probabilities = matrix(&submission, classes)?;
    let score = Score::new(metrics::log_loss_indicator(&truth, &probabilities)?);
    let by_class = metrics::log_loss_by_label(&truth, &probabilities)?;
    Ok(classes
        .iter()
        .zip(by_class)
        .filter(|(_, loss)| !loss.is_nan())
        .fold(score, |score, (class, loss)| score.with(format!("log loss of {class}"), loss)))
}

/// Log loss of the probabilities of class 1 in the column `target`, rows matched by the column `id`, whose values are
/// compared as sets.
///
/// # Errors
/// The submission is at fault where a column is missing, its ids are not those of the answers, or a probability does not
/// lie between 0 and 1. The answers are at fault where they do not hold two classes.
pub fn log_loss(
    submission: &Frame,
    answers: &Frame,
    id: &str,
    target: &str,
) -> Result<Score, Failure> {
    answers.require_columns(&[id, target])?;
    submission.require_columns(&[id, target])?;
    require_same_ids(id, submission, answers)?;
    require_same_length(id, submission, answers)?;
    let submission = submission.identified_by(id)?;
    require_probabilities(submission.column(target)?)?;
    let (submission, answers) = (submission.sort_by(id)?, answers.sort_by(id)?);
    let (truth, probability) = (answers.column(target)?, submission.column(target)?);
    let score = Score::new(metrics::log_loss(truth, probability)?);
    let of_classes = metrics::log_loss_of_both(truth, probability)?;
    Ok(of_classes.into_iter().fold(score, |score, (row, loss)| {
        score.with(format!("log loss of {}", truth.cell(row)), loss)
    }))
}

/// Checks that the columns `classes` hold probabilities that add up to one in each row: see [`require_probabilities`].
///
/// # Errors
/// The table's side is at fault where they do not; the message names the first such row. With [`SumsToOne::Close`] also
/// where some columns hold truth values and others numbers, since numpy has no isclose for Python objects.
pub fn require_distributions(
    table: &Frame,
    classes: &[&str],
    sums: SumsToOne,
) -> Result<(), Failure> {
    for class in classes {
        require_probabilities(table.column(class)?)?;
    }
    let matrix = matrix(table, classes)?;
    let of_objects = matrix.dtype() == Dtype::Object;
    if of_objects && matches!(sums, SumsToOne::Close(_)) {
        let holds_truth_values =
            |class: &&&str| table.column(class).is_ok_and(|column| !column.dtype().is_number());
        let name = classes.iter().find(holds_truth_values).copied().unwrap_or_default();
        return Err(table.role().failure(format!(
            "column `{name}`: holds truth values where other columns hold numbers; write 0 and 1"
        )));
    }
    let is_one = |sum: f64| match sums {
        SumsToOne::Close(absolute) => numeric::is_close(sum, 1.0, absolute),
        SumsToOne::Rounded(_) if of_objects => sum == 1.0,
        SumsToOne::Rounded(places) => numpy_round(sum, places) == 1.0,
    };
    let sums = numeric::row_sums(&matrix.to_f64()?);
    match sums.iter().position(|sum| !is_one(*sum)) {
        None => Ok(()),
        Some(row) => Err(table.failure_at(
            row,
            format_args!(
                "the probabilities of the {} classes add up to {}, and have to add up to 1",
                classes.len(),
                sums[row],
            ),
        )),
    }
}

/// Checks that both columns are equal as Python lists, which compare integers with floats exactly.
fn require_same_list(ids: &Column, expected: &Column) -> Result<(), Failure> {
    if ids.same_list(expected) {
        return Ok(());
    }
    let unlike = |row: &usize| !ids.cell(*row).is_or_equals(expected.cell(*row));
    let row = (0..ids.len()).find(unlike).unwrap_or_default();
    Err(ids.failure_at(
        row,
        format_args!(
            "{} is close to the id {} of the answers, but not equal to it",
            ids.describe(row),
            expected.cell(row).describe()
        ),
    ))
}

fn matrix(table: &Frame, classes: &[&str]) -> Result<Matrix, Failure> {
    let columns: Vec<&Column> =
        classes.iter().map(|class| table.column(class)).collect::<Result<_, _>>()?;
    Ok(Matrix::from_columns(&columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Role;

    const ANSWERS: &str = "id,a,b\nx,1,0\ny,0,1\n";

    fn grade(submission: &str, sums: SumsToOne) -> Result<Score, String> {
        let submission = Frame::from_text(Role::Submission, submission).unwrap();
        let answers = Frame::from_text(Role::Answers, ANSWERS).unwrap();
        log_loss_of_classes(&submission, &answers, "id", &["a", "b"], sums)
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_loss_comes_with_that_of_each_class() {
        let score = grade("id,b,a\ny,0.5,0.5\nx,0.75,0.25\n", SumsToOne::Close(1e-6)).unwrap();
        let losses: Vec<f64> = score.measures.iter().map(|measure| measure.value).collect();
        assert_eq!(losses, [-0.25_f64.ln(), -0.5_f64.ln()]);
        assert_eq!(score.measures[0].name, "log loss of a");
        assert_eq!(score.value, (losses[0] + losses[1]) / 2.0);
    }

    #[test]
    fn sums_are_taken_for_one_as_numpy_and_pandas_do() {
        let (close, rounded) = (SumsToOne::Close(1e-6), SumsToOne::Rounded(6));
        let cases = [
            ("0.5,0.5", "1,0", true, true),
            ("0.500005,0.500005", "1,0", true, false),
            ("0.50000601,0.500005", "1,0", false, false),
            ("0.5,0.5000004", "1,0", true, true),
            ("0.5,0.5000006", "1,0", true, false),
            ("True,False", "False,True", true, true),
            // Truth values among numbers: Python objects.
            ("True,0.0", "False,1.0", false, true),
            ("True,0.0000004", "False,1.0", false, false),
        ];
        for (first, second, is_close, is_one_rounded) in cases {
            let submission = format!("id,a,b\nx,{first}\ny,{second}\n");
            assert_eq!(grade(&submission, close).is_ok(), is_close, "{submission}");
            assert_eq!(grade(&submission, rounded).is_ok(), is_one_rounded, "{submission}");
        }
    }

    #[test]
    fn messages_say_what_is_wrong_and_where() {
        let cases = [
            ("id,a\nx,1\ny,0\n", "submission.csv has no column `b`"),
            ("id,a,b\nx,1,0\n", "submission.csv has 1 row where 2 are expected"),
            (
                "id,a,b\ny,0.5,0.5\nx,0.5,1.5\n",
                "column `b`, row 2 (id `x`): expected a probability between 0 and 1, found 1.5",
            ),
            (
                "id,a,b\ny,0.5,0.5\nx,0.5,\n",
                "column `b`, row 2 (id `x`): expected a probability between 0 and 1, found an empty cell",
            ),
            (
                "id,a,b\ny,0.5,0.5\nx,0.5,-\n",
                "column `b`, row 2 (id `x`): expected a number, found `-`",
            ),
            (
                "id,a,b\ny,0.5,0.5\nx,0.5,0.25\n",
                "row 2 (id `x`): the probabilities of the 2 classes add up to 0.75",
            ),
            (
                "id,a,b\ny,True,0.0\nx,False,1.0\n",
                "column `a`: holds truth values where other columns",
            ),
            ("id,a,b\nz,0.5,0.5\nx,0.5,0.5\n", "column `id`: row 1 has the id `z`"),
        ];
        for (submission, expected) in cases {
            let message = grade(submission, SumsToOne::Close(1e-6)).unwrap_err();
            let expected = format!("invalid submission: {expected}");
            assert!(message.starts_with(&expected), "{submission:?}: {message}");
        }
    }

    #[test]
    fn ids_that_are_close_are_not_equal() {
        let answers = Frame::from_text(Role::Answers, "id,a,b\n9007199254740993,1,0\n2,0,1\n");
        let submission =
            Frame::from_text(Role::Submission, "id,a,b\n9007199254740992.0,1,0\n2,0,1\n");
        let failure = log_loss_of_classes(
            &submission.unwrap(),
            &answers.unwrap(),
            "id",
            &["a", "b"],
            SumsToOne::Close(1e-6),
        );
        assert!(failure.unwrap_err().message().contains("but not equal to it"));
    }

    #[test]
    fn one_probability_a_row() {
        let grade = |submission: &str| {
            let submission = Frame::from_text(Role::Submission, submission).unwrap();
            let answers = Frame::from_text(Role::Answers, "id,p\n1,0\n2,1\n").unwrap();
            log_loss(&submission, &answers, "id", "p").map(|score| score.value)
        };
        assert_eq!(grade("id,p\n2,0.5\n1,0.5\n"), Ok(-0.5_f64.ln()));
        assert_eq!(grade("id,p\n2,True\n1,False\n"), Ok(-(1.0 - f64::EPSILON).ln()));
        for (submission, expected) in [
            ("id,p\n2,1\n1,0\n2,1\n", "row 3 repeats the id 2"),
            ("id,p\n2,1\n", "1 id is missing, the first is 1"),
            (
                "id,p\n2,1\n1,\n",
                "column `p`, row 2 (id 1): expected a probability between 0 and 1, found an empty cell",
            ),
            ("id,p\n2,1\n1,1e-3x\n", "column `p`, row 2 (id 1): expected a number, found `1e-3x`"),
        ] {
            let message = grade(submission).unwrap_err().to_string();
            assert!(message.contains(expected), "{submission:?}: {message}");
        }
    }
}
