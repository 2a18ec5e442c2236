//! Compares built graders with a parity corpus; `cargo xtask parity` builds the graders and starts this program.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use clap::Parser;
use podium::{Engine, EngineSettings};
use podium_tests::artifacts;
use podium_tests::parity::{CompetitionResult, Corpus, Runner};
use rayon::prelude::*;
use serde_json::json;

/// Compares graders with what the reference said of the submissions of a corpus.
#[derive(Parser)]
struct Arguments {
    /// Competitions to compare; all in the corpus that have a grader if none is named
    ids: Vec<String>,
    /// A corpus in the format of tests/parity/README.md, instead of that one
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// Components as <id>.wasm, instead of those in target/graders
    #[arg(long, value_name = "FOLDER")]
    graders: Option<PathBuf>,
    /// At most this many differences are listed for a competition; 0 for all
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    list: usize,
    /// Print JSON on standard output
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let corpus = arguments.corpus.map_or_else(Corpus::of_checkout, Corpus::new);
    let graders = arguments.graders.unwrap_or_else(artifacts::graders);
    let ids = if arguments.ids.is_empty() {
        let (with, without): (Vec<String>, Vec<String>) = corpus
            .competitions()?
            .into_iter()
            .partition(|id| graders.join(format!("{id}.wasm")).is_file());
        if !without.is_empty() {
            eprintln!("no grader in {} for {}", graders.display(), without.join(", "));
        }
        with
    } else {
        arguments.ids
    };
    if ids.is_empty() {
        bail!(
            "nothing to compare: no grader in {} for any competition of the corpus",
            graders.display()
        );
    }

    let engine = Engine::new(EngineSettings::default())?;
    let runner = Runner::new(engine, &artifacts::competitions(), &graders);
    let done = AtomicUsize::new(0);
    let results: Vec<Result<CompetitionResult>> = ids
        .par_iter()
        .map(|id| {
            let result = runner.run(&corpus, id).with_context(|| id.clone());
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            match &result {
                Ok(result) => eprintln!(
                    "[{done}/{}] {id}: {} of {} cases agree",
                    ids.len(),
                    result.cases - result.differences.len(),
                    result.cases
                ),
                Err(error) => eprintln!("[{done}/{}] {id}: not compared: {error:#}", ids.len()),
            }
            result
        })
        .collect();

    let broken: Vec<String> =
        results.iter().filter_map(|result| Some(format!("{:#}", result.as_ref().err()?))).collect();
    let results: Vec<CompetitionResult> = results.into_iter().filter_map(Result::ok).collect();
    let cases: usize = results.iter().map(|result| result.cases).sum();
    let differences: usize = results.iter().map(|result| result.differences.len()).sum();
    if arguments.json {
        println!(
            "{:#}",
            json!({
                "competitions": results,
                "not_compared": broken,
                "total_cases": cases,
                "total_differences": differences,
            })
        );
    } else {
        let list = if arguments.list == 0 { usize::MAX } else { arguments.list };
        print(&results, &broken, list);
        println!("{} competitions, {cases} cases, {differences} differences", results.len());
    }
    Ok(if differences == 0 && broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(results: &[CompetitionResult], broken: &[String], list: usize) {
    for result in results.iter().filter(|result| !result.differences.is_empty()) {
        println!(
            "{}: {} of {} cases differ",
            result.competition,
            result.differences.len(),
            result.cases
        );
        for difference in result.differences.iter().take(list) {
            println!("  {difference}");
        }
        if result.differences.len() > list {
            println!("  … and {} more; --list 0 shows all", result.differences.len() - list);
        }
    }
    for broken in broken {
        println!("not compared: {broken}");
    }
}
