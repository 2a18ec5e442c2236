//! Rounding to decimal places, as Python does it and as numpy does it.

/// Python's `round(value, places)` of a float: to the nearest decimal of that many places by the exact value of the
/// float, halves to even.
pub fn python_round(_value: f64, _places: u32) -> f64 {
    todo!()
}

/// numpy's `round(values, places)` of a float64: multiply by the power of ten, round halves to even, divide.
pub fn numpy_round(_value: f64, _places: u32) -> f64 {
    todo!()
}
