//! How far it is, for people who wait: nothing in the first second, nothing where stderr is not a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A progress bar counted in slots. Any thread may advance it.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: AtomicBool,
}

impl Progress {
    /// A bar that shows itself on stderr, if that is a terminal, once a second has passed.
    pub fn new(slots: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(slots), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {per_sec} slots/s  {eta} left {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, begun: Instant::now(), shown: AtomicBool::new(false) }
    }

    /// A bar that never shows itself.
    pub fn none() -> Self {
        Self { bar: ProgressBar::hidden(), begun: Instant::now(), shown: AtomicBool::new(true) }
    }

    /// Expects more.
    pub fn expect(&self, slots: u64) {
        self.bar.inc_length(slots);
    }

    /// Counts slots done.
    pub fn advance(&self, slots: u64) {
        self.bar.inc(slots);
        if !self.shown.load(Ordering::Relaxed)
            && self.begun.elapsed() > Duration::from_secs(1)
            && !self.shown.swap(true, Ordering::Relaxed)
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
