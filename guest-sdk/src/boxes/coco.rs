//! Detections matched and scored as pycocotools 2.0.8 does (`COCOeval` with `iouType="bbox"`), for one IoU threshold and
//! one range of areas.
//!
//! For each image and category the most confident detections look, in turn, for the truth with the largest intersection
//! over union that is not taken; a truth outside the range of areas is looked at last, and then neither side counts.
//! Ties go to the later truth. The precision is then interpolated over all images of a category
//! ([`super::precision::at_101_recalls`]).
//!
//! A quirk of the original is kept, because scores depend on it: matches are noted by the id of the other side, and 0
//! stands for none. A truth with the id 0 can therefore never be found, and a detection with the id 0 does not take
//! the truth it finds from the detections after it. Number both from 1 on to stay clear of it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::precision::{Outcome, at_101_recalls};

/// A box by its left upper corner and its size, as COCO's annotations hold it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Extent {
    /// Intersection over union, as `bbIou` in pycocotools' `maskApi.c`: 0 where the boxes share no area, NaN where they
    /// are made of NaN.
    pub fn iou(self, other: Extent) -> f64 {
        let shared = |start: f64, size: f64, other_start: f64, other_size: f64| {
            (size + start).min(other_size + other_start) - start.max(other_start)
        };
        let width = shared(self.x, self.width, other.x, other.width);
        let height = shared(self.y, self.height, other.y, other.height);
        if width <= 0.0 || height <= 0.0 {
            return 0.0;
        }
        let intersection = width * height;
        intersection / (self.width * self.height + other.width * other.height - intersection)
    }
}

/// A box that is there.
#[derive(Debug, Clone, Copy)]
pub struct Truth {
    /// Its number, different for each truth; see the module on 0.
    pub id: u64,
    /// The number of its image.
    pub image: usize,
    /// What it shows.
    pub category: i64,
    /// Where it is.
    pub extent: Extent,
    /// Its area, for the range of areas; need not be that of the extent.
    pub area: f64,
}

/// A box that was detected.
#[derive(Debug, Clone, Copy)]
pub struct Detection {
    /// Its number, different for each detection; see the module on 0.
    pub id: u64,
    /// The number of its image.
    pub image: usize,
    /// What it is said to show.
    pub category: i64,
    /// Where it is.
    pub extent: Extent,
    /// Its area, for the range of areas; need not be that of the extent.
    pub area: f64,
    /// The confidence; a NaN comes after all numbers.
    pub score: f64,
}

/// What is evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Evaluation {
    /// A detection finds a truth whose intersection over union with it is at least this.
    pub iou_threshold: f64,
    /// How many detections count, for each image and category: the most confident ones.
    pub most_detections: usize,
    /// Truths, and detections that found none, with an area below this do not count.
    pub smallest_area: f64,
    /// Truths, and detections that found none, with an area above this do not count.
    pub largest_area: f64,
}

impl Evaluation {
    /// pycocotools' largest number of detections and range of areas, with that threshold.
    pub fn at(iou_threshold: f64) -> Evaluation {
        Evaluation { iou_threshold, most_detections: 100, smallest_area: 0.0, largest_area: 1e10 }
    }

    fn counts(&self, area: f64) -> bool {
        !(area < self.smallest_area || area > self.largest_area)
    }
}

/// The average precision of each category, in the order given; `None` for one of which no truth counts.
///
/// Detections of other categories are not looked at. COCO's mean average precision is the mean of those that are not
/// `None`, or -1 where all are.
pub fn average_precisions(
    categories: &[i64],
    truths: &[Truth],
    detections: &[Detection],
    evaluation: Evaluation,
) -> Vec<Option<f64>> {
    let mut groups: BTreeMap<(i64, usize), Group<'_>> = BTreeMap::new();
    for truth in truths {
        groups.entry((truth.category, truth.image)).or_default().truths.push(truth);
    }
    for detection in detections {
        groups.entry((detection.category, detection.image)).or_default().detections.push(detection);
    }
    categories
        .iter()
        .map(|&category| {
            let mut matched = Vec::new();
            let mut counting = 0;
            for (_, group) in groups.range_mut((category, 0)..=(category, usize::MAX)) {
                counting +=
                    group.truths.iter().filter(|truth| evaluation.counts(truth.area)).count();
                group.match_detections(evaluation, &mut matched);
            }
            matched.sort_by(|a, b| most_confident_first(a.0, b.0));
            (counting > 0)
                .then(|| at_101_recalls(matched.iter().map(|(_, outcome)| *outcome), counting))
        })
        .collect()
}

/// Descending scores, NaN last: numpy's stable sort of the negated scores.
fn most_confident_first(a: f64, b: f64) -> Ordering {
    a.is_nan().cmp(&b.is_nan()).then_with(|| b.partial_cmp(&a).unwrap_or(Ordering::Equal))
}

/// What one image holds of one category.
#[derive(Default)]
struct Group<'a> {
    truths: Vec<&'a Truth>,
    detections: Vec<&'a Detection>,
}

impl Group<'_> {
    /// Adds the score and the outcome of each detection that is among the most confident.
    fn match_detections(&mut self, evaluation: Evaluation, matched: &mut Vec<(f64, Outcome)>) {
        self.truths.sort_by_key(|truth| !evaluation.counts(truth.area));
        self.detections.sort_by(|a, b| most_confident_first(a.score, b.score));
        self.detections.truncate(evaluation.most_detections);

        let mut taken = vec![false; self.truths.len()];
        for detection in &self.detections {
            let mut largest = evaluation.iou_threshold.min(1.0 - 1e-10);
            let mut best: Option<usize> = None;
            for (place, truth) in self.truths.iter().enumerate() {
                if taken[place] {
                    continue;
                }
                let found_counting =
                    best.is_some_and(|best| evaluation.counts(self.truths[best].area));
                if found_counting && !evaluation.counts(truth.area) {
                    break;
                }
                let iou = detection.extent.iou(truth.extent);
                // Written so that a NaN is not below anything, and nothing is below a NaN.
                if iou < largest {
                    continue;
                }
                largest = iou;
                best = Some(place);
            }
            let mut ignored = false;
            let mut found = false;
            if let Some(best) = best {
                taken[best] = detection.id != 0;
                found = self.truths[best].id != 0;
                ignored = !evaluation.counts(self.truths[best].area);
            }
            let outcome = if ignored || (!found && !evaluation.counts(detection.area)) {
                Outcome::Ignored
            } else if found {
                Outcome::Hit
            } else {
                Outcome::Miss
            };
            matched.push((detection.score, outcome));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same here and where the expected values were recorded.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % limit
        }

        fn extent(&mut self) -> Extent {
            let [x, y, width, height] = [12, 12, 8, 8].map(|limit| self.below(limit) as f64);
            Extent { x, y, width: width + 1.0, height: height + 1.0 }
        }

        /// Mostly the area of the extent, at times one outside the range.
        fn area(&mut self, extent: Extent) -> f64 {
            if self.below(8) == 0 { -1.0 } else { extent.width * extent.height }
        }
    }

    /// Boxes of three categories on six images, with ties, NaN, areas out of range and a category without truth.
    fn problem(seed: u64, first_id: u64) -> (Vec<Truth>, Vec<Detection>) {
        let mut numbers = Numbers(seed);
        let mut truths: Vec<Truth> = Vec::new();
        for number in 0..40 {
            let (category, image) = (numbers.below(3) as i64, numbers.below(6) as usize);
            let extent = numbers.extent();
            let area = numbers.area(extent);
            truths.push(Truth { id: first_id + number, image, category, extent, area });
        }
        let detections = (0..90).map(|number| {
            let copied = numbers.below(3) == 0;
            let (mut image, mut category) = (numbers.below(6) as usize, numbers.below(4) as i64);
            let mut score = numbers.below(10) as f64 / 10.0;
            let mut extent = if copied {
                let truth = truths[numbers.below(40) as usize];
                (image, category) = (truth.image, truth.category);
                Extent { width: truth.extent.width + numbers.below(2) as f64, ..truth.extent }
            } else {
                numbers.extent()
            };
            if numbers.below(15) == 0 {
                score = f64::NAN;
            }
            if numbers.below(20) == 0 {
                extent.width = f64::NAN;
            }
            let area = numbers.area(extent);
            Detection { id: first_id + number, image, category, extent, area, score }
        });
        let detections = detections.collect();
        (truths, detections)
    }

    /// Computed by pycocotools 2.0.8 on the same boxes.
    #[test]
    fn precisions_agree_with_recorded_values() {
        for (seed, first_id, threshold, expected) in [
            (1, 0, 0.4, [0.2835926449787837, 0.22907290729072893, 0.3628359264497878]),
            (1, 1, 0.5, [0.2835926449787837, 0.22907290729072893, 0.4528288543140028]),
            (2, 0, 0.4, [0.25072339166689767, 0.32640264026402643, 0.20193431107816684]),
            (2, 1, 0.5, [0.25072339166689767, 0.2244612696563773, 0.20193431107816684]),
            (3, 0, 0.4, [0.12305516265912288, 0.3304830483048304, 0.38092756644085474]),
            (3, 1, 0.5, [0.12305516265912288, 0.2958295829582957, 0.38092756644085474]),
            (4, 0, 0.4, [0.3197437390797904, 0.30345265295760304, 0.29636963696369656]),
            (4, 1, 0.5, [0.3197437390797904, 0.30345265295760304, 0.29636963696369656]),
            (5, 0, 0.4, [0.3811881188118812, 0.18500707213578502, 0.17782492534967778]),
            (5, 1, 0.5, [0.3811881188118812, 0.2803960396039605, 0.17782492534967778]),
            (6, 0, 0.4, [0.3685868586858685, 0.151815181518152, 0.25174343521308634]),
            (6, 1, 0.5, [0.3685868586858685, 0.151815181518152, 0.3331802745491938]),
            (7, 0, 0.4, [0.2652522395096648, 0.3316831683168315, 0.08062234794908066]),
            (7, 1, 0.5, [0.2652522395096648, 0.3316831683168315, 0.08062234794908066]),
            (8, 0, 0.4, [0.07054455445544554, 0.3402813965607086, 0.5294019511841298]),
            (8, 1, 0.5, [0.07054455445544554, 0.3402813965607086, 0.433100315526058]),
        ] {
            let (truths, detections) = problem(seed, first_id);
            let precisions =
                average_precisions(&[0, 1, 2], &truths, &detections, Evaluation::at(threshold));
            for (precision, expected) in precisions.iter().zip(expected) {
                let precision = precision.expect("each category has truths");
                assert!(
                    (precision - expected).abs() < 1e-12,
                    "{seed}: {precisions:?} {expected:?}"
                );
            }
        }
    }

    #[test]
    fn categories_without_truth_have_no_precision() {
        let (truths, detections) = problem(1, 1);
        let evaluation = Evaluation::at(0.5);
        assert_eq!(average_precisions(&[7, 3], &truths, &detections, evaluation), [None, None]);
        let precisions = average_precisions(&[0], &truths, &[], evaluation);
        assert_eq!(precisions, [Some(0.0)]);
    }
}
