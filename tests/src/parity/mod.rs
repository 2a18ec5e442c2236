//! The parity corpus, and the runner that compares what graders say with what the reference said.
//!
//! The format of a corpus and the rule of agreement are in `tests/parity/README.md`.

mod comparison;
mod corpus;
mod run;

pub use comparison::{Difference, compare};
pub use corpus::{Case, CompetitionCases, Corpus, Expected};
pub use run::{CompetitionResult, Runner};
