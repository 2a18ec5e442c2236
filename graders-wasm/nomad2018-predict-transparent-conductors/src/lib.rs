//! Mean of the root mean squared logarithmic errors of two energies, materials matched by the place of their row.
//!
//! No `id` is read: rows have to stand in the order of the sample submission.

use podium_grader::frame::require_as_many_rows;
use podium_grader::metrics::{numeric, root_mean_squared_log_error};
use podium_grader::{Direction, Failure, Frame, Grader, Score};

const ENERGIES: [&str; 2] = ["formation_energy_ev_natom", "bandgap_energy_ev"];

struct Nomad2018TransparentConductors;

impl Grader for Nomad2018TransparentConductors {
    const COMPETITION: &'static str = "nomad2018-predict-transparent-conductors";
    const METRIC: &'static str = "mean column-wise root mean squared logarithmic error";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&ENERGIES);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&ENERGIES)?;
        submission.require_columns(&ENERGIES)?;
        require_as_many_rows(submission, answers)?;
        let errors = ENERGIES
            .iter()
            .map(|energy| {
                root_mean_squared_log_error(answers.column(energy)?, submission.column(energy)?)
            })
            .collect::<Result<Vec<f64>, Failure>>()?;
        let score = Score::new(numeric::mean(&errors));
        Ok(ENERGIES.iter().zip(errors).fold(score, |score, (energy, error)| {
            score.with(format!("root mean squared logarithmic error of {energy}"), error)
        }))
    }
}

podium_grader::export!(Nomad2018TransparentConductors);
