//! Micro-averaged F1 of the long and the short answer to each question, which is the share of rows that are right.
//!
//! The answers are lines of JSON, as in the competition's `simplified-nq-train.jsonl`. A row is right if its span of
//! tokens (or `YES`, `NO`) is one that was annotated, or if it is empty and nothing was annotated.

mod annotation;
mod prediction;

use podium_grader::source::Source;
use podium_grader::{Cell, Direction, Failure, Frame, Grader, Role, Score};
use rustc_hash::FxHashSet;

use annotation::Annotations;
use prediction::Prediction;

struct TensorFlow2QuestionAnswering;

impl Grader for TensorFlow2QuestionAnswering {
    const COMPETITION: &'static str = "tensorflow2-question-answering";
    const METRIC: &'static str = "micro-averaged F1";
    const DIRECTION: Direction = Direction::HigherIsBetter;

    fn grade(_: &Frame, _: &Frame) -> Result<Score, Failure> {
        Err(Failure::answers("the answers are lines of JSON, not a table"))
    }

    fn grade_files<S: Source>(submission: &S, answers: &[S]) -> Result<Score, Failure> {
        let [answers] = answers else {
            return Err(Failure::answers(format!(
                "expected one file of answers, got {}",
                answers.len()
            )));
        };
        let submission = Frame::read(submission, Role::Submission, None)?;
        submission.require_columns(&["example_id", "PredictionString"])?;
        score(&submission, &Annotations::read(answers)?)
    }
}

fn score(submission: &Frame, annotations: &Annotations) -> Result<Score, Failure> {
    let submission = submission.identified_by("example_id")?;
    let ids = submission.column("example_id")?.fill_missing(Cell::Text("")).as_text();
    let column = submission.column("PredictionString")?;
    let predictions = column.fill_missing(Cell::Text("")).as_text();
    let mut seen = FxHashSet::default();
    let mut questions = Vec::with_capacity(submission.len());
    for row in 0..submission.len() {
        let id = ids.cell(row).text().unwrap_or_default();
        let question = annotations.find(id).ok_or_else(|| {
            ids.failure_at(row, "not the number of a question with `_long` or `_short` at its end")
        })?;
        if !seen.insert(id) {
            return Err(ids.failure_at(row, "the id is repeated"));
        }
        questions.push(question);
    }
    let expected = 2 * annotations.len();
    if submission.len() != expected {
        return Err(Failure::submission(format!(
            "{} has {} rows where {expected} are expected, a long and a short answer to each of {} questions",
            submission.name(),
            submission.len(),
            annotations.len()
        )));
    }

    let (mut right, mut wrong, mut missed) = ([0u32; 2], 0u32, 0u32);
    for (row, (kind, annotation)) in questions.into_iter().enumerate() {
        let text = predictions.cell(row).text().unwrap_or_default();
        let prediction =
            Prediction::parse(text).map_err(|expected| column.unexpected(row, expected))?;
        match &prediction {
            prediction if annotation.agrees(kind, prediction) => right[kind as usize] += 1,
            Prediction::NoAnswer => missed += 1,
            _ => wrong += 1,
        }
    }
    let questions = annotations.len() as f64;
    Ok(Score::new(f64::from(right[0] + right[1]) / expected as f64)
        .with("long answers, share right", f64::from(right[0]) / questions)
        .with("short answers, share right", f64::from(right[1]) / questions)
        .with("wrong predictions", f64::from(wrong))
        .with("missed answers", f64::from(missed)))
}

podium_grader::export!(TensorFlow2QuestionAnswering);
