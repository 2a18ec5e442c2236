//! Mean over the types of coupling of the logarithm of the mean absolute error of `scalar_coupling_constant`, couplings
//! matched by `id`.
//!
//! Ids are compared as sets: a coupling that comes twice weighs more.

use podium_grader::frame::require_same_ids;
use podium_grader::metrics::{mean_absolute_error, numeric};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

/// The column that is predicted.
const CONSTANT: &str = "scalar_coupling_constant";

struct ChampsScalarCoupling;

impl Grader for ChampsScalarCoupling {
    const COMPETITION: &'static str = "champs-scalar-coupling";
    const METRIC: &'static str = "mean of the logarithms of the mean absolute errors";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "type", CONSTANT]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["id", "type", CONSTANT])?;
        submission.require_columns(&["id", CONSTANT])?;
        require_same_ids("id", submission, answers)?;
        let submission = submission.identified_by("id")?;

        let (constants, predicted) = (answers.column(CONSTANT)?, submission.column(CONSTANT)?);
        let pairs = answers.column("id")?.merge_rows(submission.column("id")?)?;
        let (left, right): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        let types = answers.column("type")?.take(&left);
        let mut logarithms = Vec::new();
        let mut score = Score::new(0.0);
        for group in types.groups() {
            let rows = |side: &[u32]| -> Vec<u32> {
                group.iter().map(|place| side[*place as usize]).collect()
            };
            let error =
                mean_absolute_error(&constants.take(&rows(&left)), &predicted.take(&rows(&right)))?;
            logarithms.push(error.ln());
            let name = types.cell(group[0] as usize);
            score =
                score.with(format!("logarithm of the mean absolute error of {name}"), error.ln());
        }
        score.value = numeric::mean(&logarithms);
        Ok(score)
    }
}

podium_grader::export!(ChampsScalarCoupling);
