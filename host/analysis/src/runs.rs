//! The runs of an experiment: one for each competition and seed, out of the gradings of its reports.
//!
//! A run may have been graded several times while it went on (snapshots, told by `elapsed_seconds`); the last one is what
//! it came to.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;

use crate::experiment::Experiment;
use crate::grading::{Grading, Marks};
use crate::problem::{Problem, ProblemKind};
use crate::shown::shown_name;

/// How runs of different competitions are told to belong to the same seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// By the seeds that reports name, if all of an experiment's do, else by order.
    #[default]
    Auto,
    /// By the seeds that reports name.
    Ids,
    /// By order: the k-th run of each competition is seed k.
    Order,
}

/// One run of an agent on a competition.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The seed, as the report names it.
    pub(crate) seed: Option<String>,
    /// What it came to; `None` where its grading came to no result.
    pub(crate) marks: Option<Marks>,
    pub(crate) score: Option<f64>,
    pub(crate) relative_score: Option<f64>,
    /// The run group that it is from.
    pub(crate) run_group: String,
    /// What it had come to at times after its start, in seconds, in that order.
    pub(crate) snapshots: Vec<(f64, Marks)>,
    /// Whether the whole run was graded, and not only snapshots of it.
    is_final: bool,
}

/// The runs of an experiment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    /// By competition, in the order in which seeds are counted.
    pub(crate) by_competition: BTreeMap<String, Vec<Run>>,
    /// Whether seeds are the ones that reports name.
    pub(crate) by_ids: bool,
    /// What whoever reads the numbers has to know.
    pub(crate) remarks: Vec<String>,
}

impl Runs {
    /// Puts the gradings of an experiment together to runs; what cannot be used is added to `problems`.
    pub(crate) fn of(
        experiment: &Experiment,
        alignment: Alignment,
        problems: &mut Vec<Problem>,
    ) -> Runs {
        let gradings = || experiment.run_groups.iter().flat_map(|group| &group.gradings);
        let with_seed = gradings().filter(|(_, grading)| grading.seed.is_some()).count();
        let all = gradings().count();
        let mut runs = Runs {
            by_ids: match alignment {
                Alignment::Ids => true,
                Alignment::Order => false,
                Alignment::Auto => with_seed == all,
            },
            ..Runs::default()
        };
        if alignment == Alignment::Auto && with_seed > 0 && with_seed < all {
            runs.remarks.push(format!(
                "{} of {all} gradings name no seed, so seeds are counted in the order of the reports",
                all - with_seed
            ));
        }
        // Where a run is, by its competition and what its gradings call it.
        let mut places: HashMap<(String, String), usize> = HashMap::new();
        for group in &experiment.run_groups {
            for (index, grading) in &group.gradings {
                if let Err((kind, reason)) = runs.add(&group.name, grading, &mut places) {
                    problems.push(Problem::of_grading(
                        Path::new(&group.file),
                        *index,
                        kind,
                        reason,
                    ));
                }
            }
        }
        for run in runs.by_competition.values_mut().flatten() {
            run.snapshots.sort_by(|left, right| left.0.total_cmp(&right.0));
            if !run.is_final {
                run.marks = run.snapshots.last().map(|(_, marks)| *marks).or(run.marks);
            }
        }
        runs
    }

    fn add(
        &mut self,
        run_group: &str,
        grading: &Grading,
        places: &mut HashMap<(String, String), usize>,
    ) -> Result<(), (ProblemKind, String)> {
        let competition = &grading.competition;
        if self.by_ids && grading.seed.is_none() {
            let reason = "it names no seed; --align order counts runs in their order instead";
            return Err((ProblemKind::UnusableGrading, reason.to_owned()));
        }
        let name = match (&grading.seed, &grading.run_id) {
            (Some(seed), _) if self.by_ids => Some(seed.clone()),
            (_, Some(run_id)) => Some(format!("{run_group}\n{run_id}")),
            (Some(seed), None) if grading.elapsed_seconds.is_some() => {
                Some(format!("{run_group}\nseed {seed}"))
            }
            _ => None,
        };
        if grading.elapsed_seconds.is_some() && name.is_none() {
            let reason = "it is a snapshot (`elapsed_seconds`), but names neither `seed` nor `run_id`, so that nobody can \
                          say of which run";
            return Err((ProblemKind::UnusableGrading, reason.to_owned()));
        }
        let runs = self.by_competition.entry(competition.clone()).or_default();
        let key = name.map(|name| (competition.clone(), name));
        let known = key.as_ref().and_then(|key| places.get(key).copied());
        let place = known.unwrap_or_else(|| {
            if let Some(key) = key {
                places.insert(key, runs.len());
            }
            runs.push(Run {
                seed: grading.seed.clone(),
                marks: None,
                score: None,
                relative_score: None,
                run_group: run_group.to_owned(),
                snapshots: Vec::new(),
                is_final: false,
            });
            runs.len() - 1
        });
        let run = &mut runs[place];
        match grading.elapsed_seconds {
            Some(seconds) => {
                if run.snapshots.iter().any(|(time, _)| *time == seconds) {
                    let reason = format!(
                        "the run has a snapshot after {seconds} seconds already; the first counts"
                    );
                    return Err((ProblemKind::Duplicate, reason));
                }
                let is_last = run.snapshots.iter().all(|(time, _)| *time < seconds);
                run.snapshots.extend(grading.marks.map(|marks| (seconds, marks)));
                if is_last && !run.is_final {
                    (run.score, run.relative_score) = (grading.score, grading.relative_score);
                }
            }
            None if run.is_final => {
                let seed =
                    grading.seed.as_deref().or(grading.run_id.as_deref()).unwrap_or_default();
                let reason = format!(
                    "there is a run `{}` of `{competition}` already (in {}), and the first counts; --align order counts \
                     runs in their order instead",
                    shown_name(seed),
                    shown_name(&run.run_group)
                );
                return Err((ProblemKind::Duplicate, reason));
            }
            None => {
                run.is_final = true;
                run.marks = grading.marks;
                (run.score, run.relative_score) = (grading.score, grading.relative_score);
            }
        }
        Ok(())
    }
}
