//! What an experiment came to in each competition, and how that goes with the competition's date.

use std::collections::BTreeMap;

use jiff::civil::Date;
use podium::Complexity;
use serde::{Serialize, Serializer};

use crate::benchmark::Benchmark;
use crate::grading::{Marks, Metric};
use crate::runs::Run;
use crate::seeds::Seeds;
use crate::statistics::{mean, pearson, spearman};

/// What an experiment came to in a competition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompetitionResult {
    /// The competition.
    pub competition: String,
    /// Its complexity.
    pub complexity: Option<Complexity>,
    /// Its category.
    pub category: Option<String>,
    /// Whether something is known to be wrong with it.
    pub has_known_issues: bool,
    /// When it took place, where that was given.
    #[serde(serialize_with = "as_text")]
    pub date: Option<Date>,
    /// How many runs there are.
    pub runs: usize,
    /// How many were missing and count as failed.
    pub padded_runs: usize,
    /// The percentages over all of them.
    pub metrics: BTreeMap<&'static str, f64>,
    /// The mean of the relative scores of runs that have one: 0 is the median of the leaderboard, 1 the gold line.
    pub mean_relative_score: Option<f64>,
}

fn as_text<S: Serializer>(date: &Option<Date>, serializer: S) -> Result<S::Ok, S::Error> {
    match date {
        Some(date) => serializer.collect_str(date),
        None => serializer.serialize_none(),
    }
}

/// A run that is in a seed, or one that is missing and counts as failed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// The experiment.
    pub experiment: String,
    /// The seed.
    pub seed: String,
    /// The competition.
    pub competition: String,
    /// The run group; `None` for a run that is missing.
    pub run_group: Option<String>,
    /// What it earned.
    pub marks: Marks,
    /// The score.
    pub score: Option<f64>,
    /// The score between median (0) and gold line (1).
    pub relative_score: Option<f64>,
}

/// The runs of an experiment, by seed and competition.
pub(crate) fn rows(
    experiment: &str,
    seeds: &Seeds,
    competitions: &[&str],
) -> impl Iterator<Item = RunRow> {
    seeds.names.iter().zip(&seeds.runs).flat_map(move |(seed, row)| {
        row.iter().zip(competitions).map(move |(run, competition)| RunRow {
            experiment: experiment.to_owned(),
            seed: seed.clone(),
            competition: (*competition).to_owned(),
            run_group: run.map(|run| run.run_group.clone()),
            marks: run.and_then(|run| run.marks).unwrap_or_default(),
            score: run.and_then(|run| run.score),
            relative_score: run.and_then(|run| run.relative_score),
        })
    })
}

/// Each competition over the seeds of an experiment.
pub(crate) fn of(
    seeds: &Seeds,
    competitions: &[&str],
    benchmark: &Benchmark,
) -> Vec<CompetitionResult> {
    competitions
        .iter()
        .enumerate()
        .map(|(index, id)| {
            let runs: Vec<Option<&Run>> = seeds.runs.iter().map(|row| row[index]).collect();
            let marks: Vec<Marks> =
                runs.iter().map(|run| run.and_then(|run| run.marks).unwrap_or_default()).collect();
            let relative: Vec<f64> =
                runs.iter().filter_map(|run| run.and_then(|run| run.relative_score)).collect();
            let facts = benchmark.get(id).cloned().unwrap_or_default();
            let metrics = Metric::ALL.iter().map(|metric| (metric.name(), share(&marks, *metric)));
            CompetitionResult {
                competition: (*id).to_owned(),
                complexity: facts.complexity,
                category: facts.category,
                has_known_issues: facts.has_known_issues,
                date: facts.date,
                runs: runs.len(),
                padded_runs: runs.iter().filter(|run| run.is_none()).count(),
                metrics: metrics.collect(),
                mean_relative_score: mean(&relative),
            }
        })
        .collect()
}

/// The percentage of runs that count.
pub(crate) fn share(marks: &[Marks], metric: Metric) -> f64 {
    let count = marks.iter().filter(|marks| metric.holds(marks)).count();
    count as f64 / marks.len() as f64 * 100.0
}

/// How results go with the date of competitions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DateCorrelation {
    /// Of the share of runs with any medal.
    pub any_medal: Correlation,
    /// Of the mean relative score, over competitions that have one.
    pub mean_relative_score: Correlation,
}

/// The correlation of the date of competitions with something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Correlation {
    /// How many competitions it is over.
    pub competitions: usize,
    /// Pearson's; `None` where it is not defined.
    pub pearson: Option<f64>,
    /// Spearman's.
    pub spearman: Option<f64>,
}

impl DateCorrelation {
    /// Of these competitions; `None` for fewer than three with a date.
    pub(crate) fn of<'a>(
        results: impl Iterator<Item = &'a CompetitionResult>,
    ) -> Option<DateCorrelation> {
        let epoch = Date::constant(1970, 1, 1);
        let dated: Vec<(f64, &CompetitionResult)> = results
            .filter_map(|result| Some((f64::from((result.date? - epoch).get_days()), result)))
            .collect();
        let with = |value: fn(&CompetitionResult) -> Option<f64>| {
            let pairs: Vec<(f64, f64)> =
                dated.iter().filter_map(|(days, result)| Some((*days, value(result)?))).collect();
            Correlation {
                competitions: pairs.len(),
                pearson: pearson(&pairs),
                spearman: spearman(&pairs),
            }
        };
        (dated.len() >= 3).then(|| DateCorrelation {
            any_medal: with(|result| result.metrics.get(Metric::AnyMedal.name()).copied()),
            mean_relative_score: with(|result| result.mean_relative_score),
        })
    }
}
