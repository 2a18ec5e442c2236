//! The answers: a question a line, with what was annotated.
//!
//! A line also holds the text of a whole article, hundreds of thousands of characters. The file is read piece by piece
//! and of each line only the annotation is kept.

use memchr::memchr;
use podium_grader::Failure;
use podium_grader::source::Source;
use podium_grader::text::Integer;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::prediction::Prediction;

/// How much of the file is read at once.
const PIECE: u32 = 4 << 20;

/// Which of the two answers to a question a row is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A paragraph, a list, a table.
    Long = 0,
    /// Some words, or `YES` or `NO`.
    Short = 1,
}

/// The annotations of all questions.
pub(crate) struct Annotations {
    by_example: FxHashMap<String, Annotation>,
}

/// What was annotated at a question.
#[derive(Deserialize)]
pub(crate) struct Annotation {
    long_answer: Span,
    short_answers: Vec<Span>,
    yes_no_answer: String,
}

#[derive(Deserialize)]
struct Span {
    start_token: i64,
    end_token: i64,
}

/// What of a line is looked at. Numbers elsewhere, such as `annotation_id`, may be of any size.
#[derive(Deserialize)]
struct Example {
    example_id: String,
    annotations: Vec<Annotation>,
}

impl Annotations {
    /// Reads the whole file.
    ///
    /// # Errors
    /// The answers are at fault where a line is no JSON object with an `example_id` of its own and an annotation.
    pub(crate) fn read<S: Source>(file: &S) -> Result<Annotations, Failure> {
        let mut annotations = Annotations { by_example: FxHashMap::default() };
        let (mut pending, mut offset, mut line) = (Vec::new(), 0, 0);
        loop {
            let piece = file.read(offset, PIECE);
            if piece.is_empty() {
                break;
            }
            offset += piece.len() as u64;
            let mut rest = piece.as_slice();
            // A carriage return in front of the line feed is white space to JSON.
            while let Some(end) = memchr(b'\n', rest) {
                pending.extend_from_slice(&rest[..end]);
                rest = &rest[end + 1..];
                line += 1;
                annotations.add(file, line, &pending)?;
                pending.clear();
            }
            pending.extend_from_slice(rest);
        }
        if !pending.is_empty() {
            annotations.add(file, line + 1, &pending)?;
        }
        if annotations.by_example.is_empty() {
            return Err(Failure::answers(format!("{} has no question", file.name())));
        }
        Ok(annotations)
    }

    fn add<S: Source>(&mut self, file: &S, line: usize, text: &[u8]) -> Result<(), Failure> {
        let failure =
            |what: &str| Failure::answers(format!("{}, line {line}: {what}", file.name()));
        // Text that is passed over is not looked at by the reader of JSON.
        let text = std::str::from_utf8(text).map_err(|_| failure("not UTF-8"))?;
        // What serde says may quote values; only the place in the line is told.
        let example: Example = serde_json::from_str(text).map_err(|error| {
            failure(&format!(
                "no question: expected a JSON object with `example_id` and `annotations` (character {})",
                error.column()
            ))
        })?;
        let Some(annotation) = example.annotations.into_iter().next() else {
            return Err(failure("a question without annotations"));
        };
        if ["_long", "_short"].iter().any(|ending| example.example_id.contains(ending)) {
            return Err(failure(
                "`example_id` contains `_long` or `_short`, as the rows of submissions end",
            ));
        }
        if self.by_example.insert(example.example_id, annotation).is_some() {
            return Err(failure("`example_id` is that of an earlier line"));
        }
        Ok(())
    }

    /// The number of questions.
    pub(crate) fn len(&self) -> usize {
        self.by_example.len()
    }

    /// What the row of that id is about: an example with `_long` or `_short` after it.
    pub(crate) fn find(&self, id: &str) -> Option<(Kind, &Annotation)> {
        let (example, kind) = match id.strip_suffix("_long") {
            Some(example) => (example, Kind::Long),
            None => (id.strip_suffix("_short")?, Kind::Short),
        };
        Some((kind, self.by_example.get(example)?))
    }
}

impl Annotation {
    /// Whether a prediction is one of the answers; none is right where there is none.
    pub(crate) fn agrees(&self, kind: Kind, prediction: &Prediction) -> bool {
        match (kind, prediction) {
            (Kind::Long, Prediction::NoAnswer) => self.long_answer.is_none(),
            (Kind::Long, Prediction::YesNo(_)) => false,
            (Kind::Long, Prediction::Span(start, end)) => {
                !self.long_answer.is_none() && self.long_answer.is(start, end)
            }
            (Kind::Short, Prediction::NoAnswer) => {
                self.short_answers.is_empty() && self.yes_no_answer == "NONE"
            }
            (Kind::Short, Prediction::YesNo(yes)) => {
                self.yes_no_answer == if *yes { "YES" } else { "NO" }
            }
            (Kind::Short, Prediction::Span(start, end)) => {
                self.short_answers.iter().any(|span| span.is(start, end))
            }
        }
    }
}

impl Span {
    /// Where there is no long answer, its start is -1.
    fn is_none(&self) -> bool {
        self.start_token == -1
    }

    fn is(&self, start: &Integer, end: &Integer) -> bool {
        start.to_i64() == Some(self.start_token) && end.to_i64() == Some(self.end_token)
    }
}
