//! Sine and cosine, rounded to the nearest float almost always.
//!
//! WebAssembly has no instructions for them, and what Rust brings along is off by the last digit in one of thirty. That is
//! as good as any for most ends, but the arc cosine of a product close to 1 makes 10⁻⁸ of it. The C library that numpy
//! calls gives the nearest float nearly always, and so does this: the leading terms of the Taylor series
//! are added in pairs of floats (T. J. Dekker, "A floating-point technique for extending the available precision",
//! Numerische Mathematik 18, 1971).

use std::ops::{Add, Mul};

/// A sum of two floats, the second below the last digit of the first.
#[derive(Debug, Clone, Copy)]
struct Pair {
    high: f64,
    low: f64,
}

impl Pair {
    const fn new(high: f64, low: f64) -> Pair {
        Pair { high, low }
    }

    /// The exact sum of two floats.
    fn sum(left: f64, right: f64) -> Pair {
        let high = left + right;
        let of_right = high - left;
        Pair::new(high, (left - (high - of_right)) + (right - of_right))
    }

    /// The exact product of two floats that are neither huge nor tiny.
    fn product(left: f64, right: f64) -> Pair {
        let high = left * right;
        let (left, right) = (halves(left), halves(right));
        let low = left.high * right.high - high + left.high * right.low + left.low * right.high;
        Pair::new(high, low + left.low * right.low)
    }
}

/// A float as the sum of its first and its last 26 binary digits.
fn halves(value: f64) -> Pair {
    const SHIFT: f64 = 134_217_729.0; // 2²⁷ + 1
    let shifted = SHIFT * value;
    let high = shifted - (shifted - value);
    Pair::new(high, value - high)
}

impl Add for Pair {
    type Output = Pair;

    fn add(self, other: Pair) -> Pair {
        let sum = Pair::sum(self.high, other.high);
        Pair::new(sum.high, sum.low + (self.low + other.low))
    }
}

impl Mul for Pair {
    type Output = Pair;

    fn mul(self, other: Pair) -> Pair {
        let product = Pair::product(self.high, other.high);
        Pair::new(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

/// Up to here, quarter turns times a part of `QUARTER_TURN` have no more digits than a float.
const MOST_QUARTER_TURNS: f64 = 1_048_576.0; // 2²⁰
/// π/2 in parts of 33 binary digits, and the rest.
const QUARTER_TURN: [f64; 4] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_711_166_5e-21,
    8.478_427_660_368_9e-32,
];

/// -1/6 and 1/24, and what is left of them beyond a float.
const MINUS_SIXTH: Pair = Pair::new(-1.0 / 6.0, -9.25185853854297e-18);
const ONE_OF_24: Pair = Pair::new(1.0 / 24.0, 2.3129646346357427e-18);
/// Of r⁵, r⁷ …
const OF_SINE: [f64; 7] = [
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
/// Of r⁶, r⁸ …
const OF_COSINE: [f64; 7] = [
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 6_402_373_705_728_000.0,
];

/// The sine and the cosine of an angle in radians. NaN of NaN and infinities.
///
/// Beyond half a million turns these are the standard library's.
pub fn sin_cos(angle: f64) -> (f64, f64) {
    /// Below, the sine is the angle and the cosine is 1, to the nearest float.
    const TINY: f64 = 7.450580596923828e-9; // 2⁻²⁷
    if angle.abs() < TINY {
        return (angle, 1.0);
    }
    let turns = (angle * std::f64::consts::FRAC_2_PI).round();
    if turns.is_nan() || turns.abs() >= MOST_QUARTER_TURNS {
        return angle.sin_cos();
    }
    let [first, second, third, last] = QUARTER_TURN.map(|part| Pair::new(-turns * part, 0.0));
    let rest = Pair::new(angle, 0.0) + first + second;
    let rest = Pair::sum(rest.high, rest.low + (third.high + last.high));
    let (sine, cosine) = of_eighth_turn(rest);
    turned(turns, sine, cosine)
}

/// The sines and the cosines of angles in radians, a few units of the last digit off at most (relative to the larger of
/// the two near a zero), in a small part of the time that as many [`sin_cos`] take.
///
/// # Panics
/// Where there is not as much room for sines and for cosines as there are angles.
pub fn sines_and_cosines_roughly(angles: &[f64], sines: &mut [f64], cosines: &mut [f64]) {
    assert!(angles.len() == sines.len() && angles.len() == cosines.len(), "room for all");
    let (blocks, last) = angles.as_chunks();
    let (sine_blocks, last_sines) = sines.as_chunks_mut();
    let (cosine_blocks, last_cosines) = cosines.as_chunks_mut();
    for ((angles, sines), cosines) in blocks.iter().zip(sine_blocks).zip(cosine_blocks) {
        block_roughly(angles, sines, cosines);
    }
    if !last.is_empty() {
        let mut block = [0.0; BLOCK];
        block[..last.len()].copy_from_slice(last);
        let [mut sines, mut cosines] = [[0.0; BLOCK]; 2];
        block_roughly(&block, &mut sines, &mut cosines);
        last_sines.copy_from_slice(&sines[..last.len()]);
        last_cosines.copy_from_slice(&cosines[..last.len()]);
    }
}

/// So many angles go together.
const BLOCK: usize = 128;

/// As [`sines_and_cosines_roughly`], of a block.
///
/// Nothing in the loops branches, so that they are done by vectors. There are several, with few operations in each that wait
/// for one another: meanwhile, a processor begins with the next angles if they are not too far ahead.
fn block_roughly(angles: &[f64; BLOCK], sines: &mut [f64; BLOCK], cosines: &mut [f64; BLOCK]) {
    /// A float of this size has its last binary digit at 1.
    const WHOLE: f64 = 6_755_399_441_055_744.0; // 3 · 2⁵¹
    let [mut rests, mut squares] = [[0.0; BLOCK]; 2];
    let mut quarters = [0_u64; BLOCK];
    let mut are_few = true;
    for place in 0..BLOCK {
        let turns = quarter_turns(angles[place]);
        are_few &= are_few_turns(turns);
        // Two binary digits say which quarter of a turn it is.
        quarters[place] = (turns + WHOLE).to_bits();
        let [first, second, third, _] = QUARTER_TURN;
        let rest = angles[place] - turns * first - turns * second - turns * third;
        rests[place] = rest;
        squares[place] = rest * rest;
    }
    let ([sine_factors @ .., sine_last], [cosine_factors @ .., cosine_last]) = (OF_SINE, OF_COSINE);
    for place in 0..BLOCK {
        let square = squares[place];
        sines[place] = further(sine_last, square, &sine_factors[3..]);
        cosines[place] = further(cosine_last, square, &cosine_factors[3..]);
    }
    for place in 0..BLOCK {
        let square = squares[place];
        sines[place] = further(sines[place], square, &sine_factors[..3]);
        cosines[place] = further(cosines[place], square, &cosine_factors[..3]);
    }
    for place in 0..BLOCK {
        let (rest, square, quarter) = (rests[place], squares[place], quarters[place]);
        let sine = rest + rest * square * (MINUS_SIXTH.high + square * sines[place]);
        let cosine = 1.0 - square * (0.5 - square * (ONE_OF_24.high + square * cosines[place]));
        let (sine, cosine) = if quarter & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
        let negated =
            |value: f64, digits: u64| f64::from_bits(value.to_bits() ^ ((digits & 0b10) << 62));
        sines[place] = negated(sine, quarter);
        cosines[place] = negated(cosine, quarter ^ (quarter << 1));
    }
    if are_few {
        return;
    }
    for place in 0..BLOCK {
        if !are_few_turns(quarter_turns(angles[place])) {
            (sines[place], cosines[place]) = angles[place].sin_cos();
        }
    }
}

/// The sum of a series, given that of the terms behind these.
#[inline]
fn further(sum: f64, square: f64, factors: &[f64]) -> f64 {
    factors.iter().rev().fold(sum, |sum, factor| sum * square + factor)
}

/// The number of quarter turns that is nearest to an angle.
#[inline]
fn quarter_turns(angle: f64) -> f64 {
    (angle * std::f64::consts::FRAC_2_PI).round_ties_even()
}

/// Whether an angle of so many quarter turns can be brought down to a part of one. NaN cannot.
#[inline]
fn are_few_turns(quarter_turns: f64) -> bool {
    quarter_turns.abs() < MOST_QUARTER_TURNS
}

/// The sine and the cosine of an angle that is so many quarter turns larger.
fn turned(quarter_turns: f64, sine: f64, cosine: f64) -> (f64, f64) {
    match (quarter_turns as i32).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// The sine and the cosine of an angle between -π/4 and π/4, by their Taylor series.
fn of_eighth_turn(angle: Pair) -> (f64, f64) {
    let square = angle * angle;
    // The terms that are small enough for floats.
    let small = |factors: &[f64; 7]| {
        let sum = factors.iter().rev().fold(0.0, |sum, factor| sum * square.high + factor);
        Pair::new(sum * square.high, 0.0)
    };
    let sine = angle + angle * (square * (MINUS_SIXTH + small(&OF_SINE)));
    let quartic = square * (ONE_OF_24 + small(&OF_COSINE));
    let cosine = Pair::new(1.0, 0.0) + square * (Pair::new(-0.5, 0.0) + quartic);
    (sine.high + sine.low, cosine.high + cosine.low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_the_gnu_c_library_to_the_last_digit() {
        // numpy 1.26.4 on glibc; Rust's own for WebAssembly give neighbours of all of these.
        for (angle, sine, cosine) in [
            (-0.4615483985330031, 0xbfdc805e754d5eb9, 0x3feca6d26f53fc0c),
            (0.8554855541751714, 0x3fe8280def22ee28, 0x3fe4fcbd6ecaa999),
            (2.148447915448693, 0x3feaced37be74da8, 0xbfe1794ec5870dff),
            (2.321387090903439, 0x3fe766b2027a06cc, 0xbfe5d386584ad091),
            (7.393403359304163, 0x3fecaa5b95804a0c, 0x3fdc72225941a87f),
            (-88.65335811159592, 0xbfe456b2c4ba1553, 0x3fe8b47d180fb9e9),
            (-351.2173656471456, 0x3fe322de86d0fb15, 0x3fe9a5d0fb39d3d2),
            (223829.81912969847, 0xbfe6371282ec85fd, 0xbfe70846b253f199),
        ] {
            let found = sin_cos(angle);
            assert_eq!((found.0.to_bits(), found.1.to_bits()), (sine, cosine), "{angle}");
        }
    }

    #[test]
    fn corners() {
        use std::f64::consts::{FRAC_PI_2, PI};
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert_eq!(sin_cos(1e-300), (1e-300, 1.0));
        // What π and π/2 are short of as floats.
        assert_eq!(sin_cos(PI), (1.2246467991473532e-16, -1.0));
        assert_eq!(sin_cos(FRAC_PI_2), (1.0, 6.123233995736766e-17));
        assert_eq!(sin_cos(-FRAC_PI_2), (-1.0, 6.123233995736766e-17));
        for angle in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let (sine, cosine) = sin_cos(angle);
            assert!(sine.is_nan() && cosine.is_nan());
        }
    }

    /// The sines and the cosines of angles, roughly.
    fn roughly(angles: &[f64]) -> Vec<(f64, f64)> {
        let [mut sines, mut cosines] = [vec![0.0; angles.len()], vec![0.0; angles.len()]];
        sines_and_cosines_roughly(angles, &mut sines, &mut cosines);
        sines.into_iter().zip(cosines).collect()
    }

    /// One of them, with a branch wherever there are two ways.
    fn one_roughly(angle: f64) -> (f64, f64) {
        let turns = (angle * std::f64::consts::FRAC_2_PI).round_ties_even();
        if turns.is_nan() || turns.abs() >= MOST_QUARTER_TURNS {
            return angle.sin_cos();
        }
        let [first, second, third, _] = QUARTER_TURN;
        let rest = angle - turns * first - turns * second - turns * third;
        let square = rest * rest;
        let series = |factors: &[f64; 7]| {
            factors.iter().rev().fold(0.0, |sum, factor| sum * square + factor)
        };
        let sine = rest + rest * square * (MINUS_SIXTH.high + square * series(&OF_SINE));
        let cosine = 1.0 - square * (0.5 - square * (ONE_OF_24.high + square * series(&OF_COSINE)));
        turned(turns, sine, cosine)
    }

    /// Whether all bits are the same, those of NaN aside.
    fn is_same(left: (f64, f64), right: (f64, f64)) -> bool {
        let is_same = |left: f64, right: f64| {
            left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
        };
        is_same(left.0, right.0) && is_same(left.1, right.1)
    }

    /// Angles of all kinds, many of them next to where something changes.
    fn angle() -> impl Strategy<Value = f64> {
        let near = |eighth_turns: f64, ulps: i64| {
            let angle = eighth_turns * std::f64::consts::FRAC_PI_4;
            f64::from_bits(angle.to_bits().wrapping_add_signed(ulps))
        };
        prop_oneof![
            8 => -7.0..7.0_f64,
            2 => -2e6..2e6_f64,
            2 => (-40..40_i32, -3..4_i64).prop_map(move |(turns, ulps)| near(turns.into(), ulps)),
            1 => (-2_200_000..2_200_000_i32, -3..4_i64)
                .prop_map(move |(turns, ulps)| near(turns.into(), ulps)),
            1 => (-3..4_i64, any::<bool>()).prop_map(move |(ulps, is_negative)| {
                let angle = near(2.0 * MOST_QUARTER_TURNS, ulps);
                if is_negative { -angle } else { angle }
            }),
            1 => prop::num::f64::ANY,
        ]
    }

    proptest! {
        #[test]
        fn is_near_the_standard_library(angle in prop_oneof![-4.0..4.0_f64, -2e6..2e6_f64]) {
            let (found, expected) = (sin_cos(angle), angle.sin_cos());
            for (found, expected) in [(found.0, expected.0), (found.1, expected.1)] {
                prop_assert!((found - expected).abs() <= 4e-16 * expected.abs(), "{found} {expected}");
            }
        }

        #[test]
        fn is_roughly_the_same(angle in prop_oneof![-7.0..7.0_f64, -2e6..2e6_f64]) {
            let (found, expected) = (roughly(&[angle])[0], sin_cos(angle));
            for (found, expected) in [(found.0, expected.0), (found.1, expected.1)] {
                prop_assert!((found - expected).abs() <= 4e-16, "{found} {expected}");
            }
        }

        #[test]
        fn many_are_what_each_is(angles in prop::collection::vec(angle(), 0..300)) {
            for (angle, found) in angles.iter().zip(roughly(&angles)) {
                prop_assert!(is_same(found, one_roughly(*angle)), "{angle:?} {found:?}");
            }
        }
    }
}
