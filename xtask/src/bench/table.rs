//! The tables in `docs/performance.md`.

use std::fmt::Write as _;
use std::fs;
use std::thread;

use super::costs;
use super::measure::{Measured, QUICK_SECONDS};

/// How much faster than the reference each of the largest competitions is graded at least.
const TIMES_EACH: f64 = 3.0;

/// And half of them.
const TIMES_HALF: f64 = 10.0;

/// What one side took, or why it has no result.
pub(super) type Side = Result<Measured, String>;

/// One result.
pub(super) struct Row {
    what: String,
    podium: Side,
    /// `None` where the reference is not measured.
    reference: Option<Side>,
    /// Gradings a second and core.
    throughput: Option<f64>,
    goal: String,
    /// Whether the goal is met; `None` where it cannot be told.
    met: Option<bool>,
}

impl Row {
    /// Podium against the reference; the goal is to be that many times as fast, with no more memory.
    pub(super) fn compared(what: &str, podium: Side, reference: Option<Side>, times: f64) -> Row {
        let met = match (&podium, &reference) {
            (Err(_), _) => Some(false),
            (Ok(_), None) => None,
            // It cannot be done with the reference at all.
            (Ok(_), Some(Err(_))) => Some(true),
            (Ok(podium), Some(Ok(reference))) => {
                let memory = podium.peak_memory.zip(reference.peak_memory);
                let no_more = memory.is_none_or(|(podium, reference)| podium <= reference);
                Some(reference.seconds / podium.seconds >= times && no_more)
            }
        };
        Row {
            what: what.to_owned(),
            podium,
            reference,
            throughput: None,
            goal: format!("≥ {times} times as fast, no more memory"),
            met,
        }
    }

    /// One of the largest competitions.
    pub(super) fn large(
        competition: &str,
        rows: u64,
        podium: Side,
        reference: Option<Side>,
    ) -> Row {
        let what = format!("{competition}, {} rows", grouped(rows));
        Row::compared(&what, podium, reference, TIMES_EACH)
    }

    /// Podium alone; the goal is that many gradings a second and core.
    pub(super) fn throughput(what: &str, podium: Measured, gradings: f64, goal: f64) -> Row {
        let throughput = gradings / podium.seconds / cores() as f64;
        Row {
            what: what.to_owned(),
            podium: Ok(podium),
            reference: None,
            throughput: Some(throughput),
            goal: format!("≥ {goal} gradings a second and core"),
            met: Some(throughput >= goal),
        }
    }

    /// Podium alone; the goal is to be done within that time and memory.
    pub(super) fn within_memory(what: &str, podium: Measured, seconds: f64, memory: u64) -> Row {
        let fits = podium.peak_memory.is_none_or(|peak| peak < memory);
        Row {
            goal: format!("≤ {seconds} s, < {}", size(Some(memory))),
            met: Some(podium.seconds <= seconds && fits),
            ..Row::within(what, podium, seconds)
        }
    }

    /// Podium alone; the goal is to take less than so many seconds.
    pub(super) fn within(what: &str, podium: Measured, seconds: f64) -> Row {
        Row {
            what: what.to_owned(),
            podium: Ok(podium),
            reference: None,
            throughput: None,
            goal: format!("< {seconds} s"),
            met: Some(podium.seconds < seconds),
        }
    }

    /// How many times as fast as the reference, where both came to an end.
    fn ratio(&self) -> Option<f64> {
        let reference = self.reference.as_ref()?.as_ref().ok()?;
        Some(reference.seconds / self.podium.as_ref().ok()?.seconds)
    }

    /// A line of a table.
    pub(super) fn line(&self) -> String {
        let ratio = match (self.ratio(), self.throughput) {
            (Some(ratio), _) => format!("{ratio:.1} ×"),
            (None, Some(throughput)) => format!("{throughput:.0} a second and core"),
            (None, None) => "–".to_owned(),
        };
        let side = |side: &Side| match side {
            Ok(measured) => (duration(measured.seconds), size(measured.peak_memory)),
            Err(reason) => (reason.replace('|', "\\|"), "–".to_owned()),
        };
        let podium = side(&self.podium);
        let reference = self.reference.as_ref().map_or(("–".to_owned(), "–".to_owned()), side);
        let met = match self.met {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        format!(
            "| {} | {} | {} | {} | {} | {ratio} | {} | {met} |\n",
            self.what, podium.0, podium.1, reference.0, reference.1, self.goal,
        )
    }
}

/// How a run went about it.
pub(super) struct Setting {
    /// Whether the reference's own graders were called.
    pub(super) own_graders: bool,
    /// The share of the large competitions' rows.
    pub(super) scale: f64,
    /// How many programs wanted to run when it began, where the system tells.
    pub(super) load: Option<f64>,
}

impl Setting {
    /// Says so where other programs took time from those that were measured.
    pub(super) fn busy(&self) -> Option<String> {
        const QUIET: f64 = 0.5;
        let load = self.load.filter(|load| *load > QUIET)?;
        Some(format!(
            "Other programs ran besides (load {load:.1} when it began), so times are too long and ratios rough."
        ))
    }
}

/// The programs that wanted to run in the last minute, on average.
pub(super) fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The part of the page that a run writes.
pub(super) fn section(
    rows: &[Row],
    costs: &[costs::Row],
    largest: &[Row],
    setting: &Setting,
) -> String {
    let reference = if setting.own_graders {
        "MLE-bench's own reader and grader"
    } else {
        "the calls of pandas and scikit-learn that MLE-bench makes"
    };
    let mut text = format!(
        "Measured by `cargo xtask bench` with Podium {} on {} ({} cores). The reference is {reference}.\n",
        env!("CARGO_PKG_VERSION"),
        processor(),
        cores(),
    );
    if let Some(busy) = setting.busy() {
        let _ = write!(text, "\n{busy}\n");
    }
    if !rows.is_empty() {
        text.push_str(
            "\nMedians of several runs with warm caches, and the highest memory of all runs. Podium's times are those of the \
             whole process; the reference's are too in the first row, and reading and grading alone in the second.\n\n",
        );
        text.push_str(&table(rows));
    }
    if !costs.is_empty() {
        text.push_str(&costs::table(costs));
    }
    if !largest.is_empty() {
        let of_rows = match setting.scale {
            1.0 => "the real".to_owned(),
            scale => format!("{scale} times the real"),
        };
        let _ = write!(
            text,
            "\nThe largest competitions, on made-up data of {of_rows} number of rows. Podium's times are those of the whole \
             process, the reference's those of reading and grading alone; the memory is that of the whole process on both \
             sides. The median of three runs after one that warms caches up, a single run where it takes more than \
             {QUICK_SECONDS} seconds.\n\n{}",
            table(largest)
        );
        if let Some(summary) = summary(largest) {
            let _ = write!(text, "\n{summary}\n");
        }
    }
    text
}

fn table(rows: &[Row]) -> String {
    let head = "| what | Podium | memory | reference | memory | ratio | goal | met |\n\
                |---|---:|---:|---:|---:|---:|---|---|\n";
    rows.iter().fold(head.to_owned(), |text, row| text + &row.line())
}

/// What is wanted of all rows together.
fn summary(rows: &[Row]) -> Option<String> {
    let mut ratios: Vec<f64> = rows.iter().filter_map(Row::ratio).collect();
    ratios.sort_by(f64::total_cmp);
    // The lower one of the two in the middle.
    let median = *ratios.get(ratios.len().checked_sub(1)? / 2)?;
    let met = if median >= TIMES_HALF { "met" } else { "not met" };
    Some(format!(
        "The median of the ratios is {median:.1} × ({} measured); the goal is ≥ {TIMES_HALF} ×: {met}.",
        ratios.len()
    ))
}

pub(super) fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// A number with commas between its thousands.
pub(super) fn grouped(number: u64) -> String {
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

fn size(bytes: Option<u64>) -> String {
    bytes.map_or("–".to_owned(), |bytes| format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20)))
}

pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The name of the processor, where the system tells.
pub(super) fn processor() -> String {
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
        let failed = || Err("killed".to_owned());
        let cases = [
            (Ok(measured(0.1, 10)), Some(Ok(measured(4.0, 100))), Some(true)),
            (Ok(measured(0.1, 10)), Some(Ok(measured(3.9, 100))), Some(false)),
            (Ok(measured(0.1, 200)), Some(Ok(measured(9.0, 100))), Some(false)),
            (Ok(measured(0.1, 200)), Some(failed()), Some(true)),
            (failed(), Some(Ok(measured(9.0, 100))), Some(false)),
            (failed(), None, Some(false)),
            (Ok(measured(0.1, 200)), None, None),
        ];
        for (podium, reference, met) in cases {
            let row = Row::compared("x", podium, reference, 40.0);
            assert_eq!(row.met, met, "{}", row.line());
        }
    }

    #[test]
    fn a_time_of_ones_own_is_held_against_its_goal() {
        let line = Row::within("x", measured(1.5, 10), 5.0).line();
        assert_eq!(line, "| x | 1.50 s | 10 MiB | – | – | – | < 5 s | yes |\n");
        assert_eq!(Row::within("x", measured(5.5, 10), 5.0).met, Some(false));
    }

    #[test]
    fn a_goal_in_time_and_memory_alone_is_met_in_both() {
        for (seconds, mebibytes, met) in [(60.0, 499, true), (60.1, 10, false), (1.0, 500, false)] {
            let row = Row::within_memory("x", measured(seconds, mebibytes), 60.0, 500 << 20);
            assert_eq!(row.met, Some(met), "{}", row.line());
            assert!(row.line().contains("≤ 60 s, < 500 MiB"), "{}", row.line());
        }
    }

    #[test]
    fn the_median_of_all_ratios_has_a_goal_of_its_own() {
        let row = |podium, reference| {
            Row::large("x", 10, Ok(measured(podium, 1)), Some(Ok(measured(reference, 1))))
        };
        let text = summary(&[row(1.0, 4.0), row(1.0, 12.0), row(1.0, 30.0)]).unwrap();
        assert!(text.contains("is 12.0 × (3 measured)") && text.ends_with(": met."), "{text}");
        let text = summary(&[row(1.0, 4.0), row(1.0, 12.0)]).unwrap();
        assert!(text.contains("is 4.0 ×") && text.ends_with(": not met."), "{text}");
        let alone = Row::large("x", 10, Ok(measured(1.0, 1)), None);
        assert_eq!(summary(&[alone]), None);
    }

    #[test]
    fn numbers_have_commas_between_their_thousands() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (13_200_000, "13,200,000")]
        {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn each_row_is_a_line_of_the_table() {
        let rows = [
            Row::compared("a", Ok(measured(0.01, 10)), Some(Ok(measured(1.0, 100))), 40.0),
            Row::throughput("b", measured(1.0, 10), 1e6, 1.0),
        ];
        let failed = Row::large("c", 1_000, Err("no memory".to_owned()), None);
        let setting = Setting { own_graders: false, scale: 0.5, load: Some(7.25) };
        let text = section(&rows, &[], &[failed], &setting);
        assert!(text.contains("| a | 10.0 ms | 10 MiB | 1.00 s | 100 MiB | 100.0 × |"), "{text}");
        assert!(text.contains("| yes |\n| b | 1.00 s | 10 MiB | – | – |"), "{text}");
        assert!(text.contains("| c, 1,000 rows | no memory | – | – | – | – |"), "{text}");
        assert!(text.contains("data of 0.5 times the real number of rows"), "{text}");
        assert!(text.contains("(load 7.2 when it began)"), "{text}");
        let setting = Setting { own_graders: true, scale: 1.0, load: Some(0.1) };
        let text = section(&rows, &[], &rows, &setting);
        assert!(text.contains("data of the real number of rows"), "{text}");
        assert!(!text.contains("load"), "{text}");
    }
}
