//! numpy's default sort, with its order among equal keys.
//!
//! The algorithm is that of numpy 1.26.4 (`npysort/quicksort.cpp`, `heapsort.cpp`): quicksort with the median of three
//! as pivot, the larger part put off, parts of up to sixteen items by insertion, and heapsort for a part that is
//! begun once the depth passed twice the logarithm of the length. It looks at keys through "less" alone, so keys that
//! compare alike are left in the same order; that is what lets callers sort ranks instead of the keys themselves.

use std::cmp::Ordering;

/// A part whose last place is more than this far from its first is partitioned.
const INSERTION_SPAN: usize = 15;

/// A part that was put off: its first and last place, and the depth that is left to it.
struct Part {
    first: usize,
    last: usize,
    depth: i32,
}

/// Sorts as numpy's default kind does; with items that carry their row numbers this is `numpy.argsort`.
///
/// `less` is a strict weak order, such as `<` of ranks.
pub fn introsort<T: Copy>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    if items.len() < 2 {
        return;
    }
    let depth = i32::try_from(items.len().ilog2()).expect("a logarithm is small") * 2;
    let mut parts = vec![Part { first: 0, last: items.len() - 1, depth }];
    while let Some(Part { mut first, mut last, mut depth }) = parts.pop() {
        if depth < 0 {
            heapsort(&mut items[first..=last], &less);
            continue;
        }
        while last - first > INSERTION_SPAN {
            let pivot = partition(&mut items[first..=last], &less) + first;
            depth -= 1;
            // The larger part waits; both are left with the same depth. The pivot's place is never an end of the part.
            if pivot - first < last - pivot {
                parts.push(Part { first: pivot + 1, last, depth });
                last = pivot - 1;
            } else {
                parts.push(Part { first, last: pivot - 1, depth });
                first = pivot + 1;
            }
        }
        insertion_sort(&mut items[first..=last], &less);
    }
}

/// Puts the median of the first, middle and last item where it belongs and gives that place; what is before it is not
/// greater, what is behind it is not less.
fn partition<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) -> usize {
    let last = items.len() - 1;
    let middle = last / 2;
    if less(&items[middle], &items[0]) {
        items.swap(middle, 0);
    }
    if less(&items[last], &items[middle]) {
        items.swap(last, middle);
    }
    if less(&items[middle], &items[0]) {
        items.swap(middle, 0);
    }
    let pivot = items[middle];
    items.swap(middle, last - 1);
    let (mut left, mut right) = (0, last - 1);
    // The first item and the pivot are the sentinels that end both scans.
    loop {
        left += 1;
        while less(&items[left], &pivot) {
            left += 1;
        }
        right -= 1;
        while less(&pivot, &items[right]) {
            right -= 1;
        }
        if left >= right {
            break;
        }
        items.swap(left, right);
    }
    items.swap(left, last - 1);
    left
}

fn insertion_sort<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    for next in 1..items.len() {
        let item = items[next];
        let mut place = next;
        while place > 0 && less(&item, &items[place - 1]) {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
    }
}

fn heapsort<T: Copy>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    for root in (0..items.len() / 2).rev() {
        sift_down(items, root, items[root], less);
    }
    for end in (1..items.len()).rev() {
        let item = items[end];
        items[end] = items[0];
        sift_down(&mut items[..end], 0, item, less);
    }
}

/// Moves greater children up from the root on until the item fits.
fn sift_down<T: Copy>(heap: &mut [T], root: usize, item: T, less: &impl Fn(&T, &T) -> bool) {
    let mut hole = root;
    loop {
        let mut child = 2 * hole + 1;
        if child >= heap.len() {
            break;
        }
        if child + 1 < heap.len() && less(&heap[child], &heap[child + 1]) {
            child += 1;
        }
        if !less(&item, &heap[child]) {
            break;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = item;
}

/// `numpy.argsort(values)` of a float64 array: NaN last, ties as introsort leaves them.
///
/// # Panics
/// Where there are 2^32 values or more.
pub fn argsort_floats(values: &[f64]) -> Vec<u32> {
    let count = u32::try_from(values.len()).expect("row numbers fit u32");
    let mut items: Vec<(f64, u32)> = values.iter().copied().zip(0..count).collect();
    introsort(&mut items, |left, right| match left.0.partial_cmp(&right.0) {
        Some(order) => order == Ordering::Less,
        None => right.0.is_nan() && !left.0.is_nan(),
    });
    items.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use proptest::prelude::*;

    use super::super::recorded::{digest, keys, with_nan};
    use super::*;

    fn argsort(keys: &[u64]) -> Vec<u32> {
        let mut items: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        introsort(&mut items, |left, right| left.0 < right.0);
        items.into_iter().map(|(_, row)| row).collect()
    }

    #[test]
    fn orders_recorded_from_numpy() {
        let cases: [(Vec<u64>, &[u32]); 4] = [
            (vec![1; 16], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
            (vec![1; 17], &[0, 14, 13, 12, 11, 10, 9, 15, 8, 6, 5, 4, 3, 2, 1, 7, 16]),
            (
                (0..20).map(|place| place % 3).collect(),
                &[0, 15, 12, 18, 6, 9, 3, 4, 7, 10, 13, 1, 16, 19, 8, 11, 2, 14, 17, 5],
            ),
            (
                (0..24).map(|place| 5 - place / 4).collect(),
                &[
                    23, 21, 20, 22, 19, 18, 17, 16, 15, 14, 13, 12, 11, 9, 8, 10, 7, 6, 5, 4, 3, 2,
                    1, 0,
                ],
            ),
        ];
        for (keys, order) in cases {
            assert_eq!(argsort(&keys), order, "{keys:?}");
        }
    }

    #[test]
    fn digests_recorded_from_numpy() {
        let cases = [
            (17, 2, 1, 0xb69e_e4ff_db29_5dab),
            (100, 1, 1, 0x70a4_fd6c_ba65_d832),
            (100, 5, 2, 0x64c7_9568_f7cc_db30),
            (1000, 10, 3, 0x993c_112d_950b_6fc0),
            (1000, 1000, 4, 0xac51_dab5_7252_d954),
            (5000, 3, 5, 0x5b3d_89e7_65e9_126c),
        ];
        for (count, bound, seed, recorded) in cases {
            let order = argsort(&keys(count, bound, seed));
            assert_eq!(
                digest(order.into_iter().map(u64::from)),
                recorded,
                "{count} keys below {bound}"
            );
        }
    }

    /// Keys that make quicksort quadratic (McIlroy, "A Killer Adversary for Quicksort", 1999), so that heapsort takes
    /// over; halved, so that there are ties.
    fn killer_keys(count: usize) -> Vec<u64> {
        let undecided = count as u64;
        let values = RefCell::new(vec![undecided; count]);
        let (decided, candidate) = (Cell::new(0), Cell::new(0));
        let mut items: Vec<usize> = (0..count).collect();
        introsort(&mut items, |left, right| {
            let mut values = values.borrow_mut();
            if values[*left] == undecided && values[*right] == undecided {
                let now = if *left == candidate.get() { *left } else { *right };
                values[now] = decided.replace(decided.get() + 1);
            }
            if values[*left] == undecided {
                candidate.set(*left);
            } else if values[*right] == undecided {
                candidate.set(*right);
            }
            values[*left] < values[*right]
        });
        values.into_inner().into_iter().map(|value| value / 2).collect()
    }

    #[test]
    fn heapsort_takes_over_as_in_numpy() {
        for (count, keys_recorded, order_recorded) in [
            (100, 0x97f9_37e8_fc05_5781, 0xbcc2_8714_88b2_48fc),
            (500, 0xa2e2_1482_aa9c_145b, 0x62c9_3830_5fca_6654),
            (1000, 0x7d43_4536_c2dd_d417, 0x32cf_8228_b921_4ac4),
        ] {
            let keys = killer_keys(count);
            assert_eq!(digest(keys.iter().copied()), keys_recorded);
            assert_eq!(digest(argsort(&keys).into_iter().map(u64::from)), order_recorded);
        }
    }

    #[test]
    fn floats_put_nan_last_as_in_numpy() {
        for (keys, recorded) in [
            (with_nan(keys(40, 9, 5), 4), 0xd749_6cd3_ec14_eeb6),
            (with_nan(keys(1000, 100, 7), 13), 0x4041_7fa9_a784_966c),
        ] {
            assert_eq!(digest(argsort_floats(&keys).into_iter().map(u64::from)), recorded);
        }
    }

    proptest! {
        #[test]
        fn gives_a_sorted_permutation(keys in prop::collection::vec(0_u64..40, 0..300)) {
            let order = argsort(&keys);
            prop_assert!(order.is_sorted_by_key(|row| keys[*row as usize]));
            let mut rows = order;
            rows.sort_unstable();
            prop_assert!(rows.into_iter().eq(0..keys.len() as u32));
        }
    }
}
