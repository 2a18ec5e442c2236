//! Axis-parallel boxes in the plane.

/// An axis-parallel box by its edges. Nothing keeps the edges in order: a box may be inverted, infinite or NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// The left edge.
    pub x_min: f64,
    /// The upper edge.
    pub y_min: f64,
    /// The right edge.
    pub x_max: f64,
    /// The lower edge.
    pub y_max: f64,
}

impl Rectangle {
    /// The area; negative where one pair of edges is inverted.
    pub fn area(self) -> f64 {
        (self.x_max - self.x_min) * (self.y_max - self.y_min)
    }

    /// Intersection over union, 0 where the union is not positive.
    ///
    /// Areas keep their signs and NaN is compared as Python's `max` and `min` compare it (the first argument stays), so
    /// boxes that are none get the same number here as in a metric written with Python's built-in functions.
    ///
    /// ```
    /// use podium_grader::boxes::Rectangle;
    /// let rectangle = |x_min, x_max| Rectangle { x_min, y_min: 0.0, x_max, y_max: 1.0 };
    /// assert_eq!(rectangle(0.0, 2.0).iou(rectangle(1.0, 3.0)), 1.0 / 3.0);
    /// ```
    pub fn iou(self, other: Rectangle) -> f64 {
        let width = python_min(self.x_max, other.x_max) - python_max(self.x_min, other.x_min);
        let height = python_min(self.y_max, other.y_max) - python_max(self.y_min, other.y_min);
        let intersection = python_max(0.0, width) * python_max(0.0, height);
        let union = self.area() + other.area() - intersection;
        if union > 0.0 { intersection / union } else { 0.0 }
    }
}

/// Python's `max(a, b)`: the first unless the second is larger.
pub(super) fn python_max(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Python's `min(a, b)`: the first unless the second is smaller.
pub(super) fn python_min(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rectangle([x_min, y_min, x_max, y_max]: [f64; 4]) -> Rectangle {
        Rectangle { x_min, y_min, x_max, y_max }
    }

    #[test]
    fn odd_boxes_keep_their_signs() {
        const NAN: f64 = f64::NAN;
        const INFINITE: f64 = f64::INFINITY;
        for (a, b, expected) in [
            ([0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 3.0, 3.0], 1.0 / 7.0),
            ([0.0, 0.0, 2.0, 2.0], [2.0, 0.0, 3.0, 3.0], 0.0),
            // Inverted in both directions, the area is positive and nothing is shared.
            ([2.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 2.0], 0.0),
            // Inverted in one direction, the area is negative and the union is none.
            ([2.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 1.0], 0.0),
            ([0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], 0.0),
            ([0.0, 0.0, INFINITE, 2.0], [0.0, 0.0, 2.0, 2.0], 0.0),
            ([NAN, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.0], 0.0),
        ] {
            assert_eq!(rectangle(a).iou(rectangle(b)), expected, "{a:?} {b:?}");
        }
    }

    proptest! {
        #[test]
        fn proper_boxes_overlap_symmetrically(a in [0i32..20, 0..20, 1..20, 1..20], b in [0i32..20, 0..20, 1..20, 1..20]) {
            let proper = |[x, y, width, height]: [i32; 4]| {
                rectangle([f64::from(x), f64::from(y), f64::from(x + width), f64::from(y + height)])
            };
            let (a, b) = (proper(a), proper(b));
            prop_assert_eq!(a.iou(b), b.iou(a));
            prop_assert!((0.0..=1.0).contains(&a.iou(b)));
            prop_assert_eq!(a.iou(b) == 1.0, a == b);
        }
    }
}
