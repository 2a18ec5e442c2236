//! Mean angle between predicted and true directions of neutrinos, in radians; events matched by `event_id`.

use podium_grader::frame::{require_same_ids, require_same_length};
use podium_grader::metrics::numeric;
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

const ID: &str = "event_id";
const COLUMNS: [&str; 3] = [ID, "azimuth", "zenith"];

struct IceCubeNeutrinos;

impl Grader for IceCubeNeutrinos {
    const COMPETITION: &'static str = "icecube-neutrinos-in-deep-ice";
    const METRIC: &'static str = "mean angular error";
    const DIRECTION: Direction = Direction::LowerIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_exact_columns(&COLUMNS)?;
        submission.require_exact_columns(&COLUMNS)?;
        require_same_ids(ID, submission, answers)?;
        require_same_length(ID, submission, answers)?;
        let submission = submission.identified_by(ID)?.sort_by(ID)?;
        let answers = answers.sort_by(ID)?;
        let (predicted, truth) = (directions(&submission)?, directions(&answers)?);
        Ok(Score::new(numeric::mean_by(truth.len(), |row| truth[row].angle_to(&predicted[row]))))
    }
}

/// The sines and cosines of the two angles of a direction.
struct Towards {
    azimuth: (f64, f64),
    zenith: (f64, f64),
}

impl Towards {
    /// The angle between two directions, in radians.
    fn angle_to(&self, other: &Towards) -> f64 {
        let ((sin_azimuth, cos_azimuth), (sin_zenith, cos_zenith)) = (self.azimuth, self.zenith);
        let ((other_sin_azimuth, other_cos_azimuth), (other_sin_zenith, other_cos_zenith)) =
            (other.azimuth, other.zenith);
        let product = sin_zenith
            * other_sin_zenith
            * (cos_azimuth * other_cos_azimuth + sin_azimuth * other_sin_azimuth)
            + cos_zenith * other_cos_zenith;
        // Rounding takes the product of equal directions beyond 1.
        product.clamp(-1.0, 1.0).acos()
    }
}

/// The direction of each row.
fn directions(table: &Frame) -> Result<Vec<Towards>, Failure> {
    let (azimuths, zeniths) = (angles(table.column("azimuth")?)?, angles(table.column("zenith")?)?);
    let pairs = azimuths.into_iter().zip(zeniths);
    Ok(pairs
        .map(|(azimuth, zenith)| Towards { azimuth: azimuth.sin_cos(), zenith: zenith.sin_cos() })
        .collect())
}

/// The values of a column of finite numbers.
fn angles(column: &Column) -> Result<Vec<f64>, Failure> {
    if !column.dtype().is_number() {
        return Err(match column.cause_of_text() {
            Some(row) => column.failure_at(
                row,
                format_args!("expected an angle in radians, found {}", column.describe(row)),
            ),
            None => column.failure("expected angles in radians, found truth values"),
        });
    }
    let angles = column.to_f64()?.into_owned();
    match angles.iter().position(|angle| !angle.is_finite()) {
        None => Ok(angles),
        Some(row) => Err(column.failure_at(
            row,
            format_args!("expected a finite angle in radians, found {}", column.describe(row)),
        )),
    }
}

podium_grader::export!(IceCubeNeutrinos);
