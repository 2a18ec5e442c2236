//! Billion Word Imputation: sentences of about 137 characters; the predictions, in no order, lack a word or have a wrong
//! one.

use std::io::Write;

use anyhow::Result;
use csv::{QuoteStyle, Writer, WriterBuilder};

use super::Files;
use super::words::{LATIN, Vocabulary};
use crate::bench::numbers::{Numbers, Shuffled};

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let words = Vocabulary::new(240, &LATIN, 60_000);
    let mut answers = table(&mut *files.answers)?;
    for row in 0..rows {
        answers.write_record([row.to_string(), sentence(&words, row).join(" ")])?;
    }
    answers.flush()?;
    let mut submission = table(&mut *files.submission)?;
    for row in Shuffled::new(241, rows).iter() {
        let mut numbers = Numbers::of_row(242, row);
        let mut predicted = sentence(&words, row);
        // Neither the first nor the last.
        let place = 1 + numbers.below(predicted.len() as u64 - 2) as usize;
        if numbers.chance(700) {
            predicted.remove(place);
        } else {
            predicted[place] = words.word(&mut numbers);
        }
        submission.write_record([row.to_string(), predicted.join(" ")])?;
    }
    submission.flush()?;
    Ok(())
}

fn table<W: Write>(file: W) -> Result<Writer<W>> {
    let mut table = WriterBuilder::new().quote_style(QuoteStyle::NonNumeric).from_writer(file);
    table.write_record(["id", "sentence"])?;
    Ok(table)
}

/// Words and punctuation, at least three.
fn sentence(words: &Vocabulary, row: u64) -> Vec<&str> {
    let mut numbers = Numbers::of_row(243, row);
    let length = 5 + numbers.below(32);
    let mut sentence: Vec<&str> = (0..length)
        .map(|_| match numbers.below(60) {
            0..3 => ",",
            3 => "\"",
            _ => words.word(&mut numbers),
        })
        .collect();
    sentence.push(".");
    sentence
}
