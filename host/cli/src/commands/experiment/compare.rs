//! `podium experiment compare`: whether the difference between two experiments is more than noise.

use std::path::PathBuf;

use clap::ValueEnum;
use podium::Cancellation;
use podium_analysis::{
    Benchmark, BootstrapOptions, Comparison, Difference, Error, Experiment, Metric, Sources,
    shown_name,
};

use super::sources::{ReportOptions, SeedArguments, benchmark};
use crate::analysis_failure::{nothing_computed, of_problems, there_are};
use crate::arguments::Shared;
use crate::exit::Exit;
use crate::facts::Facts;
use crate::failure::{Failure, WithError};
use crate::{interrupt, number, output};

/// What `podium experiment compare` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The first experiment: its name, or the path of a report or of a folder of reports
    #[arg(value_name = "A")]
    first: String,
    /// The second experiment, likewise
    #[arg(value_name = "B")]
    second: String,
    /// Folder of experiments that holds those that are named; may be repeated
    #[arg(long, value_name = "DIR")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportOptions,
    /// The competitions: low, medium, high, split75, dev, systemcard, an id, or the path of a file with an id a line
    #[arg(long, value_name = "SPLIT", default_value = "split75")]
    split: String,
    #[command(flatten)]
    seeds: SeedArguments,
    /// What is compared
    #[arg(long, value_enum, default_value_t = Compared::AnyMedal)]
    metric: Compared,
    /// How many times competitions are drawn anew
    #[arg(long, value_name = "N", default_value_t = 10_000, allow_negative_numbers = true, value_parser = resamples)]
    resamples: u32,
    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = BootstrapOptions::default().seed, allow_negative_numbers = true,
          value_parser = random_seed)]
    random_seed: u64,
}

fn resamples(text: &str) -> Result<u32, String> {
    number::within(text, 100, 10_000_000)
}

fn random_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("give a whole number from 0 to {}", u64::MAX))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Compared {
    /// Runs with a submission
    Made,
    /// Runs with a valid submission
    Valid,
    /// Runs above the median
    AboveMedian,
    /// Runs with bronze
    Bronze,
    /// Runs with silver
    Silver,
    /// Runs with gold
    Gold,
    /// Runs with any medal
    AnyMedal,
}

impl Compared {
    fn metric(self) -> Metric {
        match self {
            Compared::Made => Metric::SubmissionExists,
            Compared::Valid => Metric::ValidSubmission,
            Compared::AboveMedian => Metric::AboveMedian,
            Compared::Bronze => Metric::BronzeMedal,
            Compared::Silver => Metric::SilverMedal,
            Compared::Gold => Metric::GoldMedal,
            Compared::AnyMedal => Metric::AnyMedal,
        }
    }
}

/// Prints the comparison.
///
/// # Errors
/// An experiment that is not there; fewer than two common competitions. What else could not be used is said at the end.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let cancellation = interrupt::cancellation()?;
    let benchmark = benchmark(shared)?;
    let options = arguments.seeds.over(&arguments.split, &benchmark)?;
    let (experiments, mut problems) = experiments(arguments, &benchmark, &cancellation)?;
    let find = |name: &String| -> Result<&Experiment, Failure> {
        let found = experiments.iter().find(|experiment| experiment.name == *name);
        found.ok_or_else(|| {
            let what =
                format!("there is no experiment `{}` with a usable report", shown_name(name));
            let names = experiments.iter().map(|experiment| experiment.name.as_str());
            nothing_computed(&what, &[], &problems).hint(there_are(names))
        })
    };
    let draws = BootstrapOptions { resamples: arguments.resamples, seed: arguments.random_seed };
    let (first, second) = (find(&arguments.first)?, find(&arguments.second)?);
    let compared = Comparison::of(
        first,
        second,
        arguments.metric.metric(),
        &benchmark,
        &options,
        draws,
        &cancellation,
    );
    let mut comparison = match compared {
        Ok(comparison) => comparison,
        Err(Error::NothingComputed { reason, problems: more }) => {
            problems.extend(more);
            return Err(Error::NothingComputed { reason, problems }.into());
        }
        Err(error) => return Err(error.into()),
    };
    comparison.problems.splice(0..0, problems);
    let failure = of_problems(&comparison.problems);
    if shared.json {
        output::print_json(&WithError::new(&comparison, failure.as_ref()))?;
    } else {
        output::print(&in_words(&comparison))?;
    }
    Ok(match failure {
        None => Exit::Success,
        Some(failure) => {
            failure.print();
            failure.exit()
        }
    })
}

/// The experiments that are compared, and what could not be used of them.
fn experiments(
    arguments: &Arguments,
    benchmark: &Benchmark,
    cancellation: &Cancellation,
) -> Result<(Vec<Experiment>, Vec<podium_analysis::Problem>), Failure> {
    let mut reports = arguments.reports.experiment.clone();
    let is_named = |name: &str| {
        let beginning = format!("{name}=");
        reports.iter().any(|value| value.to_string_lossy().starts_with(&beginning))
    };
    let mut paths: Vec<&String> = [&arguments.first, &arguments.second]
        .into_iter()
        .filter(|name| !is_named(name) && arguments.runs.is_empty())
        .collect();
    // An experiment may be held against itself.
    paths.dedup();
    let mut sources = Sources {
        experiments: paths
            .into_iter()
            .map(|path| (path.clone(), vec![PathBuf::from(path)]))
            .collect(),
        ..Sources::default()
    };
    if !reports.is_empty() || !arguments.runs.is_empty() {
        let named = arguments.reports.sources(&arguments.runs)?;
        sources.experiments.extend(named.experiments);
        sources.trees = named.trees;
    }
    reports.clear();
    sources.only = vec![arguments.first.clone(), arguments.second.clone()];
    let loaded = arguments.reports.load(&sources, &arguments.runs, benchmark, cancellation)?;
    Ok((loaded.experiments, loaded.problems))
}

fn in_words(comparison: &Comparison) -> String {
    let mut text = output::harmless(&comparison.all.in_words);
    text.push_str("\n\n");
    text.push_str(&facts(comparison, &comparison.all));
    if let Some(clean) = &comparison.without_known_issues {
        text.push_str("\n\nwithout the competitions that have known issues:\n");
        text.push_str(&output::harmless(&clean.in_words));
        text.push_str("\n\n");
        text.push_str(&facts(comparison, clean));
    }
    if !comparison.remarks.is_empty() {
        text.push('\n');
    }
    for remark in &comparison.remarks {
        text.push_str(&output::harmless(&format!("\n{remark}")));
    }
    text
}

fn facts(comparison: &Comparison, difference: &Difference) -> String {
    let mut facts = Facts::default();
    let bootstrap = &difference.bootstrap;
    facts.add("competitions", format!("{} that both have runs of", difference.competitions));
    facts.add(
        output::harmless_name(&comparison.first),
        format!("{:.2} %, {}", difference.first, number::counted(difference.first_seeds, "seed")),
    );
    facts.add(
        output::harmless_name(&comparison.second),
        format!("{:.2} %, {}", difference.second, number::counted(difference.second_seeds, "seed")),
    );
    let error =
        bootstrap.standard_error.map_or_else(|| "–".to_owned(), |error| format!("{error:.2}"));
    facts.add("difference", format!("{:+.2} ± {error} percentage points", bootstrap.effect));
    let interval = match bootstrap.interval {
        Some([low, high]) => format!("{low:+.2} to {high:+.2}"),
        None => "–, as all differences are the same".to_owned(),
    };
    facts.add("95 % interval", interval);
    let by_bootstrap = bootstrap
        .bootstrap_p_value
        .map_or_else(|| "–".to_owned(), |p_value| format!("{p_value:.4}"));
    facts.add(
        "p-value",
        format!(
            "{:.4}, the larger of {by_bootstrap} (bootstrap) and {:.4} (sign flips)",
            difference.p_value, difference.sign_flip_p_value
        ),
    );
    facts.add(
        "ahead in",
        format!("{} and {} competitions", difference.first_ahead, difference.second_ahead),
    );
    facts.add(
        "method",
        format!(
            "paired bootstrap and sign flips over competitions, {} draws, random seed {}",
            comparison.bootstrap.resamples, comparison.bootstrap.seed
        ),
    );
    facts.lines()
}
