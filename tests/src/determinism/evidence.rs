//! What is known of one grading, and whether two know the same.

use std::fmt::{self, Write as _};

use podium::{Claim, Grader, Grading, Input, Verdict};

/// What came out of a grading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    claimed: Claimed,
    warnings: Vec<String>,
    /// Where the engine counts it as the product's does.
    fuel: Option<u64>,
    /// Likewise.
    peak_memory_bytes: Option<u64>,
}

/// What a receipt claims.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Claimed {
    /// All of it.
    Whole {
        /// Canonical JSON.
        canonical: String,
        /// The outcome in it, for people.
        outcome: String,
        /// The kind of failure where the grader failed.
        failure: Option<String>,
    },
    /// That the grader failed, and how, from an engine with other words for it and other limits.
    Failure { kind: &'static str, words: String },
    /// Nothing: the grading ended for reasons of the machine, or where the generated code ran out of stack.
    Nothing { why: String },
}

impl fmt::Display for Claimed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claimed::Whole { outcome, .. } => formatter.write_str(outcome),
            Claimed::Failure { kind, words } => write!(formatter, "{kind}: {words}"),
            Claimed::Nothing { why } => write!(formatter, "nothing that can be claimed: {why}"),
        }
    }
}

impl Evidence {
    /// Of a grading in the product's engine.
    pub fn counted(
        grader: &Grader,
        submission: &Input,
        answers: &[Input],
        grading: Grading,
    ) -> Evidence {
        Evidence {
            fuel: Some(grading.fuel),
            peak_memory_bytes: Some(grading.peak_memory_bytes),
            ..Evidence::uncounted(grader, submission, answers, grading)
        }
    }

    /// Of a grading in an engine that counts neither fuel nor memory.
    pub fn uncounted(
        grader: &Grader,
        submission: &Input,
        answers: &[Input],
        grading: Grading,
    ) -> Evidence {
        let claimed = match Claim::new(grader, submission, answers, &grading) {
            Some(claim) => Claimed::Whole {
                // Canonical JSON is text.
                canonical: String::from_utf8_lossy(&claim.canonical()).into_owned(),
                // An outcome holds texts and numbers only: it has a JSON.
                outcome: serde_json::to_string(&claim.outcome).unwrap_or_default(),
                failure: claim.outcome.failure,
            },
            None => Claimed::Nothing {
                why: match grading.verdict {
                    Verdict::GraderFailed(failure) => failure.to_string(),
                    verdict => format!("{verdict:?}"),
                },
            },
        };
        Evidence::new(claimed, grading.warnings)
    }

    /// Of a grader that failed in an engine with other words for it: the kind of failure, as receipts name it, and those
    /// words.
    pub fn failed(kind: &'static str, words: String, warnings: Vec<String>) -> Evidence {
        Evidence::new(Claimed::Failure { kind, words }, warnings)
    }

    fn new(claimed: Claimed, warnings: Vec<String>) -> Evidence {
        Evidence { claimed, warnings, fuel: None, peak_memory_bytes: None }
    }

    /// The same from an engine that counts fuel otherwise.
    pub fn without_fuel(self) -> Evidence {
        Evidence { fuel: None, ..self }
    }

    /// The fuel, where it was counted.
    pub fn fuel(&self) -> Option<u64> {
        self.fuel
    }

    /// Where this grading differs from one that is right, in a line; `None` if it does not.
    ///
    /// Failures in other words are compared by their kinds. What only one side counts is not compared. Where one side has
    /// nothing to claim, there is a difference, whatever the other one has.
    pub fn difference(&self, right: &Evidence) -> Option<String> {
        let mut line = String::new();
        let mut differs = |what: &str, right: &dyn fmt::Display, found: &dyn fmt::Display| {
            // Writing to a String cannot fail.
            let _ = write!(line, "; {what} is {found} and not {right}");
        };
        match (&right.claimed, &self.claimed) {
            (
                Claimed::Whole { canonical: right, outcome: of_right, .. },
                Claimed::Whole { canonical: found, outcome: of_found, .. },
            ) => {
                if of_right != of_found {
                    differs("the outcome", of_right, of_found);
                } else if right != found {
                    differs("the claim", right, found);
                }
            }
            (Claimed::Whole { outcome, failure, .. }, Claimed::Failure { kind, words }) => {
                if failure.as_deref() != Some(kind) {
                    differs("the outcome", outcome, &format!("{kind}: {words}"));
                }
            }
            (right, found) => differs("the outcome", right, found),
        }
        if self.warnings != right.warnings {
            let texts = |warnings: &[String]| format!("{warnings:?}");
            differs("what was remarked", &texts(&right.warnings), &texts(&self.warnings));
        }
        for (what, right, found) in [
            ("the fuel", right.fuel, self.fuel),
            ("the memory", right.peak_memory_bytes, self.peak_memory_bytes),
        ] {
            if let (Some(right), Some(found)) = (right, found)
                && right != found
            {
                differs(what, &right, &found);
            }
        }
        line.strip_prefix("; ").map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(canonical: &str, failure: Option<&str>) -> Evidence {
        Evidence {
            claimed: Claimed::Whole {
                canonical: canonical.to_owned(),
                outcome: canonical.to_owned(),
                failure: failure.map(str::to_owned),
            },
            warnings: vec!["remark".to_owned()],
            fuel: Some(5),
            peak_memory_bytes: Some(65_536),
        }
    }

    #[test]
    fn whatever_differs_is_named() {
        let right = || whole("{}", None);
        let counted = |fuel, memory| Evidence {
            fuel: Some(fuel),
            peak_memory_bytes: Some(memory),
            ..right()
        };
        let failed = |kind| Evidence::failed(kind, "words".to_owned(), vec!["remark".to_owned()]);
        let nothing =
            || Evidence { claimed: Claimed::Nothing { why: "no memory".to_owned() }, ..right() };
        let trapped = || whole("{}", Some("trapped"));
        let cases: Vec<(Evidence, Evidence, &[&str])> = vec![
            (right(), right(), &[]),
            (right(), counted(6, 65_536).without_fuel(), &[]),
            (right(), Evidence { peak_memory_bytes: None, ..right() }, &[]),
            (right(), whole("{\"a\":1}", None), &["the outcome"]),
            (right(), Evidence { warnings: vec![], ..right() }, &["what was remarked"]),
            (right(), counted(6, 65_536), &["the fuel is 6 and not 5"]),
            (right(), counted(6, 0), &["the fuel", "the memory is 0 and not 65536"]),
            (trapped(), failed("trapped"), &[]),
            (trapped(), failed("out-of-stack"), &["out-of-stack: words"]),
            (right(), failed("trapped"), &["the outcome"]),
            // Two that could not grade agree on nothing.
            (nothing(), nothing(), &["the outcome"]),
            (right(), nothing(), &["nothing that can be claimed: no memory"]),
        ];
        for (right, found, named) in cases {
            match found.difference(&right) {
                None => assert!(named.is_empty(), "{found:?} {right:?}"),
                Some(line) => {
                    assert!(!named.is_empty(), "{line}");
                    assert!(named.iter().all(|part| line.contains(part)), "{line}");
                }
            }
        }
    }
}
