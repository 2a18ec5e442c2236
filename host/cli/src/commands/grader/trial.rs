//! How much a grader may take where it is tried on an example: by whoever writes it, and by whoever was sent it.
//!
//! The limits of a grading are for data of any size, and a grader that never ends takes twenty minutes to reach them. An
//! example has a few dozen rows. What takes more over one than a hundredth of the fuel or half of the memory of a grading
//! is warned of in any case, so a trial ends there: after some ten seconds of a core.

use podium::{Competition, GradingReport, LimitOverrides};

use crate::arguments::LimitOptions;

/// A hundredth of what a grading may take.
const FUEL: u64 = 100_000_000_000;

/// Half of what a grader can have.
const MEMORY_BYTES: u64 = 2 << 30;

/// Enough for that much fuel in code without optimisation on a busy machine.
const WALL_CLOCK_SECONDS: u64 = 120;

/// The limits of a trial: those that were given, else the competition's own where they are smaller than the usual ones here.
pub(super) fn limits(competition: &Competition, given: &LimitOptions) -> LimitOverrides {
    let own = competition.limits(&LimitOverrides::default());
    let given = given.overrides();
    let seconds = own.wall_clock.as_secs().min(WALL_CLOCK_SECONDS);
    LimitOverrides {
        fuel: given.fuel.or(Some(own.fuel.min(FUEL))),
        memory_bytes: given.memory_bytes.or(Some(own.memory_bytes.min(MEMORY_BYTES))),
        wall_clock_seconds: given.wall_clock_seconds.or(Some(seconds)),
        input_bytes: given.input_bytes,
    }
}

/// Whether a grading did not end by itself. Further ones mostly would not either, and each takes as long again.
pub(super) fn hangs(report: &GradingReport) -> bool {
    matches!(report.failure.as_deref(), Some("out-of-fuel" | "timed-out"))
}
