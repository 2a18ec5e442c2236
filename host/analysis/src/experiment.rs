//! Experiments: named sets of run groups, with what their reports say.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use podium::{Cancellation, Digest};

use crate::benchmark::Benchmark;
use crate::error::Error;
use crate::grading::Grading;
use crate::metadata::{Metadata, MetadataByExperiment};
use crate::problem::{Problem, ProblemKind};
use crate::report_file::ReportFile;
use crate::shown::{shown_name, shown_path};
use crate::sources::{FoundExperiment, Sources};

/// A named set of run groups.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The name.
    pub name: String,
    /// What is known of it besides the reports.
    pub metadata: Metadata,
    /// The run groups, in the order in which seeds are counted.
    pub run_groups: Vec<RunGroup>,
    /// What whoever reads its numbers has to know.
    pub remarks: Vec<String>,
}

/// A run group: one report.
#[derive(Clone, Debug)]
pub struct RunGroup {
    /// The name.
    pub name: String,
    /// The report.
    pub file: PathBuf,
    /// The digest of the report, by which copies are known.
    pub digest: Digest,
    /// Its gradings by competition, within a competition in the order of the report; each with its place there.
    pub gradings: Vec<(usize, Grading)>,
}

/// Reports that were found and not read yet.
#[derive(Debug)]
pub struct Plan {
    found: Vec<FoundExperiment>,
    problems: Vec<Problem>,
    names: Vec<String>,
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// The experiments, by name; at least one.
    pub experiments: Vec<Experiment>,
    /// What could not be used.
    pub problems: Vec<Problem>,
}

impl Plan {
    /// Looks for reports.
    pub fn of(sources: &Sources) -> Plan {
        let mut problems = Vec::new();
        let (found, names) = sources.find(&mut problems);
        Plan { found, problems, names }
    }

    /// The names of all experiments that there are, sorted; those that are not wanted among them.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many reports there are to read.
    pub fn reports(&self) -> usize {
        self.found.iter().map(|experiment| experiment.reports.len()).sum()
    }

    /// Reads them; `reading` is told of each.
    ///
    /// # Errors
    /// [`Error::Unusable`] where no report can be used at all; [`Error::Cancelled`].
    pub fn read(
        self,
        benchmark: &Benchmark,
        metadata: &MetadataByExperiment,
        cancellation: &Cancellation,
        mut reading: impl FnMut(&Path),
    ) -> Result<Loaded, Error> {
        let mut problems = self.problems;
        let mut experiments = Vec::new();
        for FoundExperiment { name, reports } in self.found {
            let mut experiment = Experiment {
                metadata: metadata.get(&name).cloned().unwrap_or_default(),
                name,
                run_groups: Vec::new(),
                remarks: Vec::new(),
            };
            // Where the bytes of a report were seen first.
            let mut seen: HashMap<Digest, PathBuf> = HashMap::new();
            for (run_group, path) in reports {
                if cancellation.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                reading(&path);
                let file = match ReportFile::read(&path) {
                    Ok(file) => file,
                    Err(problem) => {
                        problems.push(problem);
                        continue;
                    }
                };
                // Another file of the same bytes may be another run group that came to the same: the reference counts both.
                match seen.entry(file.digest) {
                    Entry::Vacant(place) => {
                        place.insert(path.clone());
                    }
                    Entry::Occupied(first) => experiment.remarks.push(format!(
                        "{} and {} hold the same bytes, and both count: if one is a copy, leave it out",
                        shown_path(first.get()),
                        shown_path(&path)
                    )),
                }
                if file.incomplete {
                    experiment.remarks.push(format!(
                        "{}: the report says that it is not complete: grading was interrupted",
                        shown_path(&path)
                    ));
                }
                problems.extend(file.problems);
                let gradings = known(&path, file.gradings, benchmark, &mut problems);
                experiment.run_groups.push(RunGroup {
                    name: run_group,
                    file: path,
                    digest: file.digest,
                    gradings,
                });
            }
            experiment.run_groups.retain(|group| !group.gradings.is_empty());
            experiment.remarks.extend(mixed_versions(&experiment.run_groups));
            if !experiment.run_groups.is_empty() {
                experiments.push(experiment);
            }
        }
        if experiments.is_empty() {
            return Err(Error::Unusable { problems });
        }
        Ok(Loaded { experiments, problems })
    }
}

/// The gradings of competitions that are known, by competition; says which others there are, each once.
fn known(
    path: &Path,
    gradings: Vec<(usize, Grading)>,
    benchmark: &Benchmark,
    problems: &mut Vec<Problem>,
) -> Vec<(usize, Grading)> {
    let mut unknown: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut kept = Vec::with_capacity(gradings.len());
    for (index, grading) in gradings {
        let Some(facts) = benchmark.get(&grading.competition) else {
            unknown.entry(grading.competition).or_insert((index, 0)).1 += 1;
            continue;
        };
        if let (Some(said), Some(known)) = (grading.is_lower_better, facts.is_lower_better)
            && said != known
        {
            let problem = Problem::of_grading(
                path,
                index,
                ProblemKind::UnusableGrading,
                format!(
                    "it is {said}, and by its competition.toml {known} for `{}`, so that nobody can say what was earned",
                    grading.competition
                ),
            );
            let part = problem.part.as_ref().map(|part| format!("{part}.is_lower_better"));
            problems.push(Problem { part, ..problem });
            continue;
        }
        if grading.marks.is_none() {
            let reason = format!(
                "the grading of `{}` came to no result for reasons other than the submission: grade it again",
                grading.competition
            );
            problems.push(Problem::of_grading(path, index, ProblemKind::NotGraded, reason));
        }
        kept.push((index, grading));
    }
    for (id, (index, times)) in unknown {
        let more =
            if times > 1 { format!(" (and {} more of it)", times - 1) } else { String::new() };
        let reason = format!(
            "there is no competition `{}`{more}: name the folder that holds it with --competitions",
            shown_name(&id)
        );
        problems.push(Problem::of_grading(path, index, ProblemKind::UnknownCompetition, reason));
    }
    // Stable: within a competition the order of the report says which run comes first.
    kept.sort_by(|(_, left), (_, right)| left.competition.cmp(&right.competition));
    kept
}

/// Says which competitions were graded by several graders, or held against several leaderboards, within an experiment.
fn mixed_versions(run_groups: &[RunGroup]) -> Vec<String> {
    let mut graders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut lines: BTreeMap<&str, BTreeSet<[u64; 4]>> = BTreeMap::new();
    for (_, grading) in run_groups.iter().flat_map(|group| &group.gradings) {
        let competition = grading.competition.as_str();
        if let Some(grader) = &grading.grader {
            graders.entry(competition).or_default().insert(grader);
        }
        if let Some(four) = grading.lines {
            lines.entry(competition).or_default().insert(four.map(f64::to_bits));
        }
    }
    let several = |what: &str, competitions: Vec<&str>| {
        let list = competitions.join(", ");
        (!competitions.is_empty())
            .then(|| format!("runs of one competition were {what}; all of them count: {list}"))
    };
    let of_graders = graders.into_iter().filter(|(_, set)| set.len() > 1).map(|(id, _)| id);
    let of_lines = lines.into_iter().filter(|(_, set)| set.len() > 1).map(|(id, _)| id);
    [
        several("graded by different versions of its grader", of_graders.collect()),
        several("held against different medal lines", of_lines.collect()),
    ]
    .into_iter()
    .flatten()
    .collect()
}
