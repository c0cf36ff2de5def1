//! Virtual output queues (VOQs): what a store of them does, and the stores there are.
//!
//! A store owns its loop over the cells of a slot and calls back for each cell. So it may list,
//! reorder and prefetch as it likes, and the crossbar's bookkeeping is written once.
//!
//! | store | a queue | a cell | for |
//! |---|---|---|---|
//! | [`Linked`] | 8 bytes | 8 bytes | up to 256 ports: cached; instructions count |
//! | [`Packed`] | 8 bytes, three cells in it | 2 bytes | more ports: cache misses count |
//!
//! # Extensions that the trait leaves room for
//!
//! Finite VOQs that drop: such a store calls `on_enqueue` only for the cells it keeps. The result
//! of [`VoqStore::enqueue_all`] is the number of cells kept, so that the crossbar knows how many
//! were dropped; which ones, the store says in a list of its own, cleared by the next
//! `enqueue_all`.
//!
//! A class for each cell: arrivals get a class beside the output, and [`Voq`] a class beside the
//! output. A store then has one FIFO for each class within a VOQ, and `dequeue_matched` chooses
//! among them. Lengths, requests and schedulers see the VOQ as a whole, as now.

mod linked;
mod packed;
#[cfg(test)]
mod tests;

pub use linked::Linked;
pub use packed::{Lengths, Packed};

use crate::cell::{Cell, Port, Slot};
use alloc::vec::Vec;
use core::fmt::Debug;

/// A VOQ.
#[derive(Clone, Copy, Debug)]
pub struct Voq {
    /// Its input.
    pub input: usize,
    /// Its output.
    pub output: usize,
    /// `input * ports + output`.
    pub index: usize,
}

/// A cell has been enqueued.
#[derive(Clone, Copy, Debug)]
pub struct Enqueued {
    /// In which VOQ.
    pub voq: Voq,
    /// The cells of the VOQ, this one included; 0 unless [`VoqStore::KEEPS_LENGTHS`].
    pub length: u32,
    /// An input and an output that are likely to come up some cells later, for a prefetch. Not
    /// necessarily ports of the switch.
    pub upcoming: (Port, Port),
}

/// A VOQ has been served.
#[derive(Clone, Copy, Debug)]
pub struct Dequeued {
    /// Which VOQ.
    pub voq: Voq,
    /// The cells of the VOQ, the one that leaves included, and 0 if there was none to leave;
    /// always 0 unless [`VoqStore::KEEPS_LENGTHS`].
    pub length: u32,
    /// The tag of the VOQ; 0 unless [`VoqStore::KEEPS_LENGTHS`].
    pub tag: u32,
    /// Whether its last cell has left.
    pub emptied: bool,
}

/// The matching of a slot, and what is known of it. The flags are constants where it is used.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Matched<'a> {
    /// For each input its output, or [`crate::NONE`].
    pub outputs: &'a [Port],
    /// Every input has an output.
    pub perfect: bool,
    /// No matched VOQ is empty.
    pub nonempty: bool,
    /// Nearly all matched VOQs were looked at in this slot or in the last, and are in a cache.
    pub recent: bool,
}

/// The VOQs of a crossbar, one for each input and output.
pub trait VoqStore: Clone + Debug + Send {
    /// Memory to reserve for a queued cell, growth included.
    const BYTES_PER_CELL: usize;

    /// Whether the store keeps the length and a tag of each VOQ, and reports them with each cell.
    /// If it does not, the crossbar keeps them for schedulers that need them.
    const KEEPS_LENGTHS: bool;

    /// Memory of the VOQs of a switch before any cell, in bytes: an upper bound.
    fn fixed_bytes(ports: usize) -> u64;

    /// Empty VOQs.
    fn new(ports: usize) -> Self;

    /// Enqueues the arrivals of a slot: for each input an output, or [`crate::NONE`]. Calls
    /// `on_enqueue` for each cell, inputs ascending. Slots come in order, from 0. Returns the
    /// number of cells kept: in an infinite store, all.
    fn enqueue_all<const W: usize>(&mut self, now: Slot, arrivals: &[Port], on_enqueue: impl FnMut(Enqueued)) -> usize;

    /// Dequeues the head-of-line cell of each matched VOQ that has one, and writes it to the place
    /// of its output in `departures`, which are idle. Calls `on_dequeue` for each VOQ that was
    /// served, inputs ascending; its result is the VOQ's next tag, which a store that does not keep
    /// tags ignores. A store that keeps lengths may call it for matched VOQs that are empty too.
    /// Returns the number of cells that left.
    fn dequeue_matched<const W: usize>(
        &mut self,
        now: Slot,
        matched: Matched<'_>,
        departures: &mut [Cell],
        on_dequeue: impl FnMut(Dequeued) -> u32,
    ) -> usize;

    /// The slot in which the head-of-line cell of a VOQ arrived, if there is one.
    fn head_arrival(&self, voq: usize, now: Slot) -> Option<Slot>;

    /// The number of queued cells.
    fn cells(&self) -> u64;

    /// The length of each VOQ, by index. It may take a walk along all cells.
    fn lengths(&self) -> Vec<u32>;

    /// The tag of each VOQ, by index, if the store keeps them.
    fn tags(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Lengths of single VOQs, if the store keeps them.
    fn known_lengths(&self) -> Lengths<'_> {
        Lengths::NONE
    }
}
