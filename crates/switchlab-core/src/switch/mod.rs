//! Switch architectures: cells in, cells out.

pub mod cioq;
pub mod crossbar;
pub mod fifo;
pub mod inspection;
pub mod output_queued;
mod promise;
pub(crate) mod queues;

pub use inspection::{Inspection, QueueLengths};
pub use promise::Promise;

use crate::cell::{Block, Cell, Port, Slot};
use crate::counter::Counter;
use alloc::string::String;

/// What has become of all cells so far. `arrived = departed + dropped + queued`, always.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// Cells that came in.
    pub arrived: u64,
    /// Cells that went out.
    pub departed: u64,
    /// Cells that were thrown away.
    pub dropped: u64,
    /// Cells inside, counted from the queues and not as a difference of the others.
    pub queued: u64,
}

/// A switch, at the edge where it may be `dyn`.
pub trait Switch: Send {
    /// The number of ports.
    fn ports(&self) -> usize;

    /// Runs one slot: takes its arrivals, and writes at most one cell per output. `departures` comes idle.
    ///
    /// Slots are given in ascending order without gaps, beginning with 0.
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]);

    /// What has become of the cells so far.
    fn census(&self) -> Census;

    /// How much memory a queued cell may take, in bytes, room to grow included.
    fn bytes_per_cell(&self) -> usize;

    /// What the switch counts of itself, since the beginning.
    fn counters(&self, _visit: &mut dyn FnMut(Counter)) {}

    /// What is inside, for people who look at single slots; None if the switch does not show it. Counted when asked for, so that the
    /// slots themselves pay nothing.
    fn inspect(&self) -> Option<Inspection> {
        None
    }

    /// What it promises of its matchings.
    fn promise(&self) -> Promise {
        Promise::None
    }

    /// Whether what is inside fits together, for an audit after each slot: what does not, in words. As slow as it likes.
    fn audit(&self) -> Result<(), String> {
        Ok(())
    }

    /// Runs a block of slots. One virtual call; the `slot` inside is a direct one.
    fn run(&mut self, arrivals: &Block<Port>, departures: &mut Block<Cell>) {
        departures.start = arrivals.start;
        departures.data.fill(Cell::IDLE);
        let rows = departures.data.chunks_exact_mut(arrivals.ports);
        for ((now, arrivals), departures) in arrivals.rows().zip(rows) {
            self.slot(now, arrivals, departures);
        }
    }
}
