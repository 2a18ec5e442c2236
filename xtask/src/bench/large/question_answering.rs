//! TensorFlow 2.0 Question Answering: a question a line with the article that answers it, 58 kilobytes of JSON, as pandas
//! writes it; two predictions a question in no order.

use std::fmt::Write as _;

use anyhow::Result;

use super::Files;
use super::words::{LATIN, Vocabulary};
use crate::bench::numbers::{Numbers, Shuffled};

/// The paragraphs of an article at least and at most.
const PARAGRAPHS: (u64, u64) = (40, 195);

/// `rows` are those of the submission, two a question.
pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    let words = Vocabulary::new(250, &LATIN, 60_000);
    let questions = rows / 2;
    for question in 0..questions {
        let mut numbers = Numbers::of_row(251, question);
        let (text, candidates) = article(&words, &mut numbers);
        let mut asked = String::new();
        let length = 6 + numbers.below(6);
        words.append(&mut asked, length, &mut numbers);
        writeln!(
            files.answers,
            "{{\"document_text\":\"{text}\",\"long_answer_candidates\":[{candidates}],\"question_text\":\"{asked}\",\
             \"annotations\":[{}],\"document_url\":\"https:\\/\\/en.wikipedia.org\\/\\/w\\/index.php?title={}&amp;oldid={}\",\
             \"example_id\":\"{}\"}}",
            Annotation::of(question).json(numbers.next()),
            asked.replace(' ', "_"),
            800_000_000 + numbers.below(40_000_000),
            id(question)
        )?;
    }
    writeln!(files.submission, "example_id,PredictionString")?;
    for row in Shuffled::new(252, questions * 2).iter() {
        let (question, long) = (row / 2, row % 2 == 0);
        let mut numbers = Numbers::of_row(253, row);
        let annotation = Annotation::of(question);
        let right = if long { annotation.long() } else { annotation.short() };
        let prediction = match numbers.below(10) {
            0 => String::new(),
            1 | 2 => span((numbers.below(2_000), 2_000 + numbers.below(2_000))),
            _ => right,
        };
        let kind = if long { "long" } else { "short" };
        writeln!(files.submission, "{}_{kind},{prediction}", id(question))?;
    }
    Ok(())
}

/// A whole number of 64 bits with a sign.
fn id(question: u64) -> i64 {
    Numbers::of_row(254, question).next().cast_signed()
}

/// The text, as it stands in JSON, and the list of its paragraphs.
fn article(words: &Vocabulary, numbers: &mut Numbers) -> (String, String) {
    let (mut text, mut candidates) = (String::new(), String::new());
    let mut token = 0;
    for paragraph in 0..PARAGRAPHS.0 + numbers.below(PARAGRAPHS.1 - PARAGRAPHS.0) {
        let length = 20 + numbers.below(80);
        if paragraph > 0 {
            text.push(' ');
            candidates.push(',');
        }
        text.push_str("<P>");
        words.append(&mut text, length, numbers);
        text.push_str(match numbers.below(4) {
            0 => " \\u2013 , \\\"caf\\u00e9\\\" . <\\/P>",
            _ => " ( , ) . <\\/P>",
        });
        let end = token + length + 6;
        // Writing to a string does not fail.
        let _ = write!(
            candidates,
            "{{\"start_token\":{token},\"top_level\":{},\"end_token\":{end}}}",
            paragraph % 4 != 3
        );
        token = end;
    }
    (text, candidates)
}

/// The answers to a question, in tokens of the article.
struct Annotation {
    long: Option<(u64, u64)>,
    short: Vec<(u64, u64)>,
    /// `YES`, `NO` or `NONE`.
    yes_no: &'static str,
}

impl Annotation {
    fn of(question: u64) -> Annotation {
        let mut numbers = Numbers::of_row(255, question);
        if numbers.chance(500) {
            return Annotation { long: None, short: Vec::new(), yes_no: "NONE" };
        }
        let start = numbers.below(4_000);
        let long = Some((start, start + 30 + numbers.below(200)));
        let (short, yes_no) = match numbers.below(100) {
            0..25 => (Vec::new(), "NONE"),
            25 => (Vec::new(), "YES"),
            26 => (Vec::new(), "NO"),
            _ => {
                let spans = (0..=numbers.skewed(4)).map(|place| {
                    let first = start + place * 6 + numbers.below(3);
                    (first, first + 1 + numbers.below(3))
                });
                (spans.collect(), "NONE")
            }
        };
        Annotation { long, short, yes_no }
    }

    fn long(&self) -> String {
        self.long.map(span).unwrap_or_default()
    }

    fn short(&self) -> String {
        match (self.yes_no, self.short.first()) {
            ("NONE", first) => first.copied().map(span).unwrap_or_default(),
            (yes_no, _) => yes_no.to_owned(),
        }
    }

    fn json(&self, annotation_id: u64) -> String {
        let (start, candidate, end) = match self.long {
            None => (-1, -1, -1),
            Some((start, end)) => (start.cast_signed(), 7, end.cast_signed()),
        };
        let short: Vec<String> = self
            .short
            .iter()
            .map(|(start, end)| format!("{{\"start_token\":{start},\"end_token\":{end}}}"))
            .collect();
        format!(
            "{{\"yes_no_answer\":\"{}\",\"long_answer\":{{\"start_token\":{start},\"candidate_index\":{candidate},\
             \"end_token\":{end}}},\"short_answers\":[{}],\"annotation_id\":{annotation_id}}}",
            self.yes_no,
            short.join(",")
        )
    }
}

fn span((start, end): (u64, u64)) -> String {
    format!("{start}:{end}")
}
