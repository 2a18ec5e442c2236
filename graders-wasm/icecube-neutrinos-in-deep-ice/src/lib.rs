//! Mean angle between predicted and true directions of neutrinos, in radians; events matched by `event_id`.
//!
//! There are thirteen million events, so no sorted copies of the angles are kept.

use std::borrow::Cow;

use podium_grader::frame::{require_same_ids, require_same_length};
use podium_grader::metrics::{numeric, sin_cos};
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
        require_same_length(ID, submission, answers)?;
        let (predicted, truth) = (Directions::of(submission)?, Directions::of(answers)?);
        let (ids, expected) = (submission.column(ID)?, answers.column(ID)?);
        let (order, expected_order) = (ids.argsort()?, expected.argsort()?);
        // The same ids in the same order are the same set, which takes more memory to tell.
        let (sorted, expected_sorted) = (ids.take(&order), expected.take(&expected_order));
        if sorted.dtype() != expected_sorted.dtype()
            || sorted.first_difference(&expected_sorted).is_some()
        {
            require_same_ids(ID, submission, answers)?;
        }
        drop((sorted, expected_sorted));
        Ok(Score::new(numeric::mean_by(order.len(), |place| {
            let (row, expected_row) = (order[place] as usize, expected_order[place] as usize);
            truth.direction(expected_row).angle_to(predicted.direction(row))
        })))
    }
}

/// The directions of all rows, as angles in radians.
struct Directions<'a> {
    azimuths: Cow<'a, [f64]>,
    zeniths: Cow<'a, [f64]>,
}

impl Directions<'_> {
    fn of(table: &Frame) -> Result<Directions<'_>, Failure> {
        let azimuths = angles(table.column("azimuth")?)?;
        Ok(Directions { azimuths, zeniths: angles(table.column("zenith")?)? })
    }

    fn direction(&self, row: usize) -> Towards {
        Towards { azimuth: sin_cos(self.azimuths[row]), zenith: sin_cos(self.zeniths[row]) }
    }
}

/// The sines and cosines of the two angles of a direction.
struct Towards {
    azimuth: (f64, f64),
    zenith: (f64, f64),
}

impl Towards {
    /// The angle between two directions, in radians.
    fn angle_to(self, other: Towards) -> f64 {
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

/// The values of a column of finite numbers.
fn angles(column: &Column) -> Result<Cow<'_, [f64]>, Failure> {
    if !column.dtype().is_number() {
        return Err(match column.cause_of_text() {
            Some(row) => column.failure_at(
                row,
                format_args!("expected an angle in radians, found {}", column.describe(row)),
            ),
            None => column.failure("expected angles in radians, found truth values"),
        });
    }
    let angles = column.to_f64()?;
    match angles.iter().position(|angle| !angle.is_finite()) {
        None => Ok(angles),
        Some(row) => Err(column.failure_at(
            row,
            format_args!("expected a finite angle in radians, found {}", column.describe(row)),
        )),
    }
}

podium_grader::export!(IceCubeNeutrinos);
