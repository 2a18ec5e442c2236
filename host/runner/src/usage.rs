//! Resource usage over time: `usage.jsonl` in a run's folder. CPU, memory and processes as the engine counts them, GPUs as
//! the program of their driver does.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bollard::models::ContainerStatsResponse;
use bollard::query_parameters::StatsOptionsBuilder;
use futures_util::StreamExt;
use serde::Serialize;

use crate::engine::Engine;
use crate::event;
use crate::gpu_usage::{GpuQuery, GpuUsage};

/// What the only line says where a run has none of its usage.
const NOTHING: &str = "the run had ended before anything was counted";

/// A line of `usage.jsonl`.
#[derive(Default, Serialize)]
struct Sample {
    at: String,
    /// CPU time so far, in nanoseconds.
    cpu_nanoseconds: Option<u64>,
    memory_bytes: Option<u64>,
    processes: Option<u64>,
    /// The GPUs of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gpus: Vec<GpuUsage>,
    /// Why there is nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
}

/// Writes a sample at each interval, for as long as it is polled. What cannot be had or written is left out.
pub(crate) async fn sample(
    engine: Engine,
    container: String,
    file: PathBuf,
    interval: Duration,
    mut gpus: Option<GpuQuery>,
) {
    loop {
        let options = StatsOptionsBuilder::default().stream(false).one_shot(true).build();
        let stats = engine.docker().stats(&container, Some(options)).boxed().next().await;
        if let Some(Ok(stats)) = stats
            && let Some(mut sample) = Sample::of(stats)
        {
            if let Some(query) = &mut gpus {
                sample.gpus = query.ask().await;
            }
            sample.add_to(&file);
        }
        tokio::time::sleep(interval).await;
    }
}

/// Sees to it that a run that is over has a line at least.
pub(crate) fn conclude(file: &Path) {
    if !std::fs::metadata(file).is_ok_and(|file| file.len() > 0) {
        let sample = Sample { at: event::now(), missing: Some(NOTHING), ..Sample::default() };
        sample.add_to(file);
    }
}

impl Sample {
    /// Nothing where the container does not run: engines answer with zeros then.
    fn of(stats: ContainerStatsResponse) -> Option<Sample> {
        let cpu = stats.cpu_stats.and_then(|cpu| cpu.cpu_usage).and_then(|usage| usage.total_usage);
        let memory = stats.memory_stats.and_then(|memory| memory.usage);
        if cpu.unwrap_or(0) == 0 && memory.unwrap_or(0) == 0 {
            return None;
        }
        Some(Sample {
            at: event::now(),
            cpu_nanoseconds: cpu,
            memory_bytes: memory,
            processes: stats.pids_stats.and_then(|processes| processes.current),
            ..Sample::default()
        })
    }

    fn add_to(&self, file: &Path) {
        if let Ok(line) = serde_json::to_string(self) {
            let _ = std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(file)
                .and_then(|mut file| writeln!(file, "{line}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::{ContainerCpuStats, ContainerCpuUsage};

    use super::*;

    #[test]
    fn a_container_that_does_not_run_has_no_sample() {
        let stats = |used| ContainerStatsResponse {
            cpu_stats: Some(ContainerCpuStats {
                cpu_usage: Some(ContainerCpuUsage {
                    total_usage: Some(used),
                    ..ContainerCpuUsage::default()
                }),
                ..ContainerCpuStats::default()
            }),
            ..ContainerStatsResponse::default()
        };
        assert!(Sample::of(stats(0)).is_none());
        assert!(Sample::of(ContainerStatsResponse::default()).is_none());
        assert_eq!(Sample::of(stats(7)).unwrap().cpu_nanoseconds, Some(7));
    }

    #[test]
    fn a_run_that_is_over_has_a_line_and_only_one_without_figures() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("usage.jsonl");
        for _ in 0..2 {
            conclude(&file);
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(text.lines().count(), 1);
            let line: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!((&line["missing"], &line["memory_bytes"]), (&NOTHING.into(), &().into()));
        }
    }
}
