//! A map whose values are made once, however many threads ask for them at the same time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Values made on demand. While one is being made, others that want it wait; other keys do not.
#[derive(Debug)]
pub(crate) struct OnceMap<K, V>(Mutex<HashMap<K, Arc<Mutex<Option<V>>>>>);

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> OnceMap<K, V> {
        OnceMap(Mutex::new(HashMap::new()))
    }
}

impl<K: Eq + Hash, V: Clone> OnceMap<K, V> {
    /// The value of `key`, made by `make` unless it is there. A failure is not kept: the next one tries again.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(key).or_default())
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = &*slot {
            return Ok(value.clone());
        }
        let value = make()?;
        *slot = Some(value.clone());
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::OnceMap;

    #[test]
    fn a_value_is_made_once_for_all_threads() {
        let map = OnceMap::default();
        let made = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = map.get("key", || {
                        std::thread::yield_now();
                        Ok::<_, ()>(made.fetch_add(1, Ordering::Relaxed))
                    });
                    assert_eq!(value, Ok(0));
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_failure_is_not_kept() {
        let map = OnceMap::default();
        assert_eq!(map.get(1, || Err::<u32, _>("no")), Err("no"));
        assert_eq!(map.get(1, || Ok::<_, &str>(7)), Ok(7));
        assert_eq!(map.get(1, || Err("never asked")), Ok(7));
    }
}
