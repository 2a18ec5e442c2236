//! The program behind `cargo xtask determinism`; what it does is in `podium_tests::determinism`.
//!
//! It is a crate of its own for its dependencies' sake. It wants a wasmtime that has an interpreter and a second compiler,
//! and the product wants one that has neither. Cargo builds a dependency with the features that all selected packages ask
//! for together, so this package is no default member of the workspace: the product, its tests and its lints never see
//! those features, and a build of this one leaves what was built for them in place.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    podium_tests::determinism::main()
}
