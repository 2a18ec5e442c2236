//! Grades the cases of a corpus with built graders, in parallel, in memory.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use podium::{Catalog, Engine, Grader, Input, LimitOverrides};
use rayon::prelude::*;
use serde::Serialize;

use super::comparison::{Difference, compare};
use super::corpus::Corpus;

/// What the runner found of one competition.
#[derive(Debug, Clone, Serialize)]
pub struct CompetitionResult {
    /// The competition's id.
    pub competition: String,
    /// How many cases were graded.
    pub cases: usize,
    /// The cases on which grader and reference do not agree, in the order of the corpus.
    pub differences: Vec<Difference>,
    /// How long all of it took, reading and compiling included; other competitions may have run at the same time.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub wall_clock: Duration,
}

fn as_seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Grades corpora with the graders in a folder.
pub struct Runner {
    engine: Engine,
    catalog: Catalog,
}

impl Runner {
    /// A runner that takes `<id>.wasm` from the folder `graders` and the rounding from the folder `competitions`.
    pub fn new(engine: Engine, competitions: &Path, graders: &Path) -> Runner {
        let catalog = Catalog::new(vec![competitions.to_path_buf()], vec![graders.to_path_buf()]);
        Runner { engine, catalog }
    }

    /// Grades all cases of one competition.
    ///
    /// # Errors
    /// When the competition, its grader or its cases cannot be read. Differences are no errors.
    pub fn run(&self, corpus: &Corpus, id: &str) -> Result<CompetitionResult> {
        let start = Instant::now();
        let cases = corpus.read(id)?;
        let competition = self.catalog.get(id)?;
        let grader = Grader::from_file(&self.engine, competition.grader()?)
            .with_context(|| format!("could not load the grader of {id}"))?;
        let limits = competition.limits(&LimitOverrides::default());
        let answers = [Input::from_bytes(cases.answers_name, cases.answers)];
        let differences = cases
            .cases
            .par_iter()
            .filter_map(|case| {
                let submission = Input::from_bytes("submission.csv", case.submission.as_slice());
                let grading = grader.grade(&submission, &answers, &limits);
                compare(&case.name, &case.expected, &grading.verdict, competition.rounding())
            })
            .collect();
        Ok(CompetitionResult {
            competition: id.to_owned(),
            cases: cases.cases.len(),
            differences,
            wall_clock: start.elapsed(),
        })
    }
}
