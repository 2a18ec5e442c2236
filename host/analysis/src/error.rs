//! The one error type of this crate.
//!
//! What is wrong with a single report is no error: it is a [`Problem`](crate::Problem), and the rest is used.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::problem::Problem;
use crate::shown::shown_path;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Files and competitions, as the grading library reads and writes them.
    #[error(transparent)]
    Podium(#[from] podium::Error),
    /// A file that was named is not what it has to be.
    #[error("{}: {message}", shown_path(path))]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        message: String,
    },
    /// A Git LFS pointer lies in the place of a file.
    #[error(
        "{}: this is a Git LFS pointer, not the file itself: run `git lfs pull` in the checkout that it lies in",
        shown_path(path)
    )]
    LfsPointer {
        /// The file.
        path: PathBuf,
    },
    /// What was asked for makes no sense.
    #[error("{0}")]
    Asked(String),
    /// Nothing is left that could be looked at.
    #[error("{0}")]
    Nothing(String),
    /// No report can be used at all.
    #[error("no grading report can be used{}", Listed(problems))]
    Unusable {
        /// Why not.
        problems: Vec<Problem>,
    },
    /// Reports were read, and nothing could be computed of them.
    #[error("{reason}")]
    NothingComputed {
        /// Why not.
        reason: String,
        /// What could not be used of them.
        problems: Vec<Problem>,
    },
    /// A page or a chart cannot be made; a fault of this crate.
    #[error("the page cannot be made: {0}")]
    Page(String),
    /// A table cannot be written as Parquet.
    #[error("the table cannot be written as Parquet: {0}")]
    Parquet(String),
    /// Whoever called asked to stop.
    #[error("stopped before the end; nothing was written")]
    Cancelled,
}

impl Error {
    pub(crate) fn file(path: &Path, message: impl Into<String>) -> Error {
        Error::File { path: path.to_owned(), message: message.into() }
    }
}

/// Problems, a line each; of the first where there are many.
struct Listed<'a>(&'a [Problem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        if self.0.is_empty() {
            return formatter.write_str(": there is none");
        }
        for problem in self.0.iter().take(SHOWN) {
            write!(formatter, "\n  {problem}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(formatter, "\n  … and {more} more"),
        }
    }
}
