//! Seeds: sets of runs with one for each competition, which an aggregate is a mean over.
//!
//! As in the reference's aggregation, the k-th run of each competition is seed k, unless reports name their seeds. What is
//! done about competitions that lack a run is chosen by whoever asks, and said with every number.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::runs::{Run, Runs};
use crate::shown::shown_name;

/// What is done about a seed in which a competition has no run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Incomplete {
    /// The missing runs count as runs without a submission.
    Pad,
    /// The seed does not count.
    #[default]
    Drop,
    /// There is no result.
    Error,
}

/// How seeds are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SeedOptions {
    /// What is done about incomplete seeds.
    pub incomplete: Incomplete,
    /// This many seeds, the first ones; where there are fewer there is no result, as in the reference. All if `None`.
    pub seeds: Option<usize>,
}

/// Seeds over a set of competitions.
#[derive(Debug)]
pub(crate) struct Seeds<'a> {
    /// Their names, in order; at least one.
    pub(crate) names: Vec<String>,
    /// For each seed the run of each competition; `None` where it is padded.
    pub(crate) runs: Vec<Vec<Option<&'a Run>>>,
    /// How many runs of these competitions are in no seed.
    pub(crate) unused: usize,
}

impl Seeds<'_> {
    /// How many runs are padded.
    pub(crate) fn padded(&self) -> usize {
        self.runs.iter().flatten().filter(|run| run.is_none()).count()
    }
}

/// Forms seeds over these competitions, of which there is at least one.
///
/// # Errors
/// Says in words why there is no seed.
pub(crate) fn form<'a>(
    runs: &'a Runs,
    competitions: &[&str],
    options: SeedOptions,
) -> Result<Seeds<'a>, String> {
    let of =
        |competition: &str| runs.by_competition.get(competition).map_or(&[][..], Vec::as_slice);
    let (names, rows) =
        if runs.by_ids { by_ids(competitions, of) } else { by_order(competitions, of) };
    let available: usize = competitions
        .iter()
        .map(|competition| of(competition).iter().filter(|run| run.marks.is_some()).count())
        .sum();
    if available == 0 {
        return Err("there is no run of any of the competitions".to_owned());
    }
    let is_complete = |row: &[Option<&Run>]| row.iter().all(Option::is_some);
    let gap = names.iter().zip(&rows).find_map(|(name, row)| {
        let index = row.iter().position(Option::is_none)?;
        Some((name, competitions[index], row.iter().filter(|run| run.is_none()).count()))
    });
    if options.incomplete == Incomplete::Error
        && let Some((name, competition, missing)) = gap
    {
        return Err(format!(
            "seed {} is not complete: {} (--incomplete pad or drop goes on)",
            shown_name(name),
            lacks(competition, missing)
        ));
    }
    let mut seeds: Vec<(String, Vec<Option<&Run>>)> = names
        .iter()
        .cloned()
        .zip(rows.iter().cloned())
        .filter(|(_, row)| options.incomplete == Incomplete::Pad || is_complete(row))
        .collect();
    if seeds.is_empty() {
        let (name, competition, missing) = gap.ok_or_else(|| "there is no seed".to_owned())?;
        return Err(format!(
            "no seed is complete: seed {} {} (--incomplete pad counts missing runs as failed)",
            shown_name(name),
            lacks(competition, missing)
        ));
    }
    if let Some(wanted) = options.seeds {
        if wanted == 0 || seeds.len() < wanted {
            return Err(format!("{wanted} seeds were asked for, there are {}", seeds.len()));
        }
        seeds.truncate(wanted);
    }
    let used: usize = seeds.iter().flat_map(|(_, row)| row).filter(|run| run.is_some()).count();
    let (names, runs) = seeds.into_iter().unzip();
    Ok(Seeds { names, runs, unused: available - used })
}

fn lacks(competition: &str, missing: usize) -> String {
    match missing {
        1 => format!("lacks a run of {competition}"),
        more => format!("lacks runs of {competition} and {} more", more - 1),
    }
}

type Rows<'a> = (Vec<String>, Vec<Vec<Option<&'a Run>>>);

/// A run that came to a result.
fn graded(run: &Run) -> Option<&Run> {
    run.marks.is_some().then_some(run)
}

fn by_order<'a>(competitions: &[&str], of: impl Fn(&str) -> &'a [Run]) -> Rows<'a> {
    let most = competitions.iter().map(|competition| of(competition).len()).max().unwrap_or(0);
    (0..most)
        .map(|seed| {
            let row = competitions.iter().map(|id| of(id).get(seed).and_then(graded)).collect();
            ((seed + 1).to_string(), row)
        })
        .unzip()
}

fn by_ids<'a>(competitions: &[&str], of: impl Fn(&str) -> &'a [Run]) -> Rows<'a> {
    // Numbers by their value, before texts.
    let key =
        |seed: &str| (seed.parse::<i64>().map_or((1, 0), |number| (0, number)), seed.to_owned());
    let names: BTreeSet<_> = competitions
        .iter()
        .flat_map(|competition| of(competition))
        .filter_map(|run| run.seed.as_deref().map(key))
        .collect();
    names
        .into_iter()
        .map(|(_, name)| {
            let run_of = |id: &&str| {
                let run = of(id).iter().find(|run| run.seed.as_deref() == Some(&name));
                run.and_then(graded)
            };
            let row = competitions.iter().map(run_of).collect();
            (name, row)
        })
        .unzip()
}

#[cfg(test)]
mod tests;
