//! What must hold for any bytes: one function for each target of the fuzzer.
//!
//! A target takes bytes and panics where something does not hold. The programs in `fuzz/libfuzzer` hand it what a fuzzer
//! makes up; the test in `fuzz/tests` hands it what lies in `fuzz/corpus`, finds of the fuzzer among it, so that a find
//! stays found.

#![forbid(unsafe_code)]

mod boxes;
mod frame;
mod numbers;
mod run_lengths;

#[cfg(feature = "host")]
mod archives;
#[cfg(feature = "host")]
mod components;
#[cfg(feature = "host")]
mod leaderboards;
#[cfg(feature = "host")]
mod receipts;
#[cfg(feature = "host")]
mod reports;

pub use boxes::boxes;
pub use frame::frame;
pub use numbers::numbers;
pub use run_lengths::run_lengths;

#[cfg(feature = "host")]
pub use archives::archives;
#[cfg(feature = "host")]
pub use components::components;
#[cfg(feature = "host")]
pub use leaderboards::leaderboards;
#[cfg(feature = "host")]
pub use receipts::receipts;
#[cfg(feature = "host")]
pub use reports::reports;

/// A target: panics where bytes break what must hold.
pub type Target = fn(&[u8]);

/// All targets by name, which is also the name of their corpus and of their program.
pub const TARGETS: &[(&str, Target)] = &[
    ("boxes", boxes),
    ("frame", frame),
    ("numbers", numbers),
    ("run_lengths", run_lengths),
    #[cfg(feature = "host")]
    ("archives", archives),
    #[cfg(feature = "host")]
    ("components", components),
    #[cfg(feature = "host")]
    ("leaderboards", leaderboards),
    #[cfg(feature = "host")]
    ("receipts", receipts),
    #[cfg(feature = "host")]
    ("reports", reports),
];
