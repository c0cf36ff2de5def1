//! The buffers of the reference engine: input buffers of any depth, output buffers of one cell.

use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{Buffers, FabricCell, Groups, word_of};
use alloc::vec::Vec;

/// What the record of a group has beside its state and the cells of its input buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queued<const P: usize> {
    /// By port: cells in the input buffer.
    lengths: [u8; P],
    /// By port: credits for the input buffer that are on their way back.
    pub(super) returning: [u8; P],
    /// The cells of the output buffers.
    pub(super) outputs: [FabricCell; P],
}

impl<const P: usize> Buffers for Queued<P> {
    const EMPTY: Self =
        Self { lengths: [0; P], returning: [0; P], outputs: [FabricCell { born: 0, source: 0, number: 0 }; P] };
}

/// The buffers of all groups.
#[derive(Clone, Debug)]
pub(crate) struct GroupBuffers<const P: usize> {
    pub(in crate::switch::benes::engine) groups: Groups<Queued<P>>,
    /// By record and port: the cells of the input buffer, head of line first.
    cells: Vec<FabricCell>,
    /// Room for cells in an input buffer.
    depth: usize,
}

impl<const P: usize> GroupBuffers<P> {
    /// Empty buffers of a number of groups.
    pub(super) fn new(groups: usize, depth: usize) -> Self {
        Self { groups: Groups::new(groups), cells: Vec::new(), depth }
    }

    /// Makes sure that a number of groups can get records.
    pub(super) fn provide(&mut self, groups: usize) {
        self.groups.pool.provide(groups);
        let cells = self.groups.pool.records.len() * P * self.depth;
        if self.cells.len() < cells {
            self.cells.resize(cells, FabricCell::default());
        }
    }

    /// The record of a group that has one.
    pub(super) fn record(&self, at: usize) -> usize {
        self.groups.record_index(at).expect("a group with a cell, or with a credit on its way, has a record")
    }

    /// The record of a group, which gets a free one if it has none.
    pub(super) fn open(&mut self, at: usize) -> usize {
        let mut pool = self.groups.pool.open();
        let (record, state) = pool.open_group(self.groups.words[at], 0);
        self.groups.words[at] = word_of(record, 0);
        pool.records[record as usize].group = state;
        record as usize
    }

    /// Stores the state of a group, whose record is freed if the group has no cell and no credit of
    /// it is on its way.
    pub(super) fn close(&mut self, at: usize, record: usize, state: Group) {
        let idle = state.is_empty() && self.buffers(record).returning == [0; P];
        self.groups.words[at] = self.groups.pool.open().close_group(record as u32, state, idle, 0);
    }

    pub(super) fn state(&mut self, record: usize) -> &mut Group {
        &mut self.groups.pool.records[record].group
    }

    pub(super) fn buffers(&mut self, record: usize) -> &mut Queued<P> {
        &mut self.groups.pool.records[record].buffers
    }

    /// Where the cells of an input buffer begin.
    fn first(&self, record: usize, port: usize) -> usize {
        (record * P + port) * self.depth
    }

    /// The cells of an input buffer, head of line first.
    pub(super) fn input(&self, record: usize, port: usize) -> &[FabricCell] {
        let length = self.groups.pool.records[record].buffers.lengths[port];
        &self.cells[self.first(record, port)..][..usize::from(length)]
    }

    /// The head-of-line cell of a non-empty input buffer.
    pub(super) fn head(&self, record: usize, port: usize) -> FabricCell {
        self.cells[self.first(record, port)]
    }

    /// Cells in the input buffers of a group.
    pub(super) fn queued(&self, record: usize) -> u16 {
        self.groups.pool.records[record].buffers.lengths.iter().map(|&length| u16::from(length)).sum()
    }

    /// Appends a cell to an input buffer, which has room. Returns how many credits its sender
    /// lacks.
    pub(super) fn enqueue(&mut self, record: usize, port: usize, cell: FabricCell) -> usize {
        let first = self.first(record, port);
        let Queued { lengths, returning, .. } = self.buffers(record);
        let length = usize::from(lengths[port]);
        lengths[port] += 1;
        let lacking = length + 1 + usize::from(returning[port]);
        self.cells[first + length] = cell;
        lacking
    }

    /// Removes the head-of-line cell of an input buffer. Returns it, and whether the buffer is
    /// empty then.
    #[inline(always)]
    pub(super) fn dequeue(&mut self, record: usize, port: usize) -> (FabricCell, bool) {
        let first = self.first(record, port);
        let length = &mut self.buffers(record).lengths[port];
        *length -= 1;
        let left = usize::from(*length);
        let cell = self.cells[first];
        if left > 0 {
            // At most a handful of cells: moving them up is simpler than a ring, and no slower.
            self.cells.copy_within(first + 1..first + 1 + left, first);
        }
        (cell, left == 0)
    }
}
