//! The buffers of all elements.
//!
//! A flow group of an element has P input buffers and P output buffers (one, where groups are not split): 2 P N buffers per element, nearly
//! all of them empty. So a group has buffers only while a cell is in one of them: a place in a pool that all elements share, last freed first used. What
//! stays is 8 bytes per element and group: the pointers, and where its buffers are. Buffers for every group were rejected: at 1024 ports they take 20 times
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
    /// The input port after the one that a cell was taken from last.
    pub(super) merge: u8,
}

/// A group without buffers.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The buffers of a group that has a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffers<const P: usize> {
    /// Cells in each input buffer.
    pub(super) counts: [u8; P],
    /// Credits that its sender lacks, for each input buffer: cells in it, and credits on the way back.
    pub(super) lent: [u8; P],
    /// Input buffers that are not empty.
    pub(super) inputs: u8,
    /// Output buffers that are not empty.
    pub(super) outputs: u8,
    /// Cells in input buffers that wait for one that comes before them.
    pub(super) held: u16,
    /// When a cell last came, went or moved.
    pub(super) touched: Slot,
}

/// All groups and buffers.
#[derive(Clone, Debug)]
pub(super) struct Store<const P: usize> {
    /// By stage, element and group.
    pub(super) groups: Vec<Group>,
    /// By place.
    pub(super) buffers: Vec<Buffers<P>>,
    /// By place: `depth` cells for each input buffer, the first first, then one for each output buffer.
    cells: Vec<Inner>,
    depth: usize,
    free: Vec<u32>,
}

const EMPTY: Group = Group { place: NOWHERE, pointer: 0, round: 0, merge: 0 };

impl<const P: usize> Store<P> {
    /// Places are added so many at a time.
    const MORE: usize = 1024;

    /// Empty groups whose input buffers hold at most `depth` cells.
    pub(super) fn new(groups: usize, depth: usize) -> Self {
        Self { groups: vec![EMPTY; groups], buffers: Vec::new(), cells: Vec::new(), depth, free: Vec::new() }
    }

    fn stride(&self) -> usize {
        P * self.depth + P
    }

    /// The place of a group's buffers, which it gets if it has none.
    #[inline(always)]
    pub(super) fn open(&mut self, group: usize) -> usize {
        let place = self.groups[group].place;
        if place != NOWHERE {
            return place as usize;
        }
        let place = match self.free.pop() {
            Some(place) => place,
            None => self.grow(),
        };
        self.groups[group].place = place;
        place as usize
    }

    /// Adds places, and returns one of them.
    #[cold]
    fn grow(&mut self) -> u32 {
        let first = self.buffers.len();
        let last = first + Self::MORE.max(first / 2);
        let empty = Buffers { counts: [0; P], lent: [0; P], inputs: 0, outputs: 0, held: 0, touched: 0 };
        self.buffers.resize(last, empty);
        self.cells.resize(last * self.stride(), Inner::default());
        self.free.reserve(last);
        self.free.extend((first as u32 + 1..last as u32).rev());
        first as u32
    }

    /// Takes the buffers from a group if nothing is in them or on the way to them.
    #[inline(always)]
    pub(super) fn close(&mut self, group: usize, place: usize) {
        let buffers = &self.buffers[place];
        if buffers.outputs == 0 && buffers.lent == [0; P] {
            self.groups[group].place = NOWHERE;
            self.free.push(place as u32);
        }
    }

    /// Appends a cell to an input buffer, which has room.
    #[inline(always)]
    pub(super) fn push(&mut self, place: usize, port: usize, cell: Inner) {
        let stride = self.stride();
        let buffers = &mut self.buffers[place];
        let count = buffers.counts[port] as usize;
        buffers.counts[port] += 1;
        buffers.lent[port] += 1;
        buffers.inputs |= 1 << port;
        self.cells[place * stride + port * self.depth + count] = cell;
    }

    /// The first cell of an input buffer that is not empty.
    #[inline(always)]
    pub(super) fn first(&self, place: usize, port: usize) -> Inner {
        self.cells[place * self.stride() + port * self.depth]
    }

    /// Removes the first cell of an input buffer.
    #[inline(always)]
    pub(super) fn pop(&mut self, place: usize, port: usize) {
        let at = place * self.stride() + port * self.depth;
        let buffers = &mut self.buffers[place];
        buffers.counts[port] -= 1;
        let left = buffers.counts[port] as usize;
        if left == 0 {
            buffers.inputs &= !(1 << port);
        } else {
            // A handful of cells at most: moving them up is simpler than a ring, and no slower.
            self.cells.copy_within(at + 1..at + 1 + left, at);
        }
    }

    /// Puts a cell into an output buffer, which is empty.
    #[inline(always)]
    pub(super) fn put(&mut self, place: usize, output: usize, cell: Inner) {
        let at = place * self.stride() + P * self.depth + output;
        self.cells[at] = cell;
        self.buffers[place].outputs |= 1 << output;
    }

    /// Takes the cell out of an output buffer.
    #[inline(always)]
    pub(super) fn take(&mut self, place: usize, output: usize) -> Inner {
        self.buffers[place].outputs &= !(1 << output);
        self.output(place, output)
    }

    /// The cell in an output buffer.
    #[inline(always)]
    pub(super) fn output(&self, place: usize, output: usize) -> Inner {
        self.cells[place * self.stride() + P * self.depth + output]
    }

    /// The cells in an input buffer, the first first.
    pub(super) fn input(&self, place: usize, port: usize) -> &[Inner] {
        let at = place * self.stride() + port * self.depth;
        &self.cells[at..at + self.buffers[place].counts[port] as usize]
    }
}
