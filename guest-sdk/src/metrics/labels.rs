//! Class labels as scikit-learn 1.5.2 takes them: what kind of target a column is, whether two columns fit each other
//! (`metrics._classification._check_targets`), and the numbering of their labels (`utils.multiclass.unique_labels`,
//! `preprocessing.LabelEncoder`).

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::numbers::{require_same_length, submitted_first};
use crate::failure::Failure;
use crate::frame::{Cell, Column, Dtype, Objects, Role, Values};

/// The kind of a column of labels: `utils.multiclass.type_of_target` for one-dimensional arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetType {
    /// At most two different labels; also none at all.
    Binary,
    /// More than two different labels.
    Multiclass,
}

/// Integers that float64 holds without gaps end here.
const EXACT_IN_FLOAT: i128 = 1 << 53;

/// The kind of a column of labels.
///
/// # Errors
/// Where the column holds no labels: fractions, missing or infinite values, or objects that are not all text.
pub(super) fn target_type(column: &Column) -> Result<TargetType, Failure> {
    let several = match column.values() {
        Values::Int64(values) => has_three(values.iter().copied()),
        Values::UInt64(values) => has_three(values.iter().copied()),
        Values::Bool(_) => false,
        Values::Float64(values) => {
            require_whole(column, values)?;
            has_three(values.iter().copied())
        }
        Values::Object(objects) => {
            require_text(column, objects)?;
            has_three(objects.iter().map(|cell| cell.text().unwrap_or_default()))
        }
    };
    Ok(if several { TargetType::Multiclass } else { TargetType::Binary })
}

/// Whether there are three different values or more.
fn has_three<T: PartialEq>(mut values: impl Iterator<Item = T>) -> bool {
    let Some(first) = values.next() else { return false };
    let Some(second) = values.find(|value| *value != first) else { return false };
    values.any(|value| value != first && value != second)
}

/// Succeeds where each value is whole and fits int64. (2⁶³ does not: the conversion wraps, as C's does on x86.)
fn require_whole(column: &Column, values: &[f64]) -> Result<(), Failure> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    let is_label = |value: f64| value.trunc() == value && (-END..END).contains(&value);
    match values.iter().position(|value| !is_label(*value)) {
        None => Ok(()),
        Some(row) => Err(column.unexpected(row, "a label (a whole number)")),
    }
}

/// Succeeds where each cell is text.
fn require_text(column: &Column, objects: &Objects) -> Result<(), Failure> {
    let Some(row) = objects.first_other() else { return Ok(()) };
    // An empty cell is what makes objects of truth values, and what is to be put right.
    if let Some(row) = column.first_missing() {
        return Err(column.unexpected(row, "a label"));
    }
    Err(column.unexpected(row, "a text, as in other rows of this column"))
}

/// The kind that two columns of labels have together: `_check_targets`.
///
/// # Errors
/// Where they differ in length, one of them holds no labels, or two labels a column are text in one and numbers in the
/// other.
pub(super) fn check_targets(left: &Column, right: &Column) -> Result<TargetType, Failure> {
    require_same_length(left, right)?;
    let (submitted, other) = submitted_first(left, right);
    // The submission's own faults are told before it is compared with the answers.
    let kinds = [target_type(submitted)?, target_type(other)?];
    if kinds != [TargetType::Binary; 2] {
        return Ok(TargetType::Multiclass);
    }
    require_comparable(left, right)?;
    let together = match promoted(left.dtype(), right.dtype()) {
        Dtype::Object => has_three(texts(left).chain(texts(right))),
        Dtype::Float64 => {
            has_three(integers(left).chain(integers(right)).map(|value| value as f64))
        }
        _ => has_three(integers(left).chain(integers(right))),
    };
    Ok(if together { TargetType::Multiclass } else { TargetType::Binary })
}

/// Succeeds where both columns are text or neither is; columns without rows go with anything.
pub(super) fn require_comparable(left: &Column, right: &Column) -> Result<(), Failure> {
    let is_text = |column: &Column| column.dtype() == Dtype::Object;
    if left.is_empty() || right.is_empty() || is_text(left) == is_text(right) {
        return Ok(());
    }
    let (submitted, other) = submitted_first(left, right);
    let (found, expected) = (submitted.dtype().describe(), other.dtype().describe());
    Err(match submitted.cause_of_text() {
        Some(row) => submitted.failure_at(
            row,
            format_args!(
                "expected {expected} as labels, found {}, which makes text of the whole column",
                submitted.describe(row)
            ),
        ),
        None => submitted.failure(format_args!(
            "expected {expected} as labels, but the whole column is read as {found}"
        )),
    })
}

/// The type that numpy brings two arrays to when it joins them.
pub(super) fn promoted(left: Dtype, right: Dtype) -> Dtype {
    match (left, right) {
        (left, right) if left == right => left,
        (Dtype::Object, _) | (_, Dtype::Object) => Dtype::Object,
        (Dtype::Bool, other) | (other, Dtype::Bool) => other,
        _ => Dtype::Float64,
    }
}

/// The labels of a column of numbers, of which [`target_type`] said that it holds labels: exact, as integers.
fn integers(column: &Column) -> Box<dyn Iterator<Item = i128> + '_> {
    match column.values() {
        Values::Int64(values) => Box::new(values.iter().map(|value| i128::from(*value))),
        Values::UInt64(values) => Box::new(values.iter().map(|value| i128::from(*value))),
        Values::Float64(values) => Box::new(values.iter().map(|value| *value as i128)),
        Values::Bool(values) => Box::new(values.iter().map(|value| i128::from(*value))),
        Values::Object(_) => Box::new(std::iter::empty()),
    }
}

/// The labels of a column of objects, of which [`target_type`] said that it holds labels.
fn texts(column: &Column) -> Box<dyn Iterator<Item = &str> + '_> {
    match column.values() {
        Values::Object(objects) => {
            Box::new(objects.iter().map(|cell| cell.text().unwrap_or_default()))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Two columns of labels, each label replaced by its number in the sorted labels of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NumberedLabels {
    /// The numbers of the first column's labels.
    pub(super) first: Vec<u32>,
    /// The numbers of the second column's labels.
    pub(super) second: Vec<u32>,
    /// How many different labels there are.
    pub(super) count: usize,
}

impl NumberedLabels {
    /// Numbers the labels of two columns that [`check_targets`] let through, both arrays joined into one: numbers of
    /// different types that meet in float64 are rounded to it first.
    ///
    /// # Errors
    /// Where one column is text and the other is not.
    pub(super) fn of_joined(first: &Column, second: &Column) -> Result<NumberedLabels, Failure> {
        require_comparable(first, second)?;
        let rounds = first.dtype() != second.dtype()
            && promoted(first.dtype(), second.dtype()) == Dtype::Float64;
        Ok(if rounds && has_large(first, second) {
            number_all(integers(first).map(rounded), integers(second).map(rounded))
        } else {
            NumberedLabels::exact(first, second)
        })
    }

    /// Numbers the labels of one column that [`target_type`] let through; there is no second one.
    pub(super) fn of_one(column: &Column) -> NumberedLabels {
        NumberedLabels::exact(column, &column.take(&[]))
    }

    fn exact(first: &Column, second: &Column) -> NumberedLabels {
        if first.dtype() == Dtype::Object || second.dtype() == Dtype::Object {
            number_all(texts(first), texts(second))
        } else {
            number_integers(first, second)
        }
    }
}

/// Two columns' labels with what `unique_labels` makes of them: the list of labels may hold a value more than once.
///
/// `unique_labels` collects the labels by exact value and then makes one array of them. Where that array is float64 for
/// being of several types (int64 and uint64, integers and floats), labels beyond 2⁵³ can become equal in it; they stay
/// in the list as often as there were different ones.
#[derive(Debug, Clone)]
pub(super) struct LabelList {
    /// The labels by number. Two labels that became equal have the same number.
    pub(super) numbered: NumberedLabels,
    /// How often a label stands in the list, by its number.
    pub(super) copies: Vec<u32>,
    /// Whether a row's exact label is found in the list, by column; `None` where all are.
    found: Option<[Vec<bool>; 2]>,
}

impl LabelList {
    /// The labels of two columns that [`check_targets`] let through.
    ///
    /// # Errors
    /// Where one column is text and the other is not.
    pub(super) fn of_both(first: &Column, second: &Column) -> Result<LabelList, Failure> {
        require_comparable(first, second)?;
        let mixed = first.dtype() != second.dtype()
            && promoted(first.dtype(), second.dtype()) == Dtype::Float64;
        if mixed && has_large(first, second) {
            let of_first: BTreeSet<i128> = integers(first).collect();
            let all: BTreeSet<i128> = of_first.iter().copied().chain(integers(second)).collect();
            // Of equal labels the first column's stays, so without any of the second's the array keeps the type.
            if all.len() > of_first.len() {
                return Ok(LabelList::rounded(first, second, &all));
            }
        }
        let numbered = NumberedLabels::exact(first, second);
        let copies = vec![1; numbered.count];
        Ok(LabelList { numbered, copies, found: None })
    }

    fn rounded(first: &Column, second: &Column, exact: &BTreeSet<i128>) -> LabelList {
        let numbered = number_all(integers(first).map(rounded), integers(second).map(rounded));
        let mut copies = vec![0; numbered.count];
        let mut previous = None;
        let mut number = 0;
        for label in exact.iter().map(|label| rounded(*label)) {
            if previous.is_some_and(|previous| previous != label) {
                number += 1;
            }
            copies[number] += 1;
            previous = Some(label);
        }
        let is_exact = |label: i128| rounded(label) == label;
        let found =
            [integers(first).map(is_exact).collect(), integers(second).map(is_exact).collect()];
        LabelList { numbered, copies, found: Some(found) }
    }

    /// The length of the list.
    pub(super) fn len(&self) -> usize {
        self.copies.iter().map(|copies| *copies as usize).sum()
    }

    /// The places of both labels of each row in the list, for a confusion matrix: the last of equal ones. Rows with a
    /// label that is not found in the list by its exact value are left out, as `confusion_matrix` leaves them out.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let last: Vec<usize> = self
            .copies
            .iter()
            .scan(0, |end, copies| {
                *end += *copies as usize;
                Some(*end - 1)
            })
            .collect();
        let NumberedLabels { first, second, .. } = &self.numbered;
        (0..first.len())
            .filter(|row| self.found.as_ref().is_none_or(|found| found[0][*row] && found[1][*row]))
            .map(move |row| (last[first[row] as usize], last[second[row] as usize]))
    }
}

fn has_large(first: &Column, second: &Column) -> bool {
    integers(first).chain(integers(second)).any(|label| label.abs() > EXACT_IN_FLOAT)
}

/// A label of int64 or uint64 rounded to float64, which is whole.
fn rounded(label: i128) -> i128 {
    label as f64 as i128
}

/// Numbers integers; by a table where they lie close together.
fn number_integers(first: &Column, second: &Column) -> NumberedLabels {
    match (first.values(), second.values()) {
        (Values::Int64(first), Values::Int64(second)) => {
            let all = || first.iter().chain(second);
            let (Some(low), Some(high)) = (all().min(), all().max()) else {
                return NumberedLabels { first: Vec::new(), second: Vec::new(), count: 0 };
            };
            let span = u64::try_from(i128::from(*high) - i128::from(*low)).unwrap_or(u64::MAX);
            number_within(span, first, second, |label| label.abs_diff(*low))
        }
        _ => {
            let (first, second): (Vec<i128>, Vec<i128>) =
                (integers(first).collect(), integers(second).collect());
            let all = || first.iter().chain(&second);
            let (Some(low), Some(high)) = (all().min(), all().max()) else {
                return NumberedLabels { first: Vec::new(), second: Vec::new(), count: 0 };
            };
            let span = u64::try_from(high - low).unwrap_or(u64::MAX);
            // Of what is close together, each difference is small.
            number_within(span, &first, &second, |label| (label - low) as u64)
        }
    }
}

/// Numbers labels by how far each is from the lowest, of which `span` is the most.
fn number_within<T: Copy + Ord + std::hash::Hash>(
    span: u64,
    first: &[T],
    second: &[T],
    above_lowest: impl Fn(T) -> u64,
) -> NumberedLabels {
    let rows = first.len() + second.len();
    if span > rows as u64 * 4 + 1024 {
        return number_all(first.iter().copied(), second.iter().copied());
    }
    let place = |label: &T| above_lowest(*label) as usize;
    let mut numbers = vec![0_u32; span as usize + 1];
    for label in first.iter().chain(second) {
        numbers[place(label)] = 1;
    }
    let mut count = 0;
    for number in &mut numbers {
        let present = *number;
        *number = count;
        count += present;
    }
    NumberedLabels {
        first: first.iter().map(|label| numbers[place(label)]).collect(),
        second: second.iter().map(|label| numbers[place(label)]).collect(),
        count: count as usize,
    }
}

/// Numbers labels of any ordered kind: by hash in order of appearance, then by order.
fn number_all<T: Copy + Ord + std::hash::Hash>(
    first: impl Iterator<Item = T>,
    second: impl Iterator<Item = T>,
) -> NumberedLabels {
    let mut appeared = FxHashMap::default();
    let mut number = |label: T| {
        let next = appeared.len() as u32;
        *appeared.entry(label).or_insert(next)
    };
    let mut first: Vec<u32> = first.map(&mut number).collect();
    let mut second: Vec<u32> = second.map(&mut number).collect();
    let mut labels: Vec<(T, u32)> = appeared.into_iter().collect();
    labels.sort_unstable();
    let mut sorted = vec![0; labels.len()];
    for (number, (_, appeared)) in (0..).zip(&labels) {
        sorted[*appeared as usize] = number;
    }
    for number in first.iter_mut().chain(&mut second) {
        *number = sorted[*number as usize];
    }
    NumberedLabels { first, second, count: labels.len() }
}

/// Whether the labels of each row are equal: `left == right` of two numpy arrays of one length, row by row.
///
/// Integers and truth values compare exactly (numpy 1.26 compares int64 with uint64 so), with floats after rounding to
/// float64; text is equal to nothing but text.
pub(super) fn equal_rows<'a>(
    left: &'a Column,
    right: &'a Column,
) -> Box<dyn Iterator<Item = bool> + 'a> {
    match (left.values(), right.values()) {
        (Values::Int64(left), Values::Int64(right)) => {
            Box::new(left.iter().zip(right).map(|(left, right)| left == right))
        }
        (Values::Float64(floats), _) if right.dtype() != Dtype::Object => Box::new(
            floats.iter().zip(integers_or_floats(right)).map(|(left, right)| *left == right),
        ),
        (_, Values::Float64(floats)) if left.dtype() != Dtype::Object => Box::new(
            floats.iter().zip(integers_or_floats(left)).map(|(left, right)| *left == right),
        ),
        (Values::Object(_), _) | (_, Values::Object(_)) => match left.equal_objects(right) {
            Some(rows) => Box::new(rows),
            None => {
                Box::new(left.cells().zip(right.cells()).map(|(left, right)| left.equals(right)))
            }
        },
        _ => Box::new(integers(left).zip(integers(right)).map(|(left, right)| left == right)),
    }
}

fn integers_or_floats(column: &Column) -> Box<dyn Iterator<Item = f64> + '_> {
    match column.values() {
        Values::Float64(values) => Box::new(values.iter().copied()),
        _ => Box::new(integers(column).map(|value| value as f64)),
    }
}

/// `numpy.asarray` of a list of Python integers, as a column: int64; uint64 where all are beyond int64; float64 where
/// only some are. Graders that convert labels one by one with Python's `int()` hand scikit-learn such lists.
///
/// # Errors
/// Where an integer is beyond uint64, or beyond int64 on the negative side: numpy makes objects of such a list, which
/// are no labels.
pub fn integer_labels(name: &str, role: Role, labels: &[i128]) -> Result<Column, Failure> {
    if let Some(row) = labels.iter().position(|label| !fits_int64(*label) && !fits_uint64(*label)) {
        let column = Column::new(name, role, Values::Int64(Vec::new()));
        return Err(
            column.failure(format_args!("the label in row {} is too large for 64 bits", row + 1))
        );
    }
    Ok(Column::new(name, role, joined_integers(labels)))
}

fn fits_int64(label: i128) -> bool {
    i64::try_from(label).is_ok()
}

fn fits_uint64(label: i128) -> bool {
    u64::try_from(label).is_ok()
}

/// The array that numpy makes of integers that each fit 64 bits.
fn joined_integers(labels: &[i128]) -> Values {
    if labels.iter().all(|label| fits_int64(*label)) {
        Values::Int64(labels.iter().map(|label| *label as i64).collect())
    } else if labels.iter().all(|label| !fits_int64(*label)) {
        Values::UInt64(labels.iter().map(|label| *label as u64).collect())
    } else {
        Values::Float64(labels.iter().map(|label| *label as f64).collect())
    }
}

/// `numpy.asarray(column.tolist())`, as a column: objects of which one is text all become texts, by Python's `str()`
/// (a missing one `nan`); objects without text become truth values, integers or floats. Graders that hand scikit-learn
/// lists compare such columns.
#[must_use]
pub fn listed_labels(column: &Column) -> Column {
    let Values::Object(objects) = column.values() else { return column.clone() };
    if (0..objects.len()).any(|row| objects.is_text(row)) {
        return column.as_text();
    }
    let truth_values = objects.iter().map(|cell| match cell {
        Cell::Bool(value) => Some(value),
        _ => None,
    });
    let integers = objects.iter().map(|cell| match cell {
        Cell::Bool(value) => Some(value.into()),
        Cell::Int(value) => Some(value.into()),
        Cell::UInt(value) => Some(value.into()),
        Cell::Missing | Cell::Float(_) | Cell::Text(_) => None,
    });
    column.with_values(if let Some(truth_values) = truth_values.collect() {
        Values::Bool(truth_values)
    } else if let Some(integers) = integers.collect::<Option<Vec<i128>>>() {
        joined_integers(&integers)
    } else {
        let floats = objects.iter().map(|cell| cell.to_float().unwrap_or(f64::NAN));
        Values::Float64(floats.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_arrays_of_one_type() {
        let listed = |cells: &[Cell<'_>]| {
            let objects = Values::Object(cells.iter().copied().collect());
            let listed = listed_labels(&Column::new("x", Role::Submission, objects));
            (
                listed.dtype(),
                listed.cells().map(|cell| cell.to_string()).collect::<Vec<_>>().join(" "),
            )
        };
        let (one, yes) = (Cell::Int(1), Cell::Bool(true));
        let cases: [(&[Cell<'_>], Dtype, &str); 7] = [
            (&[Cell::Text("a"), Cell::Missing, one], Dtype::Object, "a nan 1"),
            (&[Cell::Text(""), Cell::Float(1e20), yes], Dtype::Object, " 1e+20 True"),
            (&[yes, Cell::Bool(false)], Dtype::Bool, "True False"),
            (&[yes, Cell::Int(2)], Dtype::Int64, "1 2"),
            (
                &[Cell::UInt(u64::MAX), Cell::UInt(1 << 63)],
                Dtype::UInt64,
                "18446744073709551615 9223372036854775808",
            ),
            (&[Cell::UInt(1 << 63), one], Dtype::Float64, "9.223372036854776e+18 1.0"),
            (&[yes, Cell::Missing, Cell::Float(0.5)], Dtype::Float64, "1.0 nan 0.5"),
        ];
        for (cells, dtype, text) in cases {
            assert_eq!(listed(cells), (dtype, text.to_owned()), "{cells:?}");
        }
    }
}
