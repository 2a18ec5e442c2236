//! What GPUs are used for, asked of the program that comes with their driver: `nvidia-smi`, on this machine, where the engine
//! is as well. Where there is no such program nothing is said of GPUs.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// The program, looked for as any other.
const PROGRAM: &str = "nvidia-smi";

/// What is asked of it, in this order.
const ARGUMENTS: [&str; 2] = [
    "--query-gpu=index,uuid,utilization.gpu,memory.used,memory.total",
    "--format=csv,noheader,nounits",
];

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// No machine has more to say.
const MOST_BYTES: u64 = 64 << 10;

/// How a GPU was used at one time, by whoever uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuUsage {
    /// Its number on its machine.
    pub index: u32,
    /// Its id, which is the same on any machine.
    pub uuid: String,
    /// The part of the last moment in which it did anything.
    pub utilization_percent: Option<u64>,
    /// Its memory in use.
    pub memory_bytes: Option<u64>,
    /// All its memory.
    pub memory_total_bytes: Option<u64>,
}

/// The question after the GPUs of a run.
#[derive(Clone, Debug)]
pub(crate) struct GpuQuery {
    program: String,
    wanted: Wanted,
    /// Whether the program is there, as far as is known.
    is_there: bool,
}

/// The GPUs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    /// The engine gives the first ones to a run that asks for a number of them.
    First(usize),
    Listed(Vec<String>),
}

impl Wanted {
    fn holds(&self, gpu: &GpuUsage) -> bool {
        match self {
            Wanted::All => true,
            Wanted::First(count) => (gpu.index as usize) < *count,
            Wanted::Listed(ids) => ids.iter().any(|id| {
                *id == gpu.index.to_string() || (id.starts_with("GPU-") && gpu.uuid.starts_with(id))
            }),
        }
    }
}

impl GpuQuery {
    /// For a run that asks for so many GPUs (all where it is negative), and has these where each run has its own. None where
    /// it asks for none.
    pub(crate) fn new(count: i64, devices: &[String]) -> Option<GpuQuery> {
        let wanted = match (devices, usize::try_from(count)) {
            (_, Ok(0)) => return None,
            ([_, ..], _) => Wanted::Listed(devices.to_vec()),
            (_, Ok(count)) => Wanted::First(count),
            (_, Err(_)) => Wanted::All,
        };
        Some(GpuQuery { program: PROGRAM.to_owned(), wanted, is_there: true })
    }

    /// How they are used now; nothing where nobody knows.
    pub(crate) async fn ask(&mut self) -> Vec<GpuUsage> {
        if !self.is_there {
            return Vec::new();
        }
        let program = self.program.clone();
        let said = tokio::task::spawn_blocking(move || said_by(&program)).await;
        match said.map_err(io::Error::other).flatten() {
            Ok(said) => parse(&said).into_iter().filter(|gpu| self.wanted.holds(gpu)).collect(),
            Err(error) => {
                self.is_there = error.kind() != io::ErrorKind::NotFound;
                Vec::new()
            }
        }
    }
}

/// What the program says; nothing where it takes too long or fails.
fn said_by(program: &str) -> io::Result<String> {
    let mut child = Command::new(program)
        .args(ARGUMENTS)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let end = Instant::now() + PATIENCE;
    // What it says fits into the pipe, so it ends before anything is read.
    loop {
        match child.try_wait()? {
            Some(status) if status.success() => break,
            Some(_) => return Ok(String::new()),
            None if Instant::now() >= end => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(String::new());
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    let mut said = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(MOST_BYTES).read_to_end(&mut said)?;
    }
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// Reads its lines: `0, GPU-5b0c…, 97, 20343, 24564`. Some cards do not know all of it, and say `[N/A]`.
fn parse(said: &str) -> Vec<GpuUsage> {
    let line = |line: &str| {
        let mut parts = line.split(',').map(str::trim);
        let index = parts.next()?.parse().ok()?;
        let uuid = parts.next().filter(|uuid| !uuid.is_empty())?.to_owned();
        let mut number = || parts.next()?.parse::<u64>().ok();
        let utilization_percent = number();
        let mebibytes = |count: Option<u64>| count?.checked_mul(1 << 20);
        let (used, total) = (number(), number());
        Some(GpuUsage {
            index,
            uuid,
            utilization_percent,
            memory_bytes: mebibytes(used),
            memory_total_bytes: mebibytes(total),
        })
    };
    said.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;

    use super::*;

    const SAID: &str =
        "0, GPU-aa, 97, 1024, 24564\n1, GPU-bb, [N/A], 3, 24564\n10, GPU-cc, 0, [N/A], [N/A]\n";

    #[test]
    fn the_programs_lines_are_read_and_what_is_no_line_is_not() {
        let gpus = parse(SAID);
        assert_eq!(gpus.len(), 3);
        assert_eq!((gpus[0].utilization_percent, gpus[0].memory_bytes), (Some(97), Some(1 << 30)));
        assert_eq!((gpus[1].utilization_percent, gpus[1].memory_bytes), (None, Some(3 << 20)));
        assert_eq!((gpus[2].index, gpus[2].memory_total_bytes), (10, None));
        for text in ["", "No devices were found\n", "x, GPU-a, 1, 2, 3\n", "0\n", "0,\n"] {
            assert_eq!(parse(text), [], "{text}");
        }
    }

    #[test]
    fn a_run_sees_its_own_gpus_alone() {
        let listed = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (count, devices, expected) in [
            (-1, vec![], vec![0, 1, 10]),
            (2, vec![], vec![0, 1]),
            (1, listed(&["1"]), vec![1]),
            (1, listed(&["10"]), vec![10]),
            (2, listed(&["GPU-aa", "10"]), vec![0, 10]),
            (1, listed(&["GPU-none"]), vec![]),
        ] {
            let query = GpuQuery::new(count, &devices).unwrap();
            let seen: Vec<u32> = parse(SAID)
                .into_iter()
                .filter(|gpu| query.wanted.holds(gpu))
                .map(|gpu| gpu.index)
                .collect();
            assert_eq!(seen, expected, "{count} {devices:?}");
        }
        assert!(GpuQuery::new(0, &listed(&["0"])).is_none());
    }

    #[test]
    fn a_program_that_is_not_there_fails_or_says_nothing_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let ask = |script: Option<&str>| {
            let path = folder.path().join("program");
            let _ = std::fs::remove_file(&path);
            if let Some(script) = script {
                std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
                std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            }
            let mut query = GpuQuery::new(-1, &[]).unwrap();
            query.program = path.display().to_string();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            (runtime.block_on(query.ask()).len(), query.is_there)
        };
        assert_eq!(ask(None), (0, false));
        assert_eq!(ask(Some("exit 9")), (0, true));
        assert_eq!(ask(Some("echo '0, GPU-aa, 97, 1024, 24564'; exit 9")), (0, true));
        assert_eq!(ask(Some("echo '0, GPU-aa, 97, 1024, 24564'")), (1, true));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            let _ = parse(&text);
        }
    }
}
