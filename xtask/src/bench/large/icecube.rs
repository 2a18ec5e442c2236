//! IceCube: directions of thirteen million events in order of their ids, angles in all their digits; the predictions in no
//! order.

use std::f64::consts::{PI, TAU};

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    const HEADER: &str = "event_id,azimuth,zenith";
    writeln!(files.answers, "{HEADER}")?;
    for row in 0..rows {
        let (id, azimuth, zenith) = event(row);
        writeln!(files.answers, "{id},{azimuth:?},{zenith:?}")?;
    }
    writeln!(files.submission, "{HEADER}")?;
    for row in Shuffled::new(101, rows).iter() {
        let (id, azimuth, zenith) = event(row);
        let mut numbers = Numbers::of_row(102, row);
        let azimuth = azimuth + numbers.between(-1.0, 1.0);
        let zenith = zenith + numbers.between(-0.5, 0.5);
        writeln!(files.submission, "{id},{azimuth:?},{zenith:?}")?;
    }
    Ok(())
}

/// The id, ascending with the row, and the true angles in radians.
fn event(row: u64) -> (u64, f64, f64) {
    let mut numbers = Numbers::of_row(100, row);
    (row * 160 + numbers.below(160), numbers.between(0.0, TAU), numbers.between(0.0, PI))
}
