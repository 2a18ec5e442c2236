//! Sorting rows by a column as pandas' `sort_values` does, the order among equal keys included.
//!
//! The sorting itself is done by whatever is fastest; only where keys tie does numpy's own algorithm run, over the
//! ranks of the keys, to find the order in which it leaves them.

use std::cmp::Ordering;
use std::ops::Range;
use std::rc::Rc;

use super::text_keys::{SortedTexts, TextKeys};
use super::{Column, Objects, Values};
use crate::by_eights;
use crate::failure::Failure;
use crate::order::{RowsByKey, introsort, rows_by_key};

/// The order of a column.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// The rows, as [`Column::argsort`] gives them.
    pub(super) rows: Rc<Vec<u32>>,
    /// The texts in that order where all cells are texts and keys say all about them; not where the rows were in order
    /// already.
    pub(super) texts: Option<SortedTexts>,
    /// The integers in that order where they all differ or lie close together; not where the rows were in order already.
    pub(super) integers: Option<SortedIntegers>,
}

/// What is known of the values in an order, besides their rows.
#[derive(Debug, Default)]
struct InOrder {
    texts: Option<SortedTexts>,
    integers: Option<SortedIntegers>,
}

/// The rows that have a value, in stable ascending order.
struct StableOrder {
    /// The row numbers.
    rows: Vec<u32>,
    /// For each place in that order, whether its value equals the one before; empty where none does.
    ties: Vec<bool>,
    /// The rows without a value, ascending.
    missing: Vec<u32>,
}

impl Column {
    /// The rows in the order of `DataFrame.sort_values(column)`: ascending, missing values last in their order, equal
    /// values in the order that numpy's introsort leaves them in (without AVX-512).
    ///
    /// # Errors
    /// Where text and numbers are mixed, which Python does not order.
    pub fn argsort(&self) -> Result<Vec<u32>, Failure> {
        self.sorted_rows().map(<[u32]>::to_vec)
    }

    /// As [`Column::argsort`], without a copy: the column keeps its order.
    ///
    /// # Errors
    /// As [`Column::argsort`].
    pub fn sorted_rows(&self) -> Result<&[u32], Failure> {
        Ok(&self.order()?.rows)
    }

    /// The rows in ascending order if so they hold the integers of `ascending`, of which each is larger than the one before.
    pub(super) fn rows_of_ascending(&self, ascending: &Column) -> Option<&[u32]> {
        let (Values::Int64(values), Values::Int64(wanted)) = (self.values(), ascending.values())
        else {
            return None;
        };
        if values.len() != wanted.len() || !wanted.is_sorted_by(|left, right| left < right) {
            return None;
        }
        let order = self.order().ok()?;
        let are_wanted = match &order.integers {
            Some(sorted) => sorted.are(wanted.len(), |place| wanted[place]),
            None => {
                let mut pairs = order.rows.iter().zip(wanted);
                pairs.all(|(row, wanted)| values[*row as usize] == *wanted)
            }
        };
        are_wanted.then_some(order.rows.as_slice())
    }

    /// Works out [`Column::order`].
    pub(super) fn find_order(&self) -> Result<Order, Failure> {
        let (order, InOrder { texts, integers }) = self.stable_order()?;
        if order.ties.is_empty() {
            return Ok(Order { rows: Rc::new(order.finish()), texts, integers });
        }
        // numpy sorts the values without the missing ones: places among those that are present count.
        let mut items = rank_by_row(&order.rows, &order.ties, self.len());
        if !order.missing.is_empty() {
            items.retain(|item| item.0 != UNRANKED);
        }
        introsort(&mut items, |left, right| left.0 < right.0);
        let rows = items.into_iter().map(|(_, row)| row).collect();
        Ok(Order { rows: Rc::new(StableOrder { rows, ..order }.finish()), texts, integers })
    }

    /// The rows in ascending order, equal values in their order, missing values last:
    /// `sort_values(column, kind="stable")`.
    ///
    /// # Errors
    /// Where text and numbers are mixed, which Python does not order.
    pub fn argsort_stable(&self) -> Result<Vec<u32>, Failure> {
        Ok(self.stable_order()?.0.finish())
    }

    /// The rows in the order of `set_index(column).sort_index()`: as [`Column::argsort`], but rows that are in ascending
    /// order already, equal ones included, stay where they are.
    ///
    /// # Errors
    /// As [`Column::argsort`].
    pub fn argsort_as_index(&self) -> Result<Vec<u32>, Failure> {
        let (stable, _) = self.stable_order()?;
        if stable.missing.is_empty() && stable.rows.is_sorted() {
            return Ok(stable.finish());
        }
        self.argsort()
    }

    /// The column with its own values in the order of [`Column::argsort`].
    ///
    /// # Errors
    /// As [`Column::argsort`].
    pub fn sorted(&self) -> Result<Column, Failure> {
        Ok(self.take(&self.order()?.rows))
    }

    fn stable_order(&self) -> Result<(StableOrder, InOrder), Failure> {
        let order = match self.values() {
            Values::Int64(values) => {
                let (order, integers) = order_integers(values);
                return Ok((order, InOrder { texts: None, integers }));
            }
            Values::UInt64(values) => order_keys(values, |value| value).0,
            Values::Bool(values) => order_keys(values, u64::from).0,
            Values::Float64(values) => order_floats(values),
            Values::Object(objects) => {
                let (order, texts) = self.order_objects(objects)?;
                return Ok((order, InOrder { texts, integers: None }));
            }
        };
        Ok((order, InOrder::default()))
    }

    fn order_objects(
        &self,
        objects: &Objects,
    ) -> Result<(StableOrder, Option<SortedTexts>), Failure> {
        if objects.are_texts() {
            return Ok(order_texts(objects, (0..).take(objects.len()).collect()));
        }
        let (mut missing, mut present) = (Vec::new(), Vec::new());
        let mut texts = 0;
        for row in (0..).take(objects.len()) {
            let is_text = objects.is_text(row as usize);
            if !is_text && objects.get(row as usize).is_missing() {
                missing.push(row);
                continue;
            }
            texts += usize::from(is_text);
            present.push(row);
        }
        if texts == present.len() {
            let (order, _) = order_texts(objects, present);
            return Ok((StableOrder { missing, ..order }, None));
        }
        if texts > 0 {
            return Err(self.unorderable());
        }
        let order = |left: &u32, right: &u32| {
            objects
                .get(*left as usize)
                .python_cmp(objects.get(*right as usize))
                .expect("numbers and truth values are ordered")
        };
        present.sort_by(order);
        let ties = ties_of(&present, |left, right| order(left, right) == Ordering::Equal);
        Ok((StableOrder { rows: present, ties, missing }, None))
    }

    /// That text and numbers are mixed: names the first row of the kind that comes second.
    pub(super) fn unorderable(&self) -> Failure {
        let kind = |row: &usize| self.is_text(*row);
        let mut present = (0..self.len()).filter(|row| !self.is_missing(*row));
        let Some(first) = present.next() else { return self.failure("text and numbers are mixed") };
        let other = present.find(|row| kind(row) != kind(&first)).unwrap_or(first);
        self.failure_at(
            other,
            format_args!(
                "text and numbers are mixed and cannot be sorted: here is {}, in row {} {}",
                self.cell(other).kind(),
                self.file_row(first),
                self.cell(first).kind(),
            ),
        )
    }
}

impl StableOrder {
    /// Of rows whose values all differ.
    fn of_different(rows: Vec<u32>) -> StableOrder {
        StableOrder { rows, ties: Vec::new(), missing: Vec::new() }
    }

    /// All rows, those without a value last.
    fn finish(mut self) -> Vec<u32> {
        self.rows.extend(self.missing);
        self.rows
    }
}

/// Integers in ascending order, for two columns of them to be compared without going back to their rows, which lie in no
/// order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SortedIntegers {
    /// Each is one more than the one before.
    Consecutive { least: i64 },
    /// How far each is above the least.
    Apart { least: i64, above_least: Vec<u32> },
}

impl SortedIntegers {
    /// More of them are not kept: the memory is better spent otherwise.
    const MOST: usize = 1 << 22;

    /// Of the sorted keys of integers.
    fn of_keys(keys: &[u64]) -> Option<SortedIntegers> {
        let (least, most) = (*keys.first()?, *keys.last()?);
        if keys.len() > SortedIntegers::MOST || most - least > u32::MAX.into() {
            return None;
        }
        let above_least = keys.iter().map(|key| (key - least) as u32).collect();
        Some(SortedIntegers::Apart { least: (least ^ SIGN).cast_signed(), above_least })
    }

    /// Whether these integers, of which there are so many, are those others.
    pub(super) fn are(&self, count: usize, others: impl Fn(usize) -> i64) -> bool {
        // Each is the value of a row, so nothing wraps.
        match self {
            SortedIntegers::Consecutive { least } => {
                (0..count).all(|place| least.wrapping_add(place as i64) == others(place))
            }
            SortedIntegers::Apart { least, above_least } => (0..count)
                .all(|place| least.wrapping_add(above_least[place].into()) == others(place)),
        }
    }

    /// Whether these integers, of which there are so many, are the same as as many others.
    pub(super) fn is_same(&self, others: &SortedIntegers, count: usize) -> bool {
        match others {
            SortedIntegers::Consecutive { least } => {
                self.are(count, |place| least.wrapping_add(place as i64))
            }
            SortedIntegers::Apart { least, above_least } => {
                self.are(count, |place| least.wrapping_add(above_least[place].into()))
            }
        }
    }
}

/// The rank of a row without a value.
const UNRANKED: u32 = u32::MAX;

/// The dense rank of each row's value and the row itself, by row; rows that are not in the order are unranked.
fn rank_by_row(order: &[u32], ties: &[bool], rows: usize) -> Vec<(u32, u32)> {
    let mut ranked: Vec<(u32, u32)> = (0..).take(rows).map(|row| (UNRANKED, row)).collect();
    let mut rank = 0;
    for (place, row) in order.iter().enumerate() {
        rank += u32::from(place > 0 && !ties[place]);
        ranked[*row as usize].0 = rank;
    }
    ranked
}

fn ties_of<T>(sorted: &[T], equal: impl Fn(&T, &T) -> bool) -> Vec<bool> {
    let mut ties = Vec::new();
    for (place, pair) in sorted.windows(2).enumerate() {
        if equal(&pair[0], &pair[1]) {
            ties.resize(sorted.len(), false);
            ties[place + 1] = true;
        }
    }
    ties
}

/// Orders values by keys whose bits are ordered as the values are. Gives the keys in that order, too, or none where the values
/// are in order already.
fn order_keys<K: Ord + Copy>(values: &[K], key: impl Fn(K) -> u64) -> (StableOrder, Vec<u64>) {
    if values.is_sorted_by(|left, right| left < right) {
        return (StableOrder::of_different((0..).take(values.len()).collect()), Vec::new());
    }
    order_rows(values.iter().map(|value| key(*value)).collect())
}

fn order_integers(values: &[i64]) -> (StableOrder, Option<SortedIntegers>) {
    if let Some((rows, integers)) = order_of_dense(values) {
        return (StableOrder::of_different(rows), integers);
    }
    let (order, keys) = order_keys(values, |value| value.cast_unsigned() ^ SIGN);
    (order, SortedIntegers::of_keys(&keys))
}

/// The most places of a table that orders integers, for each of these and altogether.
const PLACES: u64 = 8;
const MOST_PLACES: u64 = 1 << 24;

/// The order of integers that all differ and lie close together, as ids do: each has a place in a table. `None` for others.
/// With the integers in that order, where they are not in it already.
fn order_of_dense(values: &[i64]) -> Option<(Vec<u32>, Option<SortedIntegers>)> {
    let first = *values.first()?;
    let (least, most) = values
        .iter()
        .fold((first, first), |(least, most), value| (least.min(*value), most.max(*value)));
    let range = most.abs_diff(least);
    if range >= MOST_PLACES.min(PLACES * values.len() as u64) {
        return None;
    }
    if values.is_sorted_by(|left, right| left < right) {
        return Some(((0..).take(values.len()).collect(), None));
    }
    /// There are less rows than this.
    const NONE: u32 = u32::MAX;
    let mut table = vec![NONE; range as usize + 1];
    let mut row = 0;
    let mut is_taken = false;
    by_eights::for_each(values, |value| {
        let place = &mut table[value.abs_diff(least) as usize];
        is_taken |= *place != NONE;
        *place = row;
        row = row.wrapping_add(1);
    });
    if is_taken {
        return None;
    }
    if table.len() == values.len() {
        // No place is left free: the table is the order.
        return Some((table, Some(SortedIntegers::Consecutive { least })));
    }
    // Which places are free follows no rule, so that nothing is decided by it: each is put where the next is to be.
    let mut rows = vec![0; values.len() + 1];
    let mut above_least = vec![0; values.len() + 1];
    let (mut next, mut place) = (0_usize, 0_u32);
    by_eights::for_each(&table, |row| {
        rows[next] = row;
        above_least[next] = place;
        next = next.wrapping_add(usize::from(row != NONE));
        place = place.wrapping_add(1);
    });
    rows.truncate(values.len());
    above_least.truncate(values.len());
    Some((rows, Some(SortedIntegers::Apart { least, above_least })))
}

/// Orders rows by the key of each, those of one key by their place. Gives the keys in that order, too.
fn order_rows(keys: Vec<u64>) -> (StableOrder, Vec<u64>) {
    let RowsByKey { rows, keys } = rows_by_key(keys);
    let ties = ties_of(&keys, |left, right| left == right);
    (StableOrder { rows, ties, missing: Vec::new() }, keys)
}

fn order_floats(values: &[f64]) -> StableOrder {
    let missing: Vec<u32> =
        (0..).zip(values).filter(|(_, value)| value.is_nan()).map(|(row, _)| row).collect();
    if missing.is_empty() {
        return order_rows(values.iter().map(|value| sortable_bits(*value)).collect()).0;
    }
    let present: Vec<u32> =
        (0..).zip(values).filter(|(_, value)| !value.is_nan()).map(|(row, _)| row).collect();
    let keys = present.iter().map(|row| sortable_bits(values[*row as usize])).collect();
    let (order, _) = order_rows(keys);
    let rows = order.rows.iter().map(|place| present[*place as usize]).collect();
    StableOrder { rows, missing, ..order }
}

/// The bit of the sign.
const SIGN: u64 = 1 << 63;

/// Bits that are ordered as the floats are; both zeros are one. Not for NaN.
fn sortable_bits(value: f64) -> u64 {
    // Adding zero makes -0.0 into 0.0.
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// Orders rows that all hold text. Gives the texts as keys, too, where keys say all about them.
fn order_texts(objects: &Objects, mut rows: Vec<u32>) -> (StableOrder, Option<SortedTexts>) {
    let bytes = |row: &u32| objects.bytes(*row as usize).unwrap_or_default();
    let mut ties = Vec::new();
    let mut sorted_texts = None;
    if rows.is_sorted_by(|left, right| bytes(left) < bytes(right)) {
        return (StableOrder { rows, ties, missing: Vec::new() }, None);
    }
    let count = rows.len();
    let are_all = count == objects.len();
    let mut tie = |places: Range<usize>| {
        ties.resize(count, false);
        ties[places].fill(true);
    };
    // What keys do not tell apart is sorted further, by what comes behind.
    let mut unsorted = vec![(0..count, 0)];
    while let Some((range, known)) = unsorted.pop() {
        let part = &mut rows[range.clone()];
        let keys =
            (part.len() > FEW).then(|| TextKeys::of(part.iter().map(bytes), known)).flatten();
        let sorted = keys.map(|keys| {
            let order = keys.sort(part.iter().map(bytes));
            (keys, order)
        });
        let Some((keys, order)) =
            sorted.filter(|(_, order)| order.keys.first() != order.keys.last())
        else {
            // Few texts, or texts that nothing but zero bytes at their ends tells apart.
            part.sort_by(|left, right| bytes(left)[known..].cmp(&bytes(right)[known..]));
            for place in 1..part.len() {
                if bytes(&part[place]) == bytes(&part[place - 1]) {
                    tie(range.start + place..range.start + place + 1);
                }
            }
            continue;
        };
        // The rows of one key ascend still: their order is the one that is wanted.
        if are_all && range.len() == count {
            // Each row was at its own place.
            rows = order.rows;
        } else {
            let sorted: Vec<u32> = order.rows.iter().map(|place| part[*place as usize]).collect();
            part.copy_from_slice(&sorted);
        }
        let mut start = 0;
        while let Some(tied) = order.keys[start..].windows(2).position(|pair| pair[0] == pair[1]) {
            start += tied;
            let run = order.keys[start..].iter().take_while(|key| **key == order.keys[start]);
            let places = range.start + start..range.start + start + run.count();
            start = places.end - range.start;
            if keys.is_whole() {
                tie(places.start + 1..places.end);
            } else {
                unsorted.push((places, keys.shared()));
            }
        }
        if range.len() == count {
            sorted_texts = keys.sorted_texts(order.keys);
        }
    }
    (StableOrder { rows, ties, missing: Vec::new() }, sorted_texts)
}

/// As many texts are sorted by comparing them.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Role;
    use super::*;
    use crate::frame::Cell;
    use crate::order::recorded::{digest, keys};

    fn column(values: Values) -> Column {
        Column::new("x", Role::Submission, values)
    }

    fn objects(cells: &[Cell<'_>]) -> Column {
        column(Values::Object(cells.iter().copied().collect()))
    }

    #[test]
    fn every_type_is_left_in_the_order_recorded_from_numpy() {
        let keys = keys(1000, 10, 3);
        let texts: Vec<String> = keys.iter().map(|key| format!("patient-{key}")).collect();
        let columns = [
            column(Values::Int64(keys.iter().map(|key| *key as i64 - 5).collect())),
            column(Values::UInt64(keys.iter().map(|key| key + (1 << 63)).collect())),
            column(Values::Float64(keys.iter().map(|key| *key as f64 / 3.0 - 1.0).collect())),
            column(Values::Object(texts.iter().map(|text| Cell::Text(text)).collect())),
            column(Values::Object(keys.iter().map(|key| Cell::from(*key)).collect())),
        ];
        for column in columns {
            let order = column.argsort().unwrap();
            assert_eq!(
                digest(order.into_iter().map(u64::from)),
                0x993c_112d_950b_6fc0,
                "{:?}",
                column.dtype()
            );
        }
    }

    #[test]
    fn dense_integers_are_ordered_by_a_table() {
        let cases: &[(&[i64], Option<&[u32]>)] = &[
            (&[], None),
            (&[5], Some(&[0])),
            (&[3, 1, 2], Some(&[1, 2, 0])),
            (&[3, -1, 2], Some(&[1, 2, 0])),
            (&[-7, -6, -5], Some(&[0, 1, 2])),
            (&[3, 1, 3], None),
            (&[10, 1, 2], Some(&[1, 2, 0])),
            (&[100, 1, 2], None),
            (&[i64::MAX, i64::MIN], None),
            (&[i64::MAX, i64::MAX - 1], Some(&[1, 0])),
            (&[i64::MIN + 1, i64::MIN], Some(&[1, 0])),
        ];
        for (values, order) in cases {
            let found = order_of_dense(values).map(|(rows, _)| rows);
            assert_eq!(found.as_deref(), *order, "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn sorted_integers_are_those_of_the_rows(
            values in prop_oneof![
                prop::collection::vec(-40_i64..40, 0..30),
                prop::collection::vec(prop_oneof![any::<i64>(), 0_i64..5_000_000_000, 0_i64..9], 0..30),
            ],
            others in prop::collection::vec(-40_i64..40, 0..30),
        ) {
            let order = column(Values::Int64(values.clone())).find_order().unwrap();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            if let Some(integers) = &order.integers {
                prop_assert!(integers.are(values.len(), |place| sorted[place]));
            } else {
                let ascend = values.is_sorted_by(|left, right| left < right);
                prop_assert!(ascend || sorted[sorted.len() - 1].abs_diff(sorted[0]) > u32::MAX.into());
            }
            let other_order = column(Values::Int64(others.clone())).find_order().unwrap();
            let mut other_sorted = others.clone();
            other_sorted.sort_unstable();
            if let (Some(integers), Some(others)) = (&order.integers, &other_order.integers)
                && sorted.len() == other_sorted.len()
            {
                prop_assert_eq!(integers.is_same(others, sorted.len()), sorted == other_sorted);
            }
        }
    }

    #[test]
    fn rows_of_ascending_integers_are_found_where_they_are_the_same() {
        let cases: &[(&[i64], &[i64], Option<&[u32]>)] = &[
            (&[3, 1, 900], &[1, 3, 900], Some(&[1, 0, 2])),
            (&[3, 1, 900], &[1, 3, 901], None),
            (&[3, 1, 900], &[3, 1, 900], None),
            (&[1, 1, 3], &[1, 1, 3], None),
            (&[1, 1, 3], &[1, 2, 3], None),
            (&[1, 2], &[1, 2, 3], None),
            (&[], &[], Some(&[])),
        ];
        for (values, ascending, rows) in cases {
            let [values, ascending] =
                [values, ascending].map(|values| column(Values::Int64(values.to_vec())));
            assert_eq!(values.rows_of_ascending(&ascending), *rows);
            if let Some(rows) = rows {
                let pairs: Vec<(u32, u32)> = (0..).zip(rows.iter().copied()).collect();
                assert_eq!(ascending.merge_rows(&values), Ok(pairs));
            }
        }
        let floats = column(Values::Float64(vec![1.0]));
        assert_eq!(floats.rows_of_ascending(&floats), None);
    }

    #[test]
    fn missing_values_come_last_in_their_order() {
        let floats =
            column(Values::Float64(vec![f64::NAN, 2.0, f64::NAN, -1.0, f64::INFINITY, -0.0, 0.0]));
        assert_eq!(floats.argsort(), Ok(vec![3, 5, 6, 1, 4, 0, 2]));
        let texts = objects(&[Cell::Text("b"), Cell::Missing, Cell::Text("a")]);
        assert_eq!(texts.argsort(), Ok(vec![2, 0, 1]));
        assert_eq!(objects(&[]).argsort(), Ok(vec![]));
    }

    #[test]
    fn text_and_numbers_are_not_ordered() {
        let failure = objects(&[Cell::Missing, Cell::Int(1), Cell::Bool(true), Cell::Text("a")])
            .argsort()
            .unwrap_err();
        assert_eq!(
            failure.message(),
            "column `x`, row 4: text and numbers are mixed and cannot be sorted: here is a text, in row 2 a number"
        );
        assert!(objects(&[Cell::Float(0.5), Cell::Bool(true), Cell::Int(-3)]).argsort().is_ok());
    }

    #[test]
    fn an_index_in_order_is_not_sorted() {
        let ordered = column(Values::Int64(vec![7; 20]));
        assert_ne!(ordered.argsort(), Ok((0..20).collect()));
        assert_eq!(ordered.argsort_as_index(), Ok((0..20).collect()));
        assert_eq!(ordered.argsort_stable(), Ok((0..20).collect()));
        let missing = column(Values::Float64([vec![f64::NAN], vec![7.0; 20]].concat()));
        assert_eq!(missing.argsort_as_index(), missing.argsort());
    }

    proptest! {
        #[test]
        fn gives_a_sorted_permutation(
            texts in prop::collection::vec(prop::option::of("[ab\\x00]{0,20}|id-[0-9]{1,2}"), 0..200),
        ) {
            let cells = texts.iter().map(|text| text.as_deref().map_or(Cell::Missing, Cell::Text));
            let column = column(Values::Object(cells.collect()));
            for order in [column.argsort().unwrap(), column.argsort_stable().unwrap()] {
                let sorted: Vec<_> = order.iter().map(|row| texts[*row as usize].as_deref()).collect();
                prop_assert!(sorted.is_sorted_by_key(|text| (text.is_none(), *text)));
                let mut rows = order;
                rows.sort_unstable();
                prop_assert!(rows.into_iter().eq(0..texts.len() as u32));
            }
        }

        #[test]
        fn stable_is_stable(keys in prop::collection::vec(prop::num::f64::ANY, 0..100)) {
            let order = column(Values::Float64(keys.clone())).argsort_stable().unwrap();
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            expected.sort_by(|left, right| {
                let (left, right) = (keys[*left as usize], keys[*right as usize]);
                left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
            });
            prop_assert_eq!(order, expected);
        }
    }
}
