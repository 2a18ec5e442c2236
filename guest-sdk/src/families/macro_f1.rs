//! Competitions that average the F1 of classes, each weighing the same; rows matched by an id.

use super::class_numbers::class_numbers;
use super::classes::with_f1s;
use crate::failure::Failure;
use crate::frame::{Column, Frame, Values, match_rows};
use crate::grader::Score;
use crate::metrics::{self, Average};

/// Macro-averaged F1 of the classes in the column `target`, rows matched by the column `id`.
///
/// Each class is read as Python's `int()` reads it: a fraction is cut off, a truth value is 0 or 1.
///
/// # Errors
/// The submission is at fault where a column is missing, its ids are not those of the answers, or a class is missing or
/// no whole number of at most 64 bits.
pub fn macro_f1(
    submission: &Frame,
    answers: &Frame,
    id: &str,
    target: &str,
) -> Result<Score, Failure> {
    let (submission, answers) = match_rows(id, &[target], submission, answers)?;
    let truth = classes(answers.column(target)?)?;
    let prediction = classes(submission.column(target)?)?;
    let labels = metrics::confusion_by_label(&truth, &prediction)?;
    let score = Score::new(metrics::f_beta_of_labels(&labels, 1.0, Average::Macro))
        .with("accuracy", metrics::accuracy(&truth, &prediction)?);
    Ok(with_f1s(score, &truth, &labels))
}

fn classes(column: &Column) -> Result<Column, Failure> {
    if let Values::Int64(_) = column.values() {
        return Ok(column.clone());
    }
    class_numbers(column, |cell| cell.to_integer())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Role;

    fn grade(submission: &str) -> Result<Score, String> {
        let submission = Frame::from_text(Role::Submission, submission).unwrap();
        let answers = Frame::from_text(Role::Answers, "id,c\na,1\nb,1\nc,2\n").unwrap();
        macro_f1(&submission, &answers, "id", "c").map_err(|failure| failure.message().to_owned())
    }

    #[test]
    fn each_class_weighs_the_same() {
        let score = grade("id,c\nc,2\nb,3.9\na,1\n").unwrap();
        assert_eq!(score.value, (2.0 / 3.0 + 1.0 + 0.0) / 3.0);
        let measures: Vec<(&str, f64)> =
            score.measures.iter().map(|measure| (measure.name.as_str(), measure.value)).collect();
        assert_eq!(
            measures,
            [
                ("accuracy", 2.0 / 3.0),
                ("F1 of 1", 2.0 / 3.0),
                ("F1 of 2", 1.0),
                ("predicted classes that no answer has", 1.0)
            ]
        );
    }

    #[test]
    fn messages_name_row_and_id() {
        let cases = [
            (
                "id,c\nc,2\nb,\na,1\n",
                "column `c`, row 2 (id `b`): expected the number of a class, of at most 64 bits, found an empty cell",
            ),
            (
                "id,c\nc,2\nb,x\na,1\n",
                "column `c`, row 2 (id `b`): expected the number of a class, of at most 64 bits, found `x`",
            ),
        ];
        for (submission, expected) in cases {
            let message = grade(submission).unwrap_err();
            assert!(message.starts_with(expected), "{submission:?}: {message}");
        }
    }
}
