//! The table of a run, for people and for `docs/determinism.md`.

use std::fmt::Write as _;
use std::fs;
use std::thread;

use super::in_v8::Node;
use super::run::{Outcome, Row};
use super::work::Work;

/// What was run, on what, and how it went.
pub(super) fn section(work: &Work, rows: &[Row], node: &Result<Node, String>) -> String {
    let node = match node {
        Ok(Node { version, v8, .. }) => format!("Node {version} (V8 {v8})"),
        Err(_) => "no Node".to_owned(),
    };
    let mut text = format!(
        "Made by `cargo xtask determinism` with Podium {}, wasmtime {} and {node} on {} ({} cores): {} submissions to {} \
         competitions, each configuration compared with the first.\n\n",
        podium::VERSION,
        podium::WASMTIME_VERSION,
        processor(),
        thread::available_parallelism().map_or(1, usize::from),
        grouped(work.gradings()),
        work.competitions.len(),
    );
    text.push_str("| configuration | what it is | gradings | identical | fuel | time |\n");
    text.push_str("|---|---|---:|---:|---|---:|\n");
    for row in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {} | {} | {} |", row.name, row.what, cells(&row.outcome));
    }
    text
}

fn cells(outcome: &Outcome) -> String {
    let empty = |why: &str| format!("– | – | – | {}", why.replace('|', "\\|").replace('\n', " "));
    match outcome {
        Outcome::Run(counts) => {
            let fuel = if counts.with_fuel > 0 { "compared" } else { "–" };
            let differ = counts.gradings - counts.identical;
            let identical = match differ {
                0 => "all".to_owned(),
                _ => format!("**all but {}**", grouped(differ)),
            };
            let seconds = counts.wall_clock.as_secs_f64();
            format!("{} | {identical} | {fuel} | {seconds:.0} s", grouped(counts.gradings))
        }
        Outcome::NotRun(why) => empty(&format!("**not run**: {why}")),
        Outcome::LeftOut => empty("left out"),
        Outcome::NotForThisProcessor => {
            empty(&format!("does not apply to {}", std::env::consts::ARCH))
        }
    }
}

/// A number with commas between its thousands.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The name of the processor, where the system tells.
fn processor() -> String {
    let name = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    name.unwrap_or_else(|| format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::run::Counts;
    use super::*;

    #[test]
    fn a_row_says_what_became_of_it() {
        let counts = |identical, with_fuel| {
            let wall_clock = Duration::from_millis(61_600);
            Outcome::Run(Counts { gradings: 9_831, identical, with_fuel, wall_clock })
        };
        for (outcome, expected) in [
            (counts(9_831, 9_831), "9,831 | all | compared | 62 s"),
            (counts(9_830, 0), "9,831 | **all but 1** | – | 62 s"),
            (
                Outcome::NotRun("no\nNode | here".to_owned()),
                "– | – | – | **not run**: no Node \\| here",
            ),
            (Outcome::LeftOut, "– | – | – | left out"),
        ] {
            assert_eq!(cells(&outcome), expected);
        }
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
