//! Google Brain - Ventilator Pressure Prediction: breaths of eighty steps with all that was measured, of which those of
//! breathing in are scored; the predictions in no order.

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// The steps of a breath, and how many of them are those of breathing in.
const STEPS: u64 = 80;
const BREATHING_IN: u64 = 31;

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    writeln!(files.answers, "id,breath_id,R,C,time_step,u_in,u_out,pressure")?;
    for row in 0..rows {
        let (breath, step) = (row / STEPS, row % STEPS);
        let mut lung = Numbers::of_row(180, breath);
        let resistance = [5, 20, 50][lung.below(3) as usize];
        let compliance = [10, 20, 50][lung.below(3) as usize];
        let mut numbers = Numbers::of_row(181, row);
        let time = step as f64 * 0.0335 + numbers.between(0.0, 0.0005);
        let flow = numbers.between(0.0, 40.0);
        writeln!(
            files.answers,
            "{},{},{resistance},{compliance},{time:.9},{flow:.8},{},{:.8}",
            row + 1,
            breath * 10 + lung.below(10) + 1,
            u8::from(step >= BREATHING_IN),
            pressure(row),
        )?;
    }
    writeln!(files.submission, "id,pressure")?;
    for row in Shuffled::new(182, rows).iter() {
        let prediction = (pressure(row) + Numbers::of_row(183, row).between(-0.5, 0.5)) as f32;
        writeln!(files.submission, "{},{prediction:?}", row + 1)?;
    }
    Ok(())
}

/// One of 950 steps of the gauge, in cmH₂O.
fn pressure(row: u64) -> f64 {
    -1.895744294564641 + Numbers::of_row(184, row).below(950) as f64 * 0.07030214545121005
}
