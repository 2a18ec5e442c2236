//! A study as a document: the tables and figures of the benchmark's paper, from the reports at hand.

use jiff::civil::Date;

use crate::charts::{self, Bar, MOST_SERIES, Series, Shape};
use crate::document::{Document, Section, Table};
use crate::error::Error;
use crate::grading::Metric;
use crate::seeds::Incomplete;
use crate::statistics::Estimate;
use crate::study::{Aggregated, ExperimentResult, Group, Study};

/// How many problems the document lists; all are in problems.csv.
pub(crate) const MOST_PROBLEMS: usize = 200;

impl Study {
    /// The study as a document.
    ///
    /// # Errors
    /// [`Error::Page`] if a chart cannot be drawn.
    pub fn to_document(&self, title: &str) -> Result<Document, Error> {
        let mut sections = vec![self.overall()?];
        sections.extend(self.remarks());
        sections.push(self.by_complexity()?);
        sections.push(self.by_category());
        sections.extend(self.variants());
        sections.push(self.pass_at_k()?);
        sections.extend(self.over_time()?);
        sections.extend(self.by_date()?);
        sections.push(self.by_competition());
        sections.push(self.problems());
        sections.push(method());
        Ok(Document { title: title.to_owned(), introduction: self.introduction(), sections })
    }

    fn introduction(&self) -> Vec<String> {
        let incomplete = match self.seeds.incomplete {
            Incomplete::Pad => "missing runs count as failed (padded)",
            Incomplete::Drop => "seeds that lack a run do not count (dropped)",
            Incomplete::Error => "a seed that lacks a run is an error",
        };
        let gradings: usize = self.experiments.iter().map(|experiment| experiment.gradings).sum();
        vec![
            format!(
                "{} over {} of the split {}, from {}. Of incomplete seeds: {incomplete}.",
                counted(self.experiments.len(), "experiment"),
                counted(self.competitions, "competition"),
                self.split,
                counted(gradings, "grading"),
            ),
            match self.competitions_with_known_issues.as_slice() {
                [] => "None of the competitions has known issues.".to_owned(),
                known => format!(
                    "Every percentage is given a second time without the {} with known issues: {}.",
                    counted(known.len(), "competition"),
                    known.join(", ")
                ),
            },
        ]
    }

    /// The paper's Table 2.
    fn overall(&self) -> Result<Section, Error> {
        let mut tables = Vec::new();
        for (caption, which) in [
            (
                "All competitions: percent of runs, mean over seeds ± standard error of the mean",
                WITH,
            ),
            ("Without the competitions that have known issues", WITHOUT),
        ] {
            let headings = ["Experiment", "Seeds"].into_iter();
            let headings = headings.chain(Metric::ALL.iter().map(|metric| metric.heading()));
            let mut table = Table::new(caption, headings);
            for result in &self.experiments {
                let mut row = vec![result.name.clone()];
                row.extend(cells(which(&result.overall)));
                table.rows.push(row);
            }
            tables.push(table);
        }
        let mut intervals = Table::new(
            "Any medal: 95 % confidence intervals of the mean over seeds, in percent",
            [
                "Experiment",
                "Seeds",
                "Mean",
                "Standard error",
                "± 1.96 standard errors",
                "Student's t",
            ],
        );
        for result in &self.experiments {
            let aggregate = result.overall.all.aggregate();
            let estimate = aggregate.and_then(|aggregate| aggregate.estimate(Metric::AnyMedal));
            let interval = |interval: Option<[f64; 2]>| {
                interval.map_or(dash(), |[low, high]| format!("{low:.2} to {high:.2}"))
            };
            intervals.rows.push(vec![
                result.name.clone(),
                aggregate.map_or(dash(), |aggregate| aggregate.seeds.len().to_string()),
                estimate.map_or(dash(), |estimate| format!("{:.2}", estimate.mean)),
                estimate
                    .and_then(|estimate| estimate.standard_error)
                    .map_or(dash(), |error| format!("{error:.2}")),
                interval(estimate.and_then(|estimate| estimate.normal_interval)),
                interval(estimate.and_then(|estimate| estimate.t_interval)),
            ]);
        }
        tables.push(intervals);
        let bars: Vec<Bar> = self
            .experiments
            .iter()
            .map(|result| Bar {
                label: result.name.clone(),
                values: vec![any_medal(&result.overall.all)],
            })
            .collect();
        let chart = charts::bars(
            "chart-overall",
            "Runs with any medal, in percent; whiskers are one standard error of the mean",
            &describe(&bars),
            &[],
            &bars,
        )?;
        Ok(Section {
            heading: "Results".to_owned(),
            charts: vec![chart],
            tables,
            ..Section::default()
        })
    }

    /// What was padded, dropped or mixed.
    fn remarks(&self) -> Option<Section> {
        let list: Vec<String> = self
            .experiments
            .iter()
            .flat_map(|result| {
                result.remarks.iter().map(|remark| format!("{}: {remark}", result.name))
            })
            .collect();
        (!list.is_empty()).then(|| Section {
            heading: "Remarks".to_owned(),
            list,
            ..Section::default()
        })
    }

    /// The paper's Table 9.
    fn by_complexity(&self) -> Result<Section, Error> {
        let groups: fn(&ExperimentResult) -> &[Group] = |result| &result.by_complexity;
        let mut section = self.grouped("By complexity", "complexity", groups);
        let names = self.group_names(groups);
        let shown: Vec<&ExperimentResult> = self.experiments.iter().take(12).collect();
        let bars: Vec<Bar> = shown
            .iter()
            .map(|result| Bar {
                label: result.name.clone(),
                values: names
                    .iter()
                    .map(|name| any_medal(&find(&result.by_complexity, name)?.all))
                    .collect(),
            })
            .collect();
        if names.len() > 1 {
            let title = format!(
                "Runs with any medal by complexity, in percent; whiskers are one standard error{}",
                best(shown.len(), self.experiments.len())
            );
            let chart = charts::bars("chart-complexity", &title, &describe(&bars), &names, &bars)?;
            section.charts.push(chart);
        }
        Ok(section)
    }

    /// The paper's Table 10.
    fn by_category(&self) -> Section {
        self.grouped("By category", "category", |result| &result.by_category)
    }

    fn group_names(&self, groups: fn(&ExperimentResult) -> &[Group]) -> Vec<&str> {
        let first = self.experiments.first();
        first.map_or_else(Vec::new, |result| {
            groups(result).iter().map(|group| group.name.as_str()).collect()
        })
    }

    fn grouped(
        &self,
        heading: &str,
        by: &str,
        groups: fn(&ExperimentResult) -> &[Group],
    ) -> Section {
        let names = self.group_names(groups);
        let mut tables = Vec::new();
        for (caption, which) in [
            (format!("Any medal by {by}: percent of runs, mean over seeds ± standard error"), WITH),
            ("Without the competitions that have known issues".to_owned(), WITHOUT),
        ] {
            let headings = std::iter::once("Experiment").chain(names.iter().copied());
            let mut table = Table::new(caption, headings);
            for result in &self.experiments {
                let mut row = vec![result.name.clone()];
                row.extend(names.iter().map(|name| {
                    let group = find(groups(result), name);
                    group
                        .and_then(|group| which(group).aggregate())
                        .and_then(|aggregate| aggregate.estimate(Metric::AnyMedal))
                        .map_or(dash(), plus_minus)
                }));
                table.rows.push(row);
            }
            tables.push(table);
        }
        for result in &self.experiments {
            let headings = ["Group", "Competitions", "Seeds"].into_iter();
            let headings = headings.chain(Metric::ALL.iter().map(|metric| metric.heading()));
            let mut table =
                Table::new(format!("{}: all percentages by {by}", result.name), headings);
            table.folded = true;
            for group in groups(result) {
                let aggregate = group.all.aggregate();
                let mut row = vec![group.name.clone()];
                row.push(aggregate.map_or(dash(), |aggregate| aggregate.competitions.to_string()));
                row.extend(cells(&group.all));
                table.rows.push(row);
            }
            tables.push(table);
        }
        Section {
            heading: heading.to_owned(),
            paragraphs: vec![
                "Each group is aggregated by itself, with the seeds that it has.".to_owned(),
            ],
            tables,
            ..Section::default()
        }
    }

    /// The paper's Table 3.
    fn variants(&self) -> Option<Section> {
        let tables: Vec<Table> = self
            .variants
            .iter()
            .map(|variants| {
                let headings = ["Experiment", "Hardware", "Hours", "Date", "Seeds"].into_iter();
                let headings = headings.chain(Metric::ALL.iter().map(|metric| metric.heading()));
                let caption = format!("{} with {}", variants.agent, variants.model);
                let mut table = Table::new(caption, headings).text_in(&["Hardware", "Date"]);
                let of =
                    |name: &String| self.experiments.iter().find(|result| result.name == *name);
                for result in variants.experiments.iter().filter_map(of) {
                    let metadata = &result.metadata;
                    let text = |text: &Option<String>| text.clone().unwrap_or_else(dash);
                    let mut row = vec![
                        result.name.clone(),
                        text(&metadata.hardware),
                        metadata.running_time_hours.map_or(dash(), |hours| hours.to_string()),
                        text(&metadata.date),
                    ];
                    row.extend(cells(&result.overall.all));
                    table.rows.push(row);
                }
                table
            })
            .collect();
        (!tables.is_empty()).then(|| Section {
            heading: "Variants side by side".to_owned(),
            paragraphs: vec!["Experiments of the same agent and model.".to_owned()],
            tables,
            ..Section::default()
        })
    }

    /// The paper's Figure 3.
    fn pass_at_k(&self) -> Result<Section, Error> {
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

    fn over_time(&self) -> Result<Option<Section>, Error> {
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
                points: result
                    .over_time
                    .iter()
                    .map(|point| {
                        (point.elapsed_seconds / 3600.0, point.metrics[Metric::AnyMedal.name()])
                    })
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

    fn by_date(&self) -> Result<Option<Section>, Error> {
        let with: Vec<&ExperimentResult> =
            self.experiments.iter().filter(|result| result.date_correlation.is_some()).collect();
        if with.is_empty() {
            return Ok(None);
        }
        let mut table = Table::new(
            "How the share of medals goes with the date of competitions",
            ["Experiment", "Competitions with a date", "Pearson's r", "Spearman's rho"],
        );
        for result in &with {
            let Some(found) = &result.date_correlation else { continue };
            let text = |value: Option<f64>| value.map_or(dash(), |value| format!("{value:.3}"));
            table.rows.push(vec![
                result.name.clone(),
                found.competitions.to_string(),
                text(found.pearson),
                text(found.spearman),
            ]);
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
            tables: vec![table],
            ..Section::default()
        }))
    }

    fn by_competition(&self) -> Section {
        let with: Vec<&ExperimentResult> =
            self.experiments.iter().filter(|result| !result.by_competition.is_empty()).collect();
        let headings =
            ["Competition", "Complexity", "Category", "Date", "Known issues"].into_iter();
        let headings = headings.chain(with.iter().map(|result| result.name.as_str()));
        let mut medals = Table::new("Any medal: percent of runs", headings).text_in(&[
            "Complexity",
            "Category",
            "Date",
            "Known issues",
        ]);
        medals.folded = true;
        let headings =
            std::iter::once("Competition").chain(with.iter().map(|result| result.name.as_str()));
        let mut relative = Table::new(
            "Mean relative score of runs with a score: 0 is the median of the leaderboard, 1 the gold line",
            headings,
        );
        relative.folded = true;
        let first = with.first().map_or(&[][..], |result| &result.by_competition);
        for (index, competition) in first.iter().enumerate() {
            let of = |text: fn(&crate::CompetitionResult) -> String| {
                with.iter().map(move |result| text(&result.by_competition[index]))
            };
            let complexity =
                competition.complexity.map(|complexity| format!("{complexity:?}").to_lowercase());
            let mut row = vec![
                competition.competition.clone(),
                complexity.unwrap_or_else(dash),
                competition.category.clone().unwrap_or_else(dash),
                competition.date.map_or(dash(), |date| date.to_string()),
                if competition.has_known_issues { "yes" } else { "no" }.to_owned(),
            ];
            row.extend(of(|result| format!("{:.1}", result.metrics[Metric::AnyMedal.name()])));
            medals.rows.push(row);
            let mut row = vec![competition.competition.clone()];
            row.extend(of(|result| {
                result.mean_relative_score.map_or(dash(), |score| format!("{score:.3}"))
            }));
            relative.rows.push(row);
        }
        Section {
            heading: "Competitions".to_owned(),
            tables: vec![medals, relative],
            ..Section::default()
        }
    }

    fn problems(&self) -> Section {
        let mut list: Vec<String> =
            self.problems.iter().take(MOST_PROBLEMS).map(ToString::to_string).collect();
        if self.problems.len() > MOST_PROBLEMS {
            list.push(format!(
                "… and {} more, in problems.csv",
                self.problems.len() - MOST_PROBLEMS
            ));
        }
        let paragraph = match self.problems.len() {
            0 => "All that was named could be used.".to_owned(),
            _ => "This is in none of the numbers; all else is.".to_owned(),
        };
        Section {
            heading: "What could not be used".to_owned(),
            paragraphs: vec![paragraph],
            list,
            ..Section::default()
        }
    }
}

/// How the numbers are made.
fn method() -> Section {
    let paragraphs = [
        "A seed holds one run of each competition. Unless reports name their seeds, the k-th run of each competition, in the \
         order of the reports, is seed k.",
        "A percentage is the share of a seed's runs that count; the mean over seeds is given with its standard error \
         (standard deviation with n − 1, over √n). A made submission is a file, a valid one was graded to a score; above the \
         median and the medals are held against the private leaderboard of the competition.",
        "The interval of ± 1.96 standard errors is that of MLE-bench's own aggregation; Student's t, with n − 1 degrees of \
         freedom, is right for few seeds.",
    ];
    Section {
        heading: "Method".to_owned(),
        paragraphs: paragraphs.map(str::to_owned).to_vec(),
        ..Section::default()
    }
}

const WITH: fn(&Group) -> &Aggregated = |group| &group.all;
const WITHOUT: fn(&Group) -> &Aggregated = |group| &group.without_known_issues;

/// The number of seeds and all percentages.
fn cells(aggregated: &Aggregated) -> Vec<String> {
    let Some(aggregate) = aggregated.aggregate() else {
        return vec![dash(); Metric::ALL.len() + 1];
    };
    let padded = if aggregate.padded_runs > 0 { " (padded)" } else { "" };
    let mut cells = vec![format!("{}{padded}", aggregate.seeds.len())];
    cells.extend(
        Metric::ALL.iter().map(|metric| aggregate.estimate(*metric).map_or(dash(), plus_minus)),
    );
    cells
}

fn plus_minus(estimate: &Estimate) -> String {
    let error = estimate.standard_error.map_or(dash(), |error| format!("{error:.2}"));
    format!("{:.2} ± {error}", estimate.mean)
}

fn any_medal(aggregated: &Aggregated) -> Option<(f64, Option<f64>)> {
    let estimate = aggregated.aggregate()?.estimate(Metric::AnyMedal)?;
    Some((estimate.mean, estimate.standard_error))
}

fn find<'a>(groups: &'a [Group], name: &str) -> Option<&'a Group> {
    groups.iter().find(|group| group.name == name)
}

pub(crate) fn dash() -> String {
    "–".to_owned()
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Says where a chart shows some experiments only.
fn best(shown: usize, all: usize) -> String {
    if shown < all {
        format!(" (the best {shown} of {all}; the table has all)")
    } else {
        String::new()
    }
}

/// What bars show, in words: the highest and the lowest.
fn describe(bars: &[Bar]) -> String {
    let values = || {
        bars.iter().flat_map(|bar| {
            bar.values.iter().flatten().map(move |(value, _)| (bar.label.as_str(), *value))
        })
    };
    let highest = values().max_by(|left, right| left.1.total_cmp(&right.1));
    let lowest = values().min_by(|left, right| left.1.total_cmp(&right.1));
    match (highest, lowest) {
        (Some((high_name, high)), Some((low_name, low))) => format!(
            "Bars of {}, from {low:.1} % ({low_name}) to {high:.1} % ({high_name}). The tables hold all values.",
            counted(bars.len(), "experiment")
        ),
        _ => "No experiment has a result.".to_owned(),
    }
}

/// What lines show, in words: where each begins and ends.
fn describe_ends(series: &[Series]) -> String {
    let ends: Vec<String> = series
        .iter()
        .filter_map(|series| {
            let ((_, first), (_, last)) = (series.points.first()?, series.points.last()?);
            Some(format!("{} from {first:.1} % to {last:.1} %", series.name))
        })
        .collect();
    format!("Lines: {}. The tables hold all values.", ends.join("; "))
}
