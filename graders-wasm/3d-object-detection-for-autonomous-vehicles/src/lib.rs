//! Mean average precision of upright boxes in space over the IoU thresholds 0.5, 0.55 … 0.95, samples matched by `Id`.
//!
//! For each sample and threshold the average precisions of the classes that the sample holds are averaged; predictions
//! of other classes are not looked at. Predictions are taken the most confident first; each is compared with the truth
//! it overlaps most, and is right if the overlap exceeds the threshold and that truth was not found before.

use std::collections::BTreeMap;

use podium_grader::boxes::{Cuboid, CuboidError, precision};
use podium_grader::frame::align_on;
use podium_grader::metrics::numeric;
use podium_grader::order::timsort_reversed;
use podium_grader::text::{python_float, python_strip};
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

struct Lyft3dObjectDetection;

const IOU_THRESHOLDS: [f64; 10] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];

impl Grader for Lyft3dObjectDetection {
    const COMPETITION: &'static str = "3d-object-detection-for-autonomous-vehicles";
    const METRIC: &'static str = "mean average precision over 3-D IoU";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["Id", "PredictionString"])?;
        submission.require_columns(&["Id", "PredictionString"])?;
        let (submission, answers) = align_on("Id", submission, answers)?;

        let (predicted, expected) =
            (submission.column("PredictionString")?, answers.column("PredictionString")?);
        // All rows are read before any is graded, so that what is malformed is told whatever the answers hold.
        let rows: Vec<Vec<Object<'_>>> =
            (0..submission.len()).map(|row| objects(predicted, row)).collect::<Result<_, _>>()?;
        let mut precisions = Vec::with_capacity(answers.len() * IOU_THRESHOLDS.len());
        let mut classes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (row, objects_of_row) in rows.into_iter().enumerate() {
            if expected.is_missing(row) {
                return Err(expected.failure_at(row, "a sample without boxes"));
            }
            let truths = by_class(objects(expected, row)?);
            let mut predictions = by_class(objects_of_row);
            let mut sample = Vec::with_capacity(truths.len());
            for (class, truths) in &truths {
                let truths = cuboids(truths).map_err(|error| expected.failure_at(row, error))?;
                let predictions = predictions.remove(class).unwrap_or_default();
                let of_class = class_precisions(&truths, predictions).map_err(|error| {
                    first_bad_box(&submission).unwrap_or_else(|| predicted.failure(error))
                })?;
                classes.entry(class).or_default().push(numeric::mean(&of_class));
                sample.push(of_class);
            }
            for threshold in 0..IOU_THRESHOLDS.len() {
                precisions.push(numeric::mean_by(sample.len(), |class| sample[class][threshold]));
            }
        }
        let mut score = Score::new(numeric::mean(&precisions));
        for (class, precisions) in &classes {
            score = score.with(format!("average precision of {class}"), numeric::mean(precisions));
        }
        for (place, threshold) in IOU_THRESHOLDS.iter().enumerate() {
            let at_threshold: Vec<f64> =
                precisions.iter().skip(place).step_by(IOU_THRESHOLDS.len()).copied().collect();
            score =
                score.with(format!("precision at IoU {threshold}"), numeric::mean(&at_threshold));
        }
        Ok(score)
    }
}

/// What a row says of one object.
#[derive(Clone)]
struct Object<'a> {
    class: &'a str,
    confidence: f64,
    center: [f64; 3],
    size: [f64; 3],
    yaw: f64,
}

impl Object<'_> {
    fn cuboid(&self) -> Result<Cuboid, CuboidError> {
        Cuboid::new(self.center, self.size, self.yaw)
    }
}

/// The objects of a row; an empty cell holds none.
fn objects(column: &Column, row: usize) -> Result<Vec<Object<'_>>, Failure> {
    const FORM: &str = "`confidence center_x center_y center_z width length height yaw class`, separated by single spaces";
    let failure = |what: String| column.failure_at(row, what);
    let text = match column.cell(row) {
        Cell::Text(text) => text,
        cell if cell.is_missing() => return Ok(Vec::new()),
        _ => return Err(column.unexpected(row, format_args!("for each box {FORM}"))),
    };
    if python_strip(text).is_empty() {
        return Ok(Vec::new());
    }
    let words: Vec<&str> = text.split(' ').collect();
    if !words.len().is_multiple_of(9) {
        return Err(failure(format!(
            "expected nine words for each box, {FORM}, found {} in all",
            words.len()
        )));
    }
    let object = |(number, words): (usize, &[_])| {
        let mut numbers = [0.0; 8];
        for (place, value) in numbers.iter_mut().enumerate() {
            *value = python_float(words[place]).ok_or_else(|| {
                failure(format!(
                    "word {} of box {}, {}, is not a number; each box needs {FORM}",
                    place + 1,
                    number + 1,
                    column.describe_part(words[place])
                ))
            })?;
        }
        let [confidence, x, y, z, width, length, height, yaw] = numbers;
        if yaw.is_infinite() {
            return Err(failure(format!("the yaw of box {} is infinite", number + 1)));
        }
        Ok(Object {
            class: words[8],
            confidence,
            center: [x, y, z],
            size: [width, length, height],
            yaw,
        })
    };
    words.chunks(9).enumerate().map(object).collect()
}

/// The failure that names the first box of the file that is none.
///
/// Boxes are only looked at where the sample holds their class, so naming the one that stopped the grading would tell
/// what a sample holds.
fn first_bad_box(submission: &Frame) -> Option<Failure> {
    let column = submission.column("PredictionString").ok()?;
    let mut rows: Vec<usize> = (0..submission.len()).collect();
    rows.sort_by_key(|row| column.file_row(*row));
    rows.into_iter().find_map(|row| {
        let objects = objects(column, row).ok()?;
        let (number, error) = (1..)
            .zip(&objects)
            .find_map(|(number, object)| Some((number, object.cuboid().err()?)))?;
        Some(column.failure_at(row, format_args!("box {number}: {error}")))
    })
}

/// The objects of each class, in their order.
fn by_class(objects: Vec<Object<'_>>) -> BTreeMap<&str, Vec<Object<'_>>> {
    let mut classes: BTreeMap<&str, Vec<Object<'_>>> = BTreeMap::new();
    for object in objects {
        classes.entry(object.class).or_default().push(object);
    }
    classes
}

fn cuboids(objects: &[Object<'_>]) -> Result<Vec<Cuboid>, CuboidError> {
    objects.iter().map(Object::cuboid).collect()
}

/// The average precision of one class in one sample at each threshold.
fn class_precisions(
    truths: &[Cuboid],
    mut predictions: Vec<Object<'_>>,
) -> Result<[f64; IOU_THRESHOLDS.len()], CuboidError> {
    timsort_reversed(&mut predictions, |a, b| a.confidence < b.confidence);
    let best: Vec<(usize, f64)> = cuboids(&predictions)?
        .iter()
        .map(|prediction| largest_overlap(prediction, truths))
        .collect();
    Ok(IOU_THRESHOLDS.map(|threshold| {
        let mut found = vec![false; truths.len()];
        let hits: Vec<bool> = (best.iter())
            .map(|&(truth, overlap)| {
                overlap > threshold && !std::mem::replace(&mut found[truth], true)
            })
            .collect();
        precision::over_all_recalls(&hits, truths.len())
    }))
}

/// The first truth that overlaps a prediction most, and how much; a NaN is taken for the most.
fn largest_overlap(prediction: &Cuboid, truths: &[Cuboid]) -> (usize, f64) {
    let mut largest = (0, f64::NEG_INFINITY);
    for (place, truth) in truths.iter().enumerate() {
        let overlap = prediction.iou(truth);
        if overlap.is_nan() {
            return (place, overlap);
        }
        if overlap > largest.1 {
            largest = (place, overlap);
        }
    }
    largest
}

podium_grader::export!(Lyft3dObjectDetection);
