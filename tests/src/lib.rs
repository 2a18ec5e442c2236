//! Whole behaviours of Podium, tested through its real parts.
//!
//! What tests share is here: where built things lie ([`artifacts`]) and the parity corpus with its runner ([`parity`]).
//! The tests themselves are in `tests/tests/`.

#![forbid(unsafe_code)]

pub mod artifacts;
pub mod parity;
