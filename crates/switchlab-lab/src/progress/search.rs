//! Progress of a search whose end cannot be predicted: announcement, state and stop.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time before anything is said.
const QUIET: Duration = Duration::from_secs(1);
/// Time between two pictures.
const REFRESH: Duration = Duration::from_millis(200);

/// Follows a search: a line on stderr that says what is done, once a second has passed; then the
/// state of the search, if stderr is a terminal; and the end of the search when `stop` is set.
#[derive(Debug)]
pub struct SearchProgress {
    /// The announcement; empty for none.
    announcement: String,
    stop: Arc<AtomicBool>,
    begun: Instant,
    next: Duration,
    bar: ProgressBar,
}

impl SearchProgress {
    /// A search that is announced with these words, and stopped by this flag.
    pub fn new(announcement: impl Into<String>, stop: Arc<AtomicBool>) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Self { announcement: announcement.into(), stop, begun: Instant::now(), next: QUIET, bar }
    }

    /// A search of which nothing is shown, and which is not stopped.
    pub fn none() -> Self {
        Self { next: Duration::MAX, ..Self::new("", Arc::default()) }
    }

    /// Whether the search is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Shows the state of the search, if it is time to. Returns whether the search is to go on.
    pub fn goes_on(&mut self, state: impl FnOnce() -> String) -> bool {
        if self.is_stopped() {
            return false;
        }
        let elapsed = self.begun.elapsed();
        if elapsed < self.next {
            return true;
        }
        self.next = elapsed + REFRESH;
        if !self.announcement.is_empty() {
            // An error of stderr cannot be reported.
            let _ = writeln!(std::io::stderr(), "{}", std::mem::take(&mut self.announcement));
            if std::io::stderr().is_terminal() {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
        self.bar.set_message(state());
        self.bar.tick();
        true
    }

    /// Removes the picture.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
