//! CPython's list sort, with what it makes of keys that are not ordered (NaN).
//!
//! The algorithm is that of CPython 3.11 (`Objects/listobject.c`, described in `Objects/listsort.txt`): natural runs
//! extended to a minimum length by binary insertion, merged by the powersort policy, galloping included. For keys
//! under a strict weak order it gives what any stable sort gives.

/// Runs of comparisons won by one side from which merging starts to gallop.
const FIRST_GALLOP: usize = 7;

/// Python's `items.sort()`, with `less` for `<`.
pub fn timsort<T: Clone>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    Timsort { items, less, gallop_from: FIRST_GALLOP, runs: Vec::new() }.sort();
}

/// Python's `items.sort(reverse=True)`, with `less` for `<`: descending, equal items in their order.
pub fn timsort_reversed<T: Clone>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    items.reverse();
    timsort(items, less);
    items.reverse();
}

/// A sorted run, and the power of the boundary to the run behind it.
struct Run {
    start: usize,
    length: usize,
    power: u32,
}

struct Timsort<'a, T, Less> {
    items: &'a mut [T],
    less: Less,
    gallop_from: usize,
    runs: Vec<Run>,
}

impl<T: Clone, Less: Fn(&T, &T) -> bool> Timsort<'_, T, Less> {
    fn sort(mut self) {
        let count = self.items.len();
        if count < 2 {
            return;
        }
        let minimum_run = minimum_run(count);
        let mut start = 0;
        while start < count {
            let mut length = self.natural_run(start);
            if length < minimum_run {
                let forced = minimum_run.min(count - start);
                self.insert_binary(start, start + forced, start + length);
                length = forced;
            }
            self.found_new_run(length);
            self.runs.push(Run { start, length, power: 0 });
            start += length;
        }
        while self.runs.len() > 1 {
            let mut at = self.runs.len() - 2;
            if at > 0 && self.runs[at - 1].length < self.runs[at + 1].length {
                at -= 1;
            }
            self.merge_at(at);
        }
    }

    /// The length of the run that begins at `start`; one that descends strictly is turned round.
    fn natural_run(&mut self, start: usize) -> usize {
        let count = self.items.len();
        if start + 1 == count {
            return 1;
        }
        let descending = (self.less)(&self.items[start + 1], &self.items[start]);
        let mut end = start + 2;
        while end < count && (self.less)(&self.items[end], &self.items[end - 1]) == descending {
            end += 1;
        }
        if descending {
            self.items[start..end].reverse();
        }
        end - start
    }

    /// Sorts `start..end` by binary insertion, of which `start..sorted` is sorted already.
    fn insert_binary(&mut self, start: usize, end: usize, sorted: usize) {
        for next in sorted..end {
            let (mut left, mut right) = (start, next);
            while left < right {
                let middle = left + (right - left) / 2;
                if (self.less)(&self.items[next], &self.items[middle]) {
                    right = middle;
                } else {
                    left = middle + 1;
                }
            }
            self.items[left..=next].rotate_right(1);
        }
    }

    /// Merges what the powersort policy says before a run of that length is pushed.
    fn found_new_run(&mut self, length: usize) {
        let Some(last) = self.runs.last() else { return };
        let power = boundary_power(last.start, last.length, length, self.items.len());
        while self.runs.len() > 1 && self.runs[self.runs.len() - 2].power > power {
            self.merge_at(self.runs.len() - 2);
        }
        self.runs.last_mut().expect("merging leaves a run").power = power;
    }

    /// Merges a run with the one behind it.
    fn merge_at(&mut self, at: usize) {
        let (mut start, mut left_length) = (self.runs[at].start, self.runs[at].length);
        let Run { start: middle, length: mut right_length, .. } = self.runs.remove(at + 1);
        self.runs[at].length = left_length + right_length;
        // What is in place already: items of the left run not greater than the first of the right …
        let skipped = gallop_right(&self.items[middle], &self.items[start..middle], 0, &self.less);
        start += skipped;
        left_length -= skipped;
        if left_length == 0 {
            return;
        }
        // … and items of the right run not less than the last of the left.
        let right = &self.items[middle..middle + right_length];
        right_length = gallop_left(&self.items[middle - 1], right, right_length - 1, &self.less);
        if right_length == 0 {
            return;
        }
        if left_length <= right_length {
            self.merge_low(start, left_length, right_length);
        } else {
            self.merge_high(start, left_length, right_length);
        }
    }

    /// Merges from the front; the left run is the shorter one.
    fn merge_low(&mut self, start: usize, left_length: usize, right_length: usize) {
        let less = &self.less;
        let items = &mut *self.items;
        let left: Vec<T> = items[start..start + left_length].to_vec();
        let end = start + left_length + right_length;
        let (mut target, mut from_left, mut from_right) = (start, 0, start + left_length);
        let mut gallop_from = self.gallop_from;
        let move_right =
            |items: &mut [T], target: &mut usize, from_right: &mut usize, count: usize| {
                for step in 0..count {
                    items[*target + step] = items[*from_right + step].clone();
                }
                *target += count;
                *from_right += count;
            };
        move_right(items, &mut target, &mut from_right, 1);
        'merging: {
            if from_right == end {
                break 'merging;
            }
            if left.len() - from_left == 1 {
                break 'merging;
            }
            loop {
                let (mut left_wins, mut right_wins) = (0, 0);
                loop {
                    if less(&items[from_right], &left[from_left]) {
                        move_right(items, &mut target, &mut from_right, 1);
                        right_wins += 1;
                        left_wins = 0;
                        if from_right == end {
                            break 'merging;
                        }
                        if right_wins >= gallop_from {
                            break;
                        }
                    } else {
                        items[target] = left[from_left].clone();
                        target += 1;
                        from_left += 1;
                        left_wins += 1;
                        right_wins = 0;
                        if left.len() - from_left == 1 {
                            break 'merging;
                        }
                        if left_wins >= gallop_from {
                            break;
                        }
                    }
                }
                gallop_from += 1;
                loop {
                    gallop_from -= usize::from(gallop_from > 1);
                    self.gallop_from = gallop_from;
                    left_wins = gallop_right(&items[from_right], &left[from_left..], 0, less);
                    for item in &left[from_left..from_left + left_wins] {
                        items[target] = item.clone();
                        target += 1;
                    }
                    from_left += left_wins;
                    // Nothing is left only where the order is not consistent.
                    if left.len() - from_left <= 1 {
                        break 'merging;
                    }
                    move_right(items, &mut target, &mut from_right, 1);
                    if from_right == end {
                        break 'merging;
                    }
                    right_wins = gallop_left(&left[from_left], &items[from_right..end], 0, less);
                    move_right(items, &mut target, &mut from_right, right_wins);
                    if from_right == end {
                        break 'merging;
                    }
                    items[target] = left[from_left].clone();
                    target += 1;
                    from_left += 1;
                    if left.len() - from_left == 1 {
                        break 'merging;
                    }
                    if left_wins < FIRST_GALLOP && right_wins < FIRST_GALLOP {
                        break;
                    }
                }
                // Leaving galloping has a price.
                gallop_from += 1;
                self.gallop_from = gallop_from;
            }
        }
        // One item of the left run belongs behind all of the right; or the right run is used up.
        let remaining = end - from_right;
        move_right(items, &mut target, &mut from_right, remaining);
        for item in &left[from_left..] {
            items[target] = item.clone();
            target += 1;
        }
    }

    /// Merges from the back; the right run is the shorter one.
    fn merge_high(&mut self, start: usize, left_length: usize, right_length: usize) {
        let less = &self.less;
        let items = &mut *self.items;
        let middle = start + left_length;
        let right: Vec<T> = items[middle..middle + right_length].to_vec();
        // All three count what is still to be placed; the next item lies right before.
        let (mut target, mut of_left, mut of_right) =
            (middle + right_length, left_length, right_length);
        let mut gallop_from = self.gallop_from;
        let move_left = |items: &mut [T], target: &mut usize, of_left: &mut usize, count: usize| {
            for step in 1..=count {
                items[*target - step] = items[start + *of_left - step].clone();
            }
            *target -= count;
            *of_left -= count;
        };
        move_left(items, &mut target, &mut of_left, 1);
        'merging: {
            if of_left == 0 {
                break 'merging;
            }
            if of_right == 1 {
                break 'merging;
            }
            loop {
                let (mut left_wins, mut right_wins) = (0, 0);
                loop {
                    if less(&right[of_right - 1], &items[start + of_left - 1]) {
                        move_left(items, &mut target, &mut of_left, 1);
                        left_wins += 1;
                        right_wins = 0;
                        if of_left == 0 {
                            break 'merging;
                        }
                        if left_wins >= gallop_from {
                            break;
                        }
                    } else {
                        target -= 1;
                        of_right -= 1;
                        items[target] = right[of_right].clone();
                        right_wins += 1;
                        left_wins = 0;
                        if of_right == 1 {
                            break 'merging;
                        }
                        if right_wins >= gallop_from {
                            break;
                        }
                    }
                }
                gallop_from += 1;
                loop {
                    gallop_from -= usize::from(gallop_from > 1);
                    self.gallop_from = gallop_from;
                    let keep = gallop_right(
                        &right[of_right - 1],
                        &items[start..start + of_left],
                        of_left - 1,
                        less,
                    );
                    left_wins = of_left - keep;
                    move_left(items, &mut target, &mut of_left, left_wins);
                    if of_left == 0 {
                        break 'merging;
                    }
                    target -= 1;
                    of_right -= 1;
                    items[target] = right[of_right].clone();
                    if of_right == 1 {
                        break 'merging;
                    }
                    let keep = gallop_left(
                        &items[start + of_left - 1],
                        &right[..of_right],
                        of_right - 1,
                        less,
                    );
                    right_wins = of_right - keep;
                    for step in 1..=right_wins {
                        items[target - step] = right[of_right - step].clone();
                    }
                    target -= right_wins;
                    of_right -= right_wins;
                    // Nothing is left only where the order is not consistent.
                    if of_right <= 1 {
                        break 'merging;
                    }
                    move_left(items, &mut target, &mut of_left, 1);
                    if of_left == 0 {
                        break 'merging;
                    }
                    if left_wins < FIRST_GALLOP && right_wins < FIRST_GALLOP {
                        break;
                    }
                }
                gallop_from += 1;
                self.gallop_from = gallop_from;
            }
        }
        // One item of the right run belongs before all of the left; or the left run is used up.
        let remaining = of_left;
        move_left(items, &mut target, &mut of_left, remaining);
        for step in 1..=of_right {
            items[target - step] = right[of_right - step].clone();
        }
    }
}

/// The length to which short runs are extended: the highest six bits of the count, one more where others are set.
fn minimum_run(mut count: usize) -> usize {
    let mut any_shifted_out = 0;
    while count >= 64 {
        any_shifted_out |= count & 1;
        count >>= 1;
    }
    count + any_shifted_out
}

/// The depth in the ideal merge tree of the boundary between a run and the next one (powersort; Munro and Wild,
/// "Nearly-Optimal Mergesorts", 2018).
fn boundary_power(start: usize, length: usize, next_length: usize, count: usize) -> u32 {
    // Twice the middles of both runs; the power is the first binary place in which the middles differ as fractions.
    let mut left = 2 * start as u64 + length as u64;
    let mut right = left + length as u64 + next_length as u64;
    let count = count as u64;
    let mut power = 0;
    loop {
        power += 1;
        if left >= count {
            left -= count;
            right -= count;
        } else if right >= count {
            return power;
        }
        left <<= 1;
        right <<= 1;
    }
}

/// The place of the key in the sorted items, before equal ones; the search starts at `hint`.
fn gallop_left<T>(key: &T, items: &[T], hint: usize, less: &impl Fn(&T, &T) -> bool) -> usize {
    let (mut before, mut at_most);
    if less(&items[hint], key) {
        let furthest = items.len() - hint;
        let (mut last, mut offset) = (0, 1);
        while offset < furthest && less(&items[hint + offset], key) {
            last = offset;
            offset = 2 * offset + 1;
        }
        before = hint + last + 1;
        at_most = hint + offset.min(furthest);
    } else {
        let furthest = hint + 1;
        let (mut last, mut offset) = (0, 1);
        while offset < furthest && !less(&items[hint - offset], key) {
            last = offset;
            offset = 2 * offset + 1;
        }
        before = hint + 1 - offset.min(furthest);
        at_most = hint - last;
    }
    while before < at_most {
        let middle = before + (at_most - before) / 2;
        if less(&items[middle], key) {
            before = middle + 1;
        } else {
            at_most = middle;
        }
    }
    at_most
}

/// The place of the key in the sorted items, behind equal ones; the search starts at `hint`.
fn gallop_right<T>(key: &T, items: &[T], hint: usize, less: &impl Fn(&T, &T) -> bool) -> usize {
    let (mut before, mut at_most);
    if less(key, &items[hint]) {
        let furthest = hint + 1;
        let (mut last, mut offset) = (0, 1);
        while offset < furthest && less(key, &items[hint - offset]) {
            last = offset;
            offset = 2 * offset + 1;
        }
        before = hint + 1 - offset.min(furthest);
        at_most = hint - last;
    } else {
        let furthest = items.len() - hint;
        let (mut last, mut offset) = (0, 1);
        while offset < furthest && !less(key, &items[hint + offset]) {
            last = offset;
            offset = 2 * offset + 1;
        }
        before = hint + last + 1;
        at_most = hint + offset.min(furthest);
    }
    while before < at_most {
        let middle = before + (at_most - before) / 2;
        if less(key, &items[middle]) {
            at_most = middle;
        } else {
            before = middle + 1;
        }
    }
    at_most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::recorded::{digest, keys, with_nan};
    use super::*;

    /// Digests of the ascending and the descending order.
    fn orders(keys: &[f64]) -> (u64, u64) {
        let items: Vec<(f64, u64)> = keys.iter().copied().zip(0..).collect();
        let (mut ascending, mut descending) = (items.clone(), items);
        timsort(&mut ascending, |left, right| left.0 < right.0);
        timsort_reversed(&mut descending, |left, right| left.0 < right.0);
        let rows = |items: Vec<(f64, u64)>| digest(items.into_iter().map(|(_, row)| row));
        (rows(ascending), rows(descending))
    }

    #[test]
    fn orders_recorded_from_python() {
        // Count, bound and seed of the keys; every which one is NaN; the orders of sorted() and sorted(reverse=True).
        for (count, bound, seed, nan_every, ascending, descending) in [
            (64, 5, 1, 0, 0xc9fd_6b3b_1bfa_81e0, 0xfe00_18d6_3277_3050),
            (65, 5, 2, 0, 0x3523_0c9c_be8c_fbd1, 0xf4bb_1832_fbe6_148f),
            (500, 7, 3, 0, 0x5af5_85ec_b0e5_c7a0, 0x5ab0_28bf_891f_8f66),
            (1000, 1000, 4, 0, 0x2f2a_d3d3_f2fd_d316, 0x24e9_e1d5_255f_9c3c),
            (40, 9, 5, 4, 0x60e4_92b8_4370_97e6, 0x286f_6a86_2c3c_236c),
            (200, 9, 6, 7, 0x9295_6908_d92c_4174, 0x9c00_9b6d_8ba8_ecfe),
            (1000, 100, 7, 13, 0xfd54_4384_aac9_089c, 0xd9dd_104b_82e5_233a),
            (3000, 3000, 8, 97, 0x5ca0_6c05_d0ae_12e0, 0xfea5_e362_0041_d0e6),
        ] {
            let keys = with_nan(keys(count, bound, seed), nan_every);
            assert_eq!(orders(&keys), (ascending, descending), "{count} keys below {bound}");
        }
    }

    #[test]
    fn orders_of_runs_recorded_from_python() {
        for (count, bound, seed, nan_every, ascending, descending) in [
            (300, 50, 1, 0, 0x544e_bb63_4633_7af8, 0x2a43_29af_7ab5_de46),
            (3000, 2000, 2, 0, 0xee5c_845e_8297_dd0c, 0x9278_c43f_98f3_5a94),
            (3000, 50, 3, 101, 0x9cff_0fb3_ef16_5da0, 0xef4b_c59d_1d89_a72c),
        ] {
            let mut keys = keys(count, bound, seed);
            let third = count / 3;
            keys[..third].sort_unstable();
            keys[third..2 * third].sort_unstable_by(|left, right| right.cmp(left));
            keys[2 * third..].sort_unstable();
            let keys = with_nan(keys, nan_every);
            assert_eq!(orders(&keys), (ascending, descending), "{count} keys below {bound}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_any_stable_sort(keys in prop::collection::vec(0_u32..60, 0..600)) {
            let items: Vec<(u32, usize)> = keys.into_iter().zip(0..).collect();
            let (mut ours, mut expected) = (items.clone(), items);
            timsort(&mut ours, |left, right| left.0 < right.0);
            expected.sort_by_key(|item| item.0);
            prop_assert_eq!(&ours, &expected);
            timsort_reversed(&mut ours, |left, right| left.0 < right.0);
            expected.sort_by_key(|item| std::cmp::Reverse(item.0));
            prop_assert_eq!(ours, expected);
        }
    }
}
