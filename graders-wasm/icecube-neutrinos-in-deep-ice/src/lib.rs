//! Mean angle between predicted and true directions of neutrinos, in radians; events matched by `event_id`.
//!
//! There are thirteen million events, so no sorted copies of the angles are kept.

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;

use podium_grader::frame::{Values, require_same_ids, require_same_length};
use podium_grader::metrics::{arc_cosines, numeric, sin_cos, sines_and_cosines_roughly};
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
        if !are_same_in_order((ids, order), (expected, expected_order)) {
            require_same_ids(ID, submission, answers)?;
        }
        let mut pairs = Pairs {
            predicted,
            truth,
            predicted_block: Block::default(),
            truth_block: Block::default(),
        };
        let mut opposite = 0;
        let mean = numeric::mean_by_pieces(order.len(), |places, angles| {
            let rows = order[places.clone()].chunks(BLOCK);
            let expected_rows = expected_order[places].chunks(BLOCK);
            for ((angles, rows), expected_rows) in
                angles.chunks_mut(BLOCK).zip(rows).zip(expected_rows)
            {
                pairs.angles(rows, expected_rows, angles);
                opposite += angles.iter().map(|angle| u64::from(*angle > FRAC_PI_2)).sum::<u64>();
            }
        });
        Ok(Score::new(mean)
            .with("events", order.len() as f64)
            .with("events off by more than a right angle", opposite as f64))
    }
}

/// How many events are looked at together. Their angles lie all over the memory, and it is quicker to fetch many at a time
/// than to wait for each; and each step of the computation is done for all of them, two at a time.
const BLOCK: usize = 128;

/// Whether columns of one length are of one type and hold the same in the given orders.
fn are_same_in_order(
    (left, left_order): (&Column, &[u32]),
    (right, right_order): (&Column, &[u32]),
) -> bool {
    if let (Values::Int64(left), Values::Int64(right)) = (left.values(), right.values()) {
        let (mut block, mut other) = ([0; BLOCK], [0; BLOCK]);
        return left_order.chunks(BLOCK).zip(right_order.chunks(BLOCK)).all(
            |(rows, other_rows)| {
                fetch(left, rows, &mut block);
                fetch(right, other_rows, &mut other);
                // What is left over is the same in both.
                block.iter().zip(&other).fold(0, |all, (left, right)| all | (left ^ right)) == 0
            },
        );
    }
    left.dtype() == right.dtype()
        && left.take(left_order).first_difference(&right.take(right_order)).is_none()
}

/// Takes the values of rows, of a block at most; places that are left over keep what they hold.
///
/// A function of its own, as little of which as possible stands between one value and the next: as many are waited for at
/// a time.
#[inline(never)]
fn fetch<T: Copy>(values: &[T], rows: &[u32], block: &mut [T; BLOCK]) {
    let (eights, others) = rows.as_chunks::<8>();
    let (blocks, _) = block.as_chunks_mut::<8>();
    for (block, rows) in blocks.iter_mut().zip(eights) {
        *block = rows.map(|row| values[row as usize]);
    }
    for (place, row) in block[8 * eights.len()..].iter_mut().zip(others) {
        *place = values[*row as usize];
    }
}

/// The predicted and the true directions, and what is made of a block of them.
struct Pairs<'a> {
    predicted: Directions<'a>,
    truth: Directions<'a>,
    predicted_block: Block,
    truth_block: Block,
}

impl Pairs<'_> {
    /// The angles between the directions of pairs of rows, of a block at most.
    fn angles(&mut self, rows: &[u32], expected_rows: &[u32], angles: &mut [f64]) {
        let (predicted, truth) = (&mut self.predicted_block, &mut self.truth_block);
        predicted.fetch(&self.predicted, rows);
        truth.fetch(&self.truth, expected_rows);
        let mut products = [0.0; BLOCK];
        for (place, product) in products.iter_mut().enumerate() {
            *product = truth.roughly(place).product(predicted.roughly(place));
        }
        for (place, (angle, product)) in angles.iter_mut().zip(products).enumerate() {
            // The arc cosine of what is close to 1 or -1 makes much of the last digit; else, it makes nothing of it.
            let product = if product.abs() > 0.999 {
                truth.exactly(place).product(predicted.exactly(place))
            } else {
                product
            };
            // Rounding takes the product of equal directions beyond 1.
            *angle = product.clamp(-1.0, 1.0);
        }
        arc_cosines(angles);
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
}

/// The directions of some rows.
#[derive(Default)]
struct Block {
    azimuths: Waves,
    zeniths: Waves,
}

impl Block {
    /// Takes the directions of rows.
    fn fetch(&mut self, directions: &Directions<'_>, rows: &[u32]) {
        self.azimuths.fetch(&directions.azimuths, rows);
        self.zeniths.fetch(&directions.zeniths, rows);
    }

    /// A direction, the last digits aside.
    fn roughly(&self, place: usize) -> Vector {
        Vector { azimuth: self.azimuths.roughly(place), zenith: self.zeniths.roughly(place) }
    }

    /// A direction.
    fn exactly(&self, place: usize) -> Vector {
        let [azimuth, zenith] = [&self.azimuths, &self.zeniths].map(|waves| waves.exactly(place));
        Vector { azimuth, zenith }
    }
}

/// The angles of some rows, with their sines and their cosines, roughly.
struct Waves {
    angles: [f64; BLOCK],
    sines: [f64; BLOCK],
    cosines: [f64; BLOCK],
}

impl Default for Waves {
    fn default() -> Waves {
        Waves { angles: [0.0; BLOCK], sines: [0.0; BLOCK], cosines: [1.0; BLOCK] }
    }
}

impl Waves {
    /// Takes the angles of rows.
    fn fetch(&mut self, angles: &[f64], rows: &[u32]) {
        fetch(angles, rows, &mut self.angles);
        sines_and_cosines_roughly(&self.angles, &mut self.sines, &mut self.cosines);
    }

    fn roughly(&self, place: usize) -> Wave {
        Wave { sine: self.sines[place], cosine: self.cosines[place] }
    }

    fn exactly(&self, place: usize) -> Wave {
        let (sine, cosine) = sin_cos(self.angles[place]);
        Wave { sine, cosine }
    }
}

/// The sine and the cosine of an angle.
struct Wave {
    sine: f64,
    cosine: f64,
}

/// A direction.
struct Vector {
    azimuth: Wave,
    zenith: Wave,
}

impl Vector {
    /// The scalar product of two directions.
    fn product(self, other: Vector) -> f64 {
        self.zenith.sine
            * other.zenith.sine
            * (self.azimuth.cosine * other.azimuth.cosine + self.azimuth.sine * other.azimuth.sine)
            + self.zenith.cosine * other.zenith.cosine
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
    // A loop that looks at all of a block is done by vectors.
    let is_finite = |block: &[f64]| block.iter().fold(true, |all, angle| all & angle.is_finite());
    if angles.chunks(BLOCK).all(is_finite) {
        return Ok(angles);
    }
    match angles.iter().position(|angle| !angle.is_finite()) {
        None => Ok(angles),
        Some(row) => Err(column.unexpected(row, "a finite angle in radians")),
    }
}

podium_grader::export!(IceCubeNeutrinos);
