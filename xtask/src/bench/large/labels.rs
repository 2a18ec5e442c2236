//! Competitions whose rows are a whole number as id and one as label: the answers in the order that preparing leaves them
//! in, the predictions in no order, most of them right.

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

struct Labels {
    seed: u64,
    header: &'static str,
    ids: Ids,
    classes: u64,
    /// The labels are these numbers, this far from each other.
    first_label: u64,
    distance: u64,
    /// How many of a thousand predictions are right for sure.
    right: u64,
}

/// How ids follow each other in the answers.
enum Ids {
    /// All whole numbers.
    All,
    /// Ascending, a number of about this many.
    OneOf(u64),
    /// In no order, a number of this many.
    ShuffledOneOf(u64),
}

/// Cdiscount's Image Classification Challenge: 5,270 categories.
pub(super) fn cdiscount(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let labels = Labels {
        seed: 150,
        header: "_id,category_id",
        ids: Ids::OneOf(33),
        classes: 5_270,
        first_label: 1_000_000_235,
        distance: 4,
        right: 700,
    };
    labels.write(rows, files)
}

/// Herbarium 2021: 64,500 taxa.
pub(super) fn herbarium(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let labels = Labels {
        seed: 160,
        header: "Id,Predicted",
        ids: Ids::All,
        classes: 64_500,
        first_label: 0,
        distance: 1,
        right: 600,
    };
    labels.write(rows, files)
}

/// Herbarium 2020: 32,094 species.
pub(super) fn herbarium_2020(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let labels = Labels {
        seed: 155,
        header: "Id,Predicted",
        ids: Ids::All,
        classes: 32_094,
        first_label: 0,
        distance: 1,
        right: 600,
    };
    labels.write(rows, files)
}

/// Herbarium 2022: 15,501 species.
pub(super) fn herbarium_2022(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let labels = Labels {
        seed: 165,
        header: "Id,Predicted",
        ids: Ids::All,
        classes: 15_501,
        first_label: 0,
        distance: 1,
        right: 600,
    };
    labels.write(rows, files)
}

/// The second homework of ML2021 Spring: 39 phonemes.
pub(super) fn phonemes(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let labels = Labels {
        seed: 170,
        header: "Id,ClassId",
        ids: Ids::ShuffledOneOf(4),
        classes: 39,
        first_label: 0,
        distance: 1,
        right: 700,
    };
    labels.write(rows, files)
}

impl Labels {
    fn write(&self, rows: u64, files: &mut Files<'_>) -> Result<()> {
        let all_ids = match self.ids {
            Ids::ShuffledOneOf(of) => Some(Shuffled::new(self.seed + 3, rows * of)),
            Ids::All | Ids::OneOf(_) => None,
        };
        let id = |row: u64| match (&self.ids, &all_ids) {
            (_, Some(shuffled)) => shuffled.at(row),
            (Ids::OneOf(of), _) => row * of + Numbers::of_row(self.seed + 2, row).below(*of),
            _ => row,
        };
        writeln!(files.answers, "{}", self.header)?;
        for row in 0..rows {
            writeln!(files.answers, "{},{}", id(row), self.label(&mut self.numbers(row)))?;
        }
        writeln!(files.submission, "{}", self.header)?;
        for row in Shuffled::new(self.seed + 1, rows).iter() {
            let mut numbers = self.numbers(row);
            let truth = self.label(&mut numbers);
            let right = numbers.chance(self.right);
            let label = if right { truth } else { self.label(&mut numbers) };
            writeln!(files.submission, "{},{label}", id(row))?;
        }
        Ok(())
    }

    fn numbers(&self, row: u64) -> Numbers {
        Numbers::of_row(self.seed, row)
    }

    fn label(&self, numbers: &mut Numbers) -> u64 {
        self.first_label + numbers.skewed(self.classes) * self.distance
    }
}
