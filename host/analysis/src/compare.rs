//! Two experiments held against each other, competition by competition.

use std::collections::BTreeSet;

use podium::{Cancellation, Digest};
use serde::Serialize;

use crate::benchmark::Benchmark;
use crate::comparison::{
    Bootstrap, BootstrapOptions, FEWEST_COMPETITIONS, SIGNIFICANCE_LEVEL, bootstrap, sign_flips,
};
use crate::competition_result::share;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::grading::{Marks, Metric};
use crate::problem::Problem;
use crate::runs::Runs;
use crate::seeds;
use crate::shown::shown_name;
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
    /// How likely a difference as large as this is by chance, were the sign of each competition's a matter of chance.
    pub sign_flip_p_value: f64,
    /// The larger of the two p-values.
    pub p_value: f64,
    /// In how many competitions the first has the higher share.
    pub first_ahead: usize,
    /// In how many the second has.
    pub second_ahead: usize,
    /// Whether the difference is taken for more than noise.
    pub verdict: Verdict,
    /// All of it in a sentence.
    pub in_words: String,
}

/// Whether a difference is taken for more than noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The larger p-value is below 0.05.
    MoreThanNoise,
    /// It is not.
    MayBeNoise,
    /// There are fewer than ten competitions, over which nobody can tell.
    TooFewCompetitions,
}

impl Comparison {
    /// Compares two experiments.
    ///
    /// # Errors
    /// [`Error::NothingComputed`] where they have fewer than two competitions in common, or one has no complete seed;
    /// [`Error::Cancelled`].
    pub fn of(
        first: &Experiment,
        second: &Experiment,
        metric: Metric,
        benchmark: &Benchmark,
        options: &StudyOptions,
        draws: BootstrapOptions,
        cancellation: &Cancellation,
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
        let names = [first, second].map(|experiment| shown_name(&experiment.name));
        let mut remarks = Vec::from_iter(same_reports(first, second));
        for ((experiment, runs), name) in [first, second].into_iter().zip(&runs).zip(&names) {
            let of = experiment.remarks.iter().chain(&runs.remarks);
            remarks.extend(of.map(|remark| format!("{name}: {remark}")));
        }
        if !others.is_empty() {
            let others: Vec<&str> = others.into_iter().map(String::as_str).collect();
            remarks.push(format!(
                "left out, as not both experiments have runs of them: {}",
                others.join(", ")
            ));
        }
        let of = |competitions: &[&str], remarks: Option<&mut Vec<String>>| {
            difference(&names, &runs, competitions, metric, options, (draws, cancellation), remarks)
        };
        let all = match of(&common, Some(&mut remarks)) {
            Ok(all) => all,
            Err(Error::Nothing(reason)) => return Err(Error::NothingComputed { reason, problems }),
            Err(error) => return Err(error),
        };
        let without_known_issues = match of(&clean, None) {
            Ok(difference) => Some(difference),
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => None,
        };
        Ok(Comparison {
            first: first.name.clone(),
            second: second.name.clone(),
            metric,
            split: split.name.clone(),
            bootstrap: draws,
            all,
            without_known_issues,
            remarks,
            problems,
        })
    }
}

/// That experiments are made of the same reports, where some are: a difference says nothing of them.
fn same_reports(first: &Experiment, second: &Experiment) -> Option<String> {
    let digests = |experiment: &Experiment| -> BTreeSet<Digest> {
        experiment.run_groups.iter().map(|group| group.digest).collect()
    };
    let (first, second) = (digests(first), digests(second));
    if first == second {
        return Some(
            "both experiments are made of the same reports: there is no difference that could say anything"
                .to_owned(),
        );
    }
    match first.intersection(&second).count() {
        0 => None,
        1 => Some("a report is in both experiments, or one of the same bytes".to_owned()),
        some => {
            Some(format!("{some} reports are in both experiments, or others of the same bytes"))
        }
    }
}

fn difference(
    names: &[String; 2],
    runs: &[Runs; 2],
    competitions: &[&str],
    metric: Metric,
    options: &StudyOptions,
    (draws, cancellation): (BootstrapOptions, &Cancellation),
    mut remarks: Option<&mut Vec<String>>,
) -> Result<Difference, Error> {
    if competitions.len() < 2 {
        return Err(Error::Nothing(format!(
            "the experiments `{}` and `{}` have runs of {} common competition{} of the split `{}`; a comparison needs two",
            names[0],
            names[1],
            competitions.len(),
            if competitions.len() == 1 { "" } else { "s" },
            shown_name(&options.split.name)
        )));
    }
    let mut shares: [Vec<f64>; 2] = Default::default();
    let mut counts = [0; 2];
    for index in 0..2 {
        let seeds = seeds::form(&runs[index], competitions, options.seeds)
            .map_err(|reason| Error::Nothing(format!("`{}`: {reason}", names[index])))?;
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
    let bootstrap = bootstrap(&differences, draws, cancellation)?;
    let sign_flip_p_value = sign_flips(&differences, draws, cancellation)?;
    let p_value = bootstrap.bootstrap_p_value.unwrap_or(0.0).max(sign_flip_p_value);
    let verdict = if competitions.len() < FEWEST_COMPETITIONS {
        Verdict::TooFewCompetitions
    } else if p_value < SIGNIFICANCE_LEVEL {
        Verdict::MoreThanNoise
    } else {
        Verdict::MayBeNoise
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let mut difference = Difference {
        competitions: competitions.len(),
        first_seeds: counts[0],
        second_seeds: counts[1],
        first: mean(&first),
        second: mean(&second),
        first_ahead: differences.iter().filter(|difference| **difference > 0.0).count(),
        second_ahead: differences.iter().filter(|difference| **difference < 0.0).count(),
        bootstrap,
        sign_flip_p_value,
        p_value,
        verdict,
        in_words: String::new(),
    };
    difference.in_words = in_words(names, metric, &difference);
    Ok(difference)
}

fn in_words([first, second]: &[String; 2], metric: Metric, found: &Difference) -> String {
    let Difference { bootstrap: Bootstrap { effect, interval, .. }, p_value, verdict, .. } = found;
    let what = metric.heading().to_lowercase();
    let interval = match interval {
        Some([low, high]) => format!("95 % interval {low:+.2} to {high:+.2}, "),
        None => String::new(),
    };
    let sure = format!("{what}; {interval}p = {p_value:.4}");
    let points = effect.abs();
    match verdict {
        Verdict::MoreThanNoise => {
            let which = if *effect > 0.0 { "better" } else { "worse" };
            format!(
                "`{first}` is {which} than `{second}` by {points:.2} percentage points ({sure}): more than noise"
            )
        }
        Verdict::MayBeNoise => format!(
            "`{first}` and `{second}` cannot be told apart: {effect:+.2} percentage points ({sure}) may be noise"
        ),
        Verdict::TooFewCompetitions => format!(
            "`{first}` and `{second}` differ by {effect:+.2} percentage points ({sure}) over {} competitions: too few to \
             say whether that is more than noise; it takes {FEWEST_COMPETITIONS}",
            found.competitions
        ),
    }
}
