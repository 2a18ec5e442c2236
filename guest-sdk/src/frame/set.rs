//! The distinct values of a column: Python's `set(series)`, and pandas' `isin`, `unique` and `duplicated`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::integer_table::IntegerTable;
use super::key::Key;
use super::{Cell, Column, Values};

/// Room for so many distinct values is made ahead: ids mostly differ, labels do not.
const MOST_EXPECTED: usize = 1 << 20;

/// The distinct values of a column as Python's `set(series)` holds them: numbers equal across types, each NaN of a
/// float column an element of its own, the missing cells of object columns one element.
#[derive(Debug, Clone)]
pub struct CellSet<'a> {
    elements: Elements<'a>,
    /// The rows of the elements that equal nothing, not even themselves.
    incomparable: Vec<u32>,
}

/// The elements and the row where each comes first.
#[derive(Debug, Clone)]
enum Elements<'a> {
    /// Of an int64 column: ids are most often this.
    Integers(IntegerTable),
    /// Of any column.
    Keys(FxHashMap<Key<'a>, u32>),
}

impl CellSet<'_> {
    /// The number of distinct values.
    pub fn len(&self) -> usize {
        let comparable = match &self.elements {
            Elements::Integers(integers) => integers.len(),
            Elements::Keys(keys) => keys.len(),
        };
        comparable + self.incomparable.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value is in the set: Python's `value in set(series)`, [`Cell::Missing`] being the object
    /// `numpy.nan`.
    pub fn contains(&self, cell: Cell<'_>) -> bool {
        !matches!(cell, Cell::Float(value) if value.is_nan()) && self.contains_key(Key::of(cell))
    }

    /// Whether each value of the other set is in this one.
    pub fn is_superset(&self, other: &CellSet<'_>) -> bool {
        other.is_subset(self)
    }

    /// Whether each value of this set is in the other one.
    pub fn is_subset(&self, other: &CellSet<'_>) -> bool {
        self.len() <= other.len()
            && self.incomparable.is_empty()
            && match (&self.elements, &other.elements) {
                (Elements::Integers(these), Elements::Integers(those)) => {
                    these.iter().all(|(integer, _)| those.get(integer).is_some())
                }
                (Elements::Integers(these), _) => {
                    these.iter().all(|(integer, _)| other.contains_key(Key::Int(integer)))
                }
                (Elements::Keys(these), _) => these.keys().all(|key| other.contains_key(*key)),
            }
    }

    /// `self - other`: the rows of this set's column where a value that is not in the other set comes first, ascending.
    pub fn difference(&self, other: &CellSet<'_>) -> Vec<usize> {
        let absent = |key: Key<'_>| !other.contains_key(key);
        let comparable: Vec<u32> = match &self.elements {
            Elements::Integers(integers) => integers
                .iter()
                .filter(|(integer, _)| absent(Key::Int(*integer)))
                .map(|(_, row)| row)
                .collect(),
            Elements::Keys(keys) => {
                keys.iter().filter(|(key, _)| absent(**key)).map(|(_, row)| *row).collect()
            }
        };
        let rows = comparable.iter().chain(&self.incomparable);
        let mut rows: Vec<usize> = rows.map(|row| *row as usize).collect();
        rows.sort_unstable();
        rows
    }

    fn contains_key(&self, key: Key<'_>) -> bool {
        match (&self.elements, key) {
            (Elements::Integers(integers), Key::Int(value)) => integers.get(value).is_some(),
            (Elements::Integers(_), _) => false,
            (Elements::Keys(keys), key) => keys.contains_key(&key),
        }
    }
}

impl PartialEq<CellSet<'_>> for CellSet<'_> {
    fn eq(&self, other: &CellSet<'_>) -> bool {
        self.len() == other.len() && self.is_subset(other)
    }
}

impl Column {
    /// Python's `set(series)`.
    pub fn set(&self) -> CellSet<'_> {
        let mut incomparable = Vec::new();
        let elements = match self.values() {
            Values::Int64(values) => {
                let mut integers = IntegerTable::for_values(values);
                // Backwards, so that the row where a value comes first is the one that stays.
                for (row, value) in values.iter().enumerate().rev() {
                    integers.insert(*value, row as u32);
                }
                Elements::Integers(integers)
            }
            Values::Float64(values) => {
                let mut keys = FxHashMap::default();
                for (row, value) in (0..).zip(values) {
                    if value.is_nan() {
                        incomparable.push(row);
                    } else {
                        keys.entry(Key::of_float(*value)).or_insert(row);
                    }
                }
                Elements::Keys(keys)
            }
            _ => {
                let mut keys = FxHashMap::default();
                keys.reserve(self.len().min(MOST_EXPECTED));
                for (row, cell) in (0..).zip(self.cells()) {
                    if matches!(cell, Cell::Float(value) if value.is_nan()) {
                        incomparable.push(row);
                    } else {
                        keys.entry(Key::of(cell)).or_insert(row);
                    }
                }
                Elements::Keys(keys)
            }
        };
        CellSet { elements, incomparable }
    }

    /// pandas' `a.isin(b)`: for each row, whether its value is among those of the other column. Missing values equal
    /// each other here; integers are compared as floats with floats, and with integers of the other signedness.
    pub fn is_in(&self, other: &Column) -> Vec<bool> {
        if let (Values::Int64(values), Values::Int64(_)) = (self.values(), other.values()) {
            let Elements::Integers(integers) = other.set().elements else {
                unreachable!("of int64")
            };
            return values.iter().map(|value| integers.get(*value).is_some()).collect();
        }
        let (keys, others) = common_keys(self, other);
        let mut distinct = FxHashSet::default();
        distinct.reserve(other.len().min(MOST_EXPECTED));
        distinct.extend(others);
        keys.map(|key| distinct.contains(&key)).collect()
    }

    /// pandas' `unique()`: the row where each distinct value comes first, ascending. Missing values count as one.
    pub fn unique(&self) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        (0..).zip(self.keys()).filter_map(|(row, key)| seen.insert(key).then_some(row)).collect()
    }

    /// pandas' `duplicated()`: for each row, whether its value came in an earlier row. Missing values count as one.
    pub fn duplicated(&self) -> Vec<bool> {
        let mut seen = FxHashSet::default();
        self.keys().map(|key| !seen.insert(key)).collect()
    }

    /// The first row whose value came before, and the row where it did. Missing values count as one.
    pub fn first_duplicate(&self) -> Option<(usize, usize)> {
        let mut seen = FxHashMap::default();
        self.keys()
            .enumerate()
            .find_map(|(row, key)| seen.insert(key, row).map(|earlier| (row, earlier)))
    }

    /// pandas' `is_unique`: whether no value comes twice.
    pub fn is_unique(&self) -> bool {
        self.first_duplicate().is_none()
    }

    /// The keys of all rows, each NaN being the same one.
    pub(super) fn keys(&self) -> impl ExactSizeIterator<Item = Key<'_>> {
        self.cells().map(Key::of)
    }
}

/// The keys of both columns after pandas' promotion to one type: where integers meet floats, or int64 meets uint64, as
/// floats.
pub(super) fn common_keys<'a>(
    left: &'a Column,
    right: &'a Column,
) -> (impl Iterator<Item = Key<'a>>, impl Iterator<Item = Key<'a>>) {
    let number = |column: &Column| column.dtype().is_number();
    let as_floats = number(left) && number(right) && left.dtype() != right.dtype();
    let keys = move |column: &'a Column| {
        column.cells().map(move |cell| match cell {
            Cell::Int(value) if as_floats => Key::of_float(value as f64),
            Cell::UInt(value) if as_floats => Key::of_float(value as f64),
            cell => Key::of(cell),
        })
    };
    (keys(left), keys(right))
}

#[cfg(test)]
mod tests {
    use super::super::{Objects, Role};
    use super::*;

    fn column(values: Values) -> Column {
        Column::new("x", Role::Submission, values)
    }

    fn objects(cells: &[Cell<'_>]) -> Column {
        column(Values::Object(cells.iter().copied().collect::<Objects>()))
    }

    #[test]
    fn sets_are_pythons() {
        let integers = column(Values::Int64(vec![3, 1, 3]));
        let floats = column(Values::Float64(vec![1.0, 3.0]));
        let texts = objects(&[Cell::Text("1"), Cell::Text("3")]);
        assert_eq!(integers.set().len(), 2);
        assert!(integers.set() == floats.set() && floats.set() == integers.set());
        assert!(integers.set() != texts.set());
        assert_eq!(texts.set().difference(&integers.set()), [0, 1]);
        assert!(integers.set().contains(Cell::Bool(true)));
        assert!(!integers.set().contains(Cell::Float(1.5)));

        // Each NaN of a float column is an object of its own; those of object columns are one.
        let nan = column(Values::Float64(vec![1.0, f64::NAN, f64::NAN]));
        assert_eq!(nan.set().len(), 3);
        assert!(nan.set() != nan.set());
        assert!(nan.set().is_superset(&column(Values::Int64(vec![1])).set()));
        assert_eq!(nan.set().difference(&nan.set()), [1, 2]);
        let missing = objects(&[Cell::Missing, Cell::Text("a"), Cell::Missing]);
        assert_eq!(missing.set().len(), 2);
        assert!(missing.set() == objects(&[Cell::Text("a"), Cell::Missing]).set());
        // Where pandas joins a chunk of floats with one of texts, its NaN are objects of their own as well.
        let joined = objects(&[
            Cell::Float(f64::NAN),
            Cell::Float(f64::NAN),
            Cell::Text("a"),
            Cell::Missing,
        ]);
        assert_eq!(joined.set().len(), 4);
        assert_eq!(joined.unique(), [0, 2]);
        assert!(column(Values::Int64(vec![])).set() == objects(&[]).set());
    }

    #[test]
    fn pandas_holds_all_nan_equal() {
        let nan = column(Values::Float64(vec![2.0, f64::NAN, 2.0, f64::NAN, -0.0, 0.0]));
        assert_eq!(nan.unique(), [0, 1, 4]);
        assert_eq!(nan.duplicated(), [false, false, true, true, false, true]);
        assert_eq!(nan.first_duplicate(), Some((2, 0)));
        assert_eq!(
            nan.is_in(&objects(&[Cell::Missing, Cell::Bool(false)])),
            [false, true, false, true, true, true]
        );
        let large = column(Values::Int64(vec![(1 << 53) + 1]));
        assert_eq!(large.is_in(&column(Values::Float64(vec![(1_i64 << 53) as f64]))), [true]);
        assert_eq!(large.is_in(&objects(&[Cell::Float((1_i64 << 53) as f64)])), [false]);
    }
}
