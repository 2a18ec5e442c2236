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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_pythons() {
        let cases: [(&str, &[&str]); 6] = [
            ("", &[]),
            (" \t\u{3000}", &[]),
            ("a b", &["a", "b"]),
            ("  a\u{a0}b\x1cc\u{85}d\u{2028}e ", &["a", "b", "c", "d", "e"]),
            ("a\u{200b}b\u{2060}c\u{180e}d\u{feff}", &["a\u{200b}b\u{2060}c\u{180e}d\u{feff}"]),
            ("1\r\n2", &["1", "2"]),
        ];
        for (text, words) in cases {
            assert_eq!(python_split(text).collect::<Vec<_>>(), words, "{text:?}");
        }
        assert_eq!(python_strip("\u{a0} a b\x1f"), "a b");
        assert_eq!(python_strip("\u{200b}a"), "\u{200b}a");
    }
}
