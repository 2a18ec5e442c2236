//! Decimal digits to numbers, many at a time: eight digits in one word, and the nearest float of digits and a power of ten.

/// Eight bytes in a word, the first in its lowest byte.
pub(super) mod swar {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;

    /// The first powers of ten.
    pub(crate) const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

    /// Which bits of a word are those of so many of its last bytes.
    pub(crate) const LAST_BYTES: [u64; 9] = {
        let mut last = [0; 9];
        let mut bytes = 1;
        while bytes < last.len() {
            last[bytes] = u64::MAX << (64 - 8 * bytes);
            bytes += 1;
        }
        last
    };

    /// The eight bytes that end before `end`; `None` where there are less.
    #[inline(always)]
    pub(crate) fn word_before(bytes: &[u8], end: usize) -> Option<u64> {
        let word = bytes.get(end.checked_sub(8)?..end)?;
        word.first_chunk().map(|word| u64::from_le_bytes(*word))
    }

    /// The eight bytes from `at` on, with zeros in the place of those that are not there.
    #[inline(always)]
    pub(crate) fn word_or_less(bytes: &[u8], at: usize) -> u64 {
        match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => less(bytes, at),
        }
    }

    #[cold]
    fn less(bytes: &[u8], at: usize) -> u64 {
        let rest = bytes.get(at..).unwrap_or_default();
        rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
    }

    /// Letters to digits: what is above 9 was no digit.
    #[inline(always)]
    pub(crate) fn digits(word: u64) -> u64 {
        word ^ (u64::from(b'0') * EACH)
    }

    /// The high bits of bytes that are no digits, right up to the first of these.
    #[inline(always)]
    fn others(digits: u64) -> u64 {
        // What is carried comes out of a byte that is no digit.
        (digits.wrapping_add((0x7F - 9) * EACH) | digits) & HIGH
    }

    /// Whether all bytes are digits.
    #[inline(always)]
    pub(crate) fn are_digits(digits: u64) -> bool {
        others(digits) == 0
    }

    /// How many of the first bytes are digits.
    #[inline(always)]
    pub(crate) fn leading_digits(digits: u64) -> usize {
        others(digits).trailing_zeros() as usize / 8
    }

    /// The number that eight digits write: neighbours are made into pairs, these into fours, and these into eight.
    #[inline(always)]
    pub(crate) fn number(digits: u64) -> u64 {
        const PAIRS: u64 = 0x0000_00FF_0000_00FF;
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
        let upper = (pairs & PAIRS).wrapping_mul(100 + (1_000_000 << 32));
        let lower = (pairs >> 16 & PAIRS).wrapping_mul(1 + (10_000 << 32));
        upper.wrapping_add(lower) >> 32
    }
}

/// Up to here, all whole numbers are floats.
const EXACT: u64 = 1 << 53;

/// The powers of ten that are floats.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// How many reciprocals of powers of ten are known: ten times the largest power fits 128 bits.
const RECIPROCALS: usize = 38;

/// A reciprocal of a power of ten: the first 64 binary digits, cut off, and how often they are halved.
#[derive(Clone, Copy)]
struct Reciprocal {
    digits: u64,
    halvings: i32,
}

/// The reciprocals of the powers of ten from 10⁰ on.
static OF_POWERS: [Reciprocal; RECIPROCALS] = reciprocals();

const fn reciprocals() -> [Reciprocal; RECIPROCALS] {
    let mut reciprocals = [Reciprocal { digits: 1 << 63, halvings: 63 }; RECIPROCALS];
    let mut power: u128 = 1;
    let mut place = 1;
    while place < RECIPROCALS {
        power *= 10;
        // Long division of a power of two, up to 64 digits that begin with a one.
        let (mut rest, mut digits, mut halvings) = (1_u128, 0_u64, 0);
        while digits < 1 << 63 {
            rest *= 2;
            halvings += 1;
            digits = digits << 1 | (rest >= power) as u64;
            if rest >= power {
                rest -= power;
            }
        }
        reciprocals[place] = Reciprocal { digits, halvings };
        place += 1;
    }
    reciprocals
}

/// The float nearest to `digits` times the power of ten; `None` where that takes more than a multiplication to tell.
///
/// Where both are floats, one operation rounds once (Clinger 1990, "How to read floating point numbers accurately"). Else
/// the digits are multiplied by the first 64 binary digits of the reciprocal of the power. What those leave out is less than one
/// unit in the last of the product's upper 64 digits, which decides about the rounding once in a thousand times.
#[inline(always)]
pub(super) fn power_of_ten_apart(digits: u64, exponent: i32) -> Option<f64> {
    if digits <= EXACT {
        return match usize::try_from(exponent) {
            Ok(times) => Some(digits as f64 * POWERS_OF_TEN.get(times)?),
            Err(_) if exponent >= -22 => {
                Some(digits as f64 / POWERS_OF_TEN[exponent.unsigned_abs() as usize])
            }
            Err(_) => divided(digits, exponent.unsigned_abs() as usize),
        };
    }
    if exponent > 0 { None } else { divided(digits, exponent.unsigned_abs() as usize) }
}

/// The float nearest to `digits` divided by a power of ten.
#[inline(always)]
fn divided(digits: u64, power: usize) -> Option<f64> {
    let reciprocal = OF_POWERS.get(power)?;
    if digits == 0 {
        return Some(0.0);
    }
    let shift = digits.leading_zeros();
    let upper = upper_product(digits << shift, reciprocal.digits);
    // Two numbers that begin with a one: their product does, or its second digit is one.
    let (upper, doublings) = if upper >> 63 == 1 { (upper, 64) } else { (upper << 1, 63) };
    // The true product is this and less than three more: what was left out of the reciprocal and of the lower half,
    // perhaps doubled. Of 64 digits a float holds 53, and 11 decide about them.
    const HALF: u64 = 1 << 10;
    const DECIDING: u64 = (1 << 11) - 1;
    let deciding = upper & DECIDING;
    if deciding <= HALF && deciding + 4 > HALF {
        return None;
    }
    let mantissa = (upper >> 11) + u64::from(deciding > HALF);
    // A mantissa that was rounded up to 2⁵³ is a float as well. Neither it nor the power of two is near the ends of
    // what floats hold, so both the conversion and the product are exact.
    let exponent = doublings + 11 - shift as i32 - reciprocal.halvings;
    Some(mantissa as f64 * power_of_two(exponent))
}

/// The power of two of an exponent of a normal float.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The upper half of a product; WebAssembly has no instruction for it.
#[inline(always)]
fn upper_product(left: u64, right: u64) -> u64 {
    const LOWER: u64 = u32::MAX as u64;
    let (left_upper, left_lower) = (left >> 32, left & LOWER);
    let (right_upper, right_lower) = (right >> 32, right & LOWER);
    let lower = left_lower.wrapping_mul(right_lower);
    let middle = left_upper.wrapping_mul(right_lower).wrapping_add(lower >> 32);
    let other = left_lower.wrapping_mul(right_upper).wrapping_add(middle & LOWER);
    left_upper.wrapping_mul(right_upper).wrapping_add(middle >> 32).wrapping_add(other >> 32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nearest(digits: u64, exponent: i32) -> f64 {
        format!("{digits}e{exponent}").parse().unwrap()
    }

    #[test]
    fn what_is_close_to_the_middle_of_two_floats_is_left_to_others() {
        // 2⁵³ + 1 lies in the middle.
        assert_eq!(power_of_ten_apart(90_071_992_547_409_930, -1), None);
        assert_eq!(power_of_ten_apart(u64::MAX, 1), None);
        assert_eq!(power_of_ten_apart(1, 23), None);
        assert_eq!(power_of_ten_apart(1, -38), None);
        assert_eq!(power_of_ten_apart(0, -30), Some(0.0));
    }

    #[test]
    fn most_numbers_are_told() {
        let told = (0..10_000_u64).filter(|number| {
            let digits = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 6;
            power_of_ten_apart(digits, -17).is_some()
        });
        assert!(told.count() > 9_900);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn floats_are_the_nearest(digits in any::<u64>(), bits in 0_u32..64, exponent in -40_i32..25) {
            let digits = digits >> bits;
            if let Some(found) = power_of_ten_apart(digits, exponent) {
                prop_assert_eq!(found.to_bits(), nearest(digits, exponent).to_bits());
            }
        }

        #[test]
        fn middles_and_their_neighbours_are_told_rightly(
            float in any::<u64>(), power in 0_u32..20, off in -3_i64..4,
        ) {
            // The digits of the middle of two floats, or close to it.
            let middle = u128::from(float >> 11 | 1 << 52) * 2 + 1;
            let digits = ((middle * 10_u128.pow(power)) >> 54) as u64;
            let digits = digits.wrapping_add_signed(off);
            for exponent in [0, -(power as i32)] {
                if let Some(found) = power_of_ten_apart(digits, exponent) {
                    prop_assert_eq!(found.to_bits(), nearest(digits, exponent).to_bits());
                }
            }
        }

        #[test]
        fn eight_digits_are_a_number(number in 0_u64..100_000_000) {
            let text = format!("{number:08}");
            let word = swar::digits(swar::word_or_less(text.as_bytes(), 0));
            prop_assert!(swar::are_digits(word));
            prop_assert_eq!(swar::number(word), number);
        }

        #[test]
        fn digits_are_counted(bytes in prop::collection::vec(any::<u8>(), 0..10)) {
            let word = swar::digits(swar::word_or_less(&bytes, 0));
            let count = bytes.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
            prop_assert_eq!(swar::leading_digits(word), count);
            prop_assert_eq!(swar::are_digits(word), count == 8);
        }

        #[test]
        fn upper_products_are_those_of_128_bits(left in any::<u64>(), right in any::<u64>()) {
            prop_assert_eq!(upper_product(left, right), ((u128::from(left) * u128::from(right)) >> 64) as u64);
        }
    }
}
