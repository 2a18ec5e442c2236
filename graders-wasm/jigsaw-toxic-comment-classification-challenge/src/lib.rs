//! Areas under the ROC curves of six kinds of toxicity, averaged. Comments whose true labels are -1 are left out.
//!
//! Comments are matched by the order of their `id`; by the ids themselves only as far as they tell which rows are left
//! out. The columns of probabilities are matched by their order.

use podium_grader::frame::{Matrix, require_same_ids, require_same_length};
use podium_grader::metrics::{self, numeric, require_finite_numbers};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score, warn};

const ID: &str = "id";
const CLASSES: [&str; 6] =
    ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"];

struct JigsawToxicComments;

impl Grader for JigsawToxicComments {
    const COMPETITION: &'static str = "jigsaw-toxic-comment-classification-challenge";
    const METRIC: &'static str = "mean column-wise area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let columns: Vec<&str> = [ID].into_iter().chain(CLASSES).collect();
        answers.require_exact_columns(&columns)?;
        submission.require_exact_columns(&columns)?;
        require_same_length(ID, submission, answers)?;
        if !submission.column_names().filter(|name| *name != ID).eq(CLASSES) {
            warn(
                "the columns are not in the order of the sample submission; they are matched by their order",
            );
        }

        let answers = answers.take(&answers.column(ID)?.argsort_as_index()?);
        let in_file_order = submission.identified_by(ID)?;
        let submission = in_file_order.take(&in_file_order.column(ID)?.argsort_as_index()?);
        let counts = are_counted(&answers)?;
        let rows = counted_rows(submission.column(ID)?, answers.column(ID)?, &counts)?;
        if rows.len() != counts.iter().filter(|counts| **counts).count() {
            // An id is repeated in the place of another.
            require_same_ids(ID, &in_file_order, &answers)?;
        }
        let truth = classes(&answers.filter(&counts));
        let scores = classes(&submission.take(&rows));

        let areas = metrics::roc_auc_by_column(&truth, &scores).map_err(|failure| {
            // Which rows count must not be told, so the first bad cell of all rows is named.
            let all = classes(&in_file_order);
            let first = all.columns().iter().find_map(|class| require_finite_numbers(class).err());
            first.filter(|_| matches!(failure, Failure::InvalidSubmission(_))).unwrap_or(failure)
        })?;
        let score = Score::new(numeric::mean(&areas));
        Ok(truth.columns().iter().zip(areas).fold(score, |score, (class, area)| {
            score.with(format!("area of {}", class.name()), area)
        }))
    }
}

/// Which rows of the answers count: those without -1, which stands in all columns or in none.
fn are_counted(answers: &Frame) -> Result<Vec<bool>, Failure> {
    let labels = CLASSES
        .iter()
        .map(|class| answers.column(class)?.to_f64())
        .collect::<Result<Vec<_>, _>>()?;
    Ok(numeric::row_sums(&labels).into_iter().map(|sum| sum >= 0.0).collect())
}

/// The rows of the submission that count: those at the places of the rows of the answers that do, or, where not all ids
/// agree, those whose ids do. An id may then be missing and another be repeated, as long as no id is unknown.
fn counted_rows(ids: &Column, expected: &Column, counts: &[bool]) -> Result<Vec<u32>, Failure> {
    let places = (0..).zip(counts).filter(|(_, counts)| **counts).map(|(place, _)| place);
    if ids.first_difference(expected).is_none() {
        return Ok(places.collect());
    }
    if let Some(row) = ids.is_in(expected).iter().position(|known| !known) {
        return Err(ids.unexpected(row, "an id of the answers"));
    }
    // An id that the answers hold several times would shift all rows after it.
    if !expected.is_unique() {
        return Err(
            expected.failure("ids are repeated, but the submission does not repeat them so")
        );
    }
    let pairs = ids.merge_rows(expected)?;
    Ok(pairs.into_iter().filter(|(_, place)| counts[*place as usize]).map(|(row, _)| row).collect())
}

/// All columns but the id.
fn classes(table: &Frame) -> Matrix {
    let columns: Vec<&Column> = table.columns().filter(|column| column.name() != ID).collect();
    Matrix::from_columns(&columns)
}

podium_grader::export!(JigsawToxicComments);
