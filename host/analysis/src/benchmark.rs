//! What an analysis knows of competitions: complexity, category, known issues, and dates where somebody gave them.
//!
//! Relies on the `competition.toml` of each competition. There is no date in those; dates come from a file of the caller's.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::civil::Date;
use podium::{Complexity, Listing, read_file};

use crate::csv_table::CsvTable;
use crate::error::Error;
use crate::shown::shown_name;

/// No file of dates is larger.
const MOST_BYTES: u64 = 16 << 20;

/// The competitions that are known.
#[derive(Clone, Debug, Default)]
pub struct Benchmark {
    competitions: BTreeMap<String, CompetitionFacts>,
}

/// What is known of a competition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompetitionFacts {
    /// Its split.
    pub complexity: Option<Complexity>,
    /// What kind of task it is.
    pub category: Option<String>,
    /// Whether lower scores are better.
    pub is_lower_better: Option<bool>,
    /// Whether something is known to be wrong with it.
    pub has_known_issues: bool,
    /// When it took place.
    pub date: Option<Date>,
}

impl Benchmark {
    /// What a catalog lists.
    pub fn of(listing: &Listing) -> Benchmark {
        let facts = |competition: &podium::Competition| CompetitionFacts {
            complexity: competition.definition.complexity,
            category: competition.definition.category.clone(),
            is_lower_better: Some(competition.direction().is_lower_better()),
            has_known_issues: !competition.definition.known_issues.is_empty(),
            date: None,
        };
        let competitions = listing.competitions.iter();
        Benchmark {
            competitions: competitions
                .map(|competition| (competition.id().to_owned(), facts(competition)))
                .collect(),
        }
    }

    /// A benchmark of these competitions.
    pub fn from_facts(
        competitions: impl IntoIterator<Item = (String, CompetitionFacts)>,
    ) -> Benchmark {
        Benchmark { competitions: competitions.into_iter().collect() }
    }

    /// The competitions with what is known of them, by id.
    pub fn competitions(&self) -> impl Iterator<Item = (&str, &CompetitionFacts)> {
        self.competitions.iter().map(|(id, facts)| (id.as_str(), facts))
    }

    /// What is known of a competition; `None` where it is not known at all.
    pub fn get(&self, id: &str) -> Option<&CompetitionFacts> {
        self.competitions.get(id)
    }

    /// Reads dates of competitions: a CSV with the columns `competition_id` and `date` (`2021-05-31`); others are ignored.
    /// Competitions that are not known are passed over, so that one file serves many benchmarks; gives their ids.
    ///
    /// # Errors
    /// A file that cannot be read, or a line that is wrong, with its number.
    pub fn read_dates(&mut self, path: &Path) -> Result<Vec<String>, Error> {
        let bytes = read_file(path, MOST_BYTES)?;
        let failed = |what: String| Error::file(path, what);
        let table = CsvTable::read(&bytes).map_err(failed)?;
        let column = |name: &str| {
            table
                .column(name)?
                .ok_or_else(|| format!("{}; needed are competition_id and date", table.lacks(name)))
        };
        let id = column("competition_id").map_err(failed)?;
        let date = column("date").map_err(failed)?;
        // The first line of each competition, and what it says.
        let mut seen: BTreeMap<String, (u64, Date)> = BTreeMap::new();
        for row in &table.rows {
            let line = row.line;
            let wrong = |what: String| Error::file(path, format!("line {line}: {what}"));
            let cell = |column: usize| row.cells[column].trim();
            let (id, text) = (cell(id), cell(date));
            if text.is_empty() {
                continue;
            }
            if id.is_empty() {
                return Err(wrong("there is a date, and no competition_id".to_owned()));
            }
            let date: Date = text.parse().map_err(|_| {
                wrong(format!("`{}` is no date such as 2021-05-31", shown_name(text)))
            })?;
            match seen.get(id) {
                Some((first, other)) if *other != date => {
                    let id = shown_name(id);
                    return Err(wrong(format!(
                        "`{id}` has the date {date} here, and {other} in line {first}"
                    )));
                }
                Some(_) => {}
                None => {
                    seen.insert(id.to_owned(), (line, date));
                }
            }
        }
        let mut unknown = Vec::new();
        for (id, (_, date)) in seen {
            match self.competitions.get_mut(&id) {
                Some(facts) => facts.date = Some(date),
                None => unknown.push(id),
            }
        }
        Ok(unknown)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Competitions `a`, `b`, … with these complexities; the last has known issues.
    pub(crate) fn benchmark(complexities: &[Complexity]) -> Benchmark {
        let last = complexities.len().saturating_sub(1);
        Benchmark::from_facts(complexities.iter().enumerate().map(|(index, complexity)| {
            let id = char::from(b'a' + index as u8).to_string();
            let facts = CompetitionFacts {
                complexity: Some(*complexity),
                category: Some(if index % 2 == 0 { "Tabular" } else { "Text" }.to_owned()),
                is_lower_better: Some(false),
                has_known_issues: index == last,
                date: None,
            };
            (id, facts)
        }))
    }

    #[test]
    fn dates_are_read_by_their_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dates.csv");
        let mut known = benchmark(&[Complexity::Low, Complexity::High]);
        std::fs::write(&path, "date,x,competition_id\n2020-01-31,1,a\n,,b\n2020-01-01,,unknown\n")
            .unwrap();
        assert_eq!(known.read_dates(&path).unwrap(), ["unknown"]);
        assert_eq!(known.get("a").unwrap().date, Some(Date::constant(2020, 1, 31)));
        assert_eq!(known.get("b").unwrap().date, None);
        for (text, part) in [
            ("competition_id,day\na,2020-01-01\n", "no column `date`"),
            ("competition_id,date\na,31.1.2020\n", "line 2: `31.1.2020` is no date"),
            ("competition_id,date\na\n", "line 2: it has 1 field, and there are 2 columns"),
            (
                "competition_id,date,date\na,2020-01-01,2021-01-01\n",
                "`date` is there more than once",
            ),
            ("competition_id,date\na,\"2020-01-01\nb,2020-01-01\n", "line 2: a double quote"),
            ("competition_id,date\nb,2020-02-30\n", "line 2: `2020-02-30` is no date"),
            (
                "competition_id,date\n\n,2020-01-01\n",
                "line 3: there is a date, and no competition_id",
            ),
            (
                "competition_id,date\na,2020-01-01\nb,2020-01-01\na,2020-01-02\n",
                "line 4: `a` has the date 2020-01-02 here, and 2020-01-01 in line 2",
            ),
            ("", "no column `competition_id`"),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = known.read_dates(&path).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        assert!(known.read_dates(&folder.path().join("none.csv")).is_err());
    }
}
