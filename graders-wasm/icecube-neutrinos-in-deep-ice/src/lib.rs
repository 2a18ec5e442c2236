//! Mean angle between predicted and true directions of neutrinos, in radians; events matched by `event_id`.
//!
//! There are thirteen million events, so no sorted copies of the angles are kept.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

use podium_grader::frame::{require_same_ids, require_same_length};
use podium_grader::metrics::{numeric, sin_cos, sin_cos_roughly};
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
        let (predicted, truth) = (Directions::read(submission)?, Directions::read(answers)?);
        let (ids, expected) = (submission.column(ID)?, answers.column(ID)?);
        let (order, expected_order) = (ids.sorted_rows()?, expected.sorted_rows()?);
        // The same ids in the same order are the same set, which takes more memory to tell.
        let (sorted, expected_sorted) = (ids.take(order), expected.take(expected_order));
        if sorted.dtype() != expected_sorted.dtype()
            || sorted.first_difference(&expected_sorted).is_some()
        {
            require_same_ids(ID, submission, answers)?;
        }
        drop((sorted, expected_sorted));
        let pairs = Pairs { predicted, truth, order, expected_order };
        let block = RefCell::new(Vec::with_capacity(BLOCK));
        let opposite = Cell::new(0_u64);
        let mean = numeric::mean_by(order.len(), |place| {
            let mut block = block.borrow_mut();
            // Places are asked for one after the other.
            if place % BLOCK == 0 {
                pairs.angles(place..order.len().min(place + BLOCK), &mut block);
            }
            let angle = block[place % BLOCK];
            opposite.set(opposite.get() + u64::from(angle > FRAC_PI_2));
            angle
        });
        Ok(Score::new(mean)
            .with("events", order.len() as f64)
            .with("events off by more than a right angle", opposite.get() as f64))
    }
}

/// How many events are looked at together. Their angles lie all over the memory, and it is quicker to fetch many at a time
/// than to wait for each.
const BLOCK: usize = 128;

/// The predicted and the true directions, and which rows belong together.
struct Pairs<'a> {
    predicted: Directions<'a>,
    truth: Directions<'a>,
    order: &'a [u32],
    expected_order: &'a [u32],
}

impl Pairs<'_> {
    /// The angles between the directions of pairs.
    fn angles(&self, places: Range<usize>, angles: &mut Vec<f64>) {
        let mut pairs = [(Angles::default(), Angles::default()); BLOCK];
        for (pair, place) in pairs.iter_mut().zip(places.clone()) {
            pair.0 = self.truth.of(self.expected_order[place]);
            pair.1 = self.predicted.of(self.order[place]);
        }
        angles.clear();
        angles.extend(pairs[..places.len()].iter().map(|(truth, predicted)| {
            // The arc cosine of what is close to 1 or -1 makes much of the last digit; else, it makes nothing of it.
            let product = truth.product(*predicted, sin_cos_roughly);
            let product =
                if product.abs() > 0.999 { truth.product(*predicted, sin_cos) } else { product };
            // Rounding takes the product of equal directions beyond 1.
            product.clamp(-1.0, 1.0).acos()
        }));
    }
}

/// The directions of all rows, as angles in radians.
struct Directions<'a> {
    azimuths: Cow<'a, [f64]>,
    zeniths: Cow<'a, [f64]>,
}

impl Directions<'_> {
    /// The directions of a table.
    fn read(table: &Frame) -> Result<Directions<'_>, Failure> {
        let azimuths = angles(table.column("azimuth")?)?;
        Ok(Directions { azimuths, zeniths: angles(table.column("zenith")?)? })
    }

    fn of(&self, row: u32) -> Angles {
        Angles { azimuth: self.azimuths[row as usize], zenith: self.zeniths[row as usize] }
    }
}

/// The two angles of a direction, in radians.
#[derive(Clone, Copy, Default)]
struct Angles {
    azimuth: f64,
    zenith: f64,
}

impl Angles {
    /// The scalar product of two directions.
    fn product(self, other: Angles, sin_cos: fn(f64) -> (f64, f64)) -> f64 {
        let ((sin_azimuth, cos_azimuth), (sin_zenith, cos_zenith)) =
            (sin_cos(self.azimuth), sin_cos(self.zenith));
        let ((other_sin_azimuth, other_cos_azimuth), (other_sin_zenith, other_cos_zenith)) =
            (sin_cos(other.azimuth), sin_cos(other.zenith));
        sin_zenith
            * other_sin_zenith
            * (cos_azimuth * other_cos_azimuth + sin_azimuth * other_sin_azimuth)
            + cos_zenith * other_cos_zenith
    }
}

/// The values of a column of finite numbers.
fn angles(column: &Column) -> Result<Cow<'_, [f64]>, Failure> {
    if !column.dtype().is_number() {
        return Err(match column.cause_of_text() {
            Some(row) => column.unexpected(row, "an angle in radians"),
            None => column.failure("expected angles in radians, found truth values"),
        });
    }
    let angles = column.to_f64()?;
    match angles.iter().position(|angle| !angle.is_finite()) {
        None => Ok(angles),
        Some(row) => Err(column.unexpected(row, "a finite angle in radians")),
    }
}

podium_grader::export!(IceCubeNeutrinos);
