//! Python's `float()` of text.

/// Python's `float(text)`; `None` where Python raises a ValueError.
///
/// Whitespace around the number, underscores between digits, the decimal digits of all scripts, `nan`, `inf` and
/// `infinity` with a sign and in any case are fine; what is too large becomes infinite.
pub fn python_float(_text: &str) -> Option<f64> {
    todo!()
}
