//! Facebook Recruiting III - Keyword Extraction: questions with title and a kilobyte of HTML, and up to five of 42,000
//! tags; the predictions in no order.

use std::fmt::Write as _;

use anyhow::Result;
use csv::Writer;

use super::Files;
use super::words::{LATIN, Vocabulary};
use crate::bench::numbers::{Numbers, Shuffled};

const TAGS: u64 = 42_048;

/// The questions of which every tenth is asked for.
const QUESTIONS_PER_ROW: u64 = 10;

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let words = Vocabulary::new(190, &LATIN, 20_000);
    let tags: Vec<String> = (0..TAGS)
        .map(|tag| {
            let mut numbers = Numbers::of_row(191, tag);
            // A number keeps tags of the same words apart; frequent tags are short.
            match tag {
                0..500 => format!("{}{tag}", words.word(&mut numbers)),
                _ => format!("{}-{}{tag}", words.word(&mut numbers), words.word(&mut numbers)),
            }
        })
        .collect();
    let tag = |numbers: &mut Numbers| tags[numbers.skewed(TAGS) as usize].as_str();
    let tags_of = |row| -> Vec<&str> {
        let mut numbers = Numbers::of_row(192, row);
        (0..=numbers.below(5)).map(|_| tag(&mut numbers)).collect()
    };
    let ids = Shuffled::new(193, rows * QUESTIONS_PER_ROW);
    let id = |row| (ids.at(row) + 1).to_string();

    let mut answers = Writer::from_writer(&mut *files.answers);
    answers.write_record(["Id", "Title", "Body", "Tags"])?;
    for row in 0..rows {
        let mut numbers = Numbers::of_row(194, row);
        let mut title = String::new();
        let length = 4 + numbers.below(10);
        words.append(&mut title, length, &mut numbers);
        let body = body(&words, &mut numbers);
        answers.write_record([id(row), title, body, tags_of(row).join(" ")])?;
    }
    answers.flush()?;

    let mut submission = Writer::from_writer(&mut *files.submission);
    submission.write_record(["Id", "Tags"])?;
    for row in Shuffled::new(195, rows).iter() {
        let mut numbers = Numbers::of_row(196, row);
        let mut predicted = tags_of(row);
        predicted.retain(|_| numbers.chance(700));
        if predicted.is_empty() || numbers.chance(300) {
            predicted.push(tag(&mut numbers));
        }
        submission.write_record([id(row), predicted.join(" ")])?;
    }
    submission.flush()?;
    Ok(())
}

/// Paragraphs, code and links, with the quotation marks, commas and line ends that they bring along.
fn body(words: &Vocabulary, numbers: &mut Numbers) -> String {
    let mut body = String::new();
    for _ in 0..=numbers.below(6) {
        let (length, code) = (10 + numbers.below(54), numbers.chance(300));
        body.push_str(if code { "<pre><code>" } else { "<p>" });
        let mut text = String::new();
        words.append(&mut text, length, numbers);
        body.push_str(&text);
        let word = words.word(numbers);
        // Writing to a string does not fail.
        let _ = if code {
            write!(body, " = \"{word}\", {length};\n</code></pre>\n\n")
        } else {
            write!(body, ", <a href=\"http://example.com/{word}\">{word}</a>.</p>\n\n")
        };
    }
    body
}
