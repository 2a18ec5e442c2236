//! Secrets: looked up when a run starts, handed to the agent alone, and taken out of what the runner writes.

use std::collections::BTreeMap;

use crate::error::Error;

/// The names of the secrets in a value.
///
/// # Errors
/// What is wrong with a place that looks like one.
pub(crate) fn names_in(value: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = value;
    while let Some(start) = rest.find("${{") {
        let Some(end) = rest[start..].find("}}") else {
            return Err("`${{` without `}}`".to_owned());
        };
        let inside = rest[start + 3..start + end].trim();
        let name = inside.strip_prefix("secrets.").unwrap_or_default();
        let simple = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if name.is_empty() || !name.chars().all(simple) {
            return Err(format!("`${{{{ {inside} }}}}` has to be `${{{{ secrets.NAME }}}}`"));
        }
        names.push(name);
        rest = &rest[start + end + 2..];
    }
    Ok(names)
}

/// An environment in which the secrets stand for themselves.
#[derive(Default)]
pub(crate) struct Resolved {
    /// The variables whose values hold secrets, with their values.
    pub(crate) secret: BTreeMap<String, String>,
    /// All other variables.
    pub(crate) plain: BTreeMap<String, String>,
    /// The secrets themselves.
    pub(crate) values: Vec<String>,
}

/// Looks up the secrets of an environment.
///
/// # Errors
/// [`Error::MissingSecret`].
pub(crate) fn resolve(
    environment: &BTreeMap<String, String>,
    look_up: impl Fn(&str) -> Option<String>,
) -> Result<Resolved, Error> {
    let mut resolved =
        Resolved { secret: BTreeMap::new(), plain: BTreeMap::new(), values: Vec::new() };
    for (variable, value) in environment {
        let names = names_in(value).unwrap_or_default();
        if names.is_empty() {
            resolved.plain.insert(variable.clone(), value.clone());
            continue;
        }
        let mut written = String::new();
        let mut rest = value.as_str();
        for name in names {
            let secret = look_up(name)
                .filter(|secret| !secret.is_empty() && !secret.contains('\0'))
                .ok_or_else(|| Error::MissingSecret { name: name.to_owned() })?;
            let start = rest.find("${{").unwrap_or(0);
            let end = rest[start..].find("}}").map_or(rest.len(), |end| start + end + 2);
            written.push_str(&rest[..start]);
            written.push_str(&secret);
            rest = &rest[end..];
            resolved.values.push(secret);
        }
        written.push_str(rest);
        resolved.secret.insert(variable.clone(), written);
    }
    Ok(resolved)
}

/// What stands in the place of a secret.
const HIDDEN: &[u8] = b"***";

/// Takes secrets out of a stream of bytes, wherever it is cut.
pub(crate) struct Redactor {
    secrets: Vec<Vec<u8>>,
    held: Vec<u8>,
}

impl Redactor {
    /// Takes out these secrets, the longest first. What is shorter than four bytes would take out half of every text.
    pub(crate) fn new(secrets: &[String]) -> Redactor {
        let mut secrets: Vec<Vec<u8>> = secrets
            .iter()
            .filter(|secret| secret.len() >= 4)
            .map(|secret| secret.as_bytes().to_vec())
            .collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Redactor { secrets, held: Vec::new() }
    }

    /// Takes the next bytes, and gives those that are safe to write.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        self.drain(false)
    }

    /// Gives what was held back.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.drain(true)
    }

    fn drain(&mut self, all: bool) -> Vec<u8> {
        let mut passed = Vec::with_capacity(self.held.len());
        let mut place = 0;
        while place < self.held.len() {
            let rest = &self.held[place..];
            if let Some(secret) = self.secrets.iter().find(|secret| rest.starts_with(secret)) {
                passed.extend_from_slice(HIDDEN);
                place += secret.len();
            } else if !all && self.secrets.iter().any(|secret| secret.starts_with(rest)) {
                // It may be the beginning of one.
                break;
            } else {
                passed.push(self.held[place]);
                place += 1;
            }
        }
        self.held.drain(..place);
        passed
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_looked_up_and_kept_apart() {
        let environment = BTreeMap::from([
            ("KEY".to_owned(), "a ${{ secrets.ONE }} b ${{secrets.TWO}}!".to_owned()),
            ("PLAIN".to_owned(), "x".to_owned()),
        ]);
        let resolved = resolve(&environment, |name| Some(format!("<{name}>"))).unwrap();
        assert_eq!(resolved.secret["KEY"], "a <ONE> b <TWO>!");
        assert_eq!(resolved.plain["PLAIN"], "x");
        assert_eq!(resolved.values, ["<ONE>", "<TWO>"]);
        let missing = resolve(&environment, |_| None).err().unwrap();
        assert!(matches!(missing, Error::MissingSecret { name } if name == "ONE"));
    }

    proptest! {
        #[test]
        fn no_secret_passes_however_the_stream_is_cut(
            before in "[ab]{0,8}", after in "[ab]{0,8}", cuts in proptest::collection::vec(1usize..5, 0..12)
        ) {
            let text = format!("{before}abbaabba{after}");
            let mut redactor = Redactor::new(&["abbaabba".to_owned()]);
            let mut passed = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                passed.extend(redactor.pass(now));
                rest = later;
            }
            passed.extend(redactor.pass(rest));
            passed.extend(redactor.finish());
            let passed = String::from_utf8(passed).unwrap();
            prop_assert_eq!(passed, text.replace("abbaabba", "***"));
        }
    }
}
