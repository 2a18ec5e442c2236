//! Denoising Dirty Documents: the grey values of every pixel of 29 pages, most of them white; the predictions in no order.

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// The pixels of a line.
const WIDTH: u64 = 540;

/// The numbers of the pages, sorted as text, and their lines.
const PAGES: [(u32, u64); 29] = [
    (101, 420),
    (104, 420),
    (11, 258),
    (113, 420),
    (117, 258),
    (12, 420),
    (125, 420),
    (131, 420),
    (134, 258),
    (14, 258),
    (143, 420),
    (15, 420),
    (152, 258),
    (161, 420),
    (17, 420),
    (170, 420),
    (183, 258),
    (192, 420),
    (20, 420),
    (207, 258),
    (21, 420),
    (35, 420),
    (44, 420),
    (5, 258),
    (53, 420),
    (62, 420),
    (77, 258),
    (8, 420),
    (92, 420),
];

/// All pixels of all pages.
pub(super) const PIXELS: u64 = {
    let (mut pixels, mut page) = (0, 0);
    while page < PAGES.len() {
        pixels += PAGES[page].1 * WIDTH;
        page += 1;
    }
    pixels
};

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    writeln!(files.answers, "id,value")?;
    for row in 0..rows {
        writeln!(files.answers, "{},{:?}", Pixel::of(row), grey(row))?;
    }
    writeln!(files.submission, "id,value")?;
    for row in Shuffled::new(111, rows).iter() {
        let noise = Numbers::of_row(112, row).between(-0.08, 0.08);
        let value = (grey(row) + noise).clamp(0.0, 1.0) as f32;
        writeln!(files.submission, "{},{value:?}", Pixel::of(row))?;
    }
    Ok(())
}

/// Between 0, black, and 1, white.
fn grey(row: u64) -> f64 {
    let mut numbers = Numbers::of_row(110, row);
    let level = if numbers.chance(800) { 255 } else { numbers.below(256) };
    level as f64 / 255.0
}

struct Pixel {
    page: u32,
    line: u64,
    column: u64,
}

impl Pixel {
    fn of(row: u64) -> Pixel {
        let (mut line, column) = (row / WIDTH, row % WIDTH + 1);
        for (page, lines) in PAGES {
            if line < lines {
                return Pixel { page, line: line + 1, column };
            }
            line -= lines;
        }
        unreachable!("there are {PIXELS} pixels");
    }
}

impl std::fmt::Display for Pixel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}_{}_{}", self.page, self.line, self.column)
    }
}
