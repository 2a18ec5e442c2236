//! What a competition's id may be: the one rule, for definitions, for graders and for whoever asks.
//!
//! An id is also the name of a folder and part of the names of files, so it can never lead anywhere else.

/// The most characters of an id.
const LONGEST: usize = 100;

/// Says what is wrong with the id of a competition, if anything is.
///
/// # Errors
/// A sentence with the id in it, its control characters escaped.
pub fn check(id: &str) -> Result<(), String> {
    if id.is_empty() {
        return Err("a competition id is never empty".to_owned());
    }
    if id.len() > LONGEST {
        return Err(format!("a competition id has at most {LONGEST} characters"));
    }
    if id.starts_with('-') || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(format!(
            "`{}` is no competition id: one has letters, digits and hyphens only and does not begin with a hyphen",
            id.escape_debug()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn ids_have_letters_digits_and_hyphens() {
        for id in ["a", "7", "AI4Code", "spaceship-titanic", "a-", &"x".repeat(100)] {
            assert_eq!(check(id), Ok(()), "{id}");
        }
        for (id, part) in [
            ("", "never empty"),
            (&*"x".repeat(101), "at most 100"),
            ("-x", "begin with a hyphen"),
            ("a_b", "letters, digits and hyphens"),
            ("a.b", "letters, digits and hyphens"),
            ("../a", "letters, digits and hyphens"),
            ("é", "letters, digits and hyphens"),
            ("a\u{1b}[2J", "`a\\u{1b}[2J`"),
        ] {
            let message = check(id).unwrap_err();
            assert!(message.contains(part), "{id:?}: {message}");
        }
    }
}
