//! Google AI4Code: notebooks with some forty cells, a few with a thousand, whose order is predicted.

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// A few cells of each notebook in a wrong place.
pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, files, |cells, numbers| {
        for _ in 0..cells.len() / 8 {
            let (from, to) = (numbers.below(cells.len() as u64), numbers.below(cells.len() as u64));
            let cell = cells.remove(from as usize);
            cells.insert(to as usize, cell);
        }
    })
}

/// Each notebook in no order at all.
pub(super) fn heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, files, |cells, numbers| {
        let order = Shuffled::new(numbers.next(), cells.len() as u64);
        *cells = order.iter().map(|place| cells[place as usize].clone()).collect();
    })
}

fn write_predicting(
    rows: u64,
    files: &mut Files<'_>,
    predict: impl Fn(&mut Vec<String>, &mut Numbers),
) -> Result<()> {
    writeln!(files.answers, "id,cell_order")?;
    for row in 0..rows {
        writeln!(files.answers, "{},{}", id(row), cells(row).join(" "))?;
    }
    writeln!(files.submission, "id,cell_order")?;
    for row in Shuffled::new(431, rows).iter() {
        let mut cells = cells(row);
        predict(&mut cells, &mut Numbers::of_row(432, row));
        writeln!(files.submission, "{},{}", id(row), cells.join(" "))?;
    }
    Ok(())
}

/// Fourteen hexadecimal digits.
fn id(row: u64) -> String {
    format!("{:014x}", Shuffled::new(433, 1 << 56).at(row))
}

fn cells(row: u64) -> Vec<String> {
    let mut numbers = Numbers::of_row(430, row);
    let count = if numbers.chance(3) { 300 + numbers.below(700) } else { 2 + numbers.below(90) };
    let names = Shuffled::new(numbers.next(), 1 << 32);
    (0..count).map(|cell| format!("{:08x}", names.at(cell))).collect()
}
