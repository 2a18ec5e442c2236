//! Weighted area under the ROC curve of `Label`, pictures matched by `Id`: what lies below a true-positive rate of 0.4
//! counts twice.

use podium_grader::frame::{Values, match_rows};
use podium_grader::metrics::{RocCurve, area_under_curve, roc_curve};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

/// Bands of true-positive rates, from the lower to the upper rate, each with its weight.
const BANDS: [(f64, f64, f64); 2] = [(0.0, 0.4, 2.0), (0.4, 1.0, 1.0)];

struct Alaska2ImageSteganalysis;

impl Grader for Alaska2ImageSteganalysis {
    const COMPETITION: &'static str = "alaska2-image-steganalysis";
    const METRIC: &'static str = "weighted area under the ROC curve";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["Id", "Label"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("Id", &["Label"], submission, answers)?;
        let scores = numbers(submission.column("Label")?)?;
        let truth = numbers(answers.column("Label")?)?;

        let curve = with_band_ends(roc_curve(&truth, &scores)?);
        let (mut weighted, mut weights) = (0.0, 0.0);
        let mut score = Score::new(0.0);
        for (lower, upper, weight) in BANDS {
            weights += (upper - lower) * weight;
            let Some(area) = area_within(&curve, lower, upper) else { continue };
            weighted += area * weight;
            score = score.with(format!("area from {lower} to {upper}, unweighted"), area);
        }
        score.value = weighted / weights;
        Ok(score)
    }
}

/// The column as floats, none missing.
fn numbers(column: &Column) -> Result<Column, Failure> {
    let numbers = column.with_values(Values::Float64(column.to_f64()?.into_owned()));
    numbers.require_complete().map(|()| numbers)
}

/// The curve with points where a band begins or ends, on the line between their neighbours.
fn with_band_ends(mut curve: RocCurve) -> RocCurve {
    let (x, y) = (&mut curve.false_positive_rates, &mut curve.true_positive_rates);
    for end in BANDS.into_iter().flat_map(|(lower, upper, _)| [lower, upper]) {
        if y.contains(&end) {
            continue;
        }
        if let Some(next) = y.iter().position(|rate| *rate > end) {
            let (run, rise) = (x[next] - x[next - 1], y[next] - y[next - 1]);
            x.insert(next, x[next - 1] + run * (end - y[next - 1]) / rise);
            y.insert(next, end);
        }
    }
    curve
}

/// The area right of the curve between two true-positive rates, at both of which it has points. `None` where it has no
/// true-positive rates.
fn area_within(curve: &RocCurve, lower: f64, upper: f64) -> Option<f64> {
    let points = curve.false_positive_rates.iter().zip(&curve.true_positive_rates);
    let (mut x, mut y): (Vec<f64>, Vec<f64>) =
        points.filter(|(_, y)| (lower..=upper).contains(*y)).map(|(x, y)| (*x, y - lower)).unzip();
    if x.is_empty() {
        return None;
    }
    // Closes the shape: from the curve's end straight to the right.
    x.push(1.0);
    y.push(upper - lower);
    area_under_curve(&x, &y)
}

podium_grader::export!(Alaska2ImageSteganalysis);
