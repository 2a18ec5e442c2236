//! How long a program takes and how much memory it needs at most.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::workspace;

/// One run of a program, or the median of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    /// From start to end.
    pub(super) seconds: f64,
    /// The most memory that the program had resident, in bytes, where the system tells.
    pub(super) peak_memory: Option<u64>,
}

/// A program that has ended, well or not.
pub(super) struct Ended {
    pub(super) measured: Measured,
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Ended {
    /// Why the program failed, in a line.
    pub(super) fn reason(&self) -> String {
        match self.stderr.lines().rfind(|line| !line.trim().is_empty()) {
            Some(line) => format!("{}: {}", self.status, line.trim()),
            None => self.status.to_string(),
        }
    }
}

/// Runs a program to its end; gives what it took and what it printed.
///
/// # Errors
/// The program could not be started, or what it printed is no text. That it failed is no error.
pub(super) fn run(command: &mut Command) -> Result<Ended> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start {}", workspace::shown(command)))?;
    follow(&mut child, start)
        .with_context(|| format!("could not follow {}", workspace::shown(command)))
}

/// Watches a program until it has ended.
fn follow(child: &mut Child, start: Instant) -> Result<Ended> {
    let id = child.id();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| peak_memory(id, &ended));
        let stderr = child.stderr.take();
        let stderr = scope.spawn(move || read(stderr));
        let result = wait(child, start);
        ended.store(true, Ordering::Relaxed);
        let peak_memory = watch.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_else(|_| Ok(String::new()));
        let (status, stdout, seconds) = result?;
        Ok(Ended { measured: Measured { seconds, peak_memory }, status, stdout, stderr: stderr? })
    })
}

/// Reads all that the program prints, until it has ended.
fn wait(child: &mut Child, start: Instant) -> Result<(ExitStatus, String, f64)> {
    let stdout = read(child.stdout.take());
    let status = child.wait()?;
    Ok((status, stdout?, start.elapsed().as_secs_f64()))
}

fn read(from: Option<impl Read>) -> Result<String> {
    let mut text = Vec::new();
    if let Some(mut from) = from {
        from.read_to_end(&mut text)?;
    }
    Ok(String::from_utf8(text)?)
}

/// Follows the peak that Linux keeps for each process, until the process has ended. What is added in its last hundredth
/// of a second, or in the last thousandth of a short run, is missed.
fn peak_memory(process: u32, ended: &AtomicBool) -> Option<u64> {
    const SHORT_RUN: Duration = Duration::from_secs(1);
    let path = format!("/proc/{process}/status");
    let start = Instant::now();
    let mut peak = None;
    while !ended.load(Ordering::Relaxed) {
        if let Some(now) = fs::read_to_string(&path).ok().as_deref().and_then(high_water_mark) {
            peak = Some(now);
        }
        // The measured program and this one may share the cores.
        let pause = if start.elapsed() < SHORT_RUN { 1 } else { 10 };
        thread::sleep(Duration::from_millis(pause));
    }
    peak
}

/// The line `VmHWM: 1234 kB` in bytes.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Measures several times, after one run that warms caches up, and gives the run of median duration with the highest
/// peak of memory.
pub(super) fn median(
    runs: usize,
    mut measure: impl FnMut() -> Result<Measured>,
) -> Result<Measured> {
    measure()?;
    let measured = (0..runs).map(|_| measure()).collect::<Result<Vec<Measured>>>()?;
    Ok(median_of(measured))
}

/// Measures three times, after one run that warms caches up, or only once if that takes a while.
pub(super) fn median_if_quick(mut measure: impl FnMut() -> Result<Measured>) -> Result<Measured> {
    let first = measure()?;
    if first.seconds > QUICK_SECONDS {
        return Ok(first);
    }
    Ok(median_of(vec![measure()?, measure()?, measure()?]))
}

/// What takes longer is measured once.
pub(super) const QUICK_SECONDS: f64 = 10.0;

pub(super) fn median_of(mut measured: Vec<Measured>) -> Measured {
    measured.sort_by(|left, right| left.seconds.total_cmp(&right.seconds));
    Measured {
        seconds: measured[measured.len() / 2].seconds,
        peak_memory: measured.iter().filter_map(|measured| measured.peak_memory).max(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_found() {
        let status = "Name:\tx\nVmPeak:\t  999 kB\nVmHWM:\t   1234 kB\nThreads:\t1\n";
        assert_eq!(high_water_mark(status), Some(1234 * 1024));
        assert_eq!(high_water_mark("Name:\tx\n"), None);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let of = |seconds, peak| Measured { seconds, peak_memory: Some(peak) };
        assert_eq!(median_of(vec![of(3.0, 1), of(1.0, 9), of(2.0, 2)]), of(2.0, 9));
    }

    #[test]
    fn only_what_is_quick_is_measured_again() {
        for (seconds, expected) in [(QUICK_SECONDS * 0.9, 4), (QUICK_SECONDS * 1.1, 1)] {
            let mut runs = 0;
            median_if_quick(|| {
                runs += 1;
                Ok(Measured { seconds, peak_memory: None })
            })
            .unwrap();
            assert_eq!(runs, expected, "{seconds} seconds");
        }
    }

    #[test]
    fn a_program_that_fails_says_why() {
        let ended = run(Command::new("cargo").arg("no-such-subcommand")).unwrap();
        assert!(!ended.status.success());
        assert!(ended.reason().starts_with(&format!("{}: ", ended.status)), "{}", ended.reason());
        assert!(ended.stderr.contains("no-such-subcommand"), "{}", ended.stderr);
        assert!(run(&mut Command::new("no-such-program-anywhere")).is_err());
    }
}
