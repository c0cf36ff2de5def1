//! What was measured in a unit, as JSON and back, exactly.

use super::plausible::plausible;
use crate::run::{Cells, Measured};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use switchlab_core::Counter;
use switchlab_core::meter::{Bin, Histogram, Timeline};

/// [`Measured`] as it is kept. Arrays rather than objects where there are hundreds of the same
/// kind.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    ports: usize,
    slots: u64,
    warmup: u64,
    delays: Delays,
    timeline: Course,
    cells: Cells,
    backlog_end: u64,
    fairness: Option<f64>,
    by_input: Vec<(u64, u64)>,
    by_output: Vec<(u64, u64)>,
    /// Name, sum, and what to divide by.
    counters: Vec<(String, u64, u64)>,
    ended_early: Option<u64>,
    /// Of the outputs within their share, where others are oversubscribed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    within: Option<Course>,
    /// As hexadecimal digits: some JSON readers round numbers to 53 bits.
    fingerprint: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Delays {
    sum: u64,
    max: u32,
    /// Delay and count of each bucket that is not empty.
    buckets: Vec<(u32, u64)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Course {
    width: u64,
    filled: u64,
    /// Sum of backlogs, arrivals, departures, sum of delays, their number.
    bins: Vec<[u64; 5]>,
}

impl Course {
    fn of(timeline: &Timeline) -> Self {
        let (bins, width, filled) = timeline.parts();
        let bin = |bin: &Bin| [bin.backlog_sum, bin.arrivals, bin.departures, bin.delay_sum, bin.delays];
        Self { width, filled, bins: bins.iter().map(bin).collect() }
    }

    /// None if no run can have had it.
    fn timeline(self) -> Option<Timeline> {
        let bin = |[backlog_sum, arrivals, departures, delay_sum, delays]: [u64; 5]| Bin {
            backlog_sum,
            arrivals,
            departures,
            delay_sum,
            delays,
        };
        Timeline::from_parts(self.bins.into_iter().map(bin).collect(), self.width, self.filled)
    }
}

impl Record {
    pub(super) fn of(measured: &Measured) -> Self {
        let delays = &measured.delays;
        Self {
            ports: measured.ports,
            slots: measured.slots,
            warmup: measured.warmup,
            delays: Delays { sum: delays.sum(), max: delays.max(), buckets: delays.buckets().collect() },
            timeline: Course::of(&measured.timeline),
            within: measured.within.as_ref().map(Course::of),
            cells: measured.cells,
            backlog_end: measured.backlog_end,
            fairness: measured.jain,
            by_input: measured.by_input.clone(),
            by_output: measured.by_output.clone(),
            counters: measured.counters.iter().map(|c| (c.name.to_string(), c.sum, c.per)).collect(),
            ended_early: measured.ended_early,
            fingerprint: measured.fingerprint.map(|fingerprint| format!("{fingerprint:016x}")),
        }
    }

    /// None if no run can have measured this.
    pub(super) fn measured(self) -> Option<Measured> {
        let measured = Measured {
            ports: self.ports,
            slots: self.slots,
            warmup: self.warmup,
            delays: Histogram::from_parts(&self.delays.buckets, self.delays.sum, self.delays.max)?,
            timeline: self.timeline.timeline()?,
            cells: self.cells,
            backlog_end: self.backlog_end,
            jain: self.fairness,
            by_input: self.by_input,
            by_output: self.by_output,
            counters: self
                .counters
                .into_iter()
                .map(|(name, sum, per)| Counter { name: intern(name), sum, per })
                .collect(),
            ended_early: self.ended_early,
            fingerprint: match self.fingerprint {
                Some(digits) => Some(u64::from_str_radix(&digits, 16).ok()?),
                None => None,
            },
            // Experiments do not measure it: `same-departures` compares every cell.
            oq_lag: None,
            occupancy: None,
            port_delays: None,
            class_delays: None,
            within: match self.within {
                Some(within) => Some(within.timeline()?),
                None => None,
            },
            kinds: None,
        };
        plausible(&measured).then_some(measured)
    }
}

/// The name of a counter as the core has it: for as long as the program runs. There are a few dozen
/// names in all, so they are kept rather than looked up in a switch built for the purpose, which
/// may be large.
pub(crate) fn intern(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let kept: &'static str = Box::leak(name.into_boxed_str());
    names.insert(kept);
    kept
}
