//! Grades the corpus in one configuration after the other and compares each with the product's.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use podium::{CacheLocation, Grader};
use serde::Serialize;

use super::configuration::{Configuration, How, InPodium};
use super::evidence::Evidence;
use super::in_podium;
use super::in_v8::Node;
use super::work::Work;

/// Why something was not graded.
pub(super) type NotGraded = String;

/// What came out, for each competition in the order of the work: one piece of evidence a case, or why there is none.
pub(super) type Graded = Vec<Result<Vec<Evidence>, NotGraded>>;

/// A grading that came out otherwise than in the product's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The name of the configuration.
    pub configuration: String,
    /// The competition.
    pub competition: String,
    /// The case; none where no case of the competition was graded.
    pub case: Option<String>,
    /// What is otherwise.
    pub what: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let case = self.case.as_deref().unwrap_or("all cases");
        write!(formatter, "{}, {}, {case}: {}", self.configuration, self.competition, self.what)
    }
}

/// What became of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What it is.
    pub what: String,
    /// How it went.
    pub outcome: Outcome,
}

impl Row {
    /// Of a configuration that went like that.
    pub fn new(configuration: &Configuration, outcome: Outcome) -> Row {
        let (name, what) = (configuration.name.to_owned(), configuration.what.to_owned());
        Row { name, what, outcome }
    }
}

/// How a configuration went.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was run.
    Run(Counts),
    /// It could not be run, for this reason.
    NotRun(String),
    /// It was left out, as somebody asked for.
    LeftOut,
    /// There is no such thing on this machine's kind of processor.
    NotForThisProcessor,
}

/// The gradings of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counts {
    /// All that there was to grade.
    pub gradings: usize,
    /// Those that came out the same in everything that was compared.
    pub identical: usize,
    /// Those in which fuel was compared, too.
    pub with_fuel: usize,
    /// How long it took on this machine.
    #[serde(rename = "wall_clock_seconds", serialize_with = "as_seconds")]
    pub wall_clock: Duration,
}

fn as_seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

impl Outcome {
    /// Whether nothing is wrong and nothing is missing that was asked for.
    pub fn is_well(&self) -> bool {
        match self {
            Outcome::Run(counts) => counts.identical == counts.gradings,
            Outcome::NotRun(_) => false,
            Outcome::LeftOut | Outcome::NotForThisProcessor => true,
        }
    }
}

/// Knows what is right, and compares with it.
pub struct Runner {
    work: Work,
    cache: CacheLocation,
    graders: Vec<Grader>,
    right: Vec<Vec<Evidence>>,
    /// How the product's own configuration went.
    pub product: Row,
}

impl Runner {
    /// Grades everything as the product does; calls `graded` after each grading.
    ///
    /// # Errors
    /// A grader cannot be loaded.
    pub fn new(work: Work, cache: CacheLocation, graded: &(dyn Fn() + Sync)) -> Result<Runner> {
        let configuration = Configuration::PRODUCT;
        let How::Podium(how) = configuration.how else { unreachable!("it is the product's") };
        let began = Instant::now();
        let graders = in_podium::load(&work, how.code, &cache).map_err(|error| anyhow!(error))?;
        let found =
            in_podium::grade(&work, &graders, how, graded).map_err(|error| anyhow!(error))?;
        let wall_clock = began.elapsed();
        let graders =
            graders.into_iter().collect::<Result<_, _>>().map_err(|error| anyhow!(error))?;
        let right = found.into_iter().collect::<Result<_, _>>().map_err(|error| anyhow!(error))?;
        let mut runner = Runner {
            product: Row::new(&configuration, Outcome::LeftOut),
            work,
            cache,
            graders,
            right,
        };
        // A grading that claims nothing is equal to nothing, not even to itself.
        let itself = runner.right.iter().cloned().map(Ok).collect();
        let (counts, _) = runner.compare(&configuration, itself, wall_clock);
        runner.product.outcome = Outcome::Run(counts);
        Ok(runner)
    }

    /// What is graded.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Grades everything in a configuration and compares; calls `graded` after each grading.
    pub fn run(
        &self,
        configuration: &Configuration,
        node: &Result<Node, String>,
        graded: &(dyn Fn() + Sync),
    ) -> (Row, Vec<Difference>) {
        let row = |outcome| Row::new(configuration, outcome);
        if !configuration.is_for_this_processor() {
            return (row(Outcome::NotForThisProcessor), Vec::new());
        }
        let began = Instant::now();
        let found = match configuration.how {
            How::Podium(how) => self.in_podium(how, graded),
            How::V8(options) => match node {
                Ok(node) => Ok(node.grade(options, &self.work, &self.graders, graded)),
                Err(reason) => Err(reason.clone()),
            },
        };
        match found {
            Ok(found) => {
                let (counts, differences) = self.compare(configuration, found, began.elapsed());
                (row(Outcome::Run(counts)), differences)
            }
            Err(reason) => (row(Outcome::NotRun(reason)), Vec::new()),
        }
    }

    fn in_podium(&self, how: InPodium, graded: &(dyn Fn() + Sync)) -> Result<Graded, NotGraded> {
        let graders = in_podium::load(&self.work, how.code, &self.cache)?;
        in_podium::grade(&self.work, &graders, how, graded)
    }

    fn compare(
        &self,
        configuration: &Configuration,
        found: Graded,
        wall_clock: Duration,
    ) -> (Counts, Vec<Difference>) {
        let mut counts =
            Counts { gradings: self.work.gradings(), identical: 0, with_fuel: 0, wall_clock };
        let mut differences = Vec::new();
        for ((work, right), found) in self.work.competitions.iter().zip(&self.right).zip(found) {
            let mut differs = |case: Option<&String>, what| {
                differences.push(Difference {
                    configuration: configuration.name.to_owned(),
                    competition: work.id.clone(),
                    case: case.cloned(),
                    what,
                });
            };
            let found = match found {
                Ok(found) if configuration.counts_fuel() => found,
                Ok(found) => found.into_iter().map(Evidence::without_fuel).collect(),
                Err(why) => {
                    differs(None, format!("not graded: {why}"));
                    continue;
                }
            };
            for (((case, _), right), found) in work.cases.iter().zip(right).zip(found) {
                counts.with_fuel += usize::from(found.fuel().is_some());
                match found.difference(right) {
                    None => counts.identical += 1,
                    Some(what) => differs(Some(case), what),
                }
            }
        }
        (counts, differences)
    }
}
