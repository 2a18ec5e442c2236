//! `graders.lock`: which bytes each built-in grader has.
//!
//! The file lets anyone prove that the component on their machine is the one that this commit builds. The digests hold
//! for one version of the compiler, which the file names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::workspace;

/// The name of the file, in the checkout's top folder.
pub(crate) const NAME: &str = "graders.lock";

const HEADER: &str = "\
# The sha256 of each built-in grader, as `cargo xtask graders` builds it with this version of the compiler.
# Written by `cargo xtask graders --update-lock`; checked by `cargo xtask graders --locked`.

";

/// The contents of the file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    /// The version of rustc: `1.95.0`.
    pub(crate) rustc: String,
    /// Competition id → sha256 of the component, in hex.
    pub(crate) sha256: BTreeMap<String, String>,
}

/// How a set of built graders differs from the lock.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Built with another compiler than the lock's.
    Compiler { locked: String, used: String },
    /// Built, but not in the lock.
    Unlocked { id: String },
    /// In the lock with other bytes.
    Changed { id: String, locked: String, built: String },
    /// In the lock, but there is no such grader.
    Gone { id: String },
}

impl std::fmt::Display for Difference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Difference::Compiler { locked, used } => {
                write!(formatter, "built with rustc {used}, locked with rustc {locked}")
            }
            Difference::Unlocked { id } => write!(formatter, "{id}: not in {NAME}"),
            Difference::Changed { id, locked, built } => {
                write!(formatter, "{id}: built {built}, locked {locked}")
            }
            Difference::Gone { id } => {
                write!(formatter, "{id}: in {NAME}, but there is no such grader")
            }
        }
    }
}

impl Lock {
    /// Reads the lock; one that isn't there is empty.
    pub(crate) fn read(path: &Path) -> Result<Lock> {
        match fs::read_to_string(path) {
            Ok(text) => Lock::parse(&text).with_context(|| format!("{} is broken", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Lock::default()),
            Err(error) => Err(error).with_context(|| format!("could not read {}", path.display())),
        }
    }

    fn parse(text: &str) -> Result<Lock> {
        Ok(toml::from_str(text)?)
    }

    fn text(&self) -> Result<String> {
        Ok(format!("{HEADER}{}", toml::to_string(self)?))
    }

    /// Writes the lock where it differs from what is there.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        workspace::write_if_changed(path, self.text()?.as_bytes())?;
        Ok(())
    }

    /// How what was built differs from this lock. With `all`, what was built is every grader there is.
    pub(crate) fn differences(
        &self,
        rustc: &str,
        built: &BTreeMap<String, String>,
        all: bool,
    ) -> Vec<Difference> {
        let mut differences = Vec::new();
        if self.rustc != rustc {
            differences
                .push(Difference::Compiler { locked: self.rustc.clone(), used: rustc.to_owned() });
        }
        for (id, digest) in built {
            match self.sha256.get(id) {
                None => differences.push(Difference::Unlocked { id: id.clone() }),
                Some(locked) if locked != digest => differences.push(Difference::Changed {
                    id: id.clone(),
                    locked: locked.clone(),
                    built: digest.clone(),
                }),
                Some(_) => {}
            }
        }
        if all {
            differences.extend(
                self.sha256
                    .keys()
                    .filter(|id| !built.contains_key(*id))
                    .map(|id| Difference::Gone { id: id.clone() }),
            );
        }
        differences
    }

    /// Takes over what was built. With `all`, graders that are no more are dropped.
    pub(crate) fn update(&mut self, rustc: &str, built: &BTreeMap<String, String>, all: bool) {
        rustc.clone_into(&mut self.rustc);
        if all {
            self.sha256.clear();
        }
        self.sha256.extend(built.iter().map(|(id, digest)| (id.clone(), digest.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(id, digest)| ((*id).to_owned(), (*digest).to_owned())).collect()
    }

    fn lock() -> Lock {
        Lock { rustc: "1.95.0".to_owned(), sha256: digests(&[("a", "1"), ("b", "2")]) }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = lock().text().unwrap();
        assert!(text.starts_with("# "));
        assert_eq!(Lock::parse(&text).unwrap(), lock());
    }

    #[test]
    fn each_kind_of_difference_is_seen() {
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], bool, &'a [&'a str]);
        let cases: &[Case] = &[
            ("1.95.0", &[("a", "1"), ("b", "2")], true, &[]),
            ("1.95.0", &[("a", "1")], false, &[]),
            ("1.95.0", &[("a", "1")], true, &["b: in graders.lock, but there is no such grader"]),
            ("1.95.0", &[("a", "3")], false, &["a: built 3, locked 1"]),
            ("1.95.0", &[("c", "3")], false, &["c: not in graders.lock"]),
            (
                "1.96.0",
                &[("a", "1")],
                false,
                &["built with rustc 1.96.0, locked with rustc 1.95.0"],
            ),
        ];
        for (rustc, built, all, expected) in cases {
            let found: Vec<String> = lock()
                .differences(rustc, &digests(built), *all)
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(&found, expected, "{built:?}");
        }
    }

    #[test]
    fn an_update_leaves_no_difference() {
        for all in [true, false] {
            let mut lock = lock();
            let built = digests(&[("b", "9"), ("c", "3")]);
            lock.update("1.96.0", &built, all);
            assert_eq!(lock.differences("1.96.0", &built, all), []);
            assert_eq!(lock.sha256.contains_key("a"), !all);
        }
    }
}
