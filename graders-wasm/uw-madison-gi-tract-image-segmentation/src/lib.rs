//! 0.4 · mean Dice coefficient of the slices + 0.6 · (1 − mean Hausdorff distance of the scans).
//!
//! Rows are paired by their place in the file, and the image sizes of a row are those of the answers' row there. A scan
//! is made of the rows whose ids agree up to `_slice_`; the masks of one slice are joined. Scans are sorted by their
//! ids, on either side for itself, and paired by their place in that order. Whatever is empty on both sides is left out.

use std::collections::BTreeMap;

use podium_grader::masks::{EmptyCell, Mask, Shape, Solid, decode_cell, hausdorff};
use podium_grader::metrics::numeric;
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct UwMadisonGiTract;

const DICE_WEIGHT: f64 = 0.4;
const HAUSDORFF_WEIGHT: f64 = 0.6;

impl Grader for UwMadisonGiTract {
    const COMPETITION: &'static str = "uw-madison-gi-tract-image-segmentation";
    const METRIC: &'static str = "0.4 · Dice coefficient + 0.6 · (1 − Hausdorff distance)";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["id", "predicted", "image_height", "image_width"])?;
        submission.require_columns(&["id", "class", "predicted"])?;
        let submission = &submission.identified_by("id")?;
        let shapes = shapes(answers)?;
        let predicted = rows(submission, &shapes)?;
        let expected = rows(answers, &shapes)?;

        let coefficients: Vec<Option<f64>> = predicted
            .iter()
            .zip(&expected)
            .map(|(predicted, expected)| predicted.mask.dice(&expected.mask))
            .collect();
        let dice = mean_where_defined(coefficients.iter().copied());
        let predicted = scans(submission.column("id")?, predicted)?;
        let expected = scans(answers.column("id")?, expected)?;
        let distance = mean_where_defined(
            predicted
                .iter()
                .zip(&expected)
                .map(|(predicted, expected)| scan_distance(predicted, expected)),
        );
        let score = Score::new(DICE_WEIGHT * dice + HAUSDORFF_WEIGHT * (1.0 - distance))
            .with("mean Dice coefficient", dice)
            .with("mean Hausdorff distance", distance);
        Ok(with_dice_by_class(score, answers, &coefficients))
    }
}

/// Adds the mean Dice coefficient of each class of the answers, of its rows that are not empty on both sides.
fn with_dice_by_class(score: Score, answers: &Frame, coefficients: &[Option<f64>]) -> Score {
    let Ok(classes) = answers.column("class") else { return score };
    let mut by_class: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (class, coefficient) in classes.cells().zip(coefficients) {
        by_class.entry(class.to_string()).or_default().extend(coefficient);
    }
    by_class.into_iter().filter(|(_, of_class)| !of_class.is_empty()).fold(
        score,
        |score, (class, of_class)| {
            score.with(format!("mean Dice coefficient of {class}"), numeric::mean(&of_class))
        },
    )
}

/// The size of each row's image.
fn shapes(answers: &Frame) -> Result<Vec<Shape>, Failure> {
    let heights = answers.column("image_height")?.to_i64()?;
    let widths = answers.column("image_width")?.to_i64()?;
    let shape = |(height, width): (&i64, &i64)| {
        let shape = Shape::column_major(u64::try_from(*height).ok()?, u64::try_from(*width).ok()?);
        shape.pixels().map(|_| shape)
    };
    (heights.iter().zip(widths.iter()).map(shape).collect::<Option<_>>()).ok_or_else(|| {
        Failure::answers("columns `image_height`, `image_width`: not the size of an image")
    })
}

/// A row's mask and the size of its image.
struct Row {
    mask: Mask,
    shape: Shape,
}

/// The rows of a table, as many as there are shapes at most.
fn rows(table: &Frame, shapes: &[Shape]) -> Result<Vec<Row>, Failure> {
    let encoded = table.column("predicted")?;
    (shapes.iter().enumerate().take(table.len()))
        .map(|(row, &shape)| {
            let pixels = shape.pixels().expect("the sizes were checked");
            let mask = decode_cell(encoded, row, pixels, EmptyCell::EmptyMask)?;
            Ok(Row { mask, shape })
        })
        .collect()
}

/// The scans that the rows make up, in the order of their ids.
fn scans(ids: &Column, rows: Vec<Row>) -> Result<Vec<Solid>, Failure> {
    let mut slices: Vec<(&str, usize, Row)> = Vec::with_capacity(rows.len());
    for (row, content) in rows.into_iter().enumerate() {
        let id = ids
            .cell(row)
            .text()
            .ok_or_else(|| ids.unexpected(row, "an id like case1_day2_slice_0003"))?;
        slices.push((id, row, content));
    }
    slices.sort_by(|a, b| a.0.cmp(b.0));

    // Scans in the order in which their first slices come; the slices of one need not follow each other.
    let mut scans: Vec<(Vec<Mask>, Shape)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut slices = slices.into_iter().peekable();
    while let Some((id, row, Row { mut mask, shape })) = slices.next() {
        let sizes_differ = |row: usize| {
            ids.failure_at(row, "rows of one scan stand where the answers have images of different sizes; keep the rows in the order of the sample")
        };
        while let Some((_, row, other)) = slices.next_if(|(other, _, _)| *other == id) {
            if other.shape != shape {
                return Err(sizes_differ(row));
            }
            mask = mask.union(&other.mask);
        }
        let scan = id.split_once("_slice_").map_or(id, |(scan, _)| scan);
        let place = *places.entry(scan).or_insert_with(|| {
            scans.push((Vec::new(), shape));
            scans.len() - 1
        });
        let (masks, first_shape) = &mut scans[place];
        if *first_shape != shape {
            return Err(sizes_differ(row));
        }
        masks.push(mask);
    }
    Ok(scans.into_iter().map(|(masks, shape)| Solid::new(masks, shape)).collect())
}

/// The distance of two scans as a share of the diagonal of the truth's volume; `None` where both are empty.
///
/// It is 1 where one of them is empty, or the prediction is more than ten times as large as the truth.
fn scan_distance(predicted: &Solid, expected: &Solid) -> Option<f64> {
    if predicted.is_empty() && expected.is_empty() {
        return None;
    }
    if predicted == expected {
        return Some(0.0);
    }
    if predicted.volume() > 10 * expected.volume() {
        return Some(1.0);
    }
    let shape = expected.shape();
    let size = [expected.depth() as f64, shape.height as f64, shape.width as f64];
    Some(hausdorff(predicted, expected, size).map_or(1.0, |distance| distance / f64::sqrt(3.0)))
}

/// The mean of those that are defined; NaN of none.
fn mean_where_defined(values: impl Iterator<Item = Option<f64>>) -> f64 {
    let values: Vec<f64> = values.map(|value| value.unwrap_or(f64::NAN)).collect();
    numeric::mean_ignoring_nan(&values)
}

podium_grader::export!(UwMadisonGiTract);
