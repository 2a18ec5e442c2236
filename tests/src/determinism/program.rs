//! The program that `cargo xtask determinism` starts.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Parser;
use podium::CacheLocation;
use serde_json::json;

use super::configuration::Configuration;
use super::in_v8::Node;
use super::run::{Outcome, Row, Runner};
use super::table::{grouped, section};
use super::work::{Cases, Work};
use crate::artifacts;
use crate::parity::Corpus;

/// Grades the parity corpus in many ways and says where they differ.
#[derive(Parser)]
struct Arguments {
    /// Competitions to grade; all of the corpus if none is named
    ids: Vec<String>,
    /// Run this configuration alone, beside the product's; may be given several times
    #[arg(long, value_name = "NAME", value_parser = configuration)]
    configuration: Vec<Configuration>,
    /// Leave this configuration out; may be given several times
    #[arg(long, value_name = "NAME", value_parser = configuration)]
    without: Vec<Configuration>,
    /// At most so many cases of each competition, spread over all of them
    #[arg(long, value_name = "NUMBER")]
    cases: Option<NonZeroUsize>,
    /// Components as <id>.wasm, instead of those in target/graders
    #[arg(long, value_name = "FOLDER")]
    graders: Option<PathBuf>,
    /// Print JSON on standard output instead of the table
    #[arg(long)]
    json: bool,
}

fn configuration(name: &str) -> Result<Configuration, String> {
    Configuration::named(name).ok_or_else(|| {
        let names: Vec<&str> = Configuration::OTHERS.iter().map(|known| known.name).collect();
        format!("there is no configuration {name}; there are {}", names.join(", "))
    })
}

/// The program.
pub fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well.
fn run() -> Result<bool> {
    let arguments = Arguments::parse();
    let corpus = Corpus::of_checkout();
    let graders = arguments.graders.unwrap_or_else(artifacts::graders);
    let all = corpus.competitions()?;
    if let Some(unknown) = arguments.ids.iter().find(|id| !all.contains(id)) {
        bail!("there is no competition {unknown} in the corpus");
    }
    let ids = if arguments.ids.is_empty() { all } else { arguments.ids };
    let cases = arguments.cases.map_or(Cases::All, |number| Cases::Some(number.get()));
    let work = Work::read(&corpus, &artifacts::competitions(), &graders, &ids, cases)?;
    let gradings = work.gradings();
    let node = Node::find();
    let cache = CacheLocation::Folder(artifacts::target().join("determinism"));

    let chosen: Vec<Configuration> = Configuration::OTHERS
        .into_iter()
        .filter(|known| {
            arguments.configuration.is_empty() || arguments.configuration.contains(known)
        })
        .collect();
    let configurations = 1 + chosen.len();
    let progress = Progress::new(format!("[1/{configurations}] product"), gradings);
    let runner = Runner::new(work, cache, &|| progress.step())?;
    say(1, configurations, &runner.product);
    let mut rows = vec![runner.product.clone()];
    let mut differences = Vec::new();
    for (number, configuration) in (2..).zip(&chosen) {
        let (row, found) = if arguments.without.contains(configuration) {
            (Row::new(configuration, Outcome::LeftOut), Vec::new())
        } else {
            let name = format!("[{number}/{configurations}] {}", configuration.name);
            let progress = Progress::new(name, gradings);
            runner.run(configuration, &node, &|| progress.step())
        };
        say(number, configurations, &row);
        for difference in &found {
            eprintln!("  {difference}");
        }
        rows.push(row);
        differences.extend(found);
    }

    let is_well = rows.iter().all(|row| row.outcome.is_well());
    if arguments.json {
        let result = json!({
            "competitions": runner.work().competitions.len(),
            "gradings": gradings,
            "rows": rows,
            "differences": differences,
        });
        println!("{result:#}");
    } else {
        print!("{}", section(runner.work(), &rows, &node));
    }
    Ok(is_well)
}

/// Tells how a configuration went.
fn say(number: usize, configurations: usize, row: &Row) {
    let how = match &row.outcome {
        Outcome::Run(counts) => format!(
            "{} of {} gradings are identical, {:.0} s",
            grouped(counts.identical),
            grouped(counts.gradings),
            counts.wall_clock.as_secs_f64()
        ),
        Outcome::NotRun(why) => format!("not run: {why}"),
        Outcome::LeftOut => "left out".to_owned(),
        Outcome::NotForThisProcessor => "does not apply to this processor".to_owned(),
    };
    eprintln!("[{number}/{configurations}] {}: {how}", row.name);
}

/// Says now and then how far a configuration has come.
struct Progress {
    name: String,
    gradings: usize,
    state: Mutex<(usize, Instant)>,
}

impl Progress {
    const PAUSE: Duration = Duration::from_secs(15);

    fn new(name: String, gradings: usize) -> Progress {
        Progress { name, gradings, state: Mutex::new((0, Instant::now())) }
    }

    fn step(&self) {
        // Nobody panics while holding it.
        let Ok(mut state) = self.state.lock() else { return };
        let (done, said) = &mut *state;
        *done += 1;
        if said.elapsed() >= Progress::PAUSE {
            *said = Instant::now();
            eprintln!("{}: {} of {}", self.name, grouped(*done), grouped(self.gradings));
        }
    }
}
