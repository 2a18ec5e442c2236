//! `podium make-submission`: the list of submissions of a run group, by its `metadata.json`.
//!
//! Takes what the reference's script of that name takes, and writes what it writes: the same fields, the same paths.

use std::path::PathBuf;

use comfy_table::Cell;
use podium::MadeSubmission;
use serde::Serialize;

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::table::Table;
use crate::{number, output, table};

/// What `podium make-submission` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The metadata.json of the run group
    #[arg(long, value_name = "FILE")]
    metadata: PathBuf,
    /// The list that is written, for `podium grade`; what lies there is replaced
    #[arg(long, value_name = "FILE.jsonl", default_value = "submission.jsonl")]
    output: PathBuf,
    /// Where a run keeps its log, in its folder
    #[arg(long, value_name = "PATH", default_value = "logs/agent.log")]
    rel_log_path: PathBuf,
    /// Where a run keeps its code, in its folder
    #[arg(long, value_name = "PATH", default_value = "code/train.py")]
    rel_code_path: PathBuf,
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Made<'a> {
    output: &'a PathBuf,
    runs: Vec<MadeRun<'a>>,
}

#[derive(Serialize)]
struct MadeRun<'a> {
    run_id: &'a str,
    #[serde(flatten)]
    line: &'a MadeSubmission,
    problem: Option<&'a str>,
}

/// Writes the list, and prints what each run has.
///
/// # Errors
/// Metadata that cannot be read or are none; a list that cannot be written.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let Arguments { metadata, output, rel_log_path, rel_code_path } = arguments;
    let runs = podium::list_run_group(metadata, rel_log_path, rel_code_path)?;
    let lines: String = runs.iter().map(|run| format!("{}\n", run.line())).collect();
    podium::write_over(output, lines.as_bytes())?;
    for run in &runs {
        if let Some(problem) = &run.problem {
            output::warning_line(&format!("run `{}`: {problem}", run.run_id));
        }
    }
    if shared.json {
        let runs = runs
            .iter()
            .map(|line| MadeRun { run_id: &line.run_id, line, problem: line.problem.as_deref() })
            .collect();
        output::print_json(&Made { output, runs })?;
    } else {
        output::print(&in_words(&runs))?;
        let runs = number::counted(runs.len(), "run");
        output::error_line(&format!("{runs} written to {}", output.display()));
    }
    Ok(Exit::Success)
}

fn in_words(runs: &[MadeSubmission]) -> String {
    let mut table = Table::new([
        table::optional("run", 1),
        table::needed("competition"),
        table::needed("submission"),
        table::needed("log"),
        table::needed("code"),
    ]);
    let there = |path: &Option<PathBuf>| Cell::new(if path.is_some() { "yes" } else { "-" });
    for run in runs {
        table.add_row([
            Cell::new(output::harmless(&run.run_id)),
            Cell::new(output::harmless(&run.competition_id)),
            there(&run.submission_path),
            there(&run.logs_path),
            there(&run.code_path),
        ]);
    }
    table.lines()
}
