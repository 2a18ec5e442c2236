//! Memory that gradings share, so that many at once need no more than a part of the machine.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Memory that gradings share.
pub(crate) struct Memory {
    total: u64,
    free: Mutex<u64>,
    returned: Condvar,
}

/// Memory that is given back when it is dropped.
pub(crate) struct Share<'a> {
    memory: &'a Memory,
    bytes: u64,
}

impl Memory {
    pub(crate) fn new(total: u64) -> Memory {
        Memory { total, free: Mutex::new(total), returned: Condvar::new() }
    }

    /// Waits until that much is free. More than there is in all counts as all.
    pub(crate) fn take(&self, bytes: u64) -> Share<'_> {
        let bytes = bytes.min(self.total);
        let mut free = lock(&self.free);
        while *free < bytes {
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        Share { memory: self, bytes }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *lock(&self.memory.free) += self.bytes;
        self.memory.returned.notify_all();
    }
}

/// About how many bytes a grading of inputs of so many bytes needs: a frame holds the text of its files and what it was
/// parsed to.
pub(crate) fn estimate(input_bytes: u64) -> u64 {
    const LEAST: u64 = 16 << 20;
    const EACH_INPUT_BYTE: u64 = 6;
    input_bytes.saturating_mul(EACH_INPUT_BYTE).saturating_add(LEAST)
}

/// Three quarters of the memory that is available; of 4 GiB where the system does not tell.
pub(crate) fn default_memory_bytes() -> u64 {
    const UNKNOWN: u64 = 4 << 30;
    let free =
        std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_bytes(&text));
    let allowed = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let available = match (free, allowed) {
        (Some(free), Some(allowed)) => std::cmp::min(free, allowed),
        (free, allowed) => free.or(allowed).unwrap_or(UNKNOWN),
    };
    available / 4 * 3
}

/// `MemAvailable` of Linux's /proc/meminfo, in bytes.
fn available_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn shares_never_exceed_the_whole() {
        let memory = Memory::new(100);
        let taken = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for share in [10, 60, 100, 5_000, 1, 0, 99, 50, 50, 51] {
                let (memory, taken) = (&memory, &taken);
                scope.spawn(move || {
                    let share = memory.take(share);
                    let now = taken.fetch_add(share.bytes, Ordering::SeqCst) + share.bytes;
                    assert!(now <= 100, "{now}");
                    std::thread::yield_now();
                    taken.fetch_sub(share.bytes, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(*lock(&memory.free), 100);
    }

    #[test]
    fn available_memory_is_found_in_what_linux_tells() {
        let text = "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n";
        assert_eq!(available_bytes(text), Some(8_000_000 * 1024));
        for text in
            ["", "MemAvailable: x kB", "MemAvailable: 5", "MemAvailable: 18446744073709551615 kB"]
        {
            assert_eq!(available_bytes(text), None, "{text}");
        }
    }
}
