//! The `podium` program.
fn main() {}
