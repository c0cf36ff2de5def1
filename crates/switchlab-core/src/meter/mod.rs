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

/// From more ports than this on, flows are counted port by port: those of a port are near each other, those of a slot are not.
const LARGE: usize = 256;

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
        if arrivals.ports > LARGE {
            self.flows.observe(self.opened, arrivals, departures);
            self.count::<false>(arrivals, departures, dropped);
        } else {
            self.count::<true>(arrivals, departures, dropped);
        }
    }

    /// Counts slot by slot, flows too or all but flows.
    #[inline(always)]
    fn count<const FLOWS: bool>(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>, dropped: &[Dropped]) {
        let ports = arrivals.ports;
        let opened = self.opened;
        // Slices, not the vectors behind `&mut self`, which would be reloaded after every store.
        let (arrived, left, out_of_order) = self.flows.open();
        let mut delays = self.delays.open();
        let mut dropped = dropped;
        for ((_, arrivals), (now, departures)) in arrivals.rows().zip(departures.rows()) {
            let comings = arrivals.iter().filter(|output| **output != NONE).count() as u64;
            if FLOWS {
                for (row, &output) in arrived.chunks_exact_mut(ports).zip(arrivals) {
                    // Idle inputs name no output: one look tells both.
                    if let Some(flow) = row.get_mut(output as usize) {
                        *flow += 1;
                    }
                }
            }
            let (mut leavings, mut older, mut late, mut longest, mut delay_sum) = (0u32, 0u32, 0u32, 0, 0);
            let mut leave = |cell: Cell| {
                leavings += 1;
                if cell.born < opened {
                    older += 1;
                    return false;
                }
                let delay = now - cell.born;
                delays.count_one(delay);
                longest = longest.max(delay);
                delay_sum += u64::from(delay);
                true
            };
            if FLOWS {
                for (row, &cell) in left.chunks_exact_mut(ports).zip(departures) {
                    if let Some(flow) = row.get_mut(cell.input as usize) {
                        late += u32::from(flow.depart(cell.born, leave(cell)));
                    }
                }
            } else {
                departures.iter().filter(|cell| !cell.is_idle()).for_each(|&cell| _ = leave(cell));
            }
            delays.add_up(delay_sum, longest);
            *out_of_order += u64::from(late);
            let leavings = u64::from(leavings);
            self.backlog = self.backlog + comings - leavings;
            while let [first, rest @ ..] = dropped
                && first.slot == now
            {
                self.backlog -= 1;
                self.dropped += u64::from(first.born >= opened);
                dropped = rest;
            }
            self.timeline.add(Bin {
                backlog_sum: self.backlog,
                arrivals: comings,
                departures: leavings,
                delay_sum,
                delays: leavings - u64::from(older),
            });
        }
    }
}
