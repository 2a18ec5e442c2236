//! Competitions that rank rows of two classes by a probability, rows matched by an id.

use super::probabilities::require_probabilities;
use crate::failure::Failure;
use crate::frame::{Frame, match_rows};
use crate::grader::Score;
use crate::metrics::{self, numeric};

/// Area under the ROC curve of the probabilities in the column `target`, rows matched by the column `id`.
///
/// # Errors
/// The submission is at fault where a column is missing, its ids are not those of the answers, or the column `target`
/// holds anything but numbers between 0 and 1. The answers are at fault where they hold one class only.
pub fn roc_auc(
    submission: &Frame,
    answers: &Frame,
    id: &str,
    target: &str,
) -> Result<Score, Failure> {
    let (submission, answers) = match_rows(id, &[target], submission, answers)?;
    require_probabilities(submission.column(target)?)?;
    metrics::roc_auc(answers.column(target)?, submission.column(target)?).map(Score::new)
}

/// The mean of the areas under the ROC curves of several columns, each area a measure. The rows of both tables have been
/// aligned.
///
/// # Errors
/// The submission is at fault where a column is missing or holds anything but finite numbers; the answers where a column
/// holds one class only.
pub fn mean_roc_auc(
    submission: &Frame,
    answers: &Frame,
    targets: &[&str],
) -> Result<Score, Failure> {
    let areas = targets
        .iter()
        .map(|target| metrics::roc_auc(answers.column(target)?, submission.column(target)?))
        .collect::<Result<Vec<f64>, Failure>>()?;
    let score = Score::new(numeric::mean(&areas));
    Ok(targets
        .iter()
        .zip(areas)
        .fold(score, |score, (target, area)| score.with(format!("area of {target}"), area)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Role;

    fn frame(role: Role, text: &str) -> Frame {
        Frame::from_text(role, text).unwrap()
    }

    #[test]
    fn messages_name_row_and_id() {
        let answers = frame(Role::Answers, "id,p\na,0\nb,1\nc,1\n");
        let cases = [
            (
                "c,0.9\na,0\nb,1.5\n",
                "row 3 (id `b`): expected a probability between 0 and 1, found 1.5",
            ),
            (
                "c,\na,0\nb,1\n",
                "row 1 (id `c`): expected a probability between 0 and 1, found an empty cell",
            ),
            ("c,1\nb,1\na,none\n", "row 3 (id `a`): expected a number, found `none`"),
        ];
        for (rows, expected) in cases {
            let submission = frame(Role::Submission, &format!("id,p\n{rows}"));
            let failure = roc_auc(&submission, &answers, "id", "p").unwrap_err();
            let expected = format!("column `p`, {expected}");
            assert!(failure.message().starts_with(&expected), "{failure}");
        }
        let submission = frame(Role::Submission, "id,p\nc,1\nb,0.25\na,0.5\n");
        assert_eq!(roc_auc(&submission, &answers, "id", "p"), Ok(Score::new(0.5)));
    }

    #[test]
    fn each_area_is_a_measure() {
        let answers = frame(Role::Answers, "id,p,q\n1,0,1\n2,1,0\n3,1,1\n");
        let submission = frame(Role::Submission, "id,q,p\n1,-3,0.1\n2,2.5,7\n3,2.5,3\n");
        let score = mean_roc_auc(&submission, &answers, &["p", "q"]).unwrap();
        assert_eq!(score, Score::new(0.625).with("area of p", 1.0).with("area of q", 0.25));
    }
}
