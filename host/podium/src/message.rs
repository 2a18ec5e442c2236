//! Text out of a grader, made fit for terminals, logs and pages: cut, and without control characters.

use std::fmt::Write as _;

/// The first `characters` of a text, with an ellipsis where something was cut, and with everything escaped that
/// could steer a terminal or hide or reorder text.
///
/// Line feeds and tabs stay: messages have lines. Other control characters, carriage returns included, the marks that
/// change the direction of text, and separators that some programs take for line ends become `\u{…}`.
pub(crate) fn fit(text: &str, characters: usize) -> String {
    let mut fitted = String::with_capacity(text.len().min(characters.saturating_mul(4)));
    let mut rest = text.chars();
    for character in rest.by_ref().take(characters) {
        push(&mut fitted, character);
    }
    if rest.next().is_some() {
        fitted.push('…');
    }
    fitted
}

/// The text on one line, cut and escaped as by [`fit`], line feeds and tabs included: for names, which have no lines.
pub(crate) fn fit_line(text: &str, characters: usize) -> String {
    fit(text, characters).replace('\n', "\\u{a}").replace('\t', "\\u{9}")
}

fn push(fitted: &mut String, character: char) {
    if matches!(character, '\n' | '\t') || !steers(character) {
        fitted.push(character);
    } else {
        // Writing to a String cannot fail.
        let _ = write!(fitted, "\\u{{{:x}}}", u32::from(character));
    }
}

/// Whether a character could steer a terminal, or hide or reorder text.
pub(crate) fn steers(character: char) -> bool {
    character.is_control() || is_invisible_steering(character)
}

/// Characters that are not control characters by Unicode's categories, but act as such where text is shown: directional
/// marks (UAX #9), line and paragraph separators, zero-width characters, the byte-order mark and tag characters.
fn is_invisible_steering(character: char) -> bool {
    matches!(
        character,
        '\u{061c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_what_people_write_is_kept() {
        for (text, expected) in [
            ("Column `Straße` is missing.\n\tGot: 数", "Column `Straße` is missing.\n\tGot: 数"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\r\nb", "a\\u{d}\nb"),
            ("a\0b\u{7f}c\u{9b}31m", "a\\u{0}b\\u{7f}c\\u{9b}31m"),
            ("\u{202e}txet", "\\u{202e}txet"),
            ("a\u{2028}b\u{feff}", "a\\u{2028}b\\u{feff}"),
        ] {
            assert_eq!(fit(text, 2_000), expected, "{text:?}");
        }
    }

    #[test]
    fn names_have_one_line() {
        assert_eq!(fit_line("a\nb\tc\u{2028}d", 99), "a\\u{a}b\\u{9}c\\u{2028}d");
        assert_eq!(fit_line("ab\n", 2), "ab…");
    }

    #[test]
    fn long_text_is_cut_at_characters_and_says_so() {
        assert_eq!(fit("ééé", 3), "ééé");
        assert_eq!(fit("éééé", 3), "ééé…");
        assert_eq!(fit("", 0), "");
        assert_eq!(fit("a", 0), "…");
    }

    proptest! {
        #[test]
        fn nothing_that_steers_survives(text in ".*|\\PC*|[\u{0}-\u{ff}]*", characters in 0usize..60) {
            let fitted = fit(&text, characters);
            let steers = fitted.chars().any(|character| {
                (character.is_control() && !matches!(character, '\n' | '\t'))
                    || is_invisible_steering(character)
            });
            prop_assert!(!steers);
            prop_assert_eq!(fit(&fitted, usize::MAX), fitted);
        }
    }
}
