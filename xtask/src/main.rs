//! Build automation: `cargo xtask <verb>`.
//!
//! Everything that has to be built, run or packed in an order goes through here, so that a person, the README and CI do
//! the same thing. It stays light (no engine): what needs the engine is a program that this one builds and starts.

#![forbid(unsafe_code)]

mod graders;
mod lock;
mod parity;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Build automation of Podium.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Builds graders into target/graders/<id>.wasm
    Graders(graders::Arguments),
    /// Compares graders with what the reference said of thousands of submissions
    Parity(parity::Arguments),
}

fn main() -> Result<()> {
    match Arguments::parse().verb {
        Verb::Graders(arguments) => graders::run(&arguments),
        Verb::Parity(arguments) => parity::run(&arguments),
    }
}
