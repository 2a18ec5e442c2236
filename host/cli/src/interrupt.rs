//! Ctrl-C, and the signals that ask a program to end: the first stops gradings in good order, the second at once.
//!
//! Relies on the library to stop at a cancellation without leaving half a file. Where there are no such signals, the
//! program ends at once.

use podium::Cancellation;

use crate::failure::Failure;

/// A cancellation that Ctrl-C triggers. To be called once in a process.
///
/// # Errors
/// A system that lets nobody listen for signals.
pub(crate) fn cancellation() -> Result<Cancellation, Failure> {
    let cancellation = Cancellation::new();
    #[cfg(unix)]
    {
        let cancellation = cancellation.clone();
        signals::listen(move |count| {
            if count > 1 {
                exit();
            }
            cancellation.cancel();
            crate::output::error_line("stopping; press Ctrl-C again to stop at once");
        })?;
    }
    Ok(cancellation)
}

/// Hands each Ctrl-C to `heard`, with how many there were, from 1 on. To be called once in a process, in the place of
/// [`cancellation`].
///
/// # Errors
/// As [`cancellation`].
#[cfg(unix)]
pub(crate) fn listen(heard: impl FnMut(u32) + Send + 'static) -> Result<(), Failure> {
    signals::listen(heard)
}

/// Ends the program at once, as one that was interrupted.
#[cfg(unix)]
pub(crate) fn exit() -> ! {
    std::process::exit(crate::exit::Exit::Interrupted.code().into())
}

#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::exit::Exit;
    use crate::failure::Failure;

    /// Listens on a thread of its own from now on.
    pub(super) fn listen(mut heard: impl FnMut(u32) + Send + 'static) -> Result<(), Failure> {
        let ends = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        let mut signals = Signals::new(ends).map_err(|error| {
            Failure::new(Exit::Files, format!("could not listen for Ctrl-C: {error}"))
        })?;
        std::thread::spawn(move || {
            for (_, count) in signals.forever().zip(1..) {
                heard(count);
            }
        });
        Ok(())
    }

    /// Whether whoever started the program wants it to go on at a signal: `nohup` does. Only Linux tells.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        ignored
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }
}
