//! Competitions whose rows are much like each other: the example of the competition, over and over under fresh ids, until
//! there are as many rows as in earnest.
//!
//! What costs something is kept as in earnest: ids are all different, predicted numbers have all their digits and hardly
//! ever tie, texts are as long as the real ones, and the predictions are in no order. Relies on the submission `good.csv`
//! of each example.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest as _, Sha256};

use super::Files;
use super::words::{LATIN, Vocabulary};
use crate::bench::numbers::{Numbers, Shuffled};
use crate::workspace;

/// How an example is enlarged.
#[derive(Clone, Copy)]
pub(super) struct Enlarged {
    /// The columns that tell rows apart, in whichever of the two files they are; the first of the submission if none is
    /// named.
    pub(super) ids: &'static [&'static str],
    /// The columns of the answers that hold texts, and how many characters these have on average.
    pub(super) texts: &'static [(&'static str, u64)],
    /// Whether the predicted numbers stay as they are, because those of a row have to add up.
    pub(super) exact: bool,
    /// Whether the predictions stay in the order of the answers, because the competition pairs rows by their place.
    pub(super) in_order: bool,
}

/// Ids in the first column, any numbers, in any order.
pub(super) const PLAIN: Enlarged = Enlarged { ids: &[], texts: &[], exact: false, in_order: false };

/// The letters of fresh ids, and how many of them each copy adds.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const ADDED: u32 = 4;

impl Enlarged {
    /// Writes at least that many rows: as many whole examples as it takes.
    pub(super) fn write(&self, competition: &str, rows: u64, files: &mut Files<'_>) -> Result<()> {
        let [answers, submission] = example(competition).map(|path| Table::read(&path));
        let (answers, submission) = (answers?, submission?);
        let ids = self.ids_of(&submission)?;
        let fresh = Fresh::of(&ids, [&answers, &submission]);
        let copies = rows.div_ceil(submission.rows.len() as u64);
        let vocabulary = Vocabulary::new(300, &LATIN, 20_000);

        let mut writer = csv::Writer::from_writer(&mut *files.answers);
        writer.write_record(&answers.header)?;
        for copy in 0..copies {
            for (row, cells) in answers.rows.iter().enumerate() {
                let place = copy * answers.rows.len() as u64 + row as u64;
                for (column, cell) in answers.header.iter().zip(cells) {
                    let cell = fresh.cell(column, cell, copy)?;
                    let length = self.texts.iter().find(|(text, _)| text == column);
                    writer.write_field(match length {
                        Some((_, length)) => lengthened(&cell, *length, place, &vocabulary),
                        None => cell,
                    })?;
                }
                writer.write_record(None::<&[u8]>)?;
            }
        }
        writer.flush()?;

        let mut writer = csv::Writer::from_writer(&mut *files.submission);
        writer.write_record(&submission.header)?;
        let each = submission.rows.len() as u64;
        let order = Shuffled::new(301, copies * each);
        for place in 0..copies * each {
            let place = if self.in_order { place } else { order.at(place) };
            let mut numbers = Numbers::of_row(302, place);
            let cells = &submission.rows[(place % each) as usize];
            for (column, cell) in submission.header.iter().zip(cells) {
                if ids.contains(&column.as_str()) {
                    writer.write_field(fresh.cell(column, cell, place / each)?)?;
                } else {
                    writer.write_field(self.prediction(cell, &mut numbers))?;
                }
            }
            writer.write_record(None::<&[u8]>)?;
        }
        writer.flush()?;
        Ok(())
    }

    /// Tells apart examples, and ways to enlarge them.
    pub(super) fn digest(&self, competition: &str) -> Result<[u8; 32]> {
        let mut digest = Sha256::new();
        digest.update(Sha256::digest(include_str!("enlarged.rs")));
        digest.update(format!("{:?} {:?} {} {}", self.ids, self.texts, self.exact, self.in_order));
        for path in example(competition) {
            let bytes =
                fs::read(&path).with_context(|| format!("could not read {}", path.display()))?;
            digest.update(Sha256::digest(bytes));
        }
        Ok(digest.finalize().into())
    }

    fn ids_of<'a>(&'a self, submission: &'a Table) -> Result<Vec<&'a str>> {
        if !self.ids.is_empty() {
            return Ok(self.ids.to_vec());
        }
        let first = submission.header.first().context("a submission has columns")?;
        Ok(vec![first])
    }

    /// A number like the one of the example, a little closer to zero, with all the digits that a double has.
    fn prediction(&self, cell: &str, numbers: &mut Numbers) -> String {
        match cell.parse::<f64>() {
            Ok(number) if !self.exact && cell.contains('.') && number.is_finite() => {
                (number * (1.0 - numbers.between(0.0, 0.01))).to_string()
            }
            _ => cell.to_owned(),
        }
    }
}

/// The answers and the good submission of a competition's example.
fn example(competition: &str) -> [PathBuf; 2] {
    let folder = workspace::root().join("competitions").join(competition).join("example");
    [folder.join("answers.csv"), folder.join("submissions/good.csv")]
}

struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Result<Table> {
        let broken = || format!("could not read {}", path.display());
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).from_path(path).with_context(broken)?;
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(record.with_context(broken)?.iter().map(str::to_owned).collect());
        }
        if rows.len() < 2 {
            bail!("{} has no rows", path.display());
        }
        Ok(Table { header: rows.remove(0), rows })
    }

    fn column(&self, name: &str) -> impl Iterator<Item = &str> {
        let column = self.header.iter().position(|column| column == name);
        column.into_iter().flat_map(move |column| self.rows.iter().map(move |row| &*row[column]))
    }
}

/// How the ids of a column become fresh ones.
enum Form {
    /// Whole numbers: each copy adds as much as keeps them apart.
    Number { distance: i64 },
    /// Anything else: each copy puts other letters before it.
    Text,
}

struct Fresh<'a> {
    columns: BTreeMap<&'a str, Form>,
    letters: Shuffled,
}

impl<'a> Fresh<'a> {
    fn of(ids: &[&'a str], tables: [&Table; 2]) -> Fresh<'a> {
        let form = |id: &str| {
            let cells = || tables.iter().flat_map(|table| table.column(id));
            let numbers: Option<Vec<i64>> = cells().map(|cell| cell.parse().ok()).collect();
            match numbers.as_deref() {
                Some([first, rest @ ..]) => {
                    let (least, most) =
                        rest.iter().fold((*first, *first), |(least, most), cell| {
                            (least.min(*cell), most.max(*cell))
                        });
                    Form::Number { distance: most - least + 1 }
                }
                _ => Form::Text,
            }
        };
        let columns = ids.iter().map(|id| (*id, form(id))).collect();
        Fresh { columns, letters: Shuffled::new(303, (LETTERS.len() as u64).pow(ADDED)) }
    }

    /// A cell of a copy: what it is in the example, unless its column tells rows apart.
    fn cell(&self, column: &str, cell: &str, copy: u64) -> Result<String> {
        Ok(match self.columns.get(column) {
            None => cell.to_owned(),
            Some(Form::Number { distance }) => {
                let number: i64 = cell.parse()?;
                let fresh =
                    distance.checked_mul(copy.try_into()?).and_then(|far| number.checked_add(far));
                let fresh = fresh.context("the numbers of the ids are too large")?;
                // Some ids are filled up with zeros.
                if cell.starts_with('0') {
                    format!("{fresh:0width$}", width = cell.len())
                } else {
                    fresh.to_string()
                }
            }
            Some(Form::Text) => {
                let mut place = self.letters.at(copy);
                let mut text = String::with_capacity(ADDED as usize + cell.len());
                for _ in 0..ADDED {
                    text.push(char::from(LETTERS[(place % LETTERS.len() as u64) as usize]));
                    place /= LETTERS.len() as u64;
                }
                text + cell
            }
        })
    }
}

/// The text with words behind it, with the characters that a CSV has to quote among them.
fn lengthened(text: &str, length: u64, place: u64, vocabulary: &Vocabulary) -> String {
    let mut numbers = Numbers::of_row(304, place);
    let wanted = length / 2 + numbers.below(length);
    let mut text = text.to_owned();
    while (text.len() as u64) < wanted {
        vocabulary.append(&mut text, 1 + numbers.below(12), &mut numbers);
        text.push_str([",", ".", "\"", "\n", " -", "?"][numbers.below(6) as usize]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(enlarged: &Enlarged, competition: &str, rows: u64) -> [Table; 2] {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["answers.csv", "submission.csv"].map(|name| folder.path().join(name));
        let [mut answers, mut submission] =
            [&paths[0], &paths[1]].map(|path| fs::File::create(path).unwrap());
        let mut files = Files { answers: &mut answers, submission: &mut submission };
        enlarged.write(competition, rows, &mut files).unwrap();
        paths.map(|path| Table::read(&path).unwrap())
    }

    #[test]
    fn both_files_have_the_same_ids_each_once() {
        let filled_up = "rsna-miccai-brain-tumor-radiogenomic-classification";
        for competition in
            ["siim-isic-melanoma-classification", "playground-series-s3e18", filled_up]
        {
            let [answers, submission] = written(&PLAIN, competition, 1_000);
            let id = submission.header[0].clone();
            let sorted = |table: &Table| {
                let mut ids: Vec<String> = table.column(&id).map(str::to_owned).collect();
                ids.sort_unstable();
                ids
            };
            let ids = sorted(&submission);
            assert_eq!(ids, sorted(&answers), "{competition}");
            assert!((1_000..1_100).contains(&ids.len()), "{competition}: {}", ids.len());
            assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{competition}: an id twice");
            let in_order = answers.column(&id).zip(submission.column(&id)).filter(|(a, b)| a == b);
            assert!(in_order.count() < 20, "{competition}: in the order of the answers");
        }
    }

    #[test]
    fn predicted_numbers_differ_unless_they_have_to_add_up() {
        let competition = "siim-isic-melanoma-classification";
        let different = |enlarged: &Enlarged| {
            let [_, submission] = written(enlarged, competition, 1_000);
            let mut cells: Vec<String> = submission.column("target").map(str::to_owned).collect();
            cells.sort_unstable();
            cells.dedup();
            cells.len()
        };
        assert!(different(&PLAIN) > 900);
        assert!(different(&Enlarged { exact: true, ..PLAIN }) < 100);
    }

    #[test]
    fn texts_are_as_long_as_the_real_ones() {
        let enlarged = Enlarged { texts: &[("full_text", 2_000)], ..PLAIN };
        let [answers, _] = written(&enlarged, "learning-agency-lab-automated-essay-scoring-2", 500);
        let lengths: Vec<usize> = answers.column("full_text").map(str::len).collect();
        let mean = lengths.iter().sum::<usize>() / lengths.len();
        assert!((1_800..2_300).contains(&mean), "{mean}");
    }

    #[test]
    fn rows_that_are_paired_by_their_place_stay_there() {
        let enlarged = Enlarged { in_order: true, ..PLAIN };
        let [answers, submission] = written(&enlarged, "siim-isic-melanoma-classification", 300);
        let id = submission.header[0].as_str();
        let example = super::example("siim-isic-melanoma-classification")
            .map(|path| Table::read(&path).unwrap());
        let in_order = |[answers, submission]: [&Table; 2]| {
            answers.column(id).zip(submission.column(id)).filter(|(a, b)| a == b).count() * 100
                / submission.rows.len()
        };
        assert_eq!(in_order([&answers, &submission]), in_order([&example[0], &example[1]]));
    }
}
