//! Ctrl-C, and the signal that asks a program to end: the first stops gradings in good order, the second at once.
//!
//! Relies on the library to stop at a cancellation without leaving half a file.

use podium::Cancellation;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// A cancellation that Ctrl-C triggers. To be called once in a process.
///
/// # Errors
/// A system that lets nobody listen for signals.
pub(crate) fn cancellation() -> Result<Cancellation, Failure> {
    let cancellation = Cancellation::new();
    let triggered = cancellation.clone();
    ctrlc::set_handler(move || {
        if triggered.is_cancelled() {
            std::process::exit(Exit::Interrupted.code().into());
        }
        triggered.cancel();
        output::error_line("stopping; press Ctrl-C again to stop at once");
    })
    .map_err(|error| Failure::new(Exit::Files, format!("could not listen for Ctrl-C: {error}")))?;
    Ok(cancellation)
}
