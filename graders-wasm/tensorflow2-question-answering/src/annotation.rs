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

/// How much of the file is read at once. What is larger does not stay in the processor's cache until it is looked at.
const PIECE: u32 = 256 << 10;

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
                line += 1;
                if pending.is_empty() {
                    annotations.add(file, line, &rest[..end])?;
                } else {
                    pending.extend_from_slice(&rest[..end]);
                    annotations.add(file, line, &pending)?;
                    pending.clear();
                }
                rest = &rest[end + 1..];
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
        let text = simdutf8::basic::from_utf8(text).map_err(|_| failure("not UTF-8"))?;
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

#[cfg(test)]
mod tests {
    use podium_grader::source::Bytes;

    use super::*;

    const LINES: &str = concat!(
        r#"{"document_text":"a \ud83d\n","example_id":"-7","annotations":[{"yes_no_answer":"NONE","#,
        r#""long_answer":{"start_token":6,"candidate_index":0,"end_token":30},"#,
        r#""short_answers":[{"start_token":15,"end_token":17},{"start_token":20,"end_token":21}],"#,
        r#""annotation_id":18446744073709551615}]}"#,
        "\n",
        r#"{"example_id":"8","annotations":[{"yes_no_answer":"YES","#,
        r#""long_answer":{"start_token":-1,"end_token":-1},"short_answers":[]}]}"#,
    );

    /// A file that gives a few bytes at a time.
    struct Trickle(Bytes, u32);

    impl Source for Trickle {
        fn name(&self) -> String {
            self.0.name()
        }

        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read(&self, offset: u64, length: u32) -> Vec<u8> {
            self.0.read(offset, length.min(self.1))
        }
    }

    #[test]
    fn predictions_agree_with_what_was_annotated() {
        let cases = [
            ("-7_long", "6:30", true),
            ("-7_long", "6:31", false),
            ("-7_long", "", false),
            ("-7_long", "YES", false),
            ("-7_short", "15:17", true),
            ("-7_short", "20:21", true),
            ("-7_short", "6:30", false),
            ("-7_short", "NO", false),
            ("-7_short", "", false),
            ("8_long", "", true),
            ("8_long", "-1:-1", false),
            ("8_short", "YES", true),
            ("8_short", "NO", false),
            ("8_short", "", false),
        ];
        for most in [1, 7, 4096] {
            for lines in [LINES.to_owned(), LINES.replace('\n', "\r\n") + "\r\n"] {
                let file = Trickle(Bytes::new("answers.jsonl", lines), most);
                let annotations = Annotations::read(&file).unwrap();
                assert_eq!(annotations.len(), 2);
                for (id, prediction, right) in cases {
                    let (kind, annotation) = annotations.find(id).unwrap();
                    let prediction = Prediction::parse(prediction).unwrap();
                    assert_eq!(annotation.agrees(kind, &prediction), right, "{id}: {prediction:?}");
                }
                assert!(annotations.find("8").is_none());
                assert!(annotations.find("9_long").is_none());
            }
        }
    }

    #[test]
    fn broken_answers_are_named_by_line() {
        let second = LINES.lines().nth(1).unwrap();
        let cases: [(&[u8], &str); 7] = [
            (b"", "answers.jsonl has no question"),
            (b"\n", "line 1: no question"),
            (
                b"{\"example_id\":\"1\",\"annotations\":[]}",
                "line 1: a question without annotations",
            ),
            (b"{\"example_id\":1,\"annotations\":[]}", "line 1: no question"),
            (b"\xff", "line 1: not UTF-8"),
            (
                &[LINES, "\n", second].concat().into_bytes(),
                "line 3: `example_id` is that of an earlier line",
            ),
            (&second.replace("\"8\"", "\"8_long\"").into_bytes(), "line 1: `example_id` contains"),
        ];
        for (bytes, expected) in cases {
            let failure = Annotations::read(&Bytes::new("answers.jsonl", bytes)).err().unwrap();
            assert!(matches!(failure, Failure::InvalidAnswers(_)), "{failure}");
            assert!(failure.message().contains(expected), "{failure}");
        }
    }
}
