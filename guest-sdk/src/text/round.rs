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
