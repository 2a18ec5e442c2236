//! Tabular Playground Series - Dec 2021: rows in no order with ten measurements and 44 flags in front of the type of
//! forest cover; the predictions in another order.

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// The measurements and about how large they are.
const MEASUREMENTS: [(&str, u64); 10] = [
    ("Elevation", 3_500),
    ("Aspect", 360),
    ("Slope", 50),
    ("Horizontal_Distance_To_Hydrology", 700),
    ("Vertical_Distance_To_Hydrology", 150),
    ("Horizontal_Distance_To_Roadways", 4_000),
    ("Hillshade_9am", 255),
    ("Hillshade_Noon", 255),
    ("Hillshade_3pm", 255),
    ("Horizontal_Distance_To_Fire_Points", 4_000),
];
const AREAS: usize = 4;
const SOILS: usize = 40;

/// How many of a hundred rows have which type: the first and the second most, the fifth next to none.
const COVER_TYPES: [(u64, u64); 6] = [(2, 56), (1, 37), (3, 5), (7, 1), (6, 1), (4, 0)];

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let ids = Shuffled::new(230, rows * 10);
    let mut header = vec!["Id".to_owned()];
    header.extend(MEASUREMENTS.map(|(name, _)| name.to_owned()));
    header.extend((1..=AREAS).map(|area| format!("Wilderness_Area{area}")));
    header.extend((1..=SOILS).map(|soil| format!("Soil_Type{soil}")));
    header.push("Cover_Type".to_owned());
    writeln!(files.answers, "{}", header.join(","))?;
    for row in 0..rows {
        let mut numbers = Numbers::of_row(231, row);
        write!(files.answers, "{}", ids.at(row))?;
        for (_, size) in MEASUREMENTS {
            write!(files.answers, ",{}", numbers.below(size))?;
        }
        for _ in 0..AREAS + SOILS {
            write!(files.answers, ",{}", u8::from(numbers.chance(40)))?;
        }
        writeln!(files.answers, ",{}", cover_type(row))?;
    }
    writeln!(files.submission, "Id,Cover_Type")?;
    for row in Shuffled::new(232, rows).iter() {
        let mut numbers = Numbers::of_row(233, row);
        let prediction = if numbers.chance(950) { cover_type(row) } else { 1 + numbers.below(7) };
        writeln!(files.submission, "{},{prediction}", ids.at(row))?;
    }
    Ok(())
}

fn cover_type(row: u64) -> u64 {
    let mut place = Numbers::of_row(234, row).below(100);
    for (cover_type, share) in COVER_TYPES {
        if place < share {
            return cover_type;
        }
        place -= share;
    }
    // The shares make up a hundred.
    COVER_TYPES[0].0
}
