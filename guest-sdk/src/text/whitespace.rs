//! Python's whitespace: which characters are, splitting at it and stripping it.

/// Whether Python's `str.isspace()` holds for the character: what `split()` splits at and `strip()` strips.
pub fn is_python_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r'
            | '\x1c'..=' '
            | '\u{85}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
    )
}

/// Python's `text.split()`: the words between runs of whitespace, none of them empty.
///
/// Python's `text.split(separator)`, which keeps empty parts, is [`str::split`].
pub fn python_split(text: &str) -> impl DoubleEndedIterator<Item = &str> + Clone {
    text.split(is_python_space).filter(|word| !word.is_empty())
}

/// Python's `text.strip()`.
pub fn python_strip(text: &str) -> &str {
    text.trim_matches(is_python_space)
}
