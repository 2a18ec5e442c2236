//! The figures of experiments against those of the reference's aggregation script, of scipy, and of exact fractions.
//!
//! Relies on `tests/experiments/`, whose README says how the expected figures were made.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use podium::{Cancellation, Catalog};
use podium_analysis::{
    Alignment, Benchmark, BootstrapOptions, Incomplete, Loaded, Metric, Plan, SeedOptions, Sources,
    Split, Study, StudyOptions, bootstrap, pass_at_k, pearson, sign_flips, spearman,
    standard_error, t_quantile,
};
use podium_tests::artifacts;
use serde::Deserialize;
use serde_json::{Value, json};

fn folder() -> PathBuf {
    artifacts::root().join("tests/experiments")
}

#[derive(Deserialize)]
struct Expected {
    case: String,
    split: String,
    num_seeds: i64,
    pad: bool,
    result: Option<ExpectedResult>,
}

#[derive(Deserialize)]
struct ExpectedResult {
    seeds: usize,
    competitions: usize,
    /// Mean, standard error, and the ends of the interval.
    metrics: BTreeMap<String, [f64; 4]>,
}

/// Writes the reports of a case as the reference does, a folder for each run group.
fn write_case(case: &str, into: &Path) {
    let path = folder().join("cases").join(format!("{case}.csv"));
    let mut groups: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for record in csv::Reader::from_path(path).unwrap().records() {
        let record = record.unwrap();
        let is = |kinds: &[&str]| kinds.contains(&&record[2]);
        let report = json!({
            "competition_id": &record[1],
            "score": (!is(&["none", "invalid"])).then_some(0.5),
            "gold_medal": is(&["gold"]),
            "silver_medal": is(&["silver"]),
            "bronze_medal": is(&["bronze", "odd"]),
            "above_median": is(&["gold", "silver", "bronze", "above"]),
            "submission_exists": !is(&["none"]),
            "valid_submission": !is(&["none", "invalid"]),
        });
        groups.entry(record[0].to_owned()).or_default().push(report);
    }
    for (group, reports) in groups {
        let folder = into.join(group);
        fs::create_dir_all(&folder).unwrap();
        let report = json!({"competition_reports": reports});
        fs::write(folder.join("2024-01-01T00-00-00-GMT_grading_report.json"), report.to_string())
            .unwrap();
    }
}

fn benchmark() -> Benchmark {
    Benchmark::of(&Catalog::new(vec![artifacts::competitions()], Vec::new()).list())
}

fn load(reports: &Path, benchmark: &Benchmark) -> Loaded {
    let experiments = vec![("case".to_owned(), vec![reports.to_owned()])];
    let sources = Sources { experiments, ..Sources::default() };
    Plan::of(&sources).read(benchmark, &BTreeMap::new(), &Cancellation::new(), |_| ()).unwrap()
}

fn assert_close(found: f64, expected: f64, what: &str) {
    let tolerance = 1e-9 * expected.abs().max(1.0);
    assert!((found - expected).abs() <= tolerance, "{what}: {found} is not {expected}");
}

#[test]
fn percentages_and_their_errors_are_those_of_the_reference() {
    let benchmark = benchmark();
    let text = fs::read_to_string(folder().join("aggregates.jsonl")).unwrap();
    let expected: Vec<Expected> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        expected.len() > 300 && expected.iter().filter(|line| line.result.is_some()).count() > 100
    );
    let cases = expected.chunk_by(|left, right| left.case == right.case);
    for lines in cases {
        let reports = tempfile::tempdir().unwrap();
        write_case(&lines[0].case, reports.path());
        for line in lines {
            let options = StudyOptions {
                split: Split::resolve(&line.split, &benchmark).unwrap(),
                seeds: SeedOptions {
                    incomplete: if line.pad { Incomplete::Pad } else { Incomplete::Drop },
                    seeds: usize::try_from(line.num_seeds).ok(),
                },
                alignment: Alignment::Auto,
            };
            let study = Study::of(load(reports.path(), &benchmark), &benchmark, &options);
            let what = format!("{} {} {} {}", line.case, line.split, line.num_seeds, line.pad);
            assert!(study.problems.is_empty(), "{what}: {:?}", study.problems);
            let found = study.experiments[0].overall.all.aggregate();
            assert_eq!(found.is_some(), line.result.is_some(), "{what}");
            let (Some(found), Some(expected)) = (found, &line.result) else { continue };
            assert_eq!(found.seeds.len(), expected.seeds, "{what}");
            assert_eq!(found.competitions, expected.competitions, "{what}");
            for metric in Metric::ALL {
                let [mean, error, low, high] = expected.metrics[metric.name()];
                let what = format!("{what} {}", metric.name());
                let estimate = found.estimate(metric).unwrap();
                assert_close(estimate.mean, mean, &what);
                match (estimate.standard_error, estimate.normal_interval) {
                    (Some(found_error), Some([found_low, found_high])) => {
                        assert_close(found_error, error, &what);
                        assert_close(found_low, low, &what);
                        assert_close(found_high, high, &what);
                    }
                    // The reference says zero where nobody can tell.
                    _ => assert_eq!((expected.seeds, error), (1, 0.0), "{what}"),
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct Statistics {
    standard_errors: Vec<(Vec<f64>, f64)>,
    t_quantiles: Vec<(usize, f64)>,
    correlations: Vec<(Vec<(f64, f64)>, f64, f64)>,
    pass_at_k: Vec<(usize, usize, usize, f64)>,
    bootstraps: Vec<ExpectedBootstrap>,
    /// Differences, whether all choices of signs were tried, and the p-value.
    sign_flips: Vec<(Vec<f64>, bool, f64)>,
}

#[derive(Deserialize)]
struct ExpectedBootstrap {
    differences: Vec<f64>,
    effect: f64,
    interval: [f64; 2],
    p_value: f64,
}

fn statistics() -> Statistics {
    let text = fs::read_to_string(folder().join("statistics.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn statistics_are_those_of_scipy() {
    let Statistics { standard_errors, t_quantiles, correlations, .. } = statistics();
    for (sample, expected) in &standard_errors {
        assert_close(standard_error(sample).unwrap(), *expected, "standard error");
    }
    for (degrees, expected) in &t_quantiles {
        assert_close(t_quantile(*degrees), *expected, &format!("t for {degrees}"));
    }
    for (pairs, expected_pearson, expected_spearman) in &correlations {
        assert_close(pearson(pairs).unwrap(), *expected_pearson, "Pearson");
        assert_close(spearman(pairs).unwrap(), *expected_spearman, "Spearman");
    }
    assert!(standard_errors.len() > 5 && t_quantiles.len() > 30 && correlations.len() == 3);
}

#[test]
fn pass_at_k_is_that_of_exact_fractions() {
    let cases = statistics().pass_at_k;
    assert!(cases.len() > 100);
    for (runs, passed, k, expected) in cases {
        let what = format!("{passed} of {runs} passed, k = {k}");
        assert_close(pass_at_k(runs, passed, k).unwrap(), expected, &what);
    }
}

#[test]
fn sign_flips_are_those_of_scipy() {
    let cases = statistics().sign_flips;
    assert_eq!(cases.iter().filter(|(_, is_exact, _)| *is_exact).count(), 6);
    for (differences, is_exact, expected) in cases {
        let options = BootstrapOptions::default();
        let found = sign_flips(&differences, options, &Cancellation::new()).unwrap();
        // Ten thousand draws know a share to half a percent.
        let noise = 4.0 * (expected * (1.0 - expected) / 10_000.0).sqrt() + 2e-4;
        let tolerance = if is_exact { 1e-12 } else { noise };
        assert!((found - expected).abs() <= tolerance, "{differences:?}: {found} {expected}");
    }
}

#[test]
fn the_bootstrap_agrees_with_one_of_many_more_draws() {
    let cases = statistics().bootstraps;
    assert_eq!(cases.len(), 5);
    for expected in cases {
        let draw = || {
            let options = BootstrapOptions::default();
            bootstrap(&expected.differences, options, &Cancellation::new()).unwrap()
        };
        let found = draw();
        if expected.differences.iter().all(|difference| *difference == expected.differences[0]) {
            // Draws of the same differences say nothing, be they ever so many.
            assert_eq!((found.interval, found.bootstrap_p_value), (None, None));
            continue;
        }
        assert_close(found.effect, expected.effect, "effect");
        // Ten thousand draws know a percentile to some hundredths of the spread, and a share to half a percent.
        let spread = expected.interval[1] - expected.interval[0];
        for (found, expected) in found.interval.unwrap().iter().zip(expected.interval) {
            assert!((found - expected).abs() <= 0.05 * spread, "{found} {expected} {spread}");
        }
        let noise = 4.0 * (expected.p_value * (1.0 - expected.p_value) / 10_000.0).sqrt() + 2e-4;
        let p_value = found.bootstrap_p_value.unwrap();
        assert!((p_value - expected.p_value).abs() <= noise, "{p_value} {}", expected.p_value);
        // The same seed says the same.
        assert_eq!(draw(), found);
    }
}
