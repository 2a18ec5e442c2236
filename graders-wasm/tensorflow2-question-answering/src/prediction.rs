//! What a cell of `PredictionString` says.

use podium_grader::text::{Integer, python_int, python_strip};

/// An answer to a question.
#[derive(Debug, PartialEq)]
pub(crate) enum Prediction {
    /// There is none.
    NoAnswer,
    /// `YES` or `NO`.
    YesNo(bool),
    /// From one token up to another.
    Span(Integer, Integer),
}

impl Prediction {
    /// Reads `start:end`, `YES`, `NO` or nothing, with spaces around each part; tokens are what Python's `int()` takes.
    ///
    /// # Errors
    /// What was expected instead.
    pub(crate) fn parse(text: &str) -> Result<Prediction, &'static str> {
        const EXPECTED: &str = "`start_token:end_token`, `YES`, `NO` or nothing";
        match python_strip(text) {
            "" => Ok(Prediction::NoAnswer),
            "YES" => Ok(Prediction::YesNo(true)),
            "NO" => Ok(Prediction::YesNo(false)),
            text => {
                let (start, end) = text.split_once(':').ok_or(EXPECTED)?;
                if end.contains(':') {
                    return Err("one span of tokens, `start_token:end_token`");
                }
                let token = |text| python_int(text).map_err(|_| "whole numbers around the colon");
                Ok(Prediction::Span(token(start)?, token(end)?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_spans_words_or_nothing() {
        let span = |start: i64, end: i64| Some(Prediction::Span(start.into(), end.into()));
        let cases = [
            ("", Some(Prediction::NoAnswer)),
            (" \u{a0}", Some(Prediction::NoAnswer)),
            ("YES", Some(Prediction::YesNo(true))),
            (" NO ", Some(Prediction::YesNo(false))),
            ("15:17", span(15, 17)),
            (" +1_0 : 007 ", span(10, 7)),
            ("-1:-1", span(-1, -1)),
            ("１:２", span(1, 2)),
            ("yes", None),
            ("NONE", None),
            ("17", None),
            ("1:2:3", None),
            ("1.0:2.0", None),
            ("1:", None),
            (":", None),
            ("YES:NO", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Prediction::parse(text).ok(), expected, "{text:?}");
        }
    }
}
