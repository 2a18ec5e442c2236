//! Writing to stdout and stderr: styled where a terminal reads, plain elsewhere, quiet when the reader has gone.
//!
//! Relies on anstream to drop the styles where they would be noise (`NO_COLOR`, pipes, files).

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use owo_colors::OwoColorize;
use podium::told;
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
    let text = harmless_json(text);
    // Not through anstream: what looks like a style in a string of the JSON is escaped already, and has to stay.
    let mut stdout = io::stdout().lock();
    settle(writeln!(stdout, "{text}").and_then(|()| stdout.flush()))
}

/// Writes `{"error": …}` to stdout, with what stands beside it: what a command prints that came to no result. There is
/// nowhere to complain when that fails.
pub(crate) fn print_error(failure: &Failure) {
    let _ = print_json(&failure.without_result());
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

/// The text with everything escaped that steers a terminal, or hides or reorders text; its lines stay. What comes from
/// files of third parties is shown like this.
pub(crate) fn harmless(text: &str) -> String {
    told::shown(text)
}

/// As [`harmless`], and on one line: for names, and for what stands in a line with others.
pub(crate) fn harmless_name(text: &str) -> String {
    told::shown_name(text)
}

/// As [`harmless_name`], and no longer than anybody reads: for ids and names out of archives and reports, which may be of any
/// length.
pub(crate) fn short_name(text: &str) -> String {
    const CHARACTERS: usize = 200;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", harmless_name(&text[..end])),
        None => harmless_name(text),
    }
}

/// A path as it is shown: file names hold what they like.
pub(crate) fn path(path: &Path) -> String {
    harmless_name(&path.to_string_lossy())
}

/// JSON that says the same, without characters that steer a terminal: they can stand in texts only, where they can be
/// escaped.
fn harmless_json(json: String) -> String {
    let steers = |character: char| character != '\n' && told::steers(character);
    if !json.contains(steers) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for character in json.chars() {
        if steers(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
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
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_lines_stay() {
        assert_eq!(harmless("a\x1b[31mb\r\n\tc\u{202e}"), "a\\u{1b}[31mb\\u{d}\n\tc\\u{202e}");
        assert_eq!(harmless_name("a\n\u{2028}b"), "a\\u{a}\\u{2028}b");
        assert_eq!(path(Path::new("x\n/y")), "x\\u{a}/y");
    }

    #[test]
    fn names_are_cut() {
        assert_eq!(short_name(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(short_name(&"x".repeat(100_000)), format!("{}…", "x".repeat(200)));
    }

    #[test]
    fn json_says_the_same_without_what_steers_a_terminal() {
        let value = json!({"a\u{202e}": ["\u{9b}x", "plain\n", "tag \u{e0041}", "ä"]});
        let shown = harmless_json(serde_json::to_string_pretty(&value).unwrap());
        assert!(shown.chars().all(|character| character == '\n' || !told::steers(character)));
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
        assert!(shown.contains("ä") && shown.contains("\\u202e"), "{shown}");
    }
}
