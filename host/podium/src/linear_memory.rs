//! The memory of graders, in pages of the machine that are as large as it has them.
//!
//! wasmtime's own memory is in small pages. A grader that reads a large table touches tens of thousands of them for the
//! first time, each of which interrupts it, and then walks over all of them in no order, so that the processor keeps
//! looking up where they are. Linux gives larger pages to memory that asks for them, which is all that differs here:
//! what is reserved, what is accessible and what traps is as wasmtime asks for, and results cannot depend on it.
//!
//! Relies on Linux; elsewhere wasmtime's own memory is used. Where the kernel has no large pages, nothing changes.

// Memory of its own has to be promised to wasmtime, and is had by system calls.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;

use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};
use wasmtime::{LinearMemory, MemoryCreator, MemoryType};

use crate::first_touch::{FirstTouch, WORTH_IT};

/// Below that many bytes pages stay small: most graders never need more, and clearing a large page for a few rows takes
/// longer than it saves.
const SMALL: usize = 2 << 20;

/// The size of a large page of most processors, and what the reservation is aligned to.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

/// Makes the memories of an engine.
#[derive(Debug)]
pub(crate) struct LargePages;

// SAFETY: what `new_memory` gives is a `Reservation`, which keeps what wasmtime asks of memories; see there.
unsafe impl MemoryCreator for LargePages {
    fn new_memory(
        &self,
        _kind: MemoryType,
        minimum: usize,
        _maximum: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        let capacity = reserved.unwrap_or(minimum);
        let memory = Reservation::new(capacity, guard)
            .and_then(|mut memory| memory.make_accessible(minimum).map(|()| memory))
            .map_err(|error| format!("no memory of {minimum} bytes: {error}"))?;
        Ok(Box::new(memory))
    }
}

/// A reserved range of addresses, of which the first `accessible` bytes from `base` on can be read and written.
struct Reservation {
    /// What the kernel was asked for, and its length.
    start: *mut c_void,
    length: usize,
    /// Where the memory begins.
    base: *mut u8,
    accessible: usize,
    capacity: usize,
    /// Touches what is accessible ahead of the grader, where there is much of it.
    first_touch: Option<FirstTouch>,
}

// SAFETY: the range belongs to this value alone, and is only ever changed through an exclusive reference to it. That
// whoever takes the pointer does not race is wasmtime's part, as with memory of its own.
unsafe impl Send for Reservation {}
// SAFETY: as above; a shared reference gives the numbers and the pointer.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Reserves addresses for `capacity` bytes with at least `guard` inaccessible ones before and after them.
    fn new(capacity: usize, guard: usize) -> Result<Reservation, Errno> {
        let length = guard
            .checked_mul(2)
            .and_then(|guards| guards.checked_add(capacity)?.checked_add(LARGE_PAGE))
            .ok_or(Errno::NOMEM)?;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: the kernel chooses where, so nothing that exists is mapped over.
        let start = unsafe {
            rustix::mm::mmap_anonymous(ptr::null_mut(), length, ProtFlags::empty(), flags)?
        };
        let before = guard + (start as usize + guard).next_multiple_of(LARGE_PAGE)
            - (start as usize + guard);
        // `before` is less than a large page more than the guard: there is room for the capacity and the other guard.
        let base = start.cast::<u8>().wrapping_add(before);
        Ok(Reservation { start, length, base, accessible: 0, capacity, first_touch: None })
    }

    /// Makes the first `bytes` accessible; those that were not are zero.
    fn make_accessible(&mut self, bytes: usize) -> Result<(), Errno> {
        if bytes > self.capacity {
            return Err(Errno::NOMEM);
        }
        if bytes > SMALL && self.accessible <= SMALL && self.capacity > SMALL {
            let rest = self.base.wrapping_add(SMALL).cast();
            // SAFETY: the range lies within the reservation, and the advice changes nothing that it holds. That the
            // kernel may know no large pages is no failure.
            let _ =
                unsafe { rustix::mm::madvise(rest, self.capacity - SMALL, Advice::LinuxHugepage) };
        }
        let flags = MprotectFlags::READ | MprotectFlags::WRITE;
        if let Some(more @ 1..) = bytes.checked_sub(self.accessible) {
            let first = self.base.wrapping_add(self.accessible).cast();
            // SAFETY: the range lies within the reservation, and nobody has a reference into it: it could not be
            // accessed so far. `accessible` is a whole number of WebAssembly's pages, and so of the machine's.
            unsafe { rustix::mm::mprotect(first, more, flags)? };
            self.accessible = bytes;
            if bytes >= WORTH_IT {
                let base = self.base;
                // SAFETY: what is accessible stays so until the range is unmapped, and the thread has ended by then.
                let first_touch =
                    self.first_touch.get_or_insert_with(|| unsafe { FirstTouch::start(base) });
                first_touch.accessible(bytes);
            }
        }
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // Nobody touches what will not be there.
        self.first_touch = None;
        // SAFETY: this range was mapped by `new` and not unmapped since. wasmtime drops a memory when no code that
        // uses it is left.
        let unmapped = unsafe { rustix::mm::munmap(self.start, self.length) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}

// SAFETY: `base` stays where it is, followed by `capacity` reserved bytes and the guard that wasmtime asks for. The
// first `byte_size` are accessible and were zero when they became so; all others trap.
unsafe impl LinearMemory for Reservation {
    fn byte_size(&self) -> usize {
        self.accessible
    }

    fn byte_capacity(&self) -> usize {
        self.capacity
    }

    fn grow_to(&mut self, new_size: usize) -> wasmtime::Result<()> {
        self.make_accessible(new_size).map_err(wasmtime::Error::new)
    }

    fn as_ptr(&self) -> *mut u8 {
        self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 64 << 10;

    /// The rights of the mapping that holds `address`, as /proc/self/maps has them, and whether large pages were
    /// asked for.
    fn mapping(address: usize) -> (String, bool) {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut found = None;
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let first = words.next().unwrap_or_default();
            if let Some((from, to)) = first.split_once('-') {
                let number = |text| usize::from_str_radix(text, 16).unwrap();
                let holds = (number(from)..number(to)).contains(&address);
                found = holds.then(|| words.next().unwrap().to_owned());
            } else if first == "VmFlags:"
                && let Some(rights) = &found
            {
                return (rights.clone(), words.any(|flag| flag == "hg"));
            }
        }
        panic!("{address:x} is not mapped");
    }

    #[test]
    fn what_is_accessible_is_zero_and_what_is_not_is_guarded() {
        let guard = 1 << 20;
        let mut memory = Reservation::new(64 << 20, guard).unwrap();
        let base = memory.as_ptr() as usize;
        assert_eq!(base % LARGE_PAGE, 0);
        assert_eq!((memory.byte_size(), memory.byte_capacity()), (0, 64 << 20));
        for pages in [0, 1, 3, 3, 200, 700, 1024] {
            let bytes = pages * PAGE;
            memory.grow_to(bytes).unwrap();
            assert_eq!(memory.byte_size(), bytes);
            // SAFETY: the memory is alive, has that many accessible bytes, and nobody else knows of it.
            let content = unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), bytes) };
            for page in content.chunks_mut(PAGE) {
                assert!(page[1..PAGE - 1].iter().all(|byte| *byte == 0));
                (page[0], page[PAGE - 1]) = (1, 2);
            }
            assert_eq!(mapping(base - 1).0, "---p");
            assert_eq!(mapping(base - guard).0, "---p");
            assert_eq!(mapping(base + bytes).0, "---p");
            assert_eq!(mapping(base + (64 << 20) + guard - 1).0, "---p");
            if let Some(last) = bytes.checked_sub(1) {
                assert_eq!(mapping(base + last), ("rw-p".to_owned(), bytes > SMALL));
            }
        }
        assert!(memory.grow_to((64 << 20) + PAGE).is_err());
        assert_eq!(memory.byte_size(), 64 << 20);
    }

    #[test]
    fn more_than_there_are_addresses_is_refused() {
        assert!(Reservation::new(usize::MAX, PAGE).is_err());
        assert!(Reservation::new(1 << 60, PAGE).is_err());
    }
}
