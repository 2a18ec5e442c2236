//! The probabilistic F score: precision and recall with probabilities for counts (Kaggle's `pfbeta`, by S. Dane, after
//! Yacouby and Axman, "Probabilistic Extension of Precision, Recall, and F1 Score", Eval4NLP 2020).

use super::numbers::require_same_length;
use crate::failure::Failure;
use crate::frame::{Cell, Column};

/// A probabilistic F score and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbabilisticFBeta {
    /// The score.
    pub value: f64,
    /// The share of all predicted probability that lies on positive rows; NaN where none is predicted.
    pub precision: f64,
    /// The mean probability of the positive rows.
    pub recall: f64,
}

/// The probabilistic F score of predicted probabilities, each brought between 0 and 1 first.
///
/// Added one after another. 0 where precision or recall is 0 or not defined; a missing prediction makes it so.
///
/// # Errors
/// Where the columns differ in length or a prediction is text; where there is nothing to divide by: no row is positive
/// (the answers' fault), or all predictions are negative. (Python divides its own integer 0 by 0 then, which raises;
/// a predicted 0 is a numpy number, of which 0/0 is NaN.)
pub fn probabilistic_f_beta(
    truth: &Column,
    prediction: &Column,
    beta: f64,
) -> Result<ProbabilisticFBeta, Failure> {
    require_same_length(truth, prediction)?;
    let mut actual = 0.0;
    let mut found = Total::default();
    let mut wrong = Total::default();
    for row in 0..prediction.len() {
        let probability = probability(prediction, row)?;
        if is_true(truth.cell(row)) {
            actual += 1.0;
            found.add(probability);
        } else {
            wrong.add(probability);
        }
    }
    let all = found.value + wrong.value;
    if all == 0.0 && !found.by_numpy && !wrong.by_numpy {
        return Err(prediction.failure("every prediction is negative; expected probabilities"));
    }
    if actual == 0.0 && !found.by_numpy {
        return Err(truth.failure("no row is positive"));
    }
    let precision = found.value / all;
    let recall = found.value / actual;
    let value = if precision > 0.0 && recall > 0.0 {
        let weight = beta * beta;
        (1.0 + weight) * (precision * recall) / (weight * precision + recall)
    } else {
        0.0
    };
    Ok(ProbabilisticFBeta { value, precision, recall })
}

/// A sum that knows whether a numpy number went into it: those divide 0 by 0.
#[derive(Default)]
struct Total {
    value: f64,
    by_numpy: bool,
}

impl Total {
    fn add(&mut self, (probability, by_numpy): (f64, bool)) {
        self.value += probability;
        self.by_numpy |= by_numpy;
    }
}

/// `min(max(prediction, 0), 1)`, and whether that is the array's own number and not one of Python's bounds.
fn probability(prediction: &Column, row: usize) -> Result<(f64, bool), Failure> {
    let in_array = prediction.dtype().is_numeric();
    let value = match prediction.cell(row) {
        Cell::Missing => f64::NAN,
        Cell::Bool(value) => f64::from(u8::from(value)),
        Cell::Int(value) => value as f64,
        Cell::UInt(value) => value as f64,
        Cell::Float(value) => value,
        Cell::Text(_) => {
            let row = prediction.cause_of_text().unwrap_or(row);
            return Err(prediction.unexpected(row, "a number"));
        }
    };
    Ok(if value < 0.0 {
        (0.0, false)
    } else if value > 1.0 {
        (1.0, false)
    } else {
        (value, in_array)
    })
}

/// What `if label:` makes of a label.
fn is_true(label: Cell<'_>) -> bool {
    match label {
        Cell::Missing => true,
        Cell::Bool(value) => value,
        Cell::Int(value) => value != 0,
        Cell::UInt(_) => true,
        Cell::Float(value) => value != 0.0,
        Cell::Text(text) => !text.is_empty(),
    }
}
