//! Kullback–Leibler divergence of the predicted from the voted distribution of six patterns of brain activity, rows put
//! side by side by sorting both tables by `eeg_id`.
//!
//! Recordings come several times, and ids are compared as sets: rows with the same id pair up in the order in which the
//! sort leaves them.

use podium_grader::frame::{Matrix, require_same_ids, require_same_length};
use podium_grader::metrics::{kullback_leibler, numeric};
use podium_grader::text::python_round;
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

const ID: &str = "eeg_id";
const VOTES: [&str; 6] =
    ["seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote"];

struct HmsHarmfulBrainActivity;

impl Grader for HmsHarmfulBrainActivity {
    const COMPETITION: &'static str = "hms-harmful-brain-activity-classification";
    const METRIC: &'static str = "Kullback-Leibler divergence";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> =
        Some(&[ID, VOTES[0], VOTES[1], VOTES[2], VOTES[3], VOTES[4], VOTES[5]]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let required = [&[ID], &VOTES[..]].concat();
        answers.require_columns(&required)?;
        submission.require_columns(&required)?;
        require_same_length(ID, submission, answers)?;
        require_same_ids(ID, submission, answers)?;
        let submission = submission.identified_by(ID)?;
        require_distributions(&submission)?;
        let (submission, answers) = (submission.sort_by(ID)?, answers.sort_by(ID)?);

        let truth = voted_shares(&answers)?;
        let predicted = columns(&submission, VOTES)?;
        let score = Score::new(kullback_leibler(&truth, &predicted)?);
        truth.chunks(1).zip(predicted.chunks(1)).zip(VOTES).try_fold(
            score,
            |score, ((truth, predicted), class)| {
                Ok(score.with(format!("part of {class}"), kullback_leibler(truth, predicted)?))
            },
        )
    }
}

/// Checks that all columns but the ids, unknown ones included, hold numbers between 0 and 1 that add up to one in each
/// row, as do those of the patterns alone. Empty cells count as nothing.
fn require_distributions(submission: &Frame) -> Result<(), Failure> {
    let names: Vec<&str> = submission.column_names().filter(|name| *name != ID).collect();
    let numbers = columns(submission, names)?;
    for column in &numbers {
        if let Some(row) = column.cause_of_text() {
            return Err(wrong_value(column, row));
        }
        if !column.dtype().is_number() {
            return Err(column.failure("holds truth values; write 0 and 1"));
        }
        let values = column.to_f64()?;
        if let Some(row) = values.iter().position(|value| *value < 0.0 || *value > 1.0) {
            return Err(wrong_value(column, row));
        }
    }
    let of_patterns = row_sums(&columns(submission, VOTES)?)?;
    if let Some(row) = of_patterns.iter().position(|sum| python_round(*sum, 5) != 1.0) {
        return wrong_sum(submission, row, "six patterns", of_patterns[row]);
    }
    let of_all = row_sums(&numbers)?;
    match of_all.iter().position(|sum| !numeric::is_close(*sum, 1.0, 1e-8)) {
        None => Ok(()),
        Some(row) => wrong_sum(submission, row, "columns, unknown ones included,", of_all[row]),
    }
}

fn wrong_value(column: &Column, row: usize) -> Failure {
    column.unexpected(row, "a probability between 0 and 1")
}

fn wrong_sum(submission: &Frame, row: usize, what: &str, sum: f64) -> Result<(), Failure> {
    Err(submission.failure_at(
        row,
        format_args!("the probabilities of all {what} add up to {sum}, and have to add up to 1"),
    ))
}

/// The share of the votes that each pattern got, a vector a pattern.
fn voted_shares(answers: &Frame) -> Result<Vec<Vec<f64>>, Failure> {
    let votes = columns(answers, VOTES)?;
    let sums = row_sums(&votes)?;
    if let Some(row) = sums.iter().position(|sum| !sum.is_finite() || *sum <= 0.0) {
        return Err(votes[0].failure_at(row, "there are no votes"));
    }
    let shares = |column: &&Column| -> Result<Vec<f64>, Failure> {
        Ok(column.to_f64()?.iter().zip(&sums).map(|(votes, sum)| votes / sum).collect())
    };
    votes.iter().map(shares).collect()
}

fn row_sums(columns: &[&Column]) -> Result<Vec<f64>, Failure> {
    Ok(numeric::row_sums(&Matrix::from_columns(columns).to_f64()?))
}

fn columns<'a>(
    table: &'a Frame,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<&'a Column>, Failure> {
    names.into_iter().map(|name| table.column(name)).collect()
}

podium_grader::export!(HmsHarmfulBrainActivity);
