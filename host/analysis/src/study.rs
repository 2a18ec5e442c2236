//! A study: everything that is computed of a set of experiments, as plain data for whatever writes it down.

use std::collections::BTreeMap;

use podium::Complexity;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::benchmark::Benchmark;
use crate::competition_result::{self, CompetitionResult, DateCorrelation, RunRow};
use crate::experiment::{Experiment, Loaded};
use crate::grading::Metric;
use crate::metadata::Metadata;
use crate::over_time::{self, TimePoint};
use crate::pass_at_k::{self, PassAtK};
use crate::problem::Problem;
use crate::runs::{Alignment, Runs};
use crate::seeds::{self, SeedOptions, Seeds};
use crate::shown::shown_name;
use crate::split::Split;

/// What a study is over.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    /// The competitions.
    pub split: Split,
    /// How seeds are chosen.
    pub seeds: SeedOptions,
    /// How runs are put together to seeds.
    pub alignment: Alignment,
}

/// What was computed of a set of experiments.
#[derive(Clone, Debug, Serialize)]
pub struct Study {
    /// The name of the split.
    pub split: String,
    /// How many competitions it has.
    pub competitions: usize,
    /// Those of them with known issues.
    pub competitions_with_known_issues: Vec<String>,
    /// How seeds were chosen.
    #[serde(flatten)]
    pub seeds: SeedOptions,
    /// How runs were put together to seeds.
    pub alignment: Alignment,
    /// The experiments, the highest share of medals first.
    pub experiments: Vec<ExperimentResult>,
    /// Experiments of the same agent and model, side by side.
    pub variants: Vec<Variants>,
    /// What could not be used.
    pub problems: Vec<Problem>,
    /// All runs that are in a seed.
    #[serde(skip)]
    pub runs: Vec<RunRow>,
}

/// What was computed of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct ExperimentResult {
    /// The name.
    pub name: String,
    /// What is known of it besides its reports.
    pub metadata: Metadata,
    /// Its run groups.
    pub run_groups: Vec<String>,
    /// How many gradings their reports hold that can be used.
    pub gradings: usize,
    /// Whether seeds are the ones that reports name; else they are counted in the order of the reports.
    pub seeds_by_ids: bool,
    /// Over the whole split.
    pub overall: Group,
    /// Over its competitions of each complexity.
    pub by_complexity: Vec<Group>,
    /// Over its competitions of each category.
    pub by_category: Vec<Group>,
    /// pass@k for any medal.
    pub pass_at_k: Vec<PassAtK>,
    /// The same without the competitions with known issues.
    pub pass_at_k_without_known_issues: Vec<PassAtK>,
    /// Each competition of the split; empty where there is no seed.
    pub by_competition: Vec<CompetitionResult>,
    /// How the share of medals goes with the date of the competition, where dates are known.
    pub date_correlation: Option<DateCorrelation>,
    /// The same without the competitions with known issues.
    pub date_correlation_without_known_issues: Option<DateCorrelation>,
    /// How many runs `over_time` is over.
    pub runs_with_snapshots: usize,
    /// What runs had come to by times after their start.
    pub over_time: Vec<TimePoint>,
    /// The same without the competitions with known issues.
    pub over_time_without_known_issues: Vec<TimePoint>,
    /// What whoever reads these numbers has to know.
    pub remarks: Vec<String>,
}

/// An aggregate over a group of competitions, with and without those that have known issues.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// The name of the group: of a split, a complexity, a category.
    pub name: String,
    /// Over all of them.
    pub all: Aggregated,
    /// Over those without known issues.
    pub without_known_issues: Aggregated,
}

/// An aggregate, or the reason why there is none.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Aggregated {
    /// The aggregate.
    Of(Aggregate),
    /// Why there is none.
    None {
        /// In words.
        reason: String,
    },
}

impl Aggregated {
    /// The aggregate, if there is one.
    pub fn aggregate(&self) -> Option<&Aggregate> {
        match self {
            Aggregated::Of(aggregate) => Some(aggregate),
            Aggregated::None { .. } => None,
        }
    }

    pub(crate) fn over(runs: &Runs, competitions: &[&str], options: SeedOptions) -> Aggregated {
        if competitions.is_empty() {
            return Aggregated::None { reason: "no competition is left".to_owned() };
        }
        match Aggregate::of(runs, competitions, options) {
            Ok(aggregate) => Aggregated::Of(aggregate),
            Err(reason) => Aggregated::None { reason },
        }
    }
}

/// Experiments of the same agent and model, which differ in hardware, running time or something else.
#[derive(Clone, Debug, Serialize)]
pub struct Variants {
    /// The agent.
    pub agent: String,
    /// The model.
    pub model: String,
    /// The names of the experiments, by name.
    pub experiments: Vec<String>,
}

impl Study {
    /// Computes all of it.
    pub fn of(loaded: Loaded, benchmark: &Benchmark, options: &StudyOptions) -> Study {
        let Loaded { experiments, mut problems } = loaded;
        let groups = Groups::of(&options.split, benchmark);
        let mut runs = Vec::new();
        let mut results: Vec<ExperimentResult> = experiments
            .iter()
            .map(|experiment| {
                let of = Runs::of(experiment, options.alignment, &mut problems);
                groups.result(experiment, &of, benchmark, options, &mut runs)
            })
            .collect();
        let share = |result: &ExperimentResult| {
            let estimate = result.overall.all.aggregate()?.estimate(Metric::AnyMedal)?;
            Some(estimate.mean)
        };
        // The highest first, those without a share last.
        results.sort_by(|left, right| {
            let by_share = share(right).unwrap_or(-1.0).total_cmp(&share(left).unwrap_or(-1.0));
            by_share.then_with(|| left.name.cmp(&right.name))
        });
        Study {
            split: options.split.name.clone(),
            competitions: options.split.competitions.len(),
            competitions_with_known_issues: groups.with_known_issues.clone(),
            seeds: options.seeds,
            alignment: options.alignment,
            variants: variants(&results),
            experiments: results,
            problems,
            runs,
        }
    }
}

/// The groups of competitions of a split.
struct Groups<'a> {
    split: &'a Split,
    with_known_issues: Vec<String>,
    by_complexity: Vec<(&'static str, Vec<&'a str>)>,
    by_category: Vec<(&'a str, Vec<&'a str>)>,
}

impl<'a> Groups<'a> {
    fn of(split: &'a Split, benchmark: &'a Benchmark) -> Groups<'a> {
        let ids = || split.competitions.iter().map(String::as_str);
        let facts = |id: &str| benchmark.get(id);
        let by_complexity = [
            ("low", Complexity::Low),
            ("medium", Complexity::Medium),
            ("high", Complexity::High),
            ("development", Complexity::Development),
        ];
        let by_complexity = by_complexity.map(|(name, complexity)| {
            let has =
                |id: &&str| facts(id).is_some_and(|facts| facts.complexity == Some(complexity));
            (name, ids().filter(has).collect::<Vec<_>>())
        });
        let mut by_category: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for id in ids() {
            if let Some(category) = facts(id).and_then(|facts| facts.category.as_deref()) {
                by_category.entry(category).or_default().push(id);
            }
        }
        Groups {
            split,
            with_known_issues: ids()
                .filter(|id| facts(id).is_some_and(|facts| facts.has_known_issues))
                .map(str::to_owned)
                .collect(),
            by_complexity: by_complexity.into_iter().filter(|(_, ids)| !ids.is_empty()).collect(),
            by_category: by_category.into_iter().collect(),
        }
    }

    fn group(&self, name: &str, runs: &Runs, ids: &[&str], options: SeedOptions) -> Group {
        let clean = self.without_known_issues(ids);
        Group {
            name: name.to_owned(),
            all: Aggregated::over(runs, ids, options),
            without_known_issues: Aggregated::over(runs, &clean, options),
        }
    }

    fn without_known_issues<'b>(&self, ids: &[&'b str]) -> Vec<&'b str> {
        ids.iter().copied().filter(|id| !self.has_known_issues(id)).collect()
    }

    fn has_known_issues(&self, id: &str) -> bool {
        self.with_known_issues.iter().any(|known| known == id)
    }

    fn result(
        &self,
        experiment: &Experiment,
        runs: &Runs,
        benchmark: &Benchmark,
        options: &StudyOptions,
        rows: &mut Vec<RunRow>,
    ) -> ExperimentResult {
        let ids: Vec<&str> = self.split.competitions.iter().map(String::as_str).collect();
        let clean = self.without_known_issues(&ids);
        let overall = self.group(&self.split.name, runs, &ids, options.seeds);
        let seeds = seeds::form(runs, &ids, options.seeds).ok();
        let by_competition = seeds.as_ref().map_or_else(Vec::new, |seeds| {
            rows.extend(competition_result::rows(&experiment.name, seeds, &ids));
            competition_result::of(seeds, &ids, benchmark)
        });
        let curve = |clean: bool| {
            let rows = seeds.iter().flat_map(|seeds| &seeds.runs);
            let runs = rows.flat_map(|row| row.iter().zip(&ids));
            let counts = |id: &str| !clean || !self.has_known_issues(id);
            over_time::curve(runs.filter(|(_, id)| counts(id)).filter_map(|(run, _)| *run))
        };
        let (runs_with_snapshots, over_time) = curve(false);
        let without_known_issues =
            || by_competition.iter().filter(|result| !result.has_known_issues);
        let mut remarks = experiment.remarks.clone();
        remarks.extend(runs.remarks.iter().cloned());
        remarks.extend(remarks_of(&overall));
        ExperimentResult {
            name: experiment.name.clone(),
            metadata: experiment.metadata.clone(),
            run_groups: experiment.run_groups.iter().map(|group| group.name.clone()).collect(),
            gradings: experiment.run_groups.iter().map(|group| group.gradings.len()).sum(),
            seeds_by_ids: runs.by_ids,
            by_complexity: self
                .by_complexity
                .iter()
                .map(|(name, ids)| self.group(name, runs, ids, options.seeds))
                .collect(),
            by_category: self
                .by_category
                .iter()
                .map(|(name, ids)| self.group(name, runs, ids, options.seeds))
                .collect(),
            pass_at_k: seeds.as_ref().map_or_else(Vec::new, any_medal_curve),
            pass_at_k_without_known_issues: seeds::form(runs, &clean, options.seeds)
                .ok()
                .filter(|_| !clean.is_empty())
                .as_ref()
                .map_or_else(Vec::new, any_medal_curve),
            date_correlation: DateCorrelation::of(by_competition.iter()),
            date_correlation_without_known_issues: DateCorrelation::of(without_known_issues()),
            by_competition,
            runs_with_snapshots,
            over_time,
            over_time_without_known_issues: curve(true).1,
            overall,
            remarks,
        }
    }
}

fn any_medal_curve(seeds: &Seeds) -> Vec<PassAtK> {
    let competitions = seeds.runs.first().map_or(0, Vec::len);
    let passed: Vec<usize> = (0..competitions)
        .map(|competition| {
            let medal = |row: &&Vec<Option<&crate::runs::Run>>| {
                let marks = row[competition].and_then(|run| run.marks);
                marks.is_some_and(|marks| Metric::AnyMedal.holds(&marks))
            };
            seeds.runs.iter().filter(medal).count()
        })
        .collect();
    pass_at_k::curve(seeds.runs.len(), &passed)
}

/// What was padded or left out.
fn remarks_of(overall: &Group) -> Vec<String> {
    let name = shown_name(&overall.name);
    let aggregate = match &overall.all {
        Aggregated::Of(aggregate) => aggregate,
        Aggregated::None { reason } => {
            return vec![format!("there is no result over {name}: {reason}")];
        }
    };
    let mut remarks = Vec::new();
    let runs = |count: usize| format!("{count} run{}", if count == 1 { "" } else { "s" });
    if aggregate.padded_runs > 0 {
        remarks.push(format!(
            "{} over {name} were missing and count as failed (padded)",
            runs(aggregate.padded_runs)
        ));
    }
    if aggregate.unused_runs > 0 {
        remarks.push(format!(
            "{} over {name} are in no seed that counts and were left out",
            runs(aggregate.unused_runs)
        ));
    }
    if aggregate.seeds.len() == 1 {
        remarks
            .push("there is one seed only, so nobody can say how sure the numbers are".to_owned());
    }
    remarks
}

fn variants(results: &[ExperimentResult]) -> Vec<Variants> {
    let mut groups: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for result in results {
        if let (Some(agent), Some(model)) = (&result.metadata.agent, &result.metadata.model) {
            groups.entry((agent, model)).or_default().push(result.name.clone());
        }
    }
    groups
        .into_iter()
        .filter(|(_, experiments)| experiments.len() > 1)
        .map(|((agent, model), mut experiments)| {
            experiments.sort();
            Variants { agent: agent.to_owned(), model: model.to_owned(), experiments }
        })
        .collect()
}
