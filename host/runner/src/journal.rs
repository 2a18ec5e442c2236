//! The journal of a run group: `events.jsonl`, an event a line, on the disk before what it says goes on.
//!
//! It only grows. Whoever reads it from the start knows how every run stands; a last line that was cut short by a kill is
//! what did not happen.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::event::{self, Event, EventKind, RunRecord};

/// The file's name.
pub const NAME: &str = "events.jsonl";

/// How a run stands.
#[derive(Clone, Debug, PartialEq)]
pub enum RunState {
    /// Nothing of it was done, or nothing that counts; `attempts` were begun.
    Waiting {
        /// Attempts that were begun and came to nothing.
        attempts: u32,
    },
    /// It has, or had, a container.
    Running {
        /// Which attempt.
        attempt: u32,
        /// The container's name.
        container: String,
        /// Its host.
        host: Option<String>,
        /// Its GPUs.
        devices: Vec<String>,
        /// When it was begun.
        since: String,
    },
    /// It is over.
    Finished(Box<RunRecord>),
}

/// A journal that is written.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Opens a journal to go on; makes it where it is missing. A last line that was cut short is taken away.
    pub(crate) fn open(folder: &Path) -> Result<Journal, Error> {
        let path = folder.join(NAME);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(Error::file(&path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::file(&path))?;
        let whole =
            bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1) as u64;
        file.set_len(whole)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(Error::file(&path))?;
        Ok(Journal { path, file: Mutex::new(file) })
    }

    /// Adds an event; it is on the disk when this returns.
    pub(crate) fn add(&self, run: Option<&str>, kind: EventKind) -> Result<Event, Error> {
        let event = Event { at: event::now(), run: run.map(str::to_owned), kind };
        self.write(std::slice::from_ref(&event))?;
        Ok(event)
    }

    /// Adds events, all or none of them; they are on the disk when this returns.
    pub(crate) fn write(&self, events: &[Event]) -> Result<(), Error> {
        let mut lines = String::new();
        for event in events {
            let line = serde_json::to_string(event).map_err(|error| Error::Group {
                path: self.path.clone(),
                message: format!("an event cannot be written: {error}"),
            })?;
            lines.push_str(&line);
            lines.push('\n');
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let end = file.stream_position().map_err(Error::file(&self.path))?;
        let written = file.write_all(lines.as_bytes()).and_then(|()| file.sync_data());
        if let Err(error) = written {
            // A disk that is full must not leave half a line, after which nothing could be read.
            let _ = file.set_len(end);
            let _ = file.seek(SeekFrom::Start(end));
            return Err(Error::file(&self.path)(error));
        }
        Ok(())
    }
}

/// Reads a journal; a last line that was cut short is passed over.
///
/// # Errors
/// [`Error::File`]; [`Error::Group`] with the line that is not understood.
pub fn read(folder: &Path) -> Result<Vec<Event>, Error> {
    let path = folder.join(NAME);
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole
        .lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| Error::Group {
                path: path.clone(),
                message: format!("line {} is not understood: {error}", index + 1),
            })
        })
        .collect()
}

/// How the runs of a journal stand, by id.
pub fn states(events: &[Event]) -> BTreeMap<String, RunState> {
    let mut states = BTreeMap::new();
    for event in events {
        let Some(run) = &event.run else { continue };
        let attempts = |states: &BTreeMap<String, RunState>| match states.get(run) {
            Some(RunState::Waiting { attempts }) => *attempts,
            Some(RunState::Running { attempt, .. }) => *attempt,
            _ => 0,
        };
        let state = match &event.kind {
            EventKind::Planned { .. } => RunState::Waiting { attempts: 0 },
            EventKind::Starting { attempt, container, host, devices } => RunState::Running {
                attempt: *attempt,
                container: container.clone(),
                host: host.clone(),
                devices: devices.clone(),
                since: event.at.clone(),
            },
            EventKind::Retrying { .. } | EventKind::Lost { .. } | EventKind::Interrupted => {
                RunState::Waiting { attempts: attempts(&states) }
            }
            EventKind::Finished { record } => RunState::Finished(record.clone()),
            _ => continue,
        };
        // What is finished stays so.
        if !matches!(states.get(run), Some(RunState::Finished(_))) {
            states.insert(run.clone(), state);
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starting(attempt: u32) -> EventKind {
        EventKind::Starting {
            attempt,
            container: format!("c{attempt}"),
            host: Some("h".into()),
            devices: Vec::new(),
        }
    }

    #[test]
    fn a_line_that_was_cut_short_did_not_happen() {
        let folder = tempfile::tempdir().unwrap();
        let planned = || EventKind::Planned { competition_id: "example".into(), seed: 0 };
        let journal = Journal::open(folder.path()).unwrap();
        journal.add(Some("a"), planned()).unwrap();
        journal.add(Some("a"), starting(1)).unwrap();
        let path = folder.path().join(NAME);
        let whole = std::fs::read_to_string(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let events = read(folder.path()).unwrap();
            assert_eq!(events.len(), whole[..cut].matches('\n').count());
            Journal::open(folder.path()).unwrap().add(Some("b"), planned()).unwrap();
            assert_eq!(read(folder.path()).unwrap().len(), events.len() + 1);
        }
    }

    #[test]
    fn states_follow_from_events() {
        let event = |kind| Event { at: "t".into(), run: Some("a".into()), kind };
        let retry = EventKind::Retrying { attempt: 1, reason: "r".into() };
        let mut events = vec![event(EventKind::Planned { competition_id: "e".into(), seed: 0 })];
        let state = |events: &[Event]| states(events).remove("a").unwrap();
        assert_eq!(state(&events), RunState::Waiting { attempts: 0 });
        events.push(event(starting(1)));
        assert!(matches!(state(&events), RunState::Running { attempt: 1, .. }));
        events.push(event(retry));
        assert_eq!(state(&events), RunState::Waiting { attempts: 1 });
        events.push(event(starting(2)));
        events.push(event(EventKind::Lost { attempt: 2, host: "h".into(), reason: "r".into() }));
        assert_eq!(state(&events), RunState::Waiting { attempts: 2 });
        events.push(event(starting(3)));
        events.push(event(EventKind::Interrupted));
        assert_eq!(state(&events), RunState::Waiting { attempts: 3 });
    }
}
