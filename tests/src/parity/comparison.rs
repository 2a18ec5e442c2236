//! Whether a grader and the reference agree on a case.

use std::fmt;

use podium::{Rounding, Verdict};
use serde::Serialize;

use super::corpus::Expected;

/// How far unrounded scores may be apart: relative, and absolute below one.
const TOLERANCE: f64 = 1e-9;

/// A case on which a grader and the reference do not agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The name of the case.
    pub case: String,
    /// What the reference said.
    pub expected: String,
    /// What the grader said.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}\n    expected  {}\n    got       {}",
            self.case, self.expected, self.got
        )
    }
}

/// Compares what a grader said of a case with what the reference said.
pub fn compare(
    case: &str,
    expected: &Expected,
    verdict: &Verdict,
    rounding: Rounding,
) -> Option<Difference> {
    let agrees = match (expected, verdict) {
        (Expected::Score { score, rounded }, Verdict::Scored { value, .. }) => {
            equal(rounding.round(*value), *rounded) && near(*value, *score)
        }
        (Expected::NoScore { .. }, Verdict::InvalidSubmission(message)) => {
            !message.trim().is_empty()
        }
        _ => false,
    };
    (!agrees).then(|| Difference {
        case: case.to_owned(),
        expected: match expected {
            Expected::Score { score, rounded } => format!("score {score:?}, rounded {rounded:?}"),
            Expected::NoScore { reason } => one_line(&format!("no score ({reason})")),
        },
        got: match verdict {
            Verdict::Scored { value, .. } => {
                format!("score {value:?}, rounded {:?}", rounding.round(*value))
            }
            Verdict::InvalidSubmission(message) => {
                one_line(&format!("invalid submission: {message}"))
            }
            Verdict::InvalidAnswers(message) => one_line(&format!("invalid answers: {message}")),
            Verdict::GraderFailed(failure) => one_line(&format!("grader failed: {failure}")),
        },
    })
}

fn equal(left: f64, right: f64) -> bool {
    left == right || (left.is_nan() && right.is_nan())
}

fn near(value: f64, expected: f64) -> bool {
    equal(value, expected) || (value - expected).abs() <= TOLERANCE * expected.abs().max(1.0)
}

/// Messages of the reference may be pages long and hold anything.
fn one_line(text: &str) -> String {
    const CHARACTERS: usize = 500;
    let mut line = String::new();
    for character in text.chars().take(CHARACTERS) {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    if text.chars().nth(CHARACTERS).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use podium::GraderFailure;

    fn scored(value: f64) -> Verdict {
        Verdict::Scored { value, measures: Vec::new() }
    }

    fn score(score: f64, rounded: f64) -> Expected {
        Expected::Score { score, rounded }
    }

    fn no_score() -> Expected {
        Expected::NoScore { reason: "invalid: E: m".to_owned() }
    }

    #[test]
    fn agreement_is_as_the_corpus_defines_it() {
        let invalid = || Verdict::InvalidSubmission("column `a` is missing".to_owned());
        let cases: &[(Expected, Verdict, bool)] = &[
            (score(0.5, 0.5), scored(0.5), true),
            (score(0.5, 0.5), scored(0.5 + 5e-10), true),
            (score(0.5, 0.5), scored(0.5 + 2e-9), false),
            (score(1e12, 1e12), scored(1e12 + 100.0), false),
            // Equal after rounding is not enough, nor is near before it.
            (score(0.500001, 0.5), scored(0.500002), false),
            (score(0.123454999999, 0.12345), scored(0.123455000001), false),
            (score(f64::NAN, f64::NAN), scored(f64::NAN), true),
            (score(f64::NAN, f64::NAN), scored(0.0), false),
            (score(0.0, 0.0), scored(f64::NAN), false),
            (score(f64::INFINITY, f64::INFINITY), scored(f64::INFINITY), true),
            (score(f64::INFINITY, f64::INFINITY), scored(f64::NEG_INFINITY), false),
            (score(f64::INFINITY, f64::INFINITY), scored(f64::MAX), false),
            (score(0.5, 0.5), invalid(), false),
            (no_score(), invalid(), true),
            (no_score(), Verdict::InvalidSubmission(" ".to_owned()), false),
            (no_score(), scored(0.5), false),
            (no_score(), Verdict::InvalidAnswers("broken".to_owned()), false),
            (no_score(), Verdict::GraderFailed(GraderFailure::Cancelled), false),
        ];
        for (expected, verdict, agrees) in cases {
            let difference = compare("case", expected, verdict, Rounding::Python);
            assert_eq!(difference.is_none(), *agrees, "{expected:?} {verdict:?}");
        }
    }

    #[test]
    fn a_difference_is_told_in_one_line_each() {
        let expected = Expected::NoScore { reason: format!("invalid: a\nb{}", "x".repeat(5_000)) };
        let difference = compare("case", &expected, &scored(0.25), Rounding::Python).unwrap();
        assert!(!difference.expected.contains('\n'));
        assert!(difference.expected.chars().count() < 600);
        assert_eq!(difference.got, "score 0.25, rounded 0.25");
    }
}
