//! Writes results down as a Markdown table, between two marks of a page.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};

use super::measure::Measured;
use crate::workspace;

const BEGIN: &str = "<!-- bench: begin -->";
const END: &str = "<!-- bench: end -->";

const EMPTY_PAGE: &str = "# Performance\n\n";

/// One result.
pub(super) struct Row {
    what: &'static str,
    podium: Measured,
    reference: Option<Measured>,
    /// Gradings a second and core.
    throughput: Option<f64>,
    goal: String,
    /// Whether the goal is met; `None` where it cannot be told.
    met: Option<bool>,
}

impl Row {
    /// Podium against the reference; the goal is to be that many times as fast, with no more memory.
    pub(super) fn compared(
        what: &'static str,
        podium: Measured,
        reference: Option<Measured>,
        times: f64,
    ) -> Row {
        Row {
            what,
            podium,
            reference,
            throughput: None,
            goal: format!("≥ {times} times as fast, no more memory"),
            met: reference.map(|reference| {
                let memory = podium.peak_memory.zip(reference.peak_memory);
                reference.seconds / podium.seconds >= times
                    && memory.is_none_or(|(podium, reference)| podium <= reference)
            }),
        }
    }

    /// Podium alone; the goal is that many gradings a second and core.
    pub(super) fn throughput(
        what: &'static str,
        podium: Measured,
        gradings: f64,
        goal: f64,
    ) -> Row {
        let throughput = gradings / podium.seconds / cores() as f64;
        Row {
            what,
            podium,
            reference: None,
            throughput: Some(throughput),
            goal: format!("≥ {goal} gradings a second and core"),
            met: Some(throughput >= goal),
        }
    }
}

/// The part of the page that a run writes.
pub(super) fn section(rows: &[Row], own_graders: bool) -> String {
    let reference = if own_graders {
        "MLE-bench's own reader and grader"
    } else {
        "the calls of pandas and scikit-learn that MLE-bench makes"
    };
    let mut text = format!(
        "Measured by `cargo xtask bench` with Podium {} on {} ({} cores). Medians of several runs with warm caches, and the \
         highest memory of all runs. The reference is {reference}. Podium's times are those of the whole process; the \
         reference's are too in the first row, and reading and grading alone in the second.\n\n\
         | what | Podium | memory | reference | memory | ratio | goal | met |\n\
         |---|---:|---:|---:|---:|---:|---|---|\n",
        env!("CARGO_PKG_VERSION"),
        processor(),
        cores(),
    );
    for row in rows {
        let ratio = match (row.reference, row.throughput) {
            (Some(reference), _) => format!("{:.1} ×", reference.seconds / row.podium.seconds),
            (None, Some(throughput)) => format!("{throughput:.0} a second and core"),
            (None, None) => "–".to_owned(),
        };
        let (time, memory) =
            row.reference.map_or(("–".to_owned(), "–".to_owned()), |reference| {
                (duration(reference.seconds), size(reference.peak_memory))
            });
        let met = match row.met {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {time} | {memory} | {ratio} | {} | {met} |",
            row.what,
            duration(row.podium.seconds),
            size(row.podium.peak_memory),
            row.goal,
        );
    }
    text
}

/// Puts the section in its place on the page, or at its end.
pub(super) fn write_into(path: &Path, section: &str) -> Result<()> {
    let page = match fs::read_to_string(path) {
        Ok(page) => page,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => EMPTY_PAGE.to_owned(),
        Err(error) => {
            return Err(error).with_context(|| format!("could not read {}", path.display()));
        }
    };
    workspace::write_if_changed(path, replaced(&page, section).as_bytes())?;
    Ok(())
}

fn replaced(page: &str, section: &str) -> String {
    let marked = format!("{BEGIN}\n{section}{END}");
    let place = page
        .find(BEGIN)
        .and_then(|begin| Some((begin, begin + page[begin..].find(END)? + END.len())));
    match place {
        Some((begin, end)) => format!("{}{marked}{}", &page[..begin], &page[end..]),
        None => format!("{}\n\n{marked}\n", page.trim_end()),
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

fn size(bytes: Option<u64>) -> String {
    bytes.map_or("–".to_owned(), |bytes| format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20)))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The name of the processor, where the system tells.
fn processor() -> String {
    fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(seconds: f64, mebibytes: u64) -> Measured {
        Measured { seconds, peak_memory: Some(mebibytes << 20) }
    }

    #[test]
    fn a_goal_is_met_in_time_and_memory() {
        let cases = [
            (measured(0.1, 10), Some(measured(4.0, 100)), Some(true)),
            (measured(0.1, 10), Some(measured(3.9, 100)), Some(false)),
            (measured(0.1, 200), Some(measured(9.0, 100)), Some(false)),
            (measured(0.1, 200), None, None),
        ];
        for (podium, reference, met) in cases {
            assert_eq!(
                Row::compared("x", podium, reference, 40.0).met,
                met,
                "{podium:?} {reference:?}"
            );
        }
    }

    #[test]
    fn only_the_marked_part_of_a_page_is_replaced() {
        let first = replaced("# Performance\n\nWords.\n", "old\n");
        assert_eq!(first, format!("# Performance\n\nWords.\n\n{BEGIN}\nold\n{END}\n"));
        let page = first + "\nMore words.\n";
        assert_eq!(
            replaced(&page, "new\n"),
            format!("# Performance\n\nWords.\n\n{BEGIN}\nnew\n{END}\n\nMore words.\n")
        );
    }

    #[test]
    fn each_row_is_a_line_of_the_table() {
        let rows = [
            Row::compared("a", measured(0.01, 10), Some(measured(1.0, 100)), 40.0),
            Row::throughput("b", measured(1.0, 10), 1e6, 1.0),
        ];
        let text = section(&rows, false);
        assert!(text.contains("| a | 10.0 ms | 10 MiB | 1.00 s | 100 MiB | 100.0 × |"), "{text}");
        assert!(text.contains("| yes |\n| b | 1.00 s | 10 MiB | – | – |"), "{text}");
    }
}
