//! `podium make-submission`: the list of submissions of a run group, by its `metadata.json`.
//!
//! Takes what the reference's script of that name takes, and writes what it writes: the same fields, the same paths.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use podium::MadeSubmission;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::arguments::Shared;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::overwrite::{self, Target};
use crate::table::Table;
use crate::{number, output, table};

/// What `podium make-submission` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The metadata.json of the run group
    #[arg(long, value_name = "FILE")]
    metadata: PathBuf,
    /// The list that is written, for `podium grade`; an earlier one is replaced
    #[arg(long, value_name = "FILE.jsonl", default_value = "submission.jsonl")]
    output: PathBuf,
    /// Replace a file that is no earlier list
    #[arg(long)]
    force: bool,
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
    #[serde(serialize_with = "podium::path_text::serialize")]
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
    let Arguments { metadata, output, force, rel_log_path, rel_code_path } = arguments;
    let group = match metadata.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folders = std::fs::read_dir(group).into_iter().flatten().flatten();
    let found = if output.exists() { overwrite::found_by_itself(shared) } else { Vec::new() };
    let target = Target {
        path: output,
        flag: "--output",
        what: "list of submissions",
        is_earlier: is_list,
        // What else lies beside the metadata is nobody's; what other commands find for themselves is of use to them.
        inputs: folders
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .chain([metadata.clone()])
            .chain(found)
            .collect(),
        force: *force,
    };
    target.check()?;
    let runs = podium::list_run_group(metadata, rel_log_path, rel_code_path)?;
    let lines: String = runs.iter().map(|run| format!("{}\n", run.line())).collect();
    podium::write_over(output, lines.as_bytes())?;
    for run in &runs {
        if let Some(problem) = &run.problem {
            let run = output::short_name(&run.run_id);
            output::warning_line(&format!("run `{run}`: {problem}"));
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
        output::error_line(&format!("{runs} written to {}", output::path(output)));
    }
    Ok(Exit::Success)
}

/// Whether these are the bytes of a list that was written before: lines with the fields of the reference, and no others.
fn is_list(bytes: &[u8]) -> bool {
    const FIELDS: [&str; 4] = ["competition_id", "submission_path", "logs_path", "code_path"];
    let is_line = |line: &str| {
        serde_json::from_str::<Map<String, Value>>(line)
            .is_ok_and(|fields| fields.keys().map(String::as_str).eq(FIELDS))
    };
    std::str::from_utf8(bytes).is_ok_and(|text| text.lines().all(is_line))
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
            Cell::new(output::short_name(&run.run_id)),
            Cell::new(output::short_name(&run.competition_id)),
            there(&run.submission_path),
            there(&run.logs_path),
            there(&run.code_path),
        ]);
    }
    table.lines()
}
