//! Which of two runs of bytes comes first, eight bytes at a time.
//!
//! Rust compares slices and texts by C's `memcmp`. That of WebAssembly's runtime library goes byte by byte, and graders
//! compare ids and labels by the million; so this crate brings its own, which the linker takes instead.

use std::cmp::Ordering;

/// The order of the first bytes that differ.
///
/// Must not compare slices by operators: these come here.
#[cfg_attr(not(any(target_arch = "wasm32", test)), expect(dead_code, reason = "for WebAssembly"))]
#[inline]
fn compare(left: &[u8], right: &[u8]) -> Ordering {
    const WORD: usize = 8;
    let length = left.len().min(right.len());
    let mut at = 0;
    while at + WORD <= length {
        let (left, right) = (word(left, at), word(right, at));
        if left != right {
            return left.cmp(&right);
        }
        at += WORD;
    }
    if at < length && length >= WORD {
        // The last word overlaps with the one before, of which all bytes are equal.
        return word(left, length - WORD).cmp(&word(right, length - WORD));
    }
    while at < length {
        if left[at] != right[at] {
            return left[at].cmp(&right[at]);
        }
        at += 1;
    }
    Ordering::Equal
}

/// Eight bytes as a number that is ordered as they are.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |word| u64::from_be_bytes(*word))
}

/// C's `memcmp`.
///
/// # Safety
/// `length` bytes can be read from both pointers on, as C asks for.
#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "C's functions take pointers")]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    if length == 0 {
        return 0;
    }
    // SAFETY: the caller vouches for so many bytes behind both pointers, which are not null as there is a byte to read.
    // Nobody writes meanwhile: there is one thread, and it is here.
    let (left, right) = unsafe {
        (std::slice::from_raw_parts(left, length), std::slice::from_raw_parts(right, length))
    };
    compare(left, right) as i32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_bytes_that_differ_decide(
            left in prop::collection::vec(any::<u8>(), 0..40),
            changed in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        ) {
            let mut right = left.clone();
            for (place, byte) in changed {
                if !right.is_empty() {
                    let place = place.index(right.len());
                    right[place] = byte;
                }
            }
            prop_assert_eq!(compare(&left, &right), left.cmp(&right));
        }
    }
}
