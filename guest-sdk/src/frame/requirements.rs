//! Which columns a table has to have, and what to say if it has not.

use super::number::parse_float64;
use super::{Cell, Frame};
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
        if missing.is_empty() { Ok(()) } else { Err(self.missing_columns(names, &missing)) }
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

    /// The failure that says which of the required columns are missing, which there are instead, and what that looks
    /// like.
    pub(super) fn missing_columns(&self, required: &[&str], missing: &[&str]) -> Failure {
        if self.column_names().len() == 0 {
            return self.role().failure(format!(
                "{} is empty; expected a header with {}",
                self.name(),
                columns(required)
            ));
        }
        let similar = |name: &&&str| self.column_names().find(|there| is_similar(there, name));
        let instead = match missing.iter().find_map(|name| Some((name, similar(&name)?))) {
            Some((name, similar)) => format!("did you mean `{similar}` to be `{name}`?"),
            None => self.columns_instead(required, missing),
        };
        self.role().failure(format!("{} has no {}; {instead}", self.name(), columns(missing)))
    }

    /// Which columns there are, and by what mistake they are these.
    fn columns_instead(&self, required: &[&str], missing: &[&str]) -> String {
        let mut names = self.column_names();
        if let (1, Some(only)) = (names.len(), names.next())
            && let Some(separator) = separator_in(only, required)
        {
            return format!(
                "the only column is `{only}`: is {separator} the separator? Columns have to be separated by commas"
            );
        }
        let there = list(self.column_names());
        if missing.len() < required.len() || required.len() == 1 {
            return format!("its columns are {there}");
        }
        if self.column_names().any(looks_like_value) {
            return format!(
                "its first line holds {there}, which look like values: is the header missing? The first line has to name \
                 the columns"
            );
        }
        format!("its columns are {there}; the first line has to name the columns")
    }
}

/// "column `a`", "columns `a`, `b`".
fn columns(names: &[&str]) -> String {
    let noun = if names.len() == 1 { "column" } else { "columns" };
    format!("{noun} {}", list(names.iter().copied()))
}

/// What else than a comma separates names in a header, in words, if one of them is a required one.
fn separator_in(header: &str, required: &[&str]) -> Option<&'static str> {
    const SEPARATORS: [(char, &str); 4] =
        [(';', "`;`"), ('\t', "a tab"), ('|', "`|`"), (' ', "a space")];
    let is_required = |name: &str| required.iter().any(|required| is_similar(name, required));
    SEPARATORS
        .into_iter()
        .find(|(separator, _)| {
            header.contains(*separator) && header.split(*separator).any(is_required)
        })
        .map(|(_, words)| words)
}

/// Whether a name of a column is a number, a truth value or no name at all.
fn looks_like_value(name: &str) -> bool {
    parse_float64(name.as_bytes()).is_some()
        || name.starts_with("Unnamed: ")
        || ["true", "false"].iter().any(|word| name.eq_ignore_ascii_case(word))
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
    let mut listed: Vec<String> =
        names.take(MOST_NAMES).map(|name| Cell::Text(name).describe()).collect();
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
            ("", Some("submission.csv is empty; expected a header with columns `id`, `label`")),
            ("id,x\n", Some("submission.csv has no column `label`; its columns are `id`, `x`")),
            ("id, Label\n", Some("has no column `label`; did you mean ` Label` to be `label`?")),
            ("\n\u{feff}id,label\n", Some("has no column `id`; did you mean")),
            (
                "x,y\n",
                Some(
                    "has no columns `id`, `label`; its columns are `x`, `y`; the first line has to name the columns",
                ),
            ),
            (
                "id;label\n1;0\n",
                Some(
                    "the only column is `id;label`: is `;` the separator? Columns have to be separated by commas",
                ),
            ),
            ("x\tlabel\n", Some("is a tab the separator?")),
            ("id label\n", Some("is a space the separator?")),
            ("a;b\n", Some("its columns are `a;b`; the first line has to name the columns")),
            (
                "17,0.5\n18,0.25\n",
                Some(
                    "its first line holds `17`, `0.5`, which look like values: is the header missing?",
                ),
            ),
            ("x_1,True\n", Some("which look like values")),
            ("x_1,\n", Some("which look like values")),
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
