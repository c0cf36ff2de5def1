//! Progress and remaining time: a bar if stderr is a terminal, not in the first second; and a line
//! about runs that take longer than a minute, whatever stderr is.
//!
//! Clocks are read for this alone: no result and no byte of output depends on them.

mod announcer;
mod ledger;
mod search;

pub(crate) use ledger::Work;
pub use search::SearchProgress;

use crate::error::LabError;
use announcer::Announcer;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ledger::Ledger;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The bar counts thousandths of the time, not slots: those of one switch may take a hundred times
/// those of another.
const WHOLE: u64 = 1000;
/// Milliseconds before the bar is shown, and between two pictures of it.
const QUIET: u64 = 1000;
const REFRESH: u64 = 200;

/// A progress bar with a prediction. Any thread may advance it.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    /// When to draw next, in milliseconds from the beginning; never, if the bar is hidden.
    next: AtomicU64,
    ledger: Arc<Ledger>,
    points: Mutex<Points>,
    announcer: Announcer,
    /// Whether the work is to end.
    stopped: AtomicBool,
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
        if self.all == 0 {
            return String::new();
        }
        let slowest =
            self.slowest.as_ref().map(|(took, name)| format!(", slowest {name}: {:.1} s", took.as_secs_f64()));
        format!("  {} of {} points{}", self.done, self.all, slowest.unwrap_or_default())
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// A bar that shows itself on stderr, if that is a terminal, once a second has passed. What
    /// takes long is announced on stderr in any case.
    pub fn new() -> Self {
        let ledger = Arc::new(Ledger::default());
        if !std::io::stderr().is_terminal() {
            let announcer = Announcer::start(Arc::clone(&ledger), ProgressBar::hidden());
            return Self { ledger, announcer, ..Self::none() };
        }
        let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let announcer = Announcer::start(Arc::clone(&ledger), bar.clone());
        Self { bar, next: AtomicU64::new(QUIET), ledger, announcer, ..Self::none() }
    }

    /// A bar that never shows itself, and no announcements.
    pub fn none() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            begun: Instant::now(),
            next: AtomicU64::new(u64::MAX),
            ledger: Arc::default(),
            points: Mutex::default(),
            announcer: Announcer::default(),
            stopped: AtomicBool::new(false),
        }
    }

    /// Ends the work that this progress is of: between two blocks, with
    /// [`crate::LabError::Interrupted`]. Any thread may call it.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// An error if the work is to end.
    pub(crate) fn check(&self) -> Result<(), LabError> {
        if self.stopped.load(Ordering::Relaxed) { Err(LabError::Interrupted) } else { Ok(()) }
    }

    /// The slots that were run so far, and those that are expected yet, for a caller that shows
    /// its own progress.
    pub fn slots(&self) -> (u64, u64) {
        (self.ledger.timed(), self.ledger.slots_left())
    }

    /// Whether it may ever be shown.
    pub(crate) fn is_watched(&self) -> bool {
        self.next.load(Ordering::Relaxed) != u64::MAX
    }

    /// Expects more runs of a switch, by its canonical spec, of this many slots each.
    pub(crate) fn expect(&self, switch: &str, ports: usize, runs: u64, slots: u64) {
        self.ledger.expect(switch, ports, runs, slots);
    }

    /// Of a switch, this many slots are left, whatever was expected before.
    pub(crate) fn set_remaining(&self, switch: &str, ports: usize, slots: u64) {
        self.ledger.set_remaining(switch, ports, slots);
    }

    /// What a slot of a switch takes, before any was run.
    pub(crate) fn calibrate(&self, switch: &str, ports: usize, nanoseconds: f64) {
        self.ledger.calibrate(switch, ports, nanoseconds);
    }

    /// Expects more points of a sweep.
    pub(crate) fn expect_points(&self, points: u64) {
        self.points.lock().unwrap_or_else(PoisonError::into_inner).all += points;
    }

    /// Counts a point done, and how long its runs took together.
    pub(crate) fn point_done(&self, name: &str, took: Duration) {
        let mut points = self.points.lock().unwrap_or_else(PoisonError::into_inner);
        points.done += 1;
        if points.slowest.as_ref().is_none_or(|(longest, _)| took > *longest) {
            points.slowest = Some((took, name.to_string()));
        }
    }

    /// The work on a switch, to be advanced.
    pub(crate) fn work(&self, switch: &str, ports: usize) -> Arc<Work> {
        self.ledger.work(switch, ports)
    }

    /// Counts slots that were run, and their time.
    pub(crate) fn advance(&self, work: &Work, slots: u64, took: Duration) {
        work.add(slots, took);
        self.draw();
    }

    /// Counts slots that need not be run.
    pub(crate) fn skip(&self, work: &Work, slots: u64) {
        work.skip(slots);
        self.draw();
    }

    /// Draws the bar if it is time to.
    fn draw(&self) {
        let next = self.next.load(Ordering::Relaxed);
        if next == u64::MAX {
            return;
        }
        let elapsed = self.begun.elapsed();
        let now = elapsed.as_millis() as u64;
        // If several threads find that it is time, one draws.
        let ours = || self.next.compare_exchange(next, now + REFRESH, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if now < next || !ours() {
            return;
        }
        let slots_per_second = self.ledger.timed() as f64 / elapsed.as_secs_f64();
        let speed = format!("{} slots/s", HumanCount(slots_per_second as u64));
        // Narrow terminals cut the end off, so the time comes first.
        let left = self.ledger.time_left(elapsed);
        if let Some(left) = left {
            let share = elapsed.as_secs_f64() / (elapsed + left).as_secs_f64();
            self.bar.set_position((share * WHOLE as f64) as u64);
        }
        let left = left.map_or(String::new(), |left| format!("about {} left  ", HumanDuration(left)));
        let points = self.points.lock().unwrap_or_else(PoisonError::into_inner).message();
        self.bar.set_message(left + &speed + &points);
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }

    /// Removes the bar, and ends announcements.
    pub fn finish(&self) {
        self.announcer.stop();
        self.bar.finish_and_clear();
    }
}
