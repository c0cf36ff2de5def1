//! Announcements of long runs, also where stderr is no terminal: a run that takes minutes says so
//! early.
//!
//! A separate thread checks once a second. The threads that run slots cannot do this: a single
//! block of a slow switch may take minutes. At most two lines are written, each once:
//!
//! - nothing was finished for some seconds, with what is to be done;
//! - the whole takes longer than a minute, with the time that is left.

use super::ledger::Ledger;
use indicatif::{HumanCount, HumanDuration, ProgressBar};
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The interval of the checks.
const TICK: Duration = Duration::from_secs(1);
/// Nothing is said before this, and a run in which nothing is finished for as long is said to be
/// slow.
const QUIET: Duration = Duration::from_secs(5);
/// What takes longer than this in all is announced.
const LONG: Duration = Duration::from_mins(1);
/// Advice for the user.
const ADVICE: &str = "Fewer slots, replications or ports take less time; Ctrl-C stops.";

/// Which announcements were made, and when a block was last finished.
#[derive(Debug)]
struct Announcements {
    finished: u64,
    since: Duration,
    stalled: bool,
    long: bool,
}

impl Announcements {
    fn new() -> Self {
        Self { finished: 0, since: Duration::ZERO, stalled: false, long: false }
    }

    /// The line that is due after `elapsed`, if any.
    fn due(&mut self, ledger: &Ledger, elapsed: Duration) -> Option<String> {
        let finished = ledger.timed();
        if finished != self.finished {
            (self.finished, self.since) = (finished, elapsed);
        }
        if elapsed < QUIET {
            return None;
        }
        let left = ledger.time_left(elapsed);
        let stalls = elapsed.saturating_sub(self.since) >= QUIET;
        if let Some(left) = left.filter(|left| !self.long && !stalls && elapsed.saturating_add(*left) > LONG) {
            self.long = true;
            let rate = finished as f64 / elapsed.as_secs_f64();
            let rate = if rate < 10.0 { format!("{rate:.2}") } else { HumanCount(rate as u64).to_string() };
            let (slots, left) = (HumanCount(ledger.slots_left()), HumanDuration(left));
            return Some(format!("note: {slots} slots are left, about {left} at {rate} slots/s. {ADVICE}"));
        }
        if stalls && !self.stalled && !self.long {
            self.stalled = true;
            let (seconds, work) = (QUIET.as_secs(), ledger.work_left());
            return Some(format!("note: nothing was finished within {seconds} s; to do: {work}. {ADVICE}"));
        }
        None
    }
}

/// The thread; it ends when this is stopped or dropped.
#[derive(Debug, Default)]
pub(super) struct Announcer {
    stop: Mutex<Option<Sender<()>>>,
}

impl Announcer {
    /// Starts the thread. If the system refuses it, nothing is announced.
    pub(super) fn start(ledger: Arc<Ledger>, bar: ProgressBar) -> Self {
        let (stop, stopped) = channel();
        let begun = Instant::now();
        let mut announcements = Announcements::new();
        let watch = move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if let Some(line) = announcements.due(&ledger, begun.elapsed()) {
                    // An error of stderr cannot be reported.
                    let _ = bar.suspend(|| writeln!(std::io::stderr(), "{line}"));
                }
            }
        };
        let started = std::thread::Builder::new().name("announcer".to_string()).spawn(watch);
        Self { stop: Mutex::new(started.is_ok().then_some(stop)) }
    }

    pub(super) fn stop(&self) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_first_block_that_takes_long_is_not_silent() {
        let (ledger, mut said) = (Ledger::default(), Announcements::new());
        ledger.expect("slow", 1024, 1, 200);
        assert_eq!(said.due(&ledger, seconds(4)), None);
        let line = said.due(&ledger, seconds(5)).unwrap();
        assert!(line.contains("nothing was finished within 5 s; to do: slow at 1024 ports, 200 slots."), "{line}");
        assert_eq!(said.due(&ledger, seconds(6)), None);
        // The first block is done after 78 seconds: 168 more slots take some seven minutes.
        ledger.work("slow", 1024).add(32, seconds(78));
        let line = said.due(&ledger, seconds(79)).unwrap();
        assert!(line.contains("168 slots are left, about 7 minutes at 0.41 slots/s"), "{line}");
        assert_eq!(said.due(&ledger, seconds(200)), None);
    }

    /// The first switch is fast, the second one has not finished a block: the rate of the first
    /// says nothing.
    #[test]
    fn a_switch_that_stalls_after_another_is_named() {
        let (ledger, mut said) = (Ledger::default(), Announcements::new());
        ledger.expect("fast", 16, 1, 1000);
        ledger.expect("slow", 16, 1, 1000);
        ledger.work("fast", 16).add(1000, seconds(1));
        assert_eq!(said.due(&ledger, seconds(1)), None);
        assert_eq!(said.due(&ledger, seconds(5)), None);
        let line = said.due(&ledger, seconds(6)).unwrap();
        assert!(line.contains("to do: slow at 16 ports, 1,000 slots."), "{line}");
    }

    #[test]
    fn only_what_takes_more_than_a_minute_is_announced() {
        let (ledger, mut said) = (Ledger::default(), Announcements::new());
        ledger.expect("a", 16, 10, 1000);
        for second in 1..=10 {
            ledger.work("a", 16).add(1000, seconds(1));
            assert_eq!(said.due(&ledger, seconds(second)), None);
        }
        let (ledger, mut said) = (Ledger::default(), Announcements::new());
        ledger.expect("a", 16, 1, 100_000);
        ledger.work("a", 16).add(5000, seconds(5));
        let line = said.due(&ledger, seconds(5)).unwrap();
        assert!(line.contains("95,000 slots are left, about 2 minutes at 1,000 slots/s"), "{line}");
    }
}
