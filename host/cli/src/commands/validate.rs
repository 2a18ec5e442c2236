//! `podium validate`: whether a submission is valid, and why not. Never a score, nor anything that tells of one.

use std::path::PathBuf;

use owo_colors::OwoColorize;
use podium::{GradingContext, GradingOptions};

use crate::arguments::{LimitOptions, Shared};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::{engine, interrupt, output};

/// What `podium validate` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The submission, a CSV file
    submission: PathBuf,
    /// The competition's id; `podium list` knows them
    #[arg(value_name = "COMPETITION")]
    competition_id: String,
    /// Validate with this component in the place of the competition's own
    #[arg(long, value_name = "FILE.wasm")]
    grader: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
}

/// Validates and prints the verdict.
///
/// # Errors
/// An unknown competition; data or a grader that are not there, or that fail.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    let competition = places.catalog().get(&arguments.competition_id)?;
    let cancellation = interrupt::cancellation()?;
    let options = GradingOptions {
        grader: arguments.grader.clone(),
        cancellation: cancellation.clone(),
        ..GradingOptions::default()
    };
    let context =
        GradingContext::new(engine::start(shared)?, &places.data, arguments.limits.overrides());
    let validation = context.validate(&competition, &arguments.submission, &options);
    if shared.json {
        output::print_json(&validation)?;
    }
    let message = output::harmless(validation.message.as_deref().unwrap_or_default());
    if validation.outcome.is_infrastructure_failure() {
        return Err(match cancellation.is_cancelled() {
            true => Failure::new(Exit::Interrupted, "stopped before there was a verdict"),
            false => Failure::of_outcome(validation.outcome, &message),
        });
    }
    if !shared.json {
        for warning in &validation.warnings {
            output::error_line(&format!(
                "{} {}",
                "warning:".yellow().bold(),
                output::harmless(warning)
            ));
        }
        // The two sentences begin as the reference's do, which agents have learned to look for.
        if validation.valid {
            output::print(&format!("{}", "Submission is valid.".green()))?;
        } else {
            output::print(&format!("{} {message}", "Submission invalid!".red()))?;
        }
    }
    Ok(validation.outcome.into())
}
