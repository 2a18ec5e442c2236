//! Two experiments held against each other, competition by competition.

use serde::Serialize;

use crate::benchmark::Benchmark;
use crate::comparison::{Bootstrap, BootstrapOptions, SIGNIFICANCE_LEVEL, bootstrap};
use crate::competition_result::share;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::grading::{Marks, Metric};
use crate::problem::Problem;
use crate::runs::Runs;
use crate::seeds;
use crate::study::StudyOptions;

/// Two experiments held against each other.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The first experiment.
    pub first: String,
    /// The second.
    pub second: String,
    /// What is compared.
    pub metric: Metric,
    /// The name of the split.
    pub split: String,
    /// How the competitions were drawn.
    pub bootstrap: BootstrapOptions,
    /// Over all competitions of the split of which both have runs.
    pub all: Difference,
    /// Over those of them without known issues; `None` where none is left.
    pub without_known_issues: Option<Difference>,
    /// What whoever reads these numbers has to know.
    pub remarks: Vec<String>,
    /// What could not be used.
    pub problems: Vec<Problem>,
}

/// The difference between two experiments over a set of competitions, in percentage points.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// How many competitions both have runs of.
    pub competitions: usize,
    /// The seeds of the first experiment that count.
    pub first_seeds: usize,
    /// Those of the second.
    pub second_seeds: usize,
    /// The share of the first, in percent.
    pub first: f64,
    /// The share of the second.
    pub second: f64,
    /// First minus second, and how sure that is.
    #[serde(flatten)]
    pub bootstrap: Bootstrap,
    /// In how many competitions the first has the higher share.
    pub first_ahead: usize,
    /// In how many the second has.
    pub second_ahead: usize,
    /// Whether the difference is taken for more than noise: the p-value is below 0.05.
    pub significant: bool,
    /// All of it in a sentence.
    pub in_words: String,
}

impl Comparison {
    /// Compares two experiments.
    ///
    /// # Errors
    /// [`Error::Nothing`] where they have fewer than two competitions in common, or one has no complete seed.
    pub fn of(
        first: &Experiment,
        second: &Experiment,
        metric: Metric,
        benchmark: &Benchmark,
        options: &StudyOptions,
        draws: BootstrapOptions,
    ) -> Result<Comparison, Error> {
        let mut problems = Vec::new();
        let runs = [first, second]
            .map(|experiment| Runs::of(experiment, options.alignment, &mut problems));
        let has_runs = |id: &&String| {
            let graded = |runs: &Runs| {
                let of = runs.by_competition.get(*id);
                of.is_some_and(|of| of.iter().any(|run| run.marks.is_some()))
            };
            runs.iter().all(graded)
        };
        let split = &options.split;
        let (common, others): (Vec<&String>, Vec<&String>) =
            split.competitions.iter().partition(has_runs);
        let common: Vec<&str> = common.into_iter().map(String::as_str).collect();
        let clean: Vec<&str> = common
            .iter()
            .copied()
            .filter(|id| benchmark.get(id).is_some_and(|facts| !facts.has_known_issues))
            .collect();
        let names = [first.name.as_str(), second.name.as_str()];
        let mut remarks = Vec::new();
        for (experiment, runs) in [first, second].into_iter().zip(&runs) {
            let of = experiment.remarks.iter().chain(&runs.remarks);
            remarks.extend(of.map(|remark| format!("{}: {remark}", experiment.name)));
        }
        if !others.is_empty() {
            let others: Vec<&str> = others.into_iter().map(String::as_str).collect();
            remarks.push(format!(
                "left out, as not both experiments have runs of them: {}",
                others.join(", ")
            ));
        }
        let of = |competitions: &[&str], remarks: Option<&mut Vec<String>>| {
            difference(names, &runs, competitions, metric, options, draws, remarks)
        };
        Ok(Comparison {
            first: first.name.clone(),
            second: second.name.clone(),
            metric,
            split: split.name.clone(),
            bootstrap: draws,
            all: of(&common, Some(&mut remarks)).map_err(Error::Nothing)?,
            without_known_issues: of(&clean, None).ok(),
            remarks,
            problems,
        })
    }
}

fn difference(
    names: [&str; 2],
    runs: &[Runs; 2],
    competitions: &[&str],
    metric: Metric,
    options: &StudyOptions,
    draws: BootstrapOptions,
    mut remarks: Option<&mut Vec<String>>,
) -> Result<Difference, String> {
    if competitions.len() < 2 {
        return Err(format!(
            "the experiments `{}` and `{}` have runs of {} common competition{} of the split `{}`; a comparison needs two",
            names[0],
            names[1],
            competitions.len(),
            if competitions.len() == 1 { "" } else { "s" },
            options.split.name
        ));
    }
    let mut shares: [Vec<f64>; 2] = Default::default();
    let mut counts = [0; 2];
    for index in 0..2 {
        let seeds = seeds::form(&runs[index], competitions, options.seeds)
            .map_err(|reason| format!("`{}`: {reason}", names[index]))?;
        let padded = seeds.padded();
        if let Some(remarks) = remarks.as_deref_mut() {
            for (count, what) in [
                (padded, "missing and counted as failed (padded)"),
                (seeds.unused, "in no seed that counts and left out"),
            ] {
                if count > 0 {
                    remarks.push(format!("{}: runs that were {what}: {count}", names[index]));
                }
            }
        }
        counts[index] = seeds.runs.len();
        shares[index] = (0..competitions.len())
            .map(|competition| {
                let marks = seeds.runs.iter().map(|row| row[competition].and_then(|run| run.marks));
                let marks: Vec<Marks> = marks.map(Option::unwrap_or_default).collect();
                share(&marks, metric)
            })
            .collect();
    }
    let [first, second] = shares;
    let differences: Vec<f64> =
        first.iter().zip(&second).map(|(first, second)| first - second).collect();
    let bootstrap = bootstrap(&differences, draws).ok_or("there is no competition")?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let significant = bootstrap.p_value < SIGNIFICANCE_LEVEL;
    Ok(Difference {
        competitions: competitions.len(),
        first_seeds: counts[0],
        second_seeds: counts[1],
        first: mean(&first),
        second: mean(&second),
        first_ahead: differences.iter().filter(|difference| **difference > 0.0).count(),
        second_ahead: differences.iter().filter(|difference| **difference < 0.0).count(),
        significant,
        in_words: in_words(names, metric, &bootstrap, significant),
        bootstrap,
    })
}

fn in_words(names: [&str; 2], metric: Metric, found: &Bootstrap, significant: bool) -> String {
    let Bootstrap { effect, interval: [low, high], p_value, .. } = found;
    let what = metric.heading().to_lowercase();
    let sure = format!("95 % interval {low:+.2} to {high:+.2}, p = {p_value:.4}");
    let [first, second] = names;
    let points = effect.abs();
    match (significant, *effect > 0.0) {
        (true, true) => format!(
            "`{first}` is better than `{second}` by {points:.2} percentage points ({what}; {sure}): more than noise"
        ),
        (true, false) => format!(
            "`{first}` is worse than `{second}` by {points:.2} percentage points ({what}; {sure}): more than noise"
        ),
        (false, _) => format!(
            "`{first}` and `{second}` cannot be told apart: {effect:+.2} percentage points ({what}; {sure}) may be noise"
        ),
    }
}
