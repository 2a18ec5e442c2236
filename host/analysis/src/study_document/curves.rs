//! The curves of a study: pass@k, over time, by the date of competitions.

use jiff::civil::Date;

use super::texts::{best, counted, dash, describe_ends};
use crate::charts::{self, MOST_SERIES, Series, Shape};
use crate::competition_result::DateCorrelation;
use crate::document::{Section, Table};
use crate::error::Error;
use crate::grading::Metric;
use crate::study::{ExperimentResult, Study};

impl Study {
    /// The paper's Figure 3.
    pub(super) fn pass_at_k(&self) -> Result<Section, Error> {
        let most = self.experiments.iter().map(|result| result.pass_at_k.len()).max().unwrap_or(0);
        let mut tables = Vec::new();
        for (caption, without) in [
            (
                "Any medal within k runs: percent of competitions ± standard error over competitions",
                false,
            ),
            ("Without the competitions that have known issues", true),
        ] {
            let ks: Vec<String> = (1..=most).map(|k| format!("k = {k}")).collect();
            let headings = std::iter::once("Experiment").chain(ks.iter().map(String::as_str));
            let mut table = Table::new(caption, headings);
            for result in &self.experiments {
                let points = if without {
                    &result.pass_at_k_without_known_issues
                } else {
                    &result.pass_at_k
                };
                let mut row = vec![result.name.clone()];
                row.extend((0..most).map(|index| {
                    points.get(index).map_or(dash(), |point| {
                        let error = point.standard_error;
                        let error = error.map_or(dash(), |error| format!("{error:.2}"));
                        format!("{:.2} ± {error}", point.mean)
                    })
                }));
                table.rows.push(row);
            }
            tables.push(table);
        }
        let with_points: Vec<&ExperimentResult> =
            self.experiments.iter().filter(|result| result.pass_at_k.len() > 1).collect();
        let shown = with_points.len().min(MOST_SERIES);
        let series: Vec<Series> = with_points[..shown]
            .iter()
            .map(|result| Series {
                name: result.name.clone(),
                points: result.pass_at_k.iter().map(|point| (point.k as f64, point.mean)).collect(),
            })
            .collect();
        let mut charts = Vec::new();
        if !series.is_empty() {
            let title = format!(
                "Competitions with any medal within k runs, in percent{}",
                best(shown, with_points.len())
            );
            let label = |k: &f64| if k.fract() == 0.0 { format!("{k:.0}") } else { String::new() };
            charts.push(charts::over_numbers(
                "chart-pass-at-k",
                &title,
                &describe_ends(&series),
                "k",
                &label,
                Shape::Line,
                &series,
            )?);
        }
        Ok(Section {
            heading: "pass@k".to_owned(),
            paragraphs: vec![
                "How likely at least one of k runs earns a medal, by the unbiased estimator of Chen et al. \
                 (arXiv 2107.03374), over the seeds that count."
                    .to_owned(),
            ],
            charts,
            tables,
            ..Section::default()
        })
    }

    pub(super) fn over_time(&self) -> Result<Option<Section>, Error> {
        let with: Vec<&ExperimentResult> =
            self.experiments.iter().filter(|result| !result.over_time.is_empty()).collect();
        if with.is_empty() {
            return Ok(None);
        }
        let shown = with.len().min(MOST_SERIES);
        let series: Vec<Series> = with[..shown]
            .iter()
            .map(|result| Series {
                name: result.name.clone(),
                // Every run begins with nothing.
                points: std::iter::once((0.0, 0.0))
                    .chain(result.over_time.iter().map(|point| {
                        (point.elapsed_seconds / 3600.0, point.metrics[Metric::AnyMedal.name()])
                    }))
                    .collect(),
            })
            .collect();
        let title = format!(
            "Runs with any medal by the time since their start, in percent{}",
            best(shown, with.len())
        );
        let chart = charts::over_numbers(
            "chart-over-time",
            &title,
            &describe_ends(&series),
            "hours",
            &|hours| {
                let text = format!("{hours:.2}");
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            },
            Shape::Steps,
            &series,
        )?;
        let tables = with
            .iter()
            .map(|result| {
                let headings = std::iter::once("Seconds");
                let headings = headings.chain(Metric::ALL.iter().map(|metric| metric.heading()));
                let headings = headings.chain(["Any medal without known issues"]);
                let caption = format!(
                    "{}: {} with snapshots, in percent",
                    result.name,
                    counted(result.runs_with_snapshots, "run")
                );
                let mut table = Table::new(caption, headings);
                table.folded = true;
                for point in &result.over_time {
                    let mut row = vec![point.elapsed_seconds.to_string()];
                    row.extend(
                        Metric::ALL
                            .iter()
                            .map(|metric| format!("{:.2}", point.metrics[metric.name()])),
                    );
                    // That curve has points of its own; between them it stays.
                    let clean = &result.over_time_without_known_issues;
                    let until = clean
                        .partition_point(|clean| clean.elapsed_seconds <= point.elapsed_seconds);
                    row.push(match until.checked_sub(1) {
                        Some(last) => {
                            format!("{:.2}", clean[last].metrics[Metric::AnyMedal.name()])
                        }
                        None if clean.is_empty() => dash(),
                        None => "0.00".to_owned(),
                    });
                    table.rows.push(row);
                }
                table
            })
            .collect();
        Ok(Some(Section {
            heading: "Over time".to_owned(),
            paragraphs: vec![
                "What runs had come to, by their last snapshot until then. Runs without snapshots are left out.".to_owned(),
            ],
            charts: vec![chart],
            tables,
            ..Section::default()
        }))
    }

    pub(super) fn by_date(&self) -> Result<Option<Section>, Error> {
        let with: Vec<&ExperimentResult> =
            self.experiments.iter().filter(|result| result.date_correlation.is_some()).collect();
        if with.is_empty() {
            return Ok(None);
        }
        let mut tables = Vec::new();
        for (caption, which) in [
            (
                "How results go with the date of competitions",
                (|result| result.date_correlation.as_ref())
                    as fn(&ExperimentResult) -> Option<&DateCorrelation>,
            ),
            ("Without the competitions that have known issues", |result| {
                result.date_correlation_without_known_issues.as_ref()
            }),
        ] {
            let mut table = Table::new(
                caption,
                [
                    "Experiment",
                    "Competitions with a date",
                    "Any medal: Pearson's r",
                    "Any medal: Spearman's rho",
                    "Competitions with a relative score",
                    "Relative score: Pearson's r",
                    "Relative score: Spearman's rho",
                ],
            );
            for result in &with {
                let mut row = vec![result.name.clone()];
                let found = which(result);
                for correlation in [
                    found.map(|found| &found.any_medal),
                    found.map(|found| &found.mean_relative_score),
                ] {
                    let text =
                        |value: Option<f64>| value.map_or(dash(), |value| format!("{value:.3}"));
                    row.push(correlation.map_or(dash(), |found| found.competitions.to_string()));
                    row.push(text(correlation.and_then(|found| found.pearson)));
                    row.push(text(correlation.and_then(|found| found.spearman)));
                }
                table.rows.push(row);
            }
            tables.push(table);
        }
        let epoch = Date::constant(1970, 1, 1);
        let shown = with.len().min(MOST_SERIES);
        let series: Vec<Series> = with[..shown]
            .iter()
            .map(|result| Series {
                name: result.name.clone(),
                points: result
                    .by_competition
                    .iter()
                    .filter_map(|result| {
                        let days = (result.date? - epoch).get_days();
                        Some((f64::from(days), result.metrics[Metric::AnyMedal.name()]))
                    })
                    .collect(),
            })
            .collect();
        let title = format!(
            "Runs with any medal by the date of the competition, in percent{}",
            best(shown, with.len())
        );
        let year = |days: &f64| {
            let span = jiff::Span::new().try_days(days.round() as i64).unwrap_or_default();
            epoch
                .checked_add(span)
                .map_or_else(|_| String::new(), |date| date.strftime("%Y-%m").to_string())
        };
        let chart = charts::over_numbers(
            "chart-date",
            &title,
            "A point for each competition; the table of competitions has their dates and shares.",
            "date of the competition",
            &year,
            Shape::Points,
            &series,
        )?;
        Ok(Some(Section {
            heading: "By date of the competition".to_owned(),
            paragraphs: vec![
                "A share that falls with the date may be a sign that older competitions were in the training data."
                    .to_owned(),
            ],
            charts: vec![chart],
            tables,
            ..Section::default()
        }))
    }
}
