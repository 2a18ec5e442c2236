//! UW-Madison GI Tract Image Segmentation: scans of 144 slices with the masks of three organs, of which distances in space
//! are taken.

use anyhow::Result;

use super::Files;
use super::masks::{Picture, Runs};
use crate::bench::numbers::Numbers;

const SLICES: u64 = 144;
const ORGANS: [&str; 3] = ["large_bowel", "small_bowel", "stomach"];
const SLICE: Picture = Picture { lines: 266, pixels_of_line: 266 };

/// Masks a little off.
pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, files, |row| organ(row, 3))
}

/// Masks of 300 speckles in every slice.
pub(super) fn heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, files, |row| {
        Runs::speckles(SLICE, &mut Numbers::of_row(451, row), 300).text()
    })
}

fn write_predicting(
    rows: u64,
    files: &mut Files<'_>,
    predict: impl Fn(u64) -> String,
) -> Result<()> {
    writeln!(files.answers, "id,class,predicted,image_width,image_height")?;
    writeln!(files.submission, "id,class,predicted")?;
    // Rows are paired by their place.
    for row in 0..rows {
        let (slice, organ_name) = (row / 3, ORGANS[(row % 3) as usize]);
        let scan = slice / SLICES;
        let id =
            format!("case{}_day{}_slice_{:04}", 2 + scan / 4, 1 + scan % 4 * 9, 1 + slice % SLICES);
        writeln!(files.answers, "{id},{organ_name},{},266.0,266.0", organ(row, 0))?;
        writeln!(files.submission, "{id},{organ_name},{}", predict(row))?;
    }
    Ok(())
}

/// An organ, which is to be seen in the slices of the middle.
fn organ(row: u64, shift: u64) -> String {
    let slice = row / 3 % SLICES;
    if !(40..110).contains(&slice) {
        return String::new();
    }
    Runs::discs(SLICE, &mut Numbers::of_row(450, row), 3, 18, shift).text()
}
