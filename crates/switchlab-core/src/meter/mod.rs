//! What is counted, in whole numbers and in constant memory.
//!
//! ```text
//!   arrivals ──┐                 ┌─► Histogram: delays of cells born and gone in the window
//!   departures ┼─► Meter ────────┼─► Flows: counts for each input and output, order
//!   dropped ───┘                 └─► Timeline: backlog, delay and departures over time
//! ```
//!
//! [`OqLag`] is a meter of its own, for those who ask: how far each cell is behind the ideal output-queued switch.
//!
//! A meter watches from outside: it sees what goes in and what comes out, never a queue. The warm-up is watched too, so that the backlog
//! and the order of cells are known when the window opens, and then forgotten.

pub mod flows;
pub mod histogram;
pub mod oq_lag;
pub mod timeline;

pub use flows::Flows;
pub use histogram::Histogram;
pub use oq_lag::{Lags, OqLag};
pub use timeline::{Bin, Timeline};

use crate::cell::{Block, Cell, Dropped, NONE, Port, Slot};

/// All meters of a run.
#[derive(Clone, Debug)]
pub struct Meter {
    /// The first slot of the window.
    opened: Slot,
    /// Cells inside.
    backlog: u64,
    /// Cells born in the window that were thrown away.
    dropped: u64,
    /// Delays of cells that were born in the window and left in it.
    pub delays: Histogram,
    /// Per input and output.
    pub flows: Flows,
    /// Over time.
    pub timeline: Timeline,
}

impl Meter {
    /// A meter whose window is open from slot 0.
    pub fn new(ports: usize) -> Self {
        Self {
            opened: 0,
            backlog: 0,
            dropped: 0,
            delays: Histogram::new(),
            flows: Flows::new(ports),
            timeline: Timeline::new(),
        }
    }

    /// Opens the window at slot `now`: forgets what was counted, but not what is inside the switch.
    pub fn open(&mut self, now: Slot) {
        self.opened = now;
        self.dropped = 0;
        self.delays = Histogram::new();
        self.flows.forget_counts();
        self.timeline = Timeline::new();
    }

    /// Cells inside after the last slot observed.
    pub fn backlog(&self) -> u64 {
        self.backlog
    }

    /// Cells born in the window that were thrown away.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Counts a block of slots of a switch that throws nothing away.
    pub fn observe(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>) {
        self.observe_all(arrivals, departures, &[]);
    }

    /// Counts a block of slots, and the cells thrown away in it, ascending by slot. A cell thrown away is no longer inside, whenever it was born;
    /// it is counted as dropped if it was born in the window.
    pub fn observe_all(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>, dropped: &[Dropped]) {
        let ports = arrivals.ports;
        let opened = self.opened;
        // Slices, not the vectors behind `&mut self`, which would be reloaded after every store.
        let (flows, out_of_order) = self.flows.open();
        let mut delays = self.delays.open();
        let mut dropped = dropped;
        for ((_, arrivals), (now, departures)) in arrivals.rows().zip(departures.rows()) {
            let (mut slot, mut longest, mut late) = (Bin::default(), 0, 0);
            for (input, &output) in arrivals.iter().enumerate() {
                if output != NONE {
                    flows[input * ports + output as usize].arrive();
                    slot.arrivals += 1;
                }
            }
            for (output, &cell) in departures.iter().enumerate() {
                if cell.is_idle() {
                    continue;
                }
                slot.departures += 1;
                let in_window = cell.born >= opened;
                late += u64::from(flows[cell.input as usize * ports + output].depart(cell.born, in_window));
                if in_window {
                    let delay = now - cell.born;
                    delays.count_one(delay);
                    longest = longest.max(delay);
                    slot.delay_sum += u64::from(delay);
                    slot.delays += 1;
                }
            }
            delays.add_up(slot.delay_sum, longest);
            *out_of_order += late;
            self.backlog = self.backlog + slot.arrivals - slot.departures;
            while let [first, rest @ ..] = dropped
                && first.slot == now
            {
                self.backlog -= 1;
                self.dropped += u64::from(first.born >= opened);
                dropped = rest;
            }
            slot.backlog_sum = self.backlog;
            self.timeline.add(slot);
        }
    }
}
