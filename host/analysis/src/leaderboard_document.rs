//! The leaderboard table as a document.

use crate::document::{Document, Section, Table};
use crate::leaderboard_table::{COLUMNS, Cell, LeaderboardTable};
use crate::study_document::MOST_PROBLEMS;
use crate::study_document::texts::dash;

impl LeaderboardTable {
    /// The table alone, with the columns of the reference's README and the number of seeds.
    pub fn to_table(&self, without_known_issues: bool) -> Table {
        let caption = if without_known_issues {
            "Without the competitions that have known issues"
        } else {
            "Runs with any medal, in percent: mean over seeds ± standard error of the mean"
        };
        let splits = COLUMNS.map(|(_, heading)| heading);
        let headings = ["Agent", "LLM(s) used"].into_iter().chain(splits);
        let headings = headings.chain(["Running Time (hours)", "Date", "Seeds", "Experiment"]);
        let mut table =
            Table::new(caption, headings).text_in(&["LLM(s) used", "Date", "Experiment"]);
        for row in &self.rows {
            let text = |text: &Option<String>| text.clone().unwrap_or_else(dash);
            let metadata = &row.metadata;
            let mut cells = vec![
                metadata.agent.clone().unwrap_or_else(|| row.experiment.clone()),
                text(&metadata.model),
            ];
            let splits =
                if without_known_issues { &row.splits_without_known_issues } else { &row.splits };
            cells.extend(splits.iter().map(Cell::text));
            let seeds: Vec<String> = splits.iter().map(|cell| cell.seeds.to_string()).collect();
            let same = seeds.windows(2).all(|pair| pair[0] == pair[1]);
            cells.extend([
                metadata.running_time_hours.map_or(dash(), |hours| hours.to_string()),
                text(&metadata.date),
                if same { seeds[0].clone() } else { seeds.join(" / ") },
                row.experiment.clone(),
            ]);
            table.rows.push(cells);
        }
        table
    }

    /// The table as a document, with what has to be known of it.
    pub fn to_document(&self, title: &str) -> Document {
        let remarks = self.rows.iter().flat_map(|row| {
            row.remarks.iter().map(|remark| format!("{}: {remark}", row.experiment))
        });
        let mut sections = vec![Section {
            heading: "Leaderboard".to_owned(),
            tables: vec![self.to_table(false), self.to_table(true)],
            paragraphs: vec![
                "An asterisk marks shares with missing runs that count as failed; a dash in the place of the standard error, \
                 that there is one seed."
                    .to_owned(),
            ],
            ..Section::default()
        }];
        for (heading, list) in [
            ("Remarks", remarks.collect::<Vec<_>>()),
            (
                "What could not be used",
                self.problems.iter().take(MOST_PROBLEMS).map(ToString::to_string).collect(),
            ),
        ] {
            if !list.is_empty() {
                sections.push(Section { heading: heading.to_owned(), list, ..Section::default() });
            }
        }
        Document { title: title.to_owned(), introduction: Vec::new(), sections }
    }
}
