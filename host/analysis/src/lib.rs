//! Experiments: what many grading reports say together.

#![forbid(unsafe_code)]
