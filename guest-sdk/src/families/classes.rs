//! What a score says of each class, as measures.
//!
//! Where the answers have few classes each gets a measure of its own; where they have thousands, the classes are counted
//! instead. Measures are named after classes of the answers alone: a submission that makes up classes does not lengthen
//! the report.

use std::fmt::Display;

use crate::failure::Failure;
use crate::frame::{Cell, Column};
use crate::grader::Score;
use crate::metrics::{self, ConfusionCounts, LabelCounts, LabelRecall};

/// The most classes that get a measure each.
pub const MOST_LISTED: usize = 64;

/// Adds the recall of each class of the answers, the share of its rows that are right; of more than [`MOST_LISTED`]
/// classes how many there are, and of how many no row or every row is right.
///
/// # Errors
/// As [`metrics::recall_by_label`].
pub fn with_recalls(score: Score, truth: &Column, prediction: &Column) -> Result<Score, Failure> {
    let classes = metrics::recall_by_label(truth, prediction)?;
    if classes.len() <= MOST_LISTED {
        return Ok(classes.iter().fold(score, |score, class| {
            let recall = class.right as f64 / class.actual as f64;
            score.with(format!("recall of {}", truth.cell(class.row)), recall)
        }));
    }
    let count = |holds: fn(&LabelRecall) -> bool| {
        classes.iter().filter(|class| holds(class)).count() as f64
    };
    Ok(score
        .with("classes", classes.len() as f64)
        .with("classes never found", count(|class| class.right == 0))
        .with("classes always found", count(|class| class.right == class.actual)))
}

/// Adds the F1 of each class of the answers (of more than [`MOST_LISTED`] classes how many there are, and how many have
/// an F1 of 0 and of 1), and how many classes are predicted that no answer has. `labels` are what
/// [`metrics::confusion_by_label`] gave for this truth.
pub fn with_f1s(score: Score, truth: &Column, labels: &[LabelCounts]) -> Score {
    let of_answers = labels.iter().filter_map(|label| Some((label.row?, label.counts)));
    let classes: Vec<(Cell<'_>, ConfusionCounts)> =
        of_answers.map(|(row, counts)| (truth.cell(row), counts)).collect();
    let unknown = labels.len() - classes.len();
    with_f1s_of(score, classes).with("predicted classes that no answer has", unknown as f64)
}

/// Adds the F1 of each of these classes, or counts them, as [`with_f1s`] does.
pub(super) fn with_f1s_of<Name: Display>(
    score: Score,
    classes: Vec<(Name, ConfusionCounts)>,
) -> Score {
    let f1s = || classes.iter().map(|(class, counts)| (class, counts.f_beta(1.0)));
    if classes.len() <= MOST_LISTED {
        return f1s().fold(score, |score, (class, f1)| score.with(format!("F1 of {class}"), f1));
    }
    let count = |wanted: f64| f1s().filter(|(_, f1)| *f1 == wanted).count() as f64;
    score
        .with("classes", classes.len() as f64)
        .with("classes with an F1 of 0", count(0.0))
        .with("classes with an F1 of 1", count(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Role, Values};

    fn columns(truth: &[i64], prediction: &[i64]) -> (Column, Column) {
        let column = |role, labels: &[i64]| Column::new("c", role, Values::Int64(labels.to_vec()));
        (column(Role::Answers, truth), column(Role::Submission, prediction))
    }

    fn named(score: &Score) -> Vec<(&str, f64)> {
        score.measures.iter().map(|measure| (measure.name.as_str(), measure.value)).collect()
    }

    #[test]
    fn few_classes_are_listed_in_their_order() {
        let (truth, prediction) = columns(&[7, 3, 3, 3, 5], &[7, 3, 9, 3, 3]);
        let recalls = with_recalls(Score::new(0.0), &truth, &prediction).unwrap();
        assert_eq!(
            named(&recalls),
            [("recall of 3", 2.0 / 3.0), ("recall of 5", 0.0), ("recall of 7", 1.0)]
        );
        let labels = metrics::confusion_by_label(&truth, &prediction).unwrap();
        assert_eq!(
            named(&with_f1s(Score::new(0.0), &truth, &labels)),
            [
                ("F1 of 3", 2.0 / 3.0),
                ("F1 of 5", 0.0),
                ("F1 of 7", 1.0),
                ("predicted classes that no answer has", 1.0)
            ]
        );
    }

    #[test]
    fn many_classes_are_counted() {
        let truth: Vec<i64> = (0..100).chain(0..100).collect();
        // Class 0 is found once of two times, 1 to 9 never, the others always.
        let mut prediction = truth.clone();
        prediction[0] = 1000;
        for row in (1..10).chain(101..110) {
            prediction[row] = 1001;
        }
        let (truth, prediction) = columns(&truth, &prediction);
        let recalls = with_recalls(Score::new(0.0), &truth, &prediction).unwrap();
        assert_eq!(
            named(&recalls),
            [("classes", 100.0), ("classes never found", 9.0), ("classes always found", 90.0)]
        );
        let labels = metrics::confusion_by_label(&truth, &prediction).unwrap();
        assert_eq!(
            named(&with_f1s(Score::new(0.0), &truth, &labels)),
            [
                ("classes", 100.0),
                ("classes with an F1 of 0", 9.0),
                ("classes with an F1 of 1", 90.0),
                ("predicted classes that no answer has", 2.0)
            ]
        );
    }
}
