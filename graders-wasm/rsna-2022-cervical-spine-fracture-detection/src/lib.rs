//! Weighted log loss of the probability `fractured` of each vertebra of the neck and of the patient as a whole, rows
//! matched by `row_id`: the study and what of it, as in `1.2.826_C1`.

use podium_grader::families::probabilities::require_probabilities;
use podium_grader::frame::align_on;
use podium_grader::metrics::numeric;
use podium_grader::{Cell, Column, Direction, Failure, Frame, Grader, Score};

/// What is asked of each study, and how much it weighs where nothing is broken; a fracture weighs twice that.
const PARTS: [(&str, f64); 8] = [
    ("patient_overall", 7.0),
    ("C1", 1.0),
    ("C2", 1.0),
    ("C3", 1.0),
    ("C4", 1.0),
    ("C5", 1.0),
    ("C6", 1.0),
    ("C7", 1.0),
];
/// How close to 0 and 1 a probability may come.
const CLIP: f64 = 1e-15;

struct RsnaCervicalSpineFracture;

impl Grader for RsnaCervicalSpineFracture {
    const COMPETITION: &'static str = "rsna-2022-cervical-spine-fracture-detection";
    const METRIC: &'static str = "weighted multi-label log loss";
    const DIRECTION: Direction = Direction::LowerIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["row_id", "fractured"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        answers.require_columns(&["row_id", "fractured"])?;
        submission.require_columns(&["row_id", "fractured"])?;
        let submission = submission.identified_by("row_id")?;
        require_probabilities(submission.column("fractured")?)?;
        let (submission, answers) = align_on("row_id", &submission, answers)?;

        let predicted = submission.column("fractured")?.to_f64()?;
        let (ids, fractured) = (answers.column("row_id")?, answers.column("fractured")?);
        let mut studies = Vec::new();
        let mut parts = [const { Vec::new() }; PARTS.len()];
        for rows in studies_of(ids)? {
            let mut losses = [0.0; PARTS.len()];
            let mut weights = [0.0; PARTS.len()];
            for (part, row) in rows.into_iter().enumerate() {
                let is_fractured = truth(fractured, row)?;
                weights[part] = if is_fractured { 2.0 * PARTS[part].1 } else { PARTS[part].1 };
                let loss = loss(is_fractured, predicted[row]);
                losses[part] = weights[part] * loss;
                parts[part].push(loss);
            }
            studies.push(numeric::sum(&losses) / numeric::sum(&weights));
        }
        let score = Score::new(numeric::mean(&studies));
        Ok(PARTS.iter().zip(&parts).fold(score, |score, ((part, _), losses)| {
            score.with(format!("log loss of {part}"), numeric::mean(losses))
        }))
    }
}

/// The rows of each study, in the order of [`PARTS`]; the ids are sorted.
fn studies_of(ids: &Column) -> Result<Vec<[usize; PARTS.len()]>, Failure> {
    let split = |row: usize| ids.cell(row).text().and_then(|id| id.split_once('_'));
    let mut studies = Vec::new();
    let mut start = 0;
    while start < ids.len() {
        let study = split(start).map(|(study, _)| study);
        let end = (start..ids.len())
            .find(|row| split(*row).map(|(study, _)| study) != study)
            .unwrap_or(ids.len());
        let row_of = |part: &str| {
            (start..end).find(|row| split(*row).is_some_and(|(_, found)| found == part))
        };
        let mut rows = [0; PARTS.len()];
        for (row, (part, _)) in rows.iter_mut().zip(PARTS) {
            *row = row_of(part)
                .filter(|_| end - start == PARTS.len())
                .ok_or_else(|| ids.failure_at(start, "the study does not have its eight rows"))?;
        }
        studies.push(rows);
        start = end;
    }
    Ok(studies)
}

/// Whether there is a fracture.
fn truth(fractured: &Column, row: usize) -> Result<bool, Failure> {
    [0, 1]
        .into_iter()
        .position(|value| fractured.cell(row).equals(Cell::Int(value)))
        .map(|value| value == 1)
        .ok_or_else(|| fractured.failure_at(row, "expected 0 or 1"))
}

fn loss(is_fractured: bool, probability: f64) -> f64 {
    let probability = probability.clamp(CLIP, 1.0 - CLIP);
    -if is_fractured { probability.ln() } else { (1.0 - probability).ln() }
}

podium_grader::export!(RsnaCervicalSpineFracture);
