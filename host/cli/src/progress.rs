//! A progress bar on stderr, for a person who waits; nothing where nobody looks.
//!
//! Relies on indicatif, which draws only on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that counts what is done.
#[derive(Clone, Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar of this many steps, with what is done in one of them: `graded`.
    pub(crate) fn of(steps: usize, done: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
        let template = format!(
            "{{spinner:.green}} {{pos}}/{{len}} {done} [{{bar:30.cyan/blue}}] {{elapsed}}, {{eta}} left  {{wide_msg}}"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }

    /// There are that many steps.
    pub(crate) fn expect(&self, steps: usize) {
        self.0.set_length(steps as u64);
    }

    /// Says what is being done.
    pub(crate) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// One step is done.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
