//! Resource usage over time, as the engine counts it: `usage.jsonl` in a run's folder.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use bollard::query_parameters::StatsOptionsBuilder;
use futures_util::StreamExt;
use serde::Serialize;

use crate::engine::Engine;
use crate::event;

/// A line of `usage.jsonl`.
#[derive(Serialize)]
struct Sample {
    at: String,
    /// CPU time so far, in nanoseconds.
    cpu_nanoseconds: Option<u64>,
    memory_bytes: Option<u64>,
    processes: Option<u64>,
}

/// Writes a sample at each interval, for as long as it is polled. What cannot be had or written is left out.
pub(crate) async fn sample(
    engine: Engine,
    container: String,
    file: impl AsRef<Path>,
    interval: Duration,
) {
    loop {
        let options = StatsOptionsBuilder::default().stream(false).one_shot(true).build();
        let stats = engine.docker().stats(&container, Some(options)).boxed().next().await;
        if let Some(Ok(stats)) = stats {
            let cpu = stats.cpu_stats.and_then(|cpu| cpu.cpu_usage);
            let sample = Sample {
                at: event::now(),
                cpu_nanoseconds: cpu.and_then(|usage| usage.total_usage),
                memory_bytes: stats.memory_stats.and_then(|memory| memory.usage),
                processes: stats.pids_stats.and_then(|processes| processes.current),
            };
            if let Ok(line) = serde_json::to_string(&sample) {
                let _ = std::fs::OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(file.as_ref())
                    .and_then(|mut file| writeln!(file, "{line}"));
            }
        }
        tokio::time::sleep(interval).await;
    }
}
