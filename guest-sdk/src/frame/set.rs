//! The distinct values of a column: Python's `set(series)`, and pandas' `isin`, `unique` and `duplicated`.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::integer_table::IntegerTable;
use super::key::Key;
use super::{Cell, Column, Objects, Values};
use crate::text::{QuickText, TextEnds, TextSlots};

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
    Keys(KeyTable<'a>),
}

/// The keys of some rows of a column, and the first of the rows of each. Texts are in a table of their own: there are the
/// most of them, and comparing them takes the longest.
#[derive(Debug, Clone, Default)]
struct KeyTable<'a> {
    /// What the texts are of.
    objects: Option<&'a Objects>,
    texts: TextSlots,
    others: FxHashMap<Key<'a>, u32>,
}

impl<'a> KeyTable<'a> {
    /// No key yet of that column.
    fn of(column: &'a Column) -> KeyTable<'a> {
        let objects = match column.values() {
            Values::Object(objects) => Some(objects),
            _ => None,
        };
        KeyTable { objects, ..KeyTable::default() }
    }

    /// The row of a key, unless it is not there: then it is added with this row, which it has to be of.
    #[inline]
    fn insert(&mut self, key: Key<'a>, row: u32) -> Option<u32> {
        match key {
            Key::Text(text) => self.insert_text(text.as_bytes(), row),
            key => match self.others.entry(key) {
                Entry::Occupied(entry) => Some(*entry.get()),
                Entry::Vacant(entry) => {
                    entry.insert(row);
                    None
                }
            },
        }
    }

    /// As [`KeyTable::insert`].
    #[inline]
    fn insert_text(&mut self, text: &[u8], row: u32) -> Option<u32> {
        let objects = self.objects;
        self.texts.insert(QuickText::of(text), row, |row| text_of(objects, row))
    }

    #[inline]
    fn contains(&self, key: Key<'_>) -> bool {
        match key {
            Key::Text(text) => self.contains_text(text.as_bytes()),
            key => self.others.contains_key(&key),
        }
    }

    #[inline]
    fn contains_text(&self, text: &[u8]) -> bool {
        self.texts.get(QuickText::of(text), |row| text_of(self.objects, row)).is_some()
    }

    fn len(&self) -> usize {
        self.texts.len() + self.others.len()
    }

    /// All keys and their rows, in any order.
    fn iter(&self) -> impl Iterator<Item = (Key<'a>, u32)> {
        let objects = self.objects.into_iter();
        let texts = objects.flat_map(|objects| {
            self.texts.numbers().map(|row| (Key::of(objects.get(row as usize)), row))
        });
        texts.chain(self.others.iter().map(|(key, row)| (*key, *row)))
    }
}

/// For each cell of a column, whether it is among those of another, of which all are in the table.
fn are_in(these: &Objects, those: &Objects, distinct: &KeyTable<'_>) -> Vec<bool> {
    /// Of so many rows, the texts are still at hand after the last one was looked at.
    const TOGETHER: usize = 1024;
    /// Where there are so many times as many rows, most of them must be of other texts.
    const MANY_MORE: usize = 4;
    let ends = (these.len() / MANY_MORE >= those.len()).then(|| {
        let mut ends = TextEnds::with_room(those.len());
        (0..those.len()).filter_map(|row| those.bytes(row)).for_each(|text| ends.add(text));
        ends
    });
    let mut are_in = vec![true; these.len()];
    for (first, are_in) in (0..).step_by(TOGETHER).zip(are_in.chunks_mut(TOGETHER)) {
        if let Some(ends) = &ends {
            leave_out(these, first, ends, are_in);
        }
        for (row, is_in) in (first..).zip(are_in).filter(|(_, is_in)| **is_in) {
            *is_in = match these.bytes(row) {
                Some(text) => distinct.contains_text(text),
                None => distinct.contains(Key::of(these.get(row))),
            };
        }
    }
    are_in
}

/// Leaves out the rows, counted from the first on, whose texts are of other ends.
#[inline(never)]
fn leave_out(texts: &Objects, first: usize, ends: &TextEnds, candidates: &mut [bool]) {
    for (row, candidate) in (first..).zip(candidates) {
        *candidate = texts.bytes(row).is_none_or(|text| ends.may_hold(text));
    }
}

/// The text of a row that holds one.
#[inline]
fn text_of(objects: Option<&Objects>, row: u32) -> QuickText<'_> {
    let text = objects.and_then(|objects| objects.bytes(row as usize));
    QuickText::of(text.expect("a row in a table of texts holds text"))
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
                (Elements::Keys(these), _) => these.iter().all(|(key, _)| other.contains_key(key)),
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
                keys.iter().filter(|(key, _)| absent(*key)).map(|(_, row)| row).collect()
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
            (Elements::Keys(keys), key) => keys.contains(key),
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
                let mut keys = KeyTable::default();
                for (row, value) in (0..).zip(values) {
                    if value.is_nan() {
                        incomparable.push(row);
                    } else {
                        keys.insert(Key::of_float(*value), row);
                    }
                }
                Elements::Keys(keys)
            }
            _ => {
                let mut keys = KeyTable::of(self);
                for (row, cell) in (0..).zip(self.cells()) {
                    if matches!(cell, Cell::Float(value) if value.is_nan()) {
                        incomparable.push(row);
                    } else {
                        keys.insert(Key::of(cell), row);
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
        let mut distinct = KeyTable::of(other);
        for (row, key) in (0..).zip(others) {
            distinct.insert(key, row);
        }
        if let (Values::Object(these), Values::Object(those)) = (self.values(), other.values()) {
            return are_in(these, those, &distinct);
        }
        keys.map(|key| distinct.contains(key)).collect()
    }

    /// pandas' `unique()`: the row where each distinct value comes first, ascending. Missing values count as one.
    pub fn unique(&self) -> Vec<u32> {
        let mut seen = KeyTable::of(self);
        let rows = (0..).zip(self.keys());
        rows.filter_map(|(row, key)| seen.insert(key, row).is_none().then_some(row)).collect()
    }

    /// pandas' `duplicated()`: for each row, whether its value came in an earlier row. Missing values count as one.
    pub fn duplicated(&self) -> Vec<bool> {
        let mut seen = KeyTable::of(self);
        (0..).zip(self.keys()).map(|(row, key)| seen.insert(key, row).is_some()).collect()
    }

    /// The first row whose value came before, and the row where it did. Missing values count as one.
    pub fn first_duplicate(&self) -> Option<(usize, usize)> {
        let mut seen = KeyTable::of(self);
        (0..).zip(self.keys()).find_map(|(row, key)| {
            seen.insert(key, row).map(|earlier| (row as usize, earlier as usize))
        })
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
    use proptest::prelude::*;

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

    /// Cells that are often equal.
    fn cells() -> impl Strategy<Value = Vec<Cell<'static>>> {
        let texts = [
            "",
            "a",
            "b",
            "0123456",
            "01234567",
            "0123456789abcdef",
            "0123456789.bcdef-0123456789",
        ];
        let cell = prop_oneof![
            8 => prop::sample::select(texts.to_vec()).prop_map(Cell::Text),
            1 => Just(Cell::Missing),
            1 => prop::bool::ANY.prop_map(Cell::Bool),
            1 => (-1_i64..3).prop_map(Cell::Int),
            1 => (0_u32..4).prop_map(|halves| Cell::Float(f64::from(halves) / 2.0)),
        ];
        prop::collection::vec(cell, 0..30)
    }

    proptest! {
        #[test]
        fn objects_are_looked_up_as_one_by_one(left in cells(), right in cells()) {
            let (left_column, right_column) = (objects(&left), objects(&right));
            let has = |cells: &[Cell<'_>], cell: Cell<'_>| {
                cells.iter().any(|other| other.is_or_equals(cell))
            };
            let is_in: Vec<bool> = left.iter().map(|cell| has(&right, *cell)).collect();
            prop_assert_eq!(left_column.is_in(&right_column), is_in.clone());

            let seen: Vec<bool> =
                (0..left.len()).map(|row| has(&left[..row], left[row])).collect();
            prop_assert_eq!(left_column.duplicated(), seen.clone());
            let first: Vec<u32> =
                (0..left.len() as u32).filter(|row| !seen[*row as usize]).collect();
            prop_assert_eq!(&left_column.unique(), &first);
            let duplicate = seen.iter().position(|seen| *seen).map(|row| {
                let same = |other: &Cell<'_>| other.is_or_equals(left[row]);
                (row, left.iter().position(same).unwrap())
            });
            prop_assert_eq!(left_column.first_duplicate(), duplicate);
            prop_assert_eq!(left_column.is_unique(), duplicate.is_none());

            let (left_set, right_set) = (left_column.set(), right_column.set());
            prop_assert_eq!(left_set.len(), first.len());
            let absent: Vec<usize> =
                first.iter().map(|row| *row as usize).filter(|row| !is_in[*row]).collect();
            prop_assert_eq!(left_set.is_subset(&right_set), absent.is_empty());
            prop_assert_eq!(left_set.difference(&right_set), absent);
            for cell in &right {
                prop_assert_eq!(left_set.contains(*cell), has(&left, *cell));
            }
        }
    }
}
