//! Build automation.
fn main() {}
