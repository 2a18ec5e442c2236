//! The runs that wait, and what each brings along: attempts that were made, a container that may still run.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::devices::Lease;
use crate::group::RunPlan;

/// A run that waits.
pub(crate) struct Waiting<'a> {
    pub(crate) plan: &'a RunPlan,
    /// Attempts that were begun.
    pub(crate) attempts: u32,
    /// Attempts of these that failed and count among the retries, in this call.
    pub(crate) failures: u32,
    /// Attempts of these that were lost with a host, in this call.
    pub(crate) losses: u32,
    /// The container of a runner that ended.
    pub(crate) held: Option<Held>,
}

/// A container that a runner before this one has made.
pub(crate) struct Held {
    pub(crate) host: String,
    pub(crate) container: String,
    pub(crate) lease: Lease,
}

/// The queue.
#[derive(Default)]
pub(crate) struct Queue<'a>(Mutex<VecDeque<Waiting<'a>>>);

impl<'a> Queue<'a> {
    pub(crate) fn push_back(&self, waiting: Waiting<'a>) {
        self.lock().push_back(waiting);
    }

    pub(crate) fn push_front(&self, waiting: Waiting<'a>) {
        self.lock().push_front(waiting);
    }

    /// The next run for a host: one whose container is there, or one that no other host that is there holds.
    pub(crate) fn take_for(
        &self,
        host: &str,
        is_there: impl Fn(&str) -> bool,
    ) -> Option<Waiting<'a>> {
        let mut queue = self.lock();
        let place = queue.iter().position(|waiting| match &waiting.held {
            None => true,
            Some(held) => held.host == host || !is_there(&held.host),
        })?;
        queue.remove(place)
    }

    /// The containers on a host that runs in the queue hold.
    pub(crate) fn held_on(&self, host: &str) -> Vec<String> {
        let queue = self.lock();
        let held = queue.iter().filter_map(|waiting| waiting.held.as_ref());
        held.filter(|held| held.host == host).map(|held| held.container.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Waiting<'a>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::DevicePool;

    #[test]
    fn what_has_a_container_waits_for_its_host_as_long_as_that_is_there() {
        let plan = |id: &str| RunPlan { id: id.into(), competition_id: "e".into(), seed: 0 };
        let (first, second) = (plan("first"), plan("second"));
        let waiting = |plan, held: Option<&str>| Waiting {
            plan,
            attempts: 1,
            failures: 0,
            losses: 0,
            held: held.map(|host| Held {
                host: host.into(),
                container: format!("c-{host}"),
                lease: DevicePool::new(&[]).take(&[]),
            }),
        };
        let queue = Queue::default();
        queue.push_back(waiting(&first, Some("a")));
        queue.push_back(waiting(&second, None));
        assert_eq!((queue.held_on("a"), queue.held_on("b")), (vec!["c-a".to_owned()], vec![]));
        assert_eq!(queue.take_for("b", |_| true).unwrap().plan.id, "second");
        assert!(queue.take_for("b", |_| true).is_none());
        assert_eq!(queue.take_for("b", |host| host != "a").unwrap().plan.id, "first");
    }
}
