//! What is counted, in whole numbers and in constant memory.
//!
//! ```text
//!   arrivals ──┐                 ┌─► Histogram: delays of cells within the window
//!   departures ┼─► Meter ────────┼─► Flows: counts for each input and output, order
//!   dropped ───┘                 └─► Timeline: backlog, delay and departures over time
//! ```
//!
//! Two separate, optional meters: [`OqLag`], how far each cell is behind the ideal output-queued
//! switch, and [`Occupancy`], how long each queue is.
//!
//! A meter sees arrivals, departures and drops, never a queue. It observes the warm-up too, so that
//! the backlog and the order of cells are known when the window opens; counts of the warm-up are
//! then discarded.

mod delays;
mod fingerprint;
pub mod flows;
pub mod histogram;
pub mod occupancy;
pub mod oq_lag;
pub mod timeline;

pub use fingerprint::Fingerprint;
pub use flows::Flows;
pub use histogram::Histogram;
pub use occupancy::Occupancy;
pub use oq_lag::{Lags, OqLag};
pub use timeline::{Bin, Timeline};

use crate::cell::{Block, Cell, Dropped, NONE, Port, Slot};
use alloc::vec::Vec;
use delays::Delays;
use flows::Departed;

/// All meters of a run.
#[derive(Clone, Debug)]
pub struct Meter {
    /// The first slot of the window.
    opened: Slot,
    /// Cells inside.
    backlog: u64,
    /// Cells that arrived in the window and were dropped.
    dropped: u64,
    delays: Delays,
    flows: Flows,
    /// Over time.
    pub timeline: Timeline,
    /// By slot of a block: scratch, kept to avoid allocations.
    departed: Vec<Departed>,
}

impl Meter {
    /// A meter whose window is open from slot 0.
    pub fn new(ports: usize) -> Self {
        Self {
            opened: 0,
            backlog: 0,
            dropped: 0,
            delays: Delays::new(),
            flows: Flows::new(ports),
            timeline: Timeline::new(),
            departed: Vec::new(),
        }
    }

    /// The bytes of a meter for a switch of `ports` ports, in a run that is long enough for all of
    /// its counts. An upper bound.
    pub fn fixed_bytes(ports: usize) -> u64 {
        size_of::<Self>() as u64 + Flows::fixed_bytes(ports) + Delays::BYTES + Timeline::BYTES
    }

    /// Opens the window at slot `now`: discards all counts, but keeps the backlog.
    pub fn open(&mut self, now: Slot) {
        self.flush();
        self.opened = now;
        self.dropped = 0;
        self.delays = Delays::new();
        self.flows.open(now);
        self.timeline = Timeline::new();
    }

    /// Delays of cells that arrived in the window and left in it.
    pub fn delays(&mut self) -> Histogram {
        self.flush();
        self.delays.histogram()
    }

    /// What was counted for each input and output, up to now.
    pub fn flows(&mut self) -> &Flows {
        self.flush();
        &self.flows
    }

    /// Counts what is deferred in large switches.
    fn flush(&mut self) {
        self.flows.flush(&mut self.delays.open());
    }

    /// Cells inside after the last slot observed.
    pub fn backlog(&self) -> u64 {
        self.backlog
    }

    /// Cells that arrived in the window and were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Counts a block of slots of a switch that drops nothing.
    pub fn observe(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>) {
        self.observe_all(arrivals, departures, &[]);
    }

    /// Counts a block of slots, and the cells dropped in it, ascending by slot. Every dropped cell
    /// leaves the backlog; it is counted as dropped only if it arrived in the window.
    pub fn observe_all(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>, dropped: &[Dropped]) {
        self.departed.clear();
        self.departed.resize(arrivals.slots(), Departed::default());
        self.flows.observe(arrivals, departures, &mut self.delays.open(), &mut self.departed);
        let (ports, mut dropped) = (arrivals.ports, dropped);
        for (slot, left) in self.departed.iter().enumerate() {
            let (now, arrivals) = (arrivals.start + slot as Slot, &arrivals.data[slot * ports..][..ports]);
            let coming = u64::from(arrivals.iter().map(|&output| u16::from(output != NONE)).sum::<u16>());
            self.backlog = self.backlog + coming - u64::from(left.cells);
            while let [first, rest @ ..] = dropped
                && first.slot == now
            {
                self.backlog -= 1;
                self.dropped += u64::from(first.born >= self.opened);
                dropped = rest;
            }
            self.delays.add_up(u64::from(left.counted), left.delay_sum);
            self.timeline.add(Bin {
                backlog_sum: self.backlog,
                arrivals: coming,
                departures: u64::from(left.cells),
                delay_sum: left.delay_sum,
                delays: u64::from(left.counted),
            });
        }
        self.delays.fold_short_counts();
    }
}
