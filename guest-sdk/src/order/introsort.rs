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
