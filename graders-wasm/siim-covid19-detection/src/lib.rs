//! Mean average precision of labelled boxes at an IoU above 0.5, studies and pictures matched by `id`.
//!
//! Every label of the answers is a class of its own, `negative` and `none` as well. For each class and row, the
//! predictions take boxes of the truth, the most confident first. Average precision is then taken over all predictions;
//! a box that is not found counts as found with confidence 0, and a row with neither box nor prediction of the class as
//! a wrong prediction with confidence 0.

use podium_grader::boxes::Rectangle;
use podium_grader::frame::align_on;
use podium_grader::metrics::{average_precision, numeric};
use podium_grader::order::timsort_reversed;
use podium_grader::text::{python_float, python_split};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct SiimCovid19Detection;

const IOU_THRESHOLD: f64 = 0.5;

impl Grader for SiimCovid19Detection {
    const COMPETITION: &'static str = "siim-covid19-detection";
    const METRIC: &'static str = "mean average precision at IoU above 0.5";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["id", "PredictionString"])?;
        submission.require_columns(&["id", "PredictionString"])?;
        let (submission, answers) = align_on("id", submission, answers)?;

        let mut predicted = predictions(submission.column("PredictionString")?)?;
        let expected = predictions(answers.column("PredictionString")?)?;
        let mut classes: Vec<&str> = expected.iter().flatten().map(|truth| truth.label).collect();
        classes.sort_unstable();
        classes.dedup();

        let mut precisions = Vec::with_capacity(classes.len());
        let mut score = Score::new(0.0);
        for class in classes {
            let mut found = Vec::new();
            let mut confidences = Vec::new();
            for (predicted, expected) in predicted.iter_mut().zip(&expected) {
                // Sorted again for each class, as the original does: with NaN among them, the order goes on changing.
                timsort_reversed(predicted, |a, b| a.confidence < b.confidence);
                for (hit, confidence) in matched(class, predicted, expected) {
                    found.push(hit);
                    confidences.push(confidence);
                }
            }
            if found.iter().all(|hit| *hit) {
                return Err(Failure::submission(format!(
                    "column `PredictionString`: the average precision of `{class}` is not defined on these predictions"
                )));
            }
            let precision = average_precision(&found, &confidences).ok_or_else(|| {
                Failure::submission(format!(
                    "column `PredictionString`: a confidence of a prediction of `{class}` is missing (NaN) or infinite"
                ))
            })?;
            precisions.push(precision);
            score = score.with(format!("average precision of {class}"), precision);
        }
        score.value = if precisions.is_empty() { 0.0 } else { numeric::mean(&precisions) };
        Ok(score)
    }
}

/// A labelled box.
#[derive(Clone)]
struct Prediction<'a> {
    label: &'a str,
    confidence: f64,
    place: Rectangle,
}

/// The boxes of each row.
fn predictions(column: &Column) -> Result<Vec<Vec<Prediction<'_>>>, Failure> {
    const FORM: &str = "`label confidence xmin ymin xmax ymax`";
    (0..column.len())
        .map(|row| {
            let text = (column.cell(row).text())
                .ok_or_else(|| column.unexpected(row, format_args!("for each box {FORM}")))?;
            let words: Vec<&str> = python_split(text).collect();
            if !words.len().is_multiple_of(6) {
                return Err(column.failure_at(
                    row,
                    format_args!("expected six words for each box, {FORM}, found {} in all", words.len()),
                ));
            }
            let prediction = |(number, words): (usize, &[_])| {
                let number = |place: usize| {
                    python_float(words[place]).ok_or_else(|| {
                        column.failure_at(
                            row,
                            format_args!(
                                "word {} of box {number}, {}, is not a number; each box needs {FORM}",
                                place + 1,
                                column.describe_part(words[place])
                            ),
                        )
                    })
                };
                let place = Rectangle {
                    x_min: number(2)?,
                    y_min: number(3)?,
                    x_max: number(4)?,
                    y_max: number(5)?,
                };
                Ok(Prediction { label: words[0], confidence: number(1)?, place })
            };
            (1..).zip(words.chunks(6)).map(prediction).collect()
        })
        .collect()
}

/// What one row adds to a class: whether something was found, and with what confidence.
fn matched(
    class: &str,
    predicted: &[Prediction<'_>],
    expected: &[Prediction<'_>],
) -> Vec<(bool, f64)> {
    let mut missing: Vec<Rectangle> =
        expected.iter().filter(|truth| truth.label == class).map(|truth| truth.place).collect();
    let mut pairs = Vec::new();
    for prediction in predicted.iter().filter(|prediction| prediction.label == class) {
        let mut best = (IOU_THRESHOLD, None);
        for (place, truth) in missing.iter().enumerate() {
            let iou = prediction.place.iou(*truth);
            if iou > best.0 {
                best = (iou, Some(place));
            }
        }
        if let Some(place) = best.1 {
            missing.remove(place);
        }
        pairs.push((best.1.is_some(), prediction.confidence));
    }
    pairs.extend(missing.iter().map(|_| (true, 0.0)));
    if pairs.is_empty() {
        pairs.push((false, 0.0));
    }
    pairs
}

podium_grader::export!(SiimCovid19Detection);
