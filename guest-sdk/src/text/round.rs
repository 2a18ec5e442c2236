//! Rounding to decimal places, as Python does it and as numpy does it.

/// Python's `round(value, places)` of a float: to the nearest decimal of that many places by the exact value of the
/// float, halves to even.
pub fn python_round(value: f64, places: u32) -> f64 {
    // From so many places on nothing is cut off: all floats above the subnormals have fewer.
    const EXACT_PLACES: u32 = 323;
    if !value.is_finite() || places > EXACT_PLACES {
        return value;
    }
    // Formatting works on the exact decimal expansion and takes halves to even; what it gives is read back as the
    // nearest float, which is how Python rounds too.
    format!("{value:.*}", places as usize).parse().expect("a formatted float reads back")
}

/// numpy's `round(values, places)` of a float64: multiply by the power of ten, round halves to even, divide.
pub fn numpy_round(value: f64, places: u32) -> f64 {
    if places == 0 {
        return value.round_ties_even();
    }
    let scale = 10_f64.powi(i32::try_from(places).unwrap_or(i32::MAX));
    (value * scale).round_ties_even() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_differ_between_python_and_numpy() {
        // Value, places, Python's round, numpy's round; recorded from both.
        let cases = [
            (2.5e-5, 5, 3e-5, 2e-5),
            (0.125, 2, 0.12, 0.12),
            (0.375, 2, 0.38, 0.38),
            (2.675, 2, 2.67, 2.68),
            (1.005, 2, 1.0, 1.0),
            (0.5, 0, 0.0, 0.0),
            (1.5, 0, 2.0, 2.0),
            (-2.5, 0, -2.0, -2.0),
            (-0.000_001, 5, -0.0, -0.0),
            (1e300, 5, 1e300, 1.000_000_000_000_000_2e300),
            (0.123_455, 5, 0.12345, 0.12346),
        ];
        for (value, places, python, numpy) in cases {
            assert_eq!(
                python_round(value, places).to_bits(),
                f64::to_bits(python),
                "round({value}, {places})"
            );
            assert_eq!(
                numpy_round(value, places).to_bits(),
                f64::to_bits(numpy),
                "np.round({value}, {places})"
            );
        }
        assert!(python_round(f64::NAN, 5).is_nan());
        assert_eq!(python_round(f64::INFINITY, 5), f64::INFINITY);
        assert_eq!(numpy_round(f64::NEG_INFINITY, 5), f64::NEG_INFINITY);
    }
}
