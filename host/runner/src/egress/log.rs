//! What a run asked for through the proxy: `egress.jsonl` in its folder, and the sums in its record.
//!
//! A request is a line when it is decided, and another when it is over, so that a runner that is killed meanwhile has
//! written what an agent did.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::allow_list::Target;
use crate::event;

/// What a run asked for through the proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EgressRecord {
    /// Requests and tunnels that were asked for.
    pub requests: u64,
    /// Of these, connected.
    pub connected: u64,
    /// Of these, refused: not listed, not public, not understood, too many.
    pub refused: u64,
    /// Of these, listed and not reached.
    pub failed: u64,
    /// Bytes that went out.
    pub sent_bytes: u64,
    /// Bytes that came back.
    pub received_bytes: u64,
}

/// The log of a run.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    most: u64,
    record: Mutex<EgressRecord>,
}

/// A request that was connected; its end is written when this is dropped.
#[derive(Debug)]
pub(super) struct Ongoing {
    log: Arc<Log>,
    number: u64,
    bytes: Mutex<(u64, u64)>,
}

/// How a request was decided.
pub(super) enum Decision<'a> {
    Connected(SocketAddr),
    Refused(&'a str),
    Failed(&'a str),
}

impl Log {
    /// The log of the run in this folder, with at most so many requests. One that a runner before this one wrote is
    /// gone on with.
    pub(super) fn open(run_folder: &Path, most: u64) -> Log {
        let path = run_folder.join("egress.jsonl");
        let mut record = EgressRecord::default();
        for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
            let bytes = |name: &str| line[name].as_u64().unwrap_or_default();
            record.sent_bytes += bytes("sent_bytes");
            record.received_bytes += bytes("received_bytes");
            let Some(decision) = line["decision"].as_str() else { continue };
            record.requests += 1;
            match decision {
                "connected" => record.connected += 1,
                "failed" => record.failed += 1,
                _ => record.refused += 1,
            }
        }
        Log { path, most, record: Mutex::new(record) }
    }

    /// What was asked so far.
    pub(super) fn record(&self) -> EgressRecord {
        self.lock().clone()
    }

    /// Whether one more request may be made.
    pub(super) fn has_room(&self) -> bool {
        self.lock().requests < self.most
    }

    /// Counts and notes a request. The first beyond the most is the last line; whatever follows is counted alone, so that an
    /// agent cannot fill the disk.
    pub(super) fn decide(
        &self,
        method: &str,
        target: Option<&Target>,
        decision: &Decision<'_>,
    ) -> u64 {
        let (name, address, why) = match decision {
            Decision::Connected(address) => ("connected", Some(address.to_string()), None),
            Decision::Refused(why) => ("refused", None, Some(*why)),
            Decision::Failed(why) => ("failed", None, Some(*why)),
        };
        let number = {
            let mut record = self.lock();
            record.requests += 1;
            match decision {
                Decision::Connected(_) => record.connected += 1,
                Decision::Refused(_) => record.refused += 1,
                Decision::Failed(_) => record.failed += 1,
            }
            record.requests
        };
        if number <= self.most.saturating_add(1) {
            self.write(&json!({
                "at": event::now(),
                "request": number,
                "method": method,
                "host": target.map(|target| target.host.to_string()),
                "port": target.map(|target| target.port),
                "decision": name,
                "address": address,
                "why": why,
            }));
        }
        number
    }

    fn lock(&self) -> MutexGuard<'_, EgressRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line. A disk that is full costs the line, not the request.
    fn write(&self, line: &Value) {
        let _ = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    }
}

impl Ongoing {
    /// The connected request of this number.
    pub(super) fn new(log: Arc<Log>, number: u64) -> Ongoing {
        Ongoing { log, number, bytes: Mutex::new((0, 0)) }
    }

    /// Counts bytes that went out.
    pub(super) fn sent(&self, count: usize) {
        self.bytes().0 += count as u64;
        self.log.lock().sent_bytes += count as u64;
    }

    /// Counts bytes that came back.
    pub(super) fn received(&self, count: usize) {
        self.bytes().1 += count as u64;
        self.log.lock().received_bytes += count as u64;
    }

    fn bytes(&self) -> MutexGuard<'_, (u64, u64)> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ongoing {
    fn drop(&mut self) {
        let (sent, received) = *self.bytes();
        self.log.write(&json!({
            "at": event::now(),
            "request": self.number,
            "ended": true,
            "sent_bytes": sent,
            "received_bytes": received,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_gone_on_with_and_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::of(&"a.example:443".parse().unwrap(), true).unwrap();
        let log = Arc::new(Log::open(folder.path(), 4));
        let number = log.decide(
            "CONNECT",
            Some(&target),
            &Decision::Connected("[::1]:443".parse().unwrap()),
        );
        let ongoing = Ongoing::new(Arc::clone(&log), number);
        ongoing.sent(3);
        ongoing.received(5);
        log.decide("CONNECT", Some(&target), &Decision::Refused("no"));
        drop(ongoing);
        let before = log.record();
        assert_eq!((before.sent_bytes, before.received_bytes), (3, 5));
        assert_eq!((before.requests, before.connected, before.refused), (2, 1, 1));

        let log = Log::open(folder.path(), 4);
        assert_eq!(log.record(), before);
        log.decide("CONNECT", Some(&target), &Decision::Failed("nobody"));
        assert!(log.has_room());
        log.decide("GET", None, &Decision::Refused("no"));
        assert!(!log.has_room());
        log.decide("GET", None, &Decision::Refused("too many"));
        log.decide("GET", None, &Decision::Refused("far too many"));
        assert_eq!(log.record().requests, 6);
        let text = std::fs::read_to_string(folder.path().join("egress.jsonl")).unwrap();
        assert_eq!(
            text.lines().count(),
            6,
            "four requests, one of which ended, and one more: {text}"
        );
        assert!(text.contains("too many") && !text.contains("far too many"), "{text}");
    }
}
