//! Competitions that look for boxes in X-ray pictures: VinBigData Chest X-ray Abnormalities Detection and SIIM-FISABIO-RSNA
//! COVID-19 Detection.

use std::fmt::Write as _;

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// Left, top, right, bottom.
type Corners = [u64; 4];

/// VinBigData with a few boxes for each picture that has a finding.
pub(super) fn chest(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_chest(rows, 0, files)
}

/// VinBigData with a hundred boxes for each picture, the most that COCO's evaluation looks at.
pub(super) fn chest_heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_chest(rows, 100, files)
}

/// Three radiologists looked at each picture. Seven of ten have no finding, which is a box of one pixel of class 14.
fn write_chest(rows: u64, at_least: usize, files: &mut Files<'_>) -> Result<()> {
    const CLASSES: [&str; 14] = [
        "Aortic enlargement",
        "Atelectasis",
        "Calcification",
        "Cardiomegaly",
        "Consolidation",
        "ILD",
        "Infiltration",
        "Lung Opacity",
        "Nodule/Mass",
        "Other lesion",
        "Pleural effusion",
        "Pleural thickening",
        "Pneumothorax",
        "Pulmonary fibrosis",
    ];
    writeln!(files.answers, "image_id,class_id,class_name,rad_id,x_min,y_min,x_max,y_max")?;
    for row in 0..rows {
        let mut numbers = Numbers::of_row(411, row);
        for (class, [left, top, right, bottom]) in findings(row) {
            let name = CLASSES[class as usize];
            let radiologist = 8 + numbers.below(3);
            writeln!(
                files.answers,
                "{:032x},{class},{name},R{radiologist},{left}.0,{top}.0,{right}.0,{bottom}.0",
                id(row)
            )?;
        }
        for radiologist in 8..11 {
            if findings(row).is_empty() {
                writeln!(
                    files.answers,
                    "{:032x},14,No finding,R{radiologist},0.0,0.0,1.0,1.0",
                    id(row)
                )?;
            }
        }
    }
    writeln!(files.submission, "image_id,PredictionString")?;
    for row in Shuffled::new(412, rows).iter() {
        let mut numbers = Numbers::of_row(413, row);
        let mut predictions: Vec<(u64, Corners)> = findings(row)
            .into_iter()
            .map(|(class, corners)| (class, moved(corners, &mut numbers)))
            .collect();
        while predictions.len() < at_least {
            let class = numbers.below(14);
            let corners = corners(&mut numbers);
            predictions.push((class, corners));
        }
        let mut text = String::new();
        for (class, [left, top, right, bottom]) in predictions {
            let confidence = numbers.between(0.01, 1.0);
            // Writing to a string does not fail.
            let _ = write!(text, "{class} {confidence} {left} {top} {right} {bottom} ");
        }
        let text = if text.is_empty() { "14 1 0 0 1 1" } else { text.trim_end() };
        writeln!(files.submission, "{:032x},{text}", id(row))?;
    }
    Ok(())
}

/// SIIM with a few boxes for each picture that has an opacity.
pub(super) fn covid(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_covid(rows, 0, files)
}

/// SIIM with a hundred boxes for each picture.
pub(super) fn covid_heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_covid(rows, 100, files)
}

/// The first half of the rows are studies with one label of four, the others pictures with opacities.
fn write_covid(rows: u64, at_least: usize, files: &mut Files<'_>) -> Result<()> {
    const LABELS: [&str; 4] = ["negative", "typical", "indeterminate", "atypical"];
    let is_study = |row: u64| row < rows / 2;
    let id = |row: u64| {
        format!(
            "{:012x}_{}",
            id(row) & 0xffff_ffff_ffff,
            if is_study(row) { "study" } else { "image" }
        )
    };
    let label = |row: u64| LABELS[Numbers::of_row(414, row).below(4) as usize];
    writeln!(files.answers, "id,PredictionString")?;
    for row in 0..rows {
        let mut text = String::new();
        for (_, [left, top, right, bottom]) in
            findings(row).iter().take(if is_study(row) { 0 } else { 4 })
        {
            let _ = write!(text, "opacity 1 {left} {top} {right} {bottom} ");
        }
        match text.trim_end() {
            _ if is_study(row) => writeln!(files.answers, "{},{} 1 0 0 1 1", id(row), label(row))?,
            "" => writeln!(files.answers, "{},none 1 0 0 1 1", id(row))?,
            text => writeln!(files.answers, "{},{text}", id(row))?,
        }
    }
    writeln!(files.submission, "id,PredictionString")?;
    for row in Shuffled::new(415, rows).iter() {
        let mut numbers = Numbers::of_row(416, row);
        let mut text = String::new();
        if is_study(row) {
            for other in LABELS {
                let most = if other == label(row) { 1.0 } else { 0.7 };
                let _ = write!(text, "{other} {} 0 0 1 1 ", numbers.between(0.0, most));
            }
        } else {
            let _ = write!(text, "none {} 0 0 1 1 ", numbers.between(0.0, 1.0));
            let mut opacities: Vec<Corners> = findings(row)
                .into_iter()
                .map(|(_, corners)| moved(corners, &mut numbers))
                .collect();
            while opacities.len() < at_least {
                opacities.push(corners(&mut numbers));
            }
            for [left, top, right, bottom] in opacities {
                let confidence = numbers.between(0.01, 1.0);
                let _ = write!(text, "opacity {confidence} {left} {top} {right} {bottom} ");
            }
        }
        writeln!(files.submission, "{},{}", id(row), text.trim_end())?;
    }
    Ok(())
}

fn id(row: u64) -> u128 {
    let mut numbers = Numbers::of_row(417, row);
    u128::from(numbers.next()) << 64 | u128::from(numbers.next())
}

/// The classes and boxes of what is to be seen in a picture: nothing in seven of ten, else four to twelve findings.
fn findings(row: u64) -> Vec<(u64, Corners)> {
    let mut numbers = Numbers::of_row(410, row);
    let count = if numbers.chance(700) { 0 } else { 4 + numbers.below(9) };
    (0..count).map(|_| (numbers.below(14), corners(&mut numbers))).collect()
}

fn corners(numbers: &mut Numbers) -> Corners {
    let (left, top) = (numbers.below(1_800), numbers.below(2_000));
    [left, top, left + 50 + numbers.below(600), top + 50 + numbers.below(600)]
}

/// The same box, a few pixels off at each side.
fn moved(corners: Corners, numbers: &mut Numbers) -> Corners {
    let [left, top, right, bottom] = corners;
    let mut off = |limit| numbers.below(limit);
    [left + off(20), top + off(20), right + off(30), bottom + off(30)]
}
