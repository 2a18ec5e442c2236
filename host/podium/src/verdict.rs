//! What comes out of one grading: the verdict, and what it took.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::limits::Limit;

/// The result of one grading.
///
/// `verdict`, `warnings`, `log`, `fuel` and `peak_memory_bytes` depend on nothing but the component, the inputs and the
/// limits, unless the verdict is a failure of the machine ([`GraderFailure::is_deterministic`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Grading {
    /// How it ended.
    pub verdict: Verdict,
    /// The grader's remarks for whoever made the submission, in the order in which they came; at most
    /// [`Limits::WARNINGS`](crate::Limits::WARNINGS). Free of control characters.
    pub warnings: Vec<String>,
    /// What the grader printed, where it has the means to (foreign graders): at most
    /// [`Limits::LOG_BYTES`](crate::Limits::LOG_BYTES) of it. For whoever runs gradings, not for submitters: it may
    /// tell the answers.
    pub log: Option<String>,
    /// Fuel used; see [`Limits::fuel`](crate::Limits::fuel).
    pub fuel: u64,
    /// The most linear memory in use at once, in bytes.
    pub peak_memory_bytes: u64,
    /// How long it took on this machine, instantiation included.
    pub wall_clock: Duration,
}

/// How a grading ended. Messages are cut and free of control characters.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// There is a score, and the submission is valid.
    Scored {
        /// What the leaderboard ranks, unrounded; may be infinite, and NaN where the metric is not defined.
        value: f64,
        /// How the score came about; may be empty.
        measures: Vec<Measure>,
    },
    /// Whoever made the submission has to change it; the message says what.
    InvalidSubmission(String),
    /// The answers are not what the grader expects; the message says what.
    InvalidAnswers(String),
    /// The grader came to no result. Never the fault of the submission alone: a grader has to withstand any bytes.
    GraderFailed(GraderFailure),
}

impl Verdict {
    /// Whether the fuel of such a grading is what it took. One that was stopped in its middle, by the clock or by somebody,
    /// leaves the count where it last called the host; how far one comes before its stack ends is up to the processor.
    pub(crate) fn is_counted(&self) -> bool {
        match self {
            Verdict::GraderFailed(failure) => failure.is_deterministic(),
            _ => true,
        }
    }
}

/// A named part of a score: of a class, a column, a fold, a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What the value is of.
    pub name: String,
    /// The value; any float.
    pub value: f64,
}

/// Why a grader came to no result.
///
/// `Display` says what happened and what to do about it; [`GraderFailure::kind`] is a stable name for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraderFailure {
    /// The grader gave up with a message.
    Panicked {
        /// Text and place of the panic, as the grader told them.
        message: String,
    },
    /// WebAssembly trapped: the grader divided by zero, left its memory, met an `unreachable`.
    Trapped {
        /// What kind of trap, in the engine's words.
        trap: String,
        /// The names of the functions that were being called, innermost first, where the component carries names.
        /// They change with the engine's version, so they are not part of `Display`.
        backtrace: Vec<String>,
    },
    /// A foreign grader called `exit` instead of returning a result.
    Exited {
        /// The status that it exited with.
        status: u8,
    },
    /// The limit of fuel was reached.
    OutOfFuel {
        /// That limit.
        limit: u64,
    },
    /// The limit of memory was reached, and the grader could not go on.
    OutOfMemory {
        /// That limit in bytes.
        limit: u64,
    },
    /// The limit of table elements was reached, and the grader could not go on.
    OutOfTables {
        /// That limit in elements.
        limit: u64,
    },
    /// Calls were nested too deeply.
    OutOfStack {
        /// The limit in bytes.
        limit: u64,
    },
    /// The wall clock ran out: the machine is too slow, stuck or overloaded, or the grader does not end. No statement about
    /// the submission.
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// A message or a score was larger than the host takes.
    OutputTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The grader handed over something that the contract forbids: text that is not UTF-8, a list outside of its
    /// memory, a handle that it does not own.
    BrokenContract {
        /// What it was, in the engine's words.
        what: String,
    },
    /// The input, or the way to reach it, is too large for these limits.
    InputTooLarge {
        /// The name of the file.
        name: String,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file was changed while it was graded.
    InputChanged {
        /// The name of the file.
        name: String,
    },
    /// A file could not be read any more.
    InputUnreadable {
        /// The name of the file.
        name: String,
        /// What the operating system said.
        reason: String,
    },
    /// Somebody stopped the grading.
    Cancelled,
    /// The machine could not do its part: no memory, no thread.
    Machine {
        /// What it was.
        reason: String,
    },
}

/// A limit that ended a grading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachedLimit {
    /// Its name, as the `limits` of a receipt spell it: `fuel`, `memory_bytes`.
    pub name: String,
    /// Its value. One that can be reached is far below 2^53.
    pub value: u64,
}

impl GraderFailure {
    /// A stable name of the kind of failure, for reports and receipts: `out-of-fuel`.
    pub fn kind(&self) -> &'static str {
        match self {
            GraderFailure::Panicked { .. } => "panicked",
            GraderFailure::Trapped { .. } => "trapped",
            GraderFailure::Exited { .. } => "exited",
            GraderFailure::OutOfFuel { .. } => "out-of-fuel",
            GraderFailure::OutOfMemory { .. } => "out-of-memory",
            GraderFailure::OutOfTables { .. } => "out-of-tables",
            GraderFailure::OutOfStack { .. } => "out-of-stack",
            GraderFailure::TimedOut { .. } => "timed-out",
            GraderFailure::OutputTooLarge { .. } => "output-too-large",
            GraderFailure::BrokenContract { .. } => "broken-contract",
            GraderFailure::InputTooLarge { .. } => "input-too-large",
            GraderFailure::InputChanged { .. } => "input-changed",
            GraderFailure::InputUnreadable { .. } => "input-unreadable",
            GraderFailure::Cancelled => "cancelled",
            GraderFailure::Machine { .. } => "machine",
        }
    }

    /// Whether a [`GraderFailure::kind`] is that of a limit on what a grading may take.
    pub(crate) fn is_kind_of_limit(kind: &str) -> bool {
        [
            "out-of-fuel",
            "out-of-memory",
            "out-of-tables",
            "out-of-stack",
            "timed-out",
            "output-too-large",
        ]
        .contains(&kind)
    }

    /// The limit that was reached, where it was one that is counted: always or never reached by the same grading.
    pub fn limit(&self) -> Option<ReachedLimit> {
        let (name, value) = match *self {
            GraderFailure::OutOfFuel { limit } => (Limit::Fuel.name(), limit),
            GraderFailure::OutOfMemory { limit } => (Limit::Memory.name(), limit),
            GraderFailure::InputTooLarge { limit, .. } => (Limit::Input.name(), limit),
            GraderFailure::OutOfTables { limit } => ("table_elements", limit),
            GraderFailure::OutOfStack { limit } => ("stack_bytes", limit),
            GraderFailure::OutputTooLarge { limit } => ("output_bytes", limit),
            GraderFailure::Panicked { .. }
            | GraderFailure::Exited { .. }
            | GraderFailure::Trapped { .. }
            | GraderFailure::TimedOut { .. }
            | GraderFailure::BrokenContract { .. }
            | GraderFailure::InputChanged { .. }
            | GraderFailure::InputUnreadable { .. }
            | GraderFailure::Cancelled
            | GraderFailure::Machine { .. } => return None,
        };
        Some(ReachedLimit { name: name.to_owned(), value })
    }

    /// Whether the same component with the same inputs and limits fails like this again, on any machine. The others
    /// are the machine's or the moment's: grading again may help, and they are nothing to make a receipt of. The stack is
    /// among them, because how much of it a call takes is up to the code that was generated, and that to the processor.
    pub fn is_deterministic(&self) -> bool {
        !matches!(
            self,
            GraderFailure::TimedOut { .. }
                | GraderFailure::OutOfStack { .. }
                | GraderFailure::InputChanged { .. }
                | GraderFailure::InputUnreadable { .. }
                | GraderFailure::Cancelled
                | GraderFailure::Machine { .. }
        )
    }
}

impl fmt::Display for GraderFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraderFailure::Panicked { message } => write!(
                formatter,
                "the grader panicked: {message}; this is a bug of the grader, report it to whoever made it"
            ),
            GraderFailure::Trapped { trap, .. } => write!(
                formatter,
                "the grader crashed ({trap}); this is a bug of the grader, report it to whoever made it"
            ),
            GraderFailure::Exited { status } => write!(
                formatter,
                "the grader exited with status {status} instead of returning a result; this is a bug of the grader, \
                 report it to whoever made it"
            ),
            GraderFailure::OutOfFuel { limit } => write!(
                formatter,
                "the fuel limit of {limit} was reached; raise it if the input is really that large, else the grader \
                 does not end"
            ),
            GraderFailure::OutOfMemory { limit } => write!(
                formatter,
                "the memory limit of {} was reached; raise it (up to 4 GiB) if the input is really that large",
                Bytes(*limit)
            ),
            GraderFailure::OutOfTables { limit } => write!(
                formatter,
                "the limit of {limit} table elements was reached; this is a bug of the grader, report it to whoever \
                 made it"
            ),
            GraderFailure::OutOfStack { limit } => write!(
                formatter,
                "the stack limit of {} was reached; the grader calls itself too deeply, report it to whoever made it",
                Bytes(*limit)
            ),
            GraderFailure::TimedOut { limit } => write!(
                formatter,
                "no result within {} seconds of wall-clock time, which says nothing about the submission: either the \
                 machine is too slow, stuck or overloaded (grade again, or raise the limit), or the grader does not \
                 end, which a limit of fuel tells from it",
                limit.as_secs_f64()
            ),
            GraderFailure::OutputTooLarge { limit } => write!(
                formatter,
                "the grader handed over more than {} at once; this is a bug of the grader, report it to whoever made \
                 it",
                Bytes(*limit)
            ),
            GraderFailure::BrokenContract { what } => write!(
                formatter,
                "the grader broke the contract: {what}; this is a bug of the grader, report it to whoever made it"
            ),
            GraderFailure::InputTooLarge { name, size, limit } => write!(
                formatter,
                "{name} is {}, more than the limit of {}; raise the limit of input bytes if it is right",
                Bytes(*size),
                Bytes(*limit)
            ),
            GraderFailure::InputChanged { name } => write!(
                formatter,
                "{name} was changed while it was graded; grade again once nothing writes to it"
            ),
            GraderFailure::InputUnreadable { name, reason } => write!(
                formatter,
                "{name} could not be read to its end ({reason}); check the disk, then grade again"
            ),
            GraderFailure::Cancelled => write!(formatter, "the grading was cancelled; grade again"),
            GraderFailure::Machine { reason } => write!(
                formatter,
                "the machine could not run the grader ({reason}); this is not the submission's: free some resources, \
                 then grade again"
            ),
        }
    }
}

impl std::error::Error for GraderFailure {}

/// A number of bytes, for people: `512 MiB`, `3 bytes`.
pub(crate) struct Bytes(pub(crate) u64);

impl Bytes {
    /// Whether people read another number than it is.
    pub(crate) fn is_rounded(&self) -> bool {
        let shift =
            if self.0 >> 30 > 0 { 30 } else { (63 - self.0.max(1).leading_zeros()) / 10 * 10 };
        self.0.trailing_zeros() < shift
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.into_iter().find(|(shift, _)| self.0 >> shift > 0) {
            None if self.0 == 1 => formatter.write_str("1 byte"),
            None => write!(formatter, "{} bytes", self.0),
            Some((shift, unit)) if self.0.trailing_zeros() >= shift => {
                write!(formatter, "{} {unit}", self.0 >> shift)
            }
            Some((shift, unit)) => {
                write!(formatter, "{:.1} {unit}", self.0 as f64 / (1_u64 << shift) as f64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_counts_read_well() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1_023, "1023 bytes"),
            (1_024, "1 KiB"),
            (1_536, "1.5 KiB"),
            (512 << 20, "512 MiB"),
            (4 << 30, "4 GiB"),
            (u64::MAX, "17179869184.0 GiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), expected);
        }
    }

    /// Every kind that is of a limit has a limit to name, and no other is of one.
    #[test]
    fn limits_are_told_from_other_failures() {
        let second = Duration::from_secs(1);
        for (failure, is_limit) in [
            (GraderFailure::OutOfFuel { limit: 1 }, true),
            (GraderFailure::OutOfMemory { limit: 1 }, true),
            (GraderFailure::OutOfTables { limit: 1 }, true),
            (GraderFailure::OutOfStack { limit: 1 }, true),
            (GraderFailure::OutputTooLarge { limit: 1 }, true),
            (GraderFailure::TimedOut { limit: second }, true),
            // About the size of a file that is known.
            (GraderFailure::InputTooLarge { name: String::new(), size: 2, limit: 1 }, false),
            (GraderFailure::Panicked { message: String::new() }, false),
            (GraderFailure::Exited { status: 1 }, false),
            (GraderFailure::BrokenContract { what: String::new() }, false),
            (GraderFailure::Cancelled, false),
        ] {
            assert_eq!(GraderFailure::is_kind_of_limit(failure.kind()), is_limit, "{failure}");
        }
    }

    #[test]
    fn the_machines_failures_are_told_from_the_graders() {
        let timed_out = GraderFailure::TimedOut { limit: Duration::from_secs(5) };
        assert!(!timed_out.is_deterministic());
        assert_eq!(timed_out.kind(), "timed-out");
        for part in ["the machine is too slow", "the grader does not end"] {
            assert!(timed_out.to_string().contains(part), "{timed_out}");
        }
        assert!(!Verdict::GraderFailed(timed_out.clone()).is_counted());
        let fuel = GraderFailure::OutOfFuel { limit: 5 };
        assert!(fuel.is_deterministic());
        assert!(Verdict::GraderFailed(fuel.clone()).is_counted());
        assert!(fuel.to_string().contains("limit of 5 was reached"), "{fuel}");
        let out_of_stack = GraderFailure::OutOfStack { limit: 5 };
        assert!(!out_of_stack.is_deterministic());
        assert!(!Verdict::GraderFailed(out_of_stack).is_counted());
        assert_eq!(fuel.limit(), Some(ReachedLimit { name: "fuel".to_owned(), value: 5 }));
        assert_eq!(timed_out.limit(), None);
    }
}
