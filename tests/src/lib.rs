//! Whole behaviours of Podium, tested through its real parts.
//!
//! What tests share is here: where built things lie ([`artifacts`]), the parity corpus with its runner ([`parity`]), the
//! same corpus graded in many ways ([`determinism`]), the compilers of other languages ([`toolchain`]), a folder in which
//! the `podium` program can be tried ([`workbench`]), and what runs of agents need ([`run_bench`], [`container_engine`],
//! [`second_engine`]). The tests themselves are in `tests/tests/`.

#![forbid(unsafe_code)]

pub mod artifacts;
pub mod container_engine;
pub mod debian_image;
pub mod determinism;
pub mod examples;
pub mod hostile;
pub mod parity;
pub mod run_bench;
pub mod second_engine;
pub mod signing;
pub mod toolchain;
pub mod workbench;
