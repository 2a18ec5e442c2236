//! The F score: the harmonic mean of precision and recall, recall weighing β times as much; scikit-learn 1.5.2
//! `metrics.fbeta_score` of one label a row. For several labels a row see [`label_sets`](super::label_sets).

use super::labels::{LabelList, TargetType, check_targets, equal_rows};
use super::numbers::submitted_first;
use super::numeric;
use crate::failure::Failure;
use crate::frame::{Cell, Column, Dtype};

/// How the scores of several labels become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// The score of the counts of all labels together.
    Micro,
    /// The mean of the labels' scores, each label weighing the same.
    Macro,
    /// The mean of the labels' scores, each label weighing as often as it is true.
    Weighted,
    /// The mean of the rows' scores; only where a row has several labels.
    Samples,
}

/// What the scores of a label, or of several together, are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConfusionCounts {
    /// How often the label was predicted and true.
    pub true_positives: u64,
    /// How often it was predicted.
    pub predicted: u64,
    /// How often it was true.
    pub actual: u64,
}

impl ConfusionCounts {
    /// (1 + β²)·TP / (β²·actual + predicted); 0 where the label is neither predicted nor true.
    pub fn f_beta(self, beta: f64) -> f64 {
        let weight = beta * beta;
        let denominator = weight * self.actual as f64 + self.predicted as f64;
        if denominator == 0.0 {
            0.0
        } else {
            (1.0 + weight) * self.true_positives as f64 / denominator
        }
    }

    /// The intersection over the union; 0 where the label is neither predicted nor true.
    pub fn jaccard(self) -> f64 {
        let union = self.predicted + self.actual - self.true_positives;
        if union == 0 { 0.0 } else { self.true_positives as f64 / union as f64 }
    }

    /// The counts of both together.
    #[must_use]
    pub fn and(self, other: ConfusionCounts) -> ConfusionCounts {
        ConfusionCounts {
            true_positives: self.true_positives + other.true_positives,
            predicted: self.predicted + other.predicted,
            actual: self.actual + other.actual,
        }
    }
}

/// The averaged score of labels' counts, `score` giving that of one. 0 of none with [`Average::Micro`], else NaN.
pub(super) fn averaged(
    counts: &[ConfusionCounts],
    average: Average,
    score: impl Fn(ConfusionCounts) -> f64,
) -> f64 {
    match average {
        Average::Micro => {
            score(counts.iter().copied().fold(ConfusionCounts::default(), ConfusionCounts::and))
        }
        Average::Macro | Average::Samples => {
            numeric::mean_by(counts.len(), |label| score(counts[label]))
        }
        Average::Weighted => {
            let scores: Vec<f64> = counts.iter().map(|counts| score(*counts)).collect();
            let weights: Vec<f64> = counts.iter().map(|counts| counts.actual as f64).collect();
            numeric::weighted_mean(&scores, &weights).unwrap_or_else(|| numeric::mean(&scores))
        }
    }
}

/// How a label fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelCounts {
    /// A row whose true label it is; `None` where it was only predicted.
    pub row: Option<usize>,
    /// How often it was predicted, true, and both.
    pub counts: ConfusionCounts,
}

/// The counts of every label that is true or predicted in a row, in the order of the labels.
///
/// # Errors
/// Where the columns differ in length, one of them holds no labels (fractions, missing values, objects that are not
/// all text), or one is text and the other is not.
pub fn confusion_by_label(
    truth: &Column,
    prediction: &Column,
) -> Result<Vec<LabelCounts>, Failure> {
    check_targets(truth, prediction)?;
    let labels = LabelList::of_both(truth, prediction)?;
    // Labels come in no order, so what is counted of each is kept small: more of it stays near. Rows are less than 2³².
    #[derive(Clone, Copy)]
    struct Counted {
        row: u32,
        actual: u32,
        predicted: u32,
        true_positives: u32,
    }
    const NEVER: Counted = Counted { row: u32::MAX, actual: 0, predicted: 0, true_positives: 0 };
    let mut by_label = vec![NEVER; labels.numbered.count];
    let numbers = labels.numbered.first.iter().zip(&labels.numbered.second);
    for (row, (actual, predicted)) in (0..).zip(numbers) {
        by_label[*predicted as usize].predicted += 1;
        let counted = &mut by_label[*actual as usize];
        counted.row = counted.row.min(row);
        counted.actual += 1;
        counted.true_positives += u32::from(actual == predicted);
    }
    let counts = by_label.into_iter().map(|counted| LabelCounts {
        row: (counted.row != NEVER.row).then_some(counted.row as usize),
        counts: ConfusionCounts {
            true_positives: counted.true_positives.into(),
            predicted: counted.predicted.into(),
            actual: counted.actual.into(),
        },
    });
    Ok(counts
        .zip(&labels.copies)
        .flat_map(|(label, copies)| std::iter::repeat_n(label, *copies as usize))
        .collect())
}

/// The F score of labels whose counts [`confusion_by_label`] gave.
///
/// # Panics
/// With [`Average::Samples`].
pub fn f_beta_of_labels(labels: &[LabelCounts], beta: f64, average: Average) -> f64 {
    assert!(average != Average::Samples, "a row with one label has no score of its own");
    let counts: Vec<ConfusionCounts> = labels.iter().map(|label| label.counts).collect();
    averaged(&counts, average, |counts| counts.f_beta(beta))
}

/// The F score over the union of the true and the predicted labels.
///
/// # Errors
/// As [`confusion_by_label`].
///
/// # Panics
/// With [`Average::Samples`].
pub fn f_beta(
    truth: &Column,
    prediction: &Column,
    beta: f64,
    average: Average,
) -> Result<f64, Failure> {
    Ok(f_beta_of_labels(&confusion_by_label(truth, prediction)?, beta, average))
}

/// The F score of the label 1 (or true) among two labels: `average="binary"`. With one label alone, which need not be 1,
/// it is 0 or 1.
///
/// # Errors
/// As [`f_beta`]; where there are more than two labels, or two of which none is 1.
pub fn f_beta_binary(truth: &Column, prediction: &Column, beta: f64) -> Result<f64, Failure> {
    let kind = check_targets(truth, prediction)?;
    let has_two = LabelList::of_both(truth, prediction)?.len() > 1;
    // A lone label of text is joined with the number 1, which makes that text as well.
    let positive =
        if truth.dtype() == Dtype::Object && !has_two { Cell::Text("1") } else { Cell::Int(1) };
    let is_positive = |cell: Cell<'_>| cell.equals(positive);
    let (submitted, _) = submitted_first(truth, prediction);
    if kind == TargetType::Multiclass {
        return Err(submitted
            .failure("expected at most two different labels, those of the answers included"));
    }
    let counts = ConfusionCounts {
        true_positives: equal_rows(truth, prediction)
            .zip(truth.cells())
            .filter(|(equal, cell)| *equal && is_positive(*cell))
            .count() as u64,
        predicted: prediction.cells().filter(|cell| is_positive(*cell)).count() as u64,
        actual: truth.cells().filter(|cell| is_positive(*cell)).count() as u64,
    };
    if counts.predicted + counts.actual == 0 && has_two {
        return Err(submitted.failure("expected 1 as one of the two labels"));
    }
    Ok(counts.f_beta(beta))
}
