//! Python's `float()` of text.

use super::decimal::{plain_number, without_underscores};

/// Python's `float(text)`; `None` where Python raises a ValueError.
///
/// Whitespace around the number, underscores between digits, the decimal digits of all scripts, `nan`, `inf` and
/// `infinity` with a sign and in any case are fine; what is too large becomes infinite.
pub fn python_float(text: &str) -> Option<f64> {
    let plain = plain_number(text)?;
    // Rust reads the same numbers and words as Python, correctly rounded; underscores are all that it does not know.
    without_underscores(&plain)?.parse().ok()
}
