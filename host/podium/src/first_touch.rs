//! Memory that is touched for the first time ahead of a grader, by another thread.
//!
//! When memory is touched for the first time, the kernel clears it, which for a large table takes a good part of the time of
//! reading it; on virtual machines it may take most of it. Graders fill their memory upwards, so that after one large page
//! the next ones will follow: they are touched meanwhile, up to the end of a group of pages. What a grader leaves untouched
//! stays so, but for the last group of each of its larger pieces. Nothing that a grader can see depends on it.
//!
//! Relies on Linux: on `/proc` to say what has been touched, and on the kernel to touch memory without changing it. Where
//! either is not to be had, nothing is done.

// The kernel is asked to touch memory by its address.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::mm::Advice;

use crate::linear_memory::LARGE_PAGE;

/// The large pages of a group.
const PAGES: usize = 4;
const GROUP: usize = PAGES * LARGE_PAGE;

/// Memory below this size is not worth a thread.
pub(crate) const WORTH_IT: usize = 2 * GROUP;

/// How often it is looked at what the grader has touched: some times while it fills a group; less and less often while it
/// touches nothing new.
const PAUSE: Duration = Duration::from_micros(300);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// A thread that touches memory; ends when dropped.
#[derive(Debug)]
pub(crate) struct FirstTouch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// Up to where the memory may be touched.
    accessible: AtomicUsize,
    ended: AtomicBool,
}

impl FirstTouch {
    /// Begins to touch the memory at an address, a multiple of the size of large pages; none of it before it is accessible.
    ///
    /// # Safety
    /// What is accessible has to stay mapped, and readable and writable, until this is dropped.
    pub(crate) unsafe fn start(base: *mut u8) -> FirstTouch {
        let shared =
            Arc::new(Shared { accessible: AtomicUsize::new(0), ended: AtomicBool::new(false) });
        let base = base as usize;
        let of_thread = Arc::clone(&shared);
        // Without a thread, or what it needs, the grader touches all by itself.
        let thread = Touched::open().and_then(|touched| {
            let touch = move || of_thread.touch(base, &touched);
            thread::Builder::new().name("podium-memory".to_owned()).spawn(touch).ok()
        });
        FirstTouch { shared, thread }
    }

    /// Says how many bytes from the address on are accessible; more than before.
    pub(crate) fn accessible(&self, bytes: usize) {
        self.shared.accessible.store(bytes, Ordering::Release);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for FirstTouch {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does not panic; if it did, it would have ended all the same.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn touch(&self, base: usize, touched: &Touched) {
        let mut are_touched = Vec::new();
        let mut pause = PAUSE;
        while !self.ended.load(Ordering::Acquire) {
            pause = LONGEST_PAUSE.min(2 * pause);
            let groups = self.accessible.load(Ordering::Acquire) / GROUP;
            if groups > are_touched.len() {
                are_touched.resize(groups, false);
                pause = PAUSE;
            }
            for (group, is_touched) in are_touched.iter_mut().enumerate() {
                let first = base + group * GROUP;
                if *is_touched {
                    continue;
                }
                match touched.holds(first) {
                    None => return,
                    Some(false) => continue,
                    Some(true) => {
                        *is_touched = true;
                        pause = PAUSE;
                    }
                }
                for page in 1..PAGES {
                    if self.ended.load(Ordering::Acquire) || !populate(first + page * LARGE_PAGE) {
                        return;
                    }
                }
            }
            thread::park_timeout(pause);
        }
    }
}

/// What memory has been touched, as Linux tells.
struct Touched {
    /// Eight bytes for each page of memory.
    pagemap: File,
    page_size: usize,
}

impl Touched {
    /// `None` where Linux does not tell.
    fn open() -> Option<Touched> {
        /// What the kernel hands to a program that begins: pairs of a kind and a value, this kind being the size of pages.
        const PAGE_SIZE: usize = 6;
        let handed = std::fs::read("/proc/self/auxv").ok()?;
        let values: Vec<usize> =
            handed.as_chunks().0.iter().map(|value| usize::from_ne_bytes(*value)).collect();
        let size = values.as_chunks().0.iter().find(|[kind, _]| *kind == PAGE_SIZE);
        let page_size = size.map(|[_, size]| *size).filter(|size| size.is_power_of_two())?;
        Some(Touched { pagemap: File::open("/proc/self/pagemap").ok()?, page_size })
    }

    /// Whether memory at an address has been touched; `None` where that cannot be told.
    fn holds(&self, address: usize) -> Option<bool> {
        const PRESENT: u64 = 1 << 63;
        let mut entry = [0; 8];
        let place = address / self.page_size * entry.len();
        self.pagemap.read_exact_at(&mut entry, place as u64).ok()?;
        Some(u64::from_ne_bytes(entry) & PRESENT != 0)
    }
}

/// Touches a large page. Gives whether that was possible.
fn populate(address: usize) -> bool {
    let page: *mut c_void = ptr::with_exposed_provenance_mut(address);
    // SAFETY: the page is accessible, and stays so: whoever started the thread vouched for it. What it holds stays as it is,
    // so that whoever uses the memory meanwhile does not notice.
    unsafe { rustix::mm::madvise(page, LARGE_PAGE, Advice::LinuxPopulateWrite).is_ok() }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::linear_memory::LargePages;
    use wasmtime::MemoryCreator;

    #[test]
    fn what_follows_a_touched_page_is_touched_to_the_end_of_its_group() {
        let kind = wasmtime::MemoryType::new(0, None);
        let mut memory = LargePages.new_memory(kind, 0, None, Some(8 * GROUP), 1 << 20).unwrap();
        memory.grow_to(5 * GROUP).unwrap();
        let touched = Touched::open().unwrap();
        let base = memory.as_ptr();
        let are_touched = || -> Vec<bool> {
            (0..5 * PAGES)
                .map(|page| touched.holds(base as usize + page * LARGE_PAGE).unwrap())
                .collect()
        };
        assert_eq!(are_touched(), [false; 5 * PAGES]);
        for group in [1, 3] {
            // SAFETY: the memory is alive, and this byte of it is accessible.
            unsafe { base.add(group * GROUP).write(7) };
        }
        let expected: Vec<bool> =
            (0..5 * PAGES).map(|page| matches!(page / PAGES, 1 | 3)).collect();
        let start = Instant::now();
        while are_touched() != expected {
            assert!(start.elapsed() < Duration::from_secs(60), "{:?}", are_touched());
            thread::sleep(PAUSE);
        }
        // SAFETY: the memory is alive, and so much of it is accessible. Nobody writes to it meanwhile.
        let content = unsafe { std::slice::from_raw_parts(base, 5 * GROUP) };
        let written: Vec<usize> = content
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte != 0)
            .map(|(place, _)| place)
            .collect();
        assert_eq!(written, [GROUP, 3 * GROUP]);
    }

    #[test]
    fn memory_comes_and_goes_while_it_is_touched() {
        let kind = || wasmtime::MemoryType::new(0, None);
        for groups in (2..40).rev() {
            let mut memory =
                LargePages.new_memory(kind(), 0, None, Some(groups * GROUP), 1 << 20).unwrap();
            memory.grow_to(groups * GROUP).unwrap();
            // SAFETY: the memory is alive, and its first byte is accessible.
            unsafe { memory.as_ptr().write(1) };
        }
    }
}
