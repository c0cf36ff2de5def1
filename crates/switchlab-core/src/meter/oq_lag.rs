//! `oq-lag`: how far a switch is behind the ideal output-queued one on the same arrivals, cell by
//! cell.
//!
//! The lag of a cell is the slot in which it left less the slot in which it would have left `oq`.
//! All lags 0 is exact emulation, shown on that run. A switch that serves in another order sends
//! some cells earlier than `oq` and others later.
//!
//! No second switch is run. With first come, first served, the ideal departure slot of a cell is
//! known when it arrives: the slot after that of the previous cell for the same output, or the
//! present slot if that is later. Cells inside are identified by flow and arrival slot, of which a
//! flow has at most one cell each. Usually the oldest cell of a flow leaves; if not, the flow is
//! searched, so nothing is assumed about order. Memory is 12 bytes for each cell inside, with room
//! to grow.
//!
//! The meter knows how many cells a switch has dropped, but not which. If there are any, and a cell
//! leaves before more than 256 older ones of its flow, these are taken for dropped; should one
//! leave after all, it counts as unmatched.

use crate::cell::{Block, Cell, NONE, Port, Slot};
use crate::switch::queues::{Queues, keep_beside};
use alloc::vec;
use alloc::vec::Vec;

/// The most cells of a flow that a younger one may overtake before they are taken for dropped.
const OVERTAKEN: usize = 256;

/// Lags of the cells that arrived in the window and left in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lags {
    /// How many cells.
    pub cells: u64,
    /// The sum of their lags.
    pub sum: i64,
    /// The smallest lag; below 0 if a cell was earlier than in `oq`.
    pub min: i64,
    /// The largest.
    pub max: i64,
    /// Cells that left later than in `oq`.
    pub late: u64,
    /// Cells that left earlier.
    pub early: u64,
    /// Cells that had been taken for dropped, and so have no lag.
    pub unmatched: u64,
}

impl Lags {
    /// Whether every cell left in the slot in which it leaves `oq`.
    pub fn is_emulation(&self) -> bool {
        self.late == 0 && self.early == 0 && self.unmatched == 0
    }

    /// Counts one lag.
    fn count(&mut self, lag: i64) {
        self.min = if self.cells == 0 { lag } else { self.min.min(lag) };
        self.max = if self.cells == 0 { lag } else { self.max.max(lag) };
        self.cells += 1;
        self.sum += lag;
        self.late += u64::from(lag > 0);
        self.early += u64::from(lag < 0);
    }

    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        let (min, max) = match (self.cells, other.cells) {
            (0, _) => (other.min, other.max),
            (_, 0) => (self.min, self.max),
            _ => (self.min.min(other.min), self.max.max(other.max)),
        };
        *self = Self {
            cells: self.cells + other.cells,
            sum: self.sum + other.sum,
            min,
            max,
            late: self.late + other.late,
            early: self.early + other.early,
            unmatched: self.unmatched + other.unmatched,
        };
    }
}

/// The meter. See the module.
#[derive(Clone, Debug)]
pub struct OqLag {
    ports: usize,
    /// The first slot of the window.
    opened: Slot,
    /// By output: the slot in which `oq` could send one more cell.
    next: Vec<u64>,
    /// Arrival slots of the cells inside, by flow.
    inside: Queues,
    /// By index in `inside`: the slot in which the cell leaves `oq`.
    ideal: Vec<Slot>,
    lags: Lags,
}

impl OqLag {
    /// The bytes reserved for each cell inside.
    pub const BYTES_PER_CELL: usize = Queues::BYTES_PER_CELL + 3 * size_of::<Slot>();

    /// The bytes of a meter before any cell.
    pub fn fixed_bytes(ports: usize) -> u64 {
        let heads = Queues::fixed_bytes(ports * ports, size_of::<Slot>());
        heads + (size_of::<Self>() + ports * size_of::<u64>()) as u64
    }

    /// A meter whose window is open from slot 0.
    pub fn new(ports: usize) -> Self {
        Self {
            ports,
            opened: 0,
            next: vec![0; ports],
            inside: Queues::new(ports * ports),
            ideal: Vec::new(),
            lags: Lags::default(),
        }
    }

    /// Opens the window at slot `now`: discards the lags, but keeps the cells inside.
    pub fn open(&mut self, now: Slot) {
        self.opened = now;
        self.lags = Lags::default();
    }

    /// The lags of the window so far.
    pub fn lags(&self) -> Lags {
        self.lags
    }

    /// Cells that have arrived and neither left nor been taken for dropped.
    pub fn inside(&self) -> u64 {
        self.inside.length()
    }

    /// Counts a block of slots. `dropped` is the number of cells that the switch has dropped so
    /// far.
    pub fn observe(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>, dropped: u64) {
        for ((now, arrivals), (_, departures)) in arrivals.rows().zip(departures.rows()) {
            let mut inside = self.inside.open(self.ports);
            keep_beside(&mut self.ideal, inside.extent(), 0);
            for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
                let output = usize::from(output);
                let leaves = self.next[output].max(u64::from(now));
                self.next[output] = leaves + 1;
                let index = inside.push(input * self.ports + output, now);
                // Clamped: no run has as many slots.
                self.ideal[index] = Slot::try_from(leaves).unwrap_or(Slot::MAX);
            }
            for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
                let flow = usize::from(cell.input) * self.ports + output;
                let found = inside.remove(flow, cell.born);
                if cell.born >= self.opened {
                    match found {
                        Some((index, _)) => self.lags.count(i64::from(now) - i64::from(self.ideal[index])),
                        None => self.lags.unmatched += 1,
                    }
                }
                if let Some((_, older)) = found
                    && older > OVERTAKEN
                    && dropped > 0
                {
                    for _ in 0..older {
                        inside.pop(flow);
                    }
                }
            }
        }
    }
}
