//! COCO's mean average precision at an IoU of 0.4, pictures matched by `image_id`.
//!
//! The original hands corners (x_min, y_min, x_max, y_max) to pycocotools as left, top, width and height, and numbers
//! boxes from 0, which pycocotools takes for none. Both are kept: overlaps are those of the wrong boxes, the first truth
//! cannot be found, and the first prediction does not take what it finds.

use podium_grader::boxes::coco::{Detection, Evaluation, Extent, Truth, average_precisions};
use podium_grader::frame::require_same_ids;
use podium_grader::text::python_float;
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct VinBigData;

const IOU_THRESHOLD: f64 = 0.4;
const CORNERS: [&str; 4] = ["x_min", "y_min", "x_max", "y_max"];

impl Grader for VinBigData {
    const COMPETITION: &'static str = "vinbigdata-chest-xray-abnormalities-detection";
    const METRIC: &'static str = "mean average precision at IoU 0.4";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["class_id", "image_id"])?;
        answers.require_columns(&CORNERS)?;
        submission.require_columns(&["PredictionString", "image_id"])?;
        require_same_ids("image_id", submission, answers)?;
        let submission = &submission.identified_by("image_id")?;

        let images = Images::of(answers.column("image_id")?);
        let truths = truths(answers, &images)?;
        let detections = detections(submission, &images)?;
        let mut categories: Vec<i64> = truths.iter().map(|truth| truth.category).collect();
        categories.sort_unstable();
        categories.dedup();

        let precisions =
            average_precisions(&categories, &truths, &detections, Evaluation::at(IOU_THRESHOLD));
        let mut score = Score::new(-1.0);
        for (category, precision) in categories.iter().zip(&precisions) {
            if let Some(precision) = precision {
                score = score.with(format!("average precision of class {category}"), *precision);
            }
        }
        let defined: Vec<f64> = precisions.into_iter().flatten().collect();
        if !defined.is_empty() {
            score.value = podium_grader::metrics::numeric::mean(&defined);
        }
        Ok(score)
    }
}

/// The pictures, numbered as they first come in the answers.
struct Images {
    ids: Column,
}

impl Images {
    fn of(ids: &Column) -> Images {
        Images { ids: ids.take(&ids.unique()) }
    }

    /// The number of each row's picture.
    fn numbers(&self, ids: &Column) -> Result<Vec<usize>, Failure> {
        if let Some(row) = ids.first_missing() {
            return Err(ids.failure_at(row, "a picture without an id"));
        }
        Ok(ids.merge_rows(&self.ids)?.into_iter().map(|(_, image)| image as usize).collect())
    }
}

/// The boxes of the answers, numbered picture by picture.
fn truths(answers: &Frame, images: &Images) -> Result<Vec<Truth>, Failure> {
    let numbers = images.numbers(answers.column("image_id")?)?;
    let classes = answers.column("class_id")?.to_i64()?;
    let mut corners = Vec::with_capacity(4);
    for name in CORNERS {
        let column = answers.column(name)?;
        if column.has_missing() {
            return Err(column.failure("a corner is missing"));
        }
        corners.push(column.to_f64()?);
    }
    let mut rows: Vec<usize> = (0..answers.len()).collect();
    rows.sort_by_key(|row| numbers[*row]);
    Ok((0..)
        .zip(rows)
        .map(|(id, row)| {
            let corners = [corners[0][row], corners[1][row], corners[2][row], corners[3][row]];
            Truth {
                id,
                image: numbers[row],
                category: classes[row],
                extent: misread(corners),
                area: area(corners),
            }
        })
        .collect())
}

/// The predicted boxes, numbered in the order of the file.
fn detections(submission: &Frame, images: &Images) -> Result<Vec<Detection>, Failure> {
    const FORM: &str = "`class confidence xmin ymin xmax ymax`, separated by single spaces";
    let ids = submission.column("image_id")?;
    let column = submission.column("PredictionString")?;
    let numbers = images.numbers(ids)?;
    let mut detections = Vec::new();
    let mut id = 0;
    for (row, &image) in numbers.iter().enumerate() {
        let failure = |what: String| column.failure_at(row, what);
        let text = column.cell(row).text().ok_or_else(|| {
            failure(format!(
                "expected for each box {FORM}, found {}; write `14 1 0 0 1 1` for no finding",
                column.describe(row)
            ))
        })?;
        let number = |(place, word): (usize, &str)| {
            python_float(word).ok_or_else(|| {
                failure(format!(
                    "word {}, {}, is not a number; each box needs {FORM}",
                    place + 1,
                    column.describe_part(word)
                ))
            })
        };
        let words: Vec<f64> = text.split(' ').enumerate().map(number).collect::<Result<_, _>>()?;
        if !words.len().is_multiple_of(6) {
            return Err(failure(format!(
                "expected six words for each box, {FORM}, found {} in all",
                words.len()
            )));
        }
        for words in words.chunks(6) {
            let [class, score, x_min, y_min, x_max, y_max] = words[..] else {
                unreachable!("chunks of six")
            };
            if !class.is_finite() {
                return Err(failure(format!("the class {class} is not a whole number")));
            }
            let corners = [x_min, y_min, x_max, y_max];
            // The cast cuts off fractions, and what is beyond its range is no class of the answers.
            let category = class as i64;
            detections.push(Detection {
                id,
                image,
                category,
                extent: misread(corners),
                area: area(corners),
                score,
            });
            id += 1;
        }
    }
    Ok(detections)
}

/// Corners, taken for left, top, width and height.
fn misread([x, y, width, height]: [f64; 4]) -> Extent {
    Extent { x, y, width, height }
}

/// The area that the corners do span.
fn area([x_min, y_min, x_max, y_max]: [f64; 4]) -> f64 {
    (x_max - x_min) * (y_max - y_min)
}

podium_grader::export!(VinBigData);
