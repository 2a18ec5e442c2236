//! What a Podium grader is written with.
//!
//! A grader implements [`Grader`] and names itself in [`export!`]; the rest of this crate is what graders are made of:
//!
//! - [`frame`]: a CSV file as pandas reads it, with columns that are typed, sorted and compared as pandas and numpy do;
//! - [`metrics`]: what scores are made of, with the argument checks of scikit-learn and scipy;
//! - [`masks`]: run-length encoded masks as run arithmetic;
//! - [`boxes`]: boxes in the plane and in space, and how well detections match the truth;
//! - [`order`]: sorts that leave equal keys where numpy and CPython leave them;
//! - [`text`]: Python's rules for splitting, lowering and converting text;
//! - [`Failure`]: why there is no score, and whose fault that is.
//!
//! Everything but the boundary itself ([`export!`]) also runs natively, so graders and their parts are tested without
//! WebAssembly; [`source::Bytes`] stands for a file there.

// In WebAssembly one function takes pointers, see `memory_comparison`.
#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]
#![deny(unsafe_code)]

pub mod boxes;
mod by_eights;
#[doc(hidden)]
pub mod contract;
mod failure;
pub mod families;
pub mod frame;
mod grader;
pub mod masks;
mod memory_comparison;
pub mod metrics;
pub mod order;
pub mod source;
pub mod text;

pub use failure::Failure;
pub use frame::{Cell, Column, Frame, Role};
pub use grader::{Direction, Grader, Measure, Score, warn};
