//! The decimal digits of all scripts.
