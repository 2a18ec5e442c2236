//! Average precision of detections in order of confidence, interpolated as PASCAL VOC and COCO do.
//!
//! Both interpolate the precision at a recall as the highest precision at that recall or any larger one (Everingham et
//! al., "The PASCAL visual object classes (VOC) challenge", International Journal of Computer Vision 88, 2010).

/// The area under the interpolated precision-recall curve, over all recalls that occur (VOC from 2010 on).
///
/// `hits` says of each detection, the most confident first, whether it found a truth that was not found before. There
/// are `truths` to be found. Without detections the area is 0.
///
/// ```
/// use podium_grader::boxes::precision::over_all_recalls;
/// assert_eq!(over_all_recalls(&[true, false, true], 2), 0.5 + 0.5 * (2.0 / 3.0));
/// ```
///
/// # Panics
/// Where there are more hits than truths, or no truths.
pub fn over_all_recalls(hits: &[bool], truths: usize) -> f64 {
    assert!(truths > 0, "without truths there is no recall");
    let curve = Curve::new(
        hits.iter().map(|&hit| if hit { Outcome::Hit } else { Outcome::Miss }),
        truths,
        0.0,
    );
    let mut area = 0.0;
    let mut before = 0.0;
    for (&recall, &precision) in curve.recalls.iter().zip(&curve.precisions) {
        if recall != before {
            area += (recall - before) * precision;
            before = recall;
        }
    }
    assert!(before <= 1.0, "each truth is found at most once");
    area
}

/// How a detection counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It found a truth.
    Hit,
    /// It found none.
    Miss,
    /// It counts neither way.
    Ignored,
}

/// The mean of the interpolated precisions at the recalls 0, 0.01, … 1 (COCO).
///
/// `outcomes` belong to detections, the most confident first; recalls that are not reached have precision 0. As
/// `COCOeval.accumulate` of pycocotools 2.0.8 computes it for one class, area range and threshold.
///
/// # Panics
/// Where there are no truths.
pub fn at_101_recalls(outcomes: impl IntoIterator<Item = Outcome>, truths: usize) -> f64 {
    assert!(truths > 0, "without truths there is no recall");
    let curve = Curve::new(outcomes, truths, f64::EPSILON);
    let at = |step: u32| {
        let wanted = if step == 100 { 1.0 } else { f64::from(step) * 0.01 };
        let reached = curve.recalls.partition_point(|recall| *recall < wanted);
        curve.precisions.get(reached).copied().unwrap_or(0.0)
    };
    (0..=100).map(at).sum::<f64>() / 101.0
}

/// Recall and interpolated precision after each detection.
struct Curve {
    recalls: Vec<f64>,
    precisions: Vec<f64>,
}

impl Curve {
    /// `guard` is added to the number of detections counted, against division by zero.
    fn new(outcomes: impl IntoIterator<Item = Outcome>, truths: usize, guard: f64) -> Curve {
        let mut curve = Curve { recalls: Vec::new(), precisions: Vec::new() };
        let (mut hits, mut misses) = (0.0, 0.0);
        for outcome in outcomes {
            match outcome {
                Outcome::Hit => hits += 1.0,
                Outcome::Miss => misses += 1.0,
                Outcome::Ignored => {}
            }
            curve.recalls.push(hits / truths as f64);
            curve.precisions.push(hits / (misses + hits + guard));
        }
        let mut highest = 0.0;
        for precision in curve.precisions.iter_mut().rev() {
            highest = f64::max(highest, *precision);
            *precision = highest;
        }
        curve
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn precisions_are_interpolated() {
        for (hits, truths, expected) in [
            (&[][..], 3, 0.0),
            (&[false, false], 1, 0.0),
            (&[true, true], 2, 1.0),
            (&[false, true], 1, 0.5),
            (&[false, true, true], 2, 2.0 / 3.0),
            (&[true, false, false, true], 4, 0.25 + 0.25 * 0.5),
        ] {
            let area = over_all_recalls(hits, truths);
            assert!((area - expected).abs() < 1e-15, "{hits:?} {truths} {area}");
        }
        let half = at_101_recalls([Outcome::Hit, Outcome::Miss], 2);
        assert!((half - 51.0 / 101.0).abs() < 1e-12, "{half}");
        assert_eq!(at_101_recalls([Outcome::Ignored], 1), 0.0);
        assert_eq!(at_101_recalls([], 1), 0.0);
    }

    proptest! {
        #[test]
        fn a_hit_moved_forward_never_costs(hits in proptest::collection::vec(any::<bool>(), 1..30)) {
            let truths = hits.iter().filter(|hit| **hit).count() + 2;
            let score = |hits: &[bool]| {
                let outcomes = hits.iter().map(|&hit| if hit { Outcome::Hit } else { Outcome::Miss });
                (over_all_recalls(hits, truths), at_101_recalls(outcomes, truths))
            };
            let before = score(&hits);
            for place in 1..hits.len() {
                if hits[place] && !hits[place - 1] {
                    let mut better = hits.clone();
                    better.swap(place, place - 1);
                    let after = score(&better);
                    prop_assert!(after.0 >= before.0 - 1e-12 && after.1 >= before.1 - 1e-12);
                }
            }
        }
    }
}
