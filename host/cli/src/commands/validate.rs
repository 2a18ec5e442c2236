//! `podium validate`: whether a submission is valid, and why not. Never a score, nor anything that tells of one.

use std::path::PathBuf;

use owo_colors::OwoColorize;
use podium::{GradingContext, GradingOptions, LimitOverrides};

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::graders::GraderArgument;
use crate::places::Places;
use crate::{engine, graders, interrupt, output};

/// What `podium validate` is told. No limits: the least fuel, say, with which a submission is found to be valid would tell
/// something of how it compares with the answers.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The submission, a CSV file
    submission: PathBuf,
    /// The competition's id; `podium list` knows them
    #[arg(value_name = "COMPETITION")]
    competition_id: String,
    /// Validate with this component in the place of the competition's own; sha256:… takes one from the store
    #[arg(long, value_name = "FILE.wasm|DIGEST")]
    grader: Option<GraderArgument>,
}

/// Validates and prints the verdict.
///
/// # Errors
/// An unknown competition; data or a grader that are not there, or that fail.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    let graders = graders::find(shared)?;
    let competition = places.catalog().get(&arguments.competition_id)?;
    let cancellation = interrupt::cancellation()?;
    let options = GradingOptions {
        grader: arguments.grader.as_ref().map(|it| it.source(&graders)).transpose()?,
        cancellation: cancellation.clone(),
        ..GradingOptions::default()
    };
    let context =
        GradingContext::new(engine::start(shared)?, &places.data, LimitOverrides::default())
            .with_graders(graders);
    let validation = context.validate(&competition, &arguments.submission, &options);
    let failure = if cancellation.is_cancelled() {
        Some(Failure::new(Exit::Interrupted, "stopped before there was a verdict"))
    } else {
        Failure::of_validation(&validation)
    };
    if shared.json {
        output::print_json(&WithError::new(&validation, failure.as_ref()))?;
    }
    let Some(failure) = failure else {
        if !shared.json {
            validation.warnings.iter().for_each(|warning| output::warning_line(warning));
            // Here and below: the words with which the reference begins, which agents have learned to look for.
            output::print(&format!("{}", "Submission is valid.".green()))?;
        }
        return Ok(Exit::Success);
    };
    if failure.exit() != Exit::InvalidSubmission {
        failure.print();
    } else if !shared.json {
        validation.warnings.iter().for_each(|warning| output::warning_line(warning));
        output::print(&format!("{} {failure}", "Submission invalid!".red()))?;
        failure.print_hints();
    }
    Ok(failure.exit())
}
