//! A study as a document: the tables and figures of the benchmark's paper, from the reports at hand.

mod curves;
mod groups;
pub(crate) mod texts;

use texts::{WITH, WITHOUT, any_medal, cells, counted, dash, describe};

use crate::charts::{self, Bar};
use crate::document::{Document, Section, Table};
use crate::error::Error;
use crate::grading::Metric;
use crate::seeds::Incomplete;
use crate::study::Study;

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
        sections.extend(self.metadata());
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
