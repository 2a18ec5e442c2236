//! Python's `str.lower()`.

use std::borrow::Cow;

/// Python's `text.lower()`, with the final sigma and the two characters that `İ` becomes.
pub fn python_lower(_text: &str) -> Cow<'_, str> {
    todo!()
}
