//! `podium grader test`: the example of a competition, graded and compared with what it expects.

use std::path::PathBuf;

use owo_colors::OwoColorize;
use podium::{Example, GradingContext, GradingOptions, GradingReport, Outcome};
use serde::Serialize;

use super::{project, trial};
use crate::arguments::{LimitOptions, Shared};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::places::Places;
use crate::{engine, grading_text, number, output};

/// What `podium grader test` is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The competition folder, with its grader built
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    limits: LimitOptions,
}

/// A submission of the example in the JSON of `podium grader test`.
#[derive(Serialize)]
struct Tested {
    name: String,
    /// What is not as expected; empty if all is.
    differences: Vec<String>,
    report: GradingReport,
}

/// Grades and compares.
///
/// # Errors
/// No competition, no example, no grader; data that cannot be laid out.
pub(super) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    let competition = project::competition(&arguments.folder, &places.graders)?;
    let example = Example::of(&competition)?.ok_or_else(|| {
        Failure::new(Exit::Missing, format!("{}: there is no example/", arguments.folder.display()))
            .hint("an example is answers.csv, submissions/*.csv and expected.json")
    })?;
    competition.grader()?;
    let data = tempfile::tempdir().map_err(|error| {
        Failure::new(Exit::Files, format!("no temporary folder can be made: {error}"))
    })?;
    example.prepare(&competition, data.path())?;
    let engine = engine::start(shared)?;
    if let Some(newer) = project::newer_source(&arguments.folder) {
        let newer = output::path(&newer);
        output::warning_line(&format!(
            "{newer} was changed after grader.wasm was built: `podium grader build` first"
        ));
    }
    let limits = trial::limits(&competition, &arguments.limits);
    let context = GradingContext::new(engine, data.path(), limits);
    let mut tested: Vec<Tested> = Vec::new();
    for (name, submission) in &example.submissions {
        let options = GradingOptions::default();
        let report = context.grade(&competition, &submission.path, &options).report;
        let differences = submission.expected.differences(&report);
        let hangs = trial::hangs(&report) && !differences.is_empty();
        let one = Tested { name: name.clone(), differences, report };
        if !shared.json {
            output::print(&in_words(&one))?;
        }
        tested.push(one);
        let left = example.submissions.len() - tested.len();
        if hangs && left > 0 {
            let left = number::counted(left, "more submission");
            output::warning_line(&format!(
                "{left} of the example not graded, as the grader did not end over `{name}`; --fuel and --wall-clock \
                 allow it more"
            ));
            break;
        }
    }
    if shared.json {
        output::print_json(&tested)?;
    }
    let all_well = tested.iter().all(|tested| tested.differences.is_empty());
    Ok(if all_well { Exit::Success } else { Exit::GraderFailed })
}

fn in_words(tested: &Tested) -> String {
    let Tested { name, differences, report } = tested;
    let state = if differences.is_empty() {
        "ok     ".green().to_string()
    } else {
        "differs".red().to_string()
    };
    let found = match (report.outcome, grading_text::score(report)) {
        (Outcome::Scored, Some(score)) => format!("scored {score}"),
        (outcome, _) => {
            format!("{outcome}: {}", report.message.as_deref().unwrap_or("no message"))
        }
    };
    let mut text = format!("{state}  {}: {}", output::harmless(name), output::harmless(&found));
    for difference in differences {
        text.push_str(&format!("\n         {}", output::harmless(difference)));
    }
    if let Some(log) = report.log.as_ref().filter(|_| !differences.is_empty()) {
        text.push_str("\n         it printed:");
        for line in output::harmless(log).lines() {
            text.push_str(&format!("\n           {line}"));
        }
    }
    text
}
