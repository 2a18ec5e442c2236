//! What happens in a run group, as it happens: a line an event on stderr, below them a table on a terminal; or JSON.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};

use podium_runner::{Event, EventKind, Observer, RunGroup};

use super::live_view::LiveView;
use crate::output;

/// Says each event, with how many runs are over.
pub(super) struct Show {
    runs: usize,
    finished: Mutex<usize>,
    json: bool,
    view: Option<LiveView>,
}

impl Show {
    /// For this group. With `json`, each event is a JSON object in a line.
    pub(super) fn of(group: &RunGroup, json: bool) -> Show {
        let draws = !json && std::io::stderr().is_terminal();
        Show {
            runs: group.definition.runs.len(),
            finished: Mutex::new(0),
            json,
            view: draws.then(|| LiveView::start(group.folder.clone(), group.definition.clone())),
        }
    }
}

impl Observer for Show {
    fn event(&self, event: &Event) {
        if self.json {
            output::error_line(&serde_json::to_string(event).unwrap_or_default());
            return;
        }
        let Some(mut text) = in_words(event) else { return };
        if let EventKind::Finished { .. } = &event.kind {
            let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            *finished += 1;
            text.push_str(&format!(" ({finished} of {} in this call)", self.runs));
        }
        match &self.view {
            Some(view) => view.print(&text),
            None => output::error_line(&text),
        }
    }
}

/// The event as a line that steers no terminal; nothing for what nobody asks for.
pub(super) fn in_words(event: &Event) -> Option<String> {
    let run = event.run.as_deref().unwrap_or_default();
    let text = match &event.kind {
        EventKind::Started { attempt: 1 } => format!("{run}: started"),
        EventKind::Started { attempt } => format!("{run}: started, attempt {attempt}"),
        EventKind::Reattached { .. } => format!("{run}: taken over"),
        EventKind::DeadlineReached => format!("{run}: the time is over"),
        EventKind::OverTime { seconds } => {
            format!(
                "{run}: went on for {seconds} s beyond its time limit, because no runner was there to end it"
            )
        }
        EventKind::SnapshotLeftOut { reason } => {
            format!("{run}: a snapshot of the submission is not kept: {reason}")
        }
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
            let more = record.message.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("{run}: {}{more}", record.ending.name())
        }
        EventKind::Draining => "nothing new is started".to_owned(),
        EventKind::Planned { .. }
        | EventKind::Starting { .. }
        | EventKind::RunnerStarted { .. }
        | EventKind::GroupFinished => return None,
    };
    Some(output::harmless(&text))
}
