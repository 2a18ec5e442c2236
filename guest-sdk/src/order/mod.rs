//! Sorting that leaves equal (and unordered) keys where numpy and CPython leave them.
//!
//! Where keys tie, a score can depend on which came first, and an unstable or a NaN-disturbed order is part of what a
//! metric's definition computes. [`introsort`] is what `numpy.argsort` does without AVX-512; [`timsort`] is what
//! `list.sort` and `sorted` do.

mod introsort;
mod radix;
#[cfg(test)]
pub(crate) mod recorded;
mod timsort;

pub use introsort::{argsort_floats, introsort};
pub(crate) use radix::{RowsByKey, rows_by_key};
pub use timsort::{timsort, timsort_reversed};
