//! Modified Laplace log likelihood of the lung capacity `FVC` and its `Confidence`, visits matched by `Patient_Week`.
//!
//! Graded are the last three weeks of each patient for which the answers have a measurement, as far as the submission
//! has them; what it says of other weeks only has to be known to the answers. With no graded visit the score is not
//! defined.

use std::f64::consts::SQRT_2;

use podium_grader::frame::{Dtype, Values};
use podium_grader::metrics::numeric;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

const ID: &str = "Patient_Week";
/// Visits of a patient that are graded.
const GRADED_VISITS: usize = 3;
/// Confidences below count as this one, in millilitres.
const LEAST_CONFIDENCE: f64 = 70.0;
/// Errors above count as this one, in millilitres.
const LARGEST_ERROR: f64 = 1000.0;

struct OsicPulmonaryFibrosisProgression;

impl Grader for OsicPulmonaryFibrosisProgression {
    const COMPETITION: &'static str = "osic-pulmonary-fibrosis-progression";
    const METRIC: &'static str = "modified Laplace log likelihood";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&[ID, "Patient", "FVC"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&[ID, "Patient", "FVC"])?;
        submission.require_columns(&[ID, "FVC", "Confidence"])?;
        let submitted = submission.identified_by(ID)?;
        let submission = &submitted;
        require_known(submission.column(ID)?, answers.column(ID)?)?;
        require_numbers(submission.column("FVC")?)?;
        require_numbers(submission.column("Confidence")?)?;

        let answers = graded_visits(answers)?;
        let submission = submission.filter(&submission.column(ID)?.is_in(answers.column(ID)?));
        let answers = answers.filter(&answers.column(ID)?.is_in(submission.column(ID)?));
        let (submission, answers) = (submission.sort_by(ID)?, answers.sort_by(ID)?);
        // A single graded visit may be predicted several times: numpy holds it against each.
        if answers.len() != 1 && submission.column(ID)?.first_duplicate().is_some() {
            // Which visits are graded must not be told, so the first one of all that is repeated is named.
            let visits = submitted.column(ID)?;
            let (row, _) = visits.first_duplicate().unwrap_or_default();
            return Err(visits.failure_at(row, "the visit is repeated"));
        }

        let truth = answers.column("FVC")?.to_f64()?;
        let predicted = submission.column("FVC")?.to_f64()?;
        let confidences = submission.column("Confidence")?.fill_missing(Cell::Int(0));
        let confidences = confidences.to_f64()?;
        let truth = |row| truth[if truth.len() == 1 { 0 } else { row }];
        let likelihood = numeric::mean_by(predicted.len(), |row| {
            laplace_log_likelihood(truth(row), predicted[row], confidences[row])
        });
        let errors = numeric::mean_by(predicted.len(), |row| (truth(row) - predicted[row]).abs());
        Ok(Score::new(likelihood)
            .with("graded visits", predicted.len() as f64)
            .with("mean absolute error of FVC in millilitres", errors)
            .with("mean of Confidence in millilitres", numeric::mean(&confidences)))
    }
}

/// Checks that all visits are among those of the answers.
fn require_known(visits: &Column, expected: &Column) -> Result<(), Failure> {
    let unknown = visits.is_in(expected).into_iter().zip(visits.cells());
    match unknown.into_iter().position(|(known, visit)| !known || visit.is_missing()) {
        None => Ok(()),
        Some(row) => Err(visits.failure_at(row, "no such visit is among those of the answers")),
    }
}

/// Checks that a column holds numbers; some may be missing.
fn require_numbers(column: &Column) -> Result<(), Failure> {
    if column.dtype() != Dtype::Object {
        return Ok(());
    }
    Err(match column.cause_of_text() {
        Some(row) => column.unexpected(row, "a number"),
        None => column.failure("expected numbers, found none"),
    })
}

/// The last visits of each patient that have a measurement, by their weeks as numbers.
fn graded_visits(answers: &Frame) -> Result<Frame, Failure> {
    let measured: Vec<bool> =
        answers.column("FVC")?.cells().map(|cell| !cell.is_missing()).collect();
    let measured = answers.filter(&measured);
    let visits = measured.column(ID)?;
    let weeks = (0..visits.len()).map(|row| week(visits, row)).collect::<Result<_, _>>()?;
    let by_week = measured.take(&visits.with_values(Values::Int64(weeks)).argsort()?);
    let mut graded = vec![false; by_week.len()];
    for rows in by_week.column("Patient")?.groups() {
        for row in rows.into_iter().rev().take(GRADED_VISITS) {
            graded[row as usize] = true;
        }
    }
    Ok(by_week.filter(&graded))
}

/// The week of a visit: the number after the last underscore of its id.
fn week(visits: &Column, row: usize) -> Result<i64, Failure> {
    let text = visits.cell(row).text().and_then(|visit| visit.rsplit('_').next());
    text.and_then(|week| Cell::Text(week).to_integer()?.to_i64())
        .ok_or_else(|| visits.failure_at(row, "the id of a visit does not end in its week"))
}

/// The logarithm of how likely a measurement is under a Laplace distribution around the predicted value, with the error
/// and the confidence clipped.
fn laplace_log_likelihood(truth: f64, predicted: f64, confidence: f64) -> f64 {
    let error = (truth - predicted).abs();
    // Unlike `f64::min`, this keeps NaN.
    let error = if error > LARGEST_ERROR { LARGEST_ERROR } else { error };
    let deviation = confidence.max(LEAST_CONFIDENCE);
    -SQRT_2 * error / deviation - (SQRT_2 * deviation).ln()
}

podium_grader::export!(OsicPulmonaryFibrosisProgression);
