//! A set of pixels as sorted, disjoint runs, and the arithmetic on such sets.
//!
//! Pixels are numbers from 0 on; what row and column a number stands for is [`Shape`](super::Shape)'s business.

use std::fmt::Write;

/// A run of neighbouring pixels, `start..end`, never empty inside a [`Mask`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Run {
    /// The first pixel.
    pub start: u64,
    /// The pixel after the last.
    pub end: u64,
}

impl Run {
    /// The number of pixels.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// A set of pixels, numbered from 0 on.
///
/// Two masks are equal when they hold the same pixels: runs that touch are joined, so a set has one representation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Mask {
    /// Sorted, none empty, with at least one pixel between one and the next.
    runs: Vec<Run>,
}

impl Mask {
    /// The mask without pixels.
    pub fn empty() -> Mask {
        Mask::default()
    }

    /// The mask of those runs, in any order; they may overlap, touch or be empty.
    pub fn from_runs(runs: impl IntoIterator<Item = Run>) -> Mask {
        let mut runs: Vec<Run> = runs.into_iter().filter(|run| !run.is_empty()).collect();
        if !runs.is_sorted_by_key(|run| run.start) {
            runs.sort_unstable_by_key(|run| run.start);
        }
        let mut mask = Mask { runs: Vec::with_capacity(runs.len()) };
        for run in runs {
            mask.append(run);
        }
        mask
    }

    /// The mask of the pixels that are true.
    pub fn from_pixels(pixels: impl IntoIterator<Item = bool>) -> Mask {
        let mut mask = Mask::empty();
        for (pixel, inside) in (0..).zip(pixels) {
            if inside {
                mask.append(Run { start: pixel, end: pixel + 1 });
            }
        }
        mask
    }

    /// Adds a run that starts at or after the start of the last one, joining the two where they touch or overlap.
    pub(super) fn append(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ => self.runs.push(run),
        }
    }

    /// The runs: sorted, none empty, none touching another.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Whether there are no pixels.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The number of pixels.
    pub fn area(&self) -> u64 {
        self.runs.iter().map(|run| run.len()).sum()
    }

    /// Whether a pixel is inside.
    pub fn contains(&self, pixel: u64) -> bool {
        let after = self.runs.partition_point(|run| run.end <= pixel);
        self.runs.get(after).is_some_and(|run| run.start <= pixel)
    }

    /// Calls `found` with each run of the pixels that are in both masks, in order.
    fn for_each_common_run(&self, other: &Mask, mut found: impl FnMut(Run)) {
        let (mut left, mut right) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let common = Run { start: a.start.max(b.start), end: a.end.min(b.end) };
            if !common.is_empty() {
                found(common);
            }
            if a.end <= b.end {
                left.next();
            } else {
                right.next();
            }
        }
    }

    /// The number of pixels that are in both masks.
    pub fn intersection_area(&self, other: &Mask) -> u64 {
        let mut area = 0;
        self.for_each_common_run(other, |run| area += run.len());
        area
    }

    /// The number of pixels that are in either mask.
    pub fn union_area(&self, other: &Mask) -> u64 {
        self.area() + other.area() - self.intersection_area(other)
    }

    /// The pixels that are in both masks.
    #[must_use]
    pub fn intersection(&self, other: &Mask) -> Mask {
        let mut common = Mask::empty();
        self.for_each_common_run(other, |run| common.append(run));
        common
    }

    /// The pixels that are in either mask.
    #[must_use]
    pub fn union(&self, other: &Mask) -> Mask {
        let mut joined = Mask { runs: Vec::with_capacity(self.runs.len() + other.runs.len()) };
        let (mut left, mut right) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.start <= b.start => left.next(),
                (_, Some(_)) => right.next(),
                (_, None) => left.next(),
            };
            let Some(&run) = next else { return joined };
            joined.append(run);
        }
    }

    /// The Dice coefficient, 2·|A∩B| / (|A| + |B|); `None` where both masks are empty.
    pub fn dice(&self, other: &Mask) -> Option<f64> {
        let areas = self.area() + other.area();
        (areas > 0).then(|| (2 * self.intersection_area(other)) as f64 / areas as f64)
    }

    /// Intersection over union (the Jaccard index), |A∩B| / |A∪B|; `None` where both masks are empty.
    pub fn iou(&self, other: &Mask) -> Option<f64> {
        let intersection = self.intersection_area(other);
        let union = self.area() + other.area() - intersection;
        (union > 0).then(|| intersection as f64 / union as f64)
    }

    /// The text form: `start length start length …`, starts counted from 1; empty for the empty mask.
    ///
    /// ```
    /// use podium_grader::masks::{Mask, Run};
    /// let mask = Mask::from_runs([Run { start: 0, end: 3 }, Run { start: 9, end: 11 }]);
    /// assert_eq!(mask.encode(), "1 3 10 2");
    /// ```
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for run in &self.runs {
            let gap = if text.is_empty() { "" } else { " " };
            write!(text, "{gap}{} {}", run.start + 1, run.len()).expect("a string takes any text");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pixels() -> impl Strategy<Value = (Vec<bool>, Vec<bool>)> {
        (0usize..80).prop_flat_map(|size| {
            (
                proptest::collection::vec(any::<bool>(), size),
                proptest::collection::vec(any::<bool>(), size),
            )
        })
    }

    fn count(pixels: impl Iterator<Item = bool>) -> u64 {
        pixels.filter(|inside| *inside).count() as u64
    }

    proptest! {
        #[test]
        fn run_arithmetic_equals_bitmap_arithmetic((a, b) in pixels()) {
            let (left, right) = (Mask::from_pixels(a.iter().copied()), Mask::from_pixels(b.iter().copied()));
            let both: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a & b).collect();
            let either: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a | b).collect();
            prop_assert_eq!(left.area(), count(a.iter().copied()));
            prop_assert_eq!(left.intersection_area(&right), count(both.iter().copied()));
            prop_assert_eq!(left.union_area(&right), count(either.iter().copied()));
            prop_assert_eq!(left.intersection(&right), Mask::from_pixels(both));
            prop_assert_eq!(left.union(&right), Mask::from_pixels(either));
            for (pixel, inside) in a.iter().enumerate() {
                prop_assert_eq!(left.contains(pixel as u64), *inside);
            }
        }

        #[test]
        fn runs_in_any_order_make_the_same_mask(runs in proptest::collection::vec((0u64..60, 0u64..9), 0..12)) {
            let runs: Vec<Run> = runs.iter().map(|&(start, length)| Run { start, end: start + length }).collect();
            let bitmap = (0..70).map(|pixel| runs.iter().any(|run| (run.start..run.end).contains(&pixel)));
            let mask = Mask::from_runs(runs.iter().copied());
            prop_assert_eq!(&mask, &Mask::from_pixels(bitmap));
            prop_assert!(mask.runs().windows(2).all(|pair| pair[0].end < pair[1].start));
            prop_assert_eq!(mask, Mask::from_runs(runs.into_iter().rev()));
        }
    }

    #[test]
    fn the_empty_mask_has_no_coefficients() {
        let full = Mask::from_runs([Run { start: 0, end: 4 }]);
        assert_eq!(Mask::empty().dice(&Mask::empty()), None);
        assert_eq!(Mask::empty().iou(&Mask::empty()), None);
        assert_eq!(Mask::empty().dice(&full), Some(0.0));
        assert_eq!(full.iou(&full), Some(1.0));
        assert_eq!(Mask::empty().encode(), "");
    }
}
