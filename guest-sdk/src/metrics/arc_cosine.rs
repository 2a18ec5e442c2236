//! The arc cosines of many numbers, to the bit as the standard library has them in WebAssembly.
//!
//! That takes one of three ways, by the sign and the size of a number, and each number is a call. Here, all ways are gone
//! at once, so that a loop of them is done by vectors; each addition and each product is the one that the standard library
//! makes, with its factors, which are those of FreeBSD's msun (`e_acos.c`).

/// π/2, and what is left of it beyond a float.
const RIGHT_ANGLE: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);
/// The arc sine of x is about x + x · x² · p(x²) / q(x²): the factors of p and of q.
const NUMERATOR: [f64; 6] = [
    1.0 / 6.0,
    -0.3255658186224009,
    0.20121253213486293,
    -0.04005553450067941,
    0.0007915349942898145,
    3.479331075960212e-5,
];
const DENOMINATOR: [f64; 5] =
    [1.0, -2.403394911734414, 2.0209457602335057, -0.6882839716054533, 0.07703815055590194];

/// Puts the arc cosine of each number in its place. NaN of what is not between -1 and 1.
pub fn arc_cosines(numbers: &mut [f64]) {
    for number in numbers {
        *number = arc_cosine(*number);
    }
}

/// One of [`arc_cosines`]. All ways are gone, and one result is taken: a branch would keep a loop from vectors.
#[inline]
fn arc_cosine(cosine: f64) -> f64 {
    let size = cosine.abs();
    let is_steep = size < 0.5;
    // Far from a right angle, by half of the angle: its sine is the root of this.
    let square = if is_steep { cosine * cosine } else { (1.0 - size) * 0.5 };
    let quotient = square * polynomial(&NUMERATOR, square) / polynomial(&DENOMINATOR, square);
    let steep = RIGHT_ANGLE.0 - (cosine - (RIGHT_ANGLE.1 - cosine * quotient));
    let sine = square.sqrt();
    let obtuse = 2.0 * (RIGHT_ANGLE.0 - (sine + (quotient * sine - RIGHT_ANGLE.1)));
    // The sine in two parts, of which the square of the first is exact.
    let high = f64::from_bits(sine.to_bits() & 0xFFFF_FFFF_0000_0000);
    let low = (square - high * high) / (sine + high);
    let acute = 2.0 * (high + (quotient * sine + low));
    // The parts of that angle's sine would be 0 and 0/0.
    let acute = if cosine == 1.0 { 0.0 } else { acute };
    let flat = if cosine < 0.0 { obtuse } else { acute };
    if is_steep { steep } else { flat }
}

/// The sum of the factors times the powers of a number.
#[inline]
fn polynomial<const COUNT: usize>(factors: &[f64; COUNT], number: f64) -> f64 {
    let [lower @ .., last] = factors.as_slice() else { return 0.0 };
    lower.iter().rev().fold(*last, |sum, factor| sum * number + factor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The arc cosine of a number.
    fn one(number: f64) -> f64 {
        let mut numbers = [number];
        arc_cosines(&mut numbers);
        numbers[0]
    }

    /// The same with a branch for each way.
    fn by_branches(number: f64) -> f64 {
        let (right_angle, rest) = RIGHT_ANGLE;
        let quotient = |square: f64| {
            square * polynomial(&NUMERATOR, square) / polynomial(&DENOMINATOR, square)
        };
        if number == 1.0 {
            return 0.0;
        }
        if number.abs() < 0.5 {
            return right_angle - (number - (rest - number * quotient(number * number)));
        }
        let square = (1.0 - number.abs()) * 0.5;
        let sine = square.sqrt();
        if number < 0.0 {
            return 2.0 * (right_angle - (sine + (quotient(square) * sine - rest)));
        }
        let high = f64::from_bits(sine.to_bits() >> 32 << 32);
        2.0 * (high + (quotient(square) * sine + (square - high * high) / (sine + high)))
    }

    #[test]
    fn agrees_with_webassembly() {
        // The digest (FNV-1a, word by word) of what `f64::acos` gives there, Rust 1.95.
        let numbers = (0..=100_000).map(|place| f64::from(place) / 50_000.0 - 1.0);
        let mut numbers: Vec<f64> = numbers.collect();
        arc_cosines(&mut numbers);
        let digest = numbers.iter().fold(0xcbf2_9ce4_8422_2325, |digest: u64, angle| {
            (digest ^ angle.to_bits()).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(digest, 0x3cad_a795_0574_dec2, "{digest:x}");
    }

    #[test]
    fn corners() {
        use std::f64::consts::{FRAC_PI_2, PI};
        for (number, expected) in [(1.0, 0.0), (-1.0, PI), (0.0, FRAC_PI_2), (-0.0, FRAC_PI_2)] {
            assert_eq!(one(number).to_bits(), f64::to_bits(expected), "{number}");
        }
        for number in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1.0_f64.next_up(), -2.0] {
            assert!(one(number).is_nan(), "{number}");
        }
    }

    proptest! {
        #[test]
        fn many_are_what_each_is(numbers in prop::collection::vec(
            prop_oneof![
                4 => -1.0..1.0_f64,
                1 => (prop::sample::select(vec![0.5, -0.5, 1.0, -1.0]), -3..4_i64).prop_map(
                    |(number, ulps)| f64::from_bits(f64::to_bits(number).wrapping_add_signed(ulps)),
                ),
                1 => prop::num::f64::ANY,
            ],
            0..100,
        )) {
            let mut angles = numbers.clone();
            arc_cosines(&mut angles);
            for (number, angle) in numbers.into_iter().zip(angles) {
                let expected = by_branches(number);
                let is_same = angle.to_bits() == expected.to_bits();
                prop_assert!(is_same || angle.is_nan() && expected.is_nan(), "{number:?} {angle}");
                let near = number.acos();
                let is_near = (angle - near).abs() <= 4.0 * f64::EPSILON * near;
                prop_assert!(is_near || near.is_nan(), "{angle} is not {near}");
            }
        }
    }
}
