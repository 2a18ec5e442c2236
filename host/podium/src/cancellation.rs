//! Telling gradings that nobody waits for them any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that stops the gradings that were handed a clone of it. It cannot be switched back.
///
/// A running grading ends within some tens of milliseconds with
/// [`GraderFailure::Cancelled`](crate::GraderFailure::Cancelled), one that has not begun ends at once.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// A switch that has not been thrown.
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Stops every grading that holds a clone of this switch. Safe to call from a signal handler's thread, and more
    /// than once.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Cancellation::cancel`] has been called on this switch or a clone of it.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_switch() {
        let first = Cancellation::new();
        let second = first.clone();
        assert!(!second.is_cancelled());
        first.cancel();
        assert!(second.is_cancelled());
        assert!(!Cancellation::new().is_cancelled());
    }
}
