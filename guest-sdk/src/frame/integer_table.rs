//! A row for each of some integers: ids, mostly, which tend to be dense, so that a table does what a hash would.

use rustc_hash::FxHashMap;

/// A map from integers to rows.
#[derive(Debug, Clone)]
pub(super) enum IntegerTable {
    /// The rows of the integers from `least` on, [`ABSENT`] for those that have none.
    Dense { least: i64, rows: Vec<u32>, count: usize },
    /// Of integers that lie far apart.
    Sparse(FxHashMap<i64, u32>),
}

/// No row: there are less than 2^32.
const ABSENT: u32 = u32::MAX;

/// A table is dense if it has at most so many places for each integer.
const PLACES: u64 = 16;

/// Room for so many integers that lie far apart is made ahead: ids mostly differ, labels do not.
const MOST_EXPECTED: usize = 1 << 20;

impl IntegerTable {
    /// An empty table that has room for those integers.
    pub(super) fn for_values(values: &[i64]) -> IntegerTable {
        let least = values.iter().copied().min().unwrap_or(0);
        let most = values.iter().copied().max().unwrap_or(0);
        let range = most.abs_diff(least);
        if range < PLACES * values.len() as u64 {
            return IntegerTable::Dense { least, rows: vec![ABSENT; range as usize + 1], count: 0 };
        }
        let mut integers = FxHashMap::default();
        integers.reserve(values.len().min(MOST_EXPECTED));
        IntegerTable::Sparse(integers)
    }

    /// Puts in the row of an integer; gives the row that it had.
    ///
    /// # Panics
    /// Where the integer is beyond those that the table was made for.
    #[inline]
    pub(super) fn insert(&mut self, integer: i64, row: u32) -> Option<u32> {
        match self {
            IntegerTable::Dense { least, rows, count } => {
                let place = &mut rows[integer.abs_diff(*least) as usize];
                let before = std::mem::replace(place, row);
                *count += usize::from(before == ABSENT);
                (before != ABSENT).then_some(before)
            }
            IntegerTable::Sparse(integers) => integers.insert(integer, row),
        }
    }

    /// The row of an integer.
    #[inline]
    pub(super) fn get(&self, integer: i64) -> Option<u32> {
        match self {
            IntegerTable::Dense { least, rows, .. } => {
                let place = usize::try_from(integer.checked_sub(*least)?).ok()?;
                rows.get(place).copied().filter(|row| *row != ABSENT)
            }
            IntegerTable::Sparse(integers) => integers.get(&integer).copied(),
        }
    }

    /// The number of integers that have a row.
    pub(super) fn len(&self) -> usize {
        match self {
            IntegerTable::Dense { count, .. } => *count,
            IntegerTable::Sparse(integers) => integers.len(),
        }
    }

    /// The integers that have a row, and these, in any order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, u32)> {
        let (dense, sparse) = match self {
            IntegerTable::Dense { least, rows, .. } => (Some((*least, rows)), None),
            IntegerTable::Sparse(integers) => (None, Some(integers)),
        };
        let dense = dense.into_iter().flat_map(|(least, rows)| {
            (0..)
                .zip(rows)
                .filter(|(_, row)| **row != ABSENT)
                .map(move |(place, row)| (least.wrapping_add(place), *row))
        });
        let sparse = sparse.into_iter().flatten().map(|(integer, row)| (*integer, *row));
        dense.chain(sparse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_tables_hold_the_same() {
        let cases: &[&[i64]] = &[
            &[],
            &[7],
            &[3, 1, 2, 3],
            &[-5, -7, -6],
            &[i64::MAX, i64::MAX - 2],
            &[i64::MIN, i64::MAX],
            &[0, 1_000_000],
        ];
        for values in cases {
            let mut table = IntegerTable::for_values(values);
            let mut expected = std::collections::BTreeMap::new();
            for (row, value) in (0..).zip(*values) {
                assert_eq!(table.insert(*value, row), expected.insert(*value, row));
            }
            assert_eq!(table.len(), expected.len());
            assert_eq!(table.iter().collect::<std::collections::BTreeMap<_, _>>(), expected);
            for value in values.iter().copied().chain([i64::MIN, -1, 0, 4, i64::MAX]) {
                assert_eq!(table.get(value), expected.get(&value).copied(), "{value}");
            }
        }
    }
}
