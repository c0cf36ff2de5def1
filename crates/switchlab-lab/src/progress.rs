//! How far it is, for people who wait: nothing in the first second, nothing where stderr is not a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A progress bar counted in slots. Any thread may advance it.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: AtomicBool,
    points: Mutex<Points>,
}

/// The points of a sweep: how many there are, how many are done, and the one that took longest.
#[derive(Debug, Default)]
struct Points {
    all: u64,
    done: u64,
    slowest: Option<(Duration, String)>,
}

impl Points {
    fn message(&self) -> String {
        let slowest =
            self.slowest.as_ref().map(|(took, name)| format!(", slowest {name}: {:.1} s", took.as_secs_f64()));
        format!(" {} of {} points{}", self.done, self.all, slowest.unwrap_or_default())
    }
}

impl Progress {
    /// A bar that shows itself on stderr, if that is a terminal, once a second has passed.
    pub fn new(slots: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(slots), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {per_sec} slots/s  {eta} left {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, begun: Instant::now(), shown: AtomicBool::new(false), points: Mutex::default() }
    }

    /// A bar that never shows itself.
    pub fn none() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            begun: Instant::now(),
            shown: AtomicBool::new(true),
            points: Mutex::default(),
        }
    }

    /// Expects more.
    pub fn expect(&self, slots: u64) {
        self.bar.inc_length(slots);
    }

    /// Expects more points of a sweep.
    pub fn expect_points(&self, points: u64) {
        let mut known = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        known.all += points;
        self.bar.set_message(known.message());
    }

    /// Counts a point done, and how long its runs took together.
    pub fn point_done(&self, name: &str, took: Duration) {
        let mut points = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        points.done += 1;
        if points.slowest.as_ref().is_none_or(|(longest, _)| took > *longest) {
            points.slowest = Some((took, name.to_string()));
        }
        self.bar.set_message(points.message());
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
