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
