//! Bristol-Myers Squibb - Molecular Translation: InChI strings of about 110 characters by names of pictures in no order;
//! most predictions have some letters wrong.

use std::fmt::Write as _;

use anyhow::Result;
use csv::Writer;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    const HEADER: [&str; 2] = ["image_id", "InChI"];
    let mut answers = Writer::from_writer(&mut *files.answers);
    answers.write_record(HEADER)?;
    for row in 0..rows {
        answers.write_record([id(row), molecule(row)])?;
    }
    answers.flush()?;
    let mut submission = Writer::from_writer(&mut *files.submission);
    submission.write_record(HEADER)?;
    for row in Shuffled::new(202, rows).iter() {
        submission.write_record([id(row), prediction(row)])?;
    }
    submission.flush()?;
    Ok(())
}

/// Twelve hexadecimal digits.
fn id(row: u64) -> String {
    format!("{:012x}", Shuffled::new(200, 1 << 48).at(row))
}

/// A formula, the bonds between the atoms, and where the hydrogen is.
fn molecule(row: u64) -> String {
    let mut numbers = Numbers::of_row(201, row);
    let carbon = 8 + numbers.below(24);
    let hydrogen = carbon + numbers.below(carbon);
    let (nitrogen, oxygen) = (1 + numbers.below(6), 1 + numbers.below(6));
    let atoms = carbon + nitrogen + oxygen;
    let order = Shuffled::new(numbers.next(), atoms);
    // Writing to a string does not fail.
    let mut text = format!("InChI=1S/C{carbon}H{hydrogen}N{nitrogen}O{oxygen}/c");
    for place in 0..atoms {
        let atom = order.at(place) + 1;
        let _ = match numbers.below(8) {
            _ if place == 0 => write!(text, "{atom}"),
            0 => write!(text, "({atom})"),
            1 if text.ends_with(')') => write!(text, "{atom}"),
            _ => write!(text, "-{atom}"),
        };
    }
    let (methyl, ring) = (1 + numbers.below(4), 5 + numbers.below(6));
    let _ = write!(text, "/h{ring}-{}H,1-{methyl}H3,(H,{carbon},{})", ring + 4, atoms - 1);
    text
}

/// The molecule with some changes; one in twenty is another molecule.
fn prediction(row: u64) -> String {
    let mut numbers = Numbers::of_row(203, row);
    if numbers.chance(50) {
        return molecule(numbers.below(1 << 32));
    }
    let mut text: Vec<char> = molecule(row).chars().collect();
    let changes = if numbers.chance(400) { 0 } else { numbers.below(8) };
    for _ in 0..changes {
        let place = numbers.below(text.len() as u64) as usize;
        let letter = char::from(b'1' + numbers.below(9) as u8);
        match numbers.below(3) {
            0 => text[place] = letter,
            1 => text.insert(place, letter),
            _ => drop(text.remove(place)),
        }
    }
    text.into_iter().collect()
}
