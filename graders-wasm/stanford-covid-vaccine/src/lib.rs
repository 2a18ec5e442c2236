//! Mean of the root mean squared errors of three of five rates of degradation, bases matched by `id_seqpos`.
//!
//! Only rows that the answers mark in `keep` are scored. After both tables are sorted, that mark is looked up by the place
//! of a row in its own file: in a submission whose rows are not in the order of the answers, other rows are left out
//! than in the answers, and the rest is compared out of step.

use podium_grader::frame::{Values, align_on};
use podium_grader::metrics::{numeric, root_mean_squared_error};
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Score, warn};

const ID: &str = "id_seqpos";
const SCORED: [&str; 3] = ["reactivity", "deg_Mg_pH10", "deg_Mg_50C"];
const NOT_SCORED: [&str; 2] = ["deg_pH10", "deg_50C"];

struct StanfordCovidVaccine;

impl Grader for StanfordCovidVaccine {
    const COMPETITION: &'static str = "stanford-covid-vaccine";
    const METRIC: &'static str = "mean column-wise root mean squared error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> =
        Some(&[ID, SCORED[0], SCORED[1], SCORED[2], "keep"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&[&[ID, "keep"], &SCORED[..]].concat())?;
        submission.require_columns(&[&[ID], &SCORED[..], &NOT_SCORED[..]].concat())?;
        let Values::Bool(marks) = answers.column("keep")?.values() else {
            return Err(Failure::answers("column `keep`: expected truth values"));
        };
        if !marks.contains(&true) {
            return Err(Failure::answers("column `keep`: no row is scored"));
        }
        let (submission, answers) = align_on(ID, submission, answers)?;
        let submission = submission.identified_by(ID)?;

        let kept: Vec<bool> =
            (0..answers.len()).map(|row| marks[answers.file_row(row) - 1]).collect();
        let kept_of_submission = marks_of_rows(&submission, marks)?;
        if kept != kept_of_submission {
            warn(
                "the rows are not in the order of the sample submission; predictions are compared with the values of other rows",
            );
        }
        let (submission, answers) = (submission.filter(&kept_of_submission), answers.filter(&kept));
        let errors = SCORED
            .iter()
            .map(|rate| root_mean_squared_error(answers.column(rate)?, submission.column(rate)?))
            .collect::<Result<Vec<f64>, Failure>>()?;
        let score = Score::new(numeric::mean(&errors));
        Ok(SCORED.iter().zip(errors).fold(score, |score, (rate, error)| {
            score.with(format!("root mean squared error of {rate}"), error)
        }))
    }
}

/// The mark of each row of the submission: that of the row of the answers' file with the same label. Rows are numbered
/// from 0 where the file does not label them itself, by more fields in its rows than in its header.
fn marks_of_rows(submission: &Frame, marks: &[bool]) -> Result<Vec<bool>, Failure> {
    let Some(labels) = submission.row_labels() else {
        return Ok((0..submission.len()).map(|row| marks[submission.file_row(row) - 1]).collect());
    };
    let mark = |(row, label): (usize, Cell<'_>)| {
        let place = label.to_integer().and_then(|place| usize::try_from(place.to_i64()?).ok());
        let is_number = matches!(label, Cell::Int(_) | Cell::UInt(_) | Cell::Float(_));
        place
            .filter(|place| is_number && label.equals(Cell::Int(*place as i64)))
            .and_then(|place| marks.get(place).copied())
            .ok_or_else(|| {
                submission.role().failure(format!(
                    "row {}: there is a field before the column `{}`, and it is not the number of a row",
                    submission.file_row(row),
                    submission.column_names().next().unwrap_or_default()
                ))
            })
    };
    labels.cells().enumerate().map(mark).collect()
}

podium_grader::export!(StanfordCovidVaccine);
