//! `podium compile-component`: compiles one component, for the `podium` that started this one.
//!
//! Hidden from people: it reads and writes what only the library understands. See [`crate::engine`] for why it is there.

use std::io;

use crate::exit::Exit;
use crate::failure::Failure;

/// Compiles the component that comes through stdin, and writes the code to stdout.
///
/// # Errors
/// A stdin that holds no request, a stdout that is closed, a machine for which no code can be generated.
pub(crate) fn run() -> Result<Exit, Failure> {
    podium::compile_for_parent(io::stdin().lock(), io::stdout().lock())?;
    Ok(Exit::Success)
}
