//! What happens in a run group, as lines on stderr.

use std::sync::Mutex;
use std::sync::PoisonError;

use podium_runner::{Event, EventKind, Observer};

use crate::output;

/// Says each event in a line, with how many runs are over.
pub(super) struct Lines {
    runs: usize,
    finished: Mutex<usize>,
}

impl Lines {
    /// For a group of this many runs.
    pub(super) fn new(runs: usize) -> Lines {
        Lines { runs, finished: Mutex::new(0) }
    }
}

impl Observer for Lines {
    fn event(&self, event: &Event) {
        let run = event.run.as_deref().unwrap_or_default();
        let text = match &event.kind {
            EventKind::Started { attempt: 1 } => format!("{run}: started"),
            EventKind::Started { attempt } => format!("{run}: started, attempt {attempt}"),
            EventKind::Reattached { .. } => format!("{run}: taken over"),
            EventKind::DeadlineReached => format!("{run}: the time is over"),
            EventKind::Retrying { reason, .. } => format!("{run}: will be tried again: {reason}"),
            EventKind::Lost { host, reason, .. } => {
                format!("{run}: lost on `{host}`, and will be run anew: {reason}")
            }
            EventKind::HostSilent { host, reason } => {
                format!("the host `{host}` does not answer yet: {reason}")
            }
            EventKind::HostGone { host, reason } => {
                format!("the host `{host}` is gone, its runs go to others: {reason}")
            }
            EventKind::HostBack { host } => format!("the host `{host}` is back"),
            EventKind::Interrupted => format!("{run}: stopped"),
            EventKind::Finished { record } => {
                let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
                *finished += 1;
                let more =
                    record.message.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
                format!(
                    "{run}: {}{more} ({finished} of {} in this call)",
                    record.ending.name(),
                    self.runs
                )
            }
            EventKind::Draining => "nothing new is started".to_owned(),
            EventKind::Planned { .. }
            | EventKind::Starting { .. }
            | EventKind::RunnerStarted { .. }
            | EventKind::GroupFinished => return,
        };
        output::error_line(&output::harmless(&text));
    }
}
