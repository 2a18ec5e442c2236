//! Build automation: `cargo xtask <verb>`.
//!
//! Everything that has to be built, run or packed in an order goes through here, so that a person, the README and CI do
//! the same thing. It stays light (no engine): what needs the engine is a program that this one builds and starts.

#![forbid(unsafe_code)]

mod bench;
mod demo;
mod determinism;
mod dist;
mod graders;
mod lint;
mod lock;
mod page;
mod parity;
mod reproduce;
mod runner;
mod runner_campaign;
mod setup;
mod test;
mod workspace;

use std::process::ExitCode;

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
    /// Checks whether this machine can build Podium, and installs the WebAssembly target
    Setup,
    /// Grades the examples of all competitions, and says what to try next
    Demo,
    /// Builds graders into target/graders/<id>.wasm
    Graders(graders::Arguments),
    /// Builds the static programs for containers into target/runner
    Runner,
    /// Runs and kills hundreds of agents on the engine, and says what that took
    RunnerCampaign,
    /// Compares graders with what the reference said of thousands of submissions
    Parity(parity::Arguments),
    /// Grades the parity corpus in many ways and in another engine, and says where they differ
    Determinism(determinism::Arguments),
    /// Runs every test
    Test(test::Arguments),
    /// Checks formatting, clippy and documentation; warnings are errors
    Lint,
    /// Builds graders in another folder and compares their bytes
    Reproduce(reproduce::Arguments),
    /// Measures how fast Podium grades, beside the reference
    Bench(bench::Arguments),
    /// Grades every competition at its real size, and says how much of its limits that takes
    Limits(bench::limits::Arguments),
    /// Packs the program, graders and competitions for machines without Rust, into target/dist
    Dist(dist::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().verb {
        Verb::Setup => setup::run(),
        Verb::Demo => demo::run(),
        Verb::Graders(arguments) => graders::run(&arguments),
        Verb::Runner => runner::run(),
        Verb::RunnerCampaign => runner_campaign::run(),
        Verb::Parity(arguments) => parity::run(&arguments),
        Verb::Determinism(arguments) => determinism::run(&arguments),
        Verb::Test(arguments) => test::run(&arguments),
        Verb::Lint => lint::run(),
        Verb::Reproduce(arguments) => reproduce::run(&arguments),
        Verb::Bench(arguments) => bench::run(&arguments),
        Verb::Limits(arguments) => bench::limits::run(&arguments),
        Verb::Dist(arguments) => dist::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
