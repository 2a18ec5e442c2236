//! Grading in the product's engine, set up in one way or another.

use podium::{CacheLocation, CodeGeneration, Engine, EngineSettings, Grader};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use super::configuration::InPodium;
use super::evidence::Evidence;
use super::run::{Graded, NotGraded};
use super::work::Work;

/// Loads the graders, each of them or the reason why not.
///
/// # Errors
/// Why there is no engine of that kind, in its own words.
pub(super) fn load(
    work: &Work,
    code: CodeGeneration,
    cache: &CacheLocation,
) -> Result<Vec<Result<Grader, NotGraded>>, NotGraded> {
    let settings = EngineSettings { code, cache: cache.clone(), ..EngineSettings::default() };
    let engine = Engine::new(settings).map_err(|error| error.to_string())?;
    let load = |path| Grader::from_file(&engine, path).map_err(|error| error.to_string());
    Ok(work.competitions.par_iter().map(|competition| load(&competition.component)).collect())
}

/// Grades all cases on so many threads, forwards or backwards; calls `graded` after each.
///
/// # Errors
/// There can be no such threads.
pub(super) fn grade(
    work: &Work,
    graders: &[Result<Grader, NotGraded>],
    how: InPodium,
    graded: &(dyn Fn() + Sync),
) -> Result<Graded, NotGraded> {
    let mut order: Vec<(usize, usize)> = work
        .competitions
        .iter()
        .enumerate()
        .flat_map(|(competition, work)| (0..work.cases.len()).map(move |case| (competition, case)))
        .collect();
    if how.backwards {
        order.reverse();
    }
    let grade_one = |&(place, case): &(usize, usize)| {
        let competition = &work.competitions[place];
        let grader = graders[place].as_ref().ok()?;
        let (_, submission) = &competition.cases[case];
        let answers = competition.answer_inputs();
        let grading = grader.grade(&submission.input, &answers, &competition.limits);
        graded();
        Some(Evidence::counted(grader, &submission.input, &answers, grading))
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(how.threads.number())
        .build()
        .map_err(|error| error.to_string())?;
    let mut found: Vec<Option<Evidence>> =
        pool.install(|| order.par_iter().with_max_len(1).map(grade_one).collect());
    if how.backwards {
        found.reverse();
    }
    let mut found = found.into_iter();
    Ok(work
        .competitions
        .iter()
        .zip(graders)
        .map(|(competition, grader)| {
            let evidence = found.by_ref().take(competition.cases.len()).flatten().collect();
            grader.as_ref().map(|_| evidence).map_err(NotGraded::clone)
        })
        .collect())
}
