//! Names and paths as a shell takes them: for commands and arguments that hints propose.

use std::path::Path;

use podium::told;

/// A text as one word of a shell, in quotes where it needs them. What steers a terminal is an escape, within `$'…'`, which
/// bash, zsh and others read.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |character: char| {
        character.is_alphanumeric()
            || matches!(character, '-' | '_' | '.' | '/' | '=' | '@' | '%' | '+' | ':' | ',')
    };
    if text.chars().any(told::steers) {
        let quoted = text.chars().fold(String::new(), |mut quoted, character| {
            match character {
                '\\' | '\'' => quoted.extend(['\\', character]),
                character if told::steers(character) => {
                    quoted.push_str(&format!("\\U{:08x}", u32::from(character)));
                }
                character => quoted.push(character),
            }
            quoted
        });
        return format!("$'{quoted}'");
    }
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// As [`shell_word`], of a path.
pub(crate) fn shell_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, word) in [
            ("good-1", "good-1"),
            ("runs/x_1.json", "runs/x_1.json"),
            ("größer", "größer"),
            ("", "''"),
            ("a b", "'a b'"),
            ("$(rm x)", "'$(rm x)'"),
            ("it's", "'it'\\''s'"),
            ("~", "'~'"),
            ("a\\b", "'a\\b'"),
            ("a\nb'\\", "$'a\\U0000000ab\\'\\\\'"),
            ("\u{202e}", "$'\\U0000202e'"),
        ] {
            assert_eq!(shell_word(text), word, "{text:?}");
        }
    }
}
