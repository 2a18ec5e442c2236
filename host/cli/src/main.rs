//! The `podium` program: parses what was asked, calls the library that does it, prints what came of it.
//!
//! stdout holds what was asked for, stderr everything else: progress, errors, hints. What the exit codes mean is in
//! [`exit`]; they are part of the program's interface.

#![forbid(unsafe_code)]

mod analysis_failure;
mod arguments;
mod commands;
mod docker;
mod engine;
mod exit;
mod facts;
mod failure;
mod graders;
mod grading_text;
mod interrupt;
mod number;
mod output;
mod overwrite;
mod places;
mod progress;
mod sealing;
mod shell_word;
mod table;
mod unknown_competitions;
mod usage;

use std::process::ExitCode;

use crate::arguments::{Command, CommandLine};
use crate::exit::Exit;
use crate::failure::Failure;

fn main() -> ExitCode {
    let command_line = match arguments::parse(std::env::args_os()) {
        Ok(command_line) => command_line,
        Err(error) => return usage::conclude(&error).into(),
    };
    match run(&command_line) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            if command_line.shared.json {
                output::print_error(&failure);
            }
            failure.print();
            failure.exit().into()
        }
    }
}

fn run(command_line: &CommandLine) -> Result<Exit, Failure> {
    let shared = &command_line.shared;
    match &command_line.command {
        Command::GradeSample(arguments) => commands::grade_sample::run(arguments, shared),
        Command::Grade(arguments) => commands::grade::run(arguments, shared),
        Command::Validate(arguments) => commands::validate::run(arguments, shared),
        Command::Verify(arguments) => commands::verify::run(arguments, shared),
        Command::Regrade(arguments) => commands::regrade::run(arguments, shared),
        Command::MakeSubmission(arguments) => commands::make_submission::run(arguments, shared),
        Command::List(arguments) => commands::list::run(arguments, shared),
        Command::Show(arguments) => commands::show::run(arguments, shared),
        Command::Inspect(arguments) => commands::inspect::run(arguments, shared),
        #[cfg(unix)]
        Command::Run(arguments) => commands::run::run(arguments, shared),
        Command::Grader(arguments) => commands::grader::run(arguments, shared),
        Command::Experiment(arguments) => commands::experiment::run(arguments, shared),
        Command::Leaderboard(arguments) => commands::leaderboard::run(arguments, shared),
        Command::Doctor(arguments) => commands::doctor::run(arguments, shared),
        Command::Completions(arguments) => commands::completions::run(arguments),
        Command::CompileComponent => commands::compile_component::run(),
    }
}
