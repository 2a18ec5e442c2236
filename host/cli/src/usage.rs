//! Command lines that are not understood, and those that ask for help.
//!
//! Relies on clap for what is said at the terminal. Here it is said in JSON as well, where the command line asks for it.

use clap::error::ErrorKind;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Says what clap has to say, and how the program ends.
pub(crate) fn conclude(error: &clap::Error) -> Exit {
    // There is nowhere to complain when that fails.
    let _ = error.print();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Exit::Success;
    }
    if asks_for_json(std::env::args_os().skip(1)) {
        output::print_error(&failure(&error.render().to_string()));
    }
    Exit::Usage
}

/// Whether `--json` is among the arguments, of which it is not known what they mean.
fn asks_for_json(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    arguments.take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// The error that clap wrote: its sentence is the message, its tips are the hints.
fn failure(rendered: &str) -> Failure {
    let told = rendered.split("\nUsage:").next().unwrap_or(rendered).trim();
    let mut message = Vec::new();
    let mut hints = Vec::new();
    for line in told.lines() {
        match line.trim_start().strip_prefix("tip: ") {
            Some(tip) => hints.push(tip.to_owned()),
            None if line.starts_with("For more information") => {}
            None => message.push(line.trim_end()),
        }
    }
    let message = message.join("\n");
    let message = message.trim();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let failure = Failure::new(Exit::Usage, output::harmless(message));
    let failure = hints.into_iter().fold(failure, Failure::hint);
    failure.hint("`podium --help` and `podium COMMAND --help` say what there is")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::CommandLine;

    #[test]
    fn the_sentence_is_the_message_and_tips_are_hints() {
        for (arguments, message, hints) in [
            (&["podium", "grad"][..], "unrecognized subcommand 'grad'", 2),
            (&["podium", "list", "--redy"], "unexpected argument '--redy' found", 2),
            (
                &["podium", "grade-sample", "x.csv"],
                "the following required arguments were not provided:\n  <COMPETITION>",
                1,
            ),
        ] {
            let error = CommandLine::try_parse_from(arguments).unwrap_err();
            let failure = failure(&error.render().to_string());
            assert_eq!(failure.to_string(), message);
            assert_eq!(failure.hints().len(), hints, "{:?}", failure.hints());
        }
    }

    #[test]
    fn json_is_asked_for_before_the_arguments_that_are_only_passed_on() {
        let asks = |arguments: &[&str]| asks_for_json(arguments.iter().map(Into::into));
        assert!(asks(&["grad", "--json"]));
        assert!(!asks(&["grad", "--", "--json"]));
        assert!(!asks(&["--jsonl"]));
    }
}
