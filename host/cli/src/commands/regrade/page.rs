//! A regrade as one page that needs nothing else: no network, no script; light and dark, for paper and for phones.
//!
//! Relies on minijinja, which escapes everything that is put into a template called `.html`.

use std::collections::BTreeMap;
use std::path::Path;

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use podium::{EntryProblem, RegradeVerdict, RegradedRun, Regrading};
use serde::Serialize;

use super::{RunNames, compared_with, text, verdict_name};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{number, output};

const NAME: &str = "regrade.html";

/// What is in the head of every page.
const MARK: &[u8] = b"<meta name=\"generator\" content=\"podium regrade\">";
const TEMPLATE: &str = include_str!("../../../templates/regrade/page.html");

/// The runs that are shown one by one; a page of more is of no use.
const SHOWN: usize = 5_000;

/// What the page shows of an archive.
#[derive(Serialize)]
struct ArchiveOnPage {
    name: String,
    format: String,
    compared_with: String,
    set: String,
    complete: bool,
    warnings: Vec<String>,
    broken: Option<String>,
    counts: Vec<Count>,
    competitions: Vec<CompetitionOnPage>,
    runs: Vec<RunOnPage>,
    more_runs: Option<String>,
    problems: Vec<EntryProblem>,
    left_out: Vec<EntryProblem>,
}

#[derive(Serialize)]
struct Count {
    name: &'static str,
    kind: &'static str,
    count: String,
}

#[derive(Serialize)]
struct CompetitionOnPage {
    id: String,
    runs: String,
    identical: String,
    other: String,
}

#[derive(Serialize)]
struct RunOnPage {
    run: String,
    competition: String,
    kind: &'static str,
    verdict: &'static str,
    before: String,
    now: String,
    difference: String,
    remarks: String,
}

/// Whether these are the bytes of a page that was written before.
pub(super) fn is_page(bytes: &[u8]) -> bool {
    const HEAD_BYTES: usize = 1_024;
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    head.windows(MARK.len()).any(|window| window == MARK)
}

/// Writes the page.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write(path: &Path, regradings: &[&Regrading]) -> Result<(), Failure> {
    let page = render(regradings)
        .map_err(|error| Failure::new(Exit::Files, format!("could not make the page: {error}")))?;
    Ok(podium::write_over(path, page.as_bytes())?)
}

fn render(regradings: &[&Regrading]) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template(NAME, TEMPLATE)?;
    let archives: Vec<ArchiveOnPage> = regradings.iter().map(|one| archive(one)).collect();
    environment
        .get_template(NAME)?
        .render(context! { archives => Value::from(Serde(&archives)), version => podium::VERSION })
}

fn archive(regrading: &Regrading) -> ArchiveOnPage {
    let mut differing: Vec<&RegradedRun> =
        regrading.runs.iter().filter(|run| !run.verdict.holds()).collect();
    differing.sort_by_key(|run| run.verdict);
    let counts: Vec<Count> = RegradeVerdict::ALL
        .into_iter()
        .map(|verdict| (verdict, regrading.summary.count(verdict)))
        .filter(|(verdict, count)| *count > 0 || *verdict == RegradeVerdict::Identical)
        .map(|(verdict, count)| Count {
            name: verdict_name(verdict),
            kind: verdict.name(),
            count: number::count(count),
        })
        .collect();
    let mut competitions: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for run in &regrading.runs {
        let (runs, holding) = competitions.entry(&run.competition_id).or_default();
        *runs += 1;
        *holding += u64::from(run.verdict.holds());
    }
    let left = regrading.summary.left;
    let names = RunNames::of(&regrading.runs);
    ArchiveOnPage {
        name: output::path(&regrading.archive),
        format: output::harmless_name(&regrading.format),
        compared_with: compared_with(regrading),
        set: output::path(&regrading.set),
        complete: regrading.complete,
        warnings: regrading.warnings.iter().map(|one| output::harmless_name(one)).collect(),
        broken: regrading.broken.as_deref().map(output::harmless_name),
        counts: counts.into_iter().chain(not_looked_at(left)).collect(),
        competitions: competitions
            .into_iter()
            .map(|(id, (runs, holding))| CompetitionOnPage {
                id: output::short_name(id),
                runs: number::count(runs),
                identical: number::count(holding),
                other: number::count(runs - holding),
            })
            .collect(),
        more_runs: (differing.len() > SHOWN)
            .then(|| number::count((differing.len() - SHOWN) as u64)),
        runs: differing.into_iter().take(SHOWN).map(|run| on_page(run, &names)).collect(),
        problems: regrading.problems.iter().map(harmless).collect(),
        left_out: regrading.left_out.iter().map(harmless).collect(),
    }
}

fn not_looked_at(left: u64) -> Option<Count> {
    let count = || Count { name: "not looked at", kind: "no-data", count: number::count(left) };
    (left > 0).then(count)
}

/// A problem as it is shown. One that was read from the file of a set may hold anything.
fn harmless(problem: &EntryProblem) -> EntryProblem {
    EntryProblem {
        entry: output::harmless_name(&problem.entry),
        reason: output::harmless_name(&problem.reason),
    }
}

fn on_page(run: &RegradedRun, names: &RunNames<'_>) -> RunOnPage {
    RunOnPage {
        run: names.name(run),
        competition: output::short_name(&run.competition_id),
        kind: run.verdict.name(),
        verdict: verdict_name(run.verdict),
        before: text::standing(run.old.as_ref()),
        now: text::standing(run.new.as_ref()),
        difference: text::difference(run).unwrap_or_default(),
        remarks: text::remarks(run),
    }
}

#[cfg(test)]
mod tests {
    use podium::RegradeSummary;

    use super::*;

    #[test]
    fn everything_is_escaped_and_nothing_is_fetched() {
        let hostile = "<script>alert(1)</script>\"'&\u{202e}\u{1b}[2J";
        let run: RegradedRun = serde_json::from_value(serde_json::json!({
            "run_group": hostile, "run_id": hostile, "experiment": null, "competition_id": hostile,
            "seed": null, "submission": hostile, "submission_sha256": null,
            "verdict": "submission-unusable", "old": null, "new": null, "difference": null,
            "remarks": [hostile], "message": hostile, "failure": null, "receipt_id": null,
            "graded": "not",
        }))
        .unwrap();
        let problem = || EntryProblem { entry: hostile.to_owned(), reason: hostile.to_owned() };
        let regrading = Regrading {
            archive: hostile.into(),
            format: hostile.to_owned(),
            set: hostile.into(),
            complete: false,
            compared_with: hostile.to_owned(),
            summary: RegradeSummary::of(std::slice::from_ref(&run)),
            warnings: vec![hostile.to_owned()],
            broken: Some(hostile.to_owned()),
            problems: vec![problem()],
            problems_in_all: 1,
            left_out: vec![problem()],
            left_out_in_all: 1,
            runs: vec![run],
        };
        let page = render(&[&regrading]).unwrap();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.matches("&lt;script").count() >= 10, "{page}");
        for fetched in ["http", "src=", "url(", "@import", "<link"] {
            assert!(!page.contains(fetched), "{fetched}");
        }
        assert!(page.contains("submission not usable"), "{page}");
        let steers = |character: char| character != '\n' && podium::told::steers(character);
        assert!(!page.contains(steers), "{page}");
        assert!(is_page(page.as_bytes()) && !is_page(b"<!doctype html><html>"));
    }
}
