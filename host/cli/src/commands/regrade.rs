//! `podium regrade`: archives of runs, graded again and compared with what was recorded; and the sets that come of it.

mod page;
mod sets;
mod text;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use podium::{
    ArchiveLimits, Cancellation, Catalog, Digest, GraderSource, GradingContext, RegradeObserver,
    RegradeOptions, RegradeSet, RegradeSubject, RegradeSummary, RegradeVerdict, RegradedRun,
    Regrading, SealingKey, SetChoice, SetSettings, Sets, Survey,
};
use serde::Serialize;

use crate::arguments::{LimitOptions, Shared, count, size};
use crate::exit::Exit;
use crate::failure::{ErrorInJson, Failure, WithError};
use crate::graders::GraderArgument;
use crate::overwrite::{self, Target};
use crate::places::Places;
use crate::progress::Progress;
use crate::{engine, graders, interrupt, number, output, sealing};

/// What `podium regrade` is told.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = ARCHIVES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    sets: Option<sets::Command>,
    #[command(flatten)]
    regrade: RegradeArguments,
}

/// What a regrade is told.
#[derive(Debug, clap::Args)]
struct RegradeArguments {
    /// Archives: folders, .tar, .tar.gz, .tar.zst, .zip; or a grading report or a list of submissions
    #[arg(required = true, value_name = "ARCHIVE")]
    archives: Vec<PathBuf>,
    /// Compare with this report, receipt or folder of them [default: the archive's current set, else its own records]
    #[arg(long, value_name = "PATH")]
    against: Option<PathBuf>,
    /// Grade a competition with another grader; may be repeated
    #[arg(long = "grader", value_name = "ID=FILE.wasm|ID=sha256:…", value_parser = grader)]
    named_graders: Vec<(String, GraderArgument)>,
    /// The folder of the set, made if it is missing, gone on with if it is there [default: a new one among the archive's]
    #[arg(long, value_name = "DIR")]
    set: Option<PathBuf>,
    /// Take the set that --set names for your own, with all that it says, though somebody else made it
    #[arg(long, requires = "set")]
    adopt: bool,
    /// Write a page for people as well
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Let the page replace a file that is no earlier page
    #[arg(long, requires = "html")]
    force: bool,
    /// How many gradings run at once [default: one for each core]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    archive_limits: ArchiveOptions,
}

/// The limits of an archive that a command line may change.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits of an archive")]
struct ArchiveOptions {
    /// Files and folders in an archive [default: 1M]
    #[arg(long, value_name = "N", value_parser = count)]
    max_entries: Option<u64>,
    /// What an archive may unpack to [default: 256GiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_unpacked: Option<u64>,
    /// How many times its size an archive may unpack to, above 1 GiB [default: 1000]
    #[arg(long, value_name = "N", value_parser = count)]
    max_ratio: Option<u64>,
    /// Reports, lists and receipts of an archive together [default: 512MiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_documents: Option<u64>,
}

impl ArchiveOptions {
    fn limits(&self) -> ArchiveLimits {
        let default = ArchiveLimits::default();
        ArchiveLimits {
            entries: self.max_entries.unwrap_or(default.entries),
            unpacked_bytes: self.max_unpacked.unwrap_or(default.unpacked_bytes),
            ratio: self.max_ratio.unwrap_or(default.ratio),
            all_documents_bytes: self.max_documents.unwrap_or(default.all_documents_bytes),
            ..default
        }
    }
}

const ARCHIVES: &str = "\
Understood are run groups of MLE-bench (folders with metadata.json and <competition>_<id>/submission/submission.csv), its
grading reports and its runs/ tree, lists of submissions (.jsonl), and what `podium grade` writes; many in one archive.

A regrade is a set, a folder of its own: nothing is written over. One that was interrupted is gone on with by the same
command. `podium regrade apply SET` makes a set what later regrades compare with. An archive that is called like a command
(list, show, apply, discard) is named by a path: ./list.";

/// Parses `ID=FILE.wasm`.
fn grader(text: &str) -> Result<(String, GraderArgument), String> {
    match text.split_once('=') {
        Some((id, file)) if !id.is_empty() && !file.is_empty() => {
            Ok((id.to_owned(), GraderArgument::from(OsString::from(file))))
        }
        _ => {
            Err("give a competition and its grader, such as spaceship-titanic=new.wasm".to_owned())
        }
    }
}

/// Regrades, or does what is asked with sets.
///
/// # Errors
/// What keeps all archives from being regraded. What is wrong with one of several does not stop the rest.
pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    match &arguments.sets {
        Some(command) => sets::run(command, shared),
        None => regrade_all(&arguments.regrade, shared),
    }
}

/// Graders in the place of the competitions' own, with their digests.
type Named = BTreeMap<String, (GraderSource, Digest)>;

/// What is printed as JSON.
#[derive(Serialize)]
struct Printed<'a> {
    archives: Vec<ArchiveInJson<'a>>,
    summary: &'a RegradeSummary,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ArchiveInJson<'a> {
    Regraded(&'a Regrading),
    Failed {
        #[serde(serialize_with = "podium::path_text::serialize")]
        archive: &'a Path,
        error: ErrorInJson<'a>,
    },
}

fn regrade_all(arguments: &RegradeArguments, shared: &Shared) -> Result<Exit, Failure> {
    if arguments.set.is_some() && arguments.archives.len() > 1 {
        return Err(Failure::new(
            Exit::Usage,
            "--set names the set of one archive, and there are several",
        )
        .hint("leave out --set: each archive gets a set of its own"));
    }
    let key = sealing::key()?;
    if let Some(page) = arguments.page(shared, &key) {
        page.check()?;
    }
    let places = Places::find(shared)?;
    let regrader = Regrader {
        arguments,
        key,
        submissions_outside: Mutex::default(),
        catalog: places.catalog(),
        context: GradingContext::new(
            engine::start(shared)?,
            &places.data,
            arguments.limits.overrides(),
        )
        .with_graders(graders::find(shared)?),
        cancellation: interrupt::cancellation()?,
    };
    let graders = regrader.graders()?;
    let mut all = Vec::new();
    let mut sets = Vec::new();
    for path in &arguments.archives {
        if regrader.cancellation.is_cancelled() {
            break;
        }
        let regraded = regrader.regrade(path, &graders, &sets);
        if let Ok(regrading) = &regraded {
            sets.push(regrading.set.clone());
            regrading.warnings.iter().for_each(|warning| {
                output::warning_line(&format!("{}: {warning}", output::path(path)));
            });
        }
        if !shared.json
            && let Ok(regrading) = &regraded
        {
            output::print(&text::in_words(regrading))?;
            output::error_line(&format!("the set is {}", output::path(&regrading.set)));
        }
        all.push((path.as_path(), regraded));
    }
    conclude(&all, &regrader, shared)
}

/// Prints and writes what came of all archives.
fn conclude(
    all: &[(&Path, Result<Regrading, Failure>)],
    regrader: &Regrader<'_>,
    shared: &Shared,
) -> Result<Exit, Failure> {
    let arguments = regrader.arguments;
    let mut summary = RegradeSummary::of(&[]);
    all.iter()
        .flat_map(|(_, regraded)| regraded)
        .for_each(|regraded| summary.add(&regraded.summary));
    let regradings: Vec<&Regrading> =
        all.iter().filter_map(|(_, regraded)| regraded.as_ref().ok()).collect();
    let unwritten = match arguments.page(shared, &regrader.key) {
        // Something may have come to lie there in the meantime, and what was read is known now.
        Some(mut page) if !regradings.is_empty() => {
            page.inputs.extend(regrader.submissions_outside().iter().cloned());
            page.check().and_then(|()| page::write(page.path, &regradings)).err()
        }
        _ => None,
    };
    let mut failures: Vec<Failure> = Vec::new();
    if regrader.cancellation.is_cancelled() {
        let mut message = "stopped before all was regraded".to_owned();
        let not_begun = arguments.archives.len() - all.len();
        if not_begun > 0 {
            let not_begun = number::counted(not_begun, "archive");
            message.push_str(&format!("; {not_begun} of those that were named not begun"));
        }
        failures.push(
            Failure::new(Exit::Interrupted, message)
                .hint("run the command again: what is finished is kept and not graded again"),
        );
    }
    failures.extend(unwritten);
    failures.extend(regradings.iter().filter_map(|regrading| text::failure_of(regrading)));
    let mut exit = failures.iter().map(Failure::exit).max();
    exit = exit.max(all.iter().filter_map(|(_, one)| one.as_ref().err()).map(Failure::exit).max());
    if shared.json {
        let archives = all
            .iter()
            .map(|(archive, regraded)| match regraded {
                Ok(regrading) => ArchiveInJson::Regraded(regrading),
                Err(failure) => ArchiveInJson::Failed { archive, error: failure.to_json() },
            })
            .collect();
        let errors = all.iter().filter_map(|(_, one)| one.as_ref().err());
        let worst = failures.iter().chain(errors).max_by_key(|failure| failure.exit());
        output::print_json(&WithError::new(&Printed { archives, summary: &summary }, worst))?;
    } else if regradings.len() > 1 {
        output::print(&format!("all archives\n{}", text::counts(&summary)))?;
    }
    all.iter().filter_map(|(_, one)| one.as_ref().err()).for_each(Failure::print);
    failures.iter().for_each(Failure::print);
    Ok(exit.unwrap_or(Exit::Success))
}

impl RegradeArguments {
    /// The page that is written, where one is.
    fn page(&self, shared: &Shared, key: &SealingKey) -> Option<Target<'_>> {
        let path = self.html.as_deref()?;
        Some(Target {
            path,
            flag: "--html",
            what: "page of a regrade",
            is_earlier: page::is_page,
            // Nothing is lost where nothing lies.
            inputs: match path.symlink_metadata() {
                Ok(_) => self.inputs(shared, key),
                Err(_) => Vec::new(),
            },
            force: self.force,
        })
    }

    /// What is read: what is named, what that names, and what is found without being named.
    fn inputs(&self, shared: &Shared, key: &SealingKey) -> Vec<PathBuf> {
        let mut inputs = overwrite::found_by_itself(shared);
        let graders = self.named_graders.iter().filter_map(|(_, grader)| grader.path());
        inputs.extend(graders.map(Path::to_owned));
        inputs.extend(self.against.iter().chain(&self.set).cloned());
        for archive in &self.archives {
            inputs.push(archive.clone());
            let sets = Sets::of(archive);
            inputs.push(sets.folder().to_owned());
            // It may lie elsewhere.
            inputs.extend(sets.current(key).ok().flatten().map(|current| current.folder));
            if let Ok(subject) = RegradeSubject::open(archive, self.archive_limits.limits()) {
                inputs.extend(subject.named_submissions());
            }
        }
        inputs
    }
}

struct Regrader<'a> {
    arguments: &'a RegradeArguments,
    key: SealingKey,
    catalog: Catalog,
    context: GradingContext,
    cancellation: Cancellation,
    /// The submissions that were read and lie in no archive.
    submissions_outside: Mutex<Vec<PathBuf>>,
}

impl Regrader<'_> {
    fn submissions_outside(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.submissions_outside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graders that were named, checked, with their digests.
    fn graders(&self) -> Result<Named, Failure> {
        let mut graders = Named::new();
        for (id, named) in &self.arguments.named_graders {
            let competition = self.catalog.get(id)?;
            let source = named.source(self.context.graders())?;
            let (loaded, _) = self.context.grader(&competition, Some(&source))?;
            if let Some(mismatch) = competition.mismatch(loaded.grader.description()) {
                return Err(Failure::new(Exit::Usage, format!("--grader {id}: {mismatch}")));
            }
            if graders.insert(id.clone(), (source, *loaded.grader.sha256())).is_some() {
                let message = format!("--grader names two graders of `{id}`");
                return Err(Failure::new(Exit::Usage, message));
            }
        }
        Ok(graders)
    }

    /// Regrades one archive. What is in `others`, the sets of those before it, is not graded again.
    fn regrade(
        &self,
        path: &Path,
        graders: &Named,
        others: &[PathBuf],
    ) -> Result<Regrading, Failure> {
        let subject = RegradeSubject::open(path, self.arguments.archive_limits.limits())?;
        let named = graders.iter();
        let settings = SetSettings {
            graders: named.clone().map(|(id, (_, sha256))| (id.clone(), *sha256)).collect(),
            against: self.arguments.against.clone(),
            limits: self.arguments.limits.overrides(),
        };
        let choice = SetChoice { folder: self.arguments.set.clone(), adopt: self.arguments.adopt };
        let mut set = RegradeSet::begin(path, &choice, &settings, &self.key)?;
        let options = RegradeOptions {
            graders: named.map(|(id, (source, _))| (id.clone(), source.clone())).collect(),
            against: self.arguments.against.clone(),
            others: others.to_vec(),
            threads: self.arguments.jobs,
            cancellation: self.cancellation.clone(),
            ..RegradeOptions::default()
        };
        let observer = Observer { regrader: self, progress: Progress::of(0, "regraded") };
        observer.progress.say(&format!("reading {}", output::path(path)));
        let regraded =
            podium::regrade(&self.context, &self.catalog, &subject, &mut set, &options, &observer);
        observer.progress.finish();
        // A new set without anything in it is nobody's.
        if regraded.is_err() && set.is_new() && set.is_empty() {
            let _ = set.discard();
            // Nor is the folder of sets, where it was made for this one.
            let _ = std::fs::remove_dir(Sets::of(path).folder());
        }
        Ok(regraded?)
    }
}

/// Shows how a regrade goes on.
struct Observer<'a> {
    regrader: &'a Regrader<'a>,
    progress: Progress,
}

impl RegradeObserver for Observer<'_> {
    fn surveyed(&self, survey: &Survey) {
        self.regrader.submissions_outside().extend(survey.submissions_outside());
        self.progress.expect(survey.runs.len());
    }

    fn finished(&self, run: &RegradedRun) {
        self.progress.say(&output::short_name(&run.competition_id));
        self.progress.step();
    }
}

/// How a run ends the program.
fn exit_of(run: &RegradedRun) -> Exit {
    match run.verdict {
        RegradeVerdict::Identical | RegradeVerdict::NoSubmission => Exit::Success,
        RegradeVerdict::Changed
        | RegradeVerdict::NewlyValid
        | RegradeVerdict::NewlyInvalid
        | RegradeVerdict::FirstGrading => Exit::Differs,
        RegradeVerdict::SubmissionMissing
        | RegradeVerdict::NoData
        | RegradeVerdict::UnknownCompetition => Exit::Missing,
        RegradeVerdict::SubmissionUnusable => Exit::Files,
        RegradeVerdict::GraderFailed => match run.new.as_ref().and_then(|new| new.outcome) {
            Some(outcome) => Exit::of_grading(outcome, run.failure.as_deref()),
            None => Exit::GraderFailed,
        },
    }
}

/// A verdict in the words of a table.
fn verdict_name(verdict: RegradeVerdict) -> &'static str {
    match verdict {
        RegradeVerdict::Identical => "identical",
        RegradeVerdict::NoSubmission => "no submission",
        RegradeVerdict::Changed => "changed",
        RegradeVerdict::NewlyValid => "newly valid",
        RegradeVerdict::NewlyInvalid => "newly invalid",
        RegradeVerdict::FirstGrading => "graded for the first time",
        RegradeVerdict::SubmissionMissing => "submission missing",
        RegradeVerdict::SubmissionUnusable => "submission not usable",
        RegradeVerdict::NoData => "no data",
        RegradeVerdict::UnknownCompetition => "unknown competition",
        RegradeVerdict::GraderFailed => "grader failed",
    }
}

/// What a regrade was compared with, in words.
fn compared_with(regrading: &Regrading) -> String {
    let has_records = regrading.runs.iter().any(|run| run.old.is_some());
    match regrading.compared_with.as_str() {
        "archive" if has_records => "its own records".to_owned(),
        "archive" => "nothing, as it records no grading".to_owned(),
        other => output::harmless_name(other),
    }
}

/// The names of runs, as they are shown.
struct RunNames<'a> {
    /// The names that several run groups have: their folders tell them apart.
    shared: HashSet<&'a str>,
}

impl<'a> RunNames<'a> {
    fn of(runs: &'a [RegradedRun]) -> RunNames<'a> {
        let mut folders: HashMap<&str, &str> = HashMap::new();
        let named = runs.iter().filter_map(|run| Some((run.run_group.as_deref()?, &*run.group)));
        let shared = named
            .filter(|(name, folder)| folders.entry(name).or_insert(folder) != folder)
            .map(|(name, _)| name)
            .collect();
        RunNames { shared }
    }

    /// The name of a run: its group and id, else its submission.
    fn name(&self, run: &RegradedRun) -> String {
        let name = match (&run.run_group, &run.run_id) {
            (Some(group), Some(id)) if self.shared.contains(group.as_str()) => {
                format!("{}/{id}", run.group)
            }
            (Some(group), Some(id)) => format!("{group}/{id}"),
            (None, Some(id)) => id.clone(),
            _ => run.submission.clone().unwrap_or_else(|| "-".to_owned()),
        };
        output::short_name(&name)
    }
}

/// How a list of problems goes on.
fn and_more(all: u64, shown: usize) -> Option<String> {
    let more = usize::try_from(all).unwrap_or(usize::MAX).saturating_sub(shown);
    (more > 0).then(|| format!("… and {} more", number::count(more as u64)))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Command, CommandLine};

    #[test]
    fn archives_are_told_from_commands_and_graders_from_folders_of_graders() {
        let parse = |arguments: &[&str]| {
            let line = ["podium", "regrade"].iter().chain(arguments);
            match CommandLine::try_parse_from(line).map(|line| (line.command, line.shared)) {
                Ok((Command::Regrade(arguments), shared)) => Ok((arguments, shared)),
                Ok(_) => panic!("another command"),
                Err(error) => Err(error.kind()),
            }
        };
        let line = ["--grader", "a=b.wasm", "runs", "x.tar", "--graders", "folder", "--json"];
        let (arguments, shared) = parse(&line).unwrap();
        assert_eq!(arguments.regrade.archives, [PathBuf::from("runs"), PathBuf::from("x.tar")]);
        assert_eq!(arguments.regrade.named_graders.len(), 1);
        assert_eq!(shared.graders, [PathBuf::from("folder")]);
        assert!(shared.json && arguments.sets.is_none());
        for command in
            [&["list"][..], &["show", "x"], &["apply", "x", "--incomplete"], &["discard", "x"]]
        {
            assert!(parse(command).unwrap().0.sets.is_some(), "{command:?}");
        }
        assert_eq!(parse(&["./list"]).unwrap().0.regrade.archives, [PathBuf::from("./list")]);
        for wrong in [&[][..], &["show"], &["runs", "apply", "x", "--incomplete"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn run_groups_of_one_name_are_told_apart_by_their_folders() {
        let run = |group: &str, name: Option<&str>, id: &str| -> RegradedRun {
            serde_json::from_value(serde_json::json!({
                "run_group": name, "group": group, "run_id": id, "competition_id": "a",
                "verdict": "identical", "medal_is_known": false, "remarks": [], "graded": "now",
            }))
            .unwrap()
        };
        let long = "y".repeat(100_000);
        let runs = [
            run("x/g", Some("g"), "a_1"),
            run("y/g", Some("g"), "a_1"),
            run("h", Some("h"), "a_1"),
            run("", None, "a_1"),
            run("h", Some("h"), &long),
        ];
        let names = RunNames::of(&runs);
        let shown: Vec<String> = runs.iter().map(|run| names.name(run)).collect();
        assert_eq!(shown[..4], ["x/g/a_1", "y/g/a_1", "h/a_1", "a_1"]);
        assert!(shown[4].chars().count() <= 201, "{}", shown[4]);
    }

    #[test]
    fn graders_are_named_with_their_competition() {
        let file = GraderArgument::Path("b=c.wasm".into());
        assert_eq!(grader("a=b=c.wasm").unwrap(), ("a".to_owned(), file));
        for text in ["", "a", "=b", "a="] {
            assert!(grader(text).is_err(), "{text}");
        }
    }
}
