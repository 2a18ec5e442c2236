//! Kuzushiji Recognition: pages of old Japanese print with about 180 characters each.

use std::fmt::Write as _;

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// How many characters there are to be told apart.
const CHARACTERS: u64 = 4_200;

/// One prediction for most characters.
pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, 0, files)
}

/// 1,200 predictions a page, the most that the competition allowed.
pub(super) fn heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, 1_200, files)
}

fn write_predicting(rows: u64, at_least: usize, files: &mut Files<'_>) -> Result<()> {
    writeln!(files.answers, "image_id,labels")?;
    for row in 0..rows {
        let mut text = String::new();
        for Printed { label, x, y, width, height } in page(row) {
            // Writing to a string does not fail.
            let _ = write!(text, "U+{label:04X} {x} {y} {width} {height} ");
        }
        writeln!(files.answers, "{},{}", id(row), text.trim_end())?;
    }
    writeln!(files.submission, "image_id,labels")?;
    for row in Shuffled::new(421, rows).iter() {
        let mut numbers = Numbers::of_row(422, row);
        let mut text = String::new();
        let mut predicted = 0;
        for Printed { label, x, y, width, height } in page(row) {
            let label = if numbers.chance(800) { label } else { some_label(&mut numbers) };
            let (x, y) = (x + numbers.below(width), y + numbers.below(height));
            let _ = write!(text, "U+{label:04X} {x} {y} ");
            predicted += 1;
        }
        for _ in predicted..at_least {
            let (label, x, y) =
                (some_label(&mut numbers), numbers.below(2_000), numbers.below(3_000));
            let _ = write!(text, "U+{label:04X} {x} {y} ");
        }
        writeln!(files.submission, "{},{}", id(row), text.trim_end())?;
    }
    Ok(())
}

fn id(row: u64) -> String {
    format!("100{:06}_{:05}_{}", 241_000 + row * 7, row, 1 + row % 2)
}

struct Printed {
    label: u64,
    x: u64,
    y: u64,
    width: u64,
    height: u64,
}

fn page(row: u64) -> Vec<Printed> {
    let mut numbers = Numbers::of_row(420, row);
    let count = 60 + numbers.below(240);
    (0..count)
        .map(|_| Printed {
            label: some_label(&mut numbers),
            x: numbers.below(2_000),
            y: numbers.below(3_000),
            width: 30 + numbers.below(120),
            height: 30 + numbers.below(150),
        })
        .collect()
}

fn some_label(numbers: &mut Numbers) -> u64 {
    0x3041 + numbers.skewed(CHARACTERS)
}
