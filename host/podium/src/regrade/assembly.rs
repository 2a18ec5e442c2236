//! Runs, put together out of folders, metadata, lists and reports.
//!
//! A run's folder holds `submission/submission.csv`, or is named by the `metadata.json` of its run group. What lies in
//! such a folder was written by an agent and says nothing here. Lists and reports name submissions by paths; those that
//! lead to a known run are about it, others are runs of their own.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value};

use crate::archive::{EntryPath, EntryProblem};
use crate::submission_list::ListedSubmission;

use super::collector::Collector;
use super::metadata::{RunGroupMetadata, SUBMISSION, competition_of};
use super::records::{Receipts, RecordedGrading, Records};
use super::resolver::{Resolver, place, why_unusable};
use super::survey::{ArchivedRun, SubmissionPlace};

/// What comes out.
pub(super) struct Assembled {
    pub(super) runs: Vec<ArchivedRun>,
    pub(super) receipts: Receipts,
    pub(super) problems: Vec<EntryProblem>,
    /// Sets of earlier regrades that lie in the archive: no records of it.
    pub(super) sets: Vec<EntryPath>,
}

/// Puts together what was collected. `records` go before what the archive itself records.
pub(super) fn assemble(
    collector: Collector,
    unusable: &HashMap<EntryPath, String>,
    records: Option<Records>,
) -> Assembled {
    let Collector {
        submissions,
        metadata,
        reports,
        lists,
        receipts,
        experiments,
        problems,
        sets,
        ..
    } = collector;
    // A set says what a regrade came to, and not what was run; its reports and receipts are no records of the archive.
    let in_set = |path: &EntryPath| path.ancestors().any(|above| sets.contains(&above));
    let metadata: BTreeMap<_, _> =
        metadata.into_iter().filter(|(folder, _)| !in_set(folder)).collect();
    let folders = RunFolders::find(&submissions, unusable, &metadata);
    // Nor is what an agent wrote.
    let by_agent = |path: &EntryPath| folders.hold(path) || in_set(path);
    let mut problems: Vec<EntryProblem> = problems
        .into_iter()
        .filter(|(path, _)| !by_agent(path))
        .map(|(path, reason)| EntryProblem::new(path.as_str(), reason))
        .collect();
    let resolver = Resolver::Archive { submissions: &submissions, unusable };
    let mut assembly = Assembly { runs: Vec::new(), problems: Vec::new(), resolver };
    folders.runs(&submissions, unusable, &metadata, &mut assembly);
    for (path, list) in lists.into_iter().filter(|(path, _)| !by_agent(path)) {
        let base = path.parent().unwrap_or_default();
        assembly.add_list(&base, list.into_iter().map(Listed::from));
    }
    let records = records.unwrap_or_else(|| {
        let reports = reports.into_iter().filter(|(path, _)| !by_agent(path)).collect();
        let mut records = Records { reports, ..Records::default() };
        receipts
            .into_iter()
            .filter(|(path, _)| !by_agent(path))
            .for_each(|(_, receipt)| records.receipts.add(receipt));
        records
    });
    for (path, gradings) in records.reports {
        assembly.add_report(&path, gradings);
    }
    problems.extend(records.problems);
    problems.append(&mut assembly.problems);
    let experiments: HashMap<String, String> =
        experiments.into_iter().map(|(experiment, group)| (group, experiment)).collect();
    let mut runs = assembly.runs;
    for run in &mut runs {
        run.experiment = run.run_group.as_ref().and_then(|group| experiments.get(group).cloned());
    }
    let sets = sets.iter().filter(|set| !folders.hold(set)).cloned().collect();
    Assembled { runs, receipts: records.receipts, problems, sets }
}

/// What an archive records, without what lies in folders of runs, where agents write, and in sets of regrades, which are
/// given as well.
pub(super) fn records_of(
    collector: Collector,
    unusable: &HashMap<EntryPath, String>,
) -> (Records, Vec<EntryPath>) {
    let sets = collector.sets.clone();
    let in_set = |path: &EntryPath| path.ancestors().any(|above| sets.contains(&above));
    let metadata: BTreeMap<_, _> = collector
        .metadata
        .iter()
        .filter(|(folder, _)| !in_set(folder))
        .map(|(folder, metadata)| (folder.clone(), metadata.clone()))
        .collect();
    let folders = RunFolders::find(&collector.submissions, unusable, &metadata);
    let is_record = |path: &EntryPath| !folders.hold(path) && !in_set(path);
    let records = collector.into_records(is_record);
    let sets = sets.into_iter().filter(|set| !folders.hold(set)).collect();
    (records, sets)
}

/// The runs of a single report or list that somebody named.
pub(super) fn of_document(
    collector: Collector,
    resolver: Resolver<'_>,
    records: Option<Records>,
) -> Assembled {
    let Collector { reports, lists, problems, .. } = collector;
    let mut assembly = Assembly { runs: Vec::new(), problems: Vec::new(), resolver };
    for (path, list) in lists {
        let base = path.parent().unwrap_or_default();
        assembly.add_list(&base, list.into_iter().map(Listed::from));
    }
    let mut receipts = Receipts::default();
    let mut problems: Vec<EntryProblem> = problems
        .into_iter()
        .map(|(path, reason)| EntryProblem::new(path.as_str(), reason))
        .collect();
    for (path, gradings) in reports {
        assembly.add_report(&path, gradings);
    }
    if let Some(records) = records {
        for run in &mut assembly.runs {
            (run.recorded, run.receipt) = (None, None);
        }
        for (path, gradings) in records.reports {
            assembly.add_report(&path, gradings);
        }
        receipts = records.receipts;
        problems.extend(records.problems);
    }
    problems.append(&mut assembly.problems);
    Assembled { runs: assembly.runs, receipts, problems, sets: Vec::new() }
}

/// The folders of runs, by run group.
struct RunFolders {
    runs: BTreeSet<EntryPath>,
}

impl RunFolders {
    fn find(
        submissions: &HashSet<EntryPath>,
        unusable: &HashMap<EntryPath, String>,
        metadata: &BTreeMap<EntryPath, RunGroupMetadata>,
    ) -> RunFolders {
        let of_submission = |path: &EntryPath| {
            let folder = path.parent()?.parent()?;
            let is_submission = folder.join(SUBMISSION).is_ok_and(|submission| submission == *path);
            (is_submission && !folder.is_root()).then_some(folder)
        };
        let mut runs: BTreeSet<EntryPath> =
            submissions.iter().chain(unusable.keys()).filter_map(of_submission).collect();
        for (group, metadata) in metadata {
            runs.extend(metadata.runs.keys().filter_map(|run| one_step_beneath(group, run)));
        }
        // A link in the place of a run's folder is a run all the same, if it is called like one beside it.
        let competitions: HashSet<(Option<EntryPath>, String)> =
            runs.iter().map(|run| (run.parent(), competition_of(run.name()).to_owned())).collect();
        let like_a_run = |path: &EntryPath| {
            let name = path.name();
            name.contains('_')
                && competitions.contains(&(path.parent(), competition_of(name).to_owned()))
        };
        runs.extend(unusable.keys().filter(|path| like_a_run(path)).cloned().collect::<Vec<_>>());
        // What an agent laid out like a run in its own folder is none.
        let outer: BTreeSet<EntryPath> = runs
            .iter()
            .filter(|run| !run.ancestors().skip(1).any(|above| runs.contains(&above)))
            .cloned()
            .collect();
        RunFolders { runs: outer }
    }

    /// Whether a path lies in the folder of a run.
    fn hold(&self, path: &EntryPath) -> bool {
        path.ancestors().skip(1).any(|above| self.runs.contains(&above))
    }

    fn runs(
        &self,
        submissions: &HashSet<EntryPath>,
        unusable: &HashMap<EntryPath, String>,
        metadata: &BTreeMap<EntryPath, RunGroupMetadata>,
        assembly: &mut Assembly<'_>,
    ) {
        let mut groups: BTreeMap<EntryPath, Vec<EntryPath>> = BTreeMap::new();
        for run in &self.runs {
            groups.entry(run.parent().unwrap_or_default()).or_default().push(run.clone());
        }
        for (group, metadata) in
            metadata.iter().filter(|(group, _)| !self.hold(group) && !self.runs.contains(*group))
        {
            groups.entry(group.clone()).or_default();
            for run in metadata.runs.keys() {
                if one_step_beneath(group, run).is_none() {
                    let file = group.join("metadata.json").unwrap_or_default();
                    let reason = "it names a run whose id is no name of a folder";
                    assembly.problems.push(EntryProblem::new(file.as_str(), reason));
                }
            }
        }
        for (group, folders) in groups {
            let metadata = metadata.get(&group);
            let name = metadata.and_then(|metadata| metadata.run_group.clone());
            let name = name.or_else(|| (!group.is_root()).then(|| group.name().to_owned()));
            let named = metadata.into_iter().flat_map(|metadata| metadata.runs.keys());
            let named: Vec<EntryPath> =
                named.filter_map(|run| one_step_beneath(&group, run)).collect();
            let is_named: HashSet<&EntryPath> = named.iter().collect();
            // In the order of the metadata, then those that it does not name.
            let others = folders.iter().filter(|run| !is_named.contains(run));
            for folder in named.iter().chain(others) {
                if !self.runs.contains(folder) {
                    continue;
                }
                let said = metadata.and_then(|metadata| metadata.runs.get(folder.name()));
                let submission = folder.join(SUBMISSION).unwrap_or_default();
                // What cannot be looked into may hold one: that is no proof that there is none.
                let is_there = submissions.contains(&submission)
                    || why_unusable(&submission, unusable).is_some();
                let submission = match is_there {
                    true => place(submission, unusable),
                    false => SubmissionPlace::None,
                };
                assembly.runs.push(ArchivedRun {
                    group: group.clone(),
                    run_group: name.clone(),
                    run_id: Some(folder.name().to_owned()),
                    experiment: None,
                    competition_id: competition_of(folder.name()).to_owned(),
                    submission,
                    recorded: None,
                    receipt: None,
                    run: seed_of(said),
                });
            }
        }
    }
}

fn seed_of(said: Option<&Value>) -> Map<String, Value> {
    let seed = said.and_then(|said| said.get("seed")).cloned();
    seed.map(|seed| ("seed".to_owned(), seed)).into_iter().collect()
}

/// The folder of a run in that of its group; `None` where the id is no name of a folder.
fn one_step_beneath(group: &EntryPath, run: &str) -> Option<EntryPath> {
    let is_one_step = EntryPath::parse(run.as_bytes()).is_ok_and(|path| path.as_str() == run)
        && !run.contains('/');
    if is_one_step { group.join(run).ok() } else { None }
}

/// A run as a list names it.
struct Listed {
    competition_id: String,
    submission_path: Option<String>,
    run: Map<String, Value>,
}

impl From<ListedSubmission> for Listed {
    fn from(listed: ListedSubmission) -> Listed {
        Listed {
            competition_id: listed.competition_id,
            submission_path: listed.submission_path.map(|path| path.to_string_lossy().into_owned()),
            run: listed.run,
        }
    }
}

impl Listed {
    /// The run's id: as it is said, else the folder that the submission lies in as in a run group.
    fn run_id(&self) -> Option<&str> {
        let said = self.run.get("run_id").and_then(Value::as_str);
        said.or_else(|| {
            let folder = self.submission_path.as_ref()?.strip_suffix(SUBMISSION)?;
            folder.trim_end_matches('/').rsplit('/').next()
        })
    }
}

/// Runs that are being put together.
struct Assembly<'a> {
    runs: Vec<ArchivedRun>,
    problems: Vec<EntryProblem>,
    resolver: Resolver<'a>,
}

impl Assembly<'_> {
    fn add_list(&mut self, base: &EntryPath, list: impl Iterator<Item = Listed>) {
        let mut index = RunIndex::of(&self.runs);
        let mut claimed = HashSet::new();
        for listed in list {
            let place = match &listed.submission_path {
                Some(path) => self.resolver.resolve(path, base),
                None => SubmissionPlace::None,
            };
            let known = index.find(&self.runs, &place, &listed, base, &claimed);
            let at = known.unwrap_or_else(|| self.add_run(&mut index, base, &listed, place));
            claimed.insert(at);
            let run = &mut self.runs[at];
            for (key, value) in listed.run {
                run.run.entry(key).or_insert(value);
            }
        }
    }

    fn add_report(&mut self, path: &EntryPath, gradings: Vec<RecordedGrading>) {
        let base = path.parent().unwrap_or_default();
        let mut index = RunIndex::of(&self.runs);
        let mut claimed = HashSet::new();
        // Those that say which run they are of go first; what is left is of the runs that are left.
        let (named, others): (Vec<_>, Vec<_>) =
            gradings.into_iter().partition(|grading| grading.submission_path.is_some());
        for grading in named.into_iter().chain(others) {
            let RecordedGrading { competition_id, submission_path, statement, receipt, run } =
                grading;
            let listed = Listed { competition_id, submission_path, run };
            let place = match &listed.submission_path {
                Some(path) => self.resolver.resolve(path, &base),
                None => SubmissionPlace::None,
            };
            // What was not there when it was graded is not missing now.
            let place = match place {
                SubmissionPlace::Missing(_) if statement.exists() == Some(false) => {
                    SubmissionPlace::None
                }
                place => place,
            };
            let known = index.find(&self.runs, &place, &listed, &base, &claimed);
            let known = known.or_else(|| match place {
                // The submission went elsewhere; where the group has one run only, it is that.
                SubmissionPlace::Missing(_) => {
                    index.only_one(&self.runs, &listed.competition_id, &base, &claimed)
                }
                _ => None,
            });
            let again = known.or_else(|| index.claimed(&place, &listed.competition_id, &claimed));
            if known.is_none()
                && let Some(at) = again
            {
                if self.runs[at].recorded.as_ref() != Some(&statement) {
                    let submission = listed.submission_path.unwrap_or_default();
                    let reason = format!("it records two different gradings of `{submission}`");
                    self.problems.push(EntryProblem::new(path.as_str(), reason));
                }
                continue;
            }
            let at = known.unwrap_or_else(|| self.add_run(&mut index, &base, &listed, place));
            claimed.insert(at);
            let archived = &mut self.runs[at];
            archived.recorded = Some(statement);
            archived.receipt = receipt;
            for (key, value) in listed.run {
                archived.run.entry(key).or_insert(value);
            }
        }
    }

    fn add_run(
        &mut self,
        index: &mut RunIndex,
        base: &EntryPath,
        listed: &Listed,
        submission: SubmissionPlace,
    ) -> usize {
        let text = |key: &str| listed.run.get(key).and_then(Value::as_str).map(str::to_owned);
        let run = ArchivedRun {
            group: base.clone(),
            run_group: text("run_group")
                .or_else(|| (!base.is_root()).then(|| base.name().to_owned())),
            run_id: text("run_id"),
            experiment: None,
            competition_id: listed.competition_id.clone(),
            submission,
            recorded: None,
            receipt: None,
            run: Map::new(),
        };
        let at = self.runs.len();
        index.add(at, &run);
        self.runs.push(run);
        at
    }
}

/// Runs by their submissions, and by run group and competition.
#[derive(Default)]
struct RunIndex {
    by_submission: HashMap<(String, String), Vec<usize>>,
    by_group: HashMap<(EntryPath, String), Vec<usize>>,
    by_run: HashMap<(EntryPath, String), usize>,
    by_competition: HashMap<String, Vec<usize>>,
    /// Run groups that are folders of runs.
    groups: HashSet<EntryPath>,
}

impl RunIndex {
    fn of(runs: &[ArchivedRun]) -> RunIndex {
        let mut index = RunIndex::default();
        runs.iter().enumerate().for_each(|(at, run)| index.add(at, run));
        index
    }

    fn add(&mut self, at: usize, run: &ArchivedRun) {
        if let Some(path) = run.submission.path() {
            let key = (path, run.competition_id.clone());
            self.by_submission.entry(key).or_default().push(at);
        }
        let key = (run.group.clone(), run.competition_id.clone());
        self.by_group.entry(key).or_default().push(at);
        self.by_competition.entry(run.competition_id.clone()).or_default().push(at);
        if let Some(run_id) = &run.run_id {
            self.groups.insert(run.group.clone());
            self.by_run.insert((run.group.clone(), run_id.clone()), at);
        }
    }

    /// The run of that id in that run group; else the first run with that submission, or without one in that run group,
    /// that was not claimed.
    fn find(
        &self,
        runs: &[ArchivedRun],
        place: &SubmissionPlace,
        listed: &Listed,
        base: &EntryPath,
        claimed: &HashSet<usize>,
    ) -> Option<usize> {
        let free = |at: &&usize| !claimed.contains(at);
        let competition = listed.competition_id.as_str();
        let by_id = listed
            .run_id()
            .and_then(|run_id| self.by_run.get(&(base.clone(), run_id.to_owned())))
            .filter(|at| runs[**at].competition_id == competition);
        if let Some(at) = by_id.filter(free) {
            return Some(*at);
        }
        match place.path() {
            Some(path) => {
                let key = (path, competition.to_owned());
                self.by_submission.get(&key)?.iter().find(free).copied()
            }
            None => {
                let without = |at: &&usize| runs[**at].submission == SubmissionPlace::None;
                let known = match self.groups.contains(base) {
                    true => self.by_group.get(&(base.clone(), competition.to_owned())),
                    // A report that lies elsewhere may be about any run group.
                    false => self.by_competition.get(competition),
                };
                known?.iter().filter(free).find(without).copied()
            }
        }
    }

    /// The run of that competition in that run group, if there is one only.
    fn only_one(
        &self,
        runs: &[ArchivedRun],
        competition: &str,
        base: &EntryPath,
        claimed: &HashSet<usize>,
    ) -> Option<usize> {
        match self.by_group.get(&(base.clone(), competition.to_owned()))?.as_slice() {
            [at] if !claimed.contains(at) && runs[*at].run_id.is_some() => Some(*at),
            _ => None,
        }
    }

    /// A run with that submission that was claimed already.
    fn claimed(
        &self,
        place: &SubmissionPlace,
        competition: &str,
        claimed: &HashSet<usize>,
    ) -> Option<usize> {
        let key = (place.path()?, competition.to_owned());
        self.by_submission.get(&key)?.iter().find(|at| claimed.contains(at)).copied()
    }
}
