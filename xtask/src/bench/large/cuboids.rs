//! Lyft 3D Object Detection for Autonomous Vehicles: 28 boxes in space a sample, most of them cars, found more or less
//! exactly or not at all.

use std::fmt::Write as _;

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// The classes with their widths, lengths and heights in metres, and how many of a thousand boxes are theirs.
const CLASSES: [(&str, [f64; 3], u64); 9] = [
    ("car", [1.9, 4.7, 1.7], 835),
    ("other_vehicle", [2.8, 8.2, 3.2], 51),
    ("pedestrian", [0.8, 0.8, 1.8], 39),
    ("bicycle", [0.6, 1.8, 1.4], 32),
    ("truck", [2.8, 10.2, 3.4], 22),
    ("bus", [2.9, 11.5, 3.4], 13),
    ("motorcycle", [0.9, 2.4, 1.6], 4),
    ("emergency_vehicle", [2.4, 6.5, 2.4], 2),
    ("animal", [0.4, 0.7, 0.5], 2),
];

/// About one prediction for each box.
pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, 1, files)
}

/// Six predictions for each box, as without non-maximum suppression.
pub(super) fn heavy(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write_predicting(rows, 6, files)
}

fn write_predicting(rows: u64, times: u64, files: &mut Files<'_>) -> Result<()> {
    writeln!(files.answers, "Id,PredictionString")?;
    for row in 0..rows {
        let texts: Vec<String> = boxes(row).iter().map(|object| object.text(1.0)).collect();
        writeln!(files.answers, "{},{}", id(row), texts.join(" "))?;
    }
    writeln!(files.submission, "Id,PredictionString")?;
    for row in Shuffled::new(401, rows).iter() {
        writeln!(files.submission, "{},{}", id(row), predictions(row, times).join(" "))?;
    }
    Ok(())
}

/// 64 hexadecimal digits.
fn id(row: u64) -> String {
    let mut numbers = Numbers::of_row(402, row);
    let mut text = String::new();
    for _ in 0..4 {
        // Writing to a string does not fail.
        let _ = write!(text, "{:016x}", numbers.next());
    }
    text
}

struct Object {
    center: [f64; 3],
    size: [f64; 3],
    yaw: f64,
    class: &'static str,
}

impl Object {
    fn text(&self, confidence: f64) -> String {
        let Object { center: [x, y, z], size: [width, length, height], yaw, class } = self;
        format!("{confidence} {x} {y} {z} {width} {length} {height} {yaw} {class}")
    }
}

/// Between 10 and 46 boxes within a hundred metres.
fn boxes(row: u64) -> Vec<Object> {
    let mut numbers = Numbers::of_row(400, row);
    let count = 10 + numbers.below(37);
    (0..count)
        .map(|_| {
            let mut share = numbers.below(1_000);
            let class = CLASSES.iter().find(|(_, _, of_a_thousand)| {
                let is_it = share < *of_a_thousand;
                share = share.saturating_sub(*of_a_thousand);
                is_it
            });
            let (class, size, _) = class.unwrap_or(&CLASSES[0]);
            Object {
                center: [
                    numbers.between(1_000.0, 1_200.0),
                    numbers.between(1_800.0, 2_000.0),
                    numbers.between(-24.0, -16.0),
                ],
                size: size.map(|length| length * numbers.between(0.9, 1.1)),
                yaw: numbers.between(-std::f64::consts::PI, std::f64::consts::PI),
                class,
            }
        })
        .collect()
}

/// Four of five boxes, as many times, a little off each time; one in four predictions is where nothing is.
fn predictions(row: u64, times: u64) -> Vec<String> {
    let mut numbers = Numbers::of_row(403, row);
    let mut texts = Vec::new();
    for mut object in boxes(row) {
        for _ in 0..times {
            if numbers.chance(200) {
                continue;
            }
            let far = if numbers.chance(250) { 30.0 } else { 0.2 };
            object.center = object.center.map(|place| place + numbers.between(-far, far));
            object.size = object.size.map(|length| length * numbers.between(0.95, 1.05));
            object.yaw += numbers.between(-0.1, 0.1);
            texts.push(object.text(numbers.between(0.05, 1.0)));
        }
    }
    texts
}
