//! Several labels a row, as sets: scikit-learn 1.5.2 `preprocessing.MultiLabelBinarizer(sparse_output=True)` and the
//! scores of what it makes, `metrics.f1_score` and `metrics.jaccard_score`. Nothing but the labels present is kept, so
//! tens of thousands of labels over millions of rows are fine.

use rustc_hash::FxHashMap;

use super::f_beta::{Average, ConfusionCounts, averaged};
use crate::failure::Failure;

/// The labels that count; others are dropped from rows.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary<'a> {
    numbers: FxHashMap<&'a str, u32>,
}

impl<'a> Vocabulary<'a> {
    /// No label yet.
    pub fn new() -> Vocabulary<'a> {
        Vocabulary::default()
    }

    /// Adds a label unless it is there.
    pub fn add(&mut self, label: &'a str) {
        let next = self.numbers.len() as u32;
        self.numbers.entry(label).or_insert(next);
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether a label is there.
    pub fn contains(&self, label: &str) -> bool {
        self.numbers.contains_key(label)
    }

    /// The labels, each at its number.
    pub fn labels(&self) -> Vec<&'a str> {
        let mut labels = vec![""; self.numbers.len()];
        for (label, number) in &self.numbers {
            labels[*number as usize] = label;
        }
        labels
    }
}

impl<'a> FromIterator<&'a str> for Vocabulary<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(labels: I) -> Vocabulary<'a> {
        let mut vocabulary = Vocabulary::new();
        labels.into_iter().for_each(|label| vocabulary.add(label));
        vocabulary
    }
}

/// The labels of each row, as numbers of a vocabulary, each once and in order.
#[derive(Debug, Clone, Default)]
pub struct LabelSets {
    /// Where each row's labels end.
    ends: Vec<usize>,
    labels: Vec<u32>,
}

impl LabelSets {
    /// No row yet.
    pub fn new() -> LabelSets {
        LabelSets::default()
    }

    /// Adds a row of labels; those that are not in the vocabulary are dropped, repeated ones count once.
    pub fn push<'a>(
        &mut self,
        vocabulary: &Vocabulary<'_>,
        labels: impl IntoIterator<Item = &'a str>,
    ) {
        let start = self.labels.len();
        self.labels.extend(labels.into_iter().filter_map(|label| vocabulary.numbers.get(label)));
        let row = &mut self.labels[start..];
        row.sort_unstable();
        let mut kept = start;
        for place in start..self.labels.len() {
            if place == start || self.labels[place] != self.labels[kept - 1] {
                self.labels[kept] = self.labels[place];
                kept += 1;
            }
        }
        self.labels.truncate(kept);
        self.ends.push(kept);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The labels of a row, ascending.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn row(&self, row: usize) -> &[u32] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.labels[start..self.ends[row]]
    }
}

/// How often each label of the vocabulary was predicted, true, and both, by its number.
///
/// # Panics
/// Where there are not as many predicted rows as true ones.
pub fn confusion_by_label(
    vocabulary: &Vocabulary<'_>,
    truth: &LabelSets,
    prediction: &LabelSets,
) -> Vec<ConfusionCounts> {
    counts(vocabulary, truth, prediction, Average::Micro)
}

/// The F score of label sets: `metrics.fbeta_score` of two indicator matrices.
///
/// With [`Average::Macro`] and [`Average::Weighted`] all labels of the vocabulary count, those in no row with 0.
///
/// # Errors
/// Where the vocabulary has fewer than two labels, which scikit-learn doesn't take for a matrix of indicators; the
/// answers are at fault.
///
/// # Panics
/// Where there are not as many predicted rows as true ones.
pub fn f_beta(
    vocabulary: &Vocabulary<'_>,
    truth: &LabelSets,
    prediction: &LabelSets,
    beta: f64,
    average: Average,
) -> Result<f64, Failure> {
    require_two(vocabulary)?;
    Ok(averaged(&counts(vocabulary, truth, prediction, average), average, |counts| {
        counts.f_beta(beta)
    }))
}

/// The Jaccard index of label sets, their intersection over their union: `metrics.jaccard_score` of two indicator
/// matrices. A row (or label) with nothing predicted and nothing true counts 0.
///
/// # Errors
/// As [`f_beta`].
///
/// # Panics
/// Where there are not as many predicted rows as true ones.
pub fn jaccard(
    vocabulary: &Vocabulary<'_>,
    truth: &LabelSets,
    prediction: &LabelSets,
    average: Average,
) -> Result<f64, Failure> {
    require_two(vocabulary)?;
    Ok(averaged(&counts(vocabulary, truth, prediction, average), average, ConfusionCounts::jaccard))
}

fn require_two(vocabulary: &Vocabulary<'_>) -> Result<(), Failure> {
    if vocabulary.len() < 2 {
        return Err(Failure::answers(format!(
            "expected two different labels or more in all rows together, found {}",
            vocabulary.len()
        )));
    }
    Ok(())
}

/// The counts of each row for [`Average::Samples`], else of each label.
pub(super) fn counts(
    vocabulary: &Vocabulary<'_>,
    truth: &LabelSets,
    prediction: &LabelSets,
    average: Average,
) -> Vec<ConfusionCounts> {
    assert_eq!(truth.len(), prediction.len(), "as many predicted rows as true ones");
    let by_row = average == Average::Samples;
    let length = if by_row { truth.len() } else { vocabulary.len() };
    let mut counts = vec![ConfusionCounts::default(); length];
    for row in 0..truth.len() {
        let place = |label: u32| if by_row { row } else { label as usize };
        let (actual, predicted) = (truth.row(row), prediction.row(row));
        actual.iter().for_each(|label| counts[place(*label)].actual += 1);
        predicted.iter().for_each(|label| counts[place(*label)].predicted += 1);
        predicted
            .iter()
            .filter(|label| actual.binary_search(label).is_ok())
            .for_each(|label| counts[place(*label)].true_positives += 1);
    }
    counts
}
