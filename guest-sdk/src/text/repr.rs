//! Python's `repr()` of a float.

/// Python's `repr(value)`, which is also its `str()`: the shortest decimal that reads back as the same float, with an
/// exponent from 1e+16 on and below 1e-04: `7.0`, `0.1`, `1e+20`, `1e-05`, `inf`, `nan`.
pub fn python_float_repr(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = shortest(value);
    let (mantissa, exponent) = scientific.split_once('e').expect("written with an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is an integer");
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (sign, size) = match mantissa.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", mantissa),
    };
    let mut digits: String = size.chars().filter(|character| *character != '.').collect();
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    if digits.len() < exponent + 2 {
        digits.push_str(&"0".repeat(exponent + 2 - digits.len()));
    }
    let (whole, fraction) = digits.split_at(exponent + 1);
    format!("{sign}{whole}.{fraction}")
}

/// The shortest decimal that reads back as the same float, as `d.ddde-d`.
///
/// Where two decimals of that length are equally near, Python takes the even one and Rust the larger; so the nearest is
/// worked out again from the exact value, halves to even. It need not read back beside a power of two.
fn shortest(value: f64) -> String {
    let shortest = format!("{value:e}");
    let (mantissa, exponent) = shortest.split_once('e').expect("written with an exponent");
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let exponent: i64 = exponent.parse().expect("an exponent is an integer");
    if may_be_halfway(value, digits as i64 - 1 - exponent) {
        let nearest = format!("{value:.*e}", digits - 1);
        if nearest.parse() == Ok(value) {
            return nearest;
        }
    }
    shortest
}

/// Whether the exact value may lie halfway between two decimals of that many places: it has one place more then. A
/// binary fraction has as many decimal places as binary ones.
fn may_be_halfway(value: f64, places: i64) -> bool {
    const MANTISSA_BITS: i64 = 52;
    const SMALLEST_EXPONENT: i64 = 1074;
    let bits = value.abs().to_bits();
    let exponent = (bits >> MANTISSA_BITS) as i64;
    let mantissa = bits & ((1 << MANTISSA_BITS) - 1);
    let (mantissa, binary_places) = match exponent {
        0 => (mantissa, SMALLEST_EXPONENT),
        _ => (mantissa | 1 << MANTISSA_BITS, SMALLEST_EXPONENT + 1 - exponent),
    };
    let binary_places = binary_places - i64::from(mantissa.trailing_zeros());
    binary_places <= 0 || binary_places == places + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn recorded_from_python() {
        let cases = [
            (7.0, "7.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (-123.456, "-123.456"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (1e22, "1e+22"),
            (1e23, "1e+23"),
            (0.0001, "0.0001"),
            (0.000_123, "0.000123"),
            (9.999e-5, "9.999e-05"),
            (1e-5, "1e-05"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "nan"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, expected) in cases {
            assert_eq!(python_float_repr(value), expected);
        }
    }

    #[test]
    fn of_two_equally_near_decimals_the_even_one_is_taken() {
        // Exact values of floats that read back from sixteen digits, the last of which would be a half.
        let cases = [
            ("-14.1940460205078125", "-14.194046020507812"),
            ("606.80963134765625", "606.8096313476562"),
            ("96.592529026490625", "96.59252902649062"),
            ("-3.91211700439453125", "-3.9121170043945312"),
        ];
        for (exact, expected) in cases {
            let value: f64 = exact.parse().expect("a number");
            assert_eq!(python_float_repr(value), expected);
        }
    }

    proptest! {
        #[test]
        fn reads_back_as_the_same_float(value in any::<f64>()) {
            let text = python_float_repr(value);
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }
}
