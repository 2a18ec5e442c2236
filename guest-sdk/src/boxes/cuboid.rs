//! Upright boxes in space, turned about the vertical axis.
//!
//! Follows the evaluation of Lyft's nuScenes development kit (`mAP_evaluation.py`), its checks included: the angle goes
//! through a quaternion, the corners of the base are computed in world coordinates, and a base whose corners are not
//! right angles to within 1e-8 (which happens far from the origin, where coordinates are coarse) is no box.

use thiserror::Error;

use super::quadrangle::{Point, shared_area};
use super::rectangle::{python_max, python_min};

/// Why there is no such box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CuboidError {
    /// A coordinate, a size or the angle is NaN, or the angle is infinite.
    #[error("a coordinate, a size or the yaw is not a number")]
    NotANumber,
    /// A size is zero or less.
    #[error("width, length and height have to be above zero")]
    NotPositive,
    /// The corners are so far out, or so far apart, that they make no right angles in 64-bit floats.
    #[error("the corners do not make right angles; the coordinates or sizes are too large")]
    NotOrthogonal,
}

/// A box with a level base, turned about the vertical axis.
#[derive(Debug, Clone)]
pub struct Cuboid {
    /// Corners of the base, counter-clockwise.
    corners: [Point; 4],
    /// The smallest and the largest coordinates of the corners.
    bounds: (Point, Point),
    bottom: f64,
    top: f64,
    volume: f64,
}

impl Cuboid {
    /// The box around a center (x, y, z) with a width, a length and a height, turned by `yaw` radians from lying with its
    /// length along the x axis.
    ///
    /// An infinite z or height makes a box that overlaps none.
    ///
    /// # Errors
    /// A [`CuboidError`] where the original raises.
    pub fn new(center: [f64; 3], size: [f64; 3], yaw: f64) -> Result<Cuboid, CuboidError> {
        let [x, y, z] = center;
        let [width, length, height] = size;
        if center.iter().chain(&size).any(|value| value.is_nan()) || !yaw.is_finite() {
            return Err(CuboidError::NotANumber);
        }
        if size.iter().any(|value| *value <= 0.0) {
            return Err(CuboidError::NotPositive);
        }
        // The rotation matrix of the unit quaternion (w, 0, 0, k).
        let (k, w) = (yaw / 2.0).sin_cos();
        let (cosine, sine) = (w * w - k * k, 2.0 * (w * k));
        let (ahead_x, ahead_y) = (length / 2.0 * cosine, length / 2.0 * sine);
        let (aside_x, aside_y) = (width / 2.0 * sine, width / 2.0 * cosine);
        let corners = [
            (x + ahead_x + aside_x, y + ahead_y - aside_y),
            (x + ahead_x - aside_x, y + ahead_y + aside_y),
            (x - ahead_x - aside_x, y - ahead_y + aside_y),
            (x - ahead_x + aside_x, y - ahead_y - aside_y),
        ];
        let orthogonal = |at: usize, one: usize, other: usize| {
            let (at, one, other) = (corners[at], corners[one], corners[other]);
            let product = (one.0 - at.0) * (other.0 - at.0) + (one.1 - at.1) * (other.1 - at.1);
            product.abs() <= 1e-8
        };
        if ![(0, 1, 3), (1, 0, 2), (2, 1, 3), (3, 0, 2)]
            .into_iter()
            .all(|(a, b, c)| orthogonal(a, b, c))
        {
            return Err(CuboidError::NotOrthogonal);
        }
        let bounds = corners.iter().fold((corners[0], corners[0]), |(low, high), corner| {
            (
                (low.0.min(corner.0), low.1.min(corner.1)),
                (high.0.max(corner.0), high.1.max(corner.1)),
            )
        });
        Ok(Cuboid {
            corners,
            bounds,
            bottom: z - height / 2.0,
            top: z + height / 2.0,
            volume: width * length * height,
        })
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Intersection over union, between 0 and 1; NaN where infinite heights leave it undefined.
    pub fn iou(&self, other: &Cuboid) -> f64 {
        let height = python_max(
            0.0,
            python_min(other.top, self.top) - python_max(other.bottom, self.bottom),
        );
        let ((left, below), (right, above)) = self.bounds;
        let ((other_left, other_below), (other_right, other_above)) = other.bounds;
        let apart =
            right < other_left || other_right < left || above < other_below || other_above < below;
        // Most pairs are apart, which is told faster than by cutting one along the other.
        let area = if apart { 0.0 } else { shared_area(&self.corners, &other.corners) };
        let intersection = height * area;
        let union = self.volume + other.volume - intersection;
        (intersection / union).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn boxes_are_checked() {
        let error = |center, size, yaw| Cuboid::new(center, size, yaw).unwrap_err();
        let (center, size) = ([1000.0, 500.0, -20.0], [2.0, 4.0, 2.0]);
        assert_eq!(error([f64::NAN, 0.0, 0.0], size, 0.0), CuboidError::NotANumber);
        assert_eq!(error(center, size, f64::INFINITY), CuboidError::NotANumber);
        assert_eq!(error(center, [2.0, 0.0, 2.0], 0.0), CuboidError::NotPositive);
        assert_eq!(error(center, [2.0, -4.0, 2.0], 0.0), CuboidError::NotPositive);
        assert_eq!(error([f64::INFINITY, 0.0, 0.0], size, 0.0), CuboidError::NotOrthogonal);
        assert_eq!(error(center, [2.0, f64::INFINITY, 2.0], 0.0), CuboidError::NotOrthogonal);
        assert_eq!(error([1e12, 0.0, 0.0], size, 0.3), CuboidError::NotOrthogonal);
        // What is infinite upwards overlaps nothing.
        let infinite = Cuboid::new([1000.0, 500.0, f64::INFINITY], size, 0.0).unwrap();
        assert_eq!(infinite.iou(&Cuboid::new(center, size, 0.0).unwrap()), 0.0);
        let infinite = Cuboid::new(center, [2.0, 4.0, f64::INFINITY], 0.0).unwrap();
        assert_eq!(infinite.iou(&Cuboid::new(center, size, 0.0).unwrap()), 0.0);
    }

    #[test]
    fn level_boxes_overlap_exactly() {
        let at = |x, z| Cuboid::new([x, 500.0, z], [2.0, 4.0, 2.0], 0.0).unwrap();
        for (x, z, expected) in [
            (1000.0, -20.0, 1.0),
            (1001.0, -20.0, 0.6),
            (1000.0, -19.0, 1.0 / 3.0),
            (1004.0, -20.0, 0.0),
        ] {
            assert_eq!(at(x, z).iou(&at(1000.0, -20.0)), expected, "{x} {z}");
        }
        assert_eq!(at(0.0, 0.0).volume(), 16.0);
    }

    /// Computed by Lyft's `mAP_evaluation.py` with shapely 2.0.6 and pyquaternion 0.9.9.
    #[test]
    fn turned_boxes_overlap_as_recorded() {
        for (center, size, yaw, other_center, other_size, other_yaw, expected) in [
            (
                [750.57, 2383.28, 1654.11],
                [1.74, 2.15, 5.3],
                -6.926,
                [751.85, 2384.47, 1653.98],
                [2.17, 2.03, 1.9],
                -6.926,
                0.029011117884030317,
            ),
            (
                [-329.54, 27.29, 320.98],
                [5.98, 4.86, 3.92],
                6.845,
                [-330.68, 25.93, 321.43],
                [0.74, 0.7, 3.33],
                -0.473,
                0.014425936156990584,
            ),
            (
                [2503.01, 775.36, 84.71],
                [3.23, 1.86, 0.56],
                -4.306,
                [2503.78, 774.16, 84.19],
                [0.52, 5.07, 1.35],
                -3.254,
                0.03962607921829687,
            ),
            (
                [2281.99, 58.74, 2082.9],
                [4.02, 4.58, 1.0],
                0.576,
                [2282.02, 60.23, 2082.35],
                [3.79, 0.83, 2.63],
                -2.477,
                0.09074687235117634,
            ),
            (
                [-2098.8, 1898.03, -723.32],
                [5.88, 3.74, 3.83],
                1.932,
                [-2098.09, 1896.63, -723.56],
                [1.82, 2.71, 1.03],
                1.932,
                0.03620215002893047,
            ),
            (
                [2806.97, -1709.98, 1030.59],
                [2.15, 5.31, 4.14],
                -5.157,
                [2808.35, -1708.2, 1032.21],
                [3.63, 1.3, 1.56],
                5.991,
                0.06241477461847932,
            ),
            (
                [313.96, -1916.69, 2304.34],
                [4.03, 3.63, 2.57],
                -1.247,
                [312.92, -1918.54, 2305.84],
                [3.07, 3.51, 2.27],
                3.519,
                0.06725962650693369,
            ),
            (
                [-2848.82, -766.89, -2817.9],
                [1.18, 5.82, 4.12],
                -1.005,
                [-2848.73, -765.4, -2818.52],
                [3.75, 4.26, 2.45],
                0.267,
                0.17022318803839623,
            ),
            (
                [1591.48, 2455.08, -2093.63],
                [5.63, 0.53, 4.64],
                4.347,
                [1590.03, 2454.76, -2092.37],
                [0.58, 3.96, 4.86],
                4.347,
                0.04482263110326795,
            ),
            (
                [78.02, 1355.1, -1641.46],
                [1.59, 2.5, 1.49],
                -2.155,
                [79.81, 1355.39, -1642.1],
                [1.99, 5.74, 2.94],
                6.726,
                0.12967149547861043,
            ),
            (
                [93.14, 127.0, 2379.24],
                [4.59, 3.69, 2.85],
                5.295,
                [92.79, 128.69, 2377.51],
                [2.86, 3.36, 5.73],
                -3.486,
                0.15485301591454984,
            ),
            (
                [1836.23, 1058.83, 1302.52],
                [3.96, 5.84, 2.33],
                -1.424,
                [1835.04, 1057.03, 1301.37],
                [5.54, 5.12, 1.12],
                1.453,
                0.09283562903274585,
            ),
            (
                [-124.82, 568.11, 955.65],
                [2.19, 5.79, 3.06],
                1.793,
                [-124.28, 566.85, 953.9],
                [2.76, 4.7, 4.98],
                1.793,
                0.23055260350143394,
            ),
            (
                [1379.94, -2320.77, 2480.13],
                [4.91, 5.33, 3.38],
                5.819,
                [1378.13, -2322.65, 2478.21],
                [1.89, 1.87, 1.53],
                0.939,
                0.009769228118185692,
            ),
            (
                [-2766.08, 542.33, -2003.93],
                [4.23, 0.62, 2.21],
                6.137,
                [-2765.93, 543.58, -2003.3],
                [3.86, 1.55, 3.66],
                -6.444,
                0.15995980179105107,
            ),
            (
                [1809.99, 2760.43, 2124.05],
                [0.78, 2.36, 2.25],
                -5.422,
                [1810.5, 2761.62, 2123.3],
                [5.25, 4.88, 1.21],
                3.736,
                0.054111918357699136,
            ),
        ] {
            let one = Cuboid::new(center, size, yaw).unwrap();
            let iou = one.iou(&Cuboid::new(other_center, other_size, other_yaw).unwrap());
            assert!((iou - expected).abs() < 1e-11, "{center:?} {iou} {expected}");
        }
    }

    /// Boxes scaled or moved so that they overlap by a threshold exactly, but for the rounding of their corners; whether
    /// they exceed it was recorded from the same programs.
    #[test]
    fn overlaps_at_a_threshold_fall_on_the_recorded_side() {
        for (center, size, yaw, other_center, other_size, other_yaw, threshold, above) in [
            (
                [937.0006195666679, 2008.0, 2816.8085363861965],
                [3.2, 0.78299336501397, 3.7455677689229914],
                0.5,
                [937.0006195666679, 2008.0, 2816.8085363861965],
                [3.2, 0.9211686647223176, 3.7455677689229914],
                0.5,
                0.85,
                false,
            ),
            (
                [-1081.8622225907018, 1758.8513199032484, -291.8087773594257],
                [2.5, 1.6419958104696368, 1.8914864572893426],
                3.888948778390434,
                [-1082.0, 1759.0, -291.8087773594257],
                [2.5, 1.6419958104696368, 1.8914864572893426],
                3.888948778390434,
                0.85,
                false,
            ),
            (
                [-1457.8682037813119, -2741.2994901910943, -1889.0],
                [2.6578954098512506, 0.3, 2.744788902392091],
                -2.0980907962040547,
                [-1457.8682037813119, -2741.2994901910943, -1889.0],
                [2.6578954098512506, 0.3, 2.3330705670332774],
                -2.0980907962040547,
                0.85,
                true,
            ),
            (
                [1174.0031146445826, 1591.7694759218211, 251.95537472268234],
                [2.495388034047187, 5.1990911419147725, 2.8928543102109097],
                10.061394829000673,
                [1174.0031146445826, 1591.7694759218211, 251.95537472268234],
                [4.990776068094374, 5.1990911419147725, 2.8928543102109097],
                3.778209521821087,
                0.5,
                false,
            ),
            (
                [236.0, 2961.4351905515587, 94.0],
                [0.3, 1.55833194714842, 1.210350535804963],
                FRAC_PI_2,
                [236.0, 2961.4351905515587, 94.0],
                [0.3, 0.9349991682890519, 1.210350535804963],
                FRAC_PI_2,
                0.6,
                true,
            ),
            (
                [-822.0, -459.0, -2780.774076379408],
                [1.6, 0.3, 3.2],
                3.841106064534494,
                [-822.0, -459.0, -2780.774076379408],
                [2.0, 0.3, 3.2],
                3.841106064534494,
                0.8,
                true,
            ),
            (
                [473.7421823419222, 1057.0, 1333.0197728197236],
                [1.6601702746247293, 4.0, 0.3],
                FRAC_PI_2,
                [474.2955724334638, 1057.0, 1333.0197728197236],
                [1.6601702746247293, 4.0, 0.3],
                FRAC_PI_2,
                0.5,
                true,
            ),
            (
                [2353.812865139433, 2820.0167266113313, 2381.7091615297477],
                [2.0, 0.7613921396640174, 1.0],
                3.3255939024479897,
                [2354.0, 2820.0515535887635, 2381.7091615297477],
                [2.0, 0.7613921396640174, 1.0],
                3.3255939024479897,
                0.6,
                false,
            ),
            (
                [1895.0, 562.3906021004486, 185.15746552589417],
                [1.6, 1.3061124540079718, 1.5798944732655105],
                PI,
                [1895.0, 562.3906021004486, 185.15746552589417],
                [1.6, 2.3747499163781303, 1.5798944732655105],
                FRAC_PI_2,
                0.55,
                true,
            ),
            (
                [-970.0523701769748, -1179.3196304095507, 2585.3833459851676],
                [0.3157894736842105, 1.0654274830139316, 0.3],
                -3.9840044559210908,
                [-970.0523701769748, -1179.3196304095507, 2585.3833459851676],
                [0.3, 1.0654274830139316, 0.3],
                -3.9840044559210908,
                0.95,
                true,
            ),
            (
                [95.77185755521239, 1543.3329740235085, -2857.0],
                [5.786914016168332, 5.291359041251982, 0.3],
                1.1562508567106917,
                [96.52853747452536, 1543.0, -2857.0],
                [5.786914016168332, 5.291359041251982, 0.3],
                1.1562508567106917,
                0.75,
                true,
            ),
            (
                [187.25859023919156, -677.1955970297704, -661.0],
                [1.2358824878931889, 0.8, 0.7200000000000001],
                -1.893542170277664,
                [187.25859023919156, -677.1955970297704, -661.0],
                [1.2358824878931889, 0.8, 0.8],
                -1.893542170277664,
                0.9,
                true,
            ),
            (
                [-323.0054997056598, -2059.1141533080004, 301.0],
                [0.8, 3.8278582445383416, 0.9672908824023586],
                3.0934516362911255,
                [-323.0, -2059.0, 301.0],
                [0.8, 3.8278582445383416, 0.9672908824023586],
                3.0934516362911255,
                0.75,
                false,
            ),
            (
                [2816.12929468781, 1451.4862708492647, -325.49610175675525],
                [0.8, 4.5947326245780165, 3.655515831215161],
                -FRAC_PI_2,
                [2815.9595977181134, 1451.4862708492647, -325.49610175675525],
                [0.8, 4.5947326245780165, 3.655515831215161],
                -FRAC_PI_2,
                0.65,
                true,
            ),
        ] {
            let one = Cuboid::new(center, size, yaw).unwrap();
            let iou = one.iou(&Cuboid::new(other_center, other_size, other_yaw).unwrap());
            assert_eq!(iou > threshold, above, "{center:?} {size:?} {iou}");
        }
    }

    proptest! {
        #[test]
        fn overlap_is_symmetric_and_turns_along(
            a in (-3.0f64..3.0, -3.0f64..3.0, 0.5f64..4.0, 0.5f64..4.0, -4.0f64..4.0),
            b in (-3.0f64..3.0, -3.0f64..3.0, 0.5f64..4.0, 0.5f64..4.0, -4.0f64..4.0),
            turn in -3.0f64..3.0,
        ) {
            let cuboid = |(x, y, width, length, yaw): (f64, f64, f64, f64, f64), turn: f64| {
                let (sine, cosine) = turn.sin_cos();
                let center = [x * cosine - y * sine, x * sine + y * cosine, 1.0];
                Cuboid::new(center, [width, length, 1.5], yaw + turn).unwrap()
            };
            let iou = cuboid(a, 0.0).iou(&cuboid(b, 0.0));
            prop_assert!((0.0..=1.0).contains(&iou));
            prop_assert!((iou - cuboid(b, 0.0).iou(&cuboid(a, 0.0))).abs() < 1e-9);
            prop_assert!((iou - cuboid(a, turn).iou(&cuboid(b, turn))).abs() < 1e-9);
            prop_assert!((cuboid(a, 0.0).iou(&cuboid(a, 0.0)) - 1.0).abs() < 1e-9);
        }
    }
}
