//! Several labels a row, as sets: scikit-learn 1.5.2 `preprocessing.MultiLabelBinarizer(sparse_output=True)` and the
//! scores of what it makes, `metrics.f1_score` and `metrics.jaccard_score`. Nothing but the labels present is kept, so
//! tens of thousands of labels over millions of rows are fine.

use super::f_beta::{Average, ConfusionCounts, averaged};
use crate::failure::Failure;
use crate::text::{TextTable, for_each_word};

/// In rows of so many labels each is looked at, without further ado.
const FEW: usize = 16;

/// The labels that count; others are dropped from rows.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary<'a> {
    numbers: TextTable<'a>,
    labels: Vec<&'a str>,
}

impl<'a> Vocabulary<'a> {
    /// No label yet.
    pub fn new() -> Vocabulary<'a> {
        Vocabulary::default()
    }

    /// Adds a label unless it is there, and gives its number, counted from 0 in the order in which labels were added.
    #[inline]
    pub fn add(&mut self, label: &'a str) -> u32 {
        let number = self.numbers.insert(label.as_bytes());
        if number as usize == self.labels.len() {
            self.labels.push(label);
        }
        number
    }

    /// The number of a label that is there.
    #[inline]
    pub fn number(&self, label: &str) -> Option<u32> {
        self.numbers.get(label.as_bytes())
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Whether a label is there.
    pub fn contains(&self, label: &str) -> bool {
        self.number(label).is_some()
    }

    /// The labels, each at its number.
    pub fn labels(&self) -> &[&'a str] {
        &self.labels
    }
}

impl<'a> FromIterator<&'a str> for Vocabulary<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(labels: I) -> Vocabulary<'a> {
        let mut vocabulary = Vocabulary::new();
        labels.into_iter().for_each(|label| {
            vocabulary.add(label);
        });
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

    /// No row yet, with room for that many.
    pub fn with_room(rows: usize) -> LabelSets {
        LabelSets { ends: Vec::with_capacity(rows), labels: Vec::new() }
    }

    /// Adds a row of labels; those that are not in the vocabulary are dropped, repeated ones count once.
    pub fn push<'a>(
        &mut self,
        vocabulary: &Vocabulary<'_>,
        labels: impl IntoIterator<Item = &'a str>,
    ) {
        self.labels.extend(labels.into_iter().filter_map(|label| vocabulary.number(label)));
        self.end_row();
    }

    /// Adds a row of labels separated by white space, as Python splits it; those that are not in the vocabulary are added
    /// to it, repeated ones count once.
    #[inline]
    pub fn push_words<'a>(&mut self, vocabulary: &mut Vocabulary<'a>, text: &'a str) {
        for_each_word(text, |label| self.labels.push(vocabulary.add(label)));
        self.end_row();
    }

    /// Makes a row of the labels behind the last one.
    #[inline]
    fn end_row(&mut self) {
        sort_labels(&mut self.labels, self.ends.last().copied().unwrap_or(0));
        self.ends.push(self.labels.len());
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
        let LabelRow { start, end } = self.locate(row);
        &self.labels[start..end]
    }

    #[inline]
    fn locate(&self, row: usize) -> LabelRow {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        LabelRow { start, end: self.ends[row] }
    }

    /// Has those rows at hand: memory that is asked for together comes together, and the work on each row would wait for
    /// it alone.
    #[inline]
    fn touch(&self, rows: &[LabelRow]) {
        let firsts = rows.iter().filter_map(|row| self.labels.get(row.start));
        // Numbers are counted from 0, and there are less of them; the processor only has to look.
        assert!(firsts.max().is_none_or(|label| *label < u32::MAX), "a label has a number");
    }
}

/// Where the labels of a row lie among those of all rows.
#[derive(Debug, Clone, Copy, Default)]
struct LabelRow {
    start: usize,
    end: usize,
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

/// Counts predicted rows against true ones that stand in another order, one at a time: nothing is kept of them.
#[derive(Debug)]
pub struct Tally<'a> {
    vocabulary: &'a Vocabulary<'a>,
    truth: &'a LabelSets,
    /// The true row of each predicted one.
    rows: Vec<LabelRow>,
    counts: Vec<ConfusionCounts>,
    unknown: usize,
    next: usize,
    predicted: Vec<u32>,
}

impl<'a> Tally<'a> {
    /// No predicted row yet. A true row and a predicted one are a pair, and each is in one pair.
    ///
    /// # Panics
    /// Where the rows of the pairs are not numbered from 0, or there is no such true row.
    pub fn new(
        vocabulary: &'a Vocabulary<'a>,
        truth: &'a LabelSets,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Tally<'a> {
        let mut rows = vec![LabelRow::default(); truth.len()];
        for (actual, predicted) in pairs {
            rows[predicted] = truth.locate(actual);
        }
        let mut counts = vec![ConfusionCounts::default(); vocabulary.len()];
        truth.labels.iter().for_each(|label| counts[*label as usize].actual += 1);
        Tally { vocabulary, truth, rows, counts, unknown: 0, next: 0, predicted: Vec::new() }
    }

    /// Adds the next predicted row, labels separated by white space, as Python splits it. Those that are not in the
    /// vocabulary are dropped, repeated ones count once.
    ///
    /// # Panics
    /// Where there were as many as true ones already.
    #[inline]
    pub fn add_words(&mut self, text: &str) {
        const TOGETHER: usize = 32;
        if self.next.is_multiple_of(TOGETHER) {
            let end = self.rows.len().min(self.next + TOGETHER);
            self.truth.touch(&self.rows[self.next..end]);
        }
        self.predicted.clear();
        for_each_word(text, |label| match self.vocabulary.number(label) {
            Some(number) => self.predicted.push(number),
            None => self.unknown += 1,
        });
        sort_labels(&mut self.predicted, 0);
        let LabelRow { start, end } = self.rows[self.next];
        let actual = &self.truth.labels[start..end];
        for label in &self.predicted {
            let counts = &mut self.counts[*label as usize];
            counts.predicted += 1;
            counts.true_positives += u64::from(has_label(actual, *label));
        }
        self.next += 1;
    }

    /// How often each label of the vocabulary was predicted, true, and both, by its number; and how many predicted labels
    /// were not in it, repeated ones counting each time.
    ///
    /// # Panics
    /// Where there were fewer predicted rows than true ones.
    pub fn finish(self) -> (Vec<ConfusionCounts>, usize) {
        assert_eq!(self.next, self.rows.len(), "as many predicted rows as true ones");
        (self.counts, self.unknown)
    }
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

/// Checks that there are two labels or more, without which scikit-learn takes no matrix of indicators.
///
/// # Errors
/// The answers are at fault.
pub fn require_two(vocabulary: &Vocabulary<'_>) -> Result<(), Failure> {
    if vocabulary.len() < 2 {
        return Err(Failure::answers(format!(
            "expected two different labels or more in all rows together, found {}",
            vocabulary.len()
        )));
    }
    Ok(())
}

/// The counts of each row for [`Average::Samples`], else of each label.
fn counts(
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
        for label in predicted {
            let counts = &mut counts[place(*label)];
            counts.predicted += 1;
            counts.true_positives += u64::from(has_label(actual, *label));
        }
    }
    counts
}

/// Whether an ascending row has a label.
#[inline]
fn has_label(row: &[u32], label: u32) -> bool {
    if row.len() <= FEW { row.contains(&label) } else { row.binary_search(&label).is_ok() }
}

/// Sorts the labels from there on, and drops those that are repeated.
#[inline]
fn sort_labels(labels: &mut Vec<u32>, start: usize) {
    let row = &mut labels[start..];
    if row.len() <= 1 {
        return;
    }
    if row.len() <= FEW {
        for next in 1..row.len() {
            let label = row[next];
            let mut place = next;
            while place > 0 && row[place - 1] > label {
                row[place] = row[place - 1];
                place -= 1;
            }
            row[place] = label;
        }
    } else {
        row.sort_unstable();
    }
    let mut kept = 1;
    for place in 1..row.len() {
        let label = row[place];
        if label != row[kept - 1] {
            row[kept] = label;
            kept += 1;
        }
    }
    labels.truncate(start + kept);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::text::python_split;

    proptest! {
        #[test]
        fn counts_are_those_of_sets(
            rows in prop::collection::vec(("([a-e]{1,2} ?){0,6}|([a-z] ){20,40}", "([a-f]{1,2} ?){0,6}|([a-z] ){20,40}"), 0..12),
            turn in 0_usize..12,
        ) {
            let mut vocabulary = Vocabulary::new();
            let (mut truth, mut prediction) = (LabelSets::new(), LabelSets::with_room(rows.len()));
            rows.iter().for_each(|row| truth.push_words(&mut vocabulary, &row.0));
            let collected: Vocabulary<'_> =
                rows.iter().flat_map(|row| python_split(&row.0)).collect();
            prop_assert_eq!(vocabulary.labels(), collected.labels());
            for (number, (actual, predicted)) in rows.iter().enumerate() {
                let mut pushed = LabelSets::new();
                pushed.push(&collected, python_split(actual));
                prop_assert_eq!(truth.row(number), pushed.row(0));
                prop_assert!(truth.row(number).is_sorted_by(|left, right| left < right));
                prediction.push(&collected, python_split(predicted));
            }

            // The predicted rows stand in another order.
            let place = |row: usize| (row + turn) % rows.len();
            let mut turned = vec![""; rows.len()];
            (0..rows.len()).for_each(|row| turned[place(row)] = &rows[row].1);
            let mut tally =
                Tally::new(&vocabulary, &truth, (0..rows.len()).map(|row| (row, place(row))));
            turned.iter().for_each(|text| tally.add_words(text));
            let (by_label, unknown) = tally.finish();
            let is_unknown = |word: &&str| !vocabulary.contains(word);
            let words = turned.iter().flat_map(|text| python_split(text));
            prop_assert_eq!(unknown, words.filter(is_unknown).count());
            prop_assert_eq!(&by_label, &confusion_by_label(&vocabulary, &truth, &prediction));

            let sets: Vec<[BTreeSet<&str>; 2]> = rows
                .iter()
                .map(|row| [&row.0, &row.1].map(|text| python_split(text).collect()))
                .collect();
            for (label, counts) in vocabulary.labels().iter().zip(&by_label) {
                let count = |holds: &dyn Fn(&[BTreeSet<&str>; 2]) -> bool| {
                    sets.iter().filter(|row| holds(row)).count() as u64
                };
                prop_assert_eq!(counts.actual, count(&|[actual, _]| actual.contains(label)));
                prop_assert_eq!(counts.predicted, count(&|[_, predicted]| predicted.contains(label)));
                prop_assert_eq!(
                    counts.true_positives,
                    count(&|row| row.iter().all(|labels| labels.contains(label)))
                );
            }
            let by_row = counts(&vocabulary, &truth, &prediction, Average::Samples);
            for (counts, [actual, predicted]) in by_row.iter().zip(&sets) {
                let known = predicted.iter().filter(|label| vocabulary.contains(label));
                prop_assert_eq!(counts.actual, actual.len() as u64);
                prop_assert_eq!(counts.predicted, known.count() as u64);
                prop_assert_eq!(counts.true_positives, actual.intersection(predicted).count() as u64);
            }
        }
    }
}
