//! Whether the cells of two columns of objects are equal, row by row.
//!
//! Rows that were matched by an id have their texts all over the memory, so that each look at one waits for it. A few
//! bytes of the texts of many rows are looked at together, before anything is decided by one of them: one wait does for all.

use std::ops::Range;

use super::cell::same_bytes;
use super::{Cell, Objects};

/// The rows that are looked at together.
const TOGETHER: usize = 32;

/// Goes over the rows of two columns; see [`Objects::equal_rows`].
pub(super) struct EqualRows<'a, Same> {
    left: &'a Objects,
    right: &'a Objects,
    same: Same,
    /// The next row to be given.
    row: usize,
    /// The rows that both columns have.
    rows: usize,
    /// Whether rows are equal, from the next one on, the lowest bit first; of those looked at.
    equal: u32,
}

impl Objects {
    /// For each row, whether both columns hold the same text, and, where one holds something else than text, what `same`
    /// says of the cells. Ends where one of the columns does.
    pub(super) fn equal_rows<'a, Same: Fn(Cell<'a>, Cell<'a>) -> bool>(
        &'a self,
        other: &'a Objects,
        same: Same,
    ) -> EqualRows<'a, Same> {
        let rows = self.len().min(other.len());
        EqualRows { left: self, right: other, same, row: 0, rows, equal: 0 }
    }
}

impl<'a, Same: Fn(Cell<'a>, Cell<'a>) -> bool> EqualRows<'a, Same> {
    /// Looks at the next rows.
    fn look(&mut self) {
        let count = TOGETHER.min(self.rows - self.row);
        let rows = self.row..self.row + count;
        let (left, right) = (self.left, self.right);
        let near = bits(rows.clone(), |row| left.sample(row) == right.sample(row));
        self.equal = bits(rows, |row| match (left.bytes(row), right.bytes(row)) {
            (Some(left_text), Some(right_text)) => {
                near >> (row % TOGETHER) & 1 == 1 && same_bytes(left_text, right_text)
            }
            _ => (self.same)(left.get(row), right.get(row)),
        });
    }
}

/// For some rows a bit each, the lowest for the first.
#[inline(always)]
fn bits(rows: Range<usize>, holds: impl Fn(usize) -> bool) -> u32 {
    rows.rev().fold(0, |bits, row| bits << 1 | u32::from(holds(row)))
}

impl<'a, Same: Fn(Cell<'a>, Cell<'a>) -> bool> Iterator for EqualRows<'a, Same> {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        if self.row == self.rows {
            return None;
        }
        if self.row.is_multiple_of(TOGETHER) {
            self.look();
        }
        self.row += 1;
        let equal = self.equal & 1 == 1;
        self.equal >>= 1;
        Some(equal)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rows - self.row;
        (left, Some(left))
    }
}

impl<'a, Same: Fn(Cell<'a>, Cell<'a>) -> bool> ExactSizeIterator for EqualRows<'a, Same> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cells() -> impl Strategy<Value = Vec<Option<String>>> {
        let text = prop_oneof!["[ab]{0,3}", "[a-c]{7,10}", "same text of some length[ab]"];
        prop::collection::vec(prop::option::weighted(0.9, text), 0..3 * TOGETHER)
    }

    fn objects(cells: &[Option<String>]) -> Objects {
        cells.iter().map(|cell| cell.as_deref().map_or(Cell::Missing, Cell::Text)).collect()
    }

    proptest! {
        #[test]
        fn rows_are_equal_where_their_cells_are(left in cells(), right in cells()) {
            // Texts elsewhere in their arena than in that of the other column, and next to its end.
            let (mut left, mut right) = (left, right);
            right.extend(left.iter().rev().cloned().collect::<Vec<_>>());
            left.extend(left.iter().rev().cloned().collect::<Vec<_>>());
            let (left, right) = (objects(&left), objects(&right));
            let expected: Vec<bool> = (left.iter().zip(right.iter()))
                .map(|(left, right)| left.is_or_equals(right))
                .collect();
            let found: Vec<bool> =
                left.equal_rows(&right, |left, right| left.is_or_equals(right)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
