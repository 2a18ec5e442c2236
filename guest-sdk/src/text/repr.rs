//! Python's `repr()` of a float.

/// Python's `repr(value)`, which is also its `str()`: the shortest decimal that reads back as the same float, with an
/// exponent from 1e+16 on and below 1e-04: `7.0`, `0.1`, `1e+20`, `1e-05`, `inf`, `nan`.
pub fn python_float_repr(_value: f64) -> String {
    todo!()
}
