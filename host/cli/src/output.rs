//! Writing to stdout and stderr: styled where a terminal reads, plain elsewhere, quiet when the reader has gone.
//!
//! Relies on anstream to drop the styles where they would be noise (`NO_COLOR`, pipes, files).

use std::io::{self, IsTerminal, Write};

use owo_colors::OwoColorize;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;

/// Writes a text and a line end to stdout.
///
/// # Errors
/// A stdout that cannot be written to. A reader that went away (`podium list | head`) is none.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    settle(writeln!(stdout, "{text}").and_then(|()| stdout.flush()))
}

/// Writes a value as indented JSON and a line end to stdout.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(Exit::Files, format!("could not write JSON: {error}")))?;
    // Not through anstream: what looks like a style in a string of the JSON is escaped already, and has to stay.
    let mut stdout = io::stdout().lock();
    settle(writeln!(stdout, "{text}").and_then(|()| stdout.flush()))
}

/// Writes `{"error": …}` to stdout: what a command prints that came to no result. There is nowhere to complain when that
/// fails.
pub(crate) fn print_error(failure: &Failure) {
    let _ = print_json(&serde_json::json!({ "error": failure.to_json() }));
}

/// Writes a `warning:` line to stderr.
pub(crate) fn warning_line(text: &str) {
    error_line(&format!("{} {}", "warning:".yellow().bold(), harmless(text)));
}

/// Writes a text and a line end to stderr. There is nowhere to complain when that fails.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Whether a person reads stdout on a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// How many columns a person sees; `None` where no terminal reads stdout. `COLUMNS` goes before what the terminal says.
pub(crate) fn width() -> Option<usize> {
    if !stdout_is_terminal() {
        return None;
    }
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.filter(|&columns| columns > 0).or_else(measured)
}

/// The text without anything that steers a terminal: what comes from files of third parties is shown like this.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => character,
            steering if steering.is_control() => char::REPLACEMENT_CHARACTER,
            other => other,
        })
        .collect()
}

fn settle(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Files, format!("could not write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn control_characters_are_replaced_and_lines_stay() {
        assert_eq!(harmless("a\x1b[31mb\r\n\tc"), "a\u{fffd}[31mb\u{fffd}\n\tc");
    }
}
