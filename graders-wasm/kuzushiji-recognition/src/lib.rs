//! F1 of located characters, pages matched by `image_id`.
//!
//! A prediction is found right when its point lies strictly inside a box of the same character. In the order of the
//! boxes, each takes the first such prediction that none has taken before.

use podium_grader::frame::align_on;
use podium_grader::text::python_float;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};
use rustc_hash::FxHashMap;

struct KuzushijiRecognition;

impl Grader for KuzushijiRecognition {
    const COMPETITION: &'static str = "kuzushiji-recognition";
    const METRIC: &'static str = "F1 of located characters";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["image_id", "labels"])?;
        submission.require_columns(&["image_id", "labels"])?;
        let (submission, answers) = align_on("image_id", submission, answers)?;

        let (predicted, expected) = (submission.column("labels")?, answers.column("labels")?);
        let mut counts = Counts::default();
        for row in 0..answers.len() {
            let points = points(predicted, row)?;
            let boxes = boxes(expected, row)?;
            counts.add_page(&points, &boxes);
        }
        let Counts { found, invented, missed } = counts;
        let (predictions, characters) = (found + invented, found + missed);
        let (precision, recall) =
            (found as f64 / predictions as f64, found as f64 / characters as f64);
        // Also where nothing is predicted, or there is nothing to be found, and the shares are not defined.
        let value = if found == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        Ok(Score::new(value)
            .with("true positives", found as f64)
            .with("false positives", invented as f64)
            .with("false negatives", missed as f64)
            .with("precision", precision)
            .with("recall", recall))
    }
}

/// A predicted character.
struct Point<'a> {
    label: &'a str,
    x: f64,
    y: f64,
}

/// A character that is there.
struct Box<'a> {
    label: &'a str,
    x: (f64, f64),
    y: (f64, f64),
}

/// The predictions of a page; an empty cell holds none.
fn points(column: &Column, row: usize) -> Result<Vec<Point<'_>>, Failure> {
    const FORM: &str = "`label x y`, separated by single spaces";
    let text = match column.cell(row) {
        Cell::Text(text) => text,
        cell if cell.is_missing() => return Ok(Vec::new()),
        _ => return Err(column.unexpected(row, format_args!("for each character {FORM}"))),
    };
    let words: Vec<&str> = text.split(' ').collect();
    if !words.len().is_multiple_of(3) {
        return Err(column.failure_at(
            row,
            format_args!(
                "expected three words for each character, {FORM}, found {} in all",
                words.len()
            ),
        ));
    }
    let coordinate = |place: usize| {
        python_float(words[place]).ok_or_else(|| {
            column.failure_at(
                row,
                format_args!(
                    "word {}, {}, is not a number; each character needs {FORM}",
                    place + 1,
                    column.describe_part(words[place])
                ),
            )
        })
    };
    (0..words.len())
        .step_by(3)
        .map(|place| {
            Ok(Point { label: words[place], x: coordinate(place + 1)?, y: coordinate(place + 2)? })
        })
        .collect()
}

/// The characters of a page; an empty cell holds none.
fn boxes(column: &Column, row: usize) -> Result<Vec<Box<'_>>, Failure> {
    let refused = || column.failure_at(row, "not characters of the form `label x y width height`");
    let text = match column.cell(row) {
        Cell::Text(text) => text,
        cell if cell.is_missing() => return Ok(Vec::new()),
        _ => return Err(refused()),
    };
    let words: Vec<&str> = text.split(' ').collect();
    let character = |words: &[&'_ str]| {
        let [_, numbers @ ..] = words else { return None };
        let numbers: Vec<f64> =
            numbers.iter().map(|word| python_float(word)).collect::<Option<_>>()?;
        let [x, y, width, height] = numbers[..] else { return None };
        Some(((x, x + width), (y, y + height)))
    };
    (words.chunks(5))
        .map(|words| {
            character(words).map(|(x, y)| Box { label: words[0], x, y }).ok_or_else(refused)
        })
        .collect()
}

/// Characters found, predicted where there is none, and not found.
#[derive(Default)]
struct Counts {
    found: usize,
    invented: usize,
    missed: usize,
}

impl Counts {
    fn add_page(&mut self, points: &[Point<'_>], boxes: &[Box<'_>]) {
        let mut by_label: FxHashMap<&str, Vec<&Point<'_>>> = FxHashMap::default();
        for point in points {
            by_label.entry(point.label).or_default().push(point);
        }
        let mut found = 0;
        for character in boxes {
            let Some(candidates) = by_label.get_mut(character.label) else { continue };
            let inside = |point: &&Point<'_>| {
                character.x.0 < point.x
                    && character.x.1 > point.x
                    && character.y.0 < point.y
                    && character.y.1 > point.y
            };
            if let Some(first) = candidates.iter().position(inside) {
                candidates.remove(first);
                found += 1;
            }
        }
        self.found += found;
        self.invented += points.len() - found;
        self.missed += boxes.len() - found;
    }
}

podium_grader::export!(KuzushijiRecognition);
