//! Switch architectures: cells in, cells out.

pub mod benes;
mod calendar;
pub mod cioq;
pub mod crossbar;
pub mod edge_colouring;
pub mod fabric_view;
pub mod failure;
pub mod fifo;
pub mod inspection;
pub mod knockout;
pub mod output_queued;
mod promise;
pub(crate) mod queues;
pub mod shared_memory;
pub mod shared_memory_flows;

pub use fabric_view::FabricView;
pub use failure::{Buffer, Failure, Hall, Need, Side, Wait};
pub use inspection::{Inspection, QueueLengths};
pub use promise::Promise;

use crate::cell::{Block, Cell, Dropped, Port, Slot, idle};
use crate::counter::Counter;
use crate::error::Error;
use crate::labels::Labels;
use crate::observe::Observer;
use crate::scale;
use alloc::string::String;
use alloc::vec::Vec;

/// The bytes that a list has allocated, used or not.
#[allow(clippy::ptr_arg, reason = "a slice does not know the capacity")]
pub(crate) fn allocated<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

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

    /// Runs one slot: takes its arrivals, and writes at most one cell per output. `departures`
    /// comes idle.
    ///
    /// Slots are given in ascending order without gaps, beginning with 0.
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]);

    /// [`Self::slot`], and tells an observer what is decided, step by step. The cells that leave
    /// are the same. A switch that has nothing to tell leaves it out.
    fn slot_observed(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell], _observer: &mut dyn Observer) {
        self.slot(now, arrivals, departures);
    }

    /// Takes the labels of the cells to come, before the first slot and only where traffic has
    /// some. A switch that makes no difference between cells leaves it out. One that does keeps the
    /// labels, and asks them for the class or flow of a cell that has arrived, by its input and
    /// arrival slot; without this call every class and flow is 0. An error if it cannot serve this
    /// number of classes or flows, with what to do instead.
    fn use_labels(&mut self, _labels: &Labels) -> Result<(), Error> {
        Ok(())
    }

    /// What has become of the cells so far.
    fn census(&self) -> Census;

    /// How many slots a cell takes at least, one for each stage; 0 if it can leave in the slot of
    /// its arrival. Where it is not 0, the mean delay is also reported less it.
    fn stages(&self) -> u32 {
        0
    }

    /// The number of slots in a block ([`Self::run`]) at which the switch runs fastest. Results do
    /// not depend on it.
    fn preferred_block(&self) -> usize {
        scale::preferred_block(self.ports(), self.stages())
    }

    /// How much memory a queued cell may take, in bytes, room to grow included. 0 if all room for
    /// cells is reserved at the start and so is part of [`Self::fixed_bytes`].
    fn bytes_per_cell(&self) -> usize;

    /// How much memory the switch takes whatever is queued, in bytes: what its ports and settings
    /// fix. An upper bound, with every page touched. A switch takes no more than this and
    /// [`Self::bytes_per_cell`] for each queued cell.
    fn fixed_bytes(&self) -> u64;

    /// The part of [`Self::fixed_bytes`] that is room for cells, reserved at the start for a
    /// setting such as a capacity.
    fn reserved_bytes(&self) -> u64 {
        0
    }

    /// What the switch counts of itself, since the beginning.
    fn counters(&self, _visit: &mut dyn FnMut(Counter)) {}

    /// Where cells wait behind the last stage too, by output: the slots that cells took until they
    /// were out of that stage, and how many cells that were, since the beginning. Empty where they
    /// depart then, so that these are their delays.
    fn waits_by_output(&self) -> Vec<(u64, u64)> {
        Vec::new()
    }

    /// The queues and the state, for inspecting single slots; None if the switch does not show
    /// them. Computed on request, so that it costs the slot loop nothing.
    fn inspect(&self) -> Option<Inspection> {
        None
    }

    /// What the scheduler notes of each VOQ, by input and output: with captured frames the cells
    /// that are left of its frame. Empty if it notes nothing.
    fn tags(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The elements, links, buffers and credits of a multistage fabric; None of other switches.
    /// Computed on request.
    fn fabric(&self) -> Option<FabricView> {
        None
    }

    /// What it promises of its matchings.
    fn promise(&self) -> Promise {
        Promise::None
    }

    /// Whether what is inside fits together, for an audit after each slot: what does not, in words.
    /// As slow as it likes.
    fn audit(&self) -> Result<(), String> {
        Ok(())
    }

    /// The cells thrown away in the last slot.
    #[inline(always)]
    fn dropped(&self) -> &[Dropped] {
        &[]
    }

    /// Why the switch has stopped, if it has. From the slot that this names on, nothing comes in
    /// and nothing goes out.
    fn failure(&self) -> Option<&Failure> {
        None
    }

    /// Runs a block of slots, without telling what was thrown away in it.
    fn run(&mut self, arrivals: &Block<Port>, departures: &mut Block<Cell>) {
        self.run_and_log(arrivals, departures, &mut Vec::new());
    }

    /// Runs a block of slots, and appends the cells thrown away in it, slot by slot. One virtual
    /// call; the `slot` inside is a direct one, and a switch that never drops pays nothing.
    fn run_and_log(&mut self, arrivals: &Block<Port>, departures: &mut Block<Cell>, dropped: &mut Vec<Dropped>) {
        departures.start = arrivals.start;
        idle(&mut departures.data);
        let rows = departures.data.chunks_exact_mut(arrivals.ports);
        for ((now, arrivals), departures) in arrivals.rows().zip(rows) {
            self.slot(now, arrivals, departures);
            dropped.extend_from_slice(self.dropped());
        }
    }
}
