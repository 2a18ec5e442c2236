//! Text Normalization Challenge, both languages: tokens of sentences as they are spoken, every cell in quotation marks; the
//! predictions in no order, one in a hundred wrong.

use std::io::Write;

use anyhow::Result;
use csv::{QuoteStyle, Writer, WriterBuilder};

use super::Files;
use super::words::{Alphabet, CYRILLIC, LATIN, Vocabulary};
use crate::bench::numbers::{Numbers, Shuffled};

/// The tokens of sentences that follow each other, again and again.
const SENTENCES: [u64; 8] = [5, 9, 11, 12, 13, 14, 17, 23];

const PUNCTUATION: [&str; 8] = [",", ".", ",", ".", "\"", "(", ")", "-"];

pub(super) fn english(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write(&Language::new(130, &LATIN, 180), rows, files)
}

pub(super) fn russian(rows: u64, files: &mut Files<'_>) -> Result<()> {
    write(&Language::new(140, &CYRILLIC, 300), rows, files)
}

/// What makes the two competitions differ.
struct Language {
    seed: u64,
    words: Vocabulary,
    /// How many of a thousand tokens are spelled out in several words.
    spelled_out: u64,
}

impl Language {
    fn new(seed: u64, alphabet: &Alphabet, spelled_out: u64) -> Language {
        Language { seed, words: Vocabulary::new(seed, alphabet, 40_000), spelled_out }
    }

    /// The token as it is spoken, and as a program says it that is not always right.
    fn token(&self, row: u64) -> (String, String) {
        let mut numbers = Numbers::of_row(self.seed + 1, row);
        let mut truth = String::new();
        if numbers.chance(150) {
            truth.push_str(PUNCTUATION[numbers.below(PUNCTUATION.len() as u64) as usize]);
        } else {
            let several = numbers.chance(self.spelled_out);
            let words = if several { 2 + numbers.below(4) } else { 1 };
            self.words.append(&mut truth, words, &mut numbers);
        }
        let mut prediction = truth.clone();
        if numbers.chance(10) {
            self.words.append(&mut prediction, 1, &mut numbers);
        }
        (truth, prediction)
    }
}

fn write(language: &Language, rows: u64, files: &mut Files<'_>) -> Result<()> {
    let mut answers = table(&mut *files.answers)?;
    for row in 0..rows {
        answers.write_record([id(row), language.token(row).0])?;
    }
    answers.flush()?;
    let mut submission = table(&mut *files.submission)?;
    for row in Shuffled::new(language.seed + 2, rows).iter() {
        submission.write_record([id(row), language.token(row).1])?;
    }
    submission.flush()?;
    Ok(())
}

fn table<W: Write>(file: W) -> Result<Writer<W>> {
    let mut table = WriterBuilder::new().quote_style(QuoteStyle::Always).from_writer(file);
    table.write_record(["id", "after"])?;
    Ok(table)
}

/// The numbers of the sentence and of the token in it.
fn id(row: u64) -> String {
    let block: u64 = SENTENCES.iter().sum();
    let (mut sentence, mut token) = (row / block * SENTENCES.len() as u64, row % block);
    for length in SENTENCES {
        if token < length {
            break;
        }
        token -= length;
        sentence += 1;
    }
    format!("{sentence}_{token}")
}
