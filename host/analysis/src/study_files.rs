//! The files that a study is written down as.

use crate::columns::Columns;
use crate::error::Error;
use crate::grading::Metric;
use crate::shown::path_text;
use crate::study::{ExperimentResult, Group, Study};

/// A file of a study.
#[derive(Clone, Debug)]
pub struct StudyFile {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Study {
    /// All files: Markdown, HTML, CSV and Parquet. The same study gives the same bytes.
    ///
    /// # Errors
    /// [`Error::Page`] or [`Error::Parquet`].
    pub fn to_files(&self, title: &str) -> Result<Vec<StudyFile>, Error> {
        let document = self.to_document(title)?;
        let mut files = vec![
            StudyFile { name: "report.html", bytes: document.to_html()?.into_bytes() },
            StudyFile { name: "report.md", bytes: document.to_markdown().into_bytes() },
        ];
        for (csv, parquet, columns) in [
            ("aggregates.csv", "aggregates.parquet", self.aggregates()),
            ("competitions.csv", "competitions.parquet", self.competition_columns()),
            ("runs.csv", "runs.parquet", self.run_columns()),
        ] {
            files.push(StudyFile { name: csv, bytes: columns.to_csv() });
            files.push(StudyFile { name: parquet, bytes: columns.to_parquet()? });
        }
        for (name, columns) in [
            ("pass-at-k.csv", self.pass_at_k_columns()),
            ("over-time.csv", self.over_time_columns()),
            ("problems.csv", self.problem_columns()),
        ] {
            files.push(StudyFile { name, bytes: columns.to_csv() });
        }
        Ok(files)
    }

    /// A row for each experiment, group of competitions and percentage.
    fn aggregates(&self) -> Columns {
        type Line<'a> = (&'a ExperimentResult, &'static str, &'a Group, bool, Metric);
        let lines: Vec<Line> = self
            .experiments
            .iter()
            .flat_map(|result| {
                let groups = std::iter::once(("split", &result.overall))
                    .chain(result.by_complexity.iter().map(|group| ("complexity", group)))
                    .chain(result.by_category.iter().map(|group| ("category", group)));
                groups.flat_map(move |(kind, group)| {
                    [false, true].into_iter().flat_map(move |without| {
                        Metric::ALL
                            .into_iter()
                            .map(move |metric| (result, kind, group, without, metric))
                    })
                })
            })
            .collect();
        let aggregate = |line: &Line<'_>| {
            let (_, _, group, without, _) = *line;
            let of = if without { &group.without_known_issues } else { &group.all };
            of.aggregate().cloned()
        };
        let aggregates: Vec<_> = lines.iter().map(aggregate).collect();
        let estimates: Vec<_> = lines
            .iter()
            .zip(&aggregates)
            .map(|((.., metric), aggregate)| aggregate.as_ref()?.estimate(*metric))
            .collect();
        let number = |of: fn(&crate::Estimate) -> Option<f64>| {
            estimates.iter().map(move |estimate| estimate.and_then(of))
        };
        let count = |of: fn(&crate::Aggregate) -> usize| {
            aggregates.iter().map(move |aggregate| aggregate.as_ref().map_or(0, of))
        };
        Columns::default()
            .text("experiment", lines.iter().map(|line| Some(line.0.name.clone())))
            .text("group_kind", lines.iter().map(|line| Some(line.1.to_owned())))
            .text("group", lines.iter().map(|line| Some(line.2.name.clone())))
            .truth("without_known_issues", lines.iter().map(|line| line.3))
            .text("metric", lines.iter().map(|line| Some(line.4.name().to_owned())))
            .count("competitions", count(|aggregate| aggregate.competitions))
            .count("seeds", count(|aggregate| aggregate.seeds.len()))
            .count("padded_runs", count(|aggregate| aggregate.padded_runs))
            .count("unused_runs", count(|aggregate| aggregate.unused_runs))
            .number("mean", number(|estimate| Some(estimate.mean)))
            .number("standard_error", number(|estimate| estimate.standard_error))
            .number("normal_low", number(|estimate| estimate.normal_interval.map(|ends| ends[0])))
            .number("normal_high", number(|estimate| estimate.normal_interval.map(|ends| ends[1])))
            .number("t_low", number(|estimate| estimate.t_interval.map(|ends| ends[0])))
            .number("t_high", number(|estimate| estimate.t_interval.map(|ends| ends[1])))
    }

    /// A row for each experiment and competition.
    fn competition_columns(&self) -> Columns {
        let lines: Vec<_> = self
            .experiments
            .iter()
            .flat_map(|result| result.by_competition.iter().map(move |of| (&result.name, of)))
            .collect();
        let text = |of: fn(&crate::CompetitionResult) -> Option<String>| {
            lines.iter().map(move |(_, result)| of(result))
        };
        let mut columns = Columns::default()
            .text("experiment", lines.iter().map(|(name, _)| Some((*name).clone())))
            .text("competition", text(|result| Some(result.competition.clone())))
            .text(
                "complexity",
                text(|result| {
                    result.complexity.map(|complexity| format!("{complexity:?}").to_lowercase())
                }),
            )
            .text("category", text(|result| result.category.clone()))
            .text("date", text(|result| result.date.map(|date| date.to_string())))
            .truth("has_known_issues", lines.iter().map(|(_, result)| result.has_known_issues))
            .count("runs", lines.iter().map(|(_, result)| result.runs))
            .count("padded_runs", lines.iter().map(|(_, result)| result.padded_runs));
        for metric in Metric::ALL {
            let shares = lines.iter().map(|(_, result)| Some(result.metrics[metric.name()]));
            columns = columns.number(metric.name(), shares);
        }
        columns.number(
            "mean_relative_score",
            lines.iter().map(|(_, result)| result.mean_relative_score),
        )
    }

    /// A row for each run in a seed.
    fn run_columns(&self) -> Columns {
        let runs = || self.runs.iter();
        let mut columns = Columns::default()
            .text("experiment", runs().map(|run| Some(run.experiment.clone())))
            .text("seed", runs().map(|run| Some(run.seed.clone())))
            .text("competition", runs().map(|run| Some(run.competition.clone())))
            .text("run_group", runs().map(|run| run.run_group.clone()))
            .truth("padded", runs().map(|run| run.run_group.is_none()));
        for metric in Metric::ALL {
            columns = columns.truth(metric.name(), runs().map(move |run| metric.holds(&run.marks)));
        }
        columns
            .number("score", runs().map(|run| run.score))
            .number("relative_score", runs().map(|run| run.relative_score))
    }

    fn pass_at_k_columns(&self) -> Columns {
        let lines: Vec<_> = self
            .experiments
            .iter()
            .flat_map(|result| {
                let with = result.pass_at_k.iter().map(|point| (false, point));
                let without =
                    result.pass_at_k_without_known_issues.iter().map(|point| (true, point));
                with.chain(without).map(move |(clean, point)| (&result.name, clean, point))
            })
            .collect();
        Columns::default()
            .text("experiment", lines.iter().map(|(name, ..)| Some((*name).clone())))
            .truth("without_known_issues", lines.iter().map(|(_, clean, _)| *clean))
            .count("k", lines.iter().map(|(.., point)| point.k))
            .number("mean", lines.iter().map(|(.., point)| Some(point.mean)))
            .number("standard_error", lines.iter().map(|(.., point)| point.standard_error))
    }

    fn over_time_columns(&self) -> Columns {
        let lines: Vec<_> = self
            .experiments
            .iter()
            .flat_map(|result| {
                let with = result.over_time.iter().map(|point| (false, point));
                let without =
                    result.over_time_without_known_issues.iter().map(|point| (true, point));
                with.chain(without).map(move |(clean, point)| (&result.name, clean, point))
            })
            .collect();
        let mut columns = Columns::default()
            .text("experiment", lines.iter().map(|(name, ..)| Some((*name).clone())))
            .truth("without_known_issues", lines.iter().map(|(_, clean, _)| *clean))
            .number("elapsed_seconds", lines.iter().map(|(.., point)| Some(point.elapsed_seconds)));
        for metric in Metric::ALL {
            let shares = lines.iter().map(|(.., point)| Some(point.metrics[metric.name()]));
            columns = columns.number(metric.name(), shares);
        }
        columns
    }

    fn problem_columns(&self) -> Columns {
        let problems = || self.problems.iter();
        let kind = |problem: &crate::Problem| {
            serde_json::to_value(problem.kind)
                .ok()
                .and_then(|kind| kind.as_str().map(str::to_owned))
        };
        Columns::default()
            .text("file", problems().map(|problem| Some(path_text(&problem.file))))
            .text("part", problems().map(|problem| problem.part.clone()))
            .text("kind", problems().map(kind))
            .text("reason", problems().map(|problem| Some(problem.reason.clone())))
    }
}
