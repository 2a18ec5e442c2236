//! The table of what runs, redrawn while somebody watches it on a terminal.
//!
//! Relies on indicatif to draw lines in place, and on the group's files alone for what they say.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use podium_runner::{GroupDefinition, LiveGroup, LiveRun};

use crate::output;

/// How often the table is drawn.
const INTERVAL: Duration = Duration::from_millis(500);

/// The most runs that are shown; more are counted.
const MOST: usize = 24;

/// The longest piece of an agent's line that is looked at.
const LONGEST: usize = 200;

/// A table on stderr, drawn by a thread of its own until this is dropped.
pub(super) struct LiveView {
    lines: MultiProgress,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LiveView {
    /// Draws the table of this group.
    pub(super) fn start(folder: PathBuf, definition: GroupDefinition) -> LiveView {
        let lines = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let is_over = Arc::new(AtomicBool::new(false));
        let (drawn, ended) = (lines.clone(), Arc::clone(&is_over));
        let thread = thread::spawn(move || draw(&drawn, &folder, &definition, &ended));
        LiveView { lines, is_over, thread: Some(thread) }
    }

    /// Writes a line above the table.
    pub(super) fn print(&self, line: &str) {
        // Where nothing is drawn, the library would drop it.
        if self.lines.is_hidden() || self.lines.println(line).is_err() {
            output::error_line(line);
        }
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = self.lines.clear();
    }
}

fn draw(lines: &MultiProgress, folder: &Path, definition: &GroupDefinition, is_over: &AtomicBool) {
    let mut bars: Vec<ProgressBar> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        // A group that is just being made is looked at again.
        if let Ok(group) = LiveGroup::look(folder, definition) {
            let table = table(&group);
            while bars.len() > table.len() {
                if let Some(bar) = bars.pop() {
                    bar.finish_and_clear();
                    lines.remove(&bar);
                }
            }
            while bars.len() < table.len() {
                let bar = lines.add(ProgressBar::new_spinner());
                if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                    bar.set_style(style);
                }
                bars.push(bar);
            }
            for (bar, line) in bars.iter().zip(table) {
                bar.set_message(line);
                bar.tick();
            }
        }
        thread::park_timeout(INTERVAL);
    }
    bars.iter().for_each(ProgressBar::finish_and_clear);
}

/// The lines of the table.
pub(super) fn table(group: &LiveGroup) -> Vec<String> {
    let width = group.running.iter().map(|run| run.run.chars().count()).max().unwrap_or(0).max(3);
    let mut lines = vec![totals(group)];
    if !group.running.is_empty() {
        lines.push(format!(
            "{:width$}  {:10} {:>9} {:>6} {:>9} {:18} {:>11}  last line",
            "run", "host", "left", "CPUs", "memory", "GPUs", "validated"
        ));
    }
    lines.extend(group.running.iter().take(MOST).map(|run| line(run, width)));
    if group.running.len() > MOST {
        lines.push(format!("and {} more", group.running.len() - MOST));
    }
    lines
}

fn totals(group: &LiveGroup) -> String {
    let mut parts =
        vec![format!("{} running", group.running.len()), format!("{} waiting", group.waiting)];
    parts.extend(group.endings.iter().map(|(ending, count)| format!("{count} {}", ending.name())));
    parts.join(", ")
}

fn line(run: &LiveRun, width: usize) -> String {
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let validated = match run.last_validation {
        None => "-".to_owned(),
        Some(Some(true)) => format!("{} valid", run.validations),
        Some(Some(false)) => format!("{} invalid", run.validations),
        Some(None) => format!("{} refused", run.validations),
    };
    let last = run.last_line.as_deref().unwrap_or_default();
    let last: String = last.chars().take(LONGEST).collect();
    let text = format!(
        "{:width$}  {:10} {:>9} {:>6} {:>9} {:18} {:>11}  {}",
        run.run,
        or_nothing(run.host.clone()),
        or_nothing(run.left.map(clock)),
        or_nothing(run.cpus.map(|cpus| format!("{cpus:.1}"))),
        or_nothing(run.memory.map(bytes)),
        gpus(run),
        validated,
        last.trim(),
    );
    // What an agent prints steers no terminal, and stays in its line.
    output::harmless(&text).replace(['\n', '\t'], " ")
}

/// The run's GPUs, how busy they are, and the memory in use on them together.
fn gpus(run: &LiveRun) -> String {
    let ids = match run.devices.is_empty() {
        true => run.gpus.iter().map(|gpu| gpu.index.to_string()).collect(),
        false => run.devices.clone(),
    };
    if ids.is_empty() {
        return "-".to_owned();
    }
    let mut text = ids.join(",");
    let busy: Vec<u64> = run.gpus.iter().filter_map(|gpu| gpu.utilization_percent).collect();
    if !busy.is_empty() {
        text.push_str(&format!(" {}%", busy.iter().sum::<u64>() / busy.len() as u64));
    }
    let memory: Vec<u64> = run.gpus.iter().filter_map(|gpu| gpu.memory_bytes).collect();
    if !memory.is_empty() {
        text.push_str(&format!(" {}", bytes(memory.iter().sum())));
    }
    text
}

fn clock(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn bytes(count: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = UNITS.into_iter().find(|(_, size)| count >= *size);
    unit.map_or(format!("{count} B"), |(name, size)| {
        format!("{:.1} {name}", count as f64 / size as f64)
    })
}

#[cfg(test)]
mod tests {
    use podium_runner::{Ending, GpuUsage};

    use super::*;

    #[test]
    fn a_run_is_a_line_whatever_its_agent_prints() {
        let run = LiveRun {
            run: "example_0-1".into(),
            host: Some("alpha".into()),
            left: Some(Duration::from_secs(3_661)),
            cpus: Some(1.25),
            memory: Some(5 << 29),
            devices: vec!["0".into(), "1".into()],
            gpus: [(Some(98), Some(3 << 29)), (Some(50), None)]
                .map(|(utilization_percent, memory_bytes)| GpuUsage {
                    utilization_percent,
                    memory_bytes,
                    ..GpuUsage::default()
                })
                .into(),
            last_line: Some("a\u{1b}[2Jb\tc\r".into()),
            validations: 3,
            last_validation: Some(Some(false)),
            ..LiveRun::default()
        };
        let mut group = LiveGroup { waiting: 7, running: vec![run], ..LiveGroup::default() };
        group.endings.insert(Ending::Completed, 2);
        let table = table(&group);
        assert_eq!(table[0], "1 running, 7 waiting, 2 completed");
        for part in
            ["alpha", "1:01:01", "1.2", "2.5 GiB", "0,1 74% 1.5 GiB", "3 invalid", "a\\u{1b}[2Jb c"]
        {
            assert!(table[2].contains(part), "{part}: {}", table[2]);
        }
        assert!(!table.concat().contains('\u{1b}'));
    }

    #[test]
    fn what_is_not_known_yet_is_a_hyphen_and_many_runs_are_counted() {
        let running = vec![LiveRun::default(); MOST + 5];
        let table = table(&LiveGroup { running, ..LiveGroup::default() });
        assert_eq!(table.len(), 2 + MOST + 1);
        assert_eq!(table[2].matches(" -").count(), 6, "{}", table[2]);
        assert_eq!(table.last().unwrap(), "and 5 more");
    }
}
