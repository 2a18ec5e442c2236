//! Evidence that a grading comes out the same however it is run.
//!
//! The parity corpus is graded as the product grades it, and then in other ways ([`Configuration`]): on other numbers of
//! threads and in the opposite order, with other code for the same grader, and in another engine, V8. What is compared is
//! what a receipt claims, byte for byte, and beside it the grader's remarks; where the engine counts them, fuel and
//! memory as well ([`Evidence`]).
//!
//! `cargo xtask determinism` does that with the whole corpus, a test with a few cases of each competition.

mod configuration;
mod evidence;
mod in_podium;
mod in_v8;
mod program;
mod run;
mod table;
mod work;

pub use configuration::Configuration;
pub use evidence::Evidence;
pub use in_v8::Node;
pub use program::main;
pub use run::{Counts, Difference, Outcome, Row, Runner};
pub use work::{Cases, CompetitionWork, Held, Work};
