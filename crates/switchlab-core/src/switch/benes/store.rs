//! The buffers of all elements.
//!
//! A flow group of an element has P input buffers and P output buffers (one, where groups are not split): 2 P N buffers per element, nearly
//! all of them empty. So a group has buffers only while a cell is in one of them: a record in a pool that all elements share, last freed first used. What
//! stays is 8 bytes per element and group: the pointers, and where its record is. Buffers for every group were rejected: at 1024 ports they take 20 times
//! the memory, and each cell that hops meets a buffer that is in no cache.

use crate::cell::{Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// A cell inside the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Inner {
    /// When it arrived.
    pub(super) born: Slot,
    /// Where it arrived.
    pub(super) source: Port,
    /// With resequencing per stage, its number modulo P at each level, a digit each; with resequencing at the exit, its number in its flow modulo 2^16.
    pub(super) number: u16,
}

/// What an element keeps of a flow group, also while it has no cell of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Where its buffers are, or [`NOWHERE`].
    pub(super) place: u32,
    /// The next output port, for round-robin distribution.
    pub(super) pointer: u8,
    /// In a distribution element the outputs, in a routing element the inputs, that have had their cell of the current round of P cells.
    pub(super) round: u8,
    /// How many have.
    pub(super) rank: u8,
    /// The input port after the one that a cell was taken from last.
    pub(super) merge: u8,
}

impl Group {
    /// A port has its cell of the round; after P cells the next round begins.
    #[inline(always)]
    pub(super) fn count(&mut self, port: usize, radix: usize) {
        let last = usize::from(self.rank) + 1 == radix;
        self.round = if last { 0 } else { self.round | 1 << port };
        self.rank = if last { 0 } else { self.rank + 1 };
    }
}

/// A group without buffers.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The buffers of a group that has a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<const P: usize> {
    /// The first cell of each input buffer.
    pub(super) heads: [Inner; P],
    /// The cell of each output buffer.
    pub(super) outs: [Inner; P],
    /// Cells in each input buffer.
    pub(super) counts: [u8; P],
    /// Credits for each input buffer that are on their way back.
    pub(super) returning: [u8; P],
    /// Input buffers that are not empty.
    pub(super) inputs: u8,
    /// Output buffers that are not empty.
    pub(super) outputs: u8,
    /// Output buffers of which one has to become empty before the group can move a cell; 0 if nothing is known.
    pub(super) waits: u8,
    /// Cells in input buffers that wait for one that comes before them.
    pub(super) held: u16,
    /// When a cell last came, went or moved.
    pub(super) touched: Slot,
}

impl<const P: usize> Record<P> {
    const EMPTY: Self = Self {
        heads: [Inner { born: 0, source: 0, number: 0 }; P],
        outs: [Inner { born: 0, source: 0, number: 0 }; P],
        counts: [0; P],
        returning: [0; P],
        inputs: 0,
        outputs: 0,
        waits: 0,
        held: 0,
        touched: 0,
    };

    /// Credits that the sender to an input buffer lacks.
    #[inline(always)]
    pub(super) fn lent(&self, port: usize) -> usize {
        usize::from(self.counts[port]) + usize::from(self.returning[port])
    }

    /// Whether nothing is here, or on its way back from here.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.inputs | self.outputs == 0 && self.returning == [0; P]
    }
}

/// All groups and records.
#[derive(Clone, Debug)]
pub(super) struct Store<const P: usize> {
    /// By stage, element and group.
    pub(super) groups: Vec<Group>,
    pub(super) pool: Pool<P>,
}

/// The records.
#[derive(Clone, Debug)]
pub(super) struct Pool<const P: usize> {
    /// By place.
    pub(super) records: Vec<Record<P>>,
    /// By place and port: the cells behind the first, `behind` at most.
    rest: Vec<Inner>,
    behind: usize,
    pub(super) free: Vec<u32>,
}

/// The input buffers, during a step.
pub(super) struct Buffers<'a, const P: usize> {
    pub(super) records: &'a mut [Record<P>],
    rest: &'a mut [Inner],
    behind: usize,
}

impl<const P: usize> Store<P> {
    /// Empty groups whose input buffers hold at most `depth` cells.
    pub(super) fn new(groups: usize, depth: usize) -> Self {
        let empty = Group { place: NOWHERE, pointer: 0, round: 0, rank: 0, merge: 0 };
        let pool = Pool { records: Vec::new(), rest: Vec::new(), behind: depth - 1, free: Vec::new() };
        Self { groups: vec![empty; groups], pool }
    }

    /// The record of a group, if it has one.
    pub(super) fn record(&self, at: usize) -> Option<&Record<P>> {
        self.pool.records.get(self.groups[at].place as usize)
    }

    /// The cells in an input buffer, the first first.
    pub(super) fn input(&self, at: usize, port: usize) -> impl Iterator<Item = Inner> + '_ {
        self.record(at).into_iter().flat_map(move |record| {
            let first = (self.groups[at].place as usize * P + port) * self.pool.behind;
            let count = usize::from(record.counts[port]);
            let rest = &self.pool.rest[first..first + count.saturating_sub(1)];
            (count > 0).then(|| record.heads[port]).into_iter().chain(rest.iter().copied())
        })
    }
}

impl<const P: usize> Pool<P> {
    /// Places are added so many at a time.
    const MORE: usize = 1024;

    /// Makes sure that there are so many free places: then none is missing during a step.
    #[inline(always)]
    pub(super) fn provide(&mut self, places: usize) {
        if self.free.len() < places {
            self.grow(places);
        }
    }

    #[cold]
    fn grow(&mut self, places: usize) {
        let first = self.records.len();
        let last = first + Self::MORE.max(first / 2).max(places);
        self.records.resize(last, Record::EMPTY);
        self.rest.resize(last * P * self.behind, Inner::default());
        self.free.reserve(last);
        // Behind those that are in use already, which are still in cache.
        let used = core::mem::take(&mut self.free);
        self.free.extend((first as u32..last as u32).rev().chain(used));
    }

    /// The input buffers, and the free places.
    #[inline(always)]
    pub(super) fn open(&mut self) -> (Buffers<'_, P>, &mut Vec<u32>) {
        (Buffers { records: &mut self.records, rest: &mut self.rest, behind: self.behind }, &mut self.free)
    }
}

impl<const P: usize> Buffers<'_, P> {
    /// Appends a cell to an input buffer, which has room.
    #[inline(always)]
    pub(super) fn push(&mut self, place: usize, port: usize, cell: Inner) -> &mut Record<P> {
        let record = &mut self.records[place];
        let count = usize::from(record.counts[port]);
        record.counts[port] += 1;
        record.inputs |= 1 << port;
        if self.behind == 0 || count == 0 {
            record.heads[port] = cell;
        } else {
            self.rest[(place * P + port) * self.behind + count - 1] = cell;
        }
        record
    }

    /// Removes the first cell of an input buffer.
    #[inline(always)]
    pub(super) fn pop(&mut self, place: usize, port: usize) -> &mut Record<P> {
        let record = &mut self.records[place];
        record.counts[port] -= 1;
        let left = usize::from(record.counts[port]);
        if self.behind == 0 || left == 0 {
            record.inputs &= !(1 << port);
        } else {
            // A handful of cells at most: moving them up is simpler than a ring, and no slower.
            let at = (place * P + port) * self.behind;
            record.heads[port] = self.rest[at];
            self.rest.copy_within(at + 1..at + left, at);
        }
        record
    }
}
