//! How long a program takes and how much memory it needs at most.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// One run of a program, or the median of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    /// From start to end.
    pub(super) seconds: f64,
    /// The most memory that the program had resident, in bytes, where the system tells.
    pub(super) peak_memory: Option<u64>,
}

/// Runs a program to its end; gives what it took and what it printed.
pub(super) fn run(command: &mut Command) -> Result<(Measured, String)> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start {}", workspace::shown(command)))?;
    let id = child.id();
    let ended = AtomicBool::new(false);
    let (peak_memory, output, status, seconds) = thread::scope(|scope| {
        let watch = scope.spawn(|| peak_memory(id, &ended));
        let mut output = String::new();
        let read =
            child.stdout.take().map_or(Ok(0), |mut stdout| stdout.read_to_string(&mut output));
        let status = child.wait();
        let seconds = start.elapsed().as_secs_f64();
        ended.store(true, Ordering::Relaxed);
        let peak = watch.join().unwrap_or_default();
        (peak, read.map(|_| output), status, seconds)
    });
    let status = status?;
    ensure!(status.success(), "{} failed ({status})", workspace::shown(command));
    Ok((Measured { seconds, peak_memory }, output?))
}

/// Follows the peak that Linux keeps for each process, until the process has ended. What is added in its last
/// millisecond is missed.
fn peak_memory(process: u32, ended: &AtomicBool) -> Option<u64> {
    let path = format!("/proc/{process}/status");
    let mut peak = None;
    while !ended.load(Ordering::Relaxed) {
        if let Some(now) = fs::read_to_string(&path).ok().as_deref().and_then(high_water_mark) {
            peak = Some(now);
        }
        thread::sleep(Duration::from_millis(1));
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
}
