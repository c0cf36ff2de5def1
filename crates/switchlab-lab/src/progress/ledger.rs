//! How long it will still take: for each kind of work, the slots that are left and what a slot of
//! it has taken so far.
//!
//! A kind is a switch and a number of ports: a slot of `mwm` at 256 ports takes a hundred times one
//! of `tdm` at 16, so neither slots nor finished runs of one kind predict another. The time left is
//!
//! ```text
//!   sum over kinds of (slots left x nanoseconds per slot) / runs at work at once
//! ```
//!
//! where the runs at work are those seen so far, busy time over elapsed time, and no less than what
//! a kind of few runs takes by itself: a single long run is not divided among cores. Of a kind that
//! has not begun, the cost is that of a calibration, or else the mean of the others for each port.

use indicatif::HumanCount;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most kinds that are named in a line.
const MOST_NAMED: usize = 3;

/// Counts of the work on one kind. Any thread may add to them.
#[derive(Debug, Default)]
pub(crate) struct Work {
    ports: u64,
    /// Slots that are to be run in all, and in how many runs.
    expected: AtomicU64,
    runs: AtomicU64,
    /// Slots that need not be run any more, and those of them that were run here, with their time.
    done: AtomicU64,
    timed: AtomicU64,
    busy: AtomicU64,
    /// Picoseconds per slot, from a calibration; 0 if there was none.
    calibrated: AtomicU64,
}

impl Work {
    /// Counts slots that were run.
    pub(super) fn add(&self, slots: u64, took: Duration) {
        self.done.fetch_add(slots, Relaxed);
        self.timed.fetch_add(slots, Relaxed);
        self.busy.fetch_add(took.as_nanos() as u64, Relaxed);
    }

    /// Counts slots that need not be run.
    pub(super) fn skip(&self, slots: u64) {
        self.done.fetch_add(slots, Relaxed);
    }

    fn left(&self) -> u64 {
        self.expected.load(Relaxed).saturating_sub(self.done.load(Relaxed))
    }

    /// Nanoseconds per slot, from what was run.
    fn measured(&self) -> Option<f64> {
        let timed = self.timed.load(Relaxed);
        (timed > 0).then(|| self.busy.load(Relaxed) as f64 / timed as f64)
    }

    fn calibrated(&self) -> Option<f64> {
        Some(self.calibrated.load(Relaxed)).filter(|&picoseconds| picoseconds > 0).map(|it| it as f64 / 1e3)
    }
}

/// All kinds of work.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    kinds: Mutex<BTreeMap<(String, usize), Arc<Work>>>,
}

impl Ledger {
    fn kinds(&self) -> MutexGuard<'_, BTreeMap<(String, usize), Arc<Work>>> {
        // Estimates only: the state that a panic elsewhere left is good enough.
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work on a kind, by the switch's canonical spec.
    pub(super) fn work(&self, switch: &str, ports: usize) -> Arc<Work> {
        let new = || Arc::new(Work { ports: ports as u64, ..Work::default() });
        self.kinds().entry((switch.to_string(), ports)).or_insert_with(new).clone()
    }

    /// Expects more runs of a kind.
    pub(super) fn expect(&self, switch: &str, ports: usize, runs: u64, slots: u64) {
        let work = self.work(switch, ports);
        work.expected.fetch_add(runs.saturating_mul(slots), Relaxed);
        work.runs.fetch_add(runs, Relaxed);
    }

    /// Of a kind, this many slots are left, whatever was expected before.
    pub(super) fn set_remaining(&self, switch: &str, ports: usize, slots: u64) {
        let work = self.work(switch, ports);
        work.expected.store(work.done.load(Relaxed).saturating_add(slots), Relaxed);
    }

    /// What a slot takes, before any was run.
    pub(super) fn calibrate(&self, switch: &str, ports: usize, nanoseconds: f64) {
        self.work(switch, ports).calibrated.store((nanoseconds * 1e3) as u64, Relaxed);
    }

    /// Slots run so far.
    pub(super) fn timed(&self) -> u64 {
        self.kinds().values().map(|work| work.timed.load(Relaxed)).sum()
    }

    /// Slots that are to be run yet.
    pub(super) fn slots_left(&self) -> u64 {
        self.kinds().values().map(|work| work.left()).fold(0, u64::saturating_add)
    }

    /// The kinds that have work left, in words: the first few, and how many more there are.
    pub(super) fn work_left(&self) -> String {
        let kinds = self.kinds();
        let mut open = kinds.iter().filter(|(_, work)| work.left() > 0 || work.timed.load(Relaxed) == 0);
        let name = |((switch, ports), work): (&(String, usize), &Arc<Work>)| {
            let slots = work.left();
            let slots = if slots > 0 { format!(", {} slots", HumanCount(slots)) } else { String::new() };
            format!("{switch} at {ports} ports{slots}")
        };
        let mut names: Vec<String> = open.by_ref().take(MOST_NAMED).map(name).collect();
        let more = open.count();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        names.join("; ")
    }

    /// The time that is left; None while nothing is known.
    pub(super) fn time_left(&self, elapsed: Duration) -> Option<Duration> {
        let kinds = self.kinds();
        let busy: u64 = kinds.values().map(|work| work.busy.load(Relaxed)).sum();
        let visits: u64 = kinds.values().map(|work| work.timed.load(Relaxed) * work.ports).sum();
        if visits == 0 || elapsed.is_zero() {
            return None;
        }
        let per_port = busy as f64 / visits as f64;
        let at_work = (busy as f64 / elapsed.as_nanos() as f64).max(0.1);
        let (mut sum, mut longest) = (0.0, 0.0_f64);
        for work in kinds.values() {
            let cost = work.measured().or_else(|| work.calibrated()).unwrap_or(per_port * work.ports as f64);
            let left = work.left() as f64 * cost;
            sum += left;
            longest = longest.max(left / (work.runs.load(Relaxed).max(1) as f64).min(at_work));
        }
        Some(Duration::from_nanos((sum / at_work).max(longest) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// One half of the slots is done, but the other half takes ten times as long each.
    #[test]
    fn slots_of_a_slow_switch_count_for_more() {
        let ledger = Ledger::default();
        ledger.expect("fast", 16, 4, 250);
        ledger.expect("slow", 16, 4, 250);
        assert_eq!(ledger.time_left(SECOND), None);
        ledger.work("fast", 16).add(1000, SECOND);
        // Nothing is known of the other: as long for each port.
        assert_eq!(ledger.time_left(SECOND), Some(SECOND));
        ledger.calibrate("slow", 16, 2e6);
        assert_eq!(ledger.time_left(SECOND), Some(2 * SECOND));
        // Measured times replace a calibration: 100 slots in a second, 900 left.
        ledger.work("slow", 16).add(100, SECOND);
        assert_eq!(ledger.time_left(2 * SECOND), Some(9 * SECOND));
    }

    #[test]
    fn what_is_left_is_named() {
        let ledger = Ledger::default();
        for switch in ["a", "b", "c", "d", "e"] {
            ledger.expect(switch, 16, 2, 1000);
        }
        ledger.work("a", 16).add(2000, SECOND);
        ledger.work("b", 16).add(500, SECOND);
        let rest = "c at 16 ports, 2,000 slots; d at 16 ports, 2,000 slots; 1 more";
        assert_eq!(ledger.work_left(), format!("b at 16 ports, 1,500 slots; {rest}"));
        assert_eq!(ledger.slots_left(), 7500);
        // A calculation has no slots.
        let calculation = Ledger::default();
        calculation.expect("memories-needed", 4, 1, 0);
        assert_eq!(calculation.work_left(), "memories-needed at 4 ports");
    }

    #[test]
    fn cores_are_those_seen_at_work() {
        let ledger = Ledger::default();
        ledger.expect("a", 16, 4, 1000);
        ledger.work("a", 16).add(2000, 2 * SECOND);
        assert_eq!(ledger.time_left(SECOND), Some(SECOND));
        // A kind that is twice as large in ports and has a single run, which two cores do not
        // share.
        ledger.expect("b", 32, 1, 1000);
        assert_eq!(ledger.time_left(SECOND), Some(2 * SECOND));
    }

    #[test]
    fn what_remains_replaces_what_was_expected() {
        let ledger = Ledger::default();
        ledger.expect("a", 16, 1, 1000);
        ledger.work("a", 16).add(1000, SECOND);
        assert_eq!(ledger.time_left(SECOND), Some(Duration::ZERO));
        ledger.set_remaining("a", 16, 7000);
        assert_eq!(ledger.time_left(SECOND), Some(7 * SECOND));
        ledger.set_remaining("a", 16, 3000);
        ledger.work("a", 16).skip(2000);
        assert_eq!(ledger.time_left(SECOND), Some(SECOND));
        assert_eq!(ledger.timed(), 1000);
    }
}
