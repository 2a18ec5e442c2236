//! The languages that a grader can be begun in, and how a folder of sources tells which it is.

use std::path::Path;

use clap::ValueEnum;

use crate::exit::Exit;
use crate::failure::Failure;

/// A language with a template and a way to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// Rust with Podium's SDK: sealed, small, fast
    Rust,
    /// Python by componentize-py: foreign, with CPython inside
    Python,
    /// C with wasi-libc: foreign, small, fast
    C,
}

impl Language {
    const ALL: [Language; 3] = [Language::Rust, Language::Python, Language::C];

    /// The file that tells the language of a folder of sources.
    pub(super) fn main_file(self) -> &'static str {
        match self {
            Language::Rust => "Cargo.toml",
            Language::Python => "grader.py",
            Language::C => "grader.c",
        }
    }

    /// The language of a folder of sources.
    ///
    /// # Errors
    /// None, or more than one, of the files that tell it.
    pub(super) fn of(sources: &Path) -> Result<Language, Failure> {
        let found: Vec<Language> = Language::ALL
            .into_iter()
            .filter(|language| sources.join(language.main_file()).is_file())
            .collect();
        match found[..] {
            [language] => Ok(language),
            [] => Err(Failure::new(
                Exit::Missing,
                format!("{}: there is no Cargo.toml, grader.py or grader.c", sources.display()),
            )
            .hint("`podium grader new ID --language rust` makes a folder to begin from")),
            _ => Err(Failure::new(
                Exit::Usage,
                format!("{}: there are graders in several languages", sources.display()),
            )
            .hint("keep one of Cargo.toml, grader.py and grader.c")),
        }
    }
}
