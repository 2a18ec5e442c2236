//! The rows of each value of a column: what pandas' `groupby` and `merge` work with.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::integer_table::IntegerTable;
use super::kind::{Kind, Missing};
use super::set::common_keys;
use super::{Cell, Column, Dtype, Role, Values};
use crate::failure::Failure;

impl Column {
    /// `groupby(column)`: the rows of each value, the values in ascending order, the rows of each ascending. Rows with
    /// a missing value are in no group. Where text and numbers are mixed, numbers come first.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let mut places = FxHashMap::default();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for (row, key) in (0..).zip(self.keys()) {
            if !self.is_missing(row as usize) {
                let place = *places.entry(key).or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
                groups[place].push(row);
            }
        }
        groups.sort_by(|left, right| {
            numbers_first(self.cell(left[0] as usize), self.cell(right[0] as usize))
        });
        groups
    }

    /// `left.merge(right, on=column)`: the pairs of rows with equal values, in the order of the left rows, and of the
    /// right rows within. Missing values equal each other.
    ///
    /// # Errors
    /// Where one column holds text and the other numbers, which pandas refuses to merge on. The submission is at
    /// fault if one of the columns is its.
    pub fn merge_rows(&self, right: &Column) -> Result<Vec<(u32, u32)>, Failure> {
        self.require_mergeable(right)?;
        if let Some(rows) = right.rows_of_ascending(self) {
            return Ok((0..).zip(rows.iter().copied()).collect());
        }
        if let (Values::Int64(left), Values::Int64(right)) = (self.values(), right.values()) {
            let mut first = IntegerTable::for_values(right);
            let next = chain(right.iter(), |value, row| first.insert(*value, row));
            return Ok(pairs(left.iter().map(|value| first.get(*value)), &next));
        }
        let (left_keys, right_keys) = common_keys(self, right);
        let right_keys: Vec<_> = right_keys.collect();
        let mut first = FxHashMap::default();
        let next = chain(right_keys.iter(), |key, row| first.insert(*key, row));
        Ok(pairs(left_keys.map(|key| first.get(&key).copied()), &next))
    }

    fn require_mergeable(&self, right: &Column) -> Result<(), Failure> {
        if self.is_empty() != right.is_empty() {
            return Ok(());
        }
        let numbers_and_objects = match (self.dtype(), right.dtype()) {
            (Dtype::Object, other) | (other, Dtype::Object) => other.is_number(),
            _ => false,
        };
        // Truth values and integers among objects may meet numbers; a column with text in it may not.
        let like_integers = |kind| {
            matches!(kind, Kind::Integer | Kind::MixedWithInteger | Kind::Boolean | Kind::Empty)
        };
        let like_text = |kind| matches!(kind, Kind::String | Kind::Mixed | Kind::Empty);
        let (left_kind, right_kind) = (self.kind(Missing::Counted), right.kind(Missing::Counted));
        if numbers_and_objects
            && !(like_integers(left_kind) && like_integers(right_kind))
            && like_text(left_kind) != like_text(right_kind)
        {
            let (at_fault, other) =
                if self.role() == Role::Submission { (self, right) } else { (right, self) };
            return Err(at_fault.failure(format_args!(
                "its values are read as {}, those that they are to be matched with as {}",
                at_fault.dtype().describe(),
                other.dtype().describe(),
            )));
        }
        Ok(())
    }
}

/// For each row, the next one of the same value. `insert` notes the first row of a value, as seen from the row at hand on,
/// and gives the one noted before.
fn chain<'a, V: 'a>(
    values: impl DoubleEndedIterator<Item = &'a V> + ExactSizeIterator,
    mut insert: impl FnMut(&'a V, u32) -> Option<u32>,
) -> Vec<Option<u32>> {
    let mut next = vec![None; values.len()];
    for (row, value) in values.enumerate().rev() {
        next[row] = insert(value, row as u32);
    }
    next
}

/// Each row on the left with all rows on the right that have its value, of which the first is given.
fn pairs(firsts: impl Iterator<Item = Option<u32>>, next: &[Option<u32>]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::with_capacity(next.len());
    for (left, first) in (0..).zip(firsts) {
        let rows = std::iter::successors(first, |row| next[*row as usize]);
        pairs.extend(rows.map(|right| (left, right)));
    }
    pairs
}

/// The order that pandas falls back on where Python has none: numbers before text.
fn numbers_first(left: Cell<'_>, right: Cell<'_>) -> Ordering {
    left.python_cmp(right).unwrap_or_else(|| left.text().is_some().cmp(&right.text().is_some()))
}

#[cfg(test)]
mod tests {
    use super::super::{Objects, Values};
    use super::*;

    fn column(values: Values) -> Column {
        Column::new("x", Role::Submission, values)
    }

    fn objects(cells: &[Cell<'_>]) -> Column {
        column(Values::Object(cells.iter().copied().collect::<Objects>()))
    }

    #[test]
    fn groups_are_sorted_and_without_missing_values() {
        let texts = objects(&[
            Cell::Text("b"),
            Cell::Missing,
            Cell::Text("a"),
            Cell::Text("b"),
            Cell::Int(5),
        ]);
        assert_eq!(texts.groups(), [vec![4], vec![2], vec![0, 3]]);
        let floats = column(Values::Float64(vec![2.0, f64::NAN, -1.0, 2.0]));
        assert_eq!(floats.groups(), [vec![2], vec![0, 3]]);
    }

    #[test]
    fn merging_pairs_equal_values() {
        let left = column(Values::Int64(vec![3, 1, 2, 1]));
        let right = column(Values::Float64(vec![1.0, 3.0, 1.0, 7.5]));
        assert_eq!(left.merge_rows(&right), Ok(vec![(0, 1), (1, 0), (1, 2), (3, 0), (3, 2)]));
        let missing = objects(&[Cell::Missing, Cell::Text("a")]);
        assert_eq!(missing.merge_rows(&missing), Ok(vec![(0, 0), (1, 1)]));
        let failure = left.merge_rows(&objects(&[Cell::Text("1")])).unwrap_err();
        assert_eq!(
            failure.message(),
            "column `x`: its values are read as integers, those that they are to be matched with as text"
        );
        // Objects that are integers do meet numbers.
        assert_eq!(left.merge_rows(&objects(&[Cell::Int(2), Cell::Bool(true)])).unwrap().len(), 3);
    }
}
