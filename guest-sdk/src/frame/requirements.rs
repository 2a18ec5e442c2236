//! Which columns a table has to have, and what to say if it has not.

use super::Frame;
use crate::failure::Failure;

/// The most names that a message lists.
const MOST_NAMES: usize = 20;

impl Frame {
    /// Checks that these columns are there.
    ///
    /// # Errors
    /// A failure of the file's role that names the columns that are missing.
    pub fn require_columns(&self, names: &[&str]) -> Result<(), Failure> {
        let missing: Vec<&str> = names.iter().copied().filter(|name| !self.has(name)).collect();
        if missing.is_empty() { Ok(()) } else { Err(self.missing_columns(&missing)) }
    }

    /// Checks that these columns are there, in any order, and no others.
    ///
    /// # Errors
    /// A failure of the file's role that names the columns that are missing and those that are not expected.
    pub fn require_exact_columns(&self, names: &[&str]) -> Result<(), Failure> {
        self.require_columns(names)?;
        let unexpected: Vec<&str> =
            self.column_names().filter(|name| !names.contains(name)).collect();
        if unexpected.is_empty() {
            return Ok(());
        }
        Err(self.role().failure(format!(
            "{} has {} that {} not expected: {}; the columns have to be {}",
            self.name(),
            if unexpected.len() == 1 { "a column" } else { "columns" },
            if unexpected.len() == 1 { "is" } else { "are" },
            list(unexpected.iter().copied()),
            list(names.iter().copied()),
        )))
    }

    /// The failure that says that columns are missing, and which there are.
    pub(super) fn missing_columns(&self, missing: &[&str]) -> Failure {
        let mut message = format!(
            "{} has no {} {}",
            self.name(),
            if missing.len() == 1 { "column" } else { "columns" },
            list(missing.iter().copied())
        );
        for name in missing {
            if let Some(similar) = self.column_names().find(|there| is_similar(there, name)) {
                message.push_str(&format!("; did you mean `{similar}` to be `{name}`?"));
                return self.role().failure(message);
            }
        }
        if self.column_names().len() == 0 {
            message.push_str("; the file is empty");
        } else {
            message.push_str(&format!("; its columns are {}", list(self.column_names())));
        }
        self.role().failure(message)
    }
}

/// Whether two names differ in case, spaces, hyphens and underscores at most, or an invisible byte order mark.
fn is_similar(left: &str, right: &str) -> bool {
    let letters = |name: &str| -> String {
        name.chars()
            .filter(|letter| !letter.is_whitespace() && !matches!(letter, '_' | '-' | '\u{FEFF}'))
            .flat_map(char::to_lowercase)
            .collect()
    };
    letters(left) == letters(right)
}

fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let mut listed: Vec<String> = names.take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    if count > MOST_NAMES {
        listed.push(format!("… ({} more)", count - MOST_NAMES));
    }
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::{Frame, Role};

    fn message(text: &str, check: fn(&Frame) -> Result<(), crate::Failure>) -> Option<String> {
        let frame = Frame::from_text(Role::Submission, text).unwrap();
        check(&frame).err().map(|failure| failure.to_string())
    }

    #[test]
    fn messages_name_what_is_missing_and_what_there_is() {
        let check = |frame: &Frame| frame.require_columns(&["id", "label"]);
        let cases = [
            ("id,label,more\n", None),
            ("", Some("submission.csv has no columns `id`, `label`; the file is empty")),
            ("id,x\n", Some("submission.csv has no column `label`; its columns are `id`, `x`")),
            ("id, Label\n", Some("has no column `label`; did you mean ` Label` to be `label`?")),
            ("\n\u{feff}id,label\n", Some("has no column `id`; did you mean")),
        ];
        for (text, expected) in cases {
            let message = message(text, check);
            match expected {
                None => assert_eq!(message, None, "{text:?}"),
                Some(expected) => {
                    let message = message.unwrap();
                    assert!(message.contains(expected), "{text:?}: {message}");
                }
            }
        }
    }

    #[test]
    fn exact_columns_may_be_in_any_order() {
        let check = |frame: &Frame| frame.require_exact_columns(&["id", "label"]);
        assert_eq!(message("label,id\n", check), None);
        let message = message("label,id,x,y\n", check).unwrap();
        assert!(message.contains("columns that are not expected: `x`, `y`"), "{message}");
    }

    #[test]
    fn long_lists_are_cut() {
        let header: Vec<String> = (0..100).map(|column| format!("c{column}")).collect();
        let message =
            message(&format!("{}\n", header.join(",")), |frame| frame.column("id").map(|_| ()));
        assert!(message.unwrap().ends_with("`c19`, … (80 more)"));
    }

    #[test]
    fn a_missing_column_of_the_answers_is_their_fault() {
        let frame = Frame::from_text(Role::Answers, "a\n1\n").unwrap();
        assert!(matches!(frame.column("b"), Err(crate::Failure::InvalidAnswers(_))));
    }
}
