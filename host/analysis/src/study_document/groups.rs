//! The tables of a study by complexity, by category, by hardware or time, and by competition.

use super::texts::{WITH, WITHOUT, any_medal, best, cells, dash, describe, find, plus_minus};
use crate::charts::{self, Bar};
use crate::competition_result::CompetitionResult;
use crate::document::{Section, Table};
use crate::error::Error;
use crate::grading::Metric;
use crate::study::{ExperimentResult, Group, Study};

impl Study {
    /// The paper's Table 9.
    pub(super) fn by_complexity(&self) -> Result<Section, Error> {
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
                "Runs with any medal by complexity, in percent, from top to bottom as in the legend; whiskers are one standard error{}",
                best(shown.len(), self.experiments.len())
            );
            let chart = charts::bars("chart-complexity", &title, &describe(&bars), &names, &bars)?;
            section.charts.push(chart);
        }
        Ok(section)
    }

    /// The paper's Table 10.
    pub(super) fn by_category(&self) -> Section {
        self.grouped("By category", "category", |result| &result.by_category)
    }

    pub(super) fn group_names(&self, groups: fn(&ExperimentResult) -> &[Group]) -> Vec<&str> {
        let first = self.experiments.first();
        first.map_or_else(Vec::new, |result| {
            groups(result).iter().map(|group| group.name.as_str()).collect()
        })
    }

    pub(super) fn grouped(
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
    pub(super) fn variants(&self) -> Option<Section> {
        let tables: Vec<Table> = self
            .variants
            .iter()
            .map(|variants| {
                let headings = ["Experiment", "Hardware", "Hours", "Date", "Seeds"].into_iter();
                let headings = headings.chain(Metric::ALL.iter().map(|metric| metric.heading()));
                let headings = headings.chain(["Any medal without known issues"]);
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
                    let clean = result.overall.without_known_issues.aggregate();
                    let clean = clean.and_then(|aggregate| aggregate.estimate(Metric::AnyMedal));
                    row.push(clean.map_or(dash(), plus_minus));
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

    pub(super) fn by_competition(&self) -> Section {
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
            let of = |text: fn(&CompetitionResult) -> String| {
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

    /// What is known of experiments besides their reports.
    pub(super) fn metadata(&self) -> Option<Section> {
        let headings = [
            "Experiment",
            "Agent",
            "Model",
            "Hardware",
            "Hours",
            "Date",
            "Source",
            "Notes",
            "Run groups",
        ];
        let mut table =
            Table::new("What is known of the experiments", headings).text_in(&headings[..8]);
        for result in &self.experiments {
            let metadata = &result.metadata;
            let text = |text: &Option<String>| text.clone().unwrap_or_else(dash);
            // Prose has lines.
            let notes = metadata.notes.as_ref().map(|notes| {
                notes.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
            });
            table.rows.push(vec![
                result.name.clone(),
                text(&metadata.agent),
                text(&metadata.model),
                text(&metadata.hardware),
                metadata.running_time_hours.map_or(dash(), |hours| hours.to_string()),
                text(&metadata.date),
                text(&metadata.source),
                text(&notes),
                result.run_groups.len().to_string(),
            ]);
        }
        let is_known = |result: &ExperimentResult| result.metadata != Default::default();
        self.experiments.iter().any(is_known).then(|| Section {
            heading: "Experiments".to_owned(),
            tables: vec![table],
            ..Section::default()
        })
    }
}
