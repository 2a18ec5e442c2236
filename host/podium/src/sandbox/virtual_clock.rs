//! Time as graders see it: a clock that nothing outside of the grading moves.

/// A virtual clock. It begins at the same instant in every grading, advances by [`VirtualClock::STEP`] whenever it is
/// looked at, so that whoever waits for time to pass gets ahead, and jumps where a grader sleeps.
#[derive(Debug, Default)]
pub(crate) struct VirtualClock {
    nanoseconds: u64,
}

impl VirtualClock {
    /// What a look at the clock takes, in nanoseconds; also the resolution that the clock claims.
    pub(crate) const STEP: u64 = 1_000;

    /// The wall-clock time at which every grading begins, in seconds since 1970: 2000-01-01T00:00:00Z.
    pub(crate) const BEGINNING: u64 = 946_684_800;

    /// Looks at the clock: nanoseconds since the grading began.
    pub(crate) fn look(&mut self) -> u64 {
        let now = self.nanoseconds;
        self.nanoseconds = now.saturating_add(VirtualClock::STEP);
        now
    }

    /// Looks at the clock: seconds and nanoseconds since 1970.
    pub(crate) fn look_at_wall(&mut self) -> (u64, u32) {
        const SECOND: u64 = 1_000_000_000;
        let now = self.look();
        // The remainder is less than a second.
        (VirtualClock::BEGINNING + now / SECOND, (now % SECOND) as u32)
    }

    /// Lets time pass until an instant that may be past.
    pub(crate) fn sleep_until(&mut self, instant: u64) {
        self.nanoseconds = self.nanoseconds.max(instant);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_by_looking_and_by_sleeping() {
        let mut clock = VirtualClock::default();
        assert_eq!((clock.look(), clock.look()), (0, 1_000));
        clock.sleep_until(3_000_000_123);
        clock.sleep_until(5);
        assert_eq!(clock.look_at_wall(), (VirtualClock::BEGINNING + 3, 123));
        assert_eq!(clock.look(), 3_000_001_123);
        clock.sleep_until(u64::MAX);
        assert_eq!((clock.look(), clock.look()), (u64::MAX, u64::MAX));
        assert_eq!(clock.look_at_wall().0, VirtualClock::BEGINNING + 18_446_744_073);
    }
}
