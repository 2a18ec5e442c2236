//! `podium grader check`: whether a grader keeps the contract, gives the same result every time, and tells people what is
//! wrong with their submissions.
//!
//! The grader is tried on the example of its competition and on submissions that are broken on purpose. Everything is
//! graded twice as the engine usually generates code and once more as it does without optimisation: what then differs is
//! not a result.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;
use podium::{
    CodeGeneration, Competition, ComponentLimits, Engine, Error, Example, GradedSubmission, Grader,
    GraderProblem, GraderSource, Graders, GradingContext, GradingOptions, Input, Inspection,
    LimitOverrides, Limits, NO_REASON, Outcome,
};
use serde::Serialize;

use super::broken_submissions::{BrokenSubmission, broken};
use super::{project, trial};
use crate::arguments::{LimitOptions, Shared};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graders::GraderArgument;
use crate::places::Places;
use crate::{engine, graders, number, output};

/// What `podium grader check` is told.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The component, or a competition folder that holds it; sha256:… takes one from the store
    #[arg(value_name = "GRADER.wasm|DIR|DIGEST", default_value = ".")]
    grader: GraderArgument,
    /// The folder of the competition whose example is graded [default: the component's, else the search path]
    #[arg(long, value_name = "DIR")]
    competition: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Ok,
    /// Allowed, but probably not meant.
    Warning,
    /// Not allowed.
    Problem,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    found: String,
}

impl Check {
    fn new(name: &'static str, state: State, found: impl Into<String>) -> Check {
        Check { name, state, found: found.into() }
    }
}

/// What was found so far. Words are printed as they come, since some of it takes its time.
struct Findings {
    checks: Vec<Check>,
    in_words: bool,
}

impl Findings {
    fn push(&mut self, check: Check) -> Result<(), Failure> {
        if self.in_words {
            output::print(&in_words(&check))?;
        }
        self.checks.push(check);
        Ok(())
    }
}

/// Looks at everything and prints what was found.
///
/// # Errors
/// A file that is no component; a competition that cannot be read.
pub(super) fn run(arguments: &Arguments, shared: &Shared) -> Result<Exit, Failure> {
    let places = Places::find(shared)?;
    // What is at hand is checked on an example, so the policy, which is about what grades, is not asked.
    let graders = Graders::new(graders::store(shared), None)?;
    let source = component(&arguments.grader, &places, &graders)?;
    let engine = engine::start(shared)?;
    let component = graders.read(&source, &ComponentLimits::default())?;
    let name = component.path.display().to_string();
    let mut findings = Findings { checks: Vec::new(), in_words: !shared.json };
    match Grader::from_bytes(&engine, name, &component.bytes) {
        Ok(grader) => {
            let competition = competition(arguments, &component.path, &grader, &places)?;
            let limits = &arguments.limits;
            let subject = Subject { source, grader, graders, limits };
            check(&subject, engine, competition.as_ref(), shared, &mut findings)?;
        }
        Err(Error::Grader { problem, .. }) if !matches!(problem, GraderProblem::Unreadable(_)) => {
            findings.push(Check::new("component", State::Problem, problem.to_string()))?;
        }
        Err(error) => return Err(error.into()),
    }
    if shared.json {
        output::print_json(&findings.checks)?;
    }
    let worst = findings.checks.iter().map(|check| check.state).max();
    Ok(if worst == Some(State::Problem) { Exit::GraderFailed } else { Exit::Success })
}

fn in_words(check: &Check) -> String {
    let state = match check.state {
        State::Ok => "ok     ".green().to_string(),
        State::Warning => "warning".yellow().to_string(),
        State::Problem => "problem".red().to_string(),
    };
    let found = output::harmless(&check.found).replace('\n', &format!("\n{:22}", ""));
    format!("{state}  {:<13}{found}", check.name)
}

/// What is checked, and where it is taken from.
struct Subject<'a> {
    source: GraderSource,
    grader: Grader,
    graders: Graders,
    limits: &'a LimitOptions,
}

/// The component that is meant: the file, the one of the store, or the grader of a competition folder.
fn component(
    argument: &GraderArgument,
    places: &Places,
    graders: &Graders,
) -> Result<GraderSource, Failure> {
    match argument.path().filter(|path| path.is_dir()) {
        Some(folder) => {
            let competition = project::competition(folder, &places.graders)?;
            Ok(GraderSource::File(competition.grader()?.to_owned()))
        }
        None => argument.source(graders),
    }
}

/// The competition whose example is graded; `None` if it is not to be found.
fn competition(
    arguments: &Arguments,
    component: &Path,
    grader: &Grader,
    places: &Places,
) -> Result<Option<Competition>, Failure> {
    let beside = component.parent().unwrap_or(Path::new(""));
    let beside = if beside == Path::new("") { Path::new(".") } else { beside };
    let named_folder = arguments.grader.path().filter(|path| path.is_dir());
    let named = match &arguments.competition {
        Some(folder) => Some(folder.as_path()),
        None if named_folder.is_some() => named_folder,
        None if beside.join(podium::DEFINITION_FILE).is_file() => Some(beside),
        None => None,
    };
    match named {
        Some(folder) => project::competition(folder, &places.graders).map(Some),
        None => Ok(places.catalog().get(&grader.description().competition).ok()),
    }
}

fn check(
    subject: &Subject<'_>,
    engine: Engine,
    competition: Option<&Competition>,
    shared: &Shared,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let Subject { source, grader, graders, limits: given } = subject;
    let inspection = grader.inspection();
    findings.push(contract(inspection))?;
    findings.push(imports(inspection))?;
    let Some(competition) = competition else {
        let found = format!(
            "it says that it grades `{}`, which is on no search path; name its folder with --competition",
            grader.description().competition
        );
        return findings.push(Check::new("description", State::Warning, found));
    };
    if let Some(check) = sources(source, competition) {
        findings.push(check)?;
    }
    findings.push(description(grader, competition))?;
    let Some(example) = Example::of(competition)? else {
        let found = format!("{} has no example/: nothing was graded", competition.folder.display());
        return findings.push(Check::new("example", State::Warning, found));
    };
    let data = tempfile::tempdir().map_err(|error| {
        Failure::new(Exit::Files, format!("no temporary folder can be made: {error}"))
    })?;
    example.prepare(competition, data.path())?;
    let options = GradingOptions { grader: Some(source.clone()), ..GradingOptions::default() };
    let context = |engine| {
        GradingContext::new(engine, data.path(), trial::limits(competition, given))
            .with_graders(graders.clone())
    };
    let plain = engine::start_with(shared, CodeGeneration::Plain)?;
    let trial = Trial { usual: context(engine), plain: context(plain), competition, options };

    let mut as_expected = Vec::new();
    let mut inputs = Vec::new();
    for (name, submission) in &example.submissions {
        let input = Input::open(&submission.path, Limits::default().input_bytes)?;
        let graded = trial.grade(&input);
        if trial::hangs(&graded.report) {
            return findings.push(hangs("example", name, &graded));
        }
        let differences = submission.expected.differences(&graded.report);
        as_expected.extend(differences.into_iter().map(|what| format!("{name}: {what}")));
        inputs.push((name.clone(), input, graded));
    }
    findings.push(match &as_expected[..] {
        [] => {
            let count = number::counted(inputs.len(), "submission");
            Check::new("example", State::Ok, format!("{count}, graded as expected"))
        }
        differences => Check::new("example", State::Problem, differences.join("\n")),
    })?;
    findings.push(limits(&inputs, competition))?;

    let right = inputs.iter().find(|(_, _, graded)| graded.report.outcome == Outcome::Scored);
    let broken = match right {
        Some((name, ..)) => {
            let path = &example.submissions[name].path;
            broken(&fs::read(path).map_err(|error| {
                Failure::new(Exit::Files, format!("could not read {}: {error}", path.display()))
            })?)
        }
        None => Vec::new(),
    };
    let mut tried: Vec<(BrokenSubmission, Input, GradedSubmission)> = Vec::new();
    for broken in broken {
        let input = Input::from_bytes("submission.csv", broken.bytes.clone());
        let graded = trial.grade(&input);
        if trial::hangs(&graded.report) {
            return findings.push(hangs("messages", broken.name, &graded));
        }
        tried.push((broken, input, graded));
    }
    messages(&tried).into_iter().try_for_each(|check| findings.push(check))?;
    let all = inputs.iter().map(|(name, input, graded)| (name.as_str(), input, graded));
    let all = all.chain(tried.iter().map(|(broken, input, graded)| (broken.name, input, graded)));
    findings.push(determinism(&trial, all))
}

/// That sources are newer than the component that was built of them: what is checked then is not what they say.
fn sources(source: &GraderSource, competition: &Competition) -> Option<Check> {
    let GraderSource::File(component) = source else { return None };
    let own = competition.folder.join(project::COMPONENT);
    if own.canonicalize().ok()? != component.canonicalize().ok()? {
        return None;
    }
    let newer = project::newer_source(&competition.folder)?;
    let found = format!(
        "{} was changed after grader.wasm was built: `podium grader build` first",
        newer.display()
    );
    Some(Check::new("sources", State::Warning, found))
}

/// That a grading did not end. The grader would hardly end over the others, so they are left out.
fn hangs(check: &'static str, submission: &str, graded: &GradedSubmission) -> Check {
    let message = graded.report.message.as_deref().unwrap_or_default();
    let found = format!(
        "{submission}: {message}\nnothing more was graded; --fuel and --wall-clock allow a trial more than a grader should \
         need over an example"
    );
    Check::new(check, State::Problem, found)
}

/// How submissions are graded here.
struct Trial<'a> {
    usual: GradingContext,
    plain: GradingContext,
    competition: &'a Competition,
    options: GradingOptions,
}

impl Trial<'_> {
    fn grade(&self, submission: &Input) -> GradedSubmission {
        self.usual.grade_input(self.competition, submission, submission.name(), &self.options)
    }

    fn grade_plain(&self, submission: &Input) -> GradedSubmission {
        self.plain.grade_input(self.competition, submission, submission.name(), &self.options)
    }
}

fn contract(inspection: &Inspection) -> Check {
    match inspection.contract {
        Some(version) => {
            Check::new("contract", State::Ok, format!("built for podium:grading {version}"))
        }
        None => Check::new("contract", State::Warning, "no version of the contract is named"),
    }
}

fn imports(inspection: &Inspection) -> Check {
    if inspection.sealed {
        return Check::new("imports", State::Ok, "sealed: nothing but the contract");
    }
    let found = format!(
        "foreign: {} of WASI, which are virtual: clocks and random numbers are the same in every grading, and there are \
         no files and no network",
        number::counted(inspection.wasi.len(), "interface")
    );
    Check::new("imports", State::Ok, found)
}

fn description(grader: &Grader, competition: &Competition) -> Check {
    let says = grader.description();
    if says.competition != competition.id() {
        let found = format!(
            "it says that it grades `{}`, the competition is `{}`",
            says.competition,
            competition.id()
        );
        return Check::new("description", State::Problem, found);
    }
    if says.direction != competition.direction() {
        let found = format!(
            "it says {}, competition.toml says {}",
            says.direction,
            competition.direction()
        );
        return Check::new("description", State::Problem, found);
    }
    let found = format!("{}: {}, {}", says.competition, says.metric, says.direction);
    if says.metric != competition.definition.metric.name {
        let found = format!(
            "{found}; competition.toml calls the metric {}",
            competition.definition.metric.name
        );
        return Check::new("description", State::Warning, found);
    }
    Check::new("description", State::Ok, found)
}

/// What the example took, beside what a grading may take.
fn limits(graded: &[(String, Input, GradedSubmission)], competition: &Competition) -> Check {
    let limits = competition.limits(&LimitOverrides::default());
    if graded.iter().all(|(_, _, graded)| graded.report.usage.is_none()) {
        let found =
            "no grading of the example came to an end, so that nothing is known of what it takes";
        return Check::new("limits", State::Warning, found);
    }
    let usage = || graded.iter().filter_map(|(_, _, graded)| graded.report.usage);
    let fuel = usage().map(|usage| usage.fuel).max().unwrap_or_default();
    let memory = usage().map(|usage| usage.peak_memory_bytes).max().unwrap_or_default();
    let found = format!(
        "the example took {} units of fuel of {}, and {} of memory of {}",
        number::count(fuel),
        number::count(limits.fuel),
        number::size(memory),
        number::size(limits.memory_bytes)
    );
    // An example is a few dozen rows; real data is a thousand times as much.
    let is_hungry = fuel > limits.fuel / 100 || memory > limits.memory_bytes / 2;
    Check::new("limits", if is_hungry { State::Warning } else { State::Ok }, found)
}

/// Whether broken submissions are refused, with messages that tell what is wrong.
fn messages(tried: &[(BrokenSubmission, Input, GradedSubmission)]) -> Vec<Check> {
    const NAME: &str = "messages";
    if tried.is_empty() {
        let found = "the example has no scored submission of two columns to make broken ones of";
        return vec![Check::new(NAME, State::Warning, found)];
    }
    let mut checks = Vec::new();
    let mut texts = BTreeSet::new();
    let mut refused = 0_usize;
    for (broken, _, graded) in tried {
        let report = &graded.report;
        let message = report.message.as_deref().unwrap_or_default();
        let wrong = match report.outcome {
            Outcome::InvalidSubmission => {
                refused += 1;
                texts.insert(message);
                let words = message.split_whitespace().count();
                match message {
                    NO_REASON => Some((State::Problem, "refused without a word".to_owned())),
                    _ if words < 3 => {
                        let found = format!("refused without a reason, but with `{message}`");
                        Some((State::Problem, found))
                    }
                    _ => None,
                }
            }
            Outcome::Scored | Outcome::Undefined if broken.may_be_accepted => None,
            Outcome::Scored | Outcome::Undefined => {
                Some((State::Problem, "accepted, and given a score".to_owned()))
            }
            outcome => Some((State::Problem, format!("not refused, but {outcome}: {message}"))),
        };
        if let Some((state, what)) = wrong {
            checks.push(Check::new(NAME, state, format!("{}: {what}", broken.name)));
        }
    }
    if refused > 1 && texts.len() == 1 {
        let found =
            "all broken submissions are refused with the same words: say what is wrong, and where";
        checks.push(Check::new(NAME, State::Problem, found));
    }
    if checks.is_empty() {
        let accepted: Vec<String> = tried
            .iter()
            .filter(|(_, _, graded)| graded.report.valid_submission)
            .map(|(broken, _, _)| broken.name.to_owned())
            .collect();
        let mut found = format!(
            "{refused} of {} broken submissions are refused, in {} different ways",
            tried.len(),
            texts.len()
        );
        if !accepted.is_empty() {
            found.push_str(&format!("\naccepted: {}", accepted.join("; ")));
        }
        checks.push(Check::new(NAME, State::Ok, found));
    }
    checks
}

/// Grades everything again, as before and with code that is generated otherwise.
fn determinism<'a>(
    trial: &Trial,
    graded: impl Iterator<Item = (&'a str, &'a Input, &'a GradedSubmission)>,
) -> Check {
    let mut count = 0_usize;
    let mut differences = Vec::new();
    // What did not run the grader says nothing of it.
    for (name, input, first) in graded.filter(|(_, _, graded)| graded.wall_clock.is_some()) {
        count += 1;
        let runs =
            [("again", trial.grade(input)), ("without optimisation", trial.grade_plain(input))];
        for (run, other) in &runs {
            if let Some(what) = difference(first, other) {
                differences.push(format!("{name}, graded {run}: another {what}"));
            }
        }
    }
    if count == 0 {
        let found = "the grader was never run, so that nothing is known of it";
        return Check::new("determinism", State::Warning, found);
    }
    if differences.is_empty() {
        let count = number::counted(count, "submission");
        let found =
            format!("{count}, graded again and without optimisation: the same, fuel included");
        Check::new("determinism", State::Ok, found)
    } else {
        Check::new("determinism", State::Problem, differences.join("\n"))
    }
}

/// In what two gradings of the same submission differ.
fn difference(first: &GradedSubmission, other: &GradedSubmission) -> Option<&'static str> {
    let claim = |graded: &GradedSubmission| graded.receipt.as_ref().map(|receipt| receipt.id);
    let fuel = |graded: &GradedSubmission| graded.report.usage.map(|usage| usage.fuel);
    if first.report.outcome != other.report.outcome {
        Some("outcome")
    } else if first.report.message != other.report.message {
        Some("message")
    } else if claim(first) != claim(other) {
        Some("score or measure")
    } else if first.report.warnings != other.report.warnings {
        Some("remark")
    } else if first.report.log != other.report.log {
        Some("log")
    } else if fuel(first) != fuel(other) {
        Some("amount of fuel")
    } else {
        None
    }
}
