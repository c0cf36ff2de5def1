//! Cells inside the fabric, and the records that hold the buffers of a group.
//!
//! A flow group of an element has P input buffers and P output buffers, and nearly all of them are
//! empty. So a group has a record only while it has a cell. Records are allocated from a [`Pool`]
//! with a last-in first-out free list: a record that is freed when a cell leaves an element is
//! still in cache, and is allocated to the group of that cell in the next element.
//!
//! Each element keeps one word of 32 bits for each group. An engine may use its lowest `shift`
//! bits for flags.
//!
//! ```text
//!   with a record     [ 1 | index of the record      | flags of the engine ]
//!   without           [ 0 | merge | pointer | round  | flags of the engine ]
//! ```
//!
//! With buffers of one cell and elements of 4 x 4, a record is one cache line: 8 bytes of state and
//! 7 for each of 8 cells. Rejected: buffers for every group, 64 bytes instead of 4; 16 bytes for
//! every group with all but the cells, 42 MB at 1024 ports where words are 10; records of two
//! lines, with 8 bytes for a cell.

use super::group::{Group, INPUTS, MEMORY, OUTPUTS, POINTER};
use crate::cell::{Cell, Port, Slot};
use crate::switch::failure::Side;
use alloc::vec;
use alloc::vec::Vec;

/// A cell inside the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct FabricCell {
    /// Its arrival slot.
    pub(crate) born: Slot,
    /// Its input.
    pub(crate) source: Port,
    /// With resequencing per stage: its number modulo P at each level, one digit for each. With
    /// resequencing at the exit: its number in its flow modulo 2^16.
    pub(crate) number: u16,
}

impl FabricCell {
    /// A cell from its arrival slot and its tag: the number in the lowest `number_bits`, the source
    /// above it.
    pub(crate) fn from_tag((born, tag): (Slot, u32), number_bits: u32) -> Self {
        Self { born, source: (tag >> number_bits) as Port, number: (tag & ((1 << number_bits) - 1)) as u16 }
    }

    /// The cell as it leaves the fabric.
    pub(crate) fn departure(self) -> Cell {
        Cell { born: self.born, input: self.source }
    }
}

/// The record of a group that has a cell: its state, and its buffers as the engine keeps them.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Record<B> {
    pub(crate) group: Group,
    pub(crate) buffers: B,
}

/// The buffers of a group.
pub(crate) trait Buffers: Copy {
    /// Without a cell.
    const EMPTY: Self;
}

/// Input and output buffers of one cell each. The fields of cells are in arrays of their own, so
/// that the 56 bits of arrival slot and tag take 7 bytes. Index 0 has input buffers, index 1 output
/// buffers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct UnitBuffers<const P: usize> {
    born: [[u32; P]; 2],
    low: [[u16; P]; 2],
    high: [[u8; P]; 2],
}

/// The record of a group with buffers of one cell.
pub(crate) type UnitRecord<const P: usize> = Record<UnitBuffers<P>>;

impl<const P: usize> Buffers for UnitBuffers<P> {
    const EMPTY: Self = Self { born: [[0; P]; 2], low: [[0; P]; 2], high: [[0; P]; 2] };
}

impl<const P: usize> Record<UnitBuffers<P>> {
    fn tag(&self, side: usize, at: usize) -> u32 {
        u32::from(self.buffers.low[side][at % P]) | u32::from(self.buffers.high[side][at % P]) << 16
    }

    /// The arrival slot and the tag of the cell in an input buffer.
    pub(crate) fn input(&self, port: usize) -> (Slot, u32) {
        (self.buffers.born[0][port % P], self.tag(0, port))
    }

    /// The arrival slot and the tag of the cell in an output buffer.
    pub(crate) fn output(&self, part: usize) -> (Slot, u32) {
        (self.buffers.born[1][part % P], self.tag(1, part))
    }

    /// The source of the cell in an input buffer.
    pub(crate) fn source(&self, port: usize, number_bits: u32) -> usize {
        (self.tag(0, port) >> number_bits) as usize
    }

    /// Stores a cell in an input buffer (side 0) or an output buffer (side 1).
    pub(crate) fn put(&mut self, side: usize, at: usize, born: Slot, tag: u32) {
        self.buffers.born[side % 2][at % P] = born;
        self.buffers.low[side % 2][at % P] = tag as u16;
        self.buffers.high[side % 2][at % P] = (tag >> 16) as u8;
    }

    /// The cell of a buffer, if it has one.
    pub(crate) fn cells(&self, side: Side, at: usize, number_bits: u32) -> Vec<FabricCell> {
        let (filled, cell) = match side {
            Side::Input => (self.group.inputs(), self.input(at)),
            Side::Output => (self.group.outputs(), self.output(at)),
        };
        if filled >> at & 1 == 0 { Vec::new() } else { vec![FabricCell::from_tag(cell, number_bits)] }
    }

    /// The lower 16 bits of the tags in the input buffers: the numbers, with other bits above them.
    pub(crate) fn numbers(&self) -> &[u16; P] {
        &self.buffers.low[0]
    }

    /// Moves a cell from an input buffer to an empty output buffer, and adds a digit to its number.
    /// `group` is the state of this record, held in a register.
    pub(crate) fn shift(&mut self, group: &mut Group, (port, part): (usize, usize), digit: u32, low: u32) {
        let UnitBuffers { born, low: lows, high } = &mut self.buffers;
        born[1][part % P] = born[0][port % P];
        lows[1][part % P] = lows[0][port % P] | (digit << low) as u16;
        high[1][part % P] = high[0][port % P];
        group.0 = group.0 & !(1 << INPUTS << port) | 1 << OUTPUTS << part;
    }
}

/// The highest bit of a group's word: whether it has a record.
const OPEN: u32 = 1 << 31;

/// All ones if a group has a record. A mask, since a condition often compiles to a branch.
pub(crate) const fn open(word: u32) -> u32 {
    (word.cast_signed() >> 31).cast_unsigned()
}

/// The index of a group's record; without one, the bits of its state that are kept.
pub(crate) const fn index(word: u32, shift: u32) -> u32 {
    (word & !OPEN) >> shift
}

/// The index of a group's record, or 0. Branch-free.
pub(crate) const fn index_if_open(word: u32, shift: u32) -> u32 {
    index(word & open(word), shift)
}

/// Records, and which of them are free.
#[derive(Clone, Debug)]
pub(crate) struct Pool<B> {
    pub(crate) records: Vec<Record<B>>,
    /// A stack of `left` free records, above a dummy entry.
    free: Vec<u32>,
    left: usize,
    /// The groups that share the pool, which never need more records.
    groups: usize,
    /// Records to reserve memory for at least.
    room: usize,
}

/// A pool during a step: slices, and the number of free records in a register until it is dropped.
pub(crate) struct OpenPool<'a, B> {
    pub(crate) records: &'a mut [Record<B>],
    free: &'a mut [u32],
    left: usize,
    home: &'a mut usize,
}

impl<B: Buffers> Pool<B> {
    /// Records are added at least this many at a time.
    const GROWTH: usize = 1024;

    /// No records yet, for a number of groups. Once there are some, memory for `room` is reserved.
    pub(crate) fn new(groups: usize, room: usize) -> Self {
        Self { records: Vec::new(), free: vec![0; 2], left: 0, groups, room }
    }

    /// Makes sure that a number of records are free, or one for each group without a record. Then
    /// none is missing during a step.
    pub(crate) fn provide(&mut self, records: usize) {
        if self.left < records {
            self.grow(records);
        }
    }

    #[cold]
    fn grow(&mut self, records: usize) {
        let first = self.records.len();
        let last = self.groups.min(first + Self::GROWTH.max(first / 2).max(records));
        if self.records.capacity() < last {
            // A new vector rather than a longer one: huge pages have to be requested before the
            // memory is touched.
            let mut grown = Vec::with_capacity(last.max(self.room));
            grown.extend_from_slice(&self.records);
            self.records = grown;
        }
        self.records.resize(last, Record { group: Group(0), buffers: B::EMPTY });
        // New ones below those that have been in use, which are still in cache.
        self.free.truncate(1 + self.left);
        self.free.splice(1..1, (first as u32..last as u32).rev());
        self.left = self.free.len() - 1;
        self.free.resize(last + 2, 0);
    }

    /// The free record that is allocated after `others`, or any.
    pub(crate) fn upcoming(&self, others: usize) -> u32 {
        self.free[self.left.saturating_sub(others)]
    }

    /// The records, for a step.
    pub(crate) fn open(&mut self) -> OpenPool<'_, B> {
        let Self { records, free, left, .. } = self;
        OpenPool { records, free, left: *left, home: left }
    }
}

impl<B> Drop for OpenPool<'_, B> {
    fn drop(&mut self) {
        *self.home = self.left;
    }
}

impl<B> OpenPool<'_, B> {
    /// The record of a group, which gets a free one if it has none, and the group's state. The
    /// caller stores both. Branch-free, since a branch would be unpredictable.
    #[inline(always)]
    pub(crate) fn open_group(&mut self, word: u32, shift: u32) -> (u32, Group) {
        let open = open(word);
        let own = index(word, shift) & open | self.free[self.left] & !open;
        self.left -= (!open & 1) as usize;
        // The state in a free record is 0: no selection is needed.
        let state = self.records[own as usize].group.0 | u64::from(index(word, shift) & !open);
        (own, Group(state))
    }

    /// Stores the state of a group, and frees its record if it is `idle`. Returns the group's word
    /// without flags. Branch-free.
    #[inline(always)]
    pub(crate) fn close_group(&mut self, own: u32, state: Group, idle: bool, shift: u32) -> u32 {
        self.free[self.left + 1] = own;
        self.left += usize::from(idle);
        self.records[own as usize].group = if idle { Group(0) } else { state };
        if idle { ((state.0 & MEMORY) as u32) << shift } else { word_of(own, shift) }
    }
}

impl<const P: usize> OpenPool<'_, UnitBuffers<P>> {
    /// Dequeues the cell of an output buffer of a group with a record. Returns the arrival slot and
    /// the tag of the cell, whether the group waited for this room, and the group's word without
    /// flags.
    #[inline(always)]
    pub(crate) fn dequeue(&mut self, own: u32, part: usize, stamp: u64, shift: u32) -> ((Slot, u32), bool, u32) {
        let record = &self.records[own as usize];
        let (cell, mut state) = (record.output(part), record.group);
        let waited = state.waits() >> part & 1 != 0;
        state.empty_output(part);
        state.set_stamp(stamp);
        (cell, waited, self.close_group(own, state, state.is_empty(), shift))
    }
}

/// The word of a group with this record, without flags.
pub(crate) const fn word_of(record: u32, shift: u32) -> u32 {
    OPEN | record << shift
}

/// The groups of all elements, with one word each and no flags, and their records.
#[derive(Clone, Debug)]
pub(crate) struct Groups<B> {
    /// By stage, element and group.
    pub(crate) words: Vec<u32>,
    pub(crate) pool: Pool<B>,
}

impl<B: Buffers> Groups<B> {
    /// Groups without a record, whose pointers are 0.
    pub(crate) fn new(groups: usize) -> Self {
        Self { words: vec![0; groups], pool: Pool::new(groups, 0) }
    }

    /// Sets the initial pointer of a group.
    pub(crate) fn set_pointer(&mut self, at: usize, pointer: u8) {
        self.words[at] = u32::from(pointer) << POINTER;
    }

    /// The index of the record of a group, if it has one.
    pub(crate) fn record_index(&self, at: usize) -> Option<usize> {
        let word = self.words[at];
        (word & OPEN != 0).then(|| index(word, 0) as usize)
    }

    /// The record of a group, if it has one.
    pub(crate) fn record(&self, at: usize) -> Option<&Record<B>> {
        self.record_index(at).map(|own| &self.pool.records[own])
    }

    /// The state of a group.
    pub(crate) fn group(&self, at: usize) -> Group {
        self.record(at).map_or(Group(u64::from(self.words[at])), |record| record.group)
    }

    /// Visits every group that has a record.
    pub(crate) fn for_each_open(&self, visit: &mut dyn FnMut(usize, Group)) {
        for (at, &word) in self.words.iter().enumerate() {
            if word & OPEN != 0 {
                visit(at, self.pool.records[index(word, 0) as usize].group);
            }
        }
    }
}
