//! `podium grade-sample`: one submission, graded.

use std::path::{Path, PathBuf};

use podium::{GradedSubmission, GradingContext, GradingOptions, GradingReport, Receipt, Usage};

use crate::arguments::{LimitOptions, Shared};
use crate::exit::Exit;
use crate::failure::{Failure, WithError};
use crate::graders::GraderArgument;
use crate::places::Places;
use crate::{engine, graders, grading_text, interrupt, number, output};

/// What `podium grade-sample` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The submission, a CSV file
    submission: PathBuf,
    /// The competition's id; `podium list` knows them
    #[arg(value_name = "COMPETITION")]
    competition_id: String,
    /// Grade with this component in the place of the competition's own; sha256:… takes one from the store
    #[arg(long, value_name = "FILE.wasm|DIGEST")]
    grader: Option<GraderArgument>,
    /// Write the receipt to this file, or under its id into this folder
    #[arg(long, value_name = "PATH")]
    receipt: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
}

/// Grades and prints the report.
///
/// # Errors
/// An unknown competition, a broken definition, files that cannot be written. That there is no score is no error here:
/// the exit code says so.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    let graders = graders::find(shared)?;
    let competition = places.catalog().get(&arguments.competition_id)?;
    let options = GradingOptions {
        grader: arguments.grader.as_ref().map(|it| it.source(&graders)).transpose()?,
        cancellation: interrupt::cancellation()?,
        ..GradingOptions::default()
    };
    let context =
        GradingContext::new(engine::start(shared)?, &places.data, arguments.limits.overrides())
            .with_graders(graders);
    let graded = context.grade(&competition, &arguments.submission, &options);
    // What cannot be written costs nobody the result.
    let written = arguments.receipt.as_deref().map_or(Ok(()), |path| write_receipt(&graded, path));
    let report = &graded.report;
    let failure = if graded.is_cancelled() {
        Some(Failure::new(Exit::Interrupted, "stopped before there was a result"))
    } else {
        written.err().or_else(|| Failure::of_report(report))
    };
    if shared.json {
        output::print_json(&WithError::new(report, failure.as_ref()))?;
    } else {
        output::print(&in_words(&graded, &competition.definition.metric.name))?;
    }
    Ok(match failure {
        None => Exit::Success,
        Some(failure) => {
            failure.print();
            failure.exit()
        }
    })
}

fn in_words(graded: &GradedSubmission, metric: &str) -> String {
    let report = &graded.report;
    // Why there is no score is an error, and goes to stderr.
    let shown = GradingReport {
        message: report.message.clone().filter(|_| report.valid_submission),
        ..report.clone()
    };
    let mut text = grading_text::describe(&shown, Some(metric));
    let took = (report.usage, &report.limits, graded.wall_clock);
    if let (Some(Usage { fuel, peak_memory_bytes }), Some(limits), Some(wall_clock)) = took {
        text.push_str(&format!(
            "\n\ngraded in {:.1} ms of {} s, with {} of {} units of fuel and {} of {} of memory",
            wall_clock.as_secs_f64() * 1e3,
            number::count(limits.wall_clock.as_secs()),
            number::count(fuel),
            number::count(limits.fuel),
            number::size(peak_memory_bytes),
            number::size(limits.memory_bytes),
        ));
    }
    text
}

fn write_receipt(graded: &GradedSubmission, path: &Path) -> Result<(), Failure> {
    let Some(receipt) = &graded.receipt else {
        output::error_line(
            "no receipt is written: no grader came to a result that could be proven",
        );
        return Ok(());
    };
    let written =
        if path.is_dir() { receipt.write_to(path)? } else { write_to_file(receipt, path)? };
    output::error_line(&format!("receipt written to {}", written.display()));
    Ok(())
}

/// Writes over another receipt, but over nothing else: a mistyped path must not cost a submission.
fn write_to_file(receipt: &Receipt, path: &Path) -> Result<PathBuf, Failure> {
    if path.exists() && Receipt::read(path).is_err() {
        let message = format!("{} exists and is no receipt: it is left as it is", path.display());
        return Err(Failure::new(Exit::Files, message).hint("name another file with --receipt"));
    }
    podium::write_over(path, podium::to_json(receipt).as_bytes())?;
    Ok(path.to_owned())
}
