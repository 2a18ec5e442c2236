//! The GPUs of a machine, lent to runs: no two at once get the same one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The devices that are free.
#[derive(Clone, Debug)]
pub(crate) struct DevicePool(Arc<Mutex<BTreeSet<String>>>);

/// Devices that are lent, until this is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    pool: DevicePool,
    /// The devices.
    pub(crate) devices: Vec<String>,
}

impl DevicePool {
    pub(crate) fn new(devices: &[String]) -> DevicePool {
        DevicePool(Arc::new(Mutex::new(devices.iter().cloned().collect())))
    }

    /// Lends the devices that a run that goes on has already.
    pub(crate) fn take(&self, devices: &[String]) -> Lease {
        let mut free = self.lock();
        devices.iter().for_each(|device| {
            free.remove(device);
        });
        Lease { pool: self.clone(), devices: devices.to_vec() }
    }

    /// Waits for so many devices; for none where the pool lends none.
    pub(crate) async fn lend(&self, count: usize) -> Lease {
        loop {
            if let Some(devices) = self.try_lend(count) {
                return Lease { pool: self.clone(), devices };
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn try_lend(&self, count: usize) -> Option<Vec<String>> {
        let mut free = self.lock();
        if free.len() < count {
            return None;
        }
        Some((0..count).filter_map(|_| free.pop_first()).collect())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.pool.lock().extend(self.devices.drain(..));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_device_is_lent_twice() {
        let pool = DevicePool::new(&["0".into(), "1".into(), "2".into()]);
        let kept = pool.take(&["1".into()]);
        let lent = pool.try_lend(2).unwrap();
        assert_eq!(lent, ["0", "2"]);
        assert!(pool.try_lend(1).is_none());
        drop(kept);
        assert_eq!(pool.try_lend(1).unwrap(), ["1"]);
        assert!(pool.try_lend(0).unwrap().is_empty());
    }
}
